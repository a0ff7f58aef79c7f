"""The ledger of a run folder: one line of JSON for each finished part, in the order they were finished.

A part exists when its line is in the ledger, never because a file is there. Each line carries a checksum over
itself and the line before, so a changed bit, and a lost, doubled or moved line, are seen. One thing only may
happen to an honest ledger: the run dies while it adds a line, and the line has no end. That is not damage;
the line is dropped, and its part is made again.

A ledger that ends early at the end of a line is indistinguishable from that of a run that was stopped there,
and is treated alike: the parts that it no longer names are unexpected files for `verification.verify_parts`,
and are made again by the next run. A finished run's manifest can hold `Ledger.seal`, which tells the two
apart.
"""

import gc
import json
import os
import re
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any, Self

from vecdecay.errors import InvalidInputError, OutputError
from vecdecay.store.files import PathLike, file_operations, printable, reported, write_file
from vecdecay.store.sealed import SEAL_KEY, Seal

LEDGER_NAME = "ledger.jsonl"

_SEAL = Seal(f',"{SEAL_KEY}":"'.encode(), b'"}')
_HEADER = b'{"ledger_version":1'
_SHA256 = re.compile("[0-9a-f]{64}")
# Half the time of json.loads, which asks each line for its encoding and for spaces around it.
_JSON = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One finished part.

    ``part`` is the part's key in the plan; ``file`` its path below the run folder, with ``/`` on every
    system; ``bytes`` and ``sha256`` are those of the file; ``receipt`` is any JSON object (string keys, no
    NaN) that the run wants back. The ledger checks all this when the entry is added.
    """

    part: int | str
    file: str
    rows: int
    bytes: int
    sha256: str
    receipt: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LedgerContent:
    """What a ledger says: its entries by part, in order; its last line's digest; the bytes of a torn line."""

    entries: Mapping[int | str, LedgerEntry]
    seal: str
    torn_bytes: int


def read_ledger(folder: PathLike) -> LedgerContent:
    """Read the ledger of a run folder and change nothing.

    Safe beside a living run; a line that has no end yet is not counted.

    Raises:
        OutputError: when there is no ledger, or a line is damaged, naming the line.
    """
    path = Path(folder, LEDGER_NAME)
    with reported(path, "cannot be read"):
        header, *lines = file_operations.read(path).split(b"\n")
    opened = _SEAL.remove(header)
    if not lines or opened is None or opened[0] != _HEADER:
        raise _damage(path, "it does not begin as this version's ledgers do")
    unfinished = lines.pop()
    seal = opened[1]
    entries: dict[int | str, LedgerEntry] = {}
    with _collector_paused():
        for number, line in enumerate(lines, start=2):
            opened = _SEAL.remove(line, seal)
            if opened is None:
                raise _damage(path, f"line {number} does not match its checksum")
            body, seal = opened
            entry = _decode(path, number, body)
            entries[entry.part] = entry
    # A part that is there twice has left one entry, and so one file, too few.
    if len({entry.file for entry in entries.values()}) != len(lines):
        raise _damage(path, "a part or a file is in it twice")
    # A whole line whose line end is another byte: that byte was changed, no death leaves it so.
    if unfinished and _SEAL.remove(unfinished[:-1], seal) is not None:
        raise _damage(path, f"the end of line {len(lines) + 2} was changed")
    return LedgerContent(MappingProxyType(entries), seal.decode(), len(unfinished))


class Ledger:
    """The ledger of the run that holds the folder's lock: reads, repairs, and adds to it.

    Use it as a context manager, or call `close`. After an operation failed or was interrupted, the ledger
    takes no more entries, since what is on the disk is not known then; opening it again finds out. Threads
    may share it.
    """

    def __init__(self, path: Path, content: LedgerContent) -> None:
        """Take what `open` has read; users call `open`."""
        self._path = path
        self._thread_lock = threading.Lock()
        self._entries: dict[int | str, LedgerEntry] = {}
        self._files: set[str] = set()
        self._descriptor: int | None = None
        self._continue(content.entries.values(), content.seal)

    @classmethod
    def open(cls, folder: PathLike) -> Self:
        """Open the ledger of a run folder, or make an empty one; a torn last line is cut off.

        Raises:
            OutputError: when the ledger is damaged, or cannot be read or written.
        """
        path = Path(folder, LEDGER_NAME)
        if not os.path.lexists(path):
            write_file(path, _encode(())[0])
        content = read_ledger(folder)
        if content.torn_bytes:
            write_file(path, _encode(content.entries.values())[0])
        return cls(path, content)

    @property
    def entries(self) -> Mapping[int | str, LedgerEntry]:
        """The entries by part, in the order they were added: a view that grows with the ledger."""
        return MappingProxyType(self._entries)

    @property
    def seal(self) -> str:
        """The digest of the last line, which depends on every line before: 64 hexadecimal digits."""
        return self._seal.decode()

    def append(self, entry: LedgerEntry) -> None:
        """Add one entry; when this returns, it is on the disk. The part's file must be there first.

        Raises:
            InvalidInputError: when a value of the entry is not of its kind, or the part or its file is in the
                ledger already. Nothing is written.
            OutputError: when the line cannot be written.
        """
        self.extend((entry,))

    def extend(self, entries: Iterable[LedgerEntry]) -> None:
        """Add entries with one flush of the disk. Should the run die meanwhile, the first few are kept.

        Raises:
            InvalidInputError, OutputError: as `append` does.
        """
        added = tuple(entries)
        with self._thread_lock:
            self._refuse_unfit(added)
            data, seal = _encode_lines(added, self._seal)
            descriptor, self._descriptor = self._descriptor, None
            if descriptor is None:
                raise OutputError(f"{printable(self._path)}: takes no more entries after it was closed or failed")
            try:
                with reported(self._path, "cannot be written"):
                    file_operations.write(descriptor, data)
                    file_operations.fsync(descriptor)
            except BaseException:
                os.close(descriptor)
                raise
            self._descriptor = descriptor
            self._remember(added, seal)

    def discard(self, parts: Collection[int | str]) -> None:
        """Take parts out of the ledger in one step, so that they can be made again; ignore unknown ones.

        Their files are left where they are; `write_file` replaces them.

        Raises:
            OutputError: when the ledger cannot be written; then it takes no more entries.
        """
        with self._thread_lock:
            kept = [entry for entry in self._entries.values() if entry.part not in parts]
            if len(kept) == len(self._entries):
                return
            self._close()
            data, seal = _encode(kept)
            write_file(self._path, data)
            self._continue(kept, seal.decode())

    def close(self) -> None:
        """Let go of the file. Everything that was added is on the disk already."""
        with self._thread_lock:
            self._close()

    def __enter__(self) -> Self:
        """Return the ledger itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the ledger."""
        self.close()

    def _continue(self, entries: Iterable[LedgerEntry], seal: str) -> None:
        self._entries.clear()
        self._files.clear()
        self._remember(entries, seal.encode())
        with reported(self._path, "cannot be opened"):
            self._descriptor = file_operations.open(self._path, os.O_WRONLY | os.O_APPEND)

    def _remember(self, entries: Iterable[LedgerEntry], seal: bytes) -> None:
        for entry in entries:
            self._entries[entry.part] = entry
            self._files.add(entry.file)
        self._seal = seal

    def _refuse_unfit(self, added: tuple[LedgerEntry, ...]) -> None:
        problems = []
        parts: set[int | str] = set()
        files: set[str] = set()
        for entry in added:
            problems += _problems(entry)
            if entry.part in self._entries or entry.part in parts:
                problems.append(f"part {entry.part!r} is in the ledger already")
            if entry.file in self._files or entry.file in files:
                problems.append(f"file {entry.file!r} is in the ledger already")
            parts.add(entry.part)
            files.add(entry.file)
        if problems:
            raise InvalidInputError(problems)

    def _close(self) -> None:
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)


def _problems(entry: LedgerEntry) -> list[str]:
    """Return what could not be read back, or would lead out of the run folder.

    Asked when an entry is added, not when it is read: 100,000 lines are then read in two thirds of the time,
    and the checksum says that what was checked is still there.
    """
    problems = []
    if type(entry.part) not in (int, str):
        problems.append(f"part is {entry.part!r}; allowed: a whole number or a text")
    if not _is_inside(entry.file):
        problems.append(f"file is {entry.file!r}; allowed: a path below the run folder, like 'items/part-0'")
    for name in ("rows", "bytes"):
        value = getattr(entry, name)
        if type(value) is not int or value < 0:
            problems.append(f"{name} is {value!r}; allowed: a whole number from 0")
    if type(entry.sha256) is not str or not _SHA256.fullmatch(entry.sha256):
        problems.append(f"sha256 is {entry.sha256!r}; allowed: 64 hexadecimal digits in lower case")
    return problems


def _is_inside(file: object) -> bool:
    if type(file) is not str or "\0" in file or "\\" in file or ":" in file:
        return False
    return not {"", ".", ".."}.intersection(file.split("/"))


def _encode(entries: Iterable[LedgerEntry]) -> tuple[bytes, bytes]:
    """Return a whole ledger and the digest of its last line."""
    header, seal = _SEAL.add(_HEADER)
    lines, seal = _encode_lines(entries, seal)
    return header + b"\n" + lines, seal


def _encode_lines(entries: Iterable[LedgerEntry], seal: bytes) -> tuple[bytes, bytes]:
    """Return the lines that follow the line with the digest ``seal``, and the digest of the last of them."""
    lines = []
    for entry in entries:
        fields = {name: getattr(entry, name) for name in _FIELDS} | {"receipt": dict(entry.receipt)}
        try:
            text = json.dumps(fields, sort_keys=True, separators=(",", ":"), allow_nan=False)
        except (TypeError, ValueError) as error:
            raise InvalidInputError([f"the receipt of part {entry.part!r} is no JSON: {error}"]) from error
        line, seal = _SEAL.add(text[:-1].encode(), seal)
        lines.append(line + b"\n")
    return b"".join(lines), seal


def _decode(path: Path, number: int, body: bytes) -> LedgerEntry:
    fields, _ = _JSON.raw_decode((body + b"}").decode())
    try:
        return LedgerEntry(**fields)
    except TypeError as error:
        raise _damage(path, f"line {number} is no entry of this version") from error


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Keep the garbage collector from searching, again and again, entries that all stay: a quarter of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _damage(path: Path, what: str) -> OutputError:
    return OutputError(f"{printable(path)}: is damaged: {what}; its parts cannot be trusted")


_FIELDS = tuple(LedgerEntry.__dataclass_fields__)
