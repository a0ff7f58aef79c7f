"""Plays one part and writes its files: the task that an executor is given. It returns receipts, never arrays."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa

from vecdecay.analysis.summaries import CellTallies
from vecdecay.engines.outcome import BlockOutcome
from vecdecay.engines.play import chosen_engine, play_block
from vecdecay.errors import VecdecayError
from vecdecay.policies.base import Policy
from vecdecay.sessions.block import SessionBlock
from vecdecay.sessions.mersenne import Seeds
from vecdecay.store.ledger import LedgerEntry
from vecdecay.store.parquet import write_part
from vecdecay.store.schema import items_schema, sessions_schema, turns_schema
from vecdecay.store.tables import item_batch, seeds_fit_64_bits, session_batch, turn_batch
from vecdecay.store.totals_table import totals_table
from vecdecay.sweep.definition import SweepSpec
from vecdecay.sweep.parts import BLOCK_MULTIPLE, Part, Unit
from vecdecay.sweep.plan import Plan, make_plan
from vecdecay.sweep.spec import parse_sweep

_stopping: set[str] = set()

LOCKSTEP_BLOCK = 1024


class StoppedError(VecdecayError):
    """The run was asked to end while the part was being played."""


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


@dataclass
class _Harvest:
    """What has come of a part so far."""

    tallies: dict[int, CellTallies] = field(default_factory=dict)
    failed: dict[int, str] = field(default_factory=dict)
    batches: dict[str, list[pa.RecordBatch]] = field(default_factory=dict)


@lru_cache(maxsize=4)
def _plan_of(sweep: str) -> Plan:
    return make_plan(parse_sweep(sweep, "sweep.toml"))


def kept_tables(detail: str) -> tuple[str, ...]:
    """Return the tables beside the totals that a part writes at this detail."""
    return {"cells": (), "sessions": ("sessions",)}.get(detail, ("sessions", detail))


def part_file(table: str, number: int) -> str:
    """Return the path of a part's file below the run folder."""
    return f"{table}/part-{number:06d}.parquet"


def entry_key(table: str, number: int) -> str:
    """Return the key under which a part's file stands in the ledger."""
    return f"{table}-{number:06d}"


def play_part(task: PartTask) -> PartReceipt:
    """Play the sessions of a part, write its files, each at once or not at all, and return the receipt."""
    plan = _plan_of(task.sweep)
    spec = plan.spec
    harvest = _Harvest(batches={name: [] for name in kept_tables(spec.detail)})
    for unit in task.part.units:
        _play_unit(plan, unit, harvest, task.folder)
    footer = dict(task.footer)
    tables = {
        name: pa.Table.from_batches(batches, schema=schema_of(name, spec)) for name, batches in harvest.batches.items()
    }
    finished = {cell: harvest.tallies[cell] for cell in sorted(harvest.tallies) if cell not in harvest.failed}
    tables["totals"] = totals_table(finished)
    receipt = {
        "plays": task.part.plays,
        "failed": [[cell, error] for cell, error in sorted(harvest.failed.items())],
    }
    entries = []
    for name, table in tables.items():
        path = Path(task.folder, part_file(name, task.part.number))
        written = write_part(path, table, footer)
        entries.append(
            LedgerEntry(
                part=entry_key(name, task.part.number),
                file=part_file(name, task.part.number),
                rows=table.num_rows,
                bytes=written.bytes,
                sha256=written.sha256,
                receipt=receipt if name == "totals" else {},
            )
        )
    return PartReceipt(task.part.number, task.part.plays, tuple(entries), tuple(sorted(harvest.failed.items())))


def schema_of(table: str, spec: SweepSpec) -> pa.Schema:
    """Return the schema of a part's table."""
    fit = seeds_fit_64_bits(spec.seeds)
    if table == "sessions":
        return sessions_schema(spec.checkpoints, fit)
    return items_schema(fit) if table == "items" else turns_schema(fit)


def _play_unit(plan: Plan, unit: Unit, harvest: _Harvest, folder: str) -> None:
    """Play a unit block by block; cells with equal policies are played once and their rows copied."""
    spec = plan.spec
    cells = [plan.cell(number) for number in unit.cells]
    cells_of: dict[Policy, list[int]] = {}
    for cell in cells:
        cells_of.setdefault(cell.policy, []).append(cell.number)
    rows: dict[str, dict[int, list[pa.RecordBatch]]] = {name: {} for name in harvest.batches}
    tallies = {policy: CellTallies(spec.checkpoints) for policy in cells_of}
    try:
        for seeds in _blocks(spec, unit, [cell.policy for cell in cells]):
            if folder in _stopping:
                raise StoppedError("stopped")
            block = cells[0].workload.block(seeds)
            for policy, numbers in cells_of.items():
                if numbers[0] not in harvest.failed:
                    _play_policy(spec, block, seeds, policy, numbers, tallies[policy], rows, harvest)
    except (ArithmeticError, LookupError, MemoryError, TypeError, ValueError) as error:
        harvest.failed |= dict.fromkeys(unit.cells, _in_one_line(error))
    for policy, numbers in cells_of.items():
        harvest.tallies |= dict.fromkeys(numbers, tallies[policy])
    for name, by_cell in rows.items():
        for number in unit.cells:
            if number not in harvest.failed:
                harvest.batches[name].extend(by_cell[number])


def _play_policy(
    spec: SweepSpec,
    block: SessionBlock,
    seeds: Seeds,
    policy: Policy,
    numbers: list[int],
    tallies: CellTallies,
    rows: dict[str, dict[int, list[pa.RecordBatch]]],
    harvest: _Harvest,
) -> None:
    try:
        outcome = play_block(
            block, policy, spec.engine, spec.checkpoints, spec.detail == "items", spec.detail == "turns"
        )
        tallies.add(outcome)
        for name, by_cell in rows.items():
            for number in numbers:
                by_cell.setdefault(number, []).append(_batch(name, number, seeds, outcome, spec))
    except (ArithmeticError, LookupError, MemoryError, TypeError, ValueError) as error:
        harvest.failed |= dict.fromkeys(numbers, _in_one_line(error))


def _batch(table: str, cell: int, seeds: Seeds, outcome: BlockOutcome, spec: SweepSpec) -> pa.RecordBatch:
    schema: Any = schema_of(table, spec)
    if table == "sessions":
        return session_batch(cell, seeds, outcome, spec.checkpoints, schema)
    if table == "items":
        return item_batch(cell, seeds, outcome, schema)
    return turn_batch(cell, seeds, outcome, schema)


def sessions_per_block(spec: SweepSpec, policies: list[Policy]) -> int:
    """Return how many sessions are played together."""
    by_table = all(chosen_engine(spec.engine, policy) == "horizon" for policy in policies)
    return BLOCK_MULTIPLE if by_table and spec.detail in ("cells", "sessions") else LOCKSTEP_BLOCK


def _blocks(spec: SweepSpec, unit: Unit, policies: list[Policy]) -> Iterator[Seeds]:
    step = sessions_per_block(spec, policies)
    for first in range(unit.first, unit.last, step):
        yield spec.seeds[first : min(first + step, unit.last)]


def _in_one_line(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:500]
