"""YourMemory's store: what it knows of each memory, and no more."""

import sqlite3
from contextlib import closing
from pathlib import Path

from importer_samples import your_memory

import vecdecay as vd
from vecdecay.sessions.importers import import_trace


def test_a_memory_is_registered_replaced_and_last_recalled(tmp_path: Path) -> None:
    """Users are sessions; importance and category come along; recalls without a time are counted."""
    table, notes = import_trace("your-memory", your_memory(tmp_path))
    events = [(row["session"], row["time"].day, row["kind"], row["item"]) for row in table.to_pylist()]
    assert events == [
        *(("ada", 1, 0, "1"), ("ada", 2, 0, "2"), ("ada", 3, 0, "1"), ("ada", 7, 1, "1")),
        *(("bob", 4, 0, "3"), ("bob", 5, 1, "3")),
    ]
    assert notes == [
        "3 memories of 2 users; 2 were recalled: the last time of each is known",
        "2 recalls left out, of which only the number is known",
    ]
    attributes = vd.Trace.read(table, turn="1d").session(0).attributes
    assert [(one.importance, one.category) for one in attributes] == [(0.9, "strategy"), (0.4, "fact")]


def test_memories_that_cannot_be_placed_are_counted(tmp_path: Path) -> None:
    """No user, no time, an importance out of range; a recall before the creation is none."""
    when = "2024-05-04 10:00:00"
    rows = [
        (1, None, 0.5, 1, when, when, "fact"),
        (2, "ada", 1.5, 1, when, when, "fact"),
        (3, "ada", "x", 1, when, when, "fact"),
        (4, "ada", 0.5, 1, when, "never", "fact"),
        (5, "ada", 0.5, 1, when, when, ""),
        (6, "ada", 0.5, 2, "2024-05-01", when, "fact"),
        (7, "ada", 0.5, "many", when, when, "fact"),
    ]
    table, notes = import_trace("your-memory", your_memory(tmp_path, rows))
    assert [(row["item"], row["kind"]) for row in table.to_pylist()] == [("6", 0), ("7", 0)]
    left_out = "memories left out, with no user or time, or an importance out of range"
    assert notes[1:] == [f"5 {left_out}: memories.db rows 1, 2, 3, 4, 5"]


def test_older_stores_have_no_history(tmp_path: Path) -> None:
    """And a change without a time is counted."""
    path = your_memory(tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE memory_history SET superseded_at = NULL")
        connection.commit()
    assert "2 changes left out, with no time: memories.db rows 1, 2" in import_trace("your-memory", path)[1]
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE memory_history")
    assert import_trace("your-memory", path)[0].num_rows == 5
