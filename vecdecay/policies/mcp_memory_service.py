"""mcp-memory-service: relevance by age, links and the latest access, and a time without access."""

import math
from dataclasses import dataclass
from typing import ClassVar

from vecdecay.parameters import parameter
from vecdecay.policies.rules import Rules
from vecdecay.policies.system import Held, SystemPolicy, View

_ACCESS = ((1, 1.5), (7, 1.2), (30, 1.1))
_QUALITY_DAYS = ((0.7, 365), (0.5, 180))


@dataclass(frozen=True)
class McpMemoryService(SystemPolicy):
    """Archive what is hardly relevant any more, and what was not accessed for long.

    Relevance = 1 × exp(-age / ``period_days``) × (1 + 0.1 × links) × access × (1 + 0.5 × quality). Age is in whole days
    since the registration: reading is no update. ``links`` are the items held that this one is linked with
    (``sources``), access is 1.5, 1.2, 1.1 within 1, 7, 30 whole days of the latest recall or the registration, else 1.
    With five links or more the quality counts 1.2 times, at most 1. It is the importance of an item here, and the same
    number sets the time without access: 365 days from a quality of 0.7 on, 180 from 0.5 on, below that
    int(30 + 120 × quality), 30 to 90. With ``temporary`` an item goes after seven days in any case.

    The importance of the source is that of tags, the highest of 1.0 and theirs; so the tags of a weight below 1
    ("temporary" 0.7, "draft", "note") change nothing. Periods by kind of memory: 365 days for decisions, 180 for
    learning, 90 for patterns, 30 for the rest (the default), 7 for what is temporary. A memory that the source protects
    is pinned here. Whether a candidate is archived, compressed or deleted makes no difference here: a search finds it
    no longer, or not as it was. The job runs at the end of each day.

    Left out: what goes for its text, short, repetitive or nearly that of another.

    Source: doobidoo/mcp-memory-service @2e193783, src/mcp_memory_service/consolidation/decay.py, forgetting.py,
    base.py; licence Apache 2.0.

    >>> McpMemoryService().period_days
    30.0
    """

    name: ClassVar[str] = "mcp_memory_service"
    summary: ClassVar[str] = "relevance by age, links and the latest access, and a time without access by quality"
    formula: ClassVar[str] = (
        "evict when exp(-days / period_days) × (1 + 0.1 × links) × access × (1 + 0.5 × quality) < "
        "relevance_threshold, or days without access exceed those of the quality"
    )
    source: ClassVar[str] = "doobidoo/mcp-memory-service @2e193783, src/mcp_memory_service/consolidation/"
    time_unit: ClassVar[str] = "day"

    relevance_threshold: float = parameter(0.1, at_least=0.0, meaning="relevance below which an item is archived")
    period_days: float = parameter(30.0, above=0.0, unit="days", meaning="days in which the relevance falls to 1/e")
    temporary: bool = parameter(False, meaning="whether items are temporary, and go after seven days")
    turns_per_day: int = parameter(1, at_least=1, at_most=10**6, unit="turns", meaning="turns that make a day")

    def rules(self) -> Rules:
        """Run at the end of every day."""
        return Rules(period_turns=self.turns_per_day, timed_period=True)

    def on_pass(self, view: View) -> None:
        """Archive the candidates; who links them is asked before any of them goes."""
        for one in [one for one in view.held.values() if self._goes(view, one)]:
            view.drop(one, decayed=True)

    def _goes(self, view: View, one: Held) -> bool:
        age = (view.now - one.registered) // self.turns_per_day
        idle = (view.now - one.touched) // self.turns_per_day
        links = sum(1 for _ in view.linked(one))
        if self.relevance(age, idle, links, one.importance) < self.relevance_threshold:
            return True
        return idle > quality_days(one.importance) or (self.temporary and age > 7)

    def relevance(self, age_days: int, idle_days: int, links: int, quality: float) -> float:
        """Return the relevance of an item with so many links.

        >>> McpMemoryService().relevance(30, 30, 0, 0.5)
        0.5058342...
        """
        access = next((boost for limit, boost in _ACCESS if idle_days <= limit), 1.0)
        if links >= 5:
            quality = min(1.0, quality * 1.2)
        linked = 1 + (0.1 * links)
        return math.exp(-age_days / self.period_days) * linked * access * (1.0 + (quality * 0.5))


def quality_days(quality: float) -> int:
    """Return how many days an item of a quality may go without access.

    >>> quality_days(0.8), quality_days(0.5), quality_days(0.25)
    (365, 180, 60)
    """
    return next((limit for least, limit in _QUALITY_DAYS if quality >= least), int(30 + (quality / 0.5) * (90 - 30)))
