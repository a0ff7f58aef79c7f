"""Random eviction: each item that may go is as likely to go as any other."""

from dataclasses import dataclass
from typing import ClassVar

from vecdecay.policies.cache import CachePolicy


@dataclass(frozen=True)
class RandomEviction(CachePolicy):
    """Evict an item drawn at random, each as likely as the others, until the new one fits.

    The draws belong to the session's seed: the same sessions give the same victims, in every engine.

    >>> RandomEviction(capacity_items=50).limit()
    50
    """

    name: ClassVar[str] = "random_eviction"
    summary: ClassVar[str] = "an item drawn at random makes room for a new one"
    formula: ClassVar[str] = "before an insertion, evict an item drawn at random until the new one fits"
    source: ClassVar[str] = "1a1a11a/libCacheSim, libCacheSim/cache/eviction/Random.c, with draws of its own"

    def breaks(self) -> tuple[str, ...]:
        """A larger capacity may lose hits: this is no stack policy."""
        return ("a_larger_capacity_never_loses_hits",)
