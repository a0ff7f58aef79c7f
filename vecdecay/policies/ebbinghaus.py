"""The Ebbinghaus forgetting curve with reinforcement by use, as the published memory-decay-engine has it."""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from vecdecay.items import DEFAULT_ATTRIBUTES, Attributes
from vecdecay.parameters import parameter
from vecdecay.policies.base import TablePolicy
from vecdecay.policies.rules import Rules


@lru_cache(maxsize=256)
def _known_stabilities(baseline_stability: float, reinforcement_gain: float, max_stability: float) -> list[list[float]]:
    """Return a place that holds the list of stabilities known so far; its one user puts a longer list there."""
    del reinforcement_gain, max_stability  # keys of the cache only
    return [[baseline_stability]]


def reinforced_stability(
    baseline_stability: float, reinforcement_gain: float, recall_count: int, max_stability: float = math.inf
) -> float:
    """Return the stability (turns) after recalls 2 … ``recall_count``, multiplied up in the order of the recalls.

    The order matters: each product is rounded, so a closed form would be another number. Beyond the largest float the
    stability is infinite (from 8.0 at the 398th recall), and the item is never evicted again.

    >>> reinforced_stability(8.0, 1.0, 5), reinforced_stability(8.0, 1.0, 5, max_stability=100.0)
    (291.8577159496641, 100.0)
    """
    place = _known_stabilities(baseline_stability, reinforcement_gain, max_stability)
    known = place[0]
    if len(known) < recall_count:
        # A list that others may read is never changed. Twice as long, so that asking one by one stays linear.
        known = list(known)
        for count in range(len(known) + 1, max(recall_count, 2 * len(known)) + 1):
            known.append(min(known[-1] * (1.0 + reinforcement_gain * math.log(1.0 + count)), max_stability))
        place[0] = known
    return known[recall_count - 1]


@dataclass(frozen=True)
class Ebbinghaus(TablePolicy):
    """Score items by exp(-age / stability); every recall multiplies stability by 1 + gain × ln(1 + recall_count).

    The count starts at 1 with the registration and is raised before it is used, so four recalls take a stability of
    8.0 to 291.8577159496641. The time of a recall does not enter: there is no spacing effect, and recalls that are
    crammed into one turn count as much as recalls spread over a hundred. Registering an item anew forgets all its
    reinforcement.

    Three limits that people ask for change nothing by default: ``max_stability`` caps what recalls can reach;
    ``cooldown_turns`` lets a recall that follows a counted use too closely refresh the age, but not reinforce;
    ``grace_turns`` keeps newborns whatever their score.

    Not to be confused with: MemoryBank, where a recall adds 1 to the strength; the variant of a report on this engine
    that halves the gain (``reinforcement_gain=0.5``), which does not reproduce the published results.

    Source: Ebbinghaus (1885) for the curve; Emmimal/memory-decay-engine, memory_engine.py, for the rule.

    >>> policy = Ebbinghaus(eviction_threshold=0.20, baseline_stability=8.0)
    >>> policy.evicts(12, recall_count=1), policy.evicts(13, recall_count=1)
    (False, True)
    >>> policy.stability(recall_count=5)
    291.8577159496641
    """

    name: ClassVar[str] = "ebbinghaus"
    summary: ClassVar[str] = "forgetting curve, every recall multiplies the stability"
    formula: ClassVar[str] = (
        "evict when exp(-age / stability) < eviction_threshold; "
        "at each recall: recall_count += 1, stability *= 1 + reinforcement_gain × ln(1 + recall_count), at most "
        "max_stability"
    )
    source: ClassVar[str] = "Ebbinghaus (1885); Emmimal/memory-decay-engine, memory_engine.py"

    eviction_threshold: float = parameter(
        0.20, above=0.0, below=1.0, meaning="an item is evicted when its retention falls below this score"
    )
    baseline_stability: float = parameter(
        8.0, above=0.0, unit="turns", meaning="stability of a freshly registered item"
    )
    reinforcement_gain: float = parameter(
        1.0,
        at_least=0.0,
        meaning="factor before the logarithm in the reinforcement; 0 turns reinforcement off",
    )
    max_stability: float = parameter(
        math.inf, above=0.0, or_infinite=True, unit="turns", meaning="no recall raises the stability beyond this"
    )
    cooldown_turns: int = parameter(
        0,
        at_least=0,
        at_most=2**31 - 1,
        unit="turns",
        meaning="a recall sooner than this after the last use that counted only refreshes the age",
    )
    grace_turns: int = parameter(
        0,
        at_least=0,
        at_most=2**31 - 1,
        unit="turns",
        meaning="no item is evicted sooner than this after its registration",
    )

    def problems(self) -> list[str]:
        """Refuse a cap below what every item starts with."""
        if self.max_stability >= self.baseline_stability:
            return []
        return [
            f"Ebbinghaus.max_stability is {self.max_stability:g}; "
            f"allowed: at least baseline_stability, {self.baseline_stability:g}"
        ]

    def rules(self) -> Rules:
        """Apply the cooldown and the grace."""
        return Rules(cooldown_turns=self.cooldown_turns, grace_turns=self.grace_turns)

    def stability(self, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return the stability (turns) of an item with this recall count."""
        return reinforced_stability(self.baseline_stability, self.reinforcement_gain, recall_count, self.max_stability)

    def retention(self, age: int, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return exp(-age / stability), or exactly 1.0 at age 0 and for a clock that runs backwards."""
        if age <= 0:
            return 1.0
        return math.exp(-age / self.stability(recall_count))

    def evicts(self, age: int, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> bool:
        """Tell whether the retention is strictly below the threshold; at equality the item stays."""
        return self.retention(age, recall_count) < self.eviction_threshold

    def horizon_guess(self, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return -stability × ln(threshold) + 1; at exact boundaries it is off by one in some 3 % of cases."""
        return 1.0 - self.stability(recall_count) * math.log(self.eviction_threshold)

    def threshold(self) -> float:
        """Return the eviction threshold."""
        return self.eviction_threshold
