"""Large logs are read by their dictionaries and by several threads; what comes of it is the same."""

from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from test_sessions_trace import logs
from trace_replay import Row

import vecdecay as vd
from vecdecay import threads
from vecdecay.sessions.trace_values import as_codes


def content(trace: vd.Trace) -> list[Any]:
    """Return all that a trace holds, as plain data."""
    names = [trace.item_names(session) for session in range(trace.num_sessions)]
    return [trace.table().to_pylist(), trace.block(range(trace.num_sessions)).sessions(), names, trace.notes]


@given(logs(), st.integers(1, 5))
@settings(max_examples=examples(50))
def test_row_groups_with_their_own_dictionaries_are_one_log(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Row], group: int
) -> None:
    """A file of small row groups, with a column that is not read, holds what the table in memory holds."""
    table = pa.Table.from_pylist([row | {"unread": "text"} for row in rows])
    path = tmp_path_factory.mktemp("log") / "log.parquet"
    pq.write_table(table, path, row_group_size=group)
    assert content(vd.Trace.read(path)) == content(vd.Trace.read(table))


def test_a_dictionary_may_hold_values_twice_and_in_any_order() -> None:
    """Codes follow the rows, equal values are one, and values that no row has are none."""
    coded = pa.DictionaryArray.from_arrays(pa.array([3, 1, 2, 0], pa.int32()), pa.array(["b", "a", "b", "c", "d"]))
    found = as_codes(pa.chunked_array([coded]), "item", "log")
    assert found.names is not None
    assert found.names.to_pylist() == ["c", "a", "b"]
    assert found.values.tolist() == [0, 1, 2, 2]


@pytest.mark.parametrize("processors", [2, 3, 50])
def test_threads_share_a_trace(processors: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many threads there are, and however few sessions, every event is played once."""
    rows = [{"session": f"s{n % 7}", "turn": n // 7, "item": f"i{n * n % 11}", "kind": n % 3} for n in range(200)]
    table = pa.Table.from_pylist(sorted(rows, key=lambda row: str(row["session"])))
    alone = vd.Trace.read(table, duplicates="once", longest_silence=1)
    monkeypatch.setattr(threads, "_FEW", 0)
    monkeypatch.setattr(threads, "available_processors", lambda: processors)
    shared = vd.Trace.read(table, duplicates="once", longest_silence=1)
    assert content(shared) == content(alone)
    assert shared.summarise() == alone.summarise()
