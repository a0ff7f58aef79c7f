"""Files that are either there and whole, or not there; every change of the disk goes through one object.

A file is written under a temporary name in its own folder, flushed to the disk, and only then given its name; at last
the folder is flushed. A reader, or a run that resumes after a power failure, therefore never meets half a file under a
final name. ``file_operations`` is the only way to the disk, so a test can count the operations, fail the n-th one, or
take the power away between any two. Callers keep the object, never its methods: tests put their own methods on it.
"""

import hashlib
import os
import re
import secrets
import shutil
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from errno import EINVAL, EIO, ENOTSUP
from pathlib import Path
from typing import BinaryIO, cast

from vecdecay.errors import InvalidInputError, OutputError
from vecdecay.parameters import printable

if sys.platform == "darwin":
    import fcntl

PathLike = str | os.PathLike[str]

Content = bytes | bytearray | memoryview | Callable[[BinaryIO], object]

_TEMPORARY_NAME = re.compile(r"\..+\.[0-9]+-[0-9a-f]{16}\.tmp", re.DOTALL)
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
_PIECE_BYTES = 1 << 20
_MOST_ASIDE = 10_000

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

    def free_bytes(self, path: PathLike) -> int:
        """Return how many bytes the file system of a folder has left for this user."""
        return shutil.disk_usage(path).free

    def read(self, path: PathLike) -> bytes:
        """Return all bytes of a regular file."""
        # Asked before opening: to open a pipe would wait for its other end.
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise OSError(EINVAL, "not a regular file")
        with open(path, "rb") as file:
            return file.read()


file_operations = FileOperations()


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


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """The receipt of a file on the disk: its name without the folder, its size, and its SHA-256."""

    name: str
    bytes: int
    sha256: str


def refuse_addresses(path: PathLike) -> None:
    """Refuse what looks like the address of an object store, of which the system would make a folder called ``s3:``.

    There is no rename there and a listing may be late, so that what a run promises could not be kept.

    Raises:
        InvalidInputError: with what to do instead.

    >>> refuse_addresses("s3://bucket/run")
    Traceback (most recent call last):
    vecdecay.errors.InvalidInputError: s3:/bucket/run is an address; allowed: a folder or file of this machine
    """
    if _ADDRESS.match(os.fsdecode(path)):
        where = printable(Path(path))
        raise InvalidInputError([f"{where} is an address; allowed: a folder or file of this machine"])


def write_file(path: PathLike, content: Content) -> WrittenFile:
    """Write a whole file, durably; the folder must be there, and an older file of that name is replaced.

    Args:
        path: The final name.
        content: Bytes (anything that offers its memory, an Arrow buffer too), or a function that writes them into the
            sink that it is given, which takes bytes and tells its position, and nothing else.

    What the function raises arrives unchanged, and leaves no file: PyArrow's writer, left by an exception, closes a
    *valid, shorter* file, which here never gets its name. The digest is that of the bytes that were meant. Reading the
    file back would only read the system's memory, and would bless whatever went wrong on the way.

    Raises:
        OutputError: one line, when a file operation fails. The temporary file is removed, if that works.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_file(folder + "/greeting", lambda sink: sink.write(b"hello")).bytes
    5
    """
    refuse_addresses(path)
    target = Path(path)
    # The name is known before the file exists, so that an interruption at any instant can still remove it.
    temporary = target.with_name(f".{target.name}.{os.getpid()}-{secrets.token_hex(8)}.tmp")
    failure = "cannot be written"
    try:
        with reported(target, failure):
            descriptor = file_operations.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        sink = _Sink(descriptor, target)
        try:
            if callable(content):
                content(cast(BinaryIO, sink))
            else:
                sink.write(content)
            sink.write_out()
            with reported(target, failure):
                file_operations.fsync(descriptor)
        finally:
            with reported(target, failure):
                file_operations.close(descriptor)
        with reported(target, failure):
            file_operations.replace(temporary, target)
            file_operations.fsync_folder(target.parent)
    except BaseException:
        with suppress(OSError, ValueError):
            file_operations.unlink(temporary)
        raise
    return WrittenFile(target.name, sink.tell(), sink.digest.hexdigest())


class _Sink:
    """Gathers bytes to large pieces, and digests them on their way to the file."""

    closed = False

    def __init__(self, descriptor: int, target: Path) -> None:
        self.digest = hashlib.sha256()
        self._descriptor = descriptor
        self._target = target
        self._gathered = bytearray()
        self._written = 0

    def write(self, data: bytes | bytearray | memoryview) -> int:
        self._gathered += data
        if len(self._gathered) >= _PIECE_BYTES:
            self.write_out()
        return len(data)

    def write_out(self) -> None:
        piece, self._gathered = bytes(self._gathered), bytearray()
        self.digest.update(piece)
        self._written += len(piece)
        if piece:
            with reported(self._target, "cannot be written"):
                file_operations.write(self._descriptor, piece)

    def tell(self) -> int:
        return self._written + len(self._gathered)

    def writable(self) -> bool:
        return True

    def readable(self) -> bool:
        return False

    def seekable(self) -> bool:
        return False

    def flush(self) -> None:
        """Nothing is owed to a reader before the file has its name."""

    def close(self) -> None:
        """The file is closed by whoever opened it."""


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
        InvalidInputError: it is the address of an object store.
    """
    refuse_addresses(folder)
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


def set_aside(path: PathLike, stem: PathLike) -> Path:
    """Rename a file or folder to ``stem-N``, with the first free number; nothing is ever deleted.

    Raises:
        OutputError: it cannot be renamed.
    """
    with reported(path, "cannot be moved aside"):
        free = (Path(f"{os.fspath(stem)}-{number}") for number in range(1, _MOST_ASIDE))
        target = next((one for one in free if not os.path.lexists(one)), None)
        if target is None:
            raise OutputError(f"{printable(path)}: cannot be moved aside: too many old ones beside it")
        file_operations.replace(path, target)
    return target


def clear_places(folder: PathLike, files: Iterable[str], folders: Iterable[str]) -> list[str]:
    """Set aside what stands in the place of a file or folder of the run but is none; say in a line each what it was.

    A folder, a pipe or a dangling link in the place of a file, and a file in the place of a folder, would stop the run
    halfway. In ``folders`` all that is no file is set aside, for only files belong there.

    Raises:
        OutputError: something cannot be renamed.
    """
    found: list[str] = []
    places = dict.fromkeys(files, os.path.isfile) | dict.fromkeys(folders, os.path.isdir)
    for name in list(places):
        if places[name] is os.path.isdir:
            with suppress(OSError):
                places |= {f"{name}/{item}": os.path.isfile for item in os.listdir(Path(folder, name))}
    for name, is_right in places.items():
        path = Path(folder, name)
        if os.path.lexists(path) and not is_right(path):
            set_aside(path, Path(folder, f".{name.replace('/', '-')}.unexpected"))
            found.append(f"{printable(name)}: is no {'file' if is_right is os.path.isfile else 'folder'}, set aside")
    return found
