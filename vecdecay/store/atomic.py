"""Files that are either there and whole, or not there.

A file is written under a temporary name in its own folder, flushed to the disk, and only then given its name;
at last the folder is flushed. A reader, or a run that resumes after a power failure, therefore never meets
half a file under a final name. The order of the steps is the whole point; `tests/test_store_atomic.py` takes
the power away between any two of them.
"""

import hashlib
import io
import os
import re
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from vecdecay.errors import OutputError
from vecdecay.store.operations import PathLike, file_operations, printable, reported

Content = bytes | bytearray | memoryview | Callable[[BinaryIO], object]

_TEMPORARY_NAME = re.compile(r"\..+\.[0-9]+-[0-9a-f]{16}\.tmp", re.DOTALL)


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """The receipt of a file on the disk: its name without the folder, its size, and its SHA-256."""

    name: str
    bytes: int
    sha256: str


def write_file(path: PathLike, content: Content) -> WrittenFile:
    """Write a whole file, durably; the folder must be there, and an older file of that name is replaced.

    Args:
        path: The final name.
        content: Bytes (anything that offers its memory, an Arrow buffer too), or a function that writes them
            into the binary stream that it is given.

    The stream is memory, and the disk is not touched before the function has returned. PyArrow's writer, left
    by an exception, closes a *valid, shorter* file; here such a file never gets as far as a temporary name,
    and what the function raises arrives unchanged. A part is small enough to be held for that moment.

    The digest is that of the bytes that were meant. Reading the file back would only read the system's
    memory, and would bless whatever went wrong on the way.

    Raises:
        OutputError: one line, when a file operation fails. The temporary file is removed, if that works.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_file(folder + "/greeting", lambda stream: stream.write(b"hello")).bytes
    5
    """
    target = Path(path)
    data = _in_memory(content)
    digest = hashlib.sha256(data).hexdigest()
    # The name is known before the file exists, so that an interruption at any instant can still remove it.
    temporary = target.with_name(f".{target.name}.{os.getpid()}-{secrets.token_hex(8)}.tmp")
    with reported(target, "cannot be written"):
        try:
            _write_and_flush(temporary, data)
            file_operations.replace(temporary, target)
            file_operations.fsync_folder(target.parent)
        except BaseException:
            with suppress(OSError, ValueError):
                file_operations.unlink(temporary)
            raise
    return WrittenFile(target.name, len(data), digest)


def remove_leftovers(folder: PathLike) -> list[str]:
    """Remove the temporary files that dead runs left in one folder (not below it); return their names.

    Call it only while holding the folder's lock: a living run's temporary files look the same. Other files,
    and anything that is not a plain file, stay. A folder that is not there has no leftovers.

    Raises:
        OutputError: when a leftover cannot be removed.
    """
    leftovers: list[str] = []
    with reported(folder, "leftovers cannot be removed"):
        with suppress(FileNotFoundError), os.scandir(folder) as found:
            leftovers += [item.name for item in found if is_leftover(item)]
        leftovers.sort()
        for name in leftovers:
            # Another run that only probes the folder, before it is turned away, removes its own file.
            with suppress(FileNotFoundError):
                file_operations.unlink(Path(folder, name))
    return leftovers


def is_leftover(item: os.DirEntry[str]) -> bool:
    """Return whether this is a temporary file of `write_file`, whole or not."""
    return _TEMPORARY_NAME.fullmatch(item.name) is not None and item.is_file(follow_symlinks=False)


def prepare_folder(folder: PathLike) -> None:
    """Make the folder, with its parents, and prove by writing that it can be written to.

    Permission bits prove nothing: a folder of mode 555 is writable for root, and one of mode 777 is not on a
    read-only mount. So this is the early test of an output folder, before hours of work.

    Raises:
        OutputError: when it cannot be made or written to, or when something else bears its name.
    """
    path = Path(folder)
    with reported(path, "the output folder cannot be made"):
        _make_folder(path)
    probe = path / f".probe.{os.getpid()}-{secrets.token_hex(8)}.tmp"
    with reported(path, "the output folder cannot be written to"):
        try:
            descriptor = file_operations.open(probe, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
            try:
                file_operations.write(descriptor, b"?")
            finally:
                file_operations.close(descriptor)
        finally:
            with suppress(FileNotFoundError):
                file_operations.unlink(probe)


def _in_memory(content: Content) -> memoryview:
    if callable(content):
        stream = io.BytesIO()
        content(stream)
        return stream.getbuffer()
    return memoryview(content).cast("B")


def _write_and_flush(path: Path, data: memoryview) -> None:
    descriptor = file_operations.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    try:
        file_operations.write(descriptor, data)
        file_operations.fsync(descriptor)
    finally:
        file_operations.close(descriptor)


def _make_folder(path: Path) -> None:
    """Make the folder and its missing parents, each known to the disk before the next one is made."""
    if path.is_dir():
        return
    # Asked once more, because another run may have made it this very moment.
    if (path.exists() or path.is_symlink()) and not path.is_dir():
        raise OutputError(f"{printable(path)}: there is something else of that name; expected a folder")
    if path.parent != path:
        _make_folder(path.parent)
    with suppress(FileExistsError):
        file_operations.mkdir(path)
    file_operations.fsync_folder(path.parent)
