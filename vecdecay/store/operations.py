"""The few operations on files that the store is built of, gathered in one object.

Everything in this folder that changes the disk asks `file_operations` to do it. So a test can count the
operations, fail the n-th one, or stop the world there, and it meets exactly what a full disk or a power
failure would do. Callers keep the object, never its methods: tests put their own methods on it.
"""

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EINVAL, EIO, ENOTSUP

from vecdecay.errors import OutputError

if sys.platform == "darwin":
    import fcntl


PathLike = str | os.PathLike[str]

# Windows would translate line ends without it; elsewhere the flag does not exist.
_RAW_BYTES = getattr(os, "O_BINARY", 0)

# The answers of file systems that cannot flush a folder; they have no separate folder to lose.
_FOLDER_FLUSH_UNKNOWN = (EINVAL, ENOTSUP)


class FileOperations:
    """Operations on files, each a thin cover over the operating system. All raise OSError."""

    def open(self, path: PathLike, flags: int) -> int:
        """Open ``path`` with the ``os.O_*`` flags and return its descriptor.

        A new file gets the permissions that the user's umask leaves, so results are shared like any file.
        """
        return os.open(path, flags | _RAW_BYTES, 0o666)

    def write(self, descriptor: int, data: bytes | memoryview) -> None:
        """Write all of ``data``, however many calls the system needs for it."""
        remaining = memoryview(data)
        while remaining:
            written = os.write(descriptor, remaining)
            if written == 0:
                raise OSError(EIO, os.strerror(EIO))
            remaining = remaining[written:]

    def fsync(self, descriptor: int) -> None:
        """Return when the content of the open file is on the disk."""
        if sys.platform == "darwin":
            # fsync leaves the data in the drive's own cache there.
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
        else:
            os.fsync(descriptor)

    def close(self, descriptor: int) -> None:
        """Close the descriptor."""
        os.close(descriptor)

    def replace(self, source: PathLike, target: PathLike) -> None:
        """Give ``source`` the name ``target`` in one step; a file of that name is replaced."""
        os.replace(source, target)

    def fsync_folder(self, path: PathLike) -> None:
        """Return when the names in the folder are on the disk. Windows has no such call and needs none."""
        if sys.platform != "win32":
            descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(descriptor)
            except OSError as error:
                if error.errno not in _FOLDER_FLUSH_UNKNOWN:
                    raise
            finally:
                os.close(descriptor)

    def unlink(self, path: PathLike) -> None:
        """Remove the name of a file."""
        os.unlink(path)

    def mkdir(self, path: PathLike) -> None:
        """Make one folder; its parent must be there."""
        os.mkdir(path)

    def read(self, path: PathLike) -> bytes:
        """Return all bytes of a regular file."""
        # Asked before opening: to open a pipe would wait for its other end.
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise OSError(EINVAL, "not a regular file")
        with open(path, "rb") as file:
            return file.read()


file_operations = FileOperations()


def printable(path: PathLike) -> str:
    r"""Return the path as text that keeps to one line whatever bytes its name has.

    >>> printable("output/headline"), printable("two\nlines")
    ('output/headline', "'two\\nlines'")
    """
    text = os.fspath(path)
    return text if text.isprintable() else repr(text)


@contextmanager
def reported(path: PathLike, what: str) -> Iterator[None]:
    """Turn a failed file operation into one line: the path, ``what`` failed, and the system's reason.

    Raises:
        OutputError: for every OSError inside, and for names that no file can have (a ValueError).
    """
    try:
        yield
    except OutputError:
        raise
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise OutputError(f"{printable(path)}: {what}: {reason}") from error
