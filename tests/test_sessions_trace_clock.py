"""Elapsed real time is kept beside the turn, and policies in days, hours or seconds read it."""

from itertools import pairwise
from typing import Any

import pyarrow as pa
import pytest
from conftest import examples
from hypothesis import given, settings
from hypothesis import strategies as st

import vecdecay as vd
from vecdecay.sessions.clock import LATEST_SECOND, second_of

DAY, HOUR = 86_400, 3600
READ = "elapsed time is read by policies in days, hours or seconds, in place of their turns_per_day"


def log(times: list[int], items: list[str] | None = None, **columns: list[Any]) -> pa.Table:
    """Return a log of one session with a time in seconds for each event."""
    return pa.table({"time": pa.array(times, pa.timestamp("s")), "item": items or ["x"] * len(times), **columns})


def clock_of(table: pa.Table, **asked: Any) -> tuple[tuple[int, int], ...]:
    """Return the clock of the first session of a log."""
    return vd.Trace.read(table, **asked).session(0).clock


def test_a_turn_has_the_time_of_its_first_event() -> None:
    """In seconds from the midnight before the session, from 1; a turn of the log may hold several times."""
    times = [10 * DAY + 7, 10 * DAY + 7, 11 * DAY, 15 * DAY]
    assert clock_of(log(times), turn="event") == ((1, 8), (2, DAY + 1), (3, 5 * DAY + 1))
    assert clock_of(log(times, message=["a", "b", "b", "c"]), turn="message") == ((1, 8), (2, 8), (3, 5 * DAY + 1))
    assert clock_of(log(times, turn=[4, 6, 6, 9])) == ((1, 8), (3, 8), (6, 5 * DAY + 1))


@pytest.mark.parametrize(("turn", "seconds"), [("1h", HOUR), ("1d", DAY), ("7m", 420), ("1w", 7 * DAY)])
def test_a_stretch_of_time_is_as_long_as_it_is(turn: str, seconds: int) -> None:
    """Every turn lies a whole stretch after the one before it, those without an event too."""
    points = clock_of(log([100 * DAY + 5 * HOUR, 130 * DAY]), turn=turn)
    length = points[-1][0]
    assert [second_of(points, one + 1) - second_of(points, one) for one in range(1, length)] == [seconds] * (length - 1)


@pytest.mark.parametrize("turn", ["event", "1h", "1w"])
def test_a_written_trace_has_the_same_clock(turn: str) -> None:
    """The column time of the table is read beside its turns."""
    trace = vd.Trace.read(log([10 * DAY + 7, 10 * DAY + 9, 17 * DAY, 80 * DAY + 3]), turn=turn)
    one, other = trace.session(0), vd.Trace.read(trace.table()).session(0)
    assert (one.events, one.session_length) == (other.events, other.session_length)
    turns = range(1, one.session_length + 1)
    assert [second_of(one.clock, turn) for turn in turns] == [second_of(other.clock, turn) for turn in turns]


def test_what_cannot_be_read_is_said() -> None:
    """The column turn is enough; a log of more than 68 years is played by turns too."""
    turns = {"turn": [1, 2]}
    for times, why in (
        ([9, 5], "time runs backwards from one turn to the next"),
        ([0, LATEST_SECOND + 1], "a session spans more than 68 years"),
        ([5, None], "time is no time in row 2"),
    ):
        trace = vd.Trace.read(pa.table({"time": pa.array(times, pa.timestamp("s")), "item": ["x", "x"], **turns}))
        assert f"{why}: the time is not read, and policies count their own turns a day" in trace.notes
        assert trace.session(0).clock == ()
    assert READ in vd.Trace.read(log([5, 9], **turns)).notes
    left = vd.Trace.read(log([5, 9], **turns), elapsed="turns")
    assert (left.session(0).clock, READ in left.notes) == ((), False)


@settings(max_examples=examples(15))
@given(st.lists(st.sampled_from((0, 1, 5, 13, 22, 160, 161, 162, 300, 700)), min_size=1, max_size=12))
def test_hours_are_those_of_the_log(gaps: list[int]) -> None:
    """With a turn an hour, the recorded time says what 24 turns a day say; a plain loop over times says the same."""
    hours = [sum(gaps[: place + 1]) for place in range(len(gaps))]
    table = log([hour * HOUR for hour in hours])
    policies = [vd.LangChainRecency(), vd.Fsrs6(turns_per_day=24.0), vd.Fsrs6(turns_per_day=3.0)]
    recorded, counted = (
        vd.simulate(vd.Trace.read(table, turn="1h", elapsed=one), policies, threads=1).sessions["misses"].to_pylist()
        for one in ("recorded", "turns")
    )
    assert recorded[:2] == counted[:2]
    assert recorded[2] == recorded[1]  # turns_per_day is not read
    by_event = vd.simulate(vd.Trace.read(table, turn="event"), policies[0], threads=1).sessions["misses"].to_pylist()
    last, here, misses = hours[0], True, 0
    for before, hour in pairwise(hours):
        # A pass between two events comes with the later one, which the recall of that turn survives.
        here = here and before - last < 161
        misses += not here
        last = hour if here else last
    assert by_event == [misses]
