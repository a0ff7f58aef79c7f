"""Tests of vecdecay.sessions.steady_use: facts recalled at one rate throughout."""

import math

import pytest
from rhythms import refusals

from vecdecay.sessions import SteadyUse


def test_the_rate_is_the_mean_number_of_recalls_per_turn() -> None:
    """Over 149 turns at 0.5 per turn: 74.5, and as much in the first half as in the second."""
    block = SteadyUse(recalls_per_turn=0.5, num_foundational=1).block(range(4000))
    recalls = block.touch_turn[block.touch_kind == 1]
    assert abs(len(recalls) / 4000 - 74.5) < 5 * math.sqrt(74.5 / 4000)
    early, late = (recalls <= 75).sum(), (recalls > 76).sum()
    assert abs(early - late) < 5 * math.sqrt(early + late)


def test_another_rate_uses_the_same_draws() -> None:
    """Twice the rate has its recalls at half the times."""
    slow, fast = (SteadyUse(recalls_per_turn=rate, noise_per_turn=0, num_foundational=1) for rate in (0.25, 0.5))
    first = [turn for turn, kind, _ in slow.session(3).events if kind == 1]
    other = [turn for turn, kind, _ in fast.session(3).events if kind == 1]
    assert first
    assert all((turn - 2) // 2 == half - 2 for turn, half in zip(first, other, strict=False))


@pytest.mark.parametrize("rate", [-0.1, math.nan, math.inf, 101.0, "fast"])
def test_rates_out_of_range_are_refused(rate: object) -> None:
    """One line, with the value and what is allowed."""
    (line,) = refusals(SteadyUse, recalls_per_turn=rate)
    assert line == f"SteadyUse.recalls_per_turn is {rate!r}; allowed: a finite number at least 0 and at most 100"
