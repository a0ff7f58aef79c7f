"""Sessions as data: what is accepted, what is refused, and how events become a session."""

from typing import Any

import pytest
from hypothesis import given
from strategies import sessions

import vecdecay as vd
from vecdecay.errors import InvalidInputError
from vecdecay.items import Attributes
from vecdecay.sessions.events import Query, forget, recall, register
from vecdecay.sessions.session import (
    FORGET,
    FOUNDATIONAL,
    MAX_SESSION_LENGTH,
    NOISE,
    QUERY,
    RECALL,
    REGISTER,
    Session,
    session_of,
    session_problems,
)


@given(sessions((2, 5)))
def test_drawn_sessions_are_valid(session: Session) -> None:
    """What Hypothesis draws is what a user may give."""
    assert session_problems(session) == []


def test_foundational_items_are_named_by_position() -> None:
    """Items are numbered over both kinds together."""
    assert Session(3, (NOISE, FOUNDATIONAL, NOISE, FOUNDATIONAL), ()).foundational_items() == [1, 3]


def test_events_become_a_session() -> None:
    """Items are numbered by their first event in time; what a registration says is kept; order in a turn is kept."""
    events = [
        recall(4, "rule"),
        register(1, "rule", tokens=7, importance=0.9, expires_turn=8),
        (2, "register", "note"),
        (4, FORGET, "note"),
        register(5, "rule 2", supersedes="rule", sources=("note",), foundational=True),
        (6, QUERY, None, Query(2, ((0, 0.5),), (0,))),
    ]
    assert session_of(events, session_length=9, seed_key=3) == Session(
        9,
        (FOUNDATIONAL, NOISE, FOUNDATIONAL),
        ((1, REGISTER, 0), (2, REGISTER, 1), (4, RECALL, 0), (4, FORGET, 1), (5, REGISTER, 2), (6, QUERY, 0)),
        (Attributes(importance=0.9), Attributes(), Attributes()),
        (7, 1, 1),
        3,
        expires_turns=(8, 0, 0),
        supersedes=(-1, -1, 0),
        sources=((), (), (1,)),
        queries=(Query(2, ((0, 0.5),), (0,)),),
    )


def test_a_session_of_events_is_as_long_as_its_last_turn() -> None:
    """Without a length, the last event ends the session; of no event at all comes one empty turn."""
    assert session_of([register(3, 1), recall(9, 1)]).session_length == 9
    assert session_of([]) == Session(1, (), ())


@pytest.mark.parametrize(
    ("events", "wanted"),
    [
        ([5], "event 0 is 5; allowed: an event, or (turn, kind, item)"),
        ([("1", "register", 0)], "event 0 is in turn '1'; allowed: an integer from 1"),
        ([(True, "register", 0)], "event 0 is in turn True; allowed: an integer from 1"),
        ([(1, "registr", 0)], "event 0 is of kind 'registr'; allowed: register, recall, forget, query, or 0 to 3"),
        ([(1, 4, 0)], "event 0 is of kind 4; allowed: register, recall, forget, query, or 0 to 3"),
        ([(1, 0, [])], "event 0 names item []; allowed: an integer, a text, anything hashable"),
        ([(0, 0, 0)], "event 0 is in turn 0; allowed: 1 to 0"),
        ([register(1, 0, importance=2)], "item 0: importance is 2; allowed: a number from 0 to 1"),
        ([register(1, 0, tokens=-1)], f"item 0: tokens is -1; allowed: 0 to {MAX_SESSION_LENGTH}"),
        ([register(1, 0, expires_turn=-1)], f"item 0: expires_turn is -1; allowed: 0 (never) to {MAX_SESSION_LENGTH}"),
        ([register(1, "a", sources=("b",))], "'b' is superseded, or a source, and has no event"),
        (
            [register(1, "a", tokens=1), register(2, "a", tokens=2)],
            "event 1 registers 'a' with other properties than before",
        ),
    ],
)
def test_each_wrong_event_is_named(events: list[Any], wanted: str) -> None:
    """A wrong event is one line that says which and what is allowed."""
    with pytest.raises(InvalidInputError) as caught:
        session_of(events)
    assert wanted in caught.value.problems


def test_forget_is_an_event_of_its_own() -> None:
    """The three builders give the three kinds, by the numbers that arrays hold."""
    built: list[vd.Event] = [vd.events.register(1, 0), recall(1, 0), forget(1, 0)]
    assert [event.kind for event in built] == [REGISTER, RECALL, FORGET] == [0, 1, 2]
    assert [kind.name for kind in vd.EventKind] == ["REGISTER", "RECALL", "FORGET", "QUERY"]


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ((0, (), ()), f"session_length is 0; allowed: 1 to {MAX_SESSION_LENGTH}"),
        ((2**31, (), ()), f"session_length is 2147483648; allowed: 1 to {MAX_SESSION_LENGTH}"),
        ((5, (2,), ()), "item 0 has the kind 2; allowed: 0 (noise) or 1 (foundational)"),
        ((5, (NOISE,), ((1, 4, 0),)), "event 0 is of kind 4; allowed: 0 (register), 1 (recall), 2 (forget), 3 (query)"),
        ((5, (NOISE,), ((1, REGISTER, 1),)), "event 0 names item 1; allowed: 0 to 0"),
        ((5, (NOISE,), ((1, REGISTER, -1),)), "event 0 names item -1; allowed: 0 to 0"),
        ((5, (NOISE,), ((0, REGISTER, 0),)), "event 0 is in turn 0; allowed: 1 to 5"),
        ((5, (NOISE,), ((6, REGISTER, 0),)), "event 0 is in turn 6; allowed: 1 to 5"),
        (
            (5, (NOISE,), ((4, REGISTER, 0), (3, RECALL, 0))),
            "event 1 is in turn 3, after turn 4; allowed: events sorted by turn",
        ),
    ],
)
def test_each_mistake_is_named(arguments: tuple[Any, ...], wanted: str) -> None:
    """A wrong length, kind, item or turn is one line that says where and what is allowed."""
    assert session_problems(Session(*arguments)) == [wanted]


def test_all_mistakes_are_named_together() -> None:
    """One error for a session that is wrong in five ways."""
    events = ((1, 5, 0), (9, REGISTER, 0), (1, REGISTER, 3), (2, RECALL, 0), (1, RECALL, 0))
    problems = session_problems(Session(3, (7,), events))
    assert [problem.split(" is ")[0].split(" names ")[0].split(" has ")[0] for problem in problems] == [
        "item 0", "event 0", "event 1", "event 2", "event 4",
    ]  # fmt: skip
