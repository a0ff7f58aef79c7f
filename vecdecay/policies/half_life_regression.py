"""Half-life regression: a half-life that is two to the power of a weighted sum of what is known of an item's use."""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from vecdecay.items import DEFAULT_ATTRIBUTES, Attributes
from vecdecay.parameters import parameter
from vecdecay.policies.base import TablePolicy
from vecdecay.policies.clock import days, turns_per_day_parameter
from vecdecay.policies.stateful import StatefulPolicy

_LOWEST_SCORE, _HIGHEST_SCORE = 0.0001, 0.9999


class HalfLifeWeights(NamedTuple):
    """What the half-life is computed from, the form as its place in FORMS, and the clock."""

    form: int
    right_weight: float
    wrong_weight: float
    bias_weight: float
    min_half_life_days: float
    max_half_life_days: float
    counts_as_right: bool
    turns_per_day: float


FORMS = ("regression", "leitner", "pimsleur")


def half_life(weights: HalfLifeWeights, right: int, wrong: int) -> float:
    """Return the half-life (days) after so many right and wrong answers."""
    if weights.form == 1:
        exponent = float(right - wrong)
    elif weights.form == 2:
        exponent = 2.35 * (right + wrong) - 16.46
    else:
        exponent = weights.right_weight * math.sqrt(1 + right) + weights.wrong_weight * math.sqrt(1 + wrong)
        exponent += weights.bias_weight
    days_long: float = 2.0**exponent if exponent < 1024.0 else math.inf
    return min(max(days_long, weights.min_half_life_days), weights.max_half_life_days)


@dataclass(frozen=True)
class _Fields:
    """The parameters, whether all recalls count alike or each by its own grade."""

    eviction_threshold: float = parameter(
        0.20, above=0.0, below=1.0, meaning="an item is evicted when its score falls below this"
    )
    form: str = parameter("regression", choices=FORMS, meaning="which rule gives the half-life")
    right_weight: float = parameter(1.0, at_least=-100.0, at_most=100.0, meaning="weight of √(1 + right answers)")
    wrong_weight: float = parameter(-1.0, at_least=-100.0, at_most=100.0, meaning="weight of √(1 + wrong answers)")
    bias_weight: float = parameter(0.0, at_least=-100.0, at_most=100.0, meaning="weight that every item has")
    recall_answer: str = parameter("right", choices=("right", "wrong"), meaning="what a recall counts as")
    min_half_life_days: float = parameter(15.0 / 1440.0, above=0.0, unit="days", meaning="shortest half-life")
    max_half_life_days: float = parameter(274.0, above=0.0, unit="days", meaning="longest half-life")
    turns_per_day: float = turns_per_day_parameter(1.0)

    def problems(self) -> list[str]:
        """Refuse bounds that are reversed."""
        if self.min_half_life_days <= self.max_half_life_days:
            return []
        return [
            f"HalfLifeRegression.min_half_life_days is {self.min_half_life_days:g}; "
            f"allowed: at most max_half_life_days, {self.max_half_life_days:g}"
        ]

    def weights(self) -> HalfLifeWeights:
        """Return what the half-life is computed from."""
        return HalfLifeWeights(
            FORMS.index(self.form),
            self.right_weight,
            self.wrong_weight,
            self.bias_weight,
            self.min_half_life_days,
            self.max_half_life_days,
            self.recall_answer == "right",
            self.turns_per_day,
        )

    def turns_per_unit(self) -> float:
        """Return the turns of a day."""
        return self.turns_per_day


@dataclass(frozen=True)
class HalfLifeRegression(_Fields, TablePolicy):
    """Score items by 2^(-days / half-life), where the half-life is 2^(a sum over right and wrong answers).

    The sum is ``right_weight × √(1 + right) + wrong_weight × √(1 + wrong) + bias_weight``. A recall counts as a right
    answer, or as a wrong one with ``recall_answer="wrong"``; where recalls have grades, again counts as wrong and all
    others as right (``GradedHalfLifeRegression``). The registration counts as neither. The half-life is kept
    between ``min_half_life_days`` (15 minutes) and ``max_half_life_days`` (nine months), the score between 0.0001 and
    0.9999: with a threshold of 0.0001 or less nothing is evicted. The model deletes nothing: the threshold is ours. So
    are the default weights, which give a new item one day; the source fits them to the answers of language learners.
    ``form`` selects two fixed rules that the source compares with, which have no weights: Leitner, 2^(right - wrong),
    and Pimsleur, 2^(2.35 × (right + wrong) - 16.46).

    Not to be confused with: Ebbinghaus and MemoryBank, whose constants are e-folds, not half-lives.

    Source: Settles and Meeder (2016), A Trainable Spaced Repetition Model for Language Learning;
    duolingo/halflife-regression, experiment.py.

    >>> policy = HalfLifeRegression()
    >>> [policy.half_life_days(recall_count) for recall_count in (1, 4, 9)]
    [1.0, 2.0, 4.0]
    >>> policy.retention(2, recall_count=4)
    0.5
    """

    name: ClassVar[str] = "half_life_regression"
    summary: ClassVar[str] = "half-life from weighted counts of right and wrong answers"
    formula: ClassVar[str] = (
        "evict when 2^(-days / h) < eviction_threshold; h = 2^(right_weight × √(1 + right) + wrong_weight × "
        "√(1 + wrong) + bias_weight) days, within its bounds; form leitner: h = 2^(right - wrong); pimsleur: "
        "h = 2^(2.35 × (right + wrong) - 16.46)"
    )
    source: ClassVar[str] = "Settles and Meeder (2016); duolingo/halflife-regression, experiment.py"
    time_unit: ClassVar[str] = "day"

    def half_life_days(self, recall_count: int) -> float:
        """Return the half-life (days) of an item with this recall count."""
        answers = recall_count - 1
        right, wrong = (answers, 0) if self.recall_answer == "right" else (0, answers)
        return half_life(self.weights(), right, wrong)

    def retention(self, age: int, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return 2^(-days / half-life) between its bounds, or exactly 1.0 at age 0 and below."""
        if age <= 0:
            return 1.0
        score: float = 2.0 ** (-days(age, self.turns_per_day) / self.half_life_days(recall_count))
        return min(max(score, _LOWEST_SCORE), _HIGHEST_SCORE)

    def horizon_guess(self, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return -half-life × log2(threshold) + 1 in turns, infinity where no score is below the threshold."""
        if self.eviction_threshold <= _LOWEST_SCORE:
            return math.inf
        half_life_turns = self.half_life_days(recall_count) * self.turns_per_day
        return 1.0 - half_life_turns * math.log2(min(self.eviction_threshold, _HIGHEST_SCORE))

    def graded(self) -> "GradedHalfLifeRegression":
        """Return the policy that counts every recall by its own grade."""
        return GradedHalfLifeRegression(**self.values())


State = tuple[int, int, int]
"""Right answers, wrong answers, turn of the last touch."""


@dataclass(frozen=True)
class GradedHalfLifeRegression(_Fields, StatefulPolicy):
    """Half-life regression that counts a recall of the grade again as wrong, and of any other as right.

    It is the same as ``HalfLifeRegression`` where all recalls count alike.

    >>> GradedHalfLifeRegression().life([1, 2, 3, 4], limit=100)
    5
    """

    name: ClassVar[str] = HalfLifeRegression.name
    time_unit: ClassVar[str] = "day"
    turn_invariant: ClassVar[bool] = True

    def constants(self) -> HalfLifeWeights:
        """Return what the half-life is computed from."""
        return self.weights()

    @staticmethod
    def on_register(parameters: HalfLifeWeights, turn: int) -> State:
        """Return no answers."""
        return 0, 0, turn

    @staticmethod
    def on_recall(parameters: HalfLifeWeights, state: State, turn: int, grade: int = 0) -> State:
        """Count one more answer."""
        is_right = grade > 1 if grade > 0 else parameters.counts_as_right
        return (state[0] + 1, state[1], turn) if is_right else (state[0], state[1] + 1, turn)

    @staticmethod
    def retention(parameters: HalfLifeWeights, state: State, turn: int) -> float:
        """Return 2^(-days / half-life) between its bounds, or exactly 1.0 at age 0 and below."""
        age = turn - state[2]
        if age <= 0:
            return 1.0
        score: float = 2.0 ** (-(age / parameters.turns_per_day) / half_life(parameters, state[0], state[1]))
        return min(max(score, _LOWEST_SCORE), _HIGHEST_SCORE)
