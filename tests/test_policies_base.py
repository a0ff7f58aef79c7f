"""Tests of vecdecay.policies.base, and of what every listed policy must keep to."""

import math
from dataclasses import FrozenInstanceError, dataclass
from typing import ClassVar

import numpy as np
import pytest
from comparing import play_everywhere
from strategies import first_evicting_age

from vecdecay.engines.horizon import IMMORTAL, horizon_of
from vecdecay.engines.play import play_block
from vecdecay.policies import POLICIES, Policy, TablePolicy
from vecdecay.sessions.block import block_of
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

    def test_every_engine_plays_it(self, kind: type[Policy]) -> None:
        """The default policy gives the same outcome in every engine."""
        play_everywhere([SESSION], kind(), [1, 5, 12])


@dataclass(frozen=True)
class SlowStart(TablePolicy):
    """A user's own policy: items used once live 2 turns, all others 5. It offers neither guess nor score."""

    name: ClassVar[str] = "slow_start"
    summary: ClassVar[str] = "an example"
    formula: ClassVar[str] = "2 turns, then 5"
    source: ClassVar[str] = "this test"

    def retention(self, age: int, recall_count: int) -> float:
        """Return 1.0 while the item stays."""
        return 0.0 if self.evicts(age, recall_count) else 1.0

    def evicts(self, age: int, recall_count: int) -> bool:
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


def test_any_guess_gives_the_same_horizon() -> None:
    """A policy's guess only says where to start: too low, too high, infinite or NaN, the horizon is the same."""
    for wanted in (1, 2, 7, 1000):
        for guess in (-math.inf, -5.0, 0.0, 1.0, 2.5, 6.0, 1e6, 2.0**31, math.inf, math.nan):

            @dataclass(frozen=True)
            class Guessing(SlowStart):
                def evicts(self, age: int, recall_count: int, wanted: int = wanted) -> bool:
                    return age >= wanted

                def horizon_guess(self, recall_count: int, guess: float = guess) -> float:
                    return guess

            assert horizon_of(Guessing(), 1) == wanted == first_evicting_age(Guessing(), 1, 1001)


def test_a_policy_that_never_evicts_is_immortal() -> None:
    """However the search starts, it ends, and says that the item outlives every session."""
    for guess in (1.0, 1e9, math.inf):

        @dataclass(frozen=True)
        class Never(SlowStart):
            def evicts(self, age: int, recall_count: int) -> bool:
                return False

            def horizon_guess(self, recall_count: int, guess: float = guess) -> float:
                return guess

        assert horizon_of(Never(), 1) == IMMORTAL
        outcome = play_block(block_of([SESSION]), Never(), "horizon")
        assert outcome.items_evicted.tolist() == [0]
        assert np.array_equal(outcome.foundational_present, [2])
