"""Tests of vecdecay.engines.life: what happens to one item is what the recorded session says of it."""

import math
from typing import Any

import pytest
from conftest import examples
from hypothesis import given, settings
from test_sessions_trace import logs, policies, read, rules
from trace_replay import PlainRules, Row

import vecdecay as vd
from vecdecay.engines.life import Moment, life_of
from vecdecay.engines.played import play
from vecdecay.sessions.events import FORGET, RECALL
from vecdecay.sessions.session import Session, session_of

SESSION = session_of([(1, "register", "a"), (3, "recall", "a"), (4, "register", "b"), (30, "recall", "a")])


@given(logs(), policies() | (rules().map(lambda _: vd.Lru(2))))
@settings(max_examples=examples(30))
def test_marks_are_those_of_the_recorded_session(rows: list[Row], policy: Any) -> None:
    """Events in their order, hits and misses as the recorder has them, evictions in their turns."""
    session = read(rows, PlainRules()).session(0)
    played = play(session, policy)
    for item in range(len(session.item_kinds)):
        life = life_of(session, item, policy, relearn=False)
        found = iter(played.found)
        expected = []
        for turn, kind, who in session.events:
            what = ("recalled" if next(found) else "missed") if kind == RECALL else "registered"
            if who == item:
                expected.append((turn, "forgotten" if kind == FORGET else what))
        assert [one for one in life.marks if one[1] != "evicted"] == expected
        assert [turn for turn, what in life.marks if what == "evicted"] == [
            turn for turn, items in sorted(played.evicted.items()) for one in items if one == item
        ]


def test_stability_and_reason_belong_to_their_moments() -> None:
    """The stability is that after what happened; a miss has none; scores stand before the pass of every turn."""
    life = life_of(SESSION, 0, vd.Ebbinghaus(), relearn=False)
    grown = 8.0 * (1.0 + math.log(3.0))
    assert life.moments == [Moment(1, "registered", 8.0), Moment(3, "recalled", grown), *life.moments[2:]]
    last = Moment(30, "recalled", grown * (1.0 + math.log(4.0)))
    assert life.moments[2:] == [last]
    short = life_of(SESSION, 0, vd.Ebbinghaus(eviction_threshold=0.5), relearn=False)
    assert [one._replace(turn=0) for one in short.moments[2:]] == [
        Moment(0, "evicted", grown, "decayed"),
        Moment(0, "missed"),
    ]
    assert life.turns == list(range(1, life.turns[-1] + 1))
    assert len(life.before) == len(life.turns)


@pytest.mark.parametrize("capacity", [1, 2])
def test_an_item_that_makes_room_for_another_goes_in_the_turn_of_that(capacity: int) -> None:
    """No pass removes it; a cache has no scores."""
    life = life_of(SESSION, 0, vd.Lru(capacity), relearn=False)
    gone = [Moment(4, "evicted", None, "capacity")] if capacity == 1 else []
    assert [one for one in life.moments if one.what == "evicted"] == gone
    assert life.before == []


def test_a_miss_that_registers_is_both() -> None:
    """With relearn the recall fails, and the item is there again in the same turn."""
    session: Session = session_of([(1, "register", "a"), (9, "recall", "a")])
    marks = life_of(session, 0, vd.RecencyWindow(3), relearn=True).marks
    assert marks == [(1, "registered"), (5, "evicted"), (9, "missed"), (9, "registered")]
