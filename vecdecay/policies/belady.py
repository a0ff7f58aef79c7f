"""Belady's MIN: the item whose next hit lies farthest in the future makes room; it knows the whole session."""

from dataclasses import dataclass
from typing import ClassVar

from vecdecay.policies.cache import CachePolicy


@dataclass(frozen=True)
class Belady(CachePolicy):
    """Evict the item whose next recall comes last, until the new one fits: a bound, for no agent knows the future.

    A recall counts only if nothing comes before it that makes it needless to keep the item: a registration, a request
    to forget, or the item's expiry. Items without such a recall go first; among equals the longest untouched goes.

    Exact for items of one size where a miss registers its item anew (``on_miss="relearn"``): no policy that inserts
    every item, and makes room before it does, has more hits. Relaxed otherwise: with ``capacity_tokens`` and sizes
    that differ the best set is a knapsack, and where a miss does not bring its item back an eviction costs all later
    recalls, not one; other policies may then have more hits. A policy that leaves an item out may have more too.

    Source: L. A. Belady (1966), "A study of replacement algorithms for a virtual-storage computer", IBM Systems Journal
    5(2), 78-101.

    >>> Belady(capacity_items=50).limit()
    50
    """

    name: ClassVar[str] = "belady"
    summary: ClassVar[str] = "the item recalled last makes room: a bound that knows the future"
    formula: ClassVar[str] = "before an insertion, evict the item whose next recall comes last until the new one fits"
    source: ClassVar[str] = "Belady (1966); 1a1a11a/libCacheSim, libCacheSim/cache/eviction/Belady.c"
