"""What Hypothesis draws for the table policies of this package beside the published ones: short lives, all variants."""

import dataclasses
import math
import random
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import strategies as st

from vecdecay.errors import InvalidInputError
from vecdecay.items import CATEGORIES, DEFAULT_ATTRIBUTES, Attributes
from vecdecay.policies import (
    AgentMemoryManager,
    Ebbinghaus,
    GenerativeAgentsRecency,
    HalfLifeRegression,
    ImportancePrune,
    LangChainRecency,
    MemoryBank,
    RecencyWindow,
    Sm2,
    TablePolicy,
    TieredForgettingCurve,
    TimeToLive,
    YourMemory,
)

_THRESHOLDS = st.sampled_from((0.2, 0.05, 0.5, 0.9)) | st.floats(0.01, 0.99)
_TURNS_PER_DAY = st.sampled_from((1.0, 2.0, 0.5, 2.5, 24.0))
_WAITS = st.integers(0, 9)


@st.composite
def _at_a_score(draw: st.DrawFn, policies: st.SearchStrategy[Any]) -> Any:
    """Draw a policy, often with a threshold that some reachable score equals: there an item must stay."""
    policy = draw(policies)
    if draw(st.booleans()):
        item = Attributes(draw(st.sampled_from((0.5, 1.0))), draw(st.sampled_from(CATEGORIES)))
        score = policy.retention(draw(st.integers(1, 12)), draw(st.integers(1, 3)), item)
        if 0.0 < score < 1.0:
            return dataclasses.replace(policy, eviction_threshold=score)
    return policy


@st.composite
def _your_memory(draw: st.DrawFn) -> YourMemory:
    turns_per_day = draw(st.sampled_from((1, 2, 3, 4)))
    return YourMemory(
        eviction_threshold=draw(st.sampled_from((0.05, 0.3, 0.4, 0.6))),
        fact_rate=draw(st.sampled_from((0.16, 0.5, 0.0))),
        failure_rate=draw(st.sampled_from((0.35, 2.0))),
        clock=draw(st.sampled_from(("active", "wall"))),
        turns_per_day=turns_per_day,
        job_period_hours=24.0 * draw(st.integers(1, 7)) / turns_per_day,
        single_rate=draw(st.booleans()),
    )


STRATEGIES: dict[str, st.SearchStrategy[TablePolicy]] = {
    "ebbinghaus": _at_a_score(
        st.builds(
            lambda threshold, stability, gain, factor, cooldown, grace: Ebbinghaus(
                threshold, stability, gain, stability * factor, cooldown, grace
            ),
            _THRESHOLDS,
            st.floats(0.5, 8.0),
            st.sampled_from((1.0, 0.5, 0.0)),
            st.sampled_from((math.inf, 1.0, 2.0, 3.0)),
            _WAITS,
            st.integers(0, 25),
        )
    ),
    "recency_window": st.builds(RecencyWindow, st.integers(1, 12) | st.floats(0.1, 12.0), st.integers(0, 25)),
    "time_to_live": st.builds(TimeToLive, st.integers(1, 12) | st.floats(0.1, 20.0), st.booleans()),
    "agent_memory_manager": st.builds(
        AgentMemoryManager,
        st.sampled_from(("by_importance", "short", "short", "mid")),
        st.sampled_from((240.0, 120.0, 24.0, 0.2, 0.5)),
    ),
    "memory_bank": _at_a_score(
        st.builds(MemoryBank, _THRESHOLDS, st.floats(0.2, 5.0), st.sampled_from((1.0, 0.0, 0.5)), _TURNS_PER_DAY)
    ),
    "your_memory": _at_a_score(_your_memory()),
    "importance_prune": _at_a_score(
        st.builds(ImportancePrune, st.sampled_from((0.01, 0.5, 0.9)), st.sampled_from((0.8, 0.5, 1.5)), _TURNS_PER_DAY)
    ),
    "tiered_forgetting_curve": _at_a_score(
        st.builds(
            TieredForgettingCurve,
            _THRESHOLDS,
            st.sampled_from(("short", "mid", "long")),
            st.integers(0, 4),
            st.sampled_from((240.0, 1440.0, 24.0, 0.2, 0.01)),
        )
    ),
    "half_life_regression": _at_a_score(
        st.builds(
            HalfLifeRegression,
            _THRESHOLDS,
            st.sampled_from(("regression", "leitner", "pimsleur")),
            st.floats(-2.0, 2.0),
            st.floats(-2.0, 2.0),
            st.sampled_from((0.0, 1.0)),
            st.sampled_from(("right", "wrong")),
            turns_per_day=_TURNS_PER_DAY,
        )
    ),
    "sm2": st.builds(
        Sm2,
        st.sampled_from((1.0, 0.5, 0.25, 2.0)),
        st.integers(0, 5),
        st.sampled_from(("before", "after")),
        _TURNS_PER_DAY,
        st.booleans(),
        st.sampled_from(("floats", "exact")),
    ),
    "langchain_recency": _at_a_score(
        st.builds(LangChainRecency, _THRESHOLDS, st.sampled_from((0.01, 0.1, 0.4)), _TURNS_PER_DAY)
    ),
    "generative_agents_recency": _at_a_score(
        st.builds(GenerativeAgentsRecency, _THRESHOLDS, st.sampled_from((0.995, 0.9, 0.6)), _TURNS_PER_DAY)
    ),
}
"""A strategy per table policy, by the name of the policy."""

NOT_NUMBERS: tuple[Any, ...] = (math.nan, math.inf, -math.inf, True, "1", None, [1.0], 1j)
"""What no parameter that is a number may be, unless it says that infinity is allowed."""


def expect_refused(kind: type[TablePolicy], name: str, values: Iterable[Any]) -> None:
    """Fail unless each value of a parameter is refused in one line that names it and says what is allowed."""
    for value in values:
        with pytest.raises(InvalidInputError) as caught:
            kind(**{name: value})
        (problem,) = caught.value.problems
        assert problem.startswith(f"{kind.__name__}.{name} is "), problem
        assert "; allowed: " in problem, problem
        assert problem.isprintable()


def expect_formula(
    draw: Callable[[random.Random], TablePolicy],
    formula: Callable[[Any, int, int, Attributes], float],
    number: int = 20_000,
) -> None:
    """Fail unless the score equals the formula, bit for bit, on many drawn policies, ages, counts and items."""
    stream = random.Random(20261130)
    for _ in range(number):
        policy = draw(stream)
        age = stream.choice((1, 2, 3, stream.randint(1, 50), stream.randint(1, 10**6)))
        recall_count = stream.choice((1, 2, 3, stream.randint(1, 30)))
        item = stream.choice(
            (
                DEFAULT_ATTRIBUTES,
                Attributes(stream.random(), stream.choice(CATEGORIES)),
                Attributes(1.0),
                Attributes(0.0),
            )
        )
        expected = formula(policy, age, recall_count, item)
        found = policy.retention(age, recall_count, item)
        assert found == expected, (policy, age, recall_count, item, found, expected)
        assert 0.0 <= found <= 1.0
