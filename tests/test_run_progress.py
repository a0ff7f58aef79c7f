"""Progress: finished work only, on the standard error only."""

import io
import sys

import pytest

from vecdecay.run.progress import COMPILING, ScreenProgress, progress_for_screen


class Clock:
    """Seconds that pass only when told."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now


def test_a_short_run_prints_no_line(capsys: pytest.CaptureFixture[str]) -> None:
    """A log of a script that runs many sweeps stays empty."""
    clock = Clock()
    lines = ScreenProgress(clock)
    lines.start(1000, 0)
    for _ in range(9):
        clock.now += 3
        lines.advance(100)
    clock.now += 60
    lines.advance(100)  # the last: the result itself follows
    lines.stop()
    assert capsys.readouterr() == ("", "")


def test_a_long_run_prints_a_line_every_half_minute(capsys: pytest.CaptureFixture[str]) -> None:
    """With what is finished, the rate of this run, and the time left; sessions of an earlier run are no speed."""
    clock = Clock()
    lines = ScreenProgress(clock)
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
        "resuming after 500 of 2,000 sessions",
        "800 of 2,000 sessions (40 %), 10 per second, 2.0 min left",
        "1,100 of 2,000 sessions (55 %), 10 per second, 90.0 s left",
    ]


def test_compiling_is_announced(capsys: pytest.CaptureFixture[str]) -> None:
    """A newcomer waits some ten seconds, and should know for what; quiet is quiet."""
    progress = progress_for_screen(quiet=False)
    assert progress is not None
    progress.compiling()
    progress.stop()
    assert capsys.readouterr() == ("", f"{COMPILING}\n")
    assert progress_for_screen(quiet=True) is None


def test_a_closed_standard_error_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then nobody watches."""
    monkeypatch.setattr(sys, "stderr", None)
    assert progress_for_screen(quiet=False) is None


@pytest.mark.parametrize("columns", ["50", "80", "200"])
def test_the_bar_counts_finished_sessions(columns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal: it never shows more than was advanced, fits the width, and goes at the end."""
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setenv("TERM", "xterm")
    terminal = io.StringIO()
    terminal.isatty = lambda: True  # type: ignore[method-assign]
    monkeypatch.setattr(sys, "stderr", terminal)
    clock = Clock()
    bar = ScreenProgress(clock)
    bar.start(2000, 500)
    clock.now += 3
    bar.advance(300)
    bar.stop()
    shown = " ".join(terminal.getvalue().split())
    assert "500 of 2,000 sessions" in shown
    assert "800 of 2,000" in shown
    assert "2,000 of 2,000" not in shown
