"""Pruning by a forgetting curve in days that spares what is important."""

import math
from dataclasses import dataclass
from typing import ClassVar

from vecdecay.items import DEFAULT_ATTRIBUTES, Attributes
from vecdecay.parameters import parameter
from vecdecay.policies.base import TablePolicy
from vecdecay.policies.clock import HOURS_PER_DAY, hours, turns_per_day_parameter


@dataclass(frozen=True)
class ImportancePrune(TablePolicy):
    """Score items by exp(-(hours / 24) / strength); strength counts the uses; important items are never evicted.

    Strength is 1 after the registration and every recall adds 1. On its own scale importance runs from 1 to 10 and 8
    is exempt: here it runs from 0 to 1, and an importance of at least ``exempt_importance`` always scores 1.

    Not to be confused with: the retrieval of the same sample, which ranks by 0.995 per hour, importance and similarity
    and evicts nothing; MemoryBank, which has no exemption.

    Source: the sample code of a survey page on decay-aware retrieval for agents (its ``prune``).

    >>> policy = ImportancePrune()
    >>> policy.evicts(110, recall_count=1), policy.evicts(111, recall_count=1)
    (False, True)
    >>> policy.evicts(1_000_000, 1, Attributes(importance=0.8))
    False
    """

    name: ClassVar[str] = "importance_prune"
    summary: ClassVar[str] = "forgetting curve in days that spares important items"
    formula: ClassVar[str] = (
        "evict when importance < exempt_importance and exp(-(hours / 24) / recall_count) < eviction_threshold"
    )
    source: ClassVar[str] = "sample code of a survey page on decay-aware retrieval"
    reads: ClassVar[tuple[str, ...]] = ("importance",)
    time_unit: ClassVar[str] = "hour"

    eviction_threshold: float = parameter(
        0.01, above=0.0, below=1.0, meaning="an item is evicted when its retention falls below this score"
    )
    exempt_importance: float = parameter(
        0.8, at_least=0.0, at_most=2.0, meaning="items at least as important as this stay; above 1 none are exempt"
    )
    turns_per_day: float = turns_per_day_parameter(HOURS_PER_DAY)

    def stability(self, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return the strength, which is in days, as turns."""
        return recall_count * self.turns_per_day

    def retention(self, age: int, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return exp(-(hours / 24) / recall_count); 1.0 at age 0 or below, and for an item that is exempt."""
        if age <= 0 or item.importance >= self.exempt_importance:
            return 1.0
        return math.exp(-(hours(age, self.turns_per_day) / HOURS_PER_DAY) / recall_count)

    def horizon_guess(self, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return -stability × ln(threshold) + 1, infinity for an item that is exempt."""
        if item.importance >= self.exempt_importance:
            return math.inf
        return 1.0 - self.stability(recall_count) * math.log(self.eviction_threshold)

    def turns_per_unit(self) -> float:
        """Return the turns of an hour."""
        return self.turns_per_day / HOURS_PER_DAY
