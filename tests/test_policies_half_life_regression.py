"""Tests of vecdecay.policies.half_life_regression."""

import math
import random

import pytest
from table_policies import NOT_NUMBERS, expect_formula, expect_refused

from vecdecay.engines.horizon import IMMORTAL, horizon_of
from vecdecay.errors import InvalidInputError
from vecdecay.items import Attributes
from vecdecay.policies import HalfLifeRegression


def test_the_default_weights_in_figures() -> None:
    """A new item has a half-life of one day; three and eight right answers make it two and four."""
    policy = HalfLifeRegression()
    assert [policy.half_life_days(1 + right) for right in (0, 3, 8, 15)] == [1.0, 2.0, 4.0, 8.0]
    assert policy.retention(1, 1) == 0.5
    assert horizon_of(policy, 1) == 3  # 2^-2 = 0.25 stays, 2^-3 goes


def test_a_half_life_has_two_bounds() -> None:
    """Fifteen minutes at least, 274 days at most, whatever the sum; even where two to its power is no float."""
    assert HalfLifeRegression(bias_weight=-100.0).half_life_days(1) == 15.0 / (24 * 60)
    assert HalfLifeRegression(bias_weight=100.0).half_life_days(1) == 274.0
    assert HalfLifeRegression(form="leitner").half_life_days(10**6) == 274.0
    assert HalfLifeRegression(form="pimsleur").half_life_days(10**6) == 274.0
    assert HalfLifeRegression(right_weight=100.0).half_life_days(10**6) == 274.0


def test_scores_are_clipped() -> None:
    """Between 0.0001 and 0.9999; a threshold at the lower bound evicts nothing, one above the upper all at once."""
    policy = HalfLifeRegression(turns_per_day=1e9)
    assert policy.retention(1, 1) == 0.9999
    assert HalfLifeRegression().retention(10**6, 1) == 0.0001
    assert horizon_of(HalfLifeRegression(eviction_threshold=0.0001), 1) == IMMORTAL
    assert horizon_of(HalfLifeRegression(eviction_threshold=0.99995, turns_per_day=1000.0), 9) == 1


def test_the_fixed_rules() -> None:
    """Leitner: 2^(right - wrong). Pimsleur: 2^(2.35 × total - 16.46), which needs five answers to leave its floor."""
    leitner = HalfLifeRegression(form="leitner")
    assert [leitner.half_life_days(1 + right) for right in range(5)] == [1.0, 2.0, 4.0, 8.0, 16.0]
    wrong = HalfLifeRegression(form="leitner", recall_answer="wrong")
    assert [wrong.half_life_days(1 + answers) for answers in range(3)] == [1.0, 0.5, 0.25]
    pimsleur = HalfLifeRegression(form="pimsleur")
    floor, answers = 15.0 / 1440.0, range(10)
    expected = [min(max(2.0 ** (2.35 * total - 16.46), floor), 274.0) for total in answers]
    assert [pimsleur.half_life_days(1 + total) for total in answers] == expected
    assert expected.count(floor) == 5


def test_a_recall_may_count_as_wrong() -> None:
    """Then use shortens life, by the weights that are the default."""
    policy = HalfLifeRegression(recall_answer="wrong")
    assert [policy.half_life_days(1 + wrong) for wrong in (0, 3, 8)] == [1.0, 0.5, 0.25]


def formula(policy: HalfLifeRegression, age: int, recall_count: int, item: Attributes) -> float:
    """Return the score of the regression as the source computes it."""
    right, wrong = (recall_count - 1, 0) if policy.recall_answer == "right" else (0, recall_count - 1)
    features = ((policy.right_weight, math.sqrt(1 + right)), (policy.wrong_weight, math.sqrt(1 + wrong)))
    total = 0.0
    for weight, value in (*features, (policy.bias_weight, 1.0)):
        total += weight * value  # from the first to the last; sum() carries lost digits along since Python 3.12
    half_life = min(max(2.0**total, 15.0 / 1440), 274.0)
    return min(max(2.0 ** (-(age / policy.turns_per_day) / half_life), 0.0001), 0.9999)


def drawn(stream: random.Random) -> HalfLifeRegression:
    """Return a regression with any parameters."""
    return HalfLifeRegression(
        right_weight=stream.uniform(-2.0, 2.0),
        wrong_weight=stream.uniform(-2.0, 2.0),
        bias_weight=stream.choice((0.0, stream.uniform(-3.0, 3.0))),
        recall_answer=stream.choice(("right", "wrong")),
        turns_per_day=stream.choice((1.0, 40.0, 0.3)),
    )


def test_the_score_is_the_formula() -> None:
    """Bit for bit, on many weights, ages and counts."""
    expect_formula(drawn, formula)


def test_parameters_have_their_range() -> None:
    """Each is refused by name outside it, a half-life of 0 among them; reversed bounds too."""
    expect_refused(HalfLifeRegression, "eviction_threshold", (0, 1, *NOT_NUMBERS))
    expect_refused(HalfLifeRegression, "min_half_life_days", (0, 0.0, -1.0, *NOT_NUMBERS))
    expect_refused(HalfLifeRegression, "max_half_life_days", (0, 0.0, -1.0, *NOT_NUMBERS))
    expect_refused(HalfLifeRegression, "right_weight", (101, -101, *NOT_NUMBERS))
    expect_refused(HalfLifeRegression, "form", ("hlr", None))
    expect_refused(HalfLifeRegression, "recall_answer", ("good", None))
    with pytest.raises(InvalidInputError, match=r"^HalfLifeRegression\.min_half_life_days is 3; allowed: at most max"):
        HalfLifeRegression(min_half_life_days=3.0, max_half_life_days=2.0)
