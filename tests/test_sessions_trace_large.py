"""Large logs are read by their dictionaries and by several threads; what comes of it is the same."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from sweep_peaks import measured, needs_proc
from test_run_predict_memory import ALLOWANCE, bound_of
from test_sessions_trace import logs
from trace_replay import Row

import vecdecay as vd
from vecdecay import threads
from vecdecay.commands.replay import replay_command
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


POLICIES = ("ebbinghaus", "recency_window", "fsrs6", "lru", "your_memory")
EXTREMES = {"sessions": 1_000_000, "items": 1_000_000, "turns": 10_000_000}
SMALL = {"sessions": 2_000, "items": 20_000, "turns": 100_000}


def extreme(name: str, size: int) -> pa.Table:
    """Return a log of many sessions of three items, of one session of many items, or of five events in many turns."""
    if name == "sessions":
        session, turn, item = (
            np.tile(one, size) for one in (np.zeros(6, int), [1, 1, 2, 5, 9, 40], [0, 1, 2, 0, 1, 2])
        )
        session = np.repeat(np.arange(size), 6)
    elif name == "items":
        item = np.tile(np.arange(size), 2)
        turn = np.arange(2 * size) // (size // 20) + 1
        session = np.zeros(2 * size, dtype=np.int64)
    else:
        session, turn, item = np.zeros(5, dtype=np.int64), np.array([1, 2, size // 2, size - 1, size]), np.arange(5) % 2
    return pa.table({"session": session, "turn": turn, "item": item})


def checked(name: str, trace: vd.Trace, size: int) -> None:
    """Compare what the policies come to with what is known of such logs."""
    played = vd.simulate(trace, [vd.RecencyWindow(window_size=30), vd.Ebbinghaus()], detail="sessions").sessions
    misses = played["misses"].to_numpy().reshape(2, -1)
    if name == "sessions":
        assert (misses == 1).all()  # gaps of 4, 8 and 38 turns; Ebbinghaus keeps what was used once for 12
        assert misses.shape == (2, size)
    else:
        gap = 20 if name == "items" else size // 2
        recalls = size if name == "items" else 3
        assert misses.tolist() == [[recalls if gap > 30 else 0], [recalls]]


@pytest.mark.parametrize("name", SMALL)
def test_extreme_logs_are_played_by_the_usual_engines(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are read, replayed and simulated; every policy comes to what the turn-major or scalar engine says."""
    path = tmp_path / "log.parquet"
    pq.write_table(extreme(name, SMALL[name]), path)
    trace = vd.Trace.read(path)
    checked(name, trace, SMALL[name])
    replay_command(path, ["lru", "recency_window"], [], {}, None, False)
    assert "recency_window" in capsys.readouterr().out
    few = range(min(trace.num_sessions, 20))
    for policy in (vd.Fsrs6(), vd.YourMemory()):
        found, expected = (vd.simulate(trace, policy, few, engine=engine).sessions for engine in ("auto", "lockstep"))
        assert found == expected


@needs_proc
@pytest.mark.thorough
@pytest.mark.parametrize("name", EXTREMES)
def test_extreme_logs_take_the_memory_that_is_predicted(name: str, tmp_path: Path) -> None:
    """A million sessions, a million items in one, ten million turns, under every kind of policy."""
    path = tmp_path / "log.parquet"
    pq.write_table(extreme(name, EXTREMES[name]), path)
    checked(name, vd.Trace.read(path), EXTREMES[name])
    head = f'schema = 1\nsweep = {{ name = "extreme", detail = "cells" }}\ntrace = {{ path = "{path.as_posix()}" }}\n'
    text = head + "".join(f'[[policy]]\nkind = "{policy}"\n' for policy in POLICIES)
    measured(text, 2, f"{tmp_path}/warm")
    found = measured(text, 2, f"{tmp_path}/run")
    assert found["failed"] == 0
    assert found["peak"] <= bound_of(text) + ALLOWANCE
