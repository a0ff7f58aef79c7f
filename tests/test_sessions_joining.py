"""Tests of vecdecay.sessions.joining: sessions of several blocks as one."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from comparing import play_everywhere

import vecdecay as vd
from vecdecay.policies import Ebbinghaus, RecencyWindow
from vecdecay.sessions import NeverRecalled, PublishedSessions, RareCritical, SteadyUse, UniformRecalls
from vecdecay.sessions.joining import joined

WORKLOADS = (
    PublishedSessions(),
    SteadyUse(session_length=40),
    UniformRecalls(importance_distribution="uniform", pinned_share=0.5, noise_per_turn=1),
    RareCritical(session_length=20, noise_per_turn=2),
    NeverRecalled(token_distribution="pareto", token_size=5, session_length=30, registered_within=9),
    UniformRecalls(token_size=3),
)
NUMBER = 4


def test_sessions_keep_their_content_at_their_places() -> None:
    """Different lengths, cohorts, attributes and sizes; every session is found where it was put."""
    order = np.random.default_rng(2).permutation(NUMBER * len(WORKLOADS))
    places = list(order.reshape(len(WORKLOADS), NUMBER))
    block = joined([one.block(range(NUMBER)) for one in WORKLOADS], places)
    for workload, place in zip(WORKLOADS, places, strict=True):
        for seed in range(NUMBER):
            assert block.session(int(place[seed])) == workload.session(seed)
    for policy in (Ebbinghaus(), RecencyWindow()):
        play_everywhere(block, policy, (3, 35))


def test_equal_cohorts_are_kept() -> None:
    """Then nothing is listed that was not listed before."""
    blocks = [PublishedSessions(num_foundational=number).block(range(3)) for number in (1, 2)]
    block = joined(blocks, [np.array([0, 2, 4]), np.array([1, 3, 5])])
    assert block.cohorts == blocks[0].cohorts
    assert len(block.item_kind) == 9


@pytest.mark.parametrize("number", [1, 2])
def test_blocks_without_items_join(number: int) -> None:
    """Sessions in which nothing happens are sessions."""
    empty = NeverRecalled(num_foundational=0, noise_per_turn=0)
    block = joined([empty.block(range(number)), SteadyUse().block([])], [np.arange(number), np.arange(0)])
    assert [len(session.events) for session in block.sessions()] == [0] * number


@pytest.mark.parametrize("held", ["touch_order", "touch_grade", "clocks", "item_expires"])
def test_what_would_be_lost_is_refused(held: str) -> None:
    """Grades, clocks, last turns and an order of their own are not copied: none of a mixture's workloads has them."""
    log = {"turn": [1, 2], "item": ["a", "a"], "grade": [3, 3], "time": [60, 3600], "expires": [9, 9]}
    recorded = vd.Trace.read(pa.table(log), time_unit="s").block([0])
    assert getattr(recorded, held) is not None
    kept = {name: None for name in ("touch_order", "touch_grade", "clocks", "item_expires") if name != held}
    with pytest.raises(ValueError, match=f"blocks with {held} cannot be joined"):
        joined([SteadyUse().block([0]), replace(recorded, **kept)], [np.array([0]), np.array([1])])
