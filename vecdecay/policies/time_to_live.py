"""A time to live: an item is evicted some time after its registration, used or not."""

import math
from dataclasses import dataclass
from typing import ClassVar

from vecdecay.items import DEFAULT_ATTRIBUTES, Attributes
from vecdecay.parameters import parameter
from vecdecay.policies.base import TablePolicy
from vecdecay.policies.rules import Rules


@dataclass(frozen=True)
class TimeToLive(TablePolicy):
    """Evict an item as soon as more than ``time_to_live`` turns have passed since its registration.

    The boundary is inclusive: an item whose expiry date is today is still there today, so with a time to live of 15 it
    survives the pass at age 15 and is evicted at age 16. Use does not matter, unless ``touch_refreshes``: then every
    recall resets the age, as in a cache that counts from the last access. Registering an item anew always does.

    Not to be confused with: a recency window, which counts from the last touch (``touch_refreshes=True`` is one); an
    expiry that only hides items, as mem0 has it, where the data stay and the footprint does not shrink.

    Source: the expiration date of mem0ai/mem0, mem0/memory/main.py (hidden when the date is before today); forgetAfter
    of Supermemory, documented only, gives each item a date of its own.

    >>> policy = TimeToLive(time_to_live=15)
    >>> policy.evicts(15, recall_count=1), policy.evicts(16, recall_count=9)
    (False, True)
    """

    name: ClassVar[str] = "time_to_live"
    summary: ClassVar[str] = "drops what was registered more than time_to_live turns ago"
    formula: ClassVar[str] = (
        "evict when turns since registration > time_to_live; since the last touch if touch_refreshes"
    )
    source: ClassVar[str] = "mem0ai/mem0, mem0/memory/main.py (expiration_date); Supermemory (forgetAfter)"

    time_to_live: float = parameter(
        15.0, above=0.0, unit="turns", meaning="an item is evicted when its age exceeds this many turns"
    )
    touch_refreshes: bool = parameter(False, meaning="a recall starts the age anew; otherwise use does not matter")

    def rules(self) -> Rules:
        """Count ages from the registration, or from the last touch."""
        return Rules(touch_refreshes=self.touch_refreshes)

    def retention(self, age: int, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return 1.0 up to and including the time to live, and 0.0 after it."""
        return 0.0 if age > self.time_to_live else 1.0

    def evicts(self, age: int, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> bool:
        """Tell whether the age is strictly above the time to live."""
        return age > self.time_to_live

    victim: ClassVar[str] = "the item registered first (FIFO); the longest untouched where recalls refresh"

    def priority(self, age: int, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return minus the age: a full memory evicts what was registered first (FIFO), or touched if that refreshes."""
        return -float(age)

    def horizon_guess(self, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return floor(time_to_live) + 1."""
        return math.floor(self.time_to_live) + 1
