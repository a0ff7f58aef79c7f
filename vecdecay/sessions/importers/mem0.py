"""mem0's history (history.db): what was added to memory, changed and deleted.

A session is a history, an item a memory. ADD registers, UPDATE registers anew (its text is another; the rule
``registered_again`` of a trace says what that does), DELETE forgets. mem0 keeps no record of searches, so there are no
recalls: the trace shows growth, supersession and deletion, not hits. Nothing is kept of the texts but their sizes.

Source: mem0ai/mem0, mem0/memory/storage.py (table history), main.py (which of its two times an event has: an UPDATE or
DELETE that of the change, an ADD that of the creation).
"""

import os
from pathlib import Path

from vecdecay.sessions.events import FORGET, REGISTER
from vecdecay.sessions.importers.reading import (
    Imported,
    Importer,
    LeftOut,
    Row,
    collected,
    table_of,
    time_of,
    tokens_of,
)
from vecdecay.sessions.importers.sqlite import rows_of

_KINDS = {"ADD": REGISTER, "UPDATE": REGISTER, "DELETE": FORGET}
_COLUMNS = ("memory_id", "event", "created_at", "updated_at", "length(new_memory)")


def read_mem0(source: str | os.PathLike[str]) -> Imported:
    """Return the events of a history (.db), or of all below a folder, and notes.

    The table has session, time, item, kind and tokens (estimated, a quarter of the characters).
    """
    rows, notes = collected(source, (".db", ".sqlite", ".sqlite3"), _events)
    memories = len({row[:3:2] for row in rows})
    forgets = sum(row[3] == FORGET for row in rows)
    found = (
        f"{memories:,} memories, {len(rows) - forgets - memories:,} updates, {forgets:,} deletions; "
        "no recalls: mem0 records no searches"
    )
    return table_of(rows, "session", "time", "item", "kind", "tokens"), [found, *notes]


def _events(path: Path, name: str, left_out: LeftOut) -> list[Row]:
    rows: list[Row] = []
    sizes: dict[str, int] = {}
    for number, (memory, event, created, updated, length) in enumerate(rows_of(path, "history", _COLUMNS, "rowid")):
        kind = _KINDS.get(event) if isinstance(event, str) else None
        time = time_of(created if event == "ADD" else updated) or time_of(updated) or time_of(created)
        if kind is None or time is None or not isinstance(memory, str) or not memory:
            left_out.add("rows left out, with no memory, no time, or another event", name, [number])
            continue
        if length is not None:
            sizes[memory] = tokens_of(length)
        rows.append((name, time, memory, kind, sizes.get(memory, 1)))
    return sorted(rows, key=lambda row: row[1])


_SUMMARY = "mem0's history (.db): memories added, updated and deleted"
MEM0 = Importer("mem0", _SUMMARY, read_mem0, turn="1d")
