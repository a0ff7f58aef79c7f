"""Tests of vecdecay.sessions.uniform_recalls: recalls anywhere in the session."""

import math
from collections import Counter

import numpy as np
from rhythms import refusals

from vecdecay.policies import Ebbinghaus, KeepAll, RecencyWindow
from vecdecay.run.simulate import simulate
from vecdecay.sessions import UniformRecalls


def test_recalls_are_anywhere_after_the_first_turn() -> None:
    """Every fact is registered in turn 1 and has all its recalls, from turn 2 to the last one."""
    block = UniformRecalls(session_length=5, recalls_per_foundational=3).block(range(2000))
    turns = block.touch_turn.reshape(-1, 4)
    assert (turns[:, 0] == 1).all()
    assert set(turns[:, 1:].ravel().tolist()) == {2, 3, 4, 5}
    assert (np.diff(turns, axis=1) >= 0).all()


def test_more_recalls_leave_the_first_draws_alone() -> None:
    """The recalls of a fact with fewer recalls are among those of the same fact with more."""
    few, many = (UniformRecalls(recalls_per_foundational=number).session(7).events for number in (4, 30))
    assert Counter(few) <= Counter(many)


def test_success_is_impossible_for_all_but_keep_all() -> None:
    """Most first recalls come after the first horizon; and the spread over seeds is visible."""
    result = simulate(UniformRecalls(), [Ebbinghaus(), RecencyWindow(), KeepAll()], range(1000), detail="cells")
    curve, window, all_kept = (one.summaries["foundational_recall_rate"].summary for one in result.results)
    assert 0.09 < curve.mean < 0.14
    assert curve.standard_deviation > 0.1
    assert window.mean < 0.005
    assert all_kept.mean == 1.0


def test_mistakes_are_named_together() -> None:
    """Numbers out of range, and recalls without a turn to be in."""
    lines = refusals(UniformRecalls, session_length=0, recalls_per_foundational=-1, noise_per_turn=math.nan)
    assert [line.split(" is ")[0] for line in lines] == [
        "UniformRecalls.session_length", "UniformRecalls.recalls_per_foundational", "UniformRecalls.noise_per_turn",
    ]  # fmt: skip
    lines = refusals(UniformRecalls, session_length=1, noise_per_turn=0.5, category_weights=(0.5, 0, 0, 0))
    assert [line.split("; ")[0] for line in lines] == [
        "UniformRecalls.session_length is 1",
        "UniformRecalls.noise_per_turn is 0.5",
        "UniformRecalls.category_weights is (0.5, 0.0, 0.0, 0.0), of sum 0.5",
    ]
