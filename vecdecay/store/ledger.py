"""The ledger of a run folder: one line of JSON for each finished file of a part, in the order they were finished.

A part exists when its lines are in the ledger, never because a file is there. Each line carries a digest of itself, so
a changed bit is seen. One thing only may happen to an honest ledger: the run dies while it adds a line, and the line
has no end. That is not damage; the line is dropped, and its part is made again. A part whose line is missing is made
again too; that a *finished* run lacks one is seen by its manifest, which lists all files.
"""

import json
import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any

from vecdecay.errors import OutputError
from vecdecay.parameters import printable
from vecdecay.store.files import PathLike, file_operations, reported, write_file
from vecdecay.store.lock import check_lock
from vecdecay.store.manifest import of_former_format, sealed, unsealed

LEDGER_NAME = "ledger.jsonl"


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One finished file of a part.

    ``file`` is its path below the run folder, with ``/`` on every system; ``bytes`` and ``sha256`` are those of the
    file; ``receipt`` is any JSON object (string keys, no NaN) that the run wants back.
    """

    file: str
    rows: int
    bytes: int
    sha256: str
    receipt: Mapping[str, Any] = field(default_factory=dict)


_FIELDS = tuple(one.name for one in fields(LedgerEntry))
_KEYS = set(_FIELDS)


@dataclass(frozen=True, slots=True)
class LedgerContent:
    """What a ledger says: its entries by file, in order, and the bytes of a line that has no end."""

    entries: Mapping[str, LedgerEntry]
    torn_bytes: int


def read_ledger(folder: PathLike) -> LedgerContent:
    """Read the ledger of a run folder and change nothing.

    Safe beside a living run; a line that has no end yet is not counted.

    Raises:
        OutputError: there is no ledger, or a line is damaged, naming the line.
    """
    path = Path(folder, LEDGER_NAME)
    with reported(path, "cannot be read"):
        *lines, torn = file_operations.read(path).split(b"\n")
    entries: dict[str, LedgerEntry] = {}
    for number, line in enumerate(lines, start=1):
        content = unsealed(line, b"}")
        if content is None or content.keys() != _KEYS:
            former = of_former_format(path)
            damage = _damage(path, f"line {number} does not match its digest")
            raise OutputError(f"{printable(path)}: {former}") if former else damage
        entry = LedgerEntry(**content)
        if entry.file in entries:
            raise _damage(path, f"line {number} names {printable(entry.file)} again")
        entries[entry.file] = entry
    return LedgerContent(MappingProxyType(entries), len(torn))


class Ledger:
    """The ledger of the run that holds the folder's lock: reads, repairs, and adds to it.

    A missing one is made, and a line without an end is cut off. After an operation failed or was interrupted, the
    ledger takes no more entries, since what is on the disk is not known then; a new object finds out.

    Raises:
        OutputError: the ledger is damaged, or cannot be read or written.
    """

    def __init__(self, folder: PathLike) -> None:
        self._folder = Path(folder)
        self._path = self._folder / LEDGER_NAME
        if not os.path.lexists(self._path):
            write_file(self._path, b"")
        content = read_ledger(folder)
        self._entries = dict(content.entries)
        self._failed = False
        if content.torn_bytes:
            self._rewrite()

    @property
    def entries(self) -> Mapping[str, LedgerEntry]:
        """The entries by file, in the order they were added: a view that grows with the ledger."""
        return MappingProxyType(self._entries)

    def extend(self, entries: Iterable[LedgerEntry]) -> None:
        """Add entries with one flush of the disk; their files must be there first.

        When this returns, they are on the disk. Should the run die meanwhile, the first few are kept.

        Raises:
            ValueError: a file is in the ledger already; nothing is written.
            OutputError: the lines cannot be written, or the folder's lock was lost.
        """
        added = {entry.file: entry for entry in entries}
        if not added.keys().isdisjoint(self._entries):
            raise ValueError("a file is in the ledger already")
        data = b"".join(map(_line, added.values()))
        if self._failed:
            raise OutputError(f"{printable(self._path)}: takes no more entries after it failed")
        check_lock(self._folder)
        self._failed = True
        with reported(self._path, "cannot be written"):
            descriptor = file_operations.open(self._path, os.O_WRONLY | os.O_APPEND)
            try:
                file_operations.write(descriptor, data)
                file_operations.fsync(descriptor)
            finally:
                file_operations.close(descriptor)
        self._failed = False
        self._entries |= added

    def discard(self, files: Collection[str]) -> None:
        """Take files out of the ledger in one step, so that they can be made again; ignore unknown ones.

        The files are left where they are; ``write_file`` replaces them.

        Raises:
            OutputError: the ledger cannot be written; then it takes no more entries.
        """
        if not self._entries.keys().isdisjoint(files):
            self._entries = {file: entry for file, entry in self._entries.items() if file not in files}
            self._rewrite()

    def _rewrite(self) -> None:
        self._failed = True
        write_file(self._path, b"".join(map(_line, self._entries.values())))
        self._failed = False


def _line(entry: LedgerEntry) -> bytes:
    values = {name: getattr(entry, name) for name in _FIELDS}
    return sealed(json.dumps(values, allow_nan=False)[:-1].encode() + b", ", b"}") + b"\n"


def _damage(path: Path, what: str) -> OutputError:
    return OutputError(f"{printable(path)}: is damaged: {what}; its parts cannot be trusted")
