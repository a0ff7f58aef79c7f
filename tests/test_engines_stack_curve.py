"""Tests of vecdecay.engines.stack_curve: one pass over a block equals playing each capacity by itself."""

import random
from collections.abc import Sequence

import numpy as np
import pytest
from comparing import COMPILED
from conftest import THOROUGH_FACTOR
from test_engines_by_cache import drawn_session

import vecdecay as vd
from vecdecay.engines import stack_curve
from vecdecay.engines.by_curve import merged
from vecdecay.engines.registry import play_block
from vecdecay.engines.stack_curve import CAPACITY, STACK_POLICIES, Capacities, tally_capacities
from vecdecay.errors import InvalidInputError
from vecdecay.policies import CachePolicy
from vecdecay.run.curve import Curve
from vecdecay.run.curve import _table as curve_table
from vecdecay.sessions.blocks import block_of

ROUNDS = 60 if COMPILED else 10


COLUMNS = ("recalls", "misses", "registrations", "registered_tokens", "working_set_sum", "token_turns")
COLUMNS += ("foundational_items", "foundational_present")


def expect_every_capacity(sessions: Sequence[vd.Session], kind: type[CachePolicy], relearn: bool) -> int:
    """Compare the curve with every capacity played by itself, up to one that holds all; return its steps."""
    block = block_of(sessions)
    source = list(sessions)
    keeping = Capacities(kind())
    found = curve_table(
        merged([tally_capacities(block_of([one]), kind(), relearn) for one in source]), keeping, relearn
    )
    at_once = curve_table(tally_capacities(block, kind(), relearn), keeping, relearn)
    assert found == at_once
    curve = Curve(kind(), CAPACITY, "", len(source), False, True, at_once)
    for capacity in range(1, int(np.diff(block.item_start).max(initial=0)) + 3):
        outcome = play_block(block, kind(capacity_items=capacity), relearn=relearn)
        row = curve.at(capacity)
        assert {name: row[name] for name in COLUMNS} == {name: int(getattr(outcome, name).sum()) for name in COLUMNS}
    return found.num_rows


@pytest.mark.parametrize("factor", [1, pytest.param(THOROUGH_FACTOR, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("relearn", [False, True])
@pytest.mark.parametrize("kind", STACK_POLICIES)
def test_one_pass_is_every_capacity(kind: type[CachePolicy], relearn: bool, factor: int) -> None:
    """Sessions with every kind of event, sizes, pins and last turns: all that a curve shows, at every capacity."""
    rng, steps = random.Random(f"{kind.name} {relearn} {factor}"), 0
    for _ in range(factor * ROUNDS):
        steps += expect_every_capacity([drawn_session(rng) for _ in range(rng.randint(1, 3))], kind, relearn)
    assert steps > 2 * factor * ROUNDS


def test_cohorts_and_empty_blocks() -> None:
    """Noise that a cohort describes competes; the curve of a source equals the capacities played one by one."""
    source, capacities = vd.PublishedSessions(session_length=30), [1, 17, 60, 92, 93, 94]
    assert source.block(range(4)).cohorts
    curve = vd.curve(source, vd.Lru(), CAPACITY, seeds=range(4))
    played = vd.curve(source, vd.Lru(), CAPACITY, seeds=range(4), values=capacities)
    for capacity in capacities:
        assert {**curve.at(capacity), "from": 0, "to": 0} == {**played.at(capacity), "from": 0, "to": 0}
    assert curve.at(60)["misses"] < curve.at(1)["misses"]
    for empty in (block_of([]), block_of([vd.Session(4, (), ())])):
        assert tally_capacities(empty, vd.Lru()).counts.sum() == 0


def test_what_is_no_stack_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A capacity in tokens, and policies that hold otherwise; values can be named."""
    source = vd.PublishedSessions(session_length=20)
    with pytest.raises(InvalidInputError, match="lru has a capacity in tokens, which are no stack; name the values"):
        vd.curve(source, vd.Lru(capacity_tokens=40), CAPACITY, seeds=range(2))
    with pytest.raises(InvalidInputError, match="name the values to play"):
        vd.curve(source, vd.Fifo(), CAPACITY, seeds=range(2))
    monkeypatch.setattr(stack_curve, "_MOST_STEPS", 100)
    with pytest.raises(InvalidInputError, match=r"a session has 63 items, too many to play all capacities at once"):
        vd.curve(source, vd.Lru(), CAPACITY, seeds=range(2))
