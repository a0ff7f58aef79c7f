"""How a command ends that the system or an error of it stops."""

import contextlib
import signal
from collections.abc import Iterator
from types import FrameType


class Terminated(KeyboardInterrupt):
    """The system asked the program to end (SIGTERM). Whatever cleans up after Ctrl-C cleans up after this too."""


def in_words(error: Exception) -> str:
    """Return an error in one line; of the system's, the file and what is wrong with it."""
    if isinstance(error, OSError) and error.strerror:
        where = "the output" if error.filename is None else error.filename
        return f"{where}: {error.strerror}"
    return " ".join(str(error).split())


@contextlib.contextmanager
def terminable() -> Iterator[None]:
    """Let SIGTERM end a command like Ctrl-C does: with its files in order."""

    def terminate(_number: int, _frame: FrameType | None) -> None:
        raise Terminated

    before = signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
