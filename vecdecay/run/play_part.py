"""Plays one part and writes its files: the task that an executor is given. It returns receipts, never arrays."""

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import pyarrow as pa

from vecdecay.run.parts import Part
from vecdecay.run.plan import Plan, make_plan
from vecdecay.run.play_unit import Harvest, play_unit
from vecdecay.store.ledger import LedgerEntry
from vecdecay.store.parquet import write_part
from vecdecay.store.tables import TABLES, block_tables
from vecdecay.sweepfile.spec import parse_sweep

_stopping: set[str] = set()


def request_stop(folder: str) -> None:
    """Make the tasks of a run folder that share this process give up between two blocks and write nothing."""
    _stopping.add(folder)


def allow_start(folder: str) -> None:
    """Take the request back, before a run begins."""
    _stopping.discard(folder)


@dataclass(frozen=True)
class PartTask:
    """What a worker needs to know: the sweep as text, the part, and where its files go."""

    sweep: str
    part: Part
    folder: str
    footer: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class PartReceipt:
    """What a worker reports: the files that it wrote, and the cells that failed with their errors."""

    part: int
    plays: int
    entries: tuple[LedgerEntry, ...]
    failed: tuple[tuple[int, str], ...] = ()


@lru_cache(maxsize=4)
def _plan_of(sweep: str) -> Plan:
    return make_plan(parse_sweep(sweep, "sweep.toml"))


def part_file(table: str, number: int) -> str:
    """Return the path of a part's file below the run folder."""
    return f"{table}/part-{number:06d}.parquet"


def part_of_file(file: str) -> int:
    """Return the number of the part that a file belongs to.

    >>> part_of_file(part_file("sessions", 12))
    12
    """
    return int(Path(file).stem.rpartition("-")[2])


def units_digest(part: Part) -> str:
    """Return 16 digits that tell whether a part of another run plays the same cells and seeds.

    Another version of this program may cut a sweep elsewhere; its parts must not be taken for those of this one.
    """
    return hashlib.sha256(repr(part.units).encode()).hexdigest()[:16]


def play_part(task: PartTask) -> PartReceipt:
    """Play the sessions of a part, write its files, each at once or not at all, and return the receipt."""
    plan = _plan_of(task.sweep)
    harvest = Harvest(block_tables(plan.spec.detail))
    for unit in task.part.units:
        play_unit(plan, unit, harvest, lambda: task.folder in _stopping)
    failed = tuple(sorted(harvest.failed.items()))
    entries = [_written(task, name, harvest.table(name, plan.layout), {}) for name in harvest.kept]
    receipt = {"plays": task.part.plays, "failed": [list(one) for one in failed], "units": units_digest(task.part)}
    entries.append(_written(task, "histograms", TABLES["histograms"].rows(harvest.finished(), plan.layout), receipt))
    return PartReceipt(task.part.number, task.part.plays, tuple(entries), failed)


def _written(task: PartTask, name: str, table: pa.Table, receipt: dict[str, object]) -> LedgerEntry:
    file = part_file(name, task.part.number)
    written = write_part(Path(task.folder, file), table, dict(task.footer))
    return LedgerEntry(file, table.num_rows, written.bytes, written.sha256, receipt)
