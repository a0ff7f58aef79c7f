"""Runs a sweep: plays its parts, enters each into the ledger when its files are on the disk, and sums up at the end.

It may die at any instant: what the ledger names is kept, the rest is made again. Parts are entered in their order, so
that two undisturbed runs leave the same bytes, however many threads played them.
"""

import gc
import os
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import BrokenExecutor, Executor, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any

from vecdecay.compile import compiled_before
from vecdecay.errors import InvalidInputError, OutputError, VecdecayError
from vecdecay.parameters import brief
from vecdecay.run.check import SESSIONS_TO_CHECK, check_sample
from vecdecay.run.execute import PARTS_AHEAD, execute
from vecdecay.run.finish import finish_run, is_finished
from vecdecay.run.folder import claim, drop_unsound_parts, make_room, open_ledger, set_untracked_aside
from vecdecay.run.open_run import Run, failed_cells
from vecdecay.run.parts import Part, is_in_share, own_parts, parts_of
from vecdecay.run.plan import Plan, make_plan
from vecdecay.run.progress import Progress, progress_of
from vecdecay.run.provenance import footer_of, write_provenance
from vecdecay.run.sinks import ParquetSink, PartReceipt, part_file, part_of_file, units_digest
from vecdecay.store.files import file_operations, prepare_folder, remove_leftovers, reported
from vecdecay.store.ledger import Ledger
from vecdecay.store.lock import lock_folder
from vecdecay.store.manifest import MANIFEST_NAME
from vecdecay.store.tables import part_tables
from vecdecay.sweepfile.files import find_sweep
from vecdecay.sweepfile.model import SweepSpec
from vecdecay.sweepfile.spec import load_sweep, parse_sweep
from vecdecay.threads import available_processors

_ROOM_MARGIN = 1.1  # what is left is known to some per cent from the first part on
_COLLECT_AFTER = 100_000  # objects


def sweep(
    sweep: str | os.PathLike[str] | Mapping[str, Any] | SweepSpec,
    output: str | os.PathLike[str] | None = None,
    *,
    set: Mapping[str, Any] | None = None,
    threads: int | None = None,
    executor: Executor | str | None = None,
    progress: Progress | bool = False,
    shard: tuple[int, int] | None = None,
    force: bool = False,
    precision: float | None = None,
) -> Run:
    """Run a sweep into a folder of Parquet files, or finish what an earlier call has begun there.

    Args:
        sweep: a sweep file, or the name of one that ``vecdecay list`` shows, or a dictionary with the keys of such a
            file, or a sweep that was read before.
        output: the run folder; ``output/NAME`` if None.
        set: what is to be different: ``{"seeds": 1000, "ebbinghaus.eviction_threshold": [0.1, 0.2]}``. Several values
            make an axis.
        threads: how many parts are played at once; as many as there are processors if None.
        executor: where parts are played, anything with ``submit``, such as a pool of processes; threads if None.
            ``"processes"`` starts ``threads`` processes, ``"dask://HOST:PORT"`` plays on the workers of a Dask cluster.
        progress: True for a bar on a terminal or in a notebook, and for a line now and then elsewhere; or an object
            of your own with the methods of :class:`vecdecay.run.progress.Progress`.
        shard: (k, n) plays the k-th of n shares, k from 1; ``vecdecay merge`` joins them.
        force: move a folder that holds something else aside, never deleting it.
        precision: play as many seeds as make the 95 % intervals of hit rate and recall rate so narrow in every cell,
            ± ``precision``; a pilot of 1,000 sessions or more finds the number.

    Raises:
        InvalidInputError: names everything that is wrong with the sweep.
        OutputError: the folder cannot be written, holds another sweep, or another run is writing to it.
        MismatchError: a kernel and the scalar reference disagree.
    """
    if isinstance(sweep, SweepSpec):
        if set:
            raise InvalidInputError([f"set is {brief(set)}; allowed with a sweep file, not with a sweep that was read"])
        spec = sweep
    elif isinstance(sweep, Mapping):
        spec = parse_sweep(sweep, overrides=set or {})
    else:
        spec = load_sweep(find_sweep(sweep), set or {})
    folder, shown = Path("output", spec.name) if output is None else Path(output), progress_of(progress)
    if precision is not None:
        from vecdecay.run.precision import with_precision

        spec = with_precision(spec, precision, threads or available_processors(), shown)
    return run_sweep(spec, folder, threads=threads, progress=shown, force=force, shard=shard, executor=executor)


def run_sweep(
    spec: SweepSpec,
    folder: Path,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    force: bool = False,
    check: int = SESSIONS_TO_CHECK,
    shard: tuple[int, int] | None = None,
    executor: Executor | str | None = None,
) -> Run:
    """Run a sweep that was read, as :func:`sweep` does; ``check`` sessions are computed by the scalar reference too."""
    if isinstance(executor, str):
        from vecdecay.run.where import workers_at

        with workers_at(executor, threads or available_processors()) as workers:
            return _run(spec, folder, workers.count, progress, force, check, shard, workers, workers.sink)
    return _run(spec, folder, threads or available_processors(), progress, force, check, shard, executor, None)


def _run(
    spec: SweepSpec,
    folder: Path,
    threads: int,
    progress: Progress | None,
    force: bool,
    check: int,
    shard: tuple[int, int] | None,
    executor: Executor | None,
    sink_at: Callable[[ParquetSink], ParquetSink] | None,
) -> Run:
    plan = make_plan(spec)
    if force:
        make_room(folder, spec)
    prepare_folder(folder)
    with lock_folder(folder):
        held, repaired = claim(folder, spec)
        for name in part_tables(spec.detail):
            prepare_folder(folder / name)
        run = _Writer(plan if held is spec else make_plan(held), folder, threads, progress, shard, sink_at)
        run.repaired += repaired
        with _rare_collections():
            run.run(check, executor)
    # Under the name, title and note that were asked for.
    return Run(
        folder=folder,
        spec=spec,
        shard=shard,
        failed=failed_cells(spec, run.failed),
        threads=threads,
        checked_sessions=run.checked,
        already_complete=run.complete,
        repaired=tuple(run.repaired),
    )


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


def _refuse_too_much(folder: Path, expected_bytes: int) -> None:
    """Refuse what is left of a run where the disk has no room for it, going by the parts that are written.

    Raises:
        OutputError: with both sizes.
    """
    from rich.filesize import decimal

    with reported(folder, "cannot be read"):
        free = file_operations.free_bytes(folder)
    if expected_bytes > free * _ROOM_MARGIN:
        raise OutputError(
            f"{folder}: about {decimal(expected_bytes)} more would be written and {decimal(free)} are free; "
            "make room, and the same command resumes it, or keep less with --detail"
        )


class _Writer:
    """One run of a sweep in a folder whose lock is held."""

    def __init__(
        self,
        plan: Plan,
        folder: Path,
        threads: int,
        progress: Progress | None,
        shard: tuple[int, int] | None,
        sink_at: Callable[[ParquetSink], ParquetSink] | None,
    ) -> None:
        self.plan = plan
        self.spec = plan.spec
        self.folder = folder
        self.threads = threads
        self.progress = progress
        self.shard = shard
        self.sink_at = sink_at
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
        self.repaired += set_untracked_aside(self.folder, ledger, self.spec.detail)

    def _make_complete(self, ledger: Ledger, check: int, executor: Executor | None) -> None:
        started, clock = datetime.now(UTC), time.monotonic()
        self._withdraw_manifest()
        self._keep_own_parts(ledger)
        if self.progress is not None and not compiled_before():
            self.progress.compiling()
        self._play(ledger, executor, check)
        for name in part_tables(self.spec.detail) if executor is not None else ():
            remove_leftovers(self.folder / name)  # of processes that ended while they wrote
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
            if not is_in_share(part, self.shard):
                raise OutputError(f"{self.folder}: holds another share of this sweep; choose another --output")
            if ledger.entries[part_file("histograms", part.number)].receipt.get("units") == units_digest(part):
                own.add(part.number)
        ledger.discard({key for key in ledger.entries if part_of_file(key) not in own})

    def _missing(self, ledger: Ledger) -> Iterator[Part]:
        """Yield the parts of this share that the ledger does not name."""
        kept = {part_of_file(key) for key in ledger.entries}
        return (part for part in own_parts(self.plan, self.shard) if part.number not in kept)

    def _play(self, ledger: Ledger, executor: Executor | None, check: int) -> None:
        """Play what is missing, and meanwhile compare a sample with the scalar engine."""
        missing = self._missing(ledger)
        first = next(missing, None)
        total = sum(part.plays for part in own_parts(self.plan, self.shard)) if first is not None else 0
        done = sum(int(entry.receipt.get("plays", 0)) for entry in ledger.entries.values())
        if first is not None and self.progress is not None:
            self.progress.start(total, done)
        written = 0

        def enter(receipt: PartReceipt) -> None:
            ledger.extend(receipt.entries)
            self.failed.update(receipt.failed)
            self.played += receipt.plays
            nonlocal written
            written += sum(one.bytes for one in receipt.entries)
            _refuse_too_much(self.folder, written * (total - done - self.played) // max(1, self.played))
            if self.progress is not None:
                self.progress.advance(receipt.plays)

        sink = ParquetSink(self.folder, footer_of(self.spec), enter)
        if self.sink_at is not None:
            sink = self.sink_at(sink)
        # Both in threads of their own, so that this one answers a signal at once, whatever they are doing.
        beside = ThreadPoolExecutor(1)
        own = ThreadPoolExecutor(self.threads) if executor is None else executor
        try:
            checking = [beside.submit(check_sample, self.plan, check)] if check else []
            parts = () if first is None else chain((first,), missing)
            execute(self.plan, parts, sink, own, PARTS_AHEAD * self.threads, checking)
            self.checked = sum(one.result() for one in checking)
        except BrokenExecutor as error:
            raise VecdecayError("a process that played parts has ended; the same command resumes it") from error
        finally:
            beside.shutdown(wait=False, cancel_futures=True)
            if executor is None:
                own.shutdown(wait=False, cancel_futures=True)
            if first is not None and self.progress is not None:
                self.progress.stop()
