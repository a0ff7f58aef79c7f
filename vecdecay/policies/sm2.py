"""SM-2: the intervals of SuperMemo's second algorithm, used as an eviction rule."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

from vecdecay.items import DEFAULT_ATTRIBUTES, Attributes
from vecdecay.parameters import parameter
from vecdecay.policies.base import TablePolicy
from vecdecay.policies.clock import days, turns_per_day_parameter
from vecdecay.policies.stateful import StatefulPolicy

_PASSED = 3  # the lowest grade that is no lapse
MOST_DAYS = 10**9
"""The longest interval; the algorithm has no bound, and after some twenty recalls its intervals exceed any session."""


@lru_cache(maxsize=256)
def intervals(
    grade: int, ease_first: bool, registration_graded: bool = True, rounding: str = "floats"
) -> tuple[int, ...]:
    """Return the intervals (days) after repetition 1, 2, … of one grade each; the last one holds for all later ones.

    In exact fractions 10 × 2.8 is 28; in floats it is a little above, and rounds up to 29.

    >>> intervals(5, False)[:6], intervals(5, True)[:6]
    ((1, 6, 17, 48, 140, 421), (1, 6, 17, 50, 151, 469))
    >>> intervals(5, False, registration_graded=False, rounding="exact")[:5], intervals(2, False)
    ((1, 6, 16, 44, 124), (1,))
    """
    if grade < 3:
        return (1,)
    number: type[Fraction | float] = Fraction if rounding == "exact" else float
    change = number("0.1") - (5 - grade) * (number("0.08") + (5 - grade) * number("0.02"))
    lowest, ease = number("1.3"), number("2.5")
    if registration_graded:
        ease = max(ease + change, lowest)
    found = [1]
    while found[-1] < MOST_DAYS:
        changed = max(ease + change, lowest)
        found.append(6 if len(found) == 1 else math.ceil(found[-1] * (changed if ease_first else ease)))
        ease = changed
    return (*found[:-1], MOST_DAYS)


@dataclass(frozen=True)
class _Fields:
    """The parameters of SM-2, whether its repetitions have one grade for all or each its own."""

    slack_factor: float = parameter(
        1.0, above=0.0, meaning="an item is evicted when more than this many intervals have passed"
    )
    recall_grade: int = parameter(5, at_least=0, at_most=5, meaning="grade of a recall: 5 is perfect, 0 a blackout")
    interval_ease: str = parameter(
        "before",
        choices=("before", "after"),
        meaning="an interval uses the ease before its change, which a lapse makes too, or after it, as the packages do",
    )
    turns_per_day: float = turns_per_day_parameter(1.0)
    registration_graded: bool = parameter(True, meaning="the registration changes the ease as a recall does")
    rounding: str = parameter(
        "floats", choices=("floats", "exact"), meaning="arithmetic of the ease: in floats, or in exact fractions"
    )

    def turns_per_unit(self) -> float:
        """Return the turns of a day."""
        return self.turns_per_day


@dataclass(frozen=True)
class Sm2(_Fields, TablePolicy):
    """Evict an item that is overdue: more than ``slack_factor`` intervals have passed since its last touch.

    The registration is repetition one, and every recall a repetition of grade ``recall_grade``; where touches have
    grades of their own, again counts as 1, hard as 3, good as 4 and easy as 5 (``GradedSm2``). Intervals are 1 day,
    6 days, and then the last one times the ease, rounded up. The ease starts at 2.5 and changes with each repetition by
    0.1 - (5 - grade) × (0.08 + (5 - grade) × 0.02), not below 1.3. A grade below 3 starts the intervals anew. SM-2
    schedules and deletes nothing: the slack factor is ours.

    Three things are open at the source, and the packages that people run have them as here by default: the registration
    is graded like a recall (``registration_graded``), the arithmetic is in floats (``rounding``), whose drift rounds
    some intervals up by a day, and an interval uses the ease from before its own change in supermemo2 3.0.1, from after
    it in sm-2 0.3.0 (``interval_ease``). A grade below 3 lowers the ease in supermemo2 and leaves it alone in sm-2,
    whose interval is then 0 and here 1 day. With ``registration_graded=False, rounding="exact"`` grade 5 gives the
    intervals 1, 6, 16, 44, 124.

    Not to be confused with: Anki's variant, whose intervals grow with the delay of the recall; FSRS.

    Source: Wozniak (1990), Optimization of learning (algorithm SM-2); supermemo2 3.0.1 and sm-2 0.3.0.

    >>> policy = Sm2()
    >>> [policy.interval_days(recall_count) for recall_count in range(1, 6)]
    [1, 6, 17, 48, 140]
    >>> policy.evicts(6, recall_count=2), policy.evicts(7, recall_count=2)
    (False, True)
    """

    name: ClassVar[str] = "sm2"
    summary: ClassVar[str] = "intervals of SuperMemo's SM-2; an item that is overdue is dropped"
    formula: ClassVar[str] = (
        "evict when days > slack_factor × interval; intervals 1, 6, then ceil(interval × ease); at each repetition: "
        "ease += 0.1 - (5 - grade) × (0.08 + (5 - grade) × 0.02), at least 1.3; a grade below 3 starts anew"
    )
    source: ClassVar[str] = "Wozniak (1990), algorithm SM-2; supermemo2 3.0.1; the slack factor is ours"
    time_unit: ClassVar[str] = "day"

    def interval_days(self, recall_count: int) -> int:
        """Return the interval (days) after this many repetitions."""
        known = intervals(self.recall_grade, self.interval_ease == "after", self.registration_graded, self.rounding)
        return known[min(recall_count, len(known)) - 1]

    def retention(self, age: int, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return 1.0 until the item is overdue and 0.0 after."""
        return 0.0 if self.evicts(age, recall_count) else 1.0

    def evicts(self, age: int, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> bool:
        """Tell whether strictly more days than the slack allows have passed."""
        return days(age, self.turns_per_day) > self.slack_factor * self.interval_days(recall_count)

    def horizon_guess(self, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return the turns of slack × interval, plus one."""
        return self.slack_factor * self.interval_days(recall_count) * self.turns_per_day + 1.0

    def graded(self) -> "GradedSm2":
        """Return the policy that gives every repetition its own grade."""
        return GradedSm2(**self.values())


class Sm2Constants(NamedTuple):
    """The parameters, with flags instead of names."""

    slack_factor: float
    recall_grade: int
    ease_first: bool
    turns_per_day: float
    registration_graded: bool
    exact: bool


State = tuple[int, int, float, int, int]
"""Repetitions since the last lapse, interval in days, ease, ease in hundredths, turn of the last touch."""


@dataclass(frozen=True)
class GradedSm2(_Fields, StatefulPolicy):
    """SM-2 with the grade that each repetition has; the same as ``Sm2`` where all have the same.

    A repetition of a grade below 3 is a lapse: the interval is 1 day again, and so is that of the next success, as in
    the packages that people run; the ease changes or stays with ``interval_ease``, as it does there.

    >>> policy = GradedSm2()
    >>> [policy.life(list(range(1, 2 + recalls)), limit=100) for recalls in range(4)]
    [2, 7, 18, 49]
    """

    name: ClassVar[str] = Sm2.name
    time_unit: ClassVar[str] = "day"
    turn_invariant: ClassVar[bool] = True

    def constants(self) -> Sm2Constants:
        """Return the parameters, with flags instead of names."""
        return Sm2Constants(
            self.slack_factor,
            self.recall_grade,
            self.interval_ease == "after",
            self.turns_per_day,
            self.registration_graded,
            self.rounding == "exact",
        )

    def threshold(self) -> float:
        """Return what is between 1.0, not overdue, and 0.0."""
        return 0.5

    @staticmethod
    def on_register(parameters: Sm2Constants, turn: int, item: Any, grade: int = 0) -> State:
        """Return the state after the first repetition."""
        quality = _quality(parameters, grade)
        repetitions = 1 if quality >= _PASSED else 0
        if not parameters.registration_graded or (repetitions == 0 and parameters.ease_first):
            return repetitions, 1, 2.5, 250, turn
        return repetitions, 1, _changed(2.5, quality), _changed_exactly(250, quality), turn

    @staticmethod
    def on_recall(parameters: Sm2Constants, state: State, turn: int, grade: int = 0) -> State:
        """Return the state after one more repetition."""
        repetitions, interval, ease, hundredths, _ = state
        quality = _quality(parameters, grade)
        if quality < _PASSED and parameters.ease_first:
            return 0, 1, ease, hundredths, turn
        changed, changed_exactly = _changed(ease, quality), _changed_exactly(hundredths, quality)
        if quality < _PASSED:
            return 0, 1, changed, changed_exactly, turn
        if repetitions < 2:
            following = 6 if repetitions == 1 else 1
        elif parameters.exact:
            following = -(-interval * (changed_exactly if parameters.ease_first else hundredths) // 100)
        else:
            following = math.ceil(interval * (changed if parameters.ease_first else ease))
        return repetitions + 1, min(following, MOST_DAYS), changed, changed_exactly, turn

    @staticmethod
    def retention(parameters: Sm2Constants, state: State, turn: int) -> float:
        """Return 1.0 until the item is overdue and 0.0 after."""
        overdue = (turn - state[4]) / parameters.turns_per_day > parameters.slack_factor * state[1]
        return 0.0 if overdue else 1.0


def _quality(parameters: Sm2Constants, grade: int) -> int:
    """Return a grade on the scale from 0 to 5: again 1, hard 3, good 4, easy 5."""
    if grade <= 0:
        return parameters.recall_grade
    return 1 if grade == 1 else grade + 1


def _changed(ease: float, quality: int) -> float:
    return max(ease + (0.1 - (5 - quality) * (0.08 + (5 - quality) * 0.02)), 1.3)


def _changed_exactly(hundredths: int, quality: int) -> int:
    return max(hundredths + 10 - (5 - quality) * (8 + (5 - quality) * 2), 130)
