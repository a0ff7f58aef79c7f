"""FIFO: the item that came first makes room."""

from dataclasses import dataclass
from typing import ClassVar

from vecdecay.policies.cache import CachePolicy


@dataclass(frozen=True)
class Fifo(CachePolicy):
    """Evict the item that was inserted first, until the new one fits; touches do not matter.

    Not a stack policy: a larger capacity may lose hits (Belady, Nelson and Shedler 1969).

    >>> Fifo(capacity_items=50).limit()
    50
    """

    name: ClassVar[str] = "fifo"
    summary: ClassVar[str] = "the item inserted first makes room for a new one"
    formula: ClassVar[str] = "before an insertion, evict the item with the oldest insertion until the new one fits"
    source: ClassVar[str] = "1a1a11a/libCacheSim, libCacheSim/cache/eviction/FIFO.c"

    def breaks(self) -> tuple[str, ...]:
        """A larger capacity may lose hits: this is no stack policy."""
        return ("a_larger_capacity_never_loses_hits",)
