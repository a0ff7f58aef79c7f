"""The recency of LangChain's time-weighted retriever, with a threshold."""

import math
from dataclasses import dataclass
from typing import ClassVar

from vecdecay.items import DEFAULT_ATTRIBUTES, Attributes
from vecdecay.parameters import parameter
from vecdecay.policies.base import TablePolicy
from vecdecay.policies.clock import HOURS_PER_DAY, hours, turns_per_day_parameter


@dataclass(frozen=True)
class LangChainRecency(TablePolicy):
    """Score items by (1 - decay_rate)^hours since the last touch; how often an item was used does not matter.

    The retriever only ranks: it adds this score to the relevance and other keys, returns the best four and touches
    them. It deletes nothing, so the threshold is ours, and what is played here is the recency alone.

    Not to be confused with: GenerativeAgentsRecency, the same formula with 0.995 an hour; a ranking under a capacity.

    Source: langchain-ai/langchain, langchain_classic/retrievers/time_weighted_retriever.py.

    >>> policy = LangChainRecency()
    >>> policy.evicts(160, recall_count=1), policy.evicts(161, recall_count=9)
    (False, True)
    """

    name: ClassVar[str] = "langchain_recency"
    summary: ClassVar[str] = "0.99 per hour since the last touch, with a threshold"
    formula: ClassVar[str] = "evict when (1 - decay_rate)^hours < eviction_threshold"
    source: ClassVar[str] = (
        "langchain-ai/langchain, langchain_classic/retrievers/time_weighted_retriever.py; the threshold is ours"
    )
    time_unit: ClassVar[str] = "hour"

    eviction_threshold: float = parameter(
        0.20, above=0.0, below=1.0, meaning="an item is evicted when its score falls below this"
    )
    decay_rate: float = parameter(0.01, above=0.0, below=1.0, meaning="share of the score that goes every hour")
    turns_per_day: float = turns_per_day_parameter(HOURS_PER_DAY)

    def retention(self, age: int, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return (1 - decay_rate)^hours, or exactly 1.0 at age 0 and for a clock that runs backwards."""
        if age <= 0:
            return 1.0
        return float((1.0 - self.decay_rate) ** hours(age, self.turns_per_day))

    def horizon_guess(self, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return the turns until the score meets the threshold, plus one."""
        factor = 1.0 - self.decay_rate
        if factor == 1.0:  # a rate below the last place of 1 takes nothing off
            return math.inf
        return 1.0 + math.log(self.eviction_threshold) / math.log(factor) * self.turns_per_unit()

    def turns_per_unit(self) -> float:
        """Return the turns of an hour."""
        return self.turns_per_day / HOURS_PER_DAY
