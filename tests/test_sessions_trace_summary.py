"""The summary of a trace counts what plain loops count; a trace that is written is the same when it is read."""

from pathlib import Path

import pyarrow as pa
import pytest
from conftest import examples
from hypothesis import given, settings
from test_sessions_trace import logs
from trace_replay import PlainRules, Row, events_by_rules, sessions_of

import vecdecay as vd

LAST_GAPS = (0, 1, 5, 15, 30, 100, 1000)


def plain_gaps(rows: list[Row]) -> list[int]:
    """Return the turns from an item's touch to the recall that follows it, ascending."""
    gaps = []
    for one in sessions_of(rows).values():
        touched: dict[str, int] = {}
        for turn, kind, item in events_by_rules(one, PlainRules())[0]:
            if kind == 1 and item in touched:
                gaps.append(turn - touched[item])
            touched[item] = turn
            if kind == 2:
                del touched[item]
    return sorted(gaps)


@given(logs())
@settings(max_examples=examples(100))
def test_the_summary_counts_what_plain_loops_count(rows: list[Row]) -> None:
    """Sessions, events, items, kinds, gaps: the median is the smallest gap that half of them do not exceed."""
    summary = vd.Trace.read(pa.Table.from_pylist(rows)).summarise()
    sessions = sessions_of(rows).values()
    kinds = [kind for one in sessions for _, kind, _ in events_by_rules(one, PlainRules())[0]]
    gaps = plain_gaps(rows)
    assert (summary.sessions, summary.events) == (len(sessions), len(rows))
    assert summary.items == sum(len({row["item"] for row in one}) for one in sessions)
    assert [summary.registrations, summary.recalls, summary.forgets] == [kinds.count(kind) for kind in (0, 1, 2)]
    assert summary.longest_session == max(one[-1]["turn"] - one[0]["turn"] + 1 for one in sessions)
    for percent, value in ((50, summary.gap_median), (90, summary.gap_90), (99, summary.gap_99)):
        reached = [gap for gap in gaps if sum(other <= gap for other in gaps) * 100 >= percent * len(gaps)]
        assert value == min(reached, default=None)
    assert summary.gap_maximum == max(gaps, default=None)
    least = -1
    for last, count in summary.recalls_by_gap:
        assert count == sum(least < gap and (last is None or gap <= last) for gap in gaps)
        least = least if last is None else last


def test_the_summary_is_text_too() -> None:
    """Figures, rules and notes, a line each."""
    log = pa.table({"session": ["a"] * 4, "turn": [3, 3, 5, 40], "item": ["x"] * 4})
    assert vd.Trace.read(log).summarise().lines() == [
        "1 sessions, 4 events, 1 items; the longest session has 38 turns",
        "1 registrations, 3 recalls, 0 forgets",
        "gaps before recalls: median 2, 90 % 35, 99 % 35, maximum 35 turns",
        "share of recalls by gap: 0: 33.3 %, 1: 0.0 %, 2–5: 33.3 %, 6–15: 0.0 %, 16–30: 0.0 %, 31–100: 33.3 %, "
        "101–1,000: 0.0 %, over 1,000: 0.0 %",
        "rules: a miss: nothing; duplicates in a turn: each; registered again: reset; silences kept; "
        "elapsed time: recorded; sessions start at their first event",
        "note: 1 sessions do not begin in turn 1: shifted, so that they do",
        "note: no column kind: the first touch of an item registers it, later ones recall it",
    ]
    assert len(vd.Trace.read(log.slice(0, 1)).summarise().lines()) == 5


@given(logs())
@settings(max_examples=examples(60))
def test_a_table_of_a_trace_is_the_same_trace(rows: list[Row]) -> None:
    """Sessions, events and names come back."""
    trace = vd.Trace.read(pa.Table.from_pylist(rows))
    again = vd.Trace.read(trace.table())
    assert again.session_names() == trace.session_names()
    for place in range(trace.num_sessions):
        assert again.session(place) == trace.session(place)
        assert again.item_names(place) == trace.item_names(place)


def test_a_written_trace_is_the_same_trace(tmp_path: Path) -> None:
    """What is known of items comes back too; nothing else is left in the folder, and a failure keeps what was there."""
    log = pa.table(
        {
            "session": [0, 0, 0], "turn": [5, 5, 9], "item": ["a", "b", "a"], "tokens": [30, 7, 30],
            "importance": [0.9, None, 0.9], "category": ["strategy", None, "strategy"], "pinned": [True, False, True],
            "expires": [None, 6, None], "foundational": [False, True, False],
        }
    )  # fmt: skip
    trace = vd.Trace.read(log)
    path = trace.write(tmp_path / "log.parquet")
    assert vd.Trace.read(path).session(0) == trace.session(0)
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(OSError, match="No such file"):
        trace.write(tmp_path / "none" / "log.parquet")
