"""Tests of vecdecay.sessions.recency_biased: gaps that follow a power distribution."""

import math

import numpy as np
from rhythms import refusals

from vecdecay.sessions import RecencyBiased


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
