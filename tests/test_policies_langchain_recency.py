"""Tests of vecdecay.policies.langchain_recency."""

import math
import random

import pytest
from table_policies import NOT_NUMBERS, expect_formula, expect_refused

from vecdecay.engines.horizon import horizon_of
from vecdecay.engines.lives import ages_after
from vecdecay.items import Attributes
from vecdecay.policies import LangChainRecency


def test_the_law_in_figures() -> None:
    """0.99 an hour halves in 68.97 hours and is below 0.2 from hour 161 on, however often an item was used."""
    policy = LangChainRecency()
    assert ages_after(policy, [1]).half == pytest.approx(68.97, abs=0.005)
    assert [horizon_of(policy, count) for count in (1, 2, 50)] == [161] * 3
    assert policy.retention(1, 1) == 0.99
    assert horizon_of(LangChainRecency(turns_per_day=240.0), 1) == 1602


def formula(policy: LangChainRecency, age: int, recall_count: int, item: Attributes) -> float:
    """Return the score as the retriever computes it."""
    return (1.0 - policy.decay_rate) ** (age * 24.0 / policy.turns_per_day)


def drawn(stream: random.Random) -> LangChainRecency:
    """Return a policy with any parameters."""
    return LangChainRecency(
        decay_rate=stream.choice((0.01, stream.uniform(1e-6, 0.999))), turns_per_day=stream.choice((24.0, 1.0, 99.9))
    )


def test_the_score_is_the_formula() -> None:
    """Bit for bit, on many rates, ages and clocks."""
    expect_formula(drawn, formula)


def test_the_ends_of_the_rate() -> None:
    """A rate too small to change a float keeps all; one just below 1 leaves nothing after an hour."""
    assert horizon_of(LangChainRecency(decay_rate=1e-17), 1) == 2**31
    assert horizon_of(LangChainRecency(decay_rate=math.nextafter(1.0, 0.0)), 1) == 1


def test_parameters_have_their_range() -> None:
    """Each is refused by name outside it."""
    expect_refused(LangChainRecency, "eviction_threshold", (0, 1, *NOT_NUMBERS))
    expect_refused(LangChainRecency, "decay_rate", (0, 1, -0.5, *NOT_NUMBERS))
