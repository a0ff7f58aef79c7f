"""Progress: finished work only, on the standard error only."""

import io
import sys

import pytest

from vecdecay.commands.progress import COMPILING, Announced, BarProgress, LineProgress, progress_for_screen


class Clock:
    """Seconds that pass only when told."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now


@pytest.fixture
def clock() -> Clock:
    """A clock that stands."""
    return Clock()


def test_a_short_run_prints_no_line(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    """A log of a script that runs many sweeps stays empty."""
    lines = LineProgress(clock)
    lines.start(1000, 0)
    for _ in range(9):
        clock.now += 3
        lines.advance(100)
    clock.now += 60
    lines.advance(100)  # the last: the result itself follows
    lines.stop()
    assert capsys.readouterr() == ("", "")


def test_a_long_run_prints_a_line_every_half_minute(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    """With what is finished, the rate of this run, and the time left; what was there before counts not for the rate."""
    lines = LineProgress(clock)
    lines.start(2000, 500)
    clock.now += 30
    lines.advance(300)
    clock.now += 1
    lines.advance(10)
    clock.now += 29
    lines.advance(290)
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.splitlines() == [
        "going on after 500 of 2,000 sessions",
        "800 of 2,000 sessions (40 %), 10 per second, 2.0 min left",
        "1,100 of 2,000 sessions (55 %), 10 per second, 90.0 s left",
    ]


def test_compiling_is_told(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    """A newcomer waits some ten seconds, and should know for what."""
    LineProgress(clock).compiling()
    BarProgress().compiling()
    assert capsys.readouterr() == ("", f"{COMPILING}\n" * 2)


def test_nobody_is_told_where_nobody_wants_to_know(monkeypatch: pytest.MonkeyPatch) -> None:
    """Quiet, or no standard error: nothing. A terminal: a bar. Anything else: lines."""
    assert progress_for_screen(quiet=True) is None
    assert isinstance(progress_for_screen(quiet=False), LineProgress)
    terminal = io.StringIO()
    terminal.isatty = lambda: True  # type: ignore[method-assign]
    monkeypatch.setattr(sys, "stderr", terminal)
    assert isinstance(progress_for_screen(quiet=False), BarProgress)
    monkeypatch.setattr(sys, "stderr", None)
    assert progress_for_screen(quiet=False) is None


def test_the_bar_counts_finished_sessions(monkeypatch: pytest.MonkeyPatch) -> None:
    """It never shows more than was advanced, and goes at the end."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    terminal = io.StringIO()
    terminal.isatty = lambda: True  # type: ignore[method-assign]
    monkeypatch.setattr(sys, "stderr", terminal)
    bar = BarProgress()
    bar.start(2000, 500)
    bar.advance(300)
    bar.stop()
    assert "500 of 2,000 sessions" in terminal.getvalue()
    assert "800 of 2,000 sessions" in terminal.getvalue()
    assert "2,000 of 2,000" not in terminal.getvalue()


def test_a_bar_that_never_started_can_be_stopped() -> None:
    """A run that fails early stops what has not begun."""
    BarProgress().stop()


def test_the_announcement_comes_once_and_first(clock: Clock) -> None:
    """Before the first thing that is told, or when asked for; and everything is passed on."""
    told: list[str] = []

    class Inner(LineProgress):
        def start(self, total_sessions: int, done_sessions: int) -> None:
            told.append(f"start {total_sessions} {done_sessions}")

        def compiling(self) -> None:
            told.append("compiling")

        def advance(self, sessions: int) -> None:
            told.append(f"advance {sessions}")

        def stop(self) -> None:
            told.append("stop")

    announced = Announced(lambda: told.append("hello"), Inner(clock))
    announced.compiling()
    announced.start(5, 1)
    announced.advance(4)
    announced.stop()
    announced.announce()
    assert told == ["hello", "compiling", "start 5 1", "advance 4", "stop"]
    silent = Announced(lambda: told.append("again"), None)
    silent.start(5, 1)
    silent.compiling()
    silent.advance(4)
    silent.stop()
    assert told[5:] == ["again"]


def test_what_is_prepared_comes_between_the_announcement_and_the_bar() -> None:
    """Only when play begins: a finished run prepares nothing."""
    told: list[str] = []

    class Inner(LineProgress):
        def start(self, total_sessions: int, done_sessions: int) -> None:
            told.append("start")

    finished = Announced(lambda: told.append("hello"), Inner(), lambda: told.append("prepare"))
    finished.announce()
    assert told == ["hello"]
    finished.start(5, 1)
    assert told == ["hello", "prepare", "start"]
