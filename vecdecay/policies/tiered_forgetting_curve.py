"""A forgetting curve with three tiers whose boosts compound, as a published benchmark runs it."""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from vecdecay.items import DEFAULT_ATTRIBUTES, Attributes
from vecdecay.parameters import parameter
from vecdecay.policies.base import TablePolicy
from vecdecay.policies.clock import HOURS_PER_DAY, SECONDS_PER_DAY, seconds, turns_per_day_parameter

_BASE_SECONDS = {"short": 3600.0, "mid": 2_592_000.0, "long": 31_536_000.0}
_MOST_SECONDS = 315_360_000.0
_ACCESS_BOOST, _MOST_ACCESS_BOOSTS = 1.5, 5
_IMPORTANCE_BOOST = 2.0
_REFERENCE_BOOST, _MOST_REFERENCE_BOOSTS = 1.2, 3


@lru_cache(maxsize=1024)
def _known_stabilities(tier: str, importance: float, references: int) -> list[float]:
    """Return the list of stabilities (seconds) known so far; its one user extends it."""
    del importance, references  # keys of the cache only
    return [_BASE_SECONDS[tier]]


def boosted_stability(tier: str, importance: float, references: int, recall_count: int) -> float:
    """Return the stability (seconds) after recalls 2 … ``recall_count``, each boosting what the last one left.

    >>> [boosted_stability("short", 0.5, 0, recall_count) for recall_count in range(1, 6)]
    [3600.0, 5400.0, 12150.0, 41006.25, 207594.140625]
    """
    known = _known_stabilities(tier, importance, references)
    if len(known) < recall_count:
        longer = list(known)
        while len(longer) < recall_count:
            longer.append(_boosted(longer[-1], len(longer), importance, references))
        known[:] = longer  # at once, so that threads only ever see right values
        return longer[recall_count - 1]
    return known[recall_count - 1]


def _boosted(stability: float, access_count: int, importance: float, references: int) -> float:
    if access_count > 1:
        stability *= _ACCESS_BOOST ** min(access_count - 1, _MOST_ACCESS_BOOSTS)
    stability *= 1.0 + (_IMPORTANCE_BOOST - 1.0) * importance
    if references > 0:
        stability *= _REFERENCE_BOOST ** min(references, _MOST_REFERENCE_BOOSTS)
    return min(stability, _MOST_SECONDS)


@dataclass(frozen=True)
class TieredForgettingCurve(TablePolicy):
    """Score items by exp(-seconds idle / stability); every access multiplies the stability by all boosts at once.

    The boosts are 1.5 to the power of the accesses so far (at most 5, the first not counted), 1 + importance, and 1.2
    to the power of the references (at most 3); the product is kept, and boosted again at the next access, up to ten
    years. So the documented "× 1.5 per access" comes to 1.5, 2.25, 3.4, 5.1, 7.6 at an importance of 0.5. The
    "half-life of an hour" is the e-fold: half is gone after 2495 seconds. References count at every access; that adding
    one applies every boost once more at the source is left out.

    The default importance of the source is that of items here, 0.5.

    Not to be confused with: its benchmark's manager, which deletes by a time to live and moves items between tiers.

    Source: secret-justice/agent-memory-decay-benchmark, os_agent_system/memory/forgetting_curve.py.

    >>> policy = TieredForgettingCurve()
    >>> policy.stability(recall_count=2)  # 5400 seconds, at a turn a minute
    90.0
    """

    name: ClassVar[str] = "tiered_forgetting_curve"
    summary: ClassVar[str] = "forgetting curve in seconds with three tiers and boosts that compound"
    formula: ClassVar[str] = (
        "evict when exp(-seconds / stability) < eviction_threshold; at each recall: stability *= "
        "1.5^min(recall_count - 1, 5) × (1 + importance) × 1.2^min(references, 3), recall_count as before the recall, "
        "at most 315 360 000 seconds"
    )
    source: ClassVar[str] = "secret-justice/agent-memory-decay-benchmark, os_agent_system/memory/forgetting_curve.py"
    reads: ClassVar[tuple[str, ...]] = ("importance",)
    time_unit: ClassVar[str] = "hour"

    eviction_threshold: float = parameter(
        0.20, above=0.0, below=1.0, meaning="an item is evicted when its retention falls below this score"
    )
    tier: str = parameter(
        "short",
        choices=tuple(_BASE_SECONDS),
        meaning="stability at first: an hour (short), 30 days, a year (long)",
    )
    references: int = parameter(0, at_least=0, at_most=2**31 - 1, meaning="other items that refer to each item")
    turns_per_day: float = turns_per_day_parameter(1440.0)

    def _stability_seconds(self, recall_count: int, item: Attributes) -> float:
        return boosted_stability(self.tier, item.importance, self.references, recall_count)

    def stability(self, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return the stability as turns."""
        return self._stability_seconds(recall_count, item) * self.turns_per_day / SECONDS_PER_DAY

    def retention(self, age: int, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return exp(-seconds / stability), or exactly 1.0 at age 0 and for a clock that runs backwards."""
        if age <= 0:
            return 1.0
        return math.exp(-seconds(age, self.turns_per_day) / self._stability_seconds(recall_count, item))

    def horizon_guess(self, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return -stability × ln(threshold) + 1."""
        return 1.0 - self.stability(recall_count, item) * math.log(self.eviction_threshold)

    def turns_per_unit(self) -> float:
        """Return the turns of an hour, the scale of the short tier."""
        return self.turns_per_day / HOURS_PER_DAY
