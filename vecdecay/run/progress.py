"""Progress of a run on the standard error: a bar on a terminal, a line every half minute elsewhere."""

import contextlib
import importlib.util
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from vecdecay.errors import InvalidInputError
from vecdecay.numerals import duration
from vecdecay.parameters import brief

SECONDS_BETWEEN_LINES = 30.0
COMPILING = "compiling the kernels, once on this machine; later runs start at once"


class Progress(Protocol):
    """Receives what work is finished; all calls come from the thread that asked for the work."""

    def start(self, total_sessions: int, done_sessions: int) -> None:
        """Work begins; some sessions may be done already, by an earlier run."""

    def compiling(self) -> None:
        """Kernels are about to be compiled, which takes some seconds once."""

    def advance(self, sessions: int) -> None:
        """So many more sessions are done."""

    def stop(self) -> None:
        """Work has ended, in whatever way."""


def tell(line: str) -> None:
    """Print a line on the standard error, at once; a closed one is no reason to stop."""
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()


def progress_for_screen(quiet: bool) -> Progress | None:
    """Return what shows the progress, or None where it is not wanted."""
    return None if quiet or sys.stderr is None else ScreenProgress()


def progress_of(given: Progress | bool) -> Progress | None:
    """Return what shows the progress: ``given`` itself, a :class:`ScreenProgress` for True, None for False.

    Raises:
        InvalidInputError: it is none of these.
    """
    if isinstance(given, bool) or given is None:
        return ScreenProgress() if given and sys.stderr is not None else None
    lacking = [name for name in ("start", "compiling", "advance", "stop") if not callable(getattr(given, name, None))]
    if lacking:
        raise InvalidInputError([f"progress is {brief(given)}; allowed: True, False, or an object with {lacking[0]}()"])
    return given


@contextlib.contextmanager
def shown_while(progress: Progress | None, total_sessions: int) -> Iterator[None]:
    """Show the progress while sessions are played, and stop whatever happens."""
    if progress is None:
        yield
        return
    progress.start(total_sessions, 0)
    try:
        yield
    finally:
        progress.stop()


def _has_bar() -> bool:
    """Tell whether a bar can be drawn: on a terminal, or in a notebook that can show one."""
    in_a_notebook = "ipykernel" in sys.modules and importlib.util.find_spec("ipywidgets") is not None
    return sys.stderr.isatty() or in_a_notebook


class ScreenProgress:
    """Shows finished sessions, their rate and the time left; ``clock`` returns seconds.

    On a terminal or in a notebook it is a bar that disappears at the end. Elsewhere it is a line every half minute, so
    none for a short run. Sessions of an earlier run do not count for the rate.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._bar: Any = None
        self._task: Any = None
        self._total = self._done = self._at_start = 0
        self._started = self._last_line = 0.0

    def start(self, total_sessions: int, done_sessions: int) -> None:
        """Begin to count."""
        self._total, self._done, self._at_start = total_sessions, done_sessions, done_sessions
        self._started = self._last_line = self._clock()
        if _has_bar():
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn

            columns = (BarColumn(bar_width=None), TextColumn("{task.description}", markup=False))
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True, expand=True)
            self._task = self._bar.add_task(self._text(), total=total_sessions, completed=done_sessions)
            self._bar.start()
        elif done_sessions:
            tell(f"resuming after {done_sessions:,} of {total_sessions:,} sessions")

    def compiling(self) -> None:
        """Say why nothing happens yet."""
        tell(COMPILING)

    def advance(self, sessions: int) -> None:
        """Count finished sessions; print a line when it is time for one."""
        self._done += sessions
        if self._bar is not None:
            self._bar.update(self._task, completed=self._done, description=self._text())
        elif self._clock() - self._last_line >= SECONDS_BETWEEN_LINES and self._done < self._total:
            self._last_line = self._clock()
            tell(self._text())

    def stop(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.stop()

    def _text(self) -> str:
        seconds, played = self._clock() - self._started, self._done - self._at_start
        text = f"{self._done:,} of {self._total:,} sessions ({100 * self._done // max(1, self._total)} %)"
        if not played or seconds <= 0:
            return text
        rate = played / seconds
        return f"{text}, {rate:,.0f} per second, {duration((self._total - self._done) / rate)} left"
