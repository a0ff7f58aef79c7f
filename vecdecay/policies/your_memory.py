"""YourMemory: strength by importance, category and use, counted in active days and pruned by a daily job."""

import math
from dataclasses import dataclass
from typing import ClassVar

from vecdecay.items import CATEGORIES, DEFAULT_ATTRIBUTES, Attributes
from vecdecay.parameters import parameter
from vecdecay.policies.base import TablePolicy
from vecdecay.policies.clock import HOURS_PER_DAY, SECONDS_PER_DAY, seconds
from vecdecay.policies.rules import Rules

_ROUNDED_DIGITS = 6


@dataclass(frozen=True)
class YourMemory(TablePolicy):
    """Score items by importance × exp(-rate × days) × (1 + 0.2 × recalls), at most 1, rounded to six digits.

    The rate is that of the category, times 1 - 0.8 × importance. Recalls count from 0 here: a freshly registered item
    has none. The rounding is part of the test: a raw strength of 0.0499997 rounds to 0.05 and stays. A recall only
    multiplies the strength; it buys ln(1 + 0.2 × recalls) / rate days once and does not slow the decay.

    Days are active days, counted at both ends: on the day of the touch an item is one day old already. A day is active
    if the session registers or recalls something on it, a recall that misses too; other days age nothing. With
    ``clock="wall"``, as in the releases before active days, they are fractions of a day since the touch, 0 in the turn
    of the touch itself. By either clock an item whose strength is below the threshold at its registration is evicted by
    the first job. A job runs at the end of every ``job_period_hours``. A category that the program does not know decays
    like a fact; with ``single_rate``, as in the first releases, all of them do.

    The defaults of the source are those of items here: a fact of importance 0.5.

    Not to be confused with: the same program with its graph, where a neighbour's stored strength, which is never
    written below the threshold, keeps linked items for ever. This is the isolated node.

    Source: sachitrafa/YourMemory, src/services/decay.py and src/jobs/decay_job.py.

    >>> policy = YourMemory()
    >>> policy.retention(23, recall_count=1), policy.retention(24, recall_count=1)
    (0.05496, 0.049929)
    """

    name: ClassVar[str] = "your_memory"
    summary: ClassVar[str] = "strength by importance, category and recalls, in active days, pruned by a daily job"
    formula: ClassVar[str] = (
        "evict when round(min(1, importance × exp(-rate × (1 - 0.8 × importance) × days) × "
        "(1 + 0.2 × (recall_count - 1))), 6) < eviction_threshold, rate by category"
    )
    source: ClassVar[str] = "sachitrafa/YourMemory, src/services/decay.py, src/jobs/decay_job.py"
    reads: ClassVar[tuple[str, ...]] = ("importance", "category")
    time_unit: ClassVar[str] = "day"

    eviction_threshold: float = parameter(
        0.05, above=0.0, below=1.0, meaning="an item is evicted when its rounded strength is below this"
    )
    fact_rate: float = parameter(0.16, at_least=0.0, unit="1/day", meaning="decay rate of facts")
    assumption_rate: float = parameter(0.20, at_least=0.0, unit="1/day", meaning="decay rate of assumptions")
    failure_rate: float = parameter(0.35, at_least=0.0, unit="1/day", meaning="decay rate of failures")
    strategy_rate: float = parameter(0.10, at_least=0.0, unit="1/day", meaning="decay rate of strategies")
    clock: str = parameter(
        "active", choices=("active", "wall"), meaning="active days, the day of the touch included, or days since it"
    )
    turns_per_day: int = parameter(1, at_least=1, at_most=10**6, unit="turns", meaning="turns that make a day")
    job_period_hours: float = parameter(
        24.0, above=0.0, at_most=1e6, unit="hours", meaning="the job that evicts runs at the end of each such period"
    )
    single_rate: bool = parameter(False, meaning="every category decays at fact_rate")

    def problems(self) -> list[str]:
        """Refuse a period of the job that is no whole number of turns."""
        turns = self._period_turns()
        if turns >= 1 and turns.is_integer():
            return []
        return [
            f"{type(self).__name__}.job_period_hours is {self.job_period_hours:g}, {turns:g} turns at "
            f"{self.turns_per_day} turns_per_day; allowed: a whole number of turns"
        ]

    def _period_turns(self) -> float:
        return self.job_period_hours * self.turns_per_day / HOURS_PER_DAY

    def rules(self) -> Rules:
        """Count ages in active days or in turns, and look when the job runs."""
        period = int(self._period_turns())
        if self.clock == "wall":
            return Rules(period_turns=period, timed_period=period > 1)
        return Rules(period, unit_turns=self.turns_per_day, inclusive=True, active=True, timed_period=True)

    def breaks(self) -> tuple[str, ...]:
        """Name the invariant that the wall clock does not keep: the strength begins at the importance."""
        return ("exactly_1_at_age_0",) if self.clock == "wall" else ()

    def rate(self, item: Attributes) -> float:
        """Return the decay per day of an item, after its importance."""
        rates = dict(
            zip(CATEGORIES, (self.fact_rate, self.assumption_rate, self.failure_rate, self.strategy_rate), strict=True)
        )
        rate = self.fact_rate if self.single_rate else rates.get(item.category, self.fact_rate)
        return rate * (1 - item.importance * 0.8)

    def retention(self, age: int, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return the rounded strength of an item that is ``age`` active days old, or ``age`` turns by the wall clock.

        It is 1.0 at age 0 in active days, which no job meets.
        """
        if self.clock == "wall":
            age_days = seconds(max(age, 0), self.turns_per_day) / SECONDS_PER_DAY
        elif age <= 0:
            return 1.0
        else:
            age_days = age
        strength = item.importance * math.exp(-self.rate(item) * age_days) * (1 + (recall_count - 1) * 0.2)
        return round(min(1.0, strength), _ROUNDED_DIGITS)

    def evicts(self, age: int, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> bool:
        """Tell whether the rounded strength is strictly below the threshold, at age 0 too."""
        return age >= 0 and self.retention(age, recall_count, item) < self.eviction_threshold

    def horizon_guess(self, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return the age at which the strength, not rounded, meets the threshold, plus one."""
        start, rate = item.importance * (1 + (recall_count - 1) * 0.2), self.rate(item)
        if start <= 0.0:
            return 1.0
        if rate <= 0.0:
            return math.inf
        ages_per_day = self.turns_per_day if self.clock == "wall" else 1
        return 1.0 + math.log(start / self.eviction_threshold) / rate * ages_per_day

    def turns_per_unit(self) -> float:
        """Return the turns of a day."""
        return float(self.turns_per_day)
