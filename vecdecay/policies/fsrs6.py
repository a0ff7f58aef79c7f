"""FSRS-6: the scheduler of spaced repetition, its retrievability taken as a score."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from vecdecay.parameters import parameter
from vecdecay.policies.clock import turns_per_day_parameter
from vecdecay.policies.stateful import StatefulPolicy

SMALLEST_STABILITY = 0.001

DEFAULT_WEIGHTS = (
    0.212, 1.2931, 2.3065, 8.2956, 6.4133, 0.8334, 3.0194, 0.001, 1.8722, 0.1666, 0.796,
    1.4835, 0.0614, 0.2629, 1.6483, 0.6014, 1.8729, 0.5425, 0.0912, 0.0658, 0.1542,
)  # fmt: skip

LOWEST_WEIGHTS = (
    0.001, 0.001, 0.001, 0.001, 1.0, 0.001, 0.001, 0.001, 0.0, 0.0, 0.001,
    0.001, 0.001, 0.001, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.1,
)  # fmt: skip

HIGHEST_WEIGHTS = (
    100.0, 100.0, 100.0, 100.0, 10.0, 4.0, 4.0, 0.75, 4.5, 0.8, 3.5,
    5.0, 0.25, 0.9, 4.0, 1.0, 6.0, 2.0, 2.0, 0.8, 0.8,
)  # fmt: skip


class Fsrs6Constants(NamedTuple):
    """The weights, and what follows from them once and for all."""

    weights: tuple[float, ...]
    decay: float
    factor: float
    turns_per_day: float
    first_grade: int
    recall_grade: int


State = tuple[float, float, int]
"""Stability in days, difficulty from 1 to 10, turn of the last touch."""


@dataclass(frozen=True)
class Fsrs6(StatefulPolicy):
    """Score items by FSRS-6's probability of recall, a power law whose stability a recall raises by how late it comes.

    There is a spacing effect: a recall of an item that is nearly forgotten raises its stability far more than one of
    an item that is fresh, and a second recall on the same day hardly at all. Time counts in whole days since the last
    touch, rounded down. FSRS itself deletes nothing: the threshold is this program's. Its long tail makes a threshold
    of 0.2 mean "never": with the default weights a fresh item falls below 0.9 at day 3, below 0.7 at day 22 and below
    0.5 at day 209.

    Every recall counts as a review with its own grade (1 again, 2 hard, 3 good, 4 easy), or with ``recall_grade`` where
    it has none, the registration likewise with ``first_grade``. With grade 1 a recall is a lapse, and shortens lives.

    Not to be confused with: FSRS-4.5 and FSRS-5, which have other weights and another curve; simulators that count
    fractions of days and use exp() where this has powers of e.

    Source: open-spaced-repetition/py-fsrs 6.3.2, fsrs/scheduler.py, operation for operation; earlier ones let a hard
    review on the same day lower the stability.

    >>> policy = Fsrs6(eviction_threshold=0.7)
    >>> policy.life([1], limit=100), policy.life([1, 4, 12, 32], limit=10_000)
    (22, 957)
    """

    name: ClassVar[str] = "fsrs6"
    summary: ClassVar[str] = "spaced repetition: late recalls strengthen more, with a long tail"
    formula: ClassVar[str] = (
        "evict when (1 + factor × days / stability) ^ -w20 < eviction_threshold, factor = 0.9 ^ (-1 / w20) - 1; "
        "at a recall: stability and difficulty as in FSRS-6, from the retrievability at that moment"
    )
    source: ClassVar[str] = "open-spaced-repetition/py-fsrs 6.3.2, fsrs/scheduler.py"
    turn_invariant: ClassVar[bool] = True
    time_unit: ClassVar[str] = "day"

    eviction_threshold: float = parameter(
        0.7, above=0.0, below=1.0, meaning="an item is evicted when its retrievability falls below this score"
    )
    turns_per_day: float = turns_per_day_parameter(1.0)
    recall_grade: int = parameter(
        3, at_least=1, at_most=4, meaning="grade of every recall: 1 again, 2 hard, 3 good, 4 easy"
    )
    first_grade: int = parameter(3, at_least=1, at_most=4, meaning="grade of the registration")
    weights: tuple[float, ...] = parameter(
        DEFAULT_WEIGHTS, length=21, at_least=0.0, at_most=100.0, meaning="the 21 weights of FSRS-6, in its order"
    )

    def problems(self) -> list[str]:
        """Refuse weights outside the ranges that FSRS-6 allows."""
        rows = enumerate(zip(self.weights, LOWEST_WEIGHTS, HIGHEST_WEIGHTS, strict=True))
        return [
            f"Fsrs6.weights[{place}] is {weight}; allowed: a finite number at least {low:g} and at most {high:g}"
            for place, (weight, low, high) in rows
            if not low <= weight <= high
        ]

    def constants(self) -> Fsrs6Constants:
        """Return the weights and what follows from them."""
        decay = -self.weights[20]
        factor = 0.9 ** (1 / decay) - 1
        return Fsrs6Constants(self.weights, decay, factor, self.turns_per_day, self.first_grade, self.recall_grade)

    def turns_per_unit(self) -> float:
        """Return the turns of a day."""
        return self.turns_per_day

    @staticmethod
    def on_register(parameters: Fsrs6Constants, turn: int, item: Any, grade: int = 0) -> State:
        """Return stability and difficulty after the first review."""
        given = grade if grade > 0 else parameters.first_grade
        first = parameters.weights[given - 1]
        difficulty = _clamped_difficulty(_first_difficulty(parameters, given))
        return max(first, SMALLEST_STABILITY), difficulty, turn

    @staticmethod
    def on_recall(parameters: Fsrs6Constants, state: State, turn: int, grade: int = 0) -> State:
        """Return stability and difficulty after another review; both follow from the difficulty before it."""
        stability, difficulty, last = state
        days = _whole_days(parameters, last, turn)
        given = grade if grade > 0 else parameters.recall_grade
        if days < 1:
            following = _stability_on_the_same_day(parameters, stability, given)
        else:
            retrievability = _retrievability(parameters, stability, days)
            if given == 1:
                following = _stability_after_a_lapse(parameters, stability, difficulty, retrievability)
            else:
                following = _stability_after_success(parameters, stability, difficulty, retrievability, given)
        return max(following, SMALLEST_STABILITY), _next_difficulty(parameters, difficulty, given), turn

    @staticmethod
    def retention(parameters: Fsrs6Constants, state: State, turn: int) -> float:
        """Return the probability of recall."""
        return _retrievability(parameters, state[0], _whole_days(parameters, state[2], turn))

    @staticmethod
    def stability(parameters: Fsrs6Constants, state: State) -> float:
        """Return the stability in turns: after as many, the probability of recall is 0.9."""
        return state[0] * parameters.turns_per_day


def _whole_days(parameters: Fsrs6Constants, last: int, turn: int) -> int:
    return max(0, math.floor((turn - last) / parameters.turns_per_day))


def _retrievability(parameters: Fsrs6Constants, stability: float, days: int) -> float:
    base: float = 1 + parameters.factor * days / stability
    score: float = base**parameters.decay
    return score


def _clamped_difficulty(difficulty: float) -> float:
    return min(max(difficulty, 1.0), 10.0)


def _first_difficulty(parameters: Fsrs6Constants, grade: int) -> float:
    power: float = math.e ** (parameters.weights[5] * (grade - 1))
    return parameters.weights[4] - power + 1


def _next_difficulty(parameters: Fsrs6Constants, difficulty: float, grade: int) -> float:
    change = -(parameters.weights[6] * (grade - 3))
    damped = difficulty + (10.0 - difficulty) * change / 9.0
    target = _first_difficulty(parameters, 4)
    return _clamped_difficulty(parameters.weights[7] * target + (1 - parameters.weights[7]) * damped)


def _stability_on_the_same_day(parameters: Fsrs6Constants, stability: float, grade: int) -> float:
    weights = parameters.weights
    increase: float = (math.e ** (weights[17] * (grade - 3 + weights[18]))) * (stability ** -weights[19])
    if grade > 1:
        increase = max(increase, 1.0)
    return stability * increase


def _stability_after_success(
    parameters: Fsrs6Constants, stability: float, difficulty: float, retrievability: float, grade: int
) -> float:
    weights = parameters.weights
    hard_penalty = weights[15] if grade == 2 else 1.0
    easy_bonus = weights[16] if grade == 4 else 1.0
    following: float = stability * (
        1
        + (math.e ** weights[8])
        * (11 - difficulty)
        * (stability ** -weights[9])
        * ((math.e ** ((1 - retrievability) * weights[10])) - 1)
        * hard_penalty
        * easy_bonus
    )
    return following


def _stability_after_a_lapse(
    parameters: Fsrs6Constants, stability: float, difficulty: float, retrievability: float
) -> float:
    weights = parameters.weights
    long_term: float = (
        weights[11]
        * (difficulty ** -weights[12])
        * (((stability + 1) ** weights[13]) - 1)
        * (math.e ** ((1 - retrievability) * weights[14]))
    )
    short_term: float = stability / (math.e ** (weights[17] * weights[18]))
    return min(long_term, short_term)
