"""A memory manager with three levels by importance, each with a time to live from the registration on."""

import math
from dataclasses import dataclass
from typing import ClassVar

from vecdecay.items import DEFAULT_ATTRIBUTES, Attributes
from vecdecay.parameters import parameter
from vecdecay.policies.base import TablePolicy
from vecdecay.policies.clock import HOURS_PER_DAY, SECONDS_PER_DAY, seconds, turns_per_day_parameter
from vecdecay.policies.rules import Rules

_SECONDS = {"short": 3600.0, "mid": 2_592_000.0, "long": math.inf}
_BY_IMPORTANCE = "by_importance"


@dataclass(frozen=True)
class AgentMemoryManager(TablePolicy):
    """Keep an item for an hour, 30 days or for good, from its registration on; use moves important items on.

    By ``level`` "by_importance", as the source does where its caller says nothing, an item below an importance of 0.3
    is short, one below 0.7 mid, others long. Short becomes mid with three recalls and an importance of at least 0.7,
    mid becomes long with ten and 0.8. So no item is ever promoted whose level the source chose: short ones are not
    important enough, and what is, is long already. A recall does not extend the time to live. An item goes when its age
    exceeds it.

    Promotion is the job's, and in the pass of a turn here, before the job that deletes. Not to be confused with: the
    same repository's forgetting curve (:class:`TieredForgettingCurve`) and its tiers (:class:`AgentMemoryTiers`).

    Source: secret-justice/agent-memory-decay-benchmark @47b2aaee, os_agent_system/memory/memory_manager.py; MIT.

    >>> AgentMemoryManager(level="short").life_seconds(4, importance=0.7)
    2592000.0
    """

    name: ClassVar[str] = "agent_memory_manager"
    summary: ClassVar[str] = "three levels by importance, each with a time to live from the registration on"
    formula: ClassVar[str] = "evict when age > 3600 s (short), 2 592 000 s (mid) or never (long), from the registration"
    source: ClassVar[str] = (
        "secret-justice/agent-memory-decay-benchmark @47b2aaee, os_agent_system/memory/memory_manager.py"
    )
    reads: ClassVar[tuple[str, ...]] = ("importance",)
    time_unit: ClassVar[str] = "hour"

    level: str = parameter(
        _BY_IMPORTANCE, choices=(_BY_IMPORTANCE, *_SECONDS), meaning="where an item begins: an hour, 30 days, for good"
    )
    turns_per_day: float = turns_per_day_parameter(1440.0)

    def rules(self) -> Rules:
        """Count ages from the registration."""
        return Rules(touch_refreshes=False)

    def life_seconds(self, recall_count: int, importance: float) -> float:
        """Return how old an item gets, with the promotions of its recalls; the registration is use number one."""
        level = self.level
        if level == _BY_IMPORTANCE:
            level = "short" if importance < 0.3 else "mid" if importance < 0.7 else "long"
        if level == "short" and recall_count > 3 and importance >= 0.7:
            level = "mid"
        if level == "mid" and recall_count > 10 and importance >= 0.7 + 0.1:
            level = "long"
        return _SECONDS[level]

    def retention(self, age: int, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return 1.0 while the item stays, 0.0 after."""
        return 0.0 if self.evicts(age, recall_count, item) else 1.0

    def evicts(self, age: int, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> bool:
        """Tell whether the item is older than its level allows."""
        return seconds(age, self.turns_per_day) > self.life_seconds(recall_count, item.importance)

    def horizon_guess(self, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return the time to live plus one turn."""
        return self.life_seconds(recall_count, item.importance) * self.turns_per_day / SECONDS_PER_DAY + 1.0

    def turns_per_unit(self) -> float:
        """Return the turns of an hour."""
        return self.turns_per_day / HOURS_PER_DAY
