"""Tests of vecdecay.sessions.recency_biased: gaps that follow a power law."""

import math

import numpy as np
from hypothesis import strategies as st
from rhythms import (
    exactness_test,
    expect_distinct,
    expect_noise_changes_nothing_else,
    expect_prefix,
    refusals,
    seeded_workloads,
)

from vecdecay.sessions import RecencyBiased

rhythm = st.fixed_dictionaries(
    {"gap_scale": st.sampled_from((0.5, 1e-6, 1e9, 4.0)), "gap_exponent": st.sampled_from((0.64, 0.1, 100.0, 2.0))}
)

test_generators_and_engines_agree = exactness_test(seeded_workloads(RecencyBiased, rhythm))


def test_noise_changes_no_foundational_item() -> None:
    """Neither its touches nor what it is like depend on any parameter of the noise."""
    expect_noise_changes_nothing_else(RecencyBiased(importance_law="uniform", token_law="pareto"), range(8))


def test_distinct_seeds_have_distinct_sessions() -> None:
    """Also seeds that differ in their sign only."""
    expect_distinct(RecencyBiased())


def test_a_longer_session_begins_like_a_shorter_one() -> None:
    """Whatever happens in the turns of the shorter one happens in the longer one too, noise included."""
    noise = {"noise_law": "poisson", "noise_per_turn": 0.8, "noise_recall_probability": 0.4}
    for length, longer in ((20, 20 + 1), (20, 20 * 3)):
        expect_prefix(
            RecencyBiased(session_length=length, **noise), RecencyBiased(session_length=longer, **noise), range(20)
        )


def test_gaps_have_the_shape_of_recorded_ones() -> None:
    """Half of them one turn, nine in ten at most 20, a tail of hundreds, none of zero."""
    block = RecencyBiased(session_length=2000, noise_per_turn=0).block(range(500))
    gaps = np.diff(block.touch_turn)[block.touch_kind[1:] == 1]
    assert gaps.min() == 1
    assert np.median(gaps) == 1
    assert 10 <= np.quantile(gaps, 0.9) <= 20
    assert np.quantile(gaps, 0.999) > 300


def test_the_longer_untouched_the_less_likely() -> None:
    """The chance of a recall in the next turn falls with the age, at every age looked at."""
    block = RecencyBiased(session_length=1000, noise_per_turn=0).block(range(2000))
    gaps = np.diff(block.touch_turn)[block.touch_kind[1:] == 1]
    chances = [(gaps == age).sum() / (gaps >= age).sum() for age in (1, 2, 4, 8, 16, 32)]
    assert chances == sorted(chances, reverse=True)


def test_wrong_parameters_are_named_together() -> None:
    """Scale, exponent and a share."""
    lines = refusals(RecencyBiased, gap_scale=0, gap_exponent=math.inf, pinned_share=1.5)
    assert [line.split(" is ")[0] for line in lines] == [
        "RecencyBiased.gap_scale", "RecencyBiased.gap_exponent", "RecencyBiased.pinned_share",
    ]  # fmt: skip
