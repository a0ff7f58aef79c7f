"""Tests of vecdecay.sessions.block: sessions as arrays and back."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import sessions

import vecdecay as vd
from vecdecay.errors import InvalidInputError
from vecdecay.items import Attributes
from vecdecay.sessions.block import Cohort, SessionBlock
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.events import Query, recall, register
from vecdecay.sessions.session import FOUNDATIONAL, NOISE, RECALL, REGISTER, Session, session_of


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


def turns(*each: int) -> Any:
    """Return turns as a block holds them."""
    return np.array(each, dtype=np.int32)


def worked_block(**changed: Any) -> SessionBlock:
    """Return two sessions of two items, with some arrays changed."""
    arrays: dict[str, Any] = {
        "session_length": np.array([9, 5], dtype=np.int64),
        "item_start": np.array([0, 1, 2], dtype=np.int64),
        "item_kind": np.array([1, 0], dtype=np.int8),
        "touch_start": np.array([0, 3, 5], dtype=np.int64),
        "touch_turn": np.array([1, 4, 4, 2, 5], dtype=np.int32),
        "touch_kind": np.array([0, 1, 2, 0, 1], dtype=np.int8),
        "max_recalls": 1,
    }
    return SessionBlock(**arrays | changed)


@pytest.mark.parametrize(
    ("changed", "wanted"),
    [
        (
            {"touch_turn": np.array([0, 4, 4, 2, 5], np.int32)},
            "session 0, item 0, touch 0 is in turn 0; allowed: 1 to 9",
        ),
        (
            {"touch_turn": np.array([1, 4, 4, 2, 6], np.int32)},
            "session 1, item 0, touch 1 is in turn 6; allowed: 1 to 5",
        ),
        (
            {"touch_turn": turns(1, 4, 3, 2, 5)},
            "session 0, item 0, touch 2 is in turn 3, before the touch it follows; "
            "allowed: touches of an item sorted by turn",
        ),
        (
            {"touch_kind": np.array([0, 1, 3, 0, 1], np.int8)},
            "session 0, item 0, touch 2 is of kind 3; allowed: 0 (register), 1 (recall), 2 (forget)",
        ),
        (
            {"touch_kind": np.array([0, 1, -1, 0, 1], np.int8)},
            "session 0, item 0, touch 2 is of kind -1; allowed: 0 (register), 1 (recall), 2 (forget)",
        ),
        ({"max_recalls": 0}, "session 0, item 0, touch 1 is one recall more than max_recalls, 0"),
        ({"session_length": np.array([0, 5], np.int64)}, "session_length[0] is 0; allowed: 1 to 2147483647"),
        ({"item_kind": np.array([1, 2], np.int8)}, "item_kind[1] is 2; allowed: 0 to 1"),
        ({"touch_start": np.array([0, 6, 5], np.int64)}, "touch_start does not rise from 0 to 5"),
        ({"item_start": np.array([0, 1, 3], np.int64)}, "item_start does not rise from 0 to 2"),
        ({"touch_kind": np.array([0, 1], np.int8)}, "touch_kind has 2 entries; allowed: 5"),
        ({"item_tokens": np.array([1, -1], np.int32)}, "item_tokens[1] is -1; allowed: 0 to 2147483647"),
        ({"item_expires": np.array([-3, 0], np.int32)}, "item_expires[0] is -3; allowed: 0 to 2147483647"),
        ({"item_attributes": np.array([0, 1], np.int32)}, "item_attributes[1] is 1; allowed: 0 to 0"),
        ({"attributes": (Attributes(importance=2.0),)}, "importance is 2.0; allowed: a number from 0 to 1"),
        (
            {"cohorts": (Cohort(0, 3, 1),)},
            f"cohort 0 is {Cohort(0, 3, 1)}; allowed: turns from 1, rising, counts and tokens from 0",
        ),
    ],
)
def test_a_wrong_block_cannot_be_made(changed: dict[str, Any], wanted: str) -> None:
    """No engine ever sees a turn outside the session, an unsorted touch or an unknown kind."""
    assert worked_block().num_sessions == 2
    with pytest.raises(InvalidInputError) as caught:
        worked_block(**changed)
    assert caught.value.problems == (wanted,)


def test_the_turn_major_view_keeps_the_order_of_play() -> None:
    """Touches turn by turn; in a turn as they were played, whatever the numbers of the items."""
    one = Session(
        5, (NOISE, NOISE), ((1, REGISTER, 1), (1, REGISTER, 0), (3, RECALL, 1), (3, RECALL, 0), (4, RECALL, 1))
    )
    block = block_of([one, one])
    played = [(int(block.touch_turn[at]), int(block.by_turn.touch_item[at]) % 2) for at in block.by_turn.order]
    assert played == [(1, 1), (1, 0), (3, 1), (3, 0), (4, 1)] * 2


def test_cohorts_end_where_a_session_ends() -> None:
    """A cohort of a block with unequal lengths reaches as far as each session does, listed or as plain data."""
    block = worked_block(cohorts=(Cohort(4, 7, 2, tokens=3),))
    assert [len(session.item_kinds) for session in block.sessions()] == [9, 5]
    assert block.with_cohorts_listed().sessions() == block.sessions()
    assert block.lengths == (5, 9)


def test_what_no_engine_plays_yet_is_carried() -> None:
    """Queries, supersession and sources survive the way into arrays and back."""
    events = [
        register(1, "a"),
        register(2, "b", supersedes="a", sources=("a",)),
        (2, "query", None, Query(3)),
        recall(2, "b"),
    ]
    sessions = [session_of(events), session_of([register(1, "c")])]
    assert block_of(sessions).sessions() == sessions
