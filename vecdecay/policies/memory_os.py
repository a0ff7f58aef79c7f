"""MemoryOS: a short queue, a mid-term memory by heat, and what was hot enough to be learned for the long term."""

import math
from dataclasses import dataclass
from typing import ClassVar

from vecdecay.parameters import parameter
from vecdecay.policies.clock import seconds, turns_per_day_parameter
from vecdecay.policies.system import Held, SystemPolicy, View

_SHORT, _MID, _LONG = range(3)


@dataclass
class Segment:
    """What is noted of a segment of the mid-term memory: ``known`` numbers what is in the long-term memory, from 1."""

    last_visit: int
    heat: float = 0.0
    visits: int = 0
    pages: int = 1
    accesses: int = 0
    known: int = 0


@dataclass(frozen=True)
class MemoryOs(SystemPolicy):
    """A queue of pages; what leaves it becomes a segment, and the coldest segment goes where there is one too many.

    - Short: the last ``short_items``; the oldest moves on when one more comes.
    - Mid: at most ``mid_items`` segments of one page each. Heat = ``visit_weight`` × visits + ``length_weight`` × pages
      + ``recency_weight`` × exp(-seconds since the last visit / ``recency_seconds``). A recall that hits is a visit. A
      segment that comes in may be the coldest itself. Among equals the one that came first goes.
    - Long: after each insertion the hottest segment is looked at; if its heat exceeds ``promote_heat`` and it was never
      learned, what it says is learned: visits and pages count from 0 again, and it stays. The last ``long_items`` that
      were learned are known, in the mid-term memory or no longer there.

    ``recency_seconds`` has three published values: 1e7 in the paper (the default), 86,400 in the package, 3,600 in its
    evaluation, which also has ``visit_weight`` and ``length_weight`` 0.8 and ``recency_weight`` 0.0001.

    Left out: that pages of one topic share a segment, which embeddings decide (so a segment has 1 page until it is
    learned), that a query visits up to five segments, a user's profile, and all that a language model writes. Not to be
    confused with: the published package, :class:`MemoryOsAsPublished`.

    Source: Kang et al. (2025), "Memory OS of AI agent"; BAI-LAB/MemoryOS @1d717060, memoryos-pypi/, whose licence is
    Apache 2.0.

    >>> MemoryOs().recency_seconds, MemoryOs(recency_seconds=3600.0).mid_items
    (10000000.0, 200)
    """

    name: ClassVar[str] = "memory_os"
    summary: ClassVar[str] = "a short queue, then segments of which the coldest goes, and hot ones that are learned"
    formula: ClassVar[str] = (
        "at an insertion, evict the segment of the lowest visits + pages + exp(-seconds since its last visit / "
        "recency_seconds) where there are more than mid_items"
    )
    source: ClassVar[str] = "Kang et al. (2025), Memory OS of AI agent; BAI-LAB/MemoryOS @1d717060"
    time_unit: ClassVar[str] = "hour"

    short_items: int = parameter(7, at_least=1, unit="items", meaning="pages of the short-term queue")
    mid_items: int = parameter(200, at_least=1, unit="items", meaning="segments of the mid-term memory")
    long_items: int = parameter(100, at_least=1, unit="items", meaning="what the long-term memory holds")
    promote_heat: float = parameter(5.0, at_least=0.0, meaning="heat at which a segment is learned")
    visit_weight: float = parameter(1.0, at_least=0.0, meaning="weight of the visits in the heat")
    length_weight: float = parameter(1.0, at_least=0.0, meaning="weight of the pages in the heat")
    recency_weight: float = parameter(1.0, at_least=0.0, meaning="weight of the recency in the heat")
    recency_seconds: float = parameter(1e7, above=0.0, unit="seconds", meaning="time in which the recency falls to 1/e")
    turns_per_day: float = turns_per_day_parameter(1440.0)

    def breaks(self) -> tuple[str, ...]:
        """Visits are whole numbers and the recency is at most 1: how fast it falls hardly ever decides."""
        return ("every_parameter_changes_some_outcome",)

    def on_insert(self, view: View, new: Held) -> None:
        """Move the oldest pages on, and learn from the hottest segment."""
        short = view.tier(_SHORT)
        for one in short[: max(0, len(short) - self.short_items)]:
            view.move(one, _MID)
            one.notes = Segment(view.now)
            one.notes.heat = self.heat(view, one.notes)
            middle = view.tier(_MID)
            if len(middle) > self.mid_items:
                self._evict(view, min(middle, key=lambda other: self.worth(view, other.notes)))
        self._learn(view)

    def on_recall(self, view: View, found: Held) -> None:
        """Count a visit."""
        if found.tier == _MID:
            segment: Segment = found.notes
            segment.visits += 1
            segment.accesses += 1
            segment.last_visit = view.now
            segment.heat = self.heat(view, segment)

    def heat(self, view: View, segment: Segment) -> float:
        """Return the heat of a segment as it is now."""
        age = seconds(view.now - segment.last_visit, self.turns_per_day)
        recency = math.exp(-age / self.recency_seconds)
        weighted = self.visit_weight * segment.visits + self.length_weight * segment.pages
        return weighted + self.recency_weight * recency

    def worth(self, view: View, segment: Segment) -> float:
        """Return what ranks the segments, the lowest going first."""
        return self.heat(view, segment)

    def hottest(self, view: View, segments: list[Held]) -> tuple[Held, bool]:
        """Return the segment that is looked at after an insertion, and whether it is hot enough."""
        top = max(segments, key=lambda one: self.heat(view, one.notes))
        return top, self.heat(view, top.notes) > self.promote_heat

    def _learn(self, view: View) -> None:
        segments = view.tier(_MID)
        if not segments:
            return
        top, is_hot = self.hottest(view, segments)
        if not is_hot or top.notes.pages == 0:
            return
        top.notes.visits = top.notes.pages = 0
        top.notes.heat = self.heat(view, top.notes)  # by the visit before, as the source has it
        top.notes.last_visit = view.now
        known = sorted((one for one in view.held.values() if one.notes and one.notes.known), key=_known)
        top.notes.known = 1 + (_known(known[-1]) if known else 0)
        for one in known[: max(0, len(known) + 1 - self.long_items)]:
            one.notes.known = 0
            if one.tier == _LONG:
                view.drop(one)

    def _evict(self, view: View, one: Held) -> None:
        if one.notes.known:
            view.move(one, _LONG)
        else:
            view.drop(one)


def _known(one: Held) -> int:
    known: int = one.notes.known
    return known
