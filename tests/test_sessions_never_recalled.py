"""Tests of vecdecay.sessions.never_recalled: facts that are stated once."""

from rhythms import refusals

from vecdecay.sessions import NeverRecalled


def test_facts_are_registered_once_in_any_of_the_first_turns() -> None:
    """No recall at all; every turn of the range occurs, and none after it."""
    block = NeverRecalled(registered_within=6).block(range(1000))
    assert not block.touch_kind.any()
    assert len(block.touch_turn) == 3000
    assert set(block.touch_turn.tolist()) == {1, 2, 3, 4, 5, 6}
    assert set(NeverRecalled(registered_within=1).block(range(9)).touch_turn.tolist()) == {1}


def test_a_session_too_short_for_the_registrations_is_refused() -> None:
    """The line says how many turns are needed."""
    (line,) = refusals(NeverRecalled, session_length=149)
    assert "session_length is 149; allowed: at least 150" in line
