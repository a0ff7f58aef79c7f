"""Tests of vecdecay.sessions.block: sessions as arrays and back."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from strategies import sessions

import vecdecay as vd
from vecdecay.sessions.block import Cohort, block_of
from vecdecay.sessions.session import FOUNDATIONAL, NOISE, RECALL, REGISTER, Session


@given(st.lists(sessions((1, 4)), max_size=4))
def test_sessions_survive_the_way_into_arrays_and_back(together: list[Session]) -> None:
    """Nothing is lost, not even the order of play inside a turn."""
    block = block_of(together)
    assert block.sessions() == together
    assert block.num_sessions == len(together)
    assert block.cohort_items == 0


@given(st.lists(sessions((1, 4)), max_size=4))
def test_the_arrays_keep_their_invariants(together: list[Session]) -> None:
    """Starts ascend and end at the counts, touches of an item are in order of play, and the bound on recalls holds."""
    block = block_of(together)
    assert block.item_start.tolist() == np.cumsum([0, *(len(one.item_kinds) for one in together)]).tolist()
    assert (
        block.touch_start[-1] == len(block.touch_turn) == len(block.touch_kind) == sum(len(s.events) for s in together)
    )
    assert len(block.touch_start) == len(block.item_kind) + 1
    starts = block.touch_start.tolist()
    for first, last in pairwise(starts):
        turns = block.touch_turn[first:last].tolist()
        assert turns == sorted(turns)
        assert (block.touch_kind[first:last] == RECALL).sum() <= block.max_recalls
    types = (
        block.session_length,
        block.item_start,
        block.item_kind,
        block.touch_start,
        block.touch_turn,
        block.touch_kind,
    )
    assert [str(one.dtype) for one in types] == ["int64", "int64", "int8", "int64", "int32", "int8"]


def test_a_block_of_the_worked_example() -> None:
    """Two sessions of two items each, array by array."""
    one = Session(9, (FOUNDATIONAL, NOISE), ((1, REGISTER, 0), (2, REGISTER, 1), (2, RECALL, 0)))
    two = Session(4, (NOISE, NOISE), ((3, RECALL, 1),))
    block = block_of([one, two])
    assert block.session_length.tolist() == [9, 4]
    assert block.item_start.tolist() == [0, 2, 4]
    assert block.item_kind.tolist() == [1, 0, 0, 0]
    assert block.touch_start.tolist() == [0, 2, 3, 3, 4]
    assert block.touch_turn.tolist() == [1, 2, 2, 3]
    assert block.touch_kind.tolist() == [0, 1, 0, 1]
    assert block.session(1) == two


def test_cohorts_are_written_out_behind_the_listed_items() -> None:
    """A cohort's items come last in their turn and last in the numbering; there are count × turns of them."""
    assert Cohort(first_turn=2, last_turn=5, count=3).items() == 12
    block = vd.PublishedSessions(session_length=4, num_foundational=1, noise_per_turn=2).block([0])
    assert block.cohort_items == 8
    session = block.session(0)
    assert session.item_kinds == (FOUNDATIONAL,) + (NOISE,) * 8
    noise = [(turn, REGISTER, 1 + number) for number, turn in enumerate((1, 1, 2, 2, 3, 3, 4, 4))]
    facts = [event for event in session.events if event[2] == 0]
    assert list(session.events) == sorted(facts + noise, key=lambda event: (event[0], event[2]))
