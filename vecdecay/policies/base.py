"""What a policy is.

A *table policy* decides from two integers alone: the age of an item (turns since its last touch) and its recall
count (registration counts as use number one). Such a policy is fully described by a table of horizons, which the
program builds by asking :meth:`TablePolicy.evicts`; a policy never sees the table, a kernel or an engine.
"""

from abc import ABC, abstractmethod
from typing import ClassVar

from vecdecay.parameters import Described


class Policy(Described, ABC):
    """Decides which items of an agent's memory are evicted at the end of a turn.

    Class attributes: ``name`` (as in sweep files), ``formula`` and ``source`` (shown by ``vecdecay explain``) and
    ``summary`` (one line).
    """

    summary: ClassVar[str]
    formula: ClassVar[str]
    source: ClassVar[str]


class TablePolicy(Policy):
    """A policy that decides by (age, recall_count) alone and, once it evicts at an age, evicts at every later one."""

    @abstractmethod
    def retention(self, age: int, recall_count: int) -> float:
        """Return the score in [0, 1] of an item ``age`` turns after its last touch; 1.0 at age 0 or below.

        ``recall_count`` is 1 after registration and rises by one with every recall.
        """

    @abstractmethod
    def evicts(self, age: int, recall_count: int) -> bool:
        """Tell whether the pass at the end of a turn drops an item that was last touched ``age`` turns ago."""

    def horizon_guess(self, recall_count: int) -> float:
        """Return about how many turns an item outlives its last touch; any number will do, a near one is quicker."""
        return 1.0

    def stability(self, recall_count: int) -> float | None:
        """Return the stability (turns) of an item with this recall count, None where the policy has no such notion."""
        return None

    def threshold(self) -> float | None:
        """Return the score below which an item is evicted, None where the decision is not made on a score."""
        return None
