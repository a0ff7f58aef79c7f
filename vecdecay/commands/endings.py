"""How a command ends that the system or an error of it stops, or a person's function that does not return."""

import contextlib
import os
import signal
import socket
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import NamedTuple, NoReturn

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
            complain(f"interrupted{running_function()}")
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

    def end_the_process(name: str) -> None:
        complain(f"{name} has not returned after {STUCK_SECONDS} seconds")
        give_up_output()
        _end_at_once(1)

    with _watched(end_the_process, threading.get_ident()):
        yield


@contextlib.contextmanager
def slow_calls_are_named() -> Iterator[None]:
    """Name each function of a person of which one call takes STUCK_SECONDS, in whichever thread; nothing is ended."""
    named: set[str] = set()

    def name_once(name: str) -> None:
        if name not in named and not name.endswith(_SOME_POLICY):  # kernels of the program may take their time
            named.add(name)
            complain(f"{name} has not returned after {STUCK_SECONDS} seconds; the command continues, Ctrl-C ends it")

    with _watched(name_once):
        yield


def running_function(interrupt: BaseException | None = None) -> str:
    """Return " in NAME" of a person's function in which an interrupt came, or that some thread is in; else nothing."""
    frames = list(sys._current_frames().values())
    if interrupt is not None:
        frames = [frame for frame, _ in traceback.walk_tb(interrupt.__traceback__)][-1:] + frames
    names = (call.name for call in map(_running_call, frames) if call is not None)
    return next((f" in {name}" for name in names if not name.endswith(_SOME_POLICY)), "")


_SOME_POLICY = "the policy"


class _Call(NamedTuple):
    """A call of a person's function: its frame or the engine's that called compiled code, where that is, its name."""

    frame: FrameType
    instruction: int
    name: str


@contextlib.contextmanager
def _watched(stuck: Callable[[str], None], thread: int | None = None) -> Iterator[None]:
    """Call ``stuck`` with the name of each function of which one call takes STUCK_SECONDS, in a thread or in any."""
    ended = threading.Event()
    threading.Thread(target=_watch, args=(stuck, thread, ended), daemon=True).start()
    try:
        yield
    finally:
        ended.set()


def _watch(stuck: Callable[[str], None], thread: int | None, ended: threading.Event) -> None:
    seconds: dict[int, tuple[_Call, int]] = {}
    while not ended.wait(1):
        frames = sys._current_frames()
        found = {one: _running_call(frame) for one, frame in frames.items() if thread in (None, one)}
        before, seconds = seconds, {}
        for one, call in found.items():
            if call is not None:
                known = before.get(one)
                seconds[one] = call, (known[1] + 1 if known is not None and known[0] == call else 0)
                if seconds[one][1] >= STUCK_SECONDS:
                    stuck(call.name)


def _running_call(innermost: FrameType) -> _Call | None:
    """Return the call of a person's function that a thread is in, or of the engine that has called compiled code.

    A frame of the engine counts as the same call for as long as it stays at one instruction.
    """
    own: FrameType | None = None
    frame: FrameType | None = innermost
    files, policy = loaded_files(), _SOME_POLICY
    while frame is not None:
        own = frame if frame.f_code.co_filename in files else own
        kind = type(frame.f_locals.get("policy"))
        kind = getattr(kind, "own_class", kind)
        if getattr(sys.modules.get(kind.__module__), "__file__", None) in files:
            policy = kind.__name__
        frame = frame.f_back
    if own is not None:
        return _Call(own, 0, f"{own.f_code.co_qualname} (line {own.f_code.co_firstlineno})")
    in_engine = Path(innermost.f_code.co_filename).parent.name == "engines"
    return _Call(innermost, innermost.f_lasti, f"a compiled function of {policy}") if in_engine else None
