"""How many threads a run takes where nobody says."""

import os

import pytest

from vecdecay import threads


def test_processors_are_those_that_this_process_may_use() -> None:
    """A process that is held to one processor does not start threads for all of the machine's."""
    if hasattr(os, "sched_getaffinity"):
        assert threads.available_processors() == len(os.sched_getaffinity(0))
    else:
        assert threads.available_processors() == os.cpu_count()


def test_a_system_that_knows_no_affinity_tells_its_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the question cannot be asked, all processors are taken, and one where even that is unknown."""
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 6)
    assert threads.available_processors() == 6
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert threads.available_processors() == 1
