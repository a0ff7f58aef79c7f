"""From a file or table to the columns of a trace: which column is what, and each in one type, checked.

A column is found by its own name, by the caller's mapping, or by one of the usual names; what was guessed is reported.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from vecdecay.errors import InvalidInputError
from vecdecay.parameters import brief, did_you_mean

COLUMNS = {
    "session": ("session_id", "conversation", "conversation_id", "user", "user_id", "thread", "thread_id"),
    "turn": ("step", "tick", "day", "turn_id", "position"),
    "time": ("timestamp", "time_stamp", "ts", "datetime", "date", "created_at", "clock_time"),
    "item": ("item_id", "key", "memory", "memory_id", "obj_id", "object", "path", "file_path", "card_id", "doc_id"),
    "kind": ("event", "op", "operation", "action", "type"),
    "order": ("seq", "sequence", "index", "row"),
    "message": ("message_id", "msg_id", "message_uuid"),
    "tokens": ("size", "obj_size", "length", "num_tokens"),
    "importance": ("weight", "salience"),
    "category": ("label", "class"),
    "pinned": ("pin",),
    "expires": ("expires_turn", "expiry", "forget_after"),
    "foundational": ("needed", "relevant"),
    "grade": ("rating", "review_rating"),
    "session_length": (),
}
"""What a trace may hold, and the other names under which each column is found."""

MEANINGS = {
    "session": "name of the session",
    "turn": "turn of the event, an integer from 1; or the times are made into turns",
    "time": "when it happened: a timestamp, or a number of seconds, milliseconds or microseconds",
    "item": "name of the item",
    "kind": "register, recall or forget; without it the first touch registers an item, and later ones recall it",
    "order": "order of the events inside a turn; that of the rows without it",
    "message": "name of the message or call that the event belongs to, for turns that are messages",
    "tokens": "size of the item",
    "importance": "importance of the item, from 0 to 1",
    "category": "category of the item: fact, assumption, failure, strategy, or a name of your own",
    "pinned": "whether no policy may evict the item",
    "expires": "last turn in which the item can be found",
    "foundational": "whether the item's survival is measured; without it that of items that are recalled is",
    "grade": "how well the item was recalled, 1 (again) to 4 (easy)",
    "session_length": "turns of the session, from turn 1; without it a session begins and ends with its events",
}
"""What each column of a trace holds."""

_NAMES = ("session", "item", "kind", "message")
"""Columns of names: 007 is not 7 there."""

_TEXTS = (".csv", ".tsv", ".txt", ".jsonl", ".ndjson", ".json")
_MOST_LISTED = 5
_ROWS_AT_ONCE = 1 << 23


@dataclass
class RawTrace:
    """The columns that were found (see COLUMNS), one entry per row; ``notes`` say what was guessed or left out."""

    columns: dict[str, pa.ChunkedArray]
    notes: list[str] = field(default_factory=list)
    where: str = "trace"

    @property
    def num_rows(self) -> int:
        """Return the number of rows."""
        return len(next(iter(self.columns.values()))) if self.columns else 0


def read_columns(source: Any, mapping: Mapping[str, str] | None = None, skip_bad_rows: bool = False) -> RawTrace:
    """Return the columns of a file (Parquet, CSV, JSON Lines, Arrow IPC; gz or zst), or of anything that streams Arrow.

    Raises:
        InvalidInputError: it cannot be read, or a column is missing, doubled or mapped to nothing; a line per mistake.
    """
    where = os.fspath(source) if isinstance(source, str | os.PathLike) else type(source).__name__
    where = where.decode(errors="replace") if isinstance(where, bytes) else where
    if mapping is not None and not isinstance(mapping, Mapping):
        raise InvalidInputError(
            [f'columns is {brief(mapping)}; allowed: names by their roles: {{"item": "file_path"}}']
        )
    chosen = dict(mapping or {})
    notes: list[str] = []
    table = _table_of(source, where, chosen, notes if skip_bad_rows else None)
    doubled = sorted({name for name in table.column_names if table.column_names.count(name) > 1})
    if doubled:
        raise InvalidInputError(
            [f"{where}: the columns {brief(', '.join(doubled))} are there twice; allowed: each name once"]
        )
    found, guessed = _mapped(table.column_names, chosen, where)
    return RawTrace({role: _plain(role, table[column]) for role, column in found.items()}, notes + guessed, where)


def _plain(role: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return values in place of views and dictionaries, except names in a dictionary without empty places."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        whole = role in _NAMES and kind.index_type == pa.int32() and kind.value_type in (pa.string(), pa.large_string())
        if whole and not column.null_count and not any(chunk.dictionary.null_count for chunk in column.chunks):
            return column
        column = column.cast(kind.value_type)
    for is_view, kind in ((pa.types.is_string_view, pa.large_string()), (pa.types.is_binary_view, pa.large_binary())):
        if is_view(column.type):
            return column.cast(kind)
    return column


def _table_of(source: Any, where: str, mapping: dict[str, str], skipped: list[str] | None) -> pa.Table:
    """Return the table; rows of text that cannot be read are left out and counted in ``skipped``, if it is a list."""
    try:
        if isinstance(source, pa.Table):
            table = source
        elif hasattr(source, "__arrow_c_stream__"):
            table = pa.table(source)
        elif isinstance(source, str | os.PathLike):
            table = _read_file(Path(os.fsdecode(source)), where, mapping, skipped)
        else:
            allowed = "a path, or a table with __arrow_c_stream__ (PyArrow, Polars, pandas, DuckDB)"
            raise InvalidInputError([f"a trace is read from {brief(source)}; allowed: {allowed}"])
        _ = table.column_names  # names that are no texts are found here
    except InvalidInputError:
        raise
    except (pa.ArrowException, OSError, ValueError) as error:
        reason = " ".join(str(error.strerror if isinstance(error, OSError) and error.strerror else error).split())
        raise InvalidInputError([f"{where}: cannot be read: {reason[:200]}"]) from None
    return table


def _read_file(path: Path, where: str, mapping: dict[str, str], skipped: list[str] | None) -> pa.Table:
    suffixes = [one.lower() for one in path.suffixes]
    packed = suffixes[-1:] and suffixes[-1] in (".gz", ".zst", ".bz2", ".lz4")
    kind = (suffixes[-2:-1] if packed else suffixes[-1:]) or [""]
    if path.is_dir():
        raise ValueError("it is a folder; allowed: a file")
    if kind[0] in (".parquet", ".pq") and not packed:
        return _read_parquet(path, where, mapping)
    if kind[0] not in (*_TEXTS, ".parquet", ".pq", ".arrow", ".feather", ".ipc"):
        raise ValueError("its ending is none of .parquet, .csv, .tsv, .jsonl, .arrow (with .gz or .zst behind it)")
    with pa.input_stream(str(path), compression="detect") as stream:
        content = stream.read()
    if kind[0] in (".parquet", ".pq"):
        return _read_parquet(pa.BufferReader(content), where, mapping)
    if kind[0] not in _TEXTS:
        # A file begins with a magic word; a stream of the same format does not.
        opened = pa.ipc.open_file if content.startswith(b"ARROW1") else pa.ipc.open_stream
        table = opened(pa.BufferReader(content)).read_all()
        table.validate(full=True)  # the format has no checksums, and a wrong offset would end the process
        return table
    content = _decodable(content.removeprefix(b"\xef\xbb\xbf"), skipped)
    if not content.strip():
        raise ValueError("it is empty")
    if kind[0] in (".csv", ".tsv", ".txt"):
        return _read_csv(content, kind[0], where, mapping, skipped)
    return _read_json_lines(content, skipped)


def _read_parquet(file: Any, where: str, mapping: dict[str, str]) -> pa.Table:
    """Read the columns of a trace, names as the dictionaries that they mostly are; others are there, and empty."""
    import pyarrow.parquet as pq

    names = pq.read_schema(file).names
    if len(set(names)) < len(names):
        return pq.ParquetFile(file).read()
    found, _ = _mapped(names, mapping, where)
    in_dictionary = [found[role] for role in _NAMES if role in found]
    opened = pq.ParquetFile(file, read_dictionary=in_dictionary)
    groups = opened.num_row_groups
    step = max(1, groups * _ROWS_AT_ONCE // max(1, opened.metadata.num_rows))  # each group has dictionaries of its own
    parts = [range(first, min(first + step, groups)) for first in range(0, groups, step)] or [range(0)]
    read = [opened.read_row_groups(list(part), columns=list(found.values())).combine_chunks() for part in parts]
    table = pa.concat_tables(read)
    empty = pa.nulls(table.num_rows)
    return pa.table([table[name] if name in table.column_names else empty for name in names], names=names)


def _decodable(content: bytes, skipped: list[str] | None) -> bytes:
    """Return text that is UTF-8, without lines that are not where these may be left out."""
    try:
        content.decode()
    except UnicodeDecodeError as error:
        if skipped is None:
            line = content.count(b"\n", 0, error.start) + 1
            raise ValueError(f"line {line} is not UTF-8") from None
        lines = content.splitlines()
        kept = [line for line in lines if line.decode(errors="replace").encode() == line]
        skipped.append(f"{len(lines) - len(kept):,} lines left out: not UTF-8")
        return b"\n".join(kept)
    return content


def _read_csv(content: bytes, kind: str, where: str, mapping: dict[str, str], skipped: list[str] | None) -> pa.Table:
    """Read text with one of the usual separators, and line ends of any kind. Names of things are kept as texts."""
    import csv

    import pyarrow.csv as pv

    first = content.splitlines()[0]
    separator = "\t" if kind == ".tsv" else max(",;\t|", key=lambda one: first.count(one.encode()))
    header = next(csv.reader([first.decode()], delimiter=separator))
    found, _ = _mapped(header, mapping, where)
    left_out = 0

    def leave_out(_: Any) -> str:
        nonlocal left_out
        left_out += 1
        return "skip" if skipped is not None else "error"

    def read(threads: bool) -> pa.Table:
        return pv.read_csv(
            pa.BufferReader(content),
            read_options=pv.ReadOptions(use_threads=threads),
            parse_options=pv.ParseOptions(delimiter=separator, invalid_row_handler=leave_out),
            convert_options=pv.ConvertOptions(
                column_types={found[role]: pa.string() for role in _NAMES if role in found},
                null_values=[""],
                strings_can_be_null=True,
            ),
        )

    try:
        table = read(threads=True)
    except pa.ArrowInvalid:
        table = read(threads=False)  # which names the row
    if left_out and skipped is not None:
        skipped.append(f"{left_out:,} rows left out: another number of columns")
    return table


def _read_json_lines(content: bytes, skipped: list[str] | None) -> pa.Table:
    import json

    import pyarrow.json as pj

    def sound(line: bytes) -> bool:
        try:
            return isinstance(json.loads(line), dict)
        except ValueError:
            return False

    if skipped is not None:
        lines = [line for line in content.splitlines() if line.strip()]
        kept = [line for line in lines if sound(line)]
        if len(kept) < len(lines):
            skipped.append(f"{len(lines) - len(kept):,} lines left out: no JSON objects")
        content = b"\n".join(kept)
    return pj.read_json(pa.BufferReader(content))


def _mapped(names: list[str], mapping: dict[str, str], where: str) -> tuple[dict[str, str], list[str]]:
    """Return which column stands for what, and what was guessed."""
    problems = [
        f"{where}: {brief(role)} is no column of a trace{did_you_mean(role, COLUMNS)}; allowed: {', '.join(COLUMNS)}"
        for role in mapping
        if role not in COLUMNS
    ]
    problems += [
        f"{where}: {role} is mapped to {brief(name)}, which is not there; it has {brief(', '.join(names))}"
        + did_you_mean(name, names)
        for role, name in mapping.items()
        if role in COLUMNS and name not in names
    ]
    lower = {name.lower().strip(): name for name in reversed(names)}
    taken = {name for role, name in mapping.items() if role in COLUMNS}
    found: dict[str, str] = {}
    notes = []
    for role, others in COLUMNS.items():
        if role in mapping:
            found[role] = mapping[role]
            continue
        given = next((lower[one] for one in (role, *others) if one in lower), None)
        if given is not None and given not in taken:
            found[role] = given
            if given != role:
                notes.append(f"column {given} is read as {role}")
    has = brief(", ".join(names)) if names else "no columns"
    missing = [role for role in ("item",) if role not in found]
    if "turn" not in found and "time" not in found and "message" not in found:
        missing.append("turn")
    problems += [
        f"{where}: no column {role}{', time or message' if role == 'turn' else ''}; it has {has}; "
        f"name one with columns={{{role!r}: …}}"
        for role in missing
    ]
    if problems:
        raise InvalidInputError(problems)
    left_out = [name for name in names if name not in found.values()]
    if left_out:
        notes.append(f"not read: {', '.join(left_out[:_MOST_LISTED])}{', …' if len(left_out) > _MOST_LISTED else ''}")
    return found, notes
