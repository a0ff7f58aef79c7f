"""Runs a sweep: plays its parts, enters each into the ledger when its files are on the disk, and sums up at the end.

It may die at any instant: what the ledger names is kept, the rest is made again. Parts are entered in their order, so
that two undisturbed runs leave the same bytes, however many threads played them.
"""

import gc
import os
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from vecdecay.compile import compiled_before
from vecdecay.engines.registry import chosen_engine
from vecdecay.errors import OutputError, VecdecayError
from vecdecay.run.check import SESSIONS_TO_CHECK, check_sample
from vecdecay.run.finish import finish_run, is_finished
from vecdecay.run.folder import claim, drop_unsound_parts, make_room, open_ledger, set_strangers_aside
from vecdecay.run.parts import Part, parts_of
from vecdecay.run.plan import Plan, make_plan
from vecdecay.run.play_part import (
    PartReceipt,
    PartTask,
    allow_start,
    part_file,
    part_of_file,
    play_part,
    request_stop,
    units_digest,
)
from vecdecay.run.provenance import footer_of, write_provenance
from vecdecay.run.results import cell_results
from vecdecay.store.files import file_operations, prepare_folder, reported
from vecdecay.store.ledger import Ledger
from vecdecay.store.lock import lock_folder
from vecdecay.store.manifest import MANIFEST_NAME
from vecdecay.store.tables import CellResult, part_tables
from vecdecay.sweepfile.model import SweepSpec
from vecdecay.sweepfile.resolved import resolved_toml
from vecdecay.threads import available_processors

_PARTS_AHEAD = 4  # per thread: submitted, but not entered
_COLLECT_AFTER = 100_000  # objects
_PATIENCE_SECONDS = 1.5  # for running parts to give up when the run is asked to end


@dataclass(frozen=True)
class FailedCell:
    """A cell that could not be played, and why; the others went on."""

    cell: int
    label: str
    error: str


class Progress(Protocol):
    """What the run tells whoever watches; all calls come from the thread that runs the sweep."""

    def start(self, total_sessions: int, done_sessions: int) -> None:
        """Play begins; some sessions may be done already, by an earlier run."""

    def compiling(self) -> None:
        """Kernels are about to be compiled, which takes some seconds once."""

    def advance(self, sessions: int) -> None:
        """So many more sessions are played and on the disk."""

    def stop(self) -> None:
        """Play has ended, in whatever way."""


@dataclass(frozen=True)
class RunReport:
    """What a run came to; the results stay on the disk and are streamed from there."""

    spec: SweepSpec
    plan: Plan
    folder: Path
    engine_names: tuple[str, ...]
    threads: int
    num_sessions: int
    num_cells: int
    checked_sessions: int
    already_complete: bool
    failed: tuple[FailedCell, ...]
    repaired: tuple[str, ...] = ()
    shard: tuple[int, int] | None = None

    def results(self) -> Iterator[CellResult]:
        """Yield the result of every cell that was played, in the order in which cells are complete."""
        return cell_results(self.plan, self.folder, _own_parts(self.plan, self.shard))


def run_sweep(
    spec: SweepSpec,
    folder: Path,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    force: bool = False,
    check: int = SESSIONS_TO_CHECK,
    shard: tuple[int, int] | None = None,
    executor: Executor | None = None,
) -> RunReport:
    """Run a sweep into a folder, or finish what an earlier run has begun there.

    Args:
        spec: the sweep.
        folder: where its files go; made if it is not there.
        threads: how many parts are played at once; as many as there are processors if None.
        progress: is told of finished work.
        force: move a folder that holds something else aside, never deleting it.
        check: how many sessions are recomputed by the scalar reference.
        shard: (k, n) plays the k-th of n shares, k from 1; the shares are joined by :func:`vecdecay.run.merge.merge`.
        executor: where parts are played, anything with ``submit``; threads of this process if None.

    Raises:
        OutputError: the folder cannot be written, holds another sweep, or another run is writing to it.
        MismatchError: a kernel and the scalar reference disagree.
    """
    plan = make_plan(spec)
    threads = threads or available_processors()
    if force:
        make_room(folder, spec)
    prepare_folder(folder)
    with lock_folder(folder):
        held, repaired = claim(folder, spec)
        for name in part_tables(spec.detail):
            prepare_folder(folder / name)
        run = _Run(make_plan(held), folder, threads, progress, shard)
        run.repaired += repaired
        with _rare_collections():
            run.run(check, executor)
    return run.report(plan)


@contextmanager
def _rare_collections() -> Iterator[None]:
    """Let the garbage collector look at results less often: they all stay, and there is no garbage among them.

    With many small cells it takes a seventh of the time otherwise.
    """
    before = gc.get_threshold()
    gc.set_threshold(max(before[0], _COLLECT_AFTER), *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


class _Run:
    """One run of a sweep in a folder whose lock is held."""

    def __init__(
        self, plan: Plan, folder: Path, threads: int, progress: Progress | None, shard: tuple[int, int] | None
    ) -> None:
        self.plan = plan
        self.spec = plan.spec
        self.folder = folder
        self.threads = threads
        self.progress = progress
        self.shard = shard
        self.failed: dict[int, str] = {}
        self.repaired: list[str] = []
        self.played = 0
        self.checked = 0
        self.complete = False

    def run(self, check: int, executor: Executor | None) -> None:
        """Play what is missing, check a sample and sum up, unless all of that was done before."""
        ledger, problems = open_ledger(self.folder)
        self.repaired += problems + drop_unsound_parts(self.folder, ledger, self.spec.detail)
        self.complete = not self.repaired and is_finished(self.plan, self.folder, ledger, self.shard)
        if not self.complete:
            self._make_complete(ledger, check, executor)
        self.repaired += set_strangers_aside(self.folder, ledger, self.spec.detail)

    def _make_complete(self, ledger: Ledger, check: int, executor: Executor | None) -> None:
        started, clock = datetime.now(UTC), time.monotonic()
        self._withdraw_manifest()
        self._keep_own_parts(ledger)
        if self.progress is not None and not compiled_before():
            self.progress.compiling()
        self._play(ledger, executor, check)
        seconds = time.monotonic() - clock
        write_provenance(self.folder, started, seconds, self.threads, self.played, self.checked)
        # Last, because it says that the run is finished.
        finish_run(self.plan, self.folder, ledger, self.shard, self.failed)

    def _withdraw_manifest(self) -> None:
        path = self.folder / MANIFEST_NAME
        if os.path.lexists(path):
            with reported(path, "cannot be removed"):
                file_operations.unlink(path)

    def _keep_own_parts(self, ledger: Ledger) -> None:
        """Take parts out of the ledger that play other cells or seeds than this version would under their number.

        Raises:
            OutputError: they are parts of this sweep, but of another share of it.
        """
        found = {part_of_file(key) for key in ledger.entries}
        own: set[int] = set()
        for part in parts_of(self.plan) if found else ():
            if part.number not in found:
                continue
            if not _is_in_share(part, self.shard):
                raise OutputError(f"{self.folder}: holds another share of this sweep; choose another --output")
            if ledger.entries[part_file("histograms", part.number)].receipt.get("units") == units_digest(part):
                own.add(part.number)
        ledger.discard({key for key in ledger.entries if part_of_file(key) not in own})

    def _missing(self, ledger: Ledger) -> Iterator[Part]:
        """Yield the parts of this share that the ledger does not name."""
        kept = {part_of_file(key) for key in ledger.entries}
        return (part for part in _own_parts(self.plan, self.shard) if part.number not in kept)

    def _play(self, ledger: Ledger, executor: Executor | None, check: int) -> None:
        """Play what is missing, and meanwhile compare a sample with the scalar engine."""
        missing = self._missing(ledger)
        first = next(missing, None)
        if first is None:
            self.checked = check_sample(self.plan, check)
            return
        if self.progress is not None:
            done = sum(int(entry.receipt.get("plays", 0)) for entry in ledger.entries.values())
            total = sum(part.plays for part in _own_parts(self.plan, self.shard))
            self.progress.start(total, done)
        allow_start(str(self.folder))
        own = ThreadPoolExecutor(self.threads) if executor is None else None
        try:
            self._play_on(own or executor, ledger, missing, first, check)
        except BrokenExecutor as error:
            raise VecdecayError("a process that played parts has ended; the same command goes on from there") from error
        finally:
            if own is not None:
                own.shutdown(wait=False, cancel_futures=True)
            if self.progress is not None:
                self.progress.stop()

    def _play_on(
        self, executor: Executor | None, ledger: Ledger, missing: Iterator[Part], first: Part, check: int
    ) -> None:
        """Keep the executor busy, and enter finished parts into the ledger in their order."""
        if executor is None:
            raise TypeError("no executor")
        sweep = resolved_toml(self.spec)
        footer = tuple(sorted(footer_of(self.spec).items()))
        order: list[int] = []
        running: dict[Future[PartReceipt], int] = {}
        finished: dict[int, PartReceipt] = {}
        upcoming: Part | None = first
        unchecked = True
        try:
            while upcoming is not None or running:
                while upcoming is not None and len(order) < _PARTS_AHEAD * self.threads:
                    future = executor.submit(play_part, PartTask(sweep, upcoming, str(self.folder), footer))
                    running[future] = upcoming.number
                    order.append(upcoming.number)
                    upcoming = next(missing, None)
                if unchecked:
                    self.checked, unchecked = check_sample(self.plan, check), False
                failure: BaseException | None = None
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    number = running.pop(future)
                    failure = failure or future.exception()
                    if future.exception() is None:
                        finished[number] = future.result()
                while order and order[0] in finished:
                    self._enter(ledger, finished.pop(order.pop(0)))
                if failure is not None:
                    raise failure
        except BaseException:
            request_stop(str(self.folder))
            for future in running:
                future.cancel()
            wait(running, timeout=_PATIENCE_SECONDS)
            raise

    def _enter(self, ledger: Ledger, receipt: PartReceipt) -> None:
        ledger.extend(receipt.entries)
        self.failed |= dict(receipt.failed)
        self.played += receipt.plays
        if self.progress is not None:
            self.progress.advance(receipt.plays)

    def report(self, plan: Plan) -> RunReport:
        """Return what the run came to, under the name, title and note that were asked for."""
        labels = [entry.label for entry in self.spec.policies]
        failed = (FailedCell(cell, labels[cell % len(labels)], error) for cell, error in sorted(self.failed.items()))
        engines = {chosen_engine(self.spec.engine, entry.policy) for entry in self.spec.policies}
        return RunReport(
            spec=plan.spec,
            plan=plan,
            folder=self.folder,
            engine_names=tuple(sorted(engines)),
            threads=self.threads,
            num_sessions=self.plan.num_cells * len(self.spec.seeds),
            num_cells=self.plan.num_cells,
            checked_sessions=self.checked,
            already_complete=self.complete,
            failed=tuple(failed),
            repaired=tuple(self.repaired),
            shard=self.shard,
        )


def _own_parts(plan: Plan, shard: tuple[int, int] | None) -> Iterator[Part]:
    """Yield the parts of a share: every n-th part, so that shares are of one size whatever the sweep."""
    return (part for part in parts_of(plan) if _is_in_share(part, shard))


def _is_in_share(part: Part, shard: tuple[int, int] | None) -> bool:
    return shard is None or part.number % shard[1] == shard[0] - 1
