"""Tests of vecdecay.sessions.zipf_recalls: a few favourites and a long tail."""

import math

import numpy as np
import pytest
from rhythms import foundational_events, refusals

from vecdecay.sessions import ZipfRecalls


def test_shares_follow_the_distribution() -> None:
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
