"""The recency window: an item that was not touched for ``window_size`` turns is evicted."""

import math
from dataclasses import dataclass
from typing import ClassVar

from vecdecay.items import DEFAULT_ATTRIBUTES, Attributes
from vecdecay.parameters import parameter
from vecdecay.policies.base import TablePolicy
from vecdecay.policies.rules import Rules


@dataclass(frozen=True)
class RecencyWindow(TablePolicy):
    """Evict an item as soon as its age exceeds ``window_size``; how often it was used does not matter.

    The comparison is strict: with a window of 15 an item survives the pass at age 15 and is evicted at age 16. The
    window need not be an integer; its horizon is floor(window_size) + 1 turns. ``grace_turns`` keeps new items longer
    than that; a cooldown would change nothing, for no decision depends on how often an item was used.

    Not to be confused with: a window over the last N messages, which is a capacity and knows no touches; a time to
    live, which counts from the registration.

    Source: Emmimal/memory-decay-engine, memory_engine.py (its baseline).

    >>> policy = RecencyWindow(window_size=15)
    >>> policy.evicts(15, recall_count=1), policy.evicts(16, recall_count=1)
    (False, True)
    """

    name: ClassVar[str] = "recency_window"
    summary: ClassVar[str] = "drops what was not touched for window_size turns"
    formula: ClassVar[str] = "evict when age > window_size"
    source: ClassVar[str] = "Emmimal/memory-decay-engine, memory_engine.py"

    window_size: float = parameter(
        15.0, above=0.0, unit="turns", meaning="an item is evicted when its age exceeds this many turns"
    )
    grace_turns: int = parameter(
        0,
        at_least=0,
        at_most=2**31 - 1,
        unit="turns",
        meaning="no item is evicted sooner than this after its registration",
    )

    def rules(self) -> Rules:
        """Apply the grace."""
        return Rules(grace_turns=self.grace_turns)

    def retention(self, age: int, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return 1.0 within the window and 0.0 after it."""
        return 0.0 if age > self.window_size else 1.0

    def evicts(self, age: int, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> bool:
        """Tell whether the age is strictly above the window."""
        return age > self.window_size

    victim: ClassVar[str] = "the item longest untouched (LRU)"

    def priority(self, age: int, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return minus the age: a full memory evicts what was longest untouched (LRU)."""
        return -float(age)

    def horizon_guess(self, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return floor(window_size) + 1."""
        return math.floor(self.window_size) + 1
