"""SIEVE: a hand goes from old to new, spares once what was touched, and evicts what was not."""

from dataclasses import dataclass
from typing import ClassVar

from vecdecay.policies.cache import CachePolicy


@dataclass(frozen=True)
class Sieve(CachePolicy):
    """Evict the next item, from old to new, that was not touched since the hand passed it, until the new one fits.

    Items stand in the order of their insertion and stay there. The hand starts at the oldest, clears the mark of every
    touched item that it meets, evicts the first unmarked one and rests on the item behind it; from the newest it goes
    back to the oldest. If the item under the hand leaves in another way, the hand moves to the one behind it.

    Source: Y. Zhang, J. Yang, Y. Yue, Y. Vigfusson, K. V. Rashmi (2024), "SIEVE is simpler than LRU", NSDI.

    >>> Sieve(capacity_items=50).limit()
    50
    """

    name: ClassVar[str] = "sieve"
    summary: ClassVar[str] = "a hand that spares once what was touched finds who makes room"
    formula: ClassVar[str] = "before an insertion, evict the next item under the hand that is unmarked; clear marks met"
    source: ClassVar[str] = "Zhang et al. (2024), SIEVE; 1a1a11a/libCacheSim, libCacheSim/cache/eviction/Sieve.c"

    def breaks(self) -> tuple[str, ...]:
        """A larger capacity may lose hits: this is no stack policy."""
        return ("a_larger_capacity_never_loses_hits",)
