"""Tests of vecdecay.policies.fsrs6; the fsrs package is the outside oracle."""

import math
import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from typing import Any

import fsrs
import pytest
from comparing import COMPILED
from stateful_cases import (
    INPUTS,
    expect_compiled_is_plain,
)

from vecdecay.errors import InvalidInputError
from vecdecay.items import DEFAULT_ATTRIBUTES
from vecdecay.policies.fsrs6 import DEFAULT_WEIGHTS, HIGHEST_WEIGHTS, LOWEST_WEIGHTS, Fsrs6
from vecdecay.policies.stateful import functions_of, item_facts

START = datetime(2000, 1, 1, tzinfo=UTC)
FACTS = item_facts(DEFAULT_ATTRIBUTES)
HISTORIES = [1_000 if COMPILED else 300, pytest.param(10_000, marks=pytest.mark.thorough)]
DAYS = 20_000

SAME_OPERATIONS = version("fsrs").startswith("6.3.")
"""Whether the oracle is the release whose operations are followed one by one: then even the last bits are the same."""


def scheduler(weights: tuple[float, ...] = DEFAULT_WEIGHTS) -> fsrs.Scheduler:
    """Return the oracle without learning steps and without random intervals."""
    return fsrs.Scheduler(weights, learning_steps=(), relearning_steps=(), enable_fuzzing=False)


def random_weights(stream: random.Random) -> tuple[float, ...]:
    """Draw the default weights, or others inside the oracle's bounds."""
    if stream.random() < 0.5:
        return DEFAULT_WEIGHTS
    return tuple(
        min(max(weight * stream.uniform(0.5, 2.0), low), high)
        for weight, low, high in zip(DEFAULT_WEIGHTS, LOWEST_WEIGHTS, HIGHEST_WEIGHTS, strict=True)
    )


def first_day_below(score: Callable[[int], float], threshold: float) -> int | None:
    """Return the first day on which a score that does not rise is below the threshold, None beyond 20,000 days."""
    kept, below = -1, DAYS
    if not score(below) < threshold:
        return None
    while below - kept > 1:
        middle = (kept + below) // 2
        kept, below = (kept, middle) if score(middle) < threshold else (middle, below)
    return below


def random_history(stream: random.Random, turns_per_day: int) -> list[int]:
    """Draw the turns of one registration and up to ten recalls, some of them on the same day."""
    turns = [stream.randint(1, 100)]
    for _ in range(stream.randint(0, 10)):
        days = stream.choice((0.0, 0.4, 1.0, stream.expovariate(0.2), stream.expovariate(0.01)))
        turns.append(turns[-1] + math.ceil(days * turns_per_day))
    return turns


@pytest.mark.parametrize("number", HISTORIES)
def test_states_and_horizons_are_those_of_py_fsrs(number: int) -> None:
    """States and scores within 1e-12, horizons in days equal, for any weights and grades, the policy's own or each."""
    stream = random.Random(number)
    functions = functions_of(Fsrs6)
    on_the_same_day = mortal = 0
    for _ in range(number):
        turns_per_day = stream.choice((1, 24, 24, 96))
        policy = Fsrs6(
            eviction_threshold=stream.uniform(0.4, 0.98),
            turns_per_day=turns_per_day,
            recall_grade=stream.randint(1, 4),
            first_grade=stream.randint(1, 4),
            weights=random_weights(stream),
        )
        parameters = policy.constants()
        oracle = scheduler(policy.weights)
        card = fsrs.Card()
        state: Any = None
        turns = random_history(stream, turns_per_day)
        grades = [stream.choice((0, 1, 2, 3, 4)) for _ in turns]
        for position, turn in enumerate(turns):
            moment = START + timedelta(days=1) * turn / turns_per_day
            grade = grades[position] or (policy.first_grade if position == 0 else policy.recall_grade)
            card, _ = oracle.review_card(card, fsrs.Rating(grade), moment)
            if position == 0:
                state = functions.on_register(parameters, turn, FACTS, grades[position])
            else:
                state = functions.on_recall(parameters, state, turn, grades[position])
                on_the_same_day += (turn - turns[position - 1]) // turns_per_day == 0
            assert card.stability is not None
            assert card.difficulty is not None
            assert math.isclose(state[0], card.stability, rel_tol=1e-12, abs_tol=0.0)
            assert math.isclose(state[1], card.difficulty, rel_tol=1e-12, abs_tol=0.0)
            if SAME_OPERATIONS:
                assert state[:2] == (card.stability, card.difficulty)

        def ours(day: int, state: Any = state, policy: Fsrs6 = policy, last: int = turns[-1]) -> float:
            turn = last + day * int(policy.turns_per_day)
            return float(functions.retention(policy.constants(), state, turn))

        def theirs(day: int, card: fsrs.Card = card, oracle: fsrs.Scheduler = oracle) -> float:
            assert card.last_review is not None
            return float(oracle.get_card_retrievability(card, card.last_review + timedelta(days=day)))

        later = stream.randint(0, 5000)
        assert math.isclose(ours(later), theirs(later), rel_tol=1e-12, abs_tol=0.0)
        assert not SAME_OPERATIONS or ours(later) == theirs(later)
        horizon = first_day_below(ours, policy.eviction_threshold)
        assert horizon == first_day_below(theirs, policy.eviction_threshold)
        mortal += horizon is not None
    assert on_the_same_day > number / 2
    assert mortal > number / 2


def test_published_figures() -> None:
    """The figures measured on py-fsrs: stabilities after gaps of a day and after widening gaps, first days below."""
    functions = functions_of(Fsrs6)
    parameters = Fsrs6().constants()
    for turns, expected in (([1, 2, 3, 4], [2.31, 7.32, 11.99, 16.41]), ([1, 4, 12, 32], [2.31, 13.83, 42.06, 102.96])):
        state = functions.on_register(parameters, turns[0], FACTS)
        found = [state[0]]
        for turn in turns[1:]:
            state = functions.on_recall(parameters, state, turn)
            found.append(state[0])
        assert [round(stability, 2) for stability in found] == expected
    assert [Fsrs6(threshold).life([1], 1000) for threshold in (0.9, 0.7, 0.5)] == [3, 22, 209]
    assert parameters.factor == 0.9803464944134797
    again = functions.on_recall(parameters, functions.on_register(parameters, 1, FACTS), 1)
    assert again[0] == 2.3065


def test_a_late_recall_helps_more() -> None:
    """The spacing effect: the later the one recall, the longer the life after it; on the same day it adds nothing."""
    lives = [Fsrs6(0.7).life([1, recall], limit=10_000) for recall in (1, 2, 4, 10, 20)]
    assert lives[0] == Fsrs6(0.7).life([1], limit=10_000)
    assert None not in lives
    assert lives == sorted(set(lives))  # type: ignore[type-var]


def test_a_day_may_be_many_turns() -> None:
    """With 24 turns a day a life is 24 times as many turns, and days are whole: 23 turns are none."""
    policy = Fsrs6(0.7, turns_per_day=24)
    assert policy.life([5], limit=10_000) == 22 * 24
    assert policy.score([5], 5 + 23) == 1.0
    assert policy.score([5], 5 + 24) < 1.0
    assert functions_of(Fsrs6).stability is not None
    assert functions_of(Fsrs6).stability(policy.constants(), (2.0, 5.0, 1)) == 48.0


BAD = [
    ({"weights": DEFAULT_WEIGHTS[:-1]}, "allowed: 21 finite numbers"),
    ({"weights": (*DEFAULT_WEIGHTS, 0.1)}, "allowed: 21 finite numbers"),
    ({"weights": (*DEFAULT_WEIGHTS[:-1], 0.05)}, r"weights\[20\] is 0.05; allowed: a finite number at least 0.1"),
    ({"weights": (*DEFAULT_WEIGHTS[:-1], math.nan)}, "allowed: 21 finite numbers"),
    ({"eviction_threshold": 1.0}, "Fsrs6.eviction_threshold is 1.0"),
    ({"turns_per_day": 0.0}, "Fsrs6.turns_per_day is 0.0"),
    ({"recall_grade": 5}, "Fsrs6.recall_grade is 5"),
    ({"first_grade": 0}, "Fsrs6.first_grade is 0"),
]


@pytest.mark.parametrize(("given", "problem"), BAD, ids=str)
def test_what_is_not_allowed_is_refused(given: dict[str, Any], problem: str) -> None:
    """One line names the parameter, or the single weight, and says what is allowed."""
    with pytest.raises(InvalidInputError, match=problem):
        Fsrs6(**given)


def inputs(name: str, number: int) -> Iterator[tuple[Any, ...]]:
    """Yield arguments of a scalar function: any weights, stabilities and difficulties, ages from 0 up."""
    stream = random.Random(name)
    parameters: Any = None
    for position in range(number):
        if position % 1000 == 0:
            parameters = Fsrs6(
                turns_per_day=stream.choice((1.0, 24.0, stream.uniform(0.01, 50.0))),
                recall_grade=stream.randint(1, 4),
                first_grade=stream.randint(1, 4),
                weights=random_weights(stream),
            ).constants()
        turn = stream.randint(1, 10_000)
        if name == "on_register":
            yield parameters, turn, FACTS
            continue
        state = (math.exp(stream.uniform(-6.9, 12.0)), stream.uniform(1.0, 10.0), turn)
        yield parameters, state, turn + int(stream.expovariate(1.0) * stream.choice((1, 100, 10_000)))


@pytest.mark.parametrize("number", [INPUTS, pytest.param(10 * INPUTS, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("name", ["on_register", "on_recall", "retention"])
def test_compiled_functions_are_the_plain_ones(name: str, number: int) -> None:
    """Each scalar function gives the same bits compiled as in plain Python."""
    expect_compiled_is_plain(Fsrs6, name, inputs(name, number), number)
