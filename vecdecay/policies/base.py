"""What a policy is.

A *table policy* decides from two integers alone: the age of an item (turns since its last touch) and its recall
count (registration counts as use number one). Such a policy is fully described by a table of horizons, which the
program builds by asking :meth:`TablePolicy.evicts`; a policy never sees the table, a kernel or an engine.
"""

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

from vecdecay.items import DEFAULT_ATTRIBUTES, Attributes
from vecdecay.parameters import Described


class Rules(NamedTuple):
    """When a table policy looks, and what a touch does; the defaults are those of the published engine.

    ``period_turns``: the pass runs in turns that are multiples of it, and ages are counted in whole periods.
    ``touch_refreshes``: whether a recall starts the age anew; otherwise it counts from the registration.
    ``cooldown_turns``: a recall fewer turns than this after the last use that counted refreshes the age but does not
    raise the recall count. ``grace_turns``: no item is evicted fewer turns than this after its registration.
    """

    period_turns: int = 1
    touch_refreshes: bool = True
    cooldown_turns: int = 0
    grace_turns: int = 0


PLAIN_RULES = Rules()


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
    def retention(self, age: int, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return the score in [0, 1] of an item ``age`` turns after its last touch; 1.0 at age 0 or below.

        ``recall_count`` is 1 after registration and rises by one with every recall.
        """

    @abstractmethod
    def evicts(self, age: int, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> bool:
        """Tell whether the pass at the end of a turn drops an item that was last touched ``age`` turns ago."""

    reads: ClassVar[tuple[str, ...]] = ()
    """The attributes of an item that the decision depends on; there is one table of horizons per combination."""

    def rules(self) -> Rules:
        """Return when the policy looks and what a touch does."""
        return PLAIN_RULES

    def horizon_guess(self, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return about how many turns an item outlives its last touch; any number will do, a near one is quicker."""
        return 1.0

    def stability(self, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float | None:
        """Return the stability (turns) of an item with this recall count, None where the policy has no such notion."""
        return None

    def threshold(self) -> float | None:
        """Return the score below which an item is evicted, None where the decision is not made on a score."""
        return None
