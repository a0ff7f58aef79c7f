"""Times are read as what they are, or refused: units, zones, fractions, and what makes a turn of them."""

import datetime as dt
from typing import Any

import pyarrow as pa
import pytest
from conftest import examples
from hypothesis import given, settings
from hypothesis import strategies as st

import vecdecay as vd
from vecdecay.errors import InvalidInputError
from vecdecay.sessions.trace_time import read_times, turn_seconds

EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
MOMENTS = st.datetimes(dt.datetime(1971, 1, 1), dt.datetime(2099, 1, 1)).map(lambda one: one.replace(tzinfo=dt.UTC))


def micros(moment: dt.datetime) -> int:
    """Return the microseconds since 1970, by Python's own integers."""
    return (moment - EPOCH) // dt.timedelta(microseconds=1)


def read(column: Any, unit: str | None = None) -> tuple[list[int], str]:
    """Return the microseconds that are read, and the note."""
    values, note = read_times(pa.chunked_array([column]), unit, "log")
    assert not values.bad.any()
    return values.values.tolist(), note


@given(st.lists(MOMENTS, min_size=1, max_size=6))
@settings(max_examples=examples(100))
def test_every_way_to_write_a_moment_is_the_same_moment(moments: list[dt.datetime]) -> None:
    """Time stamps, texts with and without fractions and zones, and microseconds give the same integers."""
    expected = [micros(one) for one in moments]
    hours = dt.timezone(dt.timedelta(hours=5, minutes=30))
    assert read(pa.array(moments, pa.timestamp("us", "UTC")))[0] == expected
    assert read(pa.array(moments, pa.timestamp("us", "UTC")).cast(pa.timestamp("ns", "UTC")))[0] == expected
    assert read(pa.array([one.isoformat() for one in moments]))[0] == expected
    assert read(pa.array([one.astimezone(hours).isoformat() for one in moments]))[0] == expected
    assert read(pa.array([one.replace(tzinfo=None).isoformat() for one in moments]))[0] == expected
    assert read(pa.array(expected), "us")[0] == expected


@given(MOMENTS, st.sampled_from((("s", 1_000_000), ("ms", 1000), ("us", 1))))
@settings(max_examples=examples(60))
def test_units_are_recognised_by_their_size(moment: dt.datetime, unit: tuple[str, int]) -> None:
    """Numbers of moments from 1971 to 2099 are taken for what they are, and the note says so."""
    name, factor = unit
    number = micros(moment) // factor
    values, note = read(pa.array([number]))
    assert values == [number * factor]
    assert note == f"time is in {name}, recognised by its size"
    assert read(pa.array([number]), name)[1] == f"time is in {name}"


@pytest.mark.parametrize(
    ("column", "line"),
    [
        (["2024-01-01T00:00:00Z", "2024-01-01T05:00:00"], "time has a zone in some rows and none in row 2"),
        (["2024-01-01", "yesterday", "2024-01-02", "2024-13-01"], "time is 'yesterday' in rows 2, 4"),
        (["2024-01-01T00:00:00Z", "yesterdayZ"], "time is 'yesterdayZ' in row 2"),
        ([1.0, float("inf")], "time is inf in row 2"),
        ([1.0, float("nan")], "time is empty in row 2"),
        ([1.0, 1e300], "time is 1e\\+300 in row 2"),
        (pa.array([-(2**63), 0], pa.timestamp("s")), "time is out of range in row 1"),
        ([None, "2024-01-01"], "time is empty in row 1"),
        ([dt.time(1), dt.time(2)], "time is of the type time64"),
        ([True, False], "time is of the type bool"),
        ([[1], [2]], "time is of the type list"),
    ],
)
def test_what_is_no_time_is_refused_with_its_rows(column: Any, line: str) -> None:
    """One line."""
    length = len(column)
    with pytest.raises(InvalidInputError, match=f"^Table: {line}") as caught:
        vd.Trace.read(pa.table({"item": ["x"] * length, "time": column}))
    assert len(caught.value.problems) == 1


def events(times: list[int], **options: Any) -> list[tuple[int, int]]:
    """Return (turn, item) of a session of one item per row, times in seconds."""
    log = pa.table({"item": list(range(len(times))), "time": times, "message": [t // 100 for t in times]})
    return [(turn, item) for turn, _, item in vd.Trace.read(log, time_unit="s", **options).session(0).events]


def test_turns_are_made_of_time() -> None:
    """By full hours, days, stamps or messages; the first event is in turn 1."""
    times = [3599, 3600, 3700, 7200, 90_000]
    assert [turn for turn, _ in events(times)] == [1, 2, 2, 3, 26]
    assert [turn for turn, _ in events(times, turn="1d")] == [1, 1, 1, 1, 2]
    assert [turn for turn, _ in events(times, turn="event")] == [1, 2, 3, 4, 5]
    assert [turn for turn, _ in events([1, 1, 5, 150, 420], turn="message")] == [1, 1, 1, 2, 3]
    assert [turn for turn, _ in events(times, longest_silence=2)] == [1, 2, 2, 3, 5]
    assert events([7200, 3600]) == [
        (1, 0),
        (2, 1),
    ]  # a clock that runs backwards is sorted, and items are numbered anew


@pytest.mark.parametrize("wrong", ["1 fortnight", "0h", "h", "", "-1h", "1.5h", "9" * 30 + "w", 5])
def test_other_turns_are_refused(wrong: Any) -> None:
    """With what is allowed."""
    with pytest.raises(InvalidInputError, match=r"^turn is .*; allowed: one of auto, event, message, or a duration"):
        events([1], turn=wrong)
    assert turn_seconds(wrong) == 0


def test_other_units_are_refused() -> None:
    """With what is allowed."""
    with pytest.raises(InvalidInputError, match="time_unit is 'h'; allowed: s, ms, us, ns"):
        read(pa.array([1]), "h")
