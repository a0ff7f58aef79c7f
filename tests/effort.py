"""Effort that does not depend on how busy the machine is: calls that are made, and processor time of a process.

No test looks at a clock on the wall. What waits for another process waits for PATIENCE; what hangs for longer is ended,
and named, by the limit per test that pyproject.toml sets.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PATIENCE = 500.0
"""Seconds that a test waits for another process: below the limit per test."""

needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads Linux's /proc")


def calls_made(function: Callable[[], Any]) -> tuple[Any, int]:
    """Return what a function returns, and how many calls, to functions in Python or in C, it came to."""
    number = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal number
        number += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        return function(), number
    finally:
        sys.setprofile(None)


def wait_until(happened: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Wait until something has happened; fail where the process ends before."""
    patience = PATIENCE
    while not happened():
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
        patience -= 0.05
        assert patience > 0


def processor_seconds(process: subprocess.Popen[str]) -> float:
    """Return the processor time, of all its threads, that a running process has taken."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def end_by(number: int, process: subprocess.Popen[str]) -> tuple[str, float]:
    """Send a signal; return what the process said on stderr, and the processor time that it took from then on."""
    before = processor_seconds(process)
    process.send_signal(number)
    # Waiting without reaping leaves the figures of the process where they are.
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    after = processor_seconds(process)
    return process.communicate(timeout=PATIENCE)[1], after - before
