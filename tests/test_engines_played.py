"""``vd.play``: one session under any policy, and a trace that a person can read."""

import pytest
from faulty_policies import Above1, Sound, SoundState

import vecdecay as vd
from vecdecay.sessions.session import FOUNDATIONAL, NOISE, RECALL, REGISTER, Session
from vecdecay.testing import sessions

SESSION = Session(
    9, (FOUNDATIONAL, NOISE), ((1, REGISTER, 0), (1, REGISTER, 1), (4, RECALL, 0), (7, RECALL, 1), (7, REGISTER, 1))
)


def test_every_turn_in_which_something_happens_is_shown() -> None:
    """Events in the order of play with what they met, evictions, and what is held after the pass."""
    played = vd.play(SESSION, vd.RecencyWindow(window_size=4))
    assert str(played).splitlines() == [
        "RecencyWindow(window_size=4.0, grace_turns=0): 9 turns",
        "turn  events                       evicted  items held",
        "1     register 0, register 1       -        2",
        "4     recall 0 (hit)               -        2",
        "6     -                            1        1",
        "7     recall 1 (miss), register 1  -        2",
        "9     -                            0        1",
        "",
        "item  kind          registered_turn  last_touch  recall_count  stability  evicted_turn  present  hits  misses",
        "0     foundational  1                4           2             -          9             False    1     0",
        "1     noise         7                7           1             -          6             True     0     1",
    ]
    assert (played.found, played.evicted) == ((True, False), {6: (1,), 9: (0,)})
    assert [item.hits for item in played.items] == [1, 0]


def test_a_drawn_session_prints_as_it_is_typed() -> None:
    """With names for kinds of events, and without columns of defaults."""
    text = "Session(9, (1, 0), ((1, REGISTER, 0), (1, REGISTER, 1), (4, RECALL, 0), (7, RECALL, 1), (7, REGISTER, 1)))"
    assert repr(SESSION) == text
    assert eval(text) == SESSION


@pytest.mark.parametrize("policy", [Sound(), SoundState(), vd.Ebbinghaus()], ids=lambda one: type(one).__name__)
def test_drawn_sessions_are_played_under_any_policy(policy: object) -> None:
    """What is shown is what the engines count."""
    from hypothesis import given, settings

    @settings(max_examples=20, database=None)
    @given(sessions())
    def agree(session: Session) -> None:
        played = vd.play(session, policy)
        recalls = sum(kind == RECALL for _, kind, _ in session.events)
        assert sum(item.hits for item in played.items) == sum(played.found)
        assert len(played.found) == recalls
        assert str(played)

    agree()


def test_mistakes_are_named() -> None:
    """In the events, and in the policy."""
    with pytest.raises(vd.InvalidInputError, match="event 0 is in turn 0; allowed: 1 to 3"):
        vd.play(Session(3, (FOUNDATIONAL,), ((0, REGISTER, 0),)), Sound())
    with pytest.raises(vd.InvalidInputError, match="of kind 'sign'"):
        vd.play([(1, "sign", "a")], Sound())
    with pytest.raises(vd.InvalidInputError, match="allowed: a number from 0 to 1"):
        vd.play([(1, "register", "a"), (2, "recall", "a")], Above1())
