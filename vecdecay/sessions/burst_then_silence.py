"""A burst of use, then none: what was learned early must last to the end by itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from vecdecay.parameters import parameter
from vecdecay.sessions.seeded import SeededWorkload
from vecdecay.sessions.session import MAX_SESSION_LENGTH
from vecdecay.sessions.steps import Plan, register, spread


@dataclass(frozen=True)
class BurstThenSilence(SeededWorkload):
    """Facts registered in turn 1, recalled several times in the turns right after, and never again.

    A longer session has the shorter one as its beginning, except for importance that follows use.

    The question: does early use buy a long life? At the defaults (100,000 seeds) yes under Ebbinghaus: the
    foundational recall rate is 0.985, the rest being facts whose first recall came after 13 turns. Never under
    RecencyWindow: 0.000.

    >>> burst = BurstThenSilence(burst_recalls=2, burst_turns=5, num_foundational=1, noise_per_turn=0)
    >>> burst.session(seed=0).events
    ((1, 0, 0), (3, 1, 0), (6, 1, 0))
    """

    name: ClassVar[str] = "burst_then_silence"
    summary: ClassVar[str] = "facts recalled several times right after registration, then never again"
    source: ClassVar[str] = "this program"

    burst_recalls: int = parameter(
        4, at_least=0, at_most=2**20, unit="recalls", meaning="recalls of each foundational item in the burst"
    )
    burst_turns: int = parameter(
        20, at_least=1, at_most=MAX_SESSION_LENGTH, unit="turns", meaning="turns after the first over which they spread"
    )

    def plans(self) -> Sequence[Plan]:
        """Return: register in turn 1, then recalls spread over the burst."""
        return [Plan(self.num_foundational, (register(), spread(self.burst_recalls, 2, 1 + self.burst_turns)))]

    def rhythm_problems(self) -> list[str]:
        """Refuse a session that ends before the burst."""
        return self.too_short(1 + self.burst_turns, "registration and burst")
