"""S3-FIFO: a small queue for what comes, a main one for what is touched again, and a ghost of what went early."""

from dataclasses import dataclass
from typing import ClassVar

from vecdecay.parameters import parameter
from vecdecay.policies.cache import NO_LIMIT, CachePolicy


@dataclass(frozen=True)
class S3Fifo(CachePolicy):
    """Evict from a small queue what was hardly touched there; keep the rest in a main queue with second chances.

    An item is inserted into the small queue, or into the main one if the ghost still knows it; before the first
    eviction also if the small queue has its share already, as libCacheSim 0.3.5 does. Room is made in the main
    queue where that holds more than its share or the small one is empty, else in the small one: an item touched at
    least ``move_threshold`` times there moves to the main queue, the first that was not is evicted and remembered by
    the ghost. In the main queue an item that was touched goes to the end again and loses one of at most three touches;
    the first without is evicted. Shares are of the budget, rounded down; the ghost holds no items, only which they
    were, up to ``ghost_share`` of the budget. A request to forget empties the ghost's place too.

    libCacheSim refuses items larger than the small queue, so it admits nothing where the budget is below ten items;
    here they are admitted.

    Source: J. Yang, Y. Zhang, Z. Qiu, Y. Yue, K. V. Rashmi (2023), "FIFO queues are all you need for cache eviction",
    SOSP, with the code's threshold of two.

    >>> S3Fifo(capacity_items=50).main_limit(), S3Fifo(capacity_items=50).ghost_limit()
    (45, 45)
    """

    name: ClassVar[str] = "s3_fifo"
    summary: ClassVar[str] = "a small queue of newcomers makes room, or the main one"
    formula: ClassVar[str] = "before an insertion, evict the first of the small or main queue that was hardly touched"
    source: ClassVar[str] = "Yang et al. (2023), S3-FIFO; 1a1a11a/libCacheSim, libCacheSim/cache/eviction/S3FIFO.c"

    small_share: float = parameter(0.1, at_least=0.0, at_most=1.0, meaning="share of the budget of the small queue")
    ghost_share: float = parameter(0.9, at_least=0.0, at_most=100.0, meaning="what the ghost remembers, in budgets")
    move_threshold: int = parameter(
        2, at_least=1, at_most=2**31 - 1, meaning="touches in the small queue that move an item to the main one"
    )

    def small_limit(self) -> int:
        """Return the share of the small queue."""
        return NO_LIMIT if self.limit() == NO_LIMIT else int(self.limit() * self.small_share)

    def main_limit(self) -> int:
        """Return what the main queue may hold before room is made there."""
        return NO_LIMIT if self.limit() == NO_LIMIT else self.limit() - self.small_limit()

    def ghost_limit(self) -> int:
        """Return how much the ghost remembers."""
        return NO_LIMIT if self.limit() == NO_LIMIT else int(self.limit() * self.ghost_share)

    def breaks(self) -> tuple[str, ...]:
        """A larger capacity may lose hits: this is no stack policy."""
        return ("a_larger_capacity_never_loses_hits",)
