"""Tests of vecdecay.policies.time_to_live."""

from comparing import play_everywhere
from table_policies import NOT_NUMBERS, expect_refused

from vecdecay.policies import RecencyWindow, TimeToLive
from vecdecay.sessions.session import FOUNDATIONAL, RECALL, REGISTER, Session

USED = Session(30, (FOUNDATIONAL, FOUNDATIONAL), ((1, REGISTER, 0), (5, RECALL, 0), (9, RECALL, 0), (10, REGISTER, 1)))
AGAIN = Session(30, (FOUNDATIONAL,), ((1, REGISTER, 0), (9, REGISTER, 0)))


def test_the_boundary_is_inclusive() -> None:
    """On the day of its expiry an item is still there; it goes the turn after, whatever its use."""
    for limit, last in ((10, 10), (10.0, 10), (10.5, 10), (0.5, 0)):
        policy = TimeToLive(limit)
        assert [policy.evicts(age, 1) for age in (last, last + 1)] == [False, True]
        assert [policy.retention(age, 7) for age in (last, last + 1)] == [1.0, 0.0]
    assert TimeToLive().threshold() is None


def test_use_does_not_lengthen_a_life() -> None:
    """Recalled twice, an item still goes 11 turns after its registration under a time to live of 10."""
    outcome = play_everywhere([USED], TimeToLive(10))
    assert outcome.items is not None
    assert outcome.items.evicted_turn.tolist() == [12, 21]


def test_a_touch_refreshes_where_asked_for() -> None:
    """Then the policy is a recency window of the same size, in every outcome."""
    outcome = play_everywhere([USED], TimeToLive(10, touch_refreshes=True))
    window = play_everywhere([USED], RecencyWindow(10))
    assert outcome.items is not None
    assert window.items is not None
    assert outcome.items.evicted_turn.tolist() == window.items.evicted_turn.tolist() == [20, 21]


def test_registering_anew_starts_the_clock() -> None:
    """An item that is registered again in turn 9 lives from there."""
    outcome = play_everywhere([AGAIN], TimeToLive(10))
    assert outcome.items is not None
    assert outcome.items.evicted_turn.tolist() == [20]


def test_parameters_have_their_range() -> None:
    """A time to live is a number above 0; whether touches refresh is true or false."""
    expect_refused(TimeToLive, "time_to_live", (0, 0.0, -1, *NOT_NUMBERS))
    expect_refused(TimeToLive, "touch_refreshes", (0, 1, "yes", None))
