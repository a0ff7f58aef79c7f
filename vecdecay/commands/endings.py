"""How a command ends that the system or an error of it stops, or a person's function that does not return."""

import contextlib
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import NoReturn

from vecdecay.commands.streams import complain, give_up_output, output
from vecdecay.own_file import loaded_files

GRACE_SECONDS = 1.8
"""So long after a signal a command may put its files in order."""

STUCK_SECONDS = 10
"""After so long one call of a person's function is named as one that does not return."""


class Terminated(KeyboardInterrupt):
    """The system asked the program to end (SIGTERM). Whatever cleans up after Ctrl-C cleans up after this too."""


def in_words(error: Exception) -> str:
    """Return an error in one line; of the system's, the file and what is wrong with it."""
    if isinstance(error, OSError) and error.strerror:
        where = "the output" if error.filename is None else error.filename
        return f"{where}: {error.strerror}"
    return " ".join(str(error).split())


@contextlib.contextmanager
def terminable() -> Iterator[list[threading.Thread]]:
    """Let SIGTERM end a command like Ctrl-C does: with its files in order. The threads before it are yielded.

    Python handles a signal between two of its own steps. A command that has not ended after GRACE_SECONDS, because it
    is in compiled code or compiles, ends then: whatever it writes is whole or absent, as after a power failure.
    """

    def terminate(_number: int, _frame: FrameType | None) -> None:
        raise Terminated

    threads = threading.enumerate()
    told, tells = socket.socketpair()
    tells.setblocking(False)
    ended = threading.Event()
    threading.Thread(target=_end_after_a_signal, args=(told, ended), daemon=True).start()
    before, wakeup = signal.signal(signal.SIGTERM, terminate), signal.set_wakeup_fd(tells.fileno())
    try:
        yield threads
    finally:
        ended.set()
        signal.set_wakeup_fd(wakeup)
        signal.signal(signal.SIGTERM, before)
        tells.close()


def _end_after_a_signal(told: socket.socket, ended: threading.Event) -> None:
    with told:
        number = next(
            (one for one in iter(lambda: told.recv(1), b"") if one[0] in (signal.SIGINT, signal.SIGTERM)), b""
        )
        if number and not ended.wait(GRACE_SECONDS):
            complain("interrupted")
            _end_at_once(128 + number[0])


def end(code: int, others: Sequence[threading.Thread]) -> NoReturn:
    """Exit with a code; of a command that was interrupted at once, if it left threads, which may never end."""
    if code > 128 and any(not one.daemon for one in threading.enumerate() if one not in others):
        _end_at_once(code)
    sys.exit(code)


def _end_at_once(code: int) -> NoReturn:
    with contextlib.suppress(OSError, ValueError):
        output().flush()
    os._exit(code)


@contextlib.contextmanager
def each_call_returns() -> Iterator[None]:
    """End the process with a line that names a person's function of which one call takes STUCK_SECONDS.

    A compiled function has no frame: that the engine, which called it, does not go on shows it.
    """
    ended = threading.Event()
    threading.Thread(target=_name_what_is_stuck, args=(threading.get_ident(), ended), daemon=True).start()
    try:
        yield
    finally:
        ended.set()


def _name_what_is_stuck(watched: int, ended: threading.Event) -> None:
    before, seconds = None, 0
    while not ended.wait(1):
        call = _running_call(watched)
        seconds = seconds + 1 if call is not None and call == before else 0
        before = call
        if call is not None and seconds >= STUCK_SECONDS:
            complain(f"{_named(call[0])} has not returned after {STUCK_SECONDS} seconds")
            give_up_output()
            _end_at_once(1)


def _running_call(watched: int) -> tuple[FrameType, int] | None:
    """Return the frame of a person's function that a thread has called, or of the engine that has called compiled code.

    A frame of the engine counts as the same call for as long as it stays at one instruction.
    """
    innermost = sys._current_frames().get(watched)
    own, frame, files = None, innermost, loaded_files()
    while frame is not None:
        own, frame = frame if frame.f_code.co_filename in files else own, frame.f_back
    if own is not None:
        return own, 0
    in_engine = innermost is not None and Path(innermost.f_code.co_filename).parent.name == "engines"
    return (innermost, innermost.f_lasti) if innermost is not None and in_engine else None


def _named(frame: FrameType) -> str:
    if frame.f_code.co_filename not in loaded_files():
        return "a compiled function of the policy"
    return f"{frame.f_code.co_qualname} (line {frame.f_code.co_firstlineno})"
