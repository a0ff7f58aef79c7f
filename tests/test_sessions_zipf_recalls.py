"""Tests of vecdecay.sessions.zipf_recalls: a few favourites and a long tail."""

import math

import numpy as np
import pytest
from hypothesis import strategies as st
from rhythms import (
    exactness_test,
    expect_distinct,
    expect_noise_changes_nothing_else,
    expect_prefix,
    foundational_events,
    refusals,
    seeded_workloads,
)

from vecdecay.sessions import ZipfRecalls

rhythm = st.fixed_dictionaries(
    {"recalls_per_turn": st.sampled_from((0.0, 0.5, 3.0)), "zipf_exponent": st.sampled_from((0.0, 1.0, 2.5, 10.0))}
)

test_generators_and_engines_agree = exactness_test(seeded_workloads(ZipfRecalls, rhythm))


def test_noise_changes_no_foundational_item() -> None:
    """Neither its touches nor what it is like depend on any parameter of the noise."""
    expect_noise_changes_nothing_else(ZipfRecalls(importance_law="uniform", token_law="pareto"), range(8))


def test_distinct_seeds_have_distinct_sessions() -> None:
    """Also seeds that differ in their sign only."""
    expect_distinct(ZipfRecalls())


def test_a_longer_session_begins_like_a_shorter_one() -> None:
    """Whatever happens in the turns of the shorter one happens in the longer one too, noise included."""
    noise = {"noise_law": "poisson", "noise_per_turn": 0.8, "noise_recall_probability": 0.4}
    for length, longer in ((20, 20 + 1), (20, 20 * 3)):
        expect_prefix(
            ZipfRecalls(session_length=length, **noise), ZipfRecalls(session_length=longer, **noise), range(20)
        )


def test_shares_follow_the_law() -> None:
    """Item 0 is recalled twice as often as item 1 and four times as often as item 3 at exponent 1."""
    block = ZipfRecalls(num_foundational=4, recalls_per_turn=1.0).block(range(5000))
    recalls = (np.diff(block.touch_start) - 1).reshape(5000, 4).sum(axis=0)
    wanted = 5000 * 149 * np.array([1, 1 / 2, 1 / 3, 1 / 4]) / (25 / 12)
    assert (abs(recalls - wanted) < 5 * np.sqrt(wanted)).all()


def test_exponent_zero_makes_all_items_alike() -> None:
    """And then the number of items changes only the rate, not the draws behind it."""
    few, many = (ZipfRecalls(num_foundational=n, recalls_per_turn=0.1 * n, zipf_exponent=0.0) for n in (3, 30))
    first = foundational_events(few.session(5))
    assert first == [event for event in foundational_events(many.session(5)) if event[2] < 3]


@pytest.mark.parametrize("exponent", [-1.0, 10.5, math.nan, math.inf])
def test_exponents_out_of_range_are_refused_with_all_else(exponent: float) -> None:
    """All mistakes in one error."""
    lines = refusals(ZipfRecalls, zipf_exponent=exponent, recalls_per_turn=-1, num_foundational=200_000)
    assert len(lines) == 3
    assert f"ZipfRecalls.zipf_exponent is {exponent}; allowed: a finite number at least 0 and at most 10" in lines
