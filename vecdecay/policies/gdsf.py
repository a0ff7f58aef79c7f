"""GreedyDual-Size-Frequency: small, often used items stay, and what was not used for long ages out."""

from dataclasses import dataclass
from typing import ClassVar

from vecdecay.policies.cache import CachePolicy

SCALE = 1.0e6


@dataclass(frozen=True)
class Gdsf(CachePolicy):
    """Evict the item with the lowest priority, until the new one fits; each victim raises the floor for later touches.

    At each touch, priority = floor + touches × 10**6 / size, where the floor is the priority of the latest victim (0 at
    first), and the insertion is touch number one. The size is what the budget counts: tokens, an item without any as
    one, or with ``capacity_items`` 1. Among equals the longest untouched goes. The cost of a miss is the same for all.

    Source: L. Cherkasova (1998), "Improving WWW proxies performance with Greedy-Dual-Size-Frequency caching policy",
    HP Laboratories, HPL-98-69; the factor is libCacheSim's.

    >>> Gdsf(capacity_tokens=8000).limit()
    8000
    """

    name: ClassVar[str] = "gdsf"
    summary: ClassVar[str] = "a large, seldom used, old item makes room for a new one"
    formula: ClassVar[str] = "evict the lowest floor + touches × 10**6 / size; floor = priority of the latest victim"
    source: ClassVar[str] = "Cherkasova (1998); 1a1a11a/libCacheSim, libCacheSim/cache/eviction/cpp/GDSF.cpp"
