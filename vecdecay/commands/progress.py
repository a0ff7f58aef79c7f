"""How a run is going: a bar where a person watches, sparse lines where a file does. Always on the standard error."""

import sys
import time
from collections.abc import Callable
from typing import Any, Protocol

from vecdecay.commands.numerals import duration
from vecdecay.commands.screen import tell

SECONDS_BETWEEN_LINES = 30.0
COMPILING = "compiling the kernels, once on this machine; later runs start at once"


class Progress(Protocol):
    """What a run tells of itself; only finished work is counted."""

    def start(self, total_sessions: int, done_sessions: int) -> None:
        """Play begins; ``done_sessions`` of the ``total_sessions`` were played by an earlier run."""

    def compiling(self) -> None:
        """Kernels are being compiled, which takes a while."""

    def advance(self, sessions: int) -> None:
        """So many more sessions are finished."""

    def stop(self) -> None:
        """Play is over, whether all is played or not."""


def progress_for_screen(quiet: bool) -> Progress | None:
    """Return a bar for a terminal, lines for anything else, None where nobody wants to know."""
    if quiet or sys.stderr is None:
        return None
    return BarProgress() if sys.stderr.isatty() else LineProgress()


class Announced:
    """Says what begins before anything else is told, and not before it is certain that something begins.

    ``prepare`` is called when play begins, before the bar is there; it may tell something too.
    """

    def __init__(
        self, announce: Callable[[], None], inner: Progress | None, prepare: Callable[[], None] | None = None
    ) -> None:
        self._announce: Callable[[], None] | None = announce
        self._inner = inner
        self._prepare = prepare

    def announce(self) -> None:
        """Say it, once."""
        announce, self._announce = self._announce, None
        if announce is not None:
            announce()

    def start(self, total_sessions: int, done_sessions: int) -> None:
        """Announce and prepare, then pass it on."""
        self.announce()
        if self._prepare is not None:
            self._prepare()
        if self._inner is not None:
            self._inner.start(total_sessions, done_sessions)

    def compiling(self) -> None:
        """Announce, then pass it on."""
        self.announce()
        if self._inner is not None:
            self._inner.compiling()

    def advance(self, sessions: int) -> None:
        """Pass it on."""
        if self._inner is not None:
            self._inner.advance(sessions)

    def stop(self) -> None:
        """Pass it on."""
        if self._inner is not None:
            self._inner.stop()


class LineProgress:
    """A line every half minute, so none for a short run. ``clock`` returns seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._total = self._done = self._at_start = 0
        self._started = self._told = 0.0

    def start(self, total_sessions: int, done_sessions: int) -> None:
        """Begin to count; ``done_sessions`` were played by an earlier run."""
        self._total, self._done, self._at_start = total_sessions, done_sessions, done_sessions
        self._started = self._told = self._clock()
        if done_sessions:
            tell(f"going on after {done_sessions:,} of {total_sessions:,} sessions")

    def compiling(self) -> None:
        """Say why nothing happens yet."""
        tell(COMPILING)

    def advance(self, sessions: int) -> None:
        """Count finished sessions, and print a line when it is time for one."""
        self._done += sessions
        now = self._clock()
        if now - self._told < SECONDS_BETWEEN_LINES or self._done >= self._total:
            return
        self._told = now
        rate = (self._done - self._at_start) / (now - self._started)
        left = duration((self._total - self._done) / rate) if rate > 0 else "unknown time"
        share = 100 * self._done // self._total
        tell(f"{self._done:,} of {self._total:,} sessions ({share} %), {rate:,.0f} per second, {left} left")

    def stop(self) -> None:
        """Nothing is left to be printed."""


class BarProgress:
    """A bar with the number of finished sessions, their rate and the time left; it goes when the run is over."""

    def __init__(self) -> None:
        self._bar: Any = None
        self._task: Any = None

    def start(self, total_sessions: int, done_sessions: int) -> None:
        """Show the bar; ``done_sessions`` were played by an earlier run and do not count for the rate."""
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        self._bar = Progress(
            BarColumn(bar_width=None),
            TextColumn("{task.fields[told]}"),
            TimeRemainingColumn(compact=True),
            TextColumn("left"),
            console=Console(stderr=True),
            transient=True,
            expand=True,
        )
        self._done = self._at_start = done_sessions
        self._total = total_sessions
        self._started = time.monotonic()
        self._task = self._bar.add_task("", total=total_sessions, completed=done_sessions, told=self._told())
        self._bar.start()

    def compiling(self) -> None:
        """Say why nothing happens yet."""
        tell(COMPILING)

    def advance(self, sessions: int) -> None:
        """Count finished sessions."""
        self._done += sessions
        self._bar.update(self._task, completed=self._done, told=self._told())

    def stop(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()

    def _told(self) -> str:
        seconds = time.monotonic() - self._started
        played = self._done - self._at_start
        rate = f", {played / seconds:,.0f}/s" if played and seconds > 0 else ""
        return f"{self._done:,} of {self._total:,} sessions{rate}"
