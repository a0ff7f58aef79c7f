"""What the importers share: which files are read, what was left out and where, and the table that comes of it."""

import datetime as dt
import hashlib
import json
import lzma
import os
import secrets
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from vecdecay.errors import InvalidInputError
from vecdecay.parameters import printable
from vecdecay.sessions.trace_values import rows_text

Imported = tuple[pa.Table, list[str]]
"""The events of a trace, and notes on what was found, left out and done."""

Row = tuple[Any, ...]
T = TypeVar("T")

_TYPES = {
    "session": pa.string(),
    "turn": pa.int32(),
    "time": pa.timestamp("us", "UTC"),
    "item": pa.string(),
    "kind": pa.int8(),
    "message": pa.string(),
    "tokens": pa.int32(),
    "importance": pa.float64(),
    "category": pa.string(),
    "grade": pa.int8(),
    "compactions": pa.int32(),
}
_NAMES = ("session", "item", "message")
_PACKING = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".lz4": "lz4"}
_CHARACTERS_PER_TOKEN = 4
_MOST_FILES_LISTED = 3
_MOST_ROWS_LISTED = 5


class Importer(NamedTuple):
    """A format: its name, what it is in a line, how it is read, and which options it takes beside the source.

    ``read`` raises InvalidInputError for wrong options, and where there is no file, none can be read, or there is
    nothing to play in them. ``turn`` is a turn of time that suits it, where that is not an hour.
    """

    name: str
    summary: str
    read: Callable[..., Imported]
    options: tuple[str, ...] = ()
    turn: str | None = None


def refused(path: Path, reason: object) -> InvalidInputError:
    """Return the error that says, in one line, what is wrong with a file."""
    return InvalidInputError([f"{printable(os.fspath(path))}: {' '.join(str(reason).split())[:200]}"])


def files_of(source: str | os.PathLike[str], *endings: str) -> list[Path]:
    """Return a file as it is, or the files below a folder that have one of the endings, sorted.

    Raises:
        InvalidInputError: there is no such file or folder, or none in it.
    """
    path = Path(source)
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise refused(path, "no file or folder of this name")
    found = sorted(one for one in path.rglob("*") if one.name.endswith(endings) and one.is_file())
    if not found:
        raise refused(path, f"no file in it ends in {' or '.join(endings)}")
    return found


def collected(
    source: str | os.PathLike[str], endings: tuple[str, ...], read: Callable[[Path, str, "LeftOut"], list[T]]
) -> tuple[list[T], list[str]]:
    """Return the rows (or tables) of all files of a source, and notes on the files and on what was left out.

    ``read`` takes a file, its name below the source, and what it leaves out. In a folder, a file that cannot be read is
    left out.

    Raises:
        InvalidInputError: there is no file, none can be read, or there is nothing in them.
    """
    paths, left_out = files_of(source, *endings), LeftOut()
    rows: list[T] = []
    unreadable: list[str] = []
    for path in paths:
        whole = path.name if path == Path(source) else path.relative_to(source).as_posix()
        name = printable(whole.encode(errors="replace").decode())  # names of files may be no texts
        try:
            rows += read(path, name, left_out)
        except InvalidInputError as error:
            unreadable += error.problems
    if len(unreadable) == len(paths):
        raise InvalidInputError(unreadable[:_MOST_FILES_LISTED])
    if not rows:
        raise refused(Path(source), "; ".join(["there is nothing to play in it", *left_out.notes()]))
    notes = [f"{len(paths) - len(unreadable):,} files"] if len(paths) > 1 else []
    listed = "; ".join(unreadable[:_MOST_FILES_LISTED]) + ("; …" if len(unreadable) > _MOST_FILES_LISTED else "")
    notes += [f"{len(unreadable):,} files left out: {listed}"] if unreadable else []
    return rows, notes + left_out.notes()


def bytes_of(path: Path) -> bytes:
    """Return the content of a file; .gz, .bz2, .lz4, .zst and .xz are unpacked.

    Raises:
        InvalidInputError: it cannot be read, or is cut off.
    """
    try:
        if path.suffix == ".xz":
            with lzma.open(path) as file:
                return file.read()
        with pa.input_stream(pa.OSFile(os.fsencode(path)), compression=_PACKING.get(path.suffix)) as stream:
            return bytes(stream.read())
    except (OSError, EOFError, lzma.LZMAError, pa.ArrowException) as error:
        raise refused(path, f"cannot be read: {getattr(error, 'strerror', None) or error}") from None


def json_of(path: Path) -> Any:
    """Return what a JSON file holds.

    Raises:
        InvalidInputError: it is no JSON; with the place of the first mistake.
    """
    content = bytes_of(path)
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise refused(path, f"is no JSON: {error}" if content.strip() else "it is empty") from None


def json_lines_of(path: Path, left_out: "LeftOut") -> Iterator[dict[str, Any]]:
    """Yield the objects of a JSON Lines file; other lines are left out."""
    for number, line in enumerate(bytes_of(path).split(b"\n")):
        if line.strip():
            try:
                entry = json.loads(line)
            except (ValueError, RecursionError):
                entry = None
            if isinstance(entry, dict):
                yield entry
            else:
                left_out.add("lines left out, which are no JSON objects", path.name, [number])


class LeftOut:
    """What was left out: how often, and where first, by reason; rows, lines and records count from 0 here."""

    def __init__(self) -> None:
        self._places: dict[str, dict[str, tuple[int, list[int]]]] = {}
        self._counts: Counter[str] = Counter()

    def count(self, reason: str, number: int) -> None:
        """Count what has no place of its own."""
        self._counts[reason] += number

    def add(self, reason: str, where: str, rows: Sequence[int] | NDArray[np.int64]) -> None:
        """Count some rows of a file."""
        if len(rows):
            places = self._places.setdefault(reason, {})
            count, first = places.get(where, (0, []))
            more = [int(row) for row in rows[: _MOST_ROWS_LISTED - len(first)]]
            places[where] = (count + len(rows), first + more)

    def notes(self) -> list[str]:
        """Return a line per reason."""
        counts = {reason: sum(count for count, _ in places.values()) for reason, places in self._places.items()}
        placed = [f"{counts[reason]:,} {reason}: {_listed(places)}" for reason, places in self._places.items()]
        return placed + [f"{number:,} {reason}" for reason, number in self._counts.items() if number]


def _listed(places: dict[str, tuple[int, list[int]]]) -> str:
    shown = [
        f"{where} {rows_text(first)}" + (f" and {count - len(first):,} more" if count > len(first) else "")
        for where, (count, first) in list(places.items())[:_MOST_FILES_LISTED]
    ]
    return "; ".join([*shown, "…"] if len(places) > _MOST_FILES_LISTED else shown)


def time_of(text: object) -> dt.datetime | None:
    """Return the time that a text in ISO 8601 names, UTC where it has no zone; None for anything else."""
    try:
        moment = dt.datetime.fromisoformat(text)  # type: ignore[arg-type]
        return moment.astimezone(dt.UTC) if moment.tzinfo else moment.replace(tzinfo=dt.UTC)
    except (TypeError, ValueError, OverflowError):
        return None


def tokens_of(characters: object) -> int:
    """Return an estimate of the tokens of so many characters: a quarter of them, at least 1."""
    return max(1, -(-characters // _CHARACTERS_PER_TOKEN)) if isinstance(characters, int) else 1


def table_of(rows: Sequence[Row], *names: str) -> pa.Table:
    """Return rows as a table; a column in which there is nothing is left out."""
    columns = {name: _column(name, values) for name, values in zip(names, zip(*rows, strict=True), strict=True)}
    return pa.table({name: column for name, column in columns.items() if column.null_count < len(column)})


def _column(name: str, values: tuple[Any, ...]) -> pa.Array:
    try:
        return pa.array(values, _TYPES[name])
    except UnicodeEncodeError:  # half of a surrogate pair, which JSON can hold
        return pa.array([one.encode(errors="replace").decode() for one in values], pa.string())


def anonymised(table: pa.Table) -> pa.Table:
    """Return a table with hashes in place of the names of sessions, items and messages.

    The key of the hashes is drawn anew for every table, and kept nowhere: who guesses a name cannot test the guess, and
    two traces cannot be matched.
    """
    key = secrets.token_bytes(32)
    for place, name in enumerate(table.column_names):
        if name in _NAMES:
            encoded = table[name].combine_chunks().dictionary_encode()
            hashes = pa.array([_hashed(str(one), key) for one in encoded.dictionary.to_pylist()], pa.string())
            table = table.set_column(place, name, hashes.take(encoded.indices))
    return table


def _hashed(name: str, key: bytes) -> str:
    return hashlib.blake2b(name.encode(errors="surrogatepass"), key=key, digest_size=12).hexdigest()
