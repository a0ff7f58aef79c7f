"""MemoryOS as its package has it: the segment of the fewest accesses goes, and heat is never brought up to date."""

from dataclasses import dataclass
from typing import ClassVar

from vecdecay.parameters import parameter
from vecdecay.policies.memory_os import MemoryOs, Segment
from vecdecay.policies.system import Held, View


@dataclass(frozen=True)
class MemoryOsAsPublished(MemoryOs):
    """As :class:`MemoryOs`, but by the number of accesses, and with the sizes and times of the package.

    Where the paper has the coldest segment go, the code has the one of the fewest accesses, first inserted among
    equals. It is evicted after the new one came in, whose count is 0: where every older one was used, the newcomer goes
    at once. A segment is learned from a heat of 5 on, not above it. Heat is computed when a segment comes in, is
    visited or learned, and not as time goes by; so recency is 1, save once after a segment was learned. Only the top of
    the heap is looked at: a segment that was learned and is hot again keeps others from being learned.

    Source: BAI-LAB/MemoryOS @1d717060, memoryos-pypi/mid_term.py, memoryos.py, updater.py; licence Apache 2.0.

    >>> MemoryOsAsPublished().mid_items, MemoryOsAsPublished().recency_seconds
    (2000, 86400.0)
    """

    name: ClassVar[str] = "memory_os_as_published"
    summary: ClassVar[str] = "a short queue, then segments of which the least accessed goes; hot ones are learned"
    formula: ClassVar[str] = (
        "at an insertion, evict the segment of the fewest accesses where there are more than mid_items"
    )
    source: ClassVar[str] = "BAI-LAB/MemoryOS @1d717060, memoryos-pypi/mid_term.py, memoryos.py, updater.py"

    short_items: int = parameter(10, at_least=1, unit="items", meaning="pages of the short-term queue")
    mid_items: int = parameter(2000, at_least=1, unit="items", meaning="segments of the mid-term memory")
    recency_seconds: float = parameter(
        86400.0, above=0.0, unit="seconds", meaning="time in which the recency falls to 1/e"
    )

    def worth(self, view: View, segment: Segment) -> float:
        """Return the number of accesses."""
        return segment.accesses

    def hottest(self, view: View, segments: list[Held]) -> tuple[Held, bool]:
        """Return the segment on top of the heap, and whether it is hot enough."""
        top = max(segments, key=lambda one: one.notes.heat)
        return top, top.notes.heat >= self.promote_heat
