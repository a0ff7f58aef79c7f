"""One writer for each run folder.

The lock is the kernel's, on a file that stays in the folder, so it is free the instant its holder is gone,
however it went. What the file says is only for the message to others; the lock does not depend on it.
"""

import os
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from errno import EACCES, EAGAIN, EDEADLK
from pathlib import Path

from vecdecay.errors import OutputError
from vecdecay.store.files import PathLike, file_operations, printable, reported

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

LOCK_NAME = ".lock"

_HELD_BY_ANOTHER = (EACCES, EAGAIN, EDEADLK)
_HOLDER = re.compile(rb"process [0-9]+, started [0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2} UTC\n")
_PATIENCE_SECONDS = 0.3

_held: set[int] = set()


@contextmanager
def lock_folder(folder: PathLike) -> Iterator[None]:
    """Hold the folder's lock; a second holder, in this process or another, is turned away at once.

    The folder must be there. Child processes do not hold the lock on.

    Raises:
        OutputError: when another one holds the lock (with its process number and the time it started), when
            the lock file cannot be opened, or when the file system knows no locks.
    """
    path = Path(folder, LOCK_NAME)
    descriptor = _acquire(path)
    _held.add(descriptor)
    try:
        # Nobody needs the text to be right, so a full disk is not reported here.
        with suppress(OSError):
            _write_holder(descriptor)
        yield
    finally:
        _release(descriptor)


def _acquire(path: Path) -> int:
    while True:
        with reported(path, "the lock file cannot be opened"):
            descriptor = _open(path)
        try:
            if not _try_lock(path, descriptor):
                raise OutputError(
                    f"{printable(path.parent)}: another run is writing to this folder ({_holder(path)}); "
                    "wait until it ends, or choose another folder"
                )
            # The folder may have been moved or removed since the file was opened; that file's lock protects
            # nothing.
            if _is_current(path, descriptor):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _open(path: Path) -> int:
    try:
        return file_operations.open(path, os.O_RDWR | os.O_CREAT)
    except PermissionError:
        # Another user's lock file can be locked all the same.
        return file_operations.open(path, os.O_RDONLY)


def _is_current(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False


def _try_lock(path: Path, descriptor: int) -> bool:
    """Return whether the lock is ours now. On Windows it is one byte far behind the readable text."""
    try:
        if sys.platform == "win32":
            os.lseek(descriptor, 1 << 30, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            # flock and not lockf: a lockf lock is lost when anything in the process closes the file, and does
            # not keep two threads of one process apart.
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _HELD_BY_ANOTHER:
            return False
        raise OutputError(f"{printable(path)}: cannot be locked: {error.strerror}") from error
    return True


def _write_holder(descriptor: int) -> None:
    os.ftruncate(descriptor, 0)
    os.lseek(descriptor, 0, os.SEEK_SET)
    started = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    os.write(descriptor, f"process {os.getpid()}, started {started}\n".encode())


def _holder(path: Path) -> str:
    """Return who holds the lock, as far as the file tells; one that has just come has not written it yet."""
    until = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < until:
        with suppress(OSError), open(path, "rb") as file:
            text = file.read(100)
            if _HOLDER.fullmatch(text):
                return text.decode().rstrip()
        time.sleep(0.01)
    return "process unknown"


def _release(descriptor: int) -> None:
    """Empty the file and free the lock; in a forked child, which has let go already, do nothing."""
    if descriptor not in _held:
        return
    _held.discard(descriptor)
    with suppress(OSError):
        os.ftruncate(descriptor, 0)
    if sys.platform != "win32":
        # Closing alone would leave the lock with a child that was just forked and has not let go yet.
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_UN)
    os.close(descriptor)


def _let_go_in_child() -> None:
    """Close the copies that a forked child has got, or it would hold the lock after its parent's death."""
    for descriptor in _held:
        with suppress(OSError):
            os.close(descriptor)
    _held.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go_in_child)
