"""Tests of vecdecay.run.why: the values that are said to save an item save it, and those beside them do not."""

import math
from typing import Any

import pytest
from conftest import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from test_sessions_trace import logs, policies, read, rules
from trace_replay import PlainRules, Row

import vecdecay as vd
from vecdecay.engines.registry import play_block
from vecdecay.errors import InvalidInputError
from vecdecay.run.along import with_value
from vecdecay.run.why import Saving, Why, why


def failures(trace: vd.Trace, policy: Any, session: int, item: int) -> int:
    """Return how many recalls of an item the scalar reference sees fail."""
    outcome = play_block(trace.block([session]), policy, "reference", want_items=True, relearn=trace.relearns)
    assert outcome.items is not None
    return int(outcome.items.misses[item])


def beyond(saving: Saving, policy: Any) -> float:
    """Return the value next to the range, on the side of the value that the policy has."""
    now = policy.values()[saving.parameter]
    return math.nextafter(saving.most if now > saving.most else saving.least, now)


@given(st.data(), logs(), rules(), policies())
@settings(max_examples=examples(40))
def test_values_that_save_do_and_the_next_ones_do_not(
    data: st.DataObject, rows: list[Row], how: PlainRules, policy: Any
) -> None:
    """At both ends of a range as few recalls fail as is said, beside it more; what fails is what was played."""
    trace = read(rows, how)
    session = data.draw(st.integers(0, trace.num_sessions - 1))
    item = data.draw(st.integers(0, len(trace.item_names(session)) - 1))
    found = why(trace, policy, trace.session_names()[session], trace.item_names(session)[item])
    assert len(found.failed) == failures(trace, policy, session, item)
    assert found.unavoidable == failures(trace, vd.KeepAll(), session, item)
    if len(found.failed) > found.unavoidable:
        assert found.savings
    for saving in found.savings:
        assert saving.exact
        assert saving.failed < len(found.failed)
        for value in (saving.least, min(saving.most, 1e9)):
            assert failures(trace, with_value(policy, saving.parameter, value), session, item) <= saving.failed
        outside = with_value(policy, saving.parameter, beyond(saving, policy))
        assert failures(trace, outside, session, item) > saving.failed


def test_ranges_are_drawn() -> None:
    """The cases above are not empty."""
    rows = [{"session": "s", "turn": turn, "item": "a"} for turn in (1, 9, 10, 40)]
    found = why(read(rows), vd.RecencyWindow(4), "s", "a")
    assert [(one.parameter, one.least, one.failed) for one in found.savings] == [
        ("window_size", 29.0, 0),
        ("window_size", 7.0, 1),
    ]
    assert [(one.turn, one.evicted_turn, one.turns_late) for one in found.failed] == [
        (9, 6, 3),
        (10, 6, 4),
        (40, 6, 34),
    ]


@pytest.mark.parametrize("policy", [vd.Fsrs6(eviction_threshold=0.95), vd.Fifo(1), vd.Lru(capacity_tokens=2)])
def test_what_no_curve_answers_is_played(policy: Any) -> None:
    """The nearest value that was seen to save; it is told that it was found by playing."""
    log = [(1, "a"), (2, "b"), (3, "c"), (30, "a"), (60, "a")]
    trace = read([{"session": "s", "turn": turn, "item": item} for turn, item in log])
    found = why(trace, policy, "s", "a")
    (saving,) = found.savings
    assert len(found.failed) == 2
    assert (saving.failed, saving.exact) == (0, False)
    for value in (saving.least, saving.most):
        assert failures(trace, with_value(policy, saving.parameter, value), 0, 0) == 0
    if saving.parameter.startswith("capacity"):
        assert saving.least == 3
        assert failures(trace, with_value(policy, saving.parameter, 2), 0, 0) > 0


@pytest.mark.parametrize(
    ("session", "item", "told"),
    [
        ("x", 0, "session is 'x'; allowed: an integer, the seed of the session"),
        (1.5, 0, "session is 1.5; allowed: an integer, the seed of the session"),
        (1, 999, "item is 999; allowed: 0 to 452"),
        (1, "rule", "item is 'rule'; allowed: 0 to 452"),
    ],
)
def test_a_session_or_an_item_that_is_none_is_a_line(session: Any, item: Any, told: str) -> None:
    """With what is allowed."""
    with pytest.raises(InvalidInputError) as caught:
        why(vd.PublishedSessions(), vd.Ebbinghaus(), session, item)
    assert list(caught.value.problems) == [told]


def test_names_may_be_typed() -> None:
    """A number of the log as text; an item that is recalled before it is registered fails under every policy."""
    trace = read([{"session": 7, "turn": t, "item": 5, "kind": 1} for t in (1, 2)])
    found: Why = why(trace, vd.KeepAll(), "7", "5")
    assert (len(found.failed), found.unavoidable, found.savings) == (2, 2, ())
