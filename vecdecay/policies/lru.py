"""LRU: the least recently used item makes room."""

from dataclasses import dataclass
from typing import ClassVar

from vecdecay.policies.cache import CachePolicy


@dataclass(frozen=True)
class Lru(CachePolicy):
    """Evict the item that was not touched for the longest time, until the new one fits.

    A stack policy (Mattson, Gecsei, Slutz and Traiger 1970): what a memory holds, a larger one holds too, so a larger
    capacity never loses a hit. ``vecdecay curve SOURCE lru`` gives all capacities at once.

    >>> Lru(capacity_items=50).limit(), Lru(capacity_tokens=8000).counts_tokens()
    (50, True)
    """

    name: ClassVar[str] = "lru"
    summary: ClassVar[str] = "the least recently touched item makes room for a new one"
    formula: ClassVar[str] = "before an insertion, evict the item with the oldest touch until the new one fits"
    source: ClassVar[str] = "1a1a11a/libCacheSim, libCacheSim/cache/eviction/LRU.c"
