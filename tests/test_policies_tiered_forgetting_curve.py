"""Tests of vecdecay.policies.tiered_forgetting_curve: boosts that compound, as they are run."""

import itertools
import math
import random

import pytest
from table_policies import NOT_NUMBERS, expect_formula, expect_refused

from vecdecay.engines.horizon import horizon_of
from vecdecay.engines.lives import ages_after
from vecdecay.items import Attributes
from vecdecay.policies import TieredForgettingCurve
from vecdecay.policies.tiered_forgetting_curve import boosted_stability


def test_the_published_sequence() -> None:
    """Short tier, importance 0.5: 3600, 5400, 12150, 41006, 207594, 1.58e6 seconds; ratios 1.5, 2.25, 3.4, 5.1, 7.6."""
    found = [boosted_stability("short", 0.5, 0, count) for count in range(1, 7)]
    assert [round(value) for value in found] == [3600, 5400, 12150, 41006, 207594, 1576418]
    ratios = [later / earlier for earlier, later in itertools.pairwise(found)]
    assert ratios == pytest.approx([1.5, 2.25, 3.375, 5.0625, 7.59375], rel=1e-15)


def test_boosts_stop_growing_and_stability_is_capped() -> None:
    """After the sixth access every access multiplies by 1.5^5 × 1.5; ten years is the most."""
    found = [boosted_stability("short", 0.5, 0, count) for count in range(1, 40)]
    assert found[7] / found[6] == pytest.approx(1.5**6)
    assert found[-1] == 315_360_000.0
    assert boosted_stability("long", 1.0, 9, 10**5) == 315_360_000.0


def test_the_hour_is_an_e_fold() -> None:
    """Half is gone after 2495 seconds, not after an hour; below 0.2 after 5793.98 seconds."""
    by_second = TieredForgettingCurve(turns_per_day=86_400.0)
    assert ages_after(by_second, [1]).half == pytest.approx(3600 * math.log(2))
    assert round(3600 * math.log(2)) == 2495
    assert horizon_of(by_second, 1) == 5794
    assert horizon_of(TieredForgettingCurve(), 1) == 97
    assert by_second.retention(3600, 1) == math.exp(-1.0)


def test_the_tiers_differ_in_what_they_start_with() -> None:
    """An hour, 30 days, a year, in turns of a day."""
    starts = [TieredForgettingCurve(tier=tier, turns_per_day=1.0).stability(1) for tier in ("short", "mid", "long")]
    assert starts == [1 / 24, 30.0, 365.0]


def plain_stability(policy: TieredForgettingCurve, recall_count: int, importance: float) -> float:
    """Return the stability after each access in turn, written out."""
    stability = {"short": 3600.0, "mid": 2592000.0, "long": 31536000.0}[policy.tier]
    for access_count in range(1, recall_count):
        if access_count > 1:
            stability *= 1.5 ** min(access_count - 1, 5)
        stability *= 1.0 + (2.0 - 1.0) * importance
        if policy.references > 0:
            stability *= 1.2 ** min(policy.references, 3)
        stability = min(stability, 315360000.0)
    return stability


def formula(policy: TieredForgettingCurve, age: int, recall_count: int, item: Attributes) -> float:
    """Return the score from seconds idle."""
    return math.exp(-(age * 86400.0 / policy.turns_per_day) / plain_stability(policy, recall_count, item.importance))


def drawn(stream: random.Random) -> TieredForgettingCurve:
    """Return a policy with any parameters."""
    return TieredForgettingCurve(
        tier=stream.choice(("short", "mid", "long")),
        references=stream.choice((0, 1, 3, 4)),
        turns_per_day=stream.choice((1440.0, 24.0, 333.3)),
    )


def test_the_score_is_the_formula() -> None:
    """Bit for bit, on many parameters, ages, counts and items."""
    expect_formula(drawn, formula)


def test_parameters_have_their_range() -> None:
    """Each is refused by name outside it."""
    expect_refused(TieredForgettingCurve, "eviction_threshold", (0, 1, *NOT_NUMBERS))
    expect_refused(TieredForgettingCurve, "tier", ("medium", "", None, 3))
    expect_refused(TieredForgettingCurve, "references", (-1, 0.5, *NOT_NUMBERS))
