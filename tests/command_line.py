"""Runs the command ``vecdecay`` inside the test's own process, as a shell would see it."""

import io
import sys
from dataclasses import dataclass, replace

import pytest

from vecdecay.cli import app, main


@dataclass(frozen=True)
class Ending:
    """How a command ended: its exit code, and what it printed where."""

    code: object
    out: str
    err: str

    @property
    def complaints(self) -> list[str]:
        """The lines on the standard error, each without the program's name before it."""
        lines = self.err.splitlines()
        assert all(line.startswith("vecdecay: ") for line in lines), self.err
        return [line.removeprefix("vecdecay: ") for line in lines]


def type_in_plain(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *arguments: str) -> Ending:
    """Run ``vecdecay`` where the encoding knows ASCII only, as with LC_ALL=C, and without colours."""
    with monkeypatch.context() as changed:
        out = io.TextIOWrapper(io.BytesIO(), encoding="ascii", write_through=True)
        changed.setattr(sys, "stdout", out)
        for name, value in (("LC_ALL", "C"), ("NO_COLOR", "1")):
            changed.setenv(name, value)
        ending = type_in(capsys, *arguments)
        out.seek(0)
        return replace(ending, out=out.read())


def type_in(capsys: pytest.CaptureFixture[str], *arguments: str) -> Ending:
    """Run ``vecdecay`` with the arguments; no error may ever end in a traceback."""
    capsys.readouterr()
    for one in (app, *(app[name] for name in app if not name.startswith("-"))):
        one._fallback_console = None  # it keeps the width of its first use, which another process would not know
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    printed = capsys.readouterr()
    assert "Traceback" not in printed.out + printed.err
    return Ending(ended.value.code, printed.out, printed.err)


SMALL_SWEEP = """
schema = 1

[sweep]
name = "small"
title = "A small sweep"
note = "It is small."
seeds = {seeds}
detail = "{detail}"

[workload]
kind = "published_sessions"

[[policy]]
kind = "ebbinghaus"

[[policy]]
kind = "recency_window"
window_size = {window_size}
{more}
"""


def small_sweep(seeds: object = 50, detail: str = "cells", window_size: float = 15, more: str = "") -> str:
    """Return a sweep file: the published headline, or a variant of it."""
    return SMALL_SWEEP.format(seeds=seeds, detail=detail, window_size=window_size, more=more)
