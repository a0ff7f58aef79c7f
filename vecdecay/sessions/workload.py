"""What a workload is: a generator of sessions that depends on its parameters and the seed, and on nothing else."""

from collections.abc import Sequence
from typing import ClassVar

from vecdecay.parameters import Check
from vecdecay.sessions.source import Sizes as Sizes
from vecdecay.sessions.source import Source

MOST_PER_SESSION = 2**31 - 1
"""The most items, and touches, that a session may have: what a 32-bit column can count."""

_BYTES_EACH = {"items": 32, "touches": 5}
"""What a block keeps of one: eight 32-bit fields of what became of an item; a 32-bit turn and a byte of kind."""


class Workload(Source):
    """A seeded generator of sessions."""

    name: ClassVar[str]

    def checks(self) -> Sequence[Check]:
        """Return the checks of what fits a session."""
        return (self.problems, self.touch_problems)

    def problems(self) -> list[str]:
        """Refuse sessions whose items do not fit the column that counts them."""
        return self._too_many(self.most_items(), "items")

    def touch_problems(self) -> list[str]:
        """Refuse sessions whose touches do not fit the column that counts them."""
        return self._too_many(self.sizes().touches, "touches")

    def _too_many(self, number: int, what: str) -> list[str]:
        if number <= MOST_PER_SESSION:
            return []
        size = _BYTES_EACH[what]
        return [
            f"{type(self).__name__} asks for {number} {what} a session; allowed: at most {MOST_PER_SESSION} "
            f"(listed, at {size} bytes each, these would take {number * size:,} bytes)"
        ]

    def most_items(self) -> int:
        """Return the bound on the items of a session, as in :meth:`sizes`, from no more parameters than it needs."""
        return self.sizes().items
