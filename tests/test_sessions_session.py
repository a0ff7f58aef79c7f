"""Tests of vecdecay.sessions.session: sessions as data, and what is refused."""

from typing import Any

import pytest
from hypothesis import given
from strategies import sessions

from vecdecay.errors import InvalidInputError
from vecdecay.sessions.session import (
    FOUNDATIONAL,
    MAX_SESSION_LENGTH,
    NOISE,
    RECALL,
    REGISTER,
    Session,
    checked_session,
)


@given(sessions((2, 5)))
def test_drawn_sessions_are_valid(session: Session) -> None:
    """What Hypothesis draws is what a user may give; checking changes nothing."""
    assert checked_session(session.session_length, session.item_kinds, session.events) == session


def test_foundational_items_are_named_by_position() -> None:
    """Items are numbered over both kinds together."""
    assert Session(3, (NOISE, FOUNDATIONAL, NOISE, FOUNDATIONAL), ()).foundational_items() == [1, 3]


def test_any_iterable_becomes_a_tuple() -> None:
    """Generators and lists are taken; the session is a value that can be compared and hashed."""
    one = checked_session(9, iter([FOUNDATIONAL]), iter([(1, REGISTER, 0), (1, RECALL, 0)]))
    assert one == Session(9, (FOUNDATIONAL,), ((1, REGISTER, 0), (1, RECALL, 0)))
    assert hash(one) == hash(checked_session(9, [FOUNDATIONAL], [(1, REGISTER, 0), (1, RECALL, 0)]))


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ((0, (), ()), f"session_length is 0; allowed: 1 to {MAX_SESSION_LENGTH}"),
        ((2**31, (), ()), f"session_length is 2147483648; allowed: 1 to {MAX_SESSION_LENGTH}"),
        ((5, (2,), ()), "item 0 has the kind 2; allowed: 0 (noise) or 1 (foundational)"),
        ((5, (NOISE,), ((1, 2, 0),)), "event 0 is of kind 2; allowed: 0 or 1"),
        ((5, (NOISE,), ((1, REGISTER, 1),)), "event 0 names item 1; allowed: 0 to 0"),
        ((5, (NOISE,), ((1, REGISTER, -1),)), "event 0 names item -1; allowed: 0 to 0"),
        ((5, (NOISE,), ((0, REGISTER, 0),)), "event 0 is in turn 0; allowed: 1 to 5"),
        ((5, (NOISE,), ((6, REGISTER, 0),)), "event 0 is in turn 6; allowed: 1 to 5"),
        (
            (5, (NOISE,), ((4, REGISTER, 0), (3, RECALL, 0))),
            "event 1 is in turn 3, after turn 4; events must be sorted by turn",
        ),
    ],
)
def test_each_mistake_is_named(arguments: tuple[Any, ...], wanted: str) -> None:
    """A wrong length, kind, item or turn is one line that says where and what is allowed."""
    with pytest.raises(InvalidInputError) as caught:
        checked_session(*arguments)
    assert list(caught.value.problems) == [wanted]


def test_all_mistakes_are_named_together() -> None:
    """One error for a session that is wrong in five ways."""
    with pytest.raises(InvalidInputError) as caught:
        checked_session(3, (7,), ((1, 5, 0), (9, REGISTER, 0), (1, REGISTER, 3), (2, RECALL, 0), (1, RECALL, 0)))
    assert [problem.split(" is ")[0].split(" names ")[0].split(" has ")[0] for problem in caught.value.problems] == [
        "item 0", "event 0", "event 1", "event 2", "event 4",
    ]  # fmt: skip
