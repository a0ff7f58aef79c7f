"""Tests of vecdecay.sessions.noise: distributions of the number of noise items, their recalls, bounds, refusals."""

import math
from typing import Any

import numpy as np
import pytest
from rhythms import refusals

from vecdecay.policies import RecencyWindow
from vecdecay.run.simulate import simulate
from vecdecay.sessions import NeverRecalled, SteadyUse
from vecdecay.sessions.session import NOISE, RECALL


def noisy(**values: Any) -> SteadyUse:
    """Return a workload of noise alone."""
    return SteadyUse(**{"num_foundational": 0, "session_length": 200, "noise_process": "poisson", **values})


def counts(workload: SteadyUse, number: int) -> np.ndarray:
    """Return the noise items per session and turn."""
    block = workload.block(range(number)).with_cohorts_listed()
    session = np.repeat(np.arange(number), np.diff(block.item_start))
    turn = block.touch_turn[block.touch_start[:-1]]
    flat = np.bincount(session * workload.session_length + turn - 1, minlength=number * workload.session_length)
    return flat.reshape(number, workload.session_length)


@pytest.mark.parametrize(
    "values",
    [
        {"noise_process": "constant", "noise_per_turn": 3},
        {"noise_process": "poisson", "noise_per_turn": 3},
        {"noise_process": "bursty", "noise_per_turn": 3},
        {"noise_process": "bursty", "noise_per_turn": 0.3, "noise_burst_share": 0.05, "noise_burst_turns": 20},
    ],
)
def test_the_mean_is_the_same_under_every_process(values: dict[str, Any]) -> None:
    """noise_per_turn items per turn on average, whatever the process."""
    workload = noisy(**values)
    found = counts(workload, 2000)
    spread = found.sum(axis=1).std() / math.sqrt(2000)
    assert abs(found.mean() * 200 - workload.noise_per_turn * 200) <= 5 * spread


def test_bursts_hold_all_the_noise() -> None:
    """A stretch is silent, or loud in all of its turns."""
    workload = noisy(noise_process="bursty", noise_per_turn=8, noise_burst_turns=10, noise_burst_share=0.25)
    stretches = counts(workload, 200).reshape(200, 20, 10)
    loud = stretches.sum(axis=2) > 0
    assert 0.2 < loud.mean() < 0.3
    assert (stretches[loud] > 0).all()


def test_noise_can_be_recalled_and_recalls_of_what_is_gone_are_misses() -> None:
    """With long gaps under a short window nearly every recall of noise misses; with short ones none does."""
    for gap, least, most in ((100.0, 0.85, 1.0), (0.0, 0.0, 0.0)):
        workload = noisy(noise_per_turn=2, noise_recall_probability=0.5, noise_recall_gap=gap)
        result = simulate(workload, [RecencyWindow(3)], range(300))
        misses, recalls = (sum(result.sessions[name].to_pylist()) for name in ("misses", "recalls"))
        assert recalls > 1000
        assert least * recalls <= misses <= most * recalls


def test_the_first_noise_item_of_a_turn_is_the_same_whatever_follows() -> None:
    """More noise adds items; those that were there before keep their turns and recalls."""
    few, many = (
        noisy(noise_process="constant", noise_per_turn=number, noise_recall_probability=0.6).session(5)
        for number in (1, 3)
    )
    lives = [[], []]
    for session, found in zip((few, many), lives, strict=True):
        turns = [[turn for turn, _, item in session.events if item == one] for one in range(len(session.item_kinds))]
        found.extend(turns)
    assert lives[0] == lives[1][::3]


def test_bounds_hold_and_are_not_wild() -> None:
    """No session of thousands has more items or touches than foreseen; the bound is within ten times the mean."""
    for values in (
        {"noise_per_turn": 1.5},
        {"noise_process": "bursty", "noise_per_turn": 4},
        {"noise_per_turn": 0.2, "noise_recall_probability": 0.95, "noise_recall_gap": 0.0},
        {"noise_per_turn": 3, "noise_process": "constant", "noise_recall_probability": 0.3},
    ):
        workload = noisy(**values)
        block, sizes = workload.block(range(3000)), workload.sizes()
        items = np.diff(block.item_start)
        touches = np.diff(block.touch_start[block.item_start])
        assert items.max() <= sizes.listed_items <= sizes.items
        assert touches.max() <= sizes.touches < 10 * touches.mean() + 2000


def test_wrong_noise_is_refused() -> None:
    """A fraction under the constant process, bursts of more than 10,000 items, and each number out of range."""
    (line,) = refusals(NeverRecalled, noise_per_turn=2.5)
    assert line == "NeverRecalled.noise_per_turn is 2.5; allowed with noise_process constant: a whole number"
    (line,) = refusals(NeverRecalled, noise_per_turn=2000, noise_process="bursty", noise_burst_share=0.1)
    assert "is 20000.0; allowed: at most 10000" in line
    wrong = {"noise_per_turn": -1, "noise_process": "loud", "noise_burst_turns": 0, "noise_burst_share": 0.0}
    lines = refusals(NeverRecalled, **wrong, noise_recall_probability=math.nan, noise_recall_gap=-math.inf)
    assert [line.split(" is ")[0].partition(".")[2] for line in lines] == [
        *wrong,
        "noise_recall_probability",
        "noise_recall_gap",
    ]


def test_constant_noise_of_equal_items_is_one_cohort() -> None:
    """Then nothing is listed, whatever the number of sessions."""
    block = SteadyUse(importance_mean=0.7, token_size=9).block(range(5))
    (cohort,) = block.cohorts
    assert (cohort.count, cohort.tokens, cohort.attributes.importance) == (3, 9, 0.7)
    session = block.session(0)
    assert session.item_kinds.count(NOISE) == 450
    assert not [item for _, kind, item in session.events if kind == RECALL and session.item_kinds[item] == NOISE]
