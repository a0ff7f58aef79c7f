"""Tests of vecdecay.sessions.attributes: what items are like, as the parameters say; refusals."""

import math
from typing import Any

import numpy as np
import pytest
from rhythms import refusals

from vecdecay.items import CATEGORIES, DEFAULT_ATTRIBUTES
from vecdecay.sessions import NeverRecalled, SteadyUse
from vecdecay.sessions.block import SessionBlock


def items(number: int = 2000, **values: Any) -> SessionBlock:
    """Return sessions of ten facts and one noise item per turn."""
    workload = SteadyUse(**{"num_foundational": 10, "session_length": 30, "noise_per_turn": 1.0, **values})
    return workload.block(range(number)).with_cohorts_listed()


def importances(block: SessionBlock, kind: int | None = None) -> np.ndarray:
    """Return the importance of every item, or of those of one kind."""
    known = np.array([one.importance for one in block.attributes])
    every = known[block.item_attributes]
    return every if kind is None else every[block.item_kind == kind]


def test_defaults_need_no_attributes_at_all() -> None:
    """Every item as any policy expects it, of size 1; nothing is stored for it."""
    session = NeverRecalled().session(1)
    assert session.attributes == session.tokens == ()
    block = NeverRecalled().block([1])
    assert block.item_attributes is None
    assert block.item_tokens is None
    assert block.attributes == (DEFAULT_ATTRIBUTES,)


def test_importance_is_in_hundredths() -> None:
    """Whatever the distribution: at most 101 tables per policy that reads it."""
    for distribution in ("uniform", "beta"):
        found = importances(items(importance_distribution=distribution, importance_mean=0.3))
        assert set(found.tolist()) <= {level / 100 for level in range(101)}
        assert distribution == "beta" or {0.0, 1.0} <= set(found.tolist())
    assert set(importances(items(3, importance_mean=0.123, pinned_share=0.5)).tolist()) == {0.12}


@pytest.mark.parametrize(("mean", "concentration"), [(0.5, 4.0), (0.2, 10.0), (0.9, 2.0), (0.5, 0.2)])
def test_a_beta_distribution_has_its_mean_and_spread(mean: float, concentration: float) -> None:
    """Mean m and variance m (1 − m) / (c + 1), to within five standard errors and the rounding."""
    found = importances(
        items(importance_distribution="beta", importance_mean=mean, importance_concentration=concentration), kind=1
    )
    variance = mean * (1 - mean) / (concentration + 1)
    assert abs(found.mean() - mean) < 5 * math.sqrt(variance / len(found)) + 0.001
    assert abs(found.var() / variance - 1) < 0.05


def test_importance_can_follow_use_or_oppose_it() -> None:
    """At share 1 it is told by the recalls, r / (r + 4); at −1 by 1 minus that; at 0 it knows nothing of them."""
    for share, sign in ((1.0, 1), (-1.0, -1), (0.0, 0)):
        block = items(importance_distribution="uniform", importance_follows_use=share, noise_recall_probability=0.5)
        recalls = np.diff(block.touch_start) - 1
        found = importances(block)
        if sign == 0:
            assert abs(np.corrcoef(recalls, found)[0, 1]) < 0.02
            continue
        told = recalls / (recalls + 4.0)
        assert abs(found - (told if sign > 0 else 1 - told)).max() <= 0.005 + 1e-12


def test_foundational_items_can_be_more_important() -> None:
    """By the advantage, cut to the range; noise is not touched."""
    for listed in (0.0, 0.5):  # noise that is recalled is listed, item by item
        block = items(100, importance_mean=0.3, importance_advantage=0.5, noise_recall_probability=listed)
        assert set(importances(block, 1).tolist()) == {0.8}
        assert set(importances(block, 0).tolist()) == {0.3}
    assert set(importances(items(100, importance_advantage=-0.9), 1).tolist()) == {0.0}


def test_categories_and_pins_have_their_shares() -> None:
    """Within five standard errors; noise is never pinned, a category of weight 0 never occurs."""
    block = items(category_weights=(0.5, 0.0, 0.2, 0.3), pinned_share=0.25)
    assert block.item_attributes is not None
    which = [block.attributes[number] for number in block.item_attributes]
    for category, share in zip(CATEGORIES, (0.5, 0.0, 0.2, 0.3), strict=True):
        found = sum(one.category == category for one in which)
        assert abs(found - share * len(which)) <= 5 * math.sqrt(len(which) * share * (1 - share))
    pinned = np.array([one.pinned for one in which])
    facts = block.item_kind == 1
    assert abs(pinned[facts].mean() - 0.25) < 5 * math.sqrt(0.25 * 0.75 / facts.sum())
    assert not pinned[~facts].any()


def test_sizes_have_their_distributions() -> None:
    """Lognormal: the median; Pareto: no size below the smallest, and the share above ten times it; all at least 1."""
    lognormal = items(token_distribution="lognormal", token_size=200, token_spread=1.5).item_tokens
    assert lognormal is not None
    assert abs((lognormal > 200).mean() - 0.5) < 0.01
    pareto = items(token_distribution="pareto", token_size=50, token_spread=0.5).item_tokens
    assert pareto is not None
    assert pareto.min() == 50
    assert abs((pareto >= 500).mean() - 0.01) < 0.002
    tiny = items(token_distribution="lognormal", token_size=1, token_spread=5.0).item_tokens
    assert tiny is not None
    assert tiny.min() == 1
    assert tiny.max() == 1_000_000
    same = items(5, token_size=7).item_tokens
    assert same is not None
    assert set(same.tolist()) == {7}


def test_wrong_attributes_are_refused_together() -> None:
    """Weights that do not sum and a beta distribution without shape in one error; numbers out of range in another."""
    lines = refusals(
        NeverRecalled,
        category_weights=(0.5, 0.6, 0, 0),
        importance_distribution="beta",
        importance_mean=0.01,
        noise_per_turn=0.5,
    )
    assert [line.split(" is ")[0].partition(".")[2] for line in lines] == [
        "noise_per_turn",
        "category_weights",
        "importance_mean",
    ]
    wrong = {
        "importance_distribution": "normal",
        "importance_mean": 1.01,
        "importance_concentration": 0.0,
        "importance_follows_use": -1.5,
        "importance_half_recalls": 0,
        "importance_advantage": math.nan,
        "category_weights": (1.0,),
        "pinned_share": -0.1,
        "token_distribution": "zipf",
        "token_size": 0,
        "token_spread": math.inf,
    }
    lines = refusals(NeverRecalled, **wrong)
    assert [line.split(" is ")[0].partition(".")[2] for line in lines] == list(wrong)


def test_a_sum_a_little_above_one_leaves_a_second_category() -> None:
    """A weight of 1 beside one that the tolerance of the sum lets through: both generators draw the rare one."""
    described = NeverRecalled(category_weights=(1.0, 9e-10, 0.0, 0.0), noise_per_turn=0.0, num_foundational=40)
    seed = 26453360  # found by search; one item in 10^9 has the second category
    plain = described.session(seed)
    assert plain.attributes[13].category == CATEGORIES[1]
    assert described.block([seed]).session(0) == plain
    assert NeverRecalled(category_weights=(1.0, 9e-10, 0.0, 0.0)).attributes_vary
    assert not NeverRecalled(category_weights=(1.0 - 9e-10, 0.0, 0.0, 0.0)).attributes_vary
