"""Tests of vecdecay.policies.base, and of what every listed policy must keep to."""

import math
from dataclasses import FrozenInstanceError, dataclass
from typing import Any, ClassVar

import pytest
from comparing import play_everywhere
from strategies import first_evicting_age

from vecdecay.engines.horizon import IMMORTAL, horizon_of
from vecdecay.engines.registry import play_block
from vecdecay.errors import InvalidInputError
from vecdecay.items import DEFAULT_ATTRIBUTES, Attributes
from vecdecay.parameters import parameter
from vecdecay.policies import (
    POLICIES,
    ActR,
    CachePolicy,
    Ebbinghaus,
    Fsrs6,
    HalfLifeRegression,
    LangMem,
    Policy,
    TablePolicy,
    YourMemory,
    YourMemoryGraph,
)
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.session import FOUNDATIONAL, RECALL, REGISTER, Session

SESSION = Session(
    12,
    (FOUNDATIONAL, FOUNDATIONAL),
    ((1, REGISTER, 0), (1, REGISTER, 1), (3, RECALL, 0), (8, RECALL, 0), (8, RECALL, 1), (9, REGISTER, 1)),
)


@pytest.mark.parametrize("kind", POLICIES)
class TestEveryPolicy:
    """What holds for each policy that is listed."""

    def test_it_describes_itself(self, kind: type[Policy]) -> None:
        """Name, summary, formula, source, and a meaning for every parameter."""
        assert kind.name
        assert kind.name == kind.name.lower()
        assert all((kind.summary, kind.formula, kind.source))
        assert all(one.meaning for one in kind().parameters())

    def test_it_is_a_value(self, kind: type[Policy]) -> None:
        """Two policies with the same parameters are equal, hash alike and cannot be changed."""
        assert kind() == kind()
        assert hash(kind()) == hash(kind())
        with pytest.raises(FrozenInstanceError):
            kind().name = "other"  # type: ignore[misc]

    def test_fresh_items_score_1_and_stay(self, kind: type[Policy]) -> None:
        """At age 0, and for a clock that runs backwards, the score is exactly 1.0 and nothing is evicted."""
        policy = kind()
        if isinstance(policy, TablePolicy):
            for age in (0, -1, -(10**9)):
                assert policy.retention(age, 1) == 1.0
                assert not policy.evicts(age, 1)

    def test_an_eviction_is_for_ever(self, kind: type[Policy]) -> None:
        """Once a policy evicts at an age it evicts at every later one, and scores never rise with age."""
        policy = kind()
        if isinstance(policy, TablePolicy):
            for recall_count in (1, 2, 3):
                evicts = [policy.evicts(age, recall_count) for age in range(100)]
                assert evicts == sorted(evicts)
                scores = [policy.retention(age, recall_count) for age in range(100)]
                assert scores == sorted(scores, reverse=True)
                assert all(0.0 <= score <= 1.0 for score in scores)


@dataclass(frozen=True)
class SlowStart(TablePolicy):
    """A user's own policy: items used once live 2 turns, all others 5. It offers neither guess nor score."""

    name: ClassVar[str] = "slow_start"
    summary: ClassVar[str] = "an example"
    formula: ClassVar[str] = "2 turns, then 5"
    source: ClassVar[str] = "this test"

    def retention(self, age: int, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return 1.0 while the item stays."""
        return 0.0 if self.evicts(age, recall_count, item) else 1.0

    def evicts(self, age: int, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> bool:
        """Tell whether the item is too old."""
        return age > (2 if recall_count == 1 else 5)


def test_a_users_policy_of_one_function_plays_everywhere() -> None:
    """Ten lines of plain Python run in every engine; what is not defined has a default that is never wrong."""
    policy = SlowStart()
    assert policy.horizon_guess(1) == 1.0
    assert policy.stability(1) is None
    assert policy.threshold() is None
    assert [horizon_of(policy, count) for count in (1, 2, 3)] == [3, 6, 6]
    outcome = play_everywhere([SESSION], policy)
    assert outcome.items is not None
    assert outcome.items.evicted_turn.tolist() == [0, 12]
    assert outcome.items.stability is None
    assert outcome.misses.tolist() == [1]


@dataclass(frozen=True)
class Guessing(SlowStart):
    """Evicts at a given age, and sends the search anywhere first."""

    evicting_age: float = parameter(1.0, meaning="first age at which items are evicted")
    guess: Any = None

    def __post_init__(self) -> None:
        """Allow any guess, even one that is no number."""

    def evicts(self, age: int, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> bool:
        """Tell whether the item is too old."""
        return age >= self.evicting_age

    def horizon_guess(self, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return the guess."""
        return float(self.guess)


GUESSES = (-math.inf, -5.0, 0.0, 1.0, 2.5, 6.0, 1e6, 2.0**31 - 1, 2.0**31, math.inf, math.nan)


@pytest.mark.parametrize("guess", GUESSES)
def test_any_guess_gives_the_same_horizon(guess: float) -> None:
    """A policy's guess only says where to start: too low, too high, infinite or NaN, the horizon is the same."""
    for wanted in (1, 2, 7, 1000):
        policy = Guessing(wanted, guess)
        assert horizon_of(policy, 1) == wanted == first_evicting_age(policy, 1, 1001)
    for last in (2**31 - 2, 2**31 - 1):
        assert horizon_of(Guessing(last, guess), 1) == last


@pytest.mark.parametrize("guess", GUESSES)
def test_a_policy_that_never_evicts_is_immortal(guess: float) -> None:
    """However the search starts, it ends, and says that the item outlives every session."""
    policy = Guessing(math.inf, guess)
    assert horizon_of(policy, 1) == IMMORTAL
    outcome = play_block(block_of([SESSION]), policy, "horizon")
    assert outcome.items_evicted.tolist() == [0]
    assert outcome.foundational_present.tolist() == [2]


Values = dict[str, Any]

CLASHES: list[tuple[type[Policy], Values, str, Values, Values]] = [
    (Ebbinghaus, {"max_stability": 1.0}, "max_stability is 1;", {"eviction_threshold": 7}, {"baseline_stability": -1}),
    (
        ActR,
        {"approximation": "standard", "decay": 1.5},
        "decay is 1.5;",
        {"retrieval_threshold": 1000},
        {"approximation": "x"},
    ),
    (
        HalfLifeRegression,
        {"min_half_life_days": 300.0},
        "min_half_life_days is 300;",
        {"right_weight": math.nan, "form": "x"},
        {"max_half_life_days": 0},
    ),
    (YourMemory, {"job_period_hours": 36.0}, "job_period_hours is 36,", {"fact_rate": -1}, {"turns_per_day": 0}),
    (
        LangMem,
        {"max_summary_tokens": 300},
        "max_summary_tokens is 300 of 256",
        {"summarise_from_tokens": 0},
        {"capacity_tokens": 0},
    ),
    (
        YourMemoryGraph,
        {"job_period_hours": 36.0},
        "job_period_hours is 36,",
        {"fact_rate": -1},
        {"turns_per_day": 0},
    ),
    (Fsrs6, {"weights": (100.0,) * 21}, "weights[4] is 100.0;", {"eviction_threshold": 7}, {"weights": (1.0, 2.0)}),
]
"""A policy, values that clash, a part of the line that tells, values wrong singly beside them or among them."""


@pytest.mark.parametrize(("kind", "values", "told", "beside", "among"), CLASHES)
def test_a_clash_is_told_with_what_is_wrong_singly(
    kind: type[Policy], values: Values, told: str, beside: Values, among: Values
) -> None:
    """All lines at once, unless the clash rests on a value that is wrong by itself; then that one is told alone."""
    alone = mistakes(kind, values)
    assert any(line.startswith(f"{kind.__name__}.{told}") for line in alone)
    assert mistakes(kind, values | beside) == mistakes(kind, beside) + alone
    assert mistakes(kind, values | among) == mistakes(kind, among)


def test_every_policy_whose_values_may_clash_is_tried() -> None:
    """The table above leaves none out; all cache policies have the same budgets, see test_policies_cache."""
    assert {kind for kind, *_ in CLASHES} == {
        kind for kind in POLICIES if kind.may_clash() and not issubclass(kind, CachePolicy)
    }


def mistakes(kind: type[Policy], values: Values) -> list[str]:
    """Return the lines with which a policy refuses values."""
    with pytest.raises(InvalidInputError) as caught:
        kind(**values)
    return list(caught.value.problems)


@dataclass(frozen=True)
class Halving(TablePolicy):
    """A score that is exactly a power of two."""

    eviction_threshold: float = 0.25

    def retention(self, age: int, recall_count: int) -> float:
        """Return 2 to the power of minus the age."""
        return 0.5**age


def test_at_the_threshold_an_item_stays() -> None:
    """The comparison that a policy gets which says nothing of its own is strict."""
    assert [Halving().evicts(age, 1) for age in (1, 2, 3)] == [False, False, True]
