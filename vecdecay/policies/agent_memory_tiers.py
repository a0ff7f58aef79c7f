"""Three tiers of memory: a queue with a time to live, an LRU with another, and a long-term store."""

from dataclasses import dataclass
from typing import ClassVar

from vecdecay.parameters import parameter
from vecdecay.policies.clock import days, seconds, turns_per_day_parameter
from vecdecay.policies.system import Held, SystemPolicy, View

_SHORT, _MID, _LONG = range(3)


@dataclass(frozen=True)
class AgentMemoryTiers(SystemPolicy):
    """A short tier that forgets by age and number, a mid tier that is an LRU, a long one that keeps nearly everything.

    - Short: the last ``short_items``; the oldest goes when one more comes. In a pass, what was registered
      ``short_seconds`` ago or earlier goes, used or not.
    - From there to mid: recalled at least three times, and older than ten minutes.
    - Mid: ``mid_items`` at most; the one longest untouched goes when one more comes. What was registered
      ``mid_seconds`` ago or earlier goes.
    - From there to long: importance of at least 0.7, and at least five recalls. That counts as one recall more.
    - Long: importance below 0.2 and not recalled for 30 days. Nothing of the kind can get there.

    A pass looks at what is too old first, then at what moves on. The source says all this in the heading of the file;
    the file that moves items between tiers is not in the repository. Left out: that reading a context window touches
    what is in it. Not to be confused with: the same repository's forgetting curve (:class:`TieredForgettingCurve`) and
    its manager (:class:`AgentMemoryManager`), which have other tiers.

    Source: secret-justice/agent-memory-decay-benchmark @47b2aaee, os_agent_system/memory/memory_tiers.py; licence MIT.

    >>> AgentMemoryTiers().short_items
    50
    """

    name: ClassVar[str] = "agent_memory_tiers"
    summary: ClassVar[str] = "a short queue with a time to live, an LRU with another, and a long-term tier"
    formula: ClassVar[str] = (
        "short: the last short_items, for short_seconds; mid (3 recalls, 600 s): LRU of mid_items, for mid_seconds; "
        "long (importance 0.7, 5 recalls): for good"
    )
    source: ClassVar[str] = (
        "secret-justice/agent-memory-decay-benchmark @47b2aaee, os_agent_system/memory/memory_tiers.py"
    )
    time_unit: ClassVar[str] = "hour"

    short_items: int = parameter(50, at_least=1, unit="items", meaning="most items in the short tier")
    short_seconds: float = parameter(1800.0, above=0.0, unit="seconds", meaning="time to live in the short tier")
    mid_items: int = parameter(500, at_least=1, unit="items", meaning="most items in the mid tier")
    mid_seconds: float = parameter(86400.0, above=0.0, unit="seconds", meaning="time to live in the mid tier")
    turns_per_day: float = turns_per_day_parameter(1440.0)

    def on_insert(self, view: View, new: Held) -> None:
        """Let the oldest of the short tier go where there is one too many."""
        short = view.tier(_SHORT)
        if len(short) > self.short_items:
            view.drop(short[0])

    def on_recall(self, view: View, found: Held) -> None:
        """Put an item of the mid tier at its end."""
        if found.tier == _MID:
            view.move(found, _MID)

    def on_pass(self, view: View) -> None:
        """Let go of what is too old, then move on what was used."""
        for one in list(view.held.values()):
            limit = {_SHORT: self.short_seconds, _MID: self.mid_seconds}.get(one.tier)
            idle = days(view.now - one.touched, self.turns_per_day)
            if (self._age(view, one) >= limit) if limit is not None else (one.importance < 0.2 and idle > 30):
                view.drop(one, decayed=True)
        for one in view.tier(_SHORT):
            if one.recalls >= 3 and self._age(view, one) > 600:
                middle = view.tier(_MID)
                if len(middle) >= self.mid_items:
                    view.drop(middle[0])
                view.move(one, _MID)
        for one in view.tier(_MID):
            if one.importance >= 0.7 and one.recalls >= 5:
                view.move(one, _LONG)
                one.recalls, one.touched = one.recalls + 1, view.now

    def _age(self, view: View, one: Held) -> float:
        return seconds(view.now - one.registered, self.turns_per_day)
