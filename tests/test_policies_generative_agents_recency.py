"""Tests of vecdecay.policies.generative_agents_recency: the paper's curve, not the code's rank."""

import random

import pytest
from table_policies import NOT_NUMBERS, expect_formula, expect_refused

from vecdecay.engines.horizon import horizon_of
from vecdecay.engines.lives import ages_after
from vecdecay.items import Attributes
from vecdecay.policies import GenerativeAgentsRecency


def test_the_law_in_figures() -> None:
    """0.995 an hour halves in 138.28 hours and is below 0.2 from hour 322 on; 0.99 halves in 68.97."""
    assert ages_after(GenerativeAgentsRecency(), [1]).half == pytest.approx(138.28, abs=0.005)
    assert ages_after(GenerativeAgentsRecency(decay_factor=0.99), [1]).half == pytest.approx(68.97, abs=0.005)
    assert [horizon_of(GenerativeAgentsRecency(), count) for count in (1, 2, 50)] == [322] * 3
    assert horizon_of(GenerativeAgentsRecency(turns_per_day=1.0), 1) == 14


def formula(policy: GenerativeAgentsRecency, age: int, recall_count: int, item: Attributes) -> float:
    """Return the score as the paper writes it."""
    return policy.decay_factor ** (age * 24.0 / policy.turns_per_day)


def drawn(stream: random.Random) -> GenerativeAgentsRecency:
    """Return a policy with any parameters."""
    factor = stream.choice((0.995, 0.99, stream.uniform(0.01, 0.9999)))
    return GenerativeAgentsRecency(decay_factor=factor, turns_per_day=stream.choice((24.0, 1.0, 99.9)))


def test_the_score_is_the_formula() -> None:
    """Bit for bit, on many factors, ages and clocks."""
    expect_formula(drawn, formula)


def test_parameters_have_their_range() -> None:
    """Each is refused by name outside it."""
    expect_refused(GenerativeAgentsRecency, "eviction_threshold", (0, 1, *NOT_NUMBERS))
    expect_refused(GenerativeAgentsRecency, "decay_factor", (0, 1, 1.5, *NOT_NUMBERS))
