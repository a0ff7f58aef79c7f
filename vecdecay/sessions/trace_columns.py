"""From a file or table to the columns of a trace: which column is what, and each in one type, checked.

A column is found by its own name, by the caller's mapping, or by one of the usual names; what was guessed is reported.
"""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from vecdecay.errors import InvalidInputError
from vecdecay.parameters import brief, did_you_mean
from vecdecay.sessions.events import EventKind

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
}
"""What a trace may hold, and the other names under which each column is found."""

_KINDS = {one.name.lower(): int(one) for one in EventKind} | {
    "insert": 0, "add": 0, "store": 0, "write": 0, "access": 1, "read": 1, "get": 1, "hit": 1, "use": 1, "delete": 2,
}  # fmt: skip
_MOST_LISTED = 5


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


def read_columns(source: Any, mapping: Mapping[str, str] | None = None) -> RawTrace:
    """Return the columns of a file (Parquet, CSV, JSON Lines, Arrow IPC; gz or zst), or of anything that streams Arrow.

    Raises:
        InvalidInputError: it cannot be read, or a column is missing, doubled or mapped to nothing; a line per mistake.
    """
    where = os.fspath(source) if isinstance(source, str | os.PathLike) else type(source).__name__
    where = where.decode(errors="replace") if isinstance(where, bytes) else where
    table = _table_of(source, where)
    doubled = sorted({name for name in table.column_names if table.column_names.count(name) > 1})
    if doubled:
        raise InvalidInputError([f"{where}: the columns {', '.join(doubled)} are there twice; allowed: each name once"])
    found, notes = _mapped(table.column_names, dict(mapping or {}), where)
    return RawTrace({name: table[column] for name, column in found.items()}, notes, where)


def _table_of(source: Any, where: str) -> pa.Table:
    if isinstance(source, pa.Table):
        return source
    if hasattr(source, "__arrow_c_stream__"):
        return pa.table(source)
    if not isinstance(source, str | os.PathLike):
        allowed = "a path, or a table with __arrow_c_stream__ (PyArrow, Polars, pandas, DuckDB)"
        raise InvalidInputError([f"a trace is read from {brief(source)}; allowed: {allowed}"])
    path = Path(source)
    try:
        return _read_file(path)
    except (pa.ArrowException, OSError, ValueError) as error:
        reason = " ".join(str(error.strerror if isinstance(error, OSError) and error.strerror else error).split())
        raise InvalidInputError([f"{where}: cannot be read: {reason[:200]}"]) from None


def _read_file(path: Path) -> pa.Table:
    suffixes = [one.lower() for one in path.suffixes if one.lower() not in (".gz", ".zst", ".bz2")]
    kind = suffixes[-1] if suffixes else ""
    if kind in (".parquet", ".pq"):
        import pyarrow.parquet as pq

        return pq.read_table(path)
    if kind in (".csv", ".tsv", ".txt"):
        return _read_csv(path, kind)
    if kind in (".jsonl", ".ndjson", ".json"):
        import pyarrow.json as pj

        with pa.input_stream(str(path), compression="detect") as stream:
            return pj.read_json(stream)
    if kind in (".arrow", ".feather", ".ipc"):
        import pyarrow.feather as pf

        return pf.read_table(path)
    raise ValueError("its ending is none of .parquet, .csv, .tsv, .jsonl, .arrow (with .gz or .zst behind it)")


def _read_csv(path: Path, kind: str) -> pa.Table:
    """Read text with one of the usual separators; a byte order mark and line ends of any kind are accepted."""
    import pyarrow.csv as pv

    with pa.input_stream(str(path), compression="detect") as stream:
        content = stream.read().removeprefix(b"\xef\xbb\xbf")
    if not content.strip():
        return pa.table({})
    first = content.split(b"\n", 1)[0]
    separator = "\t" if kind == ".tsv" else max(",;\t|", key=lambda one: first.count(one.encode()))
    return pv.read_csv(pa.BufferReader(content), parse_options=pv.ParseOptions(delimiter=separator))


def _mapped(names: list[str], mapping: dict[str, str], where: str) -> tuple[dict[str, str], list[str]]:
    """Return which column stands for what, and what was guessed."""
    problems = [
        f"{where}: {brief(role)} is no column of a trace{did_you_mean(role, COLUMNS)}; allowed: {', '.join(COLUMNS)}"
        for role in mapping
        if role not in COLUMNS
    ]
    problems += [
        f"{where}: {role} is mapped to {brief(name)}, which is not there; it has {', '.join(names)}"
        + did_you_mean(name, names)
        for role, name in mapping.items()
        if role in COLUMNS and name not in names
    ]
    lower = {name.lower().strip(): name for name in reversed(names)}
    found: dict[str, str] = {}
    notes = []
    for role, others in COLUMNS.items():
        if role in mapping:
            found[role] = mapping[role]
            continue
        given = next((lower[one] for one in (role, *others) if one in lower), None)
        if given is not None and given not in mapping.values():
            found[role] = given
            if given != role:
                notes.append(f"column {given} is read as {role}")
    missing = [role for role in ("item",) if role not in found]
    if "turn" not in found and "time" not in found and "message" not in found:
        missing.append("turn, time or message")
    problems += [
        f"{where}: no column {role}; it has {', '.join(names) or 'no columns'}; name one with columns={{{role!r}: …}}"
        for role in missing
    ]
    if problems:
        raise InvalidInputError(problems)
    left_out = [name for name in names if name not in found.values()]
    if left_out:
        notes.append(f"not read: {', '.join(left_out[:_MOST_LISTED])}{', …' if len(left_out) > _MOST_LISTED else ''}")
    return found, notes


def as_codes(column: pa.ChunkedArray, role: str, where: str) -> tuple[NDArray[np.int64], pa.Array]:
    """Return a column of integers, texts or anything else with equality as numbers, and the values they stand for.

    Raises:
        InvalidInputError: a value is null, or is nested.
    """
    if pa.types.is_nested(column.type):
        raise InvalidInputError([f"{where}: {role} is of the type {column.type}; allowed: integers or texts"])
    column = _plain(column)
    refuse_nulls(column, role, where)
    if pa.types.is_floating(column.type):
        whole = column.cast(pa.int64(), safe=False)
        if not pc.all(pc.equal(whole.cast(column.type), column)).as_py():
            raise InvalidInputError([f"{where}: {role} holds fractions; allowed: integers or texts"])
        column = whole
    encoded = column.combine_chunks().dictionary_encode()
    return encoded.indices.cast(pa.int64()).to_numpy(zero_copy_only=False), encoded.dictionary


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return values in place of a dictionary, whose order and nulls are not those of the rows, or of text views."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return column.cast(pa.large_string()) if pa.types.is_string_view(column.type) else column


def refuse_nulls(column: pa.ChunkedArray, role: str, where: str) -> None:
    """Refuse a column with nulls or NaN, naming the first rows (from 1)."""
    bad = pc.is_null(column, nan_is_null=True)
    if pc.any(bad).as_py():
        rows = np.flatnonzero(bad.to_numpy())
        raise InvalidInputError([f"{where}: {role} is empty in {rows_text(rows)}; allowed: a value in every row"])


def rows_text(rows: NDArray[Any] | Iterable[int]) -> str:
    """Return rows (from 0) as people count them: row 1 is the first; at most five are named."""
    listed = [int(row) + 1 for row in rows]
    more = f" and {len(listed) - _MOST_LISTED:,} more" if len(listed) > _MOST_LISTED else ""
    return f"row{'s' if len(listed) > 1 else ''} {', '.join(map(str, listed[:_MOST_LISTED]))}{more}"


def as_kinds(column: pa.ChunkedArray, where: str) -> NDArray[np.int8]:
    """Return kinds of events, given as numbers or as names.

    Raises:
        InvalidInputError: a kind is unknown, with the first rows that hold it.
    """
    codes, values = as_codes(column, "kind", where)
    numbers = np.empty(len(values), dtype=np.int8)
    problems = []
    for place, value in enumerate(values.to_pylist()):
        text = str(value).strip().lower()
        number = _KINDS.get(text, int(text) if text.isdigit() and int(text) <= max(EventKind) else -1)
        if number < 0:
            rows = rows_text(np.flatnonzero(codes == place))
            allowed = ", ".join(f"{one.name.lower()} or {int(one)}" for one in EventKind)
            problems.append(f"{where}: kind is {brief(value)} in {rows}; allowed: {allowed}")
        numbers[place] = number
    if problems:
        raise InvalidInputError(problems[:_MOST_LISTED])
    return numbers[codes]


def as_integers(column: pa.ChunkedArray, role: str, where: str, least: int, most: int) -> NDArray[np.int64]:
    """Return a column of whole numbers in a range.

    Raises:
        InvalidInputError: it is of another type, has nulls or fractions, or leaves the range; with the first rows.
    """
    column = _plain(column)
    refuse_nulls(column, role, where)
    if pa.types.is_boolean(column.type) or pa.types.is_temporal(column.type):
        raise InvalidInputError([f"{where}: {role} is of the type {column.type}; allowed: whole numbers"])
    try:
        whole = column.cast(pa.int64())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        reason = " ".join(str(error).split())[:120]
        raise InvalidInputError([f"{where}: {role} is no column of whole numbers: {reason}"]) from None
    values: NDArray[np.int64] = whole.to_numpy()
    wrong = np.flatnonzero((values < least) | (values > most))
    if len(wrong):
        shown = f"{role} is {values[wrong[0]]} in {rows_text(wrong)}"
        raise InvalidInputError([f"{where}: {shown}; allowed: {least:,} to {most:,}"])
    return values


def filled(column: pa.Array, role: str, where: str, kind: pa.DataType, default: object) -> pa.Array:
    """Return a column in a type, with ``default`` where it is empty.

    Raises:
        InvalidInputError: it is of another type.
    """
    try:
        return pc.fill_null(column.cast(kind), pa.scalar(default, kind))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        reason = " ".join(str(error).split())[:120]
        raise InvalidInputError([f"{where}: {role} is of the type {column.type}; allowed: {kind}: {reason}"]) from None
