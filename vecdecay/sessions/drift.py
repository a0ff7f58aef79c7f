"""What is in use shifts: old topics give way to new ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from vecdecay.parameters import parameter
from vecdecay.sessions.seeded import SeededWorkload
from vecdecay.sessions.session import MAX_SESSION_LENGTH
from vecdecay.sessions.steps import Plan, process, register


@dataclass(frozen=True)
class Drift(SeededWorkload):
    """A few items are in use at a time; every ``turns_per_shift`` turns the oldest of them gives way to a new one.

    An item is registered as it comes into use, recalled at random moments while it is, and never afterwards. The first
    ``items_in_use`` items begin in turn 1. A longer session has the shorter one as its beginning, except for importance
    that follows use.

    The question: does the policy follow the shift: is what is in use there, and does what is out of use go? The
    recall rate at the end counts old items too, so a low one is right here, as long as misses are few. At the
    defaults (100,000 seeds) Ebbinghaus misses 4.2 of 88 recalls and still holds 0.887 of the items, old ones
    included; RecencyWindow misses 6.7 and holds 0.230.

    >>> Drift(noise_per_turn=0, recalls_per_turn=0).session(seed=0).events[:5]
    ((1, 0, 0), (1, 0, 1), (1, 0, 2), (16, 0, 3), (31, 0, 4))
    """

    name: ClassVar[str] = "drift"
    summary: ClassVar[str] = "the set of items in use shifts during the session"
    source: ClassVar[str] = "this program"

    num_foundational: int = parameter(12, at_least=0, at_most=100_000, meaning="items that come into use one by one")
    items_in_use: int = parameter(3, at_least=1, at_most=100_000, unit="items", meaning="items in use at a time")
    turns_per_shift: int = parameter(
        15, at_least=1, at_most=MAX_SESSION_LENGTH, unit="turns", meaning="turns until the oldest item in use gives way"
    )
    recalls_per_turn: float = parameter(
        0.2, at_least=0.0, at_most=100.0, unit="recalls", meaning="recalls per turn of an item in use, on average"
    )

    def plans(self) -> Sequence[Plan]:
        """Return, for each item: register as it comes into use, then a process until it gives way."""
        found = []
        for item in range(self.num_foundational):
            first = self._first_turn(item)
            last = min((item + 1) * self.turns_per_shift, self.session_length)
            found.append(Plan(1, (register(first, first), process(self.recalls_per_turn, first + 1, last))))
        return found

    def _first_turn(self, item: int) -> int:
        return 1 + max(0, item + 1 - self.items_in_use) * self.turns_per_shift

    def rhythm_problems(self) -> list[str]:
        """Refuse more items than come into use before the session ends."""
        needed = self._first_turn(self.num_foundational - 1)
        why = f"the shifts of num_foundational {self.num_foundational}"
        return self.too_short(needed, why) if self.num_foundational > 0 else []
