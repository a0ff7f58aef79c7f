"""Tests of vecdecay.sessions.saved: what is saved as a log, and read again, plays the same, to the bit."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from command_line import type_in
from conftest import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from test_sessions_trace import logs, policies, read, rules
from trace_replay import PlainRules, Row

import vecdecay as vd
from vecdecay.errors import InvalidInputError
from vecdecay.sessions import WORKLOADS
from vecdecay.sessions.saved import table_of_sessions
from vecdecay.testing import sessions

POLICIES = [vd.Ebbinghaus(), vd.RecencyWindow(4), vd.Lru(3)]


def saved(sessions_by_name: Any) -> vd.Trace:
    """Return sessions, by their names, saved and read again."""
    return vd.Trace.read(table_of_sessions(sessions_by_name))


def tables(source: Any, seeds: Any) -> list[pa.Table]:
    """Return what the sessions come to, under policies of every kind."""
    result = vd.simulate(source, POLICIES, seeds=seeds, detail="misses", threads=1)
    return [result.sessions, result.misses.drop_columns(["item"])]


@pytest.mark.parametrize("kind", WORKLOADS, ids=lambda kind: kind.name)
def test_every_workload_plays_the_same_as_a_log(kind: Any) -> None:
    """Totals and misses of each session; sessions without an event, or with what no log holds, are refused."""
    workload = kind()
    if workload.has_relations:
        with pytest.raises(InvalidInputError, match="a log can hold: register, recall and forget"):
            saved((seed, workload.session(seed)) for seed in range(3))
        return
    assert tables(saved((seed, workload.session(seed)) for seed in range(3)), None) == tables(workload, range(3))


@given(st.lists(sessions(described=True), min_size=1, max_size=3))
@settings(max_examples=examples(40))
def test_drawn_sessions_play_the_same(drawn: list[Any]) -> None:
    """With attributes, sizes, last turns and grades; sessions that begin late and end after their last event."""
    touched = [{item for _, _, item in one.events} for one in drawn]
    drawn = [one for one, items in zip(drawn, touched, strict=True) if items and len(items) == len(one.item_kinds)]
    if not drawn:
        return
    assert tables(saved(enumerate(drawn)), None) == tables(drawn, None)


@given(logs(), rules(), policies())
@settings(max_examples=examples(40))
def test_the_table_of_a_trace_is_the_same_trace(rows: list[Row], how: PlainRules, policy: Any) -> None:
    """Read again with the same rule for misses, whatever the other rules did to the log."""
    trace = read(rows, how)
    again = vd.Trace.read(trace.table(), on_miss=how.on_miss)
    assert again.table() == trace.table()
    columns = [vd.simulate(one, policy, threads=1).sessions for one in (trace, again)]
    assert columns[0] == columns[1]


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"session_length": [9, 9, 8]}, "session_length does not fit row 3"),
        ({"session_length": [4, 4, 4]}, "session_length does not fit row 3"),
        ({"session_length": [0, 9, 9]}, "session_length"),
        ({"turn": [0, 2, 5]}, "session_length does not fit row 1"),
    ],
)
def test_a_length_that_does_not_fit_is_a_line(changed: dict[str, Any], told: str) -> None:
    """With the rows."""
    log = {"session": ["a"] * 3, "turn": [1, 2, 5], "item": ["x", "y", "x"], "session_length": [9, 9, 9], **changed}
    with pytest.raises(InvalidInputError, match=told) as caught:
        vd.Trace.read(pa.table(log))
    assert len(caught.value.problems) == 1


def test_a_session_keeps_its_turns_where_its_length_is_given() -> None:
    """No shift to turn 1, and the end is where the column says."""
    log = {"turn": [3, 5], "item": ["x", "x"], "session_length": [9, 9]}
    trace = vd.Trace.read(pa.table(log))
    assert trace.session(0).session_length == 9
    assert [turn for turn, *_ in trace.session(0).events] == [3, 5]
    with pytest.raises(InvalidInputError, match="silences kept"):
        vd.Trace.read(pa.table(log), longest_silence=2)


def test_show_saves_what_it_draws(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One session or several, of a workload, one's own or a log; every mistake is a line, and nothing is written."""
    path, again = tmp_path / "saved.parquet", tmp_path / "again.parquet"
    drawn = type_in(capsys, "show", "steady_use", "--seed", "3", "--save", str(path), "--seeds", "2:5")
    assert (drawn.code, drawn.err) == (0, "")
    trace = vd.Trace.read(path)
    assert trace.session_names() == [2, 3, 4]
    expected = tables(vd.SteadyUse(), range(2, 5))[0]
    assert tables(trace, None)[0].drop_columns(["seed"]) == expected.drop_columns(["seed"])
    shown = type_in(capsys, "show", str(path), "--seed", "1", "--save", str(again)).out
    assert shown.partition("ebbinghaus")[2] == drawn.out.partition("ebbinghaus")[2]
    assert vd.Trace.read(again).table() == trace.table()
    ended = type_in(capsys, "show", "steady_use", "--save", str(tmp_path / "no.csv"), "--seeds", "1,1")
    assert (ended.code, len(ended.complaints)) == (2, 2)
    assert type_in(capsys, "show", "steady_use", "--seeds", "2").complaints == [
        "--seeds: allowed with --save, of a workload"
    ]
    assert sorted(one.name for one in tmp_path.iterdir()) == ["again.parquet", "saved.parquet"]
