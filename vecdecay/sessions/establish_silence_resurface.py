"""Established, silent for long, needed again: the dry spell that a memory has to get through."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from vecdecay.parameters import parameter
from vecdecay.sessions.seeded import SeededWorkload
from vecdecay.sessions.session import MAX_SESSION_LENGTH
from vecdecay.sessions.steps import Plan, come_back, register, spread, spread_after


@dataclass(frozen=True)
class EstablishSilenceResurface(SeededWorkload):
    """Facts registered in turn 1 and recalled early, then silent for exactly ``silence_turns`` turns, then recalled.

    The silence runs from the latest early touch of a fact to its next recall; further recalls follow that one within
    ``resurface_turns``. A longer session has the shorter one as its beginning, except for importance that follows use.

    The question: how much early use carries a fact through a dry spell of this length? At the defaults, three
    recalls and 100 turns (100,000 seeds), the foundational recall rate is 0.957 under Ebbinghaus and 0.000 under
    RecencyWindow, for which every return is a miss.

    >>> one = EstablishSilenceResurface(num_foundational=1, noise_per_turn=0, establish_recalls=1, resurface_recalls=1)
    >>> one.session(seed=0).events
    ((1, 0, 0), (18, 1, 0), (118, 1, 0))
    """

    name: ClassVar[str] = "establish_silence_resurface"
    summary: ClassVar[str] = "facts recalled early, silent for 100 turns, then recalled again"
    source: ClassVar[str] = "this program"

    establish_recalls: int = parameter(
        3, at_least=0, at_most=2**20, unit="recalls", meaning="recalls of each foundational item before the silence"
    )
    establish_turns: int = parameter(
        20, at_least=1, at_most=MAX_SESSION_LENGTH, unit="turns", meaning="turns after the first over which they spread"
    )
    silence_turns: int = parameter(
        100, at_least=1, at_most=MAX_SESSION_LENGTH, unit="turns", meaning="turns from the latest touch to the return"
    )
    resurface_recalls: int = parameter(
        2, at_least=1, at_most=2**20, unit="recalls", meaning="recalls of each foundational item from its return on"
    )
    resurface_turns: int = parameter(
        20, at_least=1, at_most=MAX_SESSION_LENGTH, unit="turns", meaning="turns after it over which the others spread"
    )

    def plans(self) -> Sequence[Plan]:
        """Return: register, early recalls, the return after the silence, the recalls after it."""
        steps = (
            register(),
            spread(self.establish_recalls, 2, 1 + self.establish_turns),
            come_back(self.silence_turns),
            spread_after(self.resurface_recalls - 1, self.resurface_turns),
        )
        return [Plan(self.num_foundational, steps)]

    def rhythm_problems(self) -> list[str]:
        """Refuse a session that may end before the last recall."""
        needed = 1 + self.establish_turns + self.silence_turns + self.resurface_turns
        return self.too_short(needed, "registration, establishment, silence and return")
