"""mem0's history: additions, updates and deletions, in the order of time."""

from pathlib import Path

from importer_samples import SECRET, mem0

import vecdecay as vd
from vecdecay.sessions.importers import import_trace


def test_events_are_registrations_and_forgets(tmp_path: Path) -> None:
    """An update registers anew, at the time of the change; a deletion forgets."""
    table, notes = import_trace("mem0", mem0(tmp_path))
    events = [(row["time"].strftime("%d %H"), row["kind"], row["item"], row["tokens"]) for row in table.to_pylist()]
    size = -(-len(SECRET) // 4)
    assert events == [
        ("01 17", 0, "a", size),
        ("02 17", 0, "b", size),
        ("03 17", 0, "a", size),
        ("04 17", 2, "b", size),
    ]
    assert notes == ["2 memories, 1 updates, 1 deletions; no recalls: mem0 records no searches"]
    items = vd.simulate(vd.Trace.read(table, turn="1d"), vd.KeepAll(), detail="items").items
    assert items["evicted_reason"].to_pylist() == [None, "forgotten"]


def test_rows_that_are_no_events_are_counted(tmp_path: Path) -> None:
    """No memory, another event, no time; the creation stands in for a change without a time."""
    rows = [
        ("a", "UPDATE", "2024-05-09", None),
        ("a", "ADD", "2024-05-01", None),
        (None, "ADD", "2024-05-01", None),
        ("b", "NONE", "2024-05-01", None),
        ("b", "ADD", "soon", None),
        ("c", b"ADD", "2024-05-01", None),
    ]
    table, notes = import_trace("mem0", mem0(tmp_path, rows))
    assert [row["time"].day for row in table.to_pylist()] == [1, 9]
    assert notes[1:] == ["4 rows left out, with no memory, no time, or another event: history.db rows 3, 4, 5, 6"]
