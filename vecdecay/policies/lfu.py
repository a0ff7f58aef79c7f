"""LFU: the least frequently used item makes room."""

from dataclasses import dataclass
from typing import ClassVar

from vecdecay.parameters import parameter
from vecdecay.policies.cache import CachePolicy

LONGEST_UNTOUCHED, FIRST_INSERTED = "longest_untouched", "first_inserted"


@dataclass(frozen=True)
class Lfu(CachePolicy):
    """Evict the item with the fewest touches since its insertion, until the new one fits.

    The insertion is touch number one; after an eviction the count starts anew. Among equals, ``tie`` decides:
    ``longest_untouched`` is the order of libCacheSim (first in, first out inside a frequency, in which an item arrives
    by its latest touch), ``first_inserted`` that of MemoryOS, whose counts start at 0, which makes no difference here,
    and which evicts after the insertion, which this policy does not.

    >>> Lfu(capacity_items=50).tie
    'longest_untouched'
    """

    name: ClassVar[str] = "lfu"
    summary: ClassVar[str] = "the least frequently touched item makes room for a new one"
    formula: ClassVar[str] = "before an insertion, evict the item with the fewest touches until the new one fits"
    source: ClassVar[str] = (
        "1a1a11a/libCacheSim, libCacheSim/cache/eviction/LFU.c; BAI-LAB/MemoryOS for tie = first_inserted"
    )

    tie: str = parameter(
        LONGEST_UNTOUCHED,
        choices=(LONGEST_UNTOUCHED, FIRST_INSERTED),
        meaning="which of the items with equally many touches goes first",
    )
