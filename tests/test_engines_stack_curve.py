"""Tests of vecdecay.engines.stack_curve: one pass over a block equals playing each capacity by itself."""

import random

import numpy as np
import pytest
from comparing import COMPILED
from conftest import THOROUGH_FACTOR
from test_engines_by_cache import drawn_session

import vecdecay as vd
from vecdecay.engines.registry import play_block
from vecdecay.engines.stack_curve import STACK_POLICIES, hits_by_capacity
from vecdecay.errors import InvalidInputError
from vecdecay.policies import POLICIES, CachePolicy, Policy
from vecdecay.sessions.blocks import block_of

ROUNDS = 100 if COMPILED else 10


@pytest.mark.parametrize("factor", [1, pytest.param(THOROUGH_FACTOR, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("relearn", [False, True])
@pytest.mark.parametrize("kind", STACK_POLICIES)
def test_one_pass_is_every_capacity(kind: type[CachePolicy], relearn: bool, factor: int) -> None:
    """Sessions with every kind of event, pins and last turns; hits rise with the capacity, and often."""
    rng, rises = random.Random(f"{kind.name} {relearn} {factor}"), 0
    for _ in range(factor * ROUNDS):
        block = block_of([drawn_session(rng) for _ in range(rng.randint(1, 3))])
        most = rng.choice((1, 2, 4, 8, 20))
        curve = hits_by_capacity(block, kind(), most, relearn)
        assert curve.shape == (block.num_sessions, most)
        for capacity in range(1, most + 1):
            outcome = play_block(block, kind(capacity_items=capacity), relearn=relearn)
            assert curve[:, capacity - 1].tolist() == (outcome.recalls - outcome.misses).tolist()
        assert (np.diff(curve, axis=1) >= 0).all()
        rises += int((np.diff(curve, axis=1) > 0).sum())
    assert rises > factor * ROUNDS


def test_cohorts_and_empty_blocks() -> None:
    """Noise that a cohort describes competes; a block of nothing has no hits."""
    block = vd.PublishedSessions(session_length=30).block(range(4))
    curve = hits_by_capacity(block, vd.Lru(), 60)
    for capacity in (1, 17, 60):
        outcome = play_block(block, vd.Lru(capacity_items=capacity))
        assert curve[:, capacity - 1].tolist() == (outcome.recalls - outcome.misses).tolist()
    assert block.cohorts
    assert curve[:, -1].min() > curve[:, 0].max()
    assert hits_by_capacity(block_of([]), vd.Lru(), 3).shape == (0, 3)
    assert hits_by_capacity(block_of([vd.Session(4, (), ())]), vd.Lru(), 3).tolist() == [[0, 0, 0]]


@pytest.mark.parametrize("kind", [one for one in POLICIES if one not in STACK_POLICIES])
def test_others_are_refused(kind: type[Policy]) -> None:
    """All mistakes at once."""
    with pytest.raises(InvalidInputError) as caught:
        hits_by_capacity(block_of([]), kind(), 0)
    assert [line.split(";")[0] for line in caught.value.problems] == [f"policy is {kind.name}", "most is 0"]
