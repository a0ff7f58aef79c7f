"""Small sweeps to run, and ways to look at what a run left."""

import hashlib
import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from effort import PATIENCE
from file_faults import content_of

from vecdecay.run import blocks, parts
from vecdecay.run import execute as execution
from vecdecay.run.execute import play_and_write
from vecdecay.run.parts import Part
from vecdecay.run.plan import Plan
from vecdecay.run.provenance import PROVENANCE_NAME
from vecdecay.run.sinks import ParquetSink, PartReceipt
from vecdecay.store.files import write_file
from vecdecay.store.ledger import LEDGER_NAME, read_ledger
from vecdecay.store.lock import LOCK_NAME
from vecdecay.sweepfile.model import SweepSpec
from vecdecay.sweepfile.spec import parse_sweep

SMALL = """
schema = 1
[sweep]
name = "small"
seeds = {seeds}
detail = "{detail}"
checkpoints = {checkpoints}
engine = "{engine}"
[workload]
kind = "published_sessions"
session_length = 25
num_foundational = 2
recalls_per_foundational = 2
noise_per_turn = 1
[[policy]]
kind = "ebbinghaus"
baseline_stability = 4.0
[[policy]]
kind = "recency_window"
window_size = 6
"""
AXES = """
[[axis]]
parameter = "ebbinghaus.eviction_threshold"
values = [0.1, 0.3, 0.5]
[[axis]]
parameter = "workload.num_foundational"
values = [2, 1]
"""


def small_text(
    detail: str = "sessions",
    seeds: int | str = 20,
    axes: bool = True,
    more: str = "",
    checkpoints: str = "[5, 30]",
    engine: str = "auto",
) -> str:
    """Return the file of a sweep of 12 cells (2 without axes) over short sessions.

    Without checkpoints, table policies on it are played while the sessions are generated.
    """
    return SMALL.format(detail=detail, seeds=seeds, checkpoints=checkpoints, engine=engine) + AXES * axes + more


def small_sweep(*arguments: Any, **options: Any) -> SweepSpec:
    """Return the same, read."""
    return parse_sweep(small_text(*arguments, **options), "small.toml")


def cut_finely(patch: pytest.MonkeyPatch, plays: int = 12, rows: int = 600) -> None:
    """Cut sweeps into parts of so many sessions (or rows of items and turns), played in blocks of four."""
    patch.setattr(parts, "_PLAYS_PER_PART", {"cells": plays, "sessions": plays})
    patch.setattr(parts, "_ROWS_PER_PART", rows)
    patch.setattr(blocks, "BLOCK_MULTIPLE", 4)


def results_of(folder: Path) -> dict[str, bytes]:
    """Return every file of a run that two runs must have in common: not the lock, clock and order of entries."""
    return {name: data for name, data in content_of(folder).items() if name not in (PROVENANCE_NAME, LEDGER_NAME)}


def entries_of(folder: Path) -> set[Any]:
    """Return what the ledger says, without its order."""
    return {(entry.file, entry.sha256, str(entry.receipt)) for entry in read_ledger(folder).entries.values()}


def digest_of(folder: Path) -> str:
    """Return one digest of the names and bytes of all results, the ledger and its order included."""
    digest = hashlib.sha256()
    files = {name: data for name, data in content_of(folder).items() if name not in (PROVENANCE_NAME, LOCK_NAME)}
    for name, data in sorted(files.items()):
        digest.update(name.encode() + b"\0" + data)
    return digest.hexdigest()


class Here(execution.Here):
    """Plays each part at once, in the thread that submits it, and keeps the tasks."""

    def __init__(self) -> None:
        """Begin with no task."""
        self.tasks: list[Any] = []

    def submit(self, function: Any, /, *arguments: Any, **options: Any) -> Future[Any]:
        """Do the task, and return what came of it."""
        self.tasks.append(arguments)
        return super().submit(function, *arguments, **options)


class Remembered:
    """Stands in for ``play_and_write``: plays each part of a sweep once, and later only writes its files again.

    All operations on files are those of a real part; a run of twenty parts takes a third of the time.
    """

    def __init__(self) -> None:
        """Begin with no part."""
        self._known: dict[int, tuple[PartReceipt, list[bytes]]] = {}

    def __call__(self, plan: Plan, part: Part, sink: ParquetSink, stop: Any) -> PartReceipt:
        """Write the files of the part."""
        if part.number not in self._known:
            receipt = play_and_write(plan, part, sink, stop)
            self._known[part.number] = receipt, [(sink.folder / e.file).read_bytes() for e in receipt.entries]
            return receipt
        receipt, contents = self._known[part.number]
        for entry, content in zip(receipt.entries, contents, strict=True):
            write_file(sink.folder / entry.file, content)
        return receipt


TESTS = Path(__file__).parent
# Where a fresh process finds the package and these tests; messages in English.
ENVIRONMENT = os.environ | {"PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS.parent)]), "LC_ALL": "C"}


def fresh_process(
    script: str, *arguments: object, prefix: Sequence[str] = (), **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run Python code in a fresh process, and return what it printed and how it ended."""
    command = [*prefix, sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.run(
        command, env=ENVIRONMENT | variables, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
