"""Said once, at some time, and never needed again until the end asks for it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from vecdecay.parameters import parameter
from vecdecay.sessions.seeded import SeededWorkload
from vecdecay.sessions.session import MAX_SESSION_LENGTH
from vecdecay.sessions.steps import Plan, register


@dataclass(frozen=True)
class NeverRecalled(SeededWorkload):
    """Facts that are registered once, each in any of the first turns with equal chance, and never touched again.

    With ``registered_within`` 1 nothing is left to chance but noise: then all seeds may have the same session. A longer
    session has the shorter one as its beginning, except for importance that follows use.

    The question: for how many turns does the policy keep what nobody asks for? Ebbinghaus (13) and
    RecencyWindow (16) keep those of the last turns only: at the defaults (100,000 seeds) 0.087 and 0.107 of all,
    which is 13 and 16 turns in 150.

    >>> NeverRecalled(num_foundational=2, noise_per_turn=0).session(seed=0).events
    ((30, 0, 1), (31, 0, 0))
    """

    name: ClassVar[str] = "never_recalled"
    summary: ClassVar[str] = "facts that are stated once and never recalled"
    source: ClassVar[str] = "this program"

    registered_within: int = parameter(
        150, at_least=1, at_most=MAX_SESSION_LENGTH, unit="turns", meaning="turns in any of which an item is registered"
    )

    def plans(self) -> Sequence[Plan]:
        """Return: register in one of the first turns."""
        return [Plan(self.num_foundational, (register(1, self.registered_within),))]

    def rhythm_problems(self) -> list[str]:
        """Refuse a session that may end before a registration."""
        return self.too_short(self.registered_within, "all registrations")
