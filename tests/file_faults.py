"""Faults of files, made to order, and a small run of the store to try them on."""

import hashlib
import os
import random
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from vecdecay.store.files import FileOperations, file_operations, prepare_folder, remove_leftovers, write_file
from vecdecay.store.ledger import Ledger, LedgerEntry
from vecdecay.store.lock import LOCK_NAME, lock_folder
from vecdecay.store.manifest import write_manifest

OPERATIONS = tuple(name for name in vars(FileOperations) if not name.startswith("_"))
FLUSHES = ("fsync", "fsync_folder")

Handler = Callable[[str, Callable[..., Any], tuple[Any, ...]], Any]


class Death(BaseException):
    """The process is gone: no code of the program can do anything to a file after this."""


@contextmanager
def intercepted(handler: Handler) -> Iterator[None]:
    """Send every file operation to ``handler(name, operation, arguments)`` instead."""

    def sent(name: str, operation: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *arguments: handler(name, operation, arguments)

    for name in OPERATIONS:
        setattr(file_operations, name, sent(name, getattr(file_operations, name)))
    try:
        yield
    finally:
        for name in OPERATIONS:
            delattr(file_operations, name)


class Recorder:
    """Keeps the names of the operations, and does them, except flushes: they cost time and show nothing."""

    def __init__(self) -> None:
        """Begin with no operation."""
        self.names: list[str] = []
        self._open: set[int] = set()

    def __call__(self, name: str, operation: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """Count one operation, and do it."""
        self.names.append(name)
        return self.perform(name, operation, arguments)

    def perform(self, name: str, operation: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """Do one operation."""
        result: Any = None if name in FLUSHES else operation(*arguments)
        if name == "open":
            self._open.add(result)
        if name == "close":
            self._open.discard(arguments[0])
        return result

    def close_all(self) -> None:
        """Close what a dead process would no longer hold open."""
        for descriptor in self._open:
            with suppress(OSError):
                os.close(descriptor)


def write_some(operation: Callable[..., Any], arguments: tuple[Any, ...], share: float) -> None:
    """Write the first bytes only, as a disk does that is full, or a process that is killed."""
    descriptor, data = arguments
    operation(descriptor, memoryview(data)[: int(len(data) * share)])


class FailsAt(Recorder):
    """The n-th operation (from 0) fails with an error number; with ``lasting``, so do all later ones."""

    def __init__(self, n: int, error_number: int, share: float = 0.5, lasting: bool = False) -> None:
        """Let a write do its first ``share`` before it fails."""
        super().__init__()
        self._n, self._error_number, self._share, self._lasting = n, error_number, share, lasting

    def __call__(self, name: str, operation: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """Do one operation, or fail."""
        self.names.append(name)
        count = len(self.names) - 1
        if count != self._n and not (self._lasting and count > self._n):
            return self.perform(name, operation, arguments)
        if name == "write":
            write_some(operation, arguments, self._share)
        if name == "close":
            self.perform(name, operation, arguments)
        raise OSError(self._error_number, os.strerror(self._error_number))


class DiesAt(Recorder):
    """The process dies at the n-th operation (from 0), amid it if it writes; nothing works later."""

    def __init__(self, n: int, share: float = 0.5, die: Callable[[], None] | None = None) -> None:
        """End the process by ``die``, or by raising `Death`."""
        super().__init__()
        self._n, self._share, self._die = n, share, die

    def __call__(self, name: str, operation: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """Do one operation, or die."""
        self.names.append(name)
        count = len(self.names) - 1
        if count < self._n:
            return self.perform(name, operation, arguments)
        if count == self._n:
            if name == "write":
                write_some(operation, arguments, self._share)
            if self._die is not None:
                self._die()
        raise Death


class LosesPowerAt(DiesAt):
    """As `DiesAt`; then what was not flushed is lost: bytes of files, names in folders, new folders."""

    def __init__(self, n: int) -> None:
        """Begin with nothing that could be lost."""
        super().__init__(n)
        self._paths: dict[int, Path] = {}
        self._flushed_sizes: dict[Path, int] = {}
        self._undo: list[tuple[Path, Callable[[], None]]] = []

    def perform(self, name: str, operation: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """Do one operation, and note what would be lost now."""
        before = getattr(self, f"_before_{name}", None)
        if before is not None:
            before(*arguments)
        result = super().perform(name, operation, arguments)
        if name == "open":
            self._paths[result] = Path(arguments[0])
        return result

    def lose(self) -> None:
        """Take the disk back to what is certain to be on it."""
        for path, size in self._flushed_sizes.items():
            with suppress(FileNotFoundError):
                os.truncate(path, size)
        for _, undo in reversed(self._undo):
            undo()

    def _before_open(self, path: str | Path, flags: int) -> None:
        if flags & os.O_CREAT and not os.path.exists(path):
            self._undo.append((Path(path).parent, lambda: Path(path).unlink(missing_ok=True)))

    def _before_write(self, descriptor: int, data: bytes) -> None:
        self._flushed_sizes.setdefault(self._paths[descriptor], os.fstat(descriptor).st_size)

    def _before_fsync(self, descriptor: int) -> None:
        self._flushed_sizes.pop(self._paths[descriptor], None)

    def _before_replace(self, source: Path, target: Path) -> None:
        older = target.read_bytes() if target.exists() else None
        if source in self._flushed_sizes:
            self._flushed_sizes[target] = self._flushed_sizes.pop(source)

        def undo() -> None:
            target.rename(source)
            if older is not None:
                target.write_bytes(older)

        self._undo.append((target.parent, undo))

    def _before_mkdir(self, path: Path) -> None:
        self._undo.append((path.parent, lambda: shutil.rmtree(path, ignore_errors=True)))

    def _before_fsync_folder(self, path: Path) -> None:
        self._undo = [(folder, undo) for folder, undo in self._undo if folder != path]


class LosesSomeAt(LosesPowerAt):
    """As ``LosesPowerAt``, but some of what was not flushed reached the disk: which part of it is drawn.

    Of the names in a folder the first few are there, as a journal keeps them. Of the bytes of a file the first few
    are there, and the rest is missing or zero, as where the length was written before the content.
    """

    def __init__(self, n: int, draws: random.Random) -> None:
        """Draw from ``draws`` what is kept."""
        super().__init__(n)
        self._draws = draws

    def lose(self) -> None:
        """Take the disk back to what happened to be on it."""
        for path, flushed in self._flushed_sizes.items():
            with suppress(FileNotFoundError):
                length = path.stat().st_size
                os.truncate(path, self._draws.randint(flushed, length))
                if self._draws.random() < 0.5:
                    os.truncate(path, length)
        names = Counter(folder for folder, _ in self._undo)
        kept = {folder: self._draws.randint(0, count) for folder, count in names.items()}
        for folder, undo in reversed(self._undo):
            if names[folder] > kept[folder]:
                undo()
            names[folder] -= 1


def part_content(number: int) -> bytes:
    """The bytes of a part: another length and other bytes for each; the first is empty."""
    return hashlib.sha256(b"%d" % number).digest() * (3 * number)


def play_run(folder: Path, count: int, acknowledged: list[int] | None = None) -> None:
    """Play a run in small: write and enter those of ``count`` parts that the ledger lacks, then finish."""
    parts = folder / "sessions"
    prepare_folder(parts)
    with lock_folder(folder):
        remove_leftovers(folder)
        remove_leftovers(parts)
        ledger = Ledger(folder)
        for number in range(count):
            file = f"sessions/part-{number:03d}.bin"
            if file in ledger.entries:
                continue
            written = write_file(folder / file, part_content(number))
            ledger.extend([LedgerEntry(file, number, written.bytes, written.sha256, {"turns": [number]})])
            if acknowledged is not None:
                acknowledged.append(number)
        write_manifest(folder, {"files": list(ledger.entries)})


def content_of(folder: Path) -> dict[str, bytes]:
    """Every file below the folder with its bytes, except the lock file, which names a process."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != LOCK_NAME)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
