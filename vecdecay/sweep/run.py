"""Runs a sweep: plays its parts, enters each into the ledger when its files are on the disk, and sums up at the end.

It may die at any instant: what the ledger names is kept, the rest is made again. Parts are entered in their order, so
that two undisturbed runs leave the same bytes, however many threads played them.
"""

import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from vecdecay.accelerate import compiled_before
from vecdecay.engines.play import chosen_engine
from vecdecay.store.atomic import prepare_folder
from vecdecay.store.cells import CellResult
from vecdecay.store.ledger import Ledger
from vecdecay.store.lock import lock_folder
from vecdecay.store.manifest import MANIFEST_NAME
from vecdecay.sweep.check import SESSIONS_TO_CHECK, check_sample
from vecdecay.sweep.definition import SweepSpec
from vecdecay.sweep.finish import finish_run, is_finished
from vecdecay.sweep.folder import claim, drop_unsound_parts, move_aside, open_ledger, part_folders, set_strangers_aside
from vecdecay.sweep.parts import Part, parts_of
from vecdecay.sweep.plan import Plan, make_plan
from vecdecay.sweep.play_part import PartReceipt, PartTask, allow_start, entry_key, kept_tables, play_part, request_stop
from vecdecay.sweep.provenance import footer_of, write_provenance
from vecdecay.sweep.resolved import resolved_toml
from vecdecay.sweep.results import cell_results
from vecdecay.threads import available_processors

_PARTS_AHEAD = 2  # per thread: submitted, but not finished
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
        shard: (k, n) plays the k-th of n shares, k from 1; the shares are joined by :func:`vecdecay.sweep.merge.merge`.
        executor: where parts are played, anything with ``submit``; threads of this process if None.

    Raises:
        OutputError: the folder cannot be written, holds another sweep, or another run is writing to it.
        MismatchError: a kernel and the scalar reference disagree.
    """
    plan = make_plan(spec)
    threads = threads or available_processors()
    if force and folder.exists() and not is_finished(plan, folder):
        move_aside(folder)
    prepare_folder(folder)
    with lock_folder(folder):
        claim(folder, spec)
        for name in part_folders(spec):
            prepare_folder(folder / name)
        run = _Run(plan, folder, threads, progress, shard)
        return run.run(check, executor)


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
        self.played = 0

    def run(self, check: int, executor: Executor | None) -> RunReport:
        """Play what is missing, check a sample, sum up, and report."""
        started, clock = datetime.now(UTC), time.monotonic()
        with open_ledger(self.folder) as ledger:
            repaired = drop_unsound_parts(self.folder, ledger) + set_strangers_aside(self.folder, self.plan)
            missing = self._missing(ledger)
            first = next(missing, None)
            complete = first is None and not repaired and is_finished(self.plan, self.folder)
            checked = 0
            if not complete:
                (self.folder / MANIFEST_NAME).unlink(missing_ok=True)
                if self.progress is not None and not compiled_before():
                    self.progress.compiling()
                checked = check_sample(self.plan, check)
                self._play(ledger, missing, first, executor)
                finish_run(self.plan, self.folder, ledger, self.shard, self.failed)
                write_provenance(self.folder, started, time.monotonic() - clock, self.threads, self.played, checked)
        return self._report(checked, complete, repaired)

    def _missing(self, ledger: Ledger) -> Iterator[Part]:
        """Yield the parts of this share that the ledger does not name."""
        names = [*kept_tables(self.spec.detail), "totals"]
        for part in _own_parts(self.plan, self.shard):
            if any(entry_key(name, part.number) not in ledger.entries for name in names):
                yield part

    def _play(self, ledger: Ledger, missing: Iterator[Part], first: Part | None, executor: Executor | None) -> None:
        if first is None:
            return
        total = self.plan.num_cells * len(self.spec.seeds) // (self.shard[1] if self.shard else 1)
        done = sum(int(entry.receipt.get("plays", 0)) for entry in ledger.entries.values())
        if self.progress is not None:
            self.progress.start(total, min(done, total))
        folder = str(self.folder)
        allow_start(folder)
        own = ThreadPoolExecutor(self.threads) if executor is None else None
        try:
            self._play_on(own or executor, ledger, missing, first)
        except BaseException:
            request_stop(folder)
            if own is not None:
                own.shutdown(wait=False, cancel_futures=True)
            raise
        finally:
            if self.progress is not None:
                self.progress.stop()
        if own is not None:
            own.shutdown()

    def _play_on(self, executor: Executor | None, ledger: Ledger, missing: Iterator[Part], first: Part) -> None:
        """Keep the executor busy, and enter finished parts into the ledger in their order."""
        if executor is None:
            raise TypeError("no executor")
        sweep = resolved_toml(self.spec)
        footer = tuple(sorted(footer_of(self.spec).items()))
        order: list[int] = []
        running: dict[Future[PartReceipt], int] = {}
        finished: dict[int, PartReceipt] = {}
        upcoming: Part | None = first
        try:
            while upcoming is not None or running:
                while upcoming is not None and len(order) < _PARTS_AHEAD * self.threads:
                    future = executor.submit(play_part, PartTask(sweep, upcoming, str(self.folder), footer))
                    running[future] = upcoming.number
                    order.append(upcoming.number)
                    upcoming = next(missing, None)
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    finished[running.pop(future)] = future.result()
                while order and order[0] in finished:
                    self._enter(ledger, finished.pop(order.pop(0)))
        except BaseException:
            request_stop(str(self.folder))
            wait(running, timeout=_PATIENCE_SECONDS)
            raise

    def _enter(self, ledger: Ledger, receipt: PartReceipt) -> None:
        ledger.extend(receipt.entries)
        self.failed |= dict(receipt.failed)
        self.played += receipt.plays
        if self.progress is not None:
            self.progress.advance(receipt.plays)

    def _report(self, checked: int, complete: bool, repaired: list[str]) -> RunReport:
        engines = {chosen_engine(self.spec.engine, entry.policy) for entry in self.spec.policies}
        failed = tuple(
            FailedCell(cell, self.plan.cell(cell).label, error) for cell, error in sorted(self.failed.items())
        )
        return RunReport(
            spec=self.spec,
            plan=self.plan,
            folder=self.folder,
            engine_names=tuple(sorted(engines)),
            threads=self.threads,
            num_sessions=self.plan.num_cells * len(self.spec.seeds),
            num_cells=self.plan.num_cells,
            checked_sessions=checked,
            already_complete=complete,
            failed=failed,
            repaired=tuple(repaired),
            shard=self.shard,
        )


def _own_parts(plan: Plan, shard: tuple[int, int] | None) -> Iterator[Part]:
    """Yield the parts of a share: every n-th part, so that shares are of one size whatever the sweep."""
    for part in parts_of(plan):
        if shard is None or part.number % shard[1] == shard[0] - 1:
            yield part
