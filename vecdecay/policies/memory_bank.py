"""MemoryBank as its paper describes it: strength grows by one with every recall, and retention is exp(-t / S)."""

import math
from dataclasses import dataclass
from typing import ClassVar

from vecdecay.items import DEFAULT_ATTRIBUTES, Attributes
from vecdecay.parameters import parameter
from vecdecay.policies.base import TablePolicy
from vecdecay.policies.clock import days, turns_per_day_parameter


@dataclass(frozen=True)
class MemoryBank(TablePolicy):
    """Score items by exp(-days / strength); strength starts at 1 and every recall adds 1 to it.

    The paper speaks of forgetting and gives no threshold: ``eviction_threshold`` is ours. Days are not rounded.

    Not to be confused with: the published code, which computes exp((-days / 5) × strength), so that use shortens life,
    and drops items at random when the memory is loaded; Ebbinghaus, where a recall multiplies the stability.

    Source: Zhong et al. (2023), MemoryBank, arXiv 2305.10250.

    >>> policy = MemoryBank(eviction_threshold=0.20)
    >>> [policy.stability(recall_count) for recall_count in (1, 2, 3)]
    [1.0, 2.0, 3.0]
    >>> policy.retention(5, recall_count=5)
    0.36787944117144233
    """

    name: ClassVar[str] = "memory_bank"
    summary: ClassVar[str] = "forgetting curve in days, every recall adds to the strength (the paper's form)"
    formula: ClassVar[str] = (
        "evict when exp(-days / strength) < eviction_threshold; at each recall: strength += strength_per_recall"
    )
    source: ClassVar[str] = "Zhong et al. (2023), arXiv 2305.10250; the threshold is ours"
    time_unit: ClassVar[str] = "day"

    eviction_threshold: float = parameter(
        0.20, above=0.0, below=1.0, meaning="an item is evicted when its retention falls below this score"
    )
    initial_strength: float = parameter(1.0, above=0.0, unit="days", meaning="strength of a freshly registered item")
    strength_per_recall: float = parameter(
        1.0, at_least=0.0, unit="days", meaning="what every recall adds to the strength"
    )
    turns_per_day: float = turns_per_day_parameter(1.0)

    def strength(self, recall_count: int) -> float:
        """Return the strength (days) of an item with this recall count."""
        return self.initial_strength + (recall_count - 1) * self.strength_per_recall

    def stability(self, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return the strength as turns."""
        return self.strength(recall_count) * self.turns_per_day

    def retention(self, age: int, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return exp(-days / strength), or exactly 1.0 at age 0 and for a clock that runs backwards."""
        if age <= 0:
            return 1.0
        return math.exp(-days(age, self.turns_per_day) / self.strength(recall_count))

    def horizon_guess(self, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return -stability × ln(threshold) + 1."""
        return 1.0 - self.stability(recall_count) * math.log(self.eviction_threshold)

    def turns_per_unit(self) -> float:
        """Return the turns of a day."""
        return self.turns_per_day
