"""One writer for each run folder.

The lock is the kernel's, on a file that stays in the folder, so it is free the instant its holder is gone, however it
went, and a forked child does not hold it. What the file says is only for the message to others.
"""

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from filelock import BaseFileLock, FileLock, Timeout

from vecdecay.errors import OutputError
from vecdecay.parameters import printable
from vecdecay.store.files import PathLike, reported

LOCK_NAME = ".lock"

_HOLDER = re.compile(rb"process [0-9]+, started [0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2} UTC\n")
_LOOKS, _SECONDS_BETWEEN_LOOKS = 30, 0.01

_held: dict[Path, int] = {}  # lock files that this process holds, and their descriptors


@contextmanager
def lock_folder(folder: PathLike) -> Iterator[None]:
    """Hold the folder's lock; a second holder, in this process or another, is turned away at once.

    A missing folder is made.

    Raises:
        OutputError: another one holds the lock (with its process number and the time it started), the lock file cannot
            be opened, or the file system knows no locks.
    """
    path = Path(folder, LOCK_NAME)
    lock, descriptor = _acquired(path)
    _held[path] = descriptor
    try:
        yield
    finally:
        _held.pop(path, None)
        if lock.is_locked:  # not in a forked child
            # So the next holder is not taken for this one before it has written its own name.
            with suppress(OSError):
                os.ftruncate(descriptor, 0)
            lock.release()


def check_lock(folder: PathLike) -> None:
    """Make sure that a lock taken here still protects the folder.

    Raises:
        OutputError: the lock file was replaced, or the folder moved, so another run may have begun to write to it.
    """
    path = Path(folder, LOCK_NAME)
    descriptor = _held.get(path)
    if descriptor is not None and not _is_current(path, descriptor):
        raise OutputError(
            f"{printable(folder)}: its lock file was replaced while this run was writing, so another run may be "
            "writing too; leave that file alone and give the same command again"
        )


def _acquired(path: Path) -> tuple[BaseFileLock, int]:
    """Return the lock and the descriptor of its file."""
    while True:
        opened: list[int] = []
        lock = FileLock(path, blocking=False, thread_local=False, fallback_to_soft=False, on_acquired=opened.append)
        with reported(path, "cannot be locked"):
            try:
                lock.acquire()
            except Timeout:
                raise OutputError(
                    f"{printable(path.parent)}: another run is writing to this folder ({_holder(path)}); "
                    "wait until it ends, or choose another folder"
                ) from None
        # The folder may have been moved, or the file replaced, since it was opened; its lock would protect nothing.
        if _is_current(path, opened[0]):
            # Nobody needs the text to be right, so a full disk is not reported here.
            started = f"process {os.getpid()}, started {datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC\n"
            with suppress(OSError):
                os.ftruncate(opened[0], 0)
                os.write(opened[0], started.encode())
            return lock, opened[0]
        lock.release()


def _is_current(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except OSError:
        return False


def _holder(path: Path) -> str:
    """Return who holds the lock, as far as the file tells; one that has just come has not written it yet."""
    for _ in range(_LOOKS):
        with suppress(OSError), open(path, "rb") as file:
            text = file.read(100)
            if _HOLDER.fullmatch(text):
                return text.decode().rstrip()
        time.sleep(_SECONDS_BETWEEN_LOOKS)
    return "process unknown"
