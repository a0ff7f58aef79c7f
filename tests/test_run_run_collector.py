"""A run leaves the interpreter as it was."""

import gc
from pathlib import Path
from typing import Any

import pytest
from sweep_runs import cut_finely
from test_run_sweep import Listener, run_here

from vecdecay.errors import VecdecayError


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch, warm_kernels: None) -> None:
    """Cut sweeps into some ten parts, with the kernels compiled."""
    cut_finely(monkeypatch, plays=24)


def test_the_garbage_collector_is_as_it_was_after_a_run(tmp_path: Path) -> None:
    """Whatever a run does to be quicker, it undoes, also where it fails."""
    before = gc.get_threshold()
    heard: list[Any] = []

    class Looking(Listener):
        def advance(self, sessions: int) -> None:
            heard.append(gc.get_threshold())
            if len(heard) == 3:
                raise VecdecayError("enough")

    with pytest.raises(VecdecayError):
        run_here(tmp_path, progress=Looking())
    assert heard[0][0] > before[0]
    assert gc.get_threshold() == before
    run_here(tmp_path)
    assert gc.get_threshold() == before
