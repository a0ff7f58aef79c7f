"""The recency of Generative Agents as its paper gives it, with a threshold."""

import math
from dataclasses import dataclass
from typing import ClassVar

from vecdecay.items import DEFAULT_ATTRIBUTES, Attributes
from vecdecay.parameters import parameter
from vecdecay.policies.base import TablePolicy
from vecdecay.policies.clock import HOURS_PER_DAY, hours, turns_per_day_parameter


@dataclass(frozen=True)
class GenerativeAgentsRecency(TablePolicy):
    """Score items by 0.995^hours since the last touch; how often an item was used does not matter.

    The paper adds importance and relevance to this score and ranks by the sum; nothing is ever deleted. So the
    threshold is ours, and what is played here is the recency alone. 0.995 an hour halves in 138.28 hours.

    Not to be confused with: the published code, whose recency is a power of a rank, not of a time, with the least
    recently used item first, so that the stalest scores highest (its factor is 0.99 where nothing is set; the persona
    file that is shipped with it sets 0.995); LangChainRecency, which takes 0.99 an hour.

    Source: Park et al. (2023), Generative Agents, arXiv 2304.03442, section on retrieval.

    >>> policy = GenerativeAgentsRecency()
    >>> policy.evicts(321, recall_count=1), policy.evicts(322, recall_count=9)
    (False, True)
    """

    name: ClassVar[str] = "generative_agents_recency"
    summary: ClassVar[str] = "0.995 per hour since the last touch, with a threshold (the paper's form)"
    formula: ClassVar[str] = "evict when decay_factor^hours < eviction_threshold"
    source: ClassVar[str] = "Park et al. (2023), arXiv 2304.03442; the threshold is ours"
    time_unit: ClassVar[str] = "hour"

    eviction_threshold: float = parameter(
        0.20, above=0.0, below=1.0, meaning="an item is evicted when its score falls below this"
    )
    decay_factor: float = parameter(0.995, above=0.0, below=1.0, meaning="what remains of the score after an hour")
    turns_per_day: float = turns_per_day_parameter(HOURS_PER_DAY)

    def retention(self, age: int, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return decay_factor^hours, or exactly 1.0 at age 0 and for a clock that runs backwards."""
        if age <= 0:
            return 1.0
        return float(self.decay_factor ** hours(age, self.turns_per_day))

    def horizon_guess(self, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return the turns until the score meets the threshold, plus one."""
        hours_kept = math.log(self.eviction_threshold) / math.log(self.decay_factor)
        return 1.0 + hours_kept * self.turns_per_unit()

    def turns_per_unit(self) -> float:
        """Return the turns of an hour."""
        return self.turns_per_day / HOURS_PER_DAY
