"""Files too large to be held: written piece by piece under a temporary name, then named, as ``write_file`` does it."""

import hashlib
import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, cast

from vecdecay.store.atomic import WrittenFile
from vecdecay.store.operations import PathLike, file_operations, reported

_PIECE_BYTES = 1 << 20


def write_streamed(path: PathLike, content: Callable[[BinaryIO], object]) -> WrittenFile:
    """Write a whole file, durably, while ``content`` makes it; the folder must be there.

    ``content`` is given a stream that takes bytes and tells its position, and nothing else. What it raises arrives
    unchanged, and leaves no file.

    Raises:
        OutputError: one line, when a file operation fails.
    """
    target = Path(path)
    temporary = target.with_name(f".{target.name}.{os.getpid()}-{secrets.token_hex(8)}.tmp")
    try:
        with reported(target, "cannot be written"):
            descriptor = file_operations.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        stream = _Stream(descriptor, target)
        try:
            content(cast(BinaryIO, stream))
            stream.write_out()
            with reported(target, "cannot be written"):
                file_operations.fsync(descriptor)
        finally:
            with reported(target, "cannot be written"):
                file_operations.close(descriptor)
        with reported(target, "cannot be written"):
            file_operations.replace(temporary, target)
            file_operations.fsync_folder(target.parent)
    except BaseException:
        with suppress(OSError, ValueError):
            file_operations.unlink(temporary)
        raise
    return WrittenFile(target.name, stream.tell(), stream.digest.hexdigest())


class _Stream:
    """Gathers bytes to large pieces, and digests them on their way to the file."""

    closed = False

    def __init__(self, descriptor: int, target: Path) -> None:
        self.digest = hashlib.sha256()
        self._descriptor = descriptor
        self._target = target
        self._gathered = bytearray()
        self._written = 0

    def write(self, data: bytes) -> int:
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
