"""Logs of one request a line, as Arrow arrays: lines keep their numbers, fields are taken by their place."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from vecdecay.sessions.importers.reading import bytes_of, refused

WHOLE = r"\d{1,18}"
LARGEST_SIZE = 2**31 - 1


class Fields(NamedTuple):
    """The fields of the lines that have enough of them; ``number`` (line) is the place of a line in its file."""

    number: NDArray[np.int64]
    columns: dict[int, pa.Array]

    def kept(self, keep: NDArray[np.bool_]) -> "Fields":
        """Return some of the lines."""
        mask = pa.array(keep)
        return Fields(self.number[keep], {place: one.filter(mask) for place, one in self.columns.items()})

    def matching(self, place: int, pattern: str) -> NDArray[np.bool_]:
        """Tell for every line whether all of a field matches a pattern."""
        found = pc.match_substring_regex(self.columns[place], f"^(?:{pattern})$")
        return np.asarray(found, dtype=np.bool_)

    def integers(self, place: int) -> NDArray[np.int64]:
        """Return a field that matches WHOLE everywhere."""
        return np.asarray(self.columns[place].cast(pa.int64()), dtype=np.int64)


def lines_of(path: Path) -> pa.Array:
    """Return the lines of a file, without spaces around them; bytes that are not UTF-8 are taken as Latin-1.

    Raises:
        InvalidInputError: the file cannot be read, or is empty.
    """
    content = bytes_of(path)
    if not content.strip():
        raise refused(path, "is empty")
    lines = _lines(content)
    try:
        lines.validate(full=True)
    except pa.ArrowInvalid:
        lines = _lines(content.decode("latin-1").encode())
    return pc.ascii_trim_whitespace(lines)


def _lines(content: bytes) -> pa.Array:
    ends = np.flatnonzero(np.frombuffer(content, np.uint8) == 10) + 1
    if not content.endswith(b"\n"):
        ends = np.append(ends, len(content))
    offsets = np.concatenate([[0], ends]).astype(np.int64)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(content)]
    return pa.Array.from_buffers(pa.large_string(), len(ends), buffers)


def fields_of(lines: pa.Array, places: set[int], separator: str | None) -> tuple[Fields, NDArray[np.int64]]:
    """Return fields of the lines that have them all, by their places from 0, and the numbers of the other lines.

    Without a separator, fields are what stands between spaces. Empty lines, and those of a ``*``, are no lines.
    """
    split = pc.ascii_split_whitespace(lines) if separator is None else pc.split_pattern(lines, separator)
    starts = np.asarray(split.offsets, dtype=np.int64)
    there = ~np.asarray(pc.is_in(lines, pa.array(["", "*"], lines.type)), dtype=np.bool_)
    enough = np.diff(starts) > max(places)
    number = np.flatnonzero(enough & there)
    columns = {place: pc.ascii_trim_whitespace(split.values.take(pa.array(starts[number] + place))) for place in places}
    return Fields(number, columns), np.flatnonzero(there & ~enough)


def request_table(name: str, turn: NDArray[np.int64], item: pa.Array, tokens: NDArray[np.int64] | None) -> pa.Table:
    """Return requests as a table: session, turn (the number of a request), item, and tokens where sizes are known."""
    columns = {"session": pa.repeat(name, len(item)), "turn": pa.array(turn.astype(np.int32)), "item": item}
    if tokens is not None:
        columns["tokens"] = pa.array(np.clip(tokens, 1, LARGEST_SIZE).astype(np.int32))
    return pa.table(columns)


def found_in(table: pa.Table) -> str:
    """Return what a table of requests holds, in a line."""
    items = pc.count_distinct(table["item"]).as_py()
    sessions = pc.count_distinct(table["session"]).as_py()
    sizes = "; tokens are bytes" if "tokens" in table.column_names else ""
    return f"{table.num_rows:,} requests of {items:,} objects in {sessions:,} traces{sizes}"
