"""YourMemory's SQLite store: memories with importance, category, and the last time each was recalled.

A session is a user, an item a memory. The store keeps of each memory when it was made, how often it was recalled, and
when last: so each is registered, and recalled once at that time; the recalls before it have no time, and are counted.
A superseded text (table memory_history) is another registration of its memory. What was deleted or pruned is not in
the store, so hit rates on such a trace are too high. Texts are not read.

Source: sachitrafa/YourMemory, src/db/sqlite_schema.sql. Its other stores, DuckDB and PostgreSQL, are not read.
"""

import os
from pathlib import Path
from typing import Any

from vecdecay.errors import InvalidInputError
from vecdecay.items import Attributes, attribute_problems
from vecdecay.sessions.events import RECALL, REGISTER
from vecdecay.sessions.importers.reading import Imported, Importer, LeftOut, Row, collected, table_of, time_of
from vecdecay.sessions.importers.sqlite import rows_of

_COLUMNS = ("id", "user_id", "importance", "category", "recall_count", "created_at", "last_accessed_at")


def read_your_memory(source: str | os.PathLike[str]) -> Imported:
    """Return the memories of a store (.db), or of all below a folder, and notes.

    The table has session, time, item, kind, importance and category.
    """
    rows, notes = collected(source, (".db", ".sqlite", ".sqlite3"), _memories)
    recalls = sum(row[3] == RECALL for row in rows)
    memories, users = len({(row[0], row[2]) for row in rows}), len({row[0] for row in rows})
    found = f"{memories:,} memories of {users:,} users; {recalls:,} were recalled: the last time of each is known"
    return table_of(rows, "session", "time", "item", "kind", "importance", "category"), [found, *notes]


def _memories(path: Path, name: str, left_out: LeftOut) -> list[Row]:
    replaced = _replaced(path, name, left_out)
    rows: list[Row] = []
    unknown = 0
    for number, (item, user, importance, category, count, created, accessed) in enumerate(
        rows_of(path, "memories", _COLUMNS, "id")
    ):
        first, last = time_of(created), time_of(accessed)
        if (
            attribute_problems(Attributes(importance, category))
            or not isinstance(user, str)
            or not user
            or first is None
        ):
            left_out.add("memories left out, with no user or time, or an importance out of range", name, [number])
            continue
        times = [(first, REGISTER), *((time, REGISTER) for time in replaced.get(item, ()) if time >= first)]
        if isinstance(count, int) and count > 0 and last is not None and last >= first:
            times.append((last, RECALL))
            unknown += count - 1
        rows += [(user, time, str(item), kind, importance, category) for time, kind in times]
    left_out.count("recalls left out, of which only the number is known", unknown)
    return sorted(rows, key=lambda row: (row[0], row[1], row[3]))


def _replaced(path: Path, name: str, left_out: LeftOut) -> dict[Any, list[Any]]:
    """Return the times at which memories got another text; older stores have no table of them."""
    found: dict[Any, list[Any]] = {}
    try:
        for number, (item, text) in enumerate(rows_of(path, "memory_history", ("memory_id", "superseded_at"), "id")):
            time = time_of(text)
            if time is None:
                left_out.add("changes left out, with no time", name, [number])
            else:
                found.setdefault(item, []).append(time)
    except InvalidInputError as error:
        if "has no table" not in error.problems[0]:
            raise
    return found


_SUMMARY = "YourMemory's SQLite store (.db): memories, and the last recall of each"
YOUR_MEMORY = Importer("your-memory", _SUMMARY, read_your_memory, turn="1d")
