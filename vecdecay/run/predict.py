"""What a run would take, from arithmetic and a few measured constants; nothing is played."""

import math
from dataclasses import dataclass

import pyarrow as pa

from vecdecay.analysis.cell import summarised_names
from vecdecay.engines.kernels.published_kernel import GROUP
from vecdecay.engines.memory import block_bytes
from vecdecay.engines.registry import chosen_engine
from vecdecay.policies.base import TablePolicy
from vecdecay.run import blocks
from vecdecay.run.blocks import sessions_per_block, streams
from vecdecay.run.check import Candidate, affordable, candidates
from vecdecay.run.distinct import count_different_cells
from vecdecay.run.parts import (
    CELLS_PER_BAND,
    CELLS_SIDE_BY_SIDE,
    MAX_CELLS_PER_PART,
    largest_workload,
    plays_per_part,
)
from vecdecay.run.plan import Plan, make_plan
from vecdecay.run.play import COUNTED_TOGETHER
from vecdecay.run.scalar_cost import num_rhythms, table_entries, table_seconds
from vecdecay.sessions.source import Source
from vecdecay.store.tables import TABLES, block_tables, rows_per_session
from vecdecay.sweepfile.model import WORKLOAD, PolicyEntry, SweepSpec
from vecdecay.threads import available_processors

# Measured with NumPy 2.4, Numba 0.68, PyArrow 26 on Linux: peaks of whole processes.
_PROCESS_BYTES = 265_000_000  # the program with its kernels loaded, a sweep of two cells and ten seeds played
_BYTES_PER_CELL = 4_000  # of a band: results and the table made of them
_BYTES_PER_DISTRIBUTION_ROW = 130  # of the cells of a part: played, written, read and summed up
_BYTES_PER_THREAD = 6_000_000
_COUNTED_BYTES_PER_CELL = 1_000_000  # the kernel's table, where it counts
_STREAMED_BYTES_PER_DRAW = 12  # of a group of sessions: the draw, and the turn that it becomes
_STREAMED_BYTES_PER_SESSION = 120  # and policy, where they are not counted: its totals
# Of a block that is held while the next one is made; half as much again that the allocator does not give back.
_GENERATED_BYTES = {"listed_items": 25, "touches": 8}
_BATCH_BYTES_PER_ROW = {"items": 50, "turns": 52}  # of a block, while its rows are made
_BYTES_PER_RHYTHM = 460  # its steps, as Python objects
_NUM_COPIES = 3  # of the workload: that of the caller, of the run folder, of those who play parts
_MOST_KEPT = 4096  # workloads, and tables, that are remembered
_BYTES_PER_TABLE_ENTRY = 48  # a horizon, a stability as a Python object
_BYTES_PER_NEW_TABLE_ENTRY = 64  # more of them, while the table is made and played
_HELD_PER_ROW_BYTE = 1.3  # rows are held once as Arrow columns, and once as the file that they become

# Measured on one core at 2.5 GHz, in nanoseconds.
_START_NS = 1.5e9
_NS_PER_CELL = 250_000
_NS_PER_DRAW = 8
_NS_PER_TOUCH = 3
_NS_PER_DRAWN_TOUCH = 15  # generated, by a workload whose draws have addresses
_NS_PER_ITEM_LOCKSTEP = 4
_NS_PER_ITEM_TURN_REFERENCE = 40
_NS_PER_ROW = {"sessions": 250, "items": 80, "turns": 60}

_FILE_BYTES_PER_ROW = {"sessions": 3.0, "items": 0.5, "turns": 0.2}
_FILE_BYTES_PER_CELL = 100
_FILE_BYTES = 12_000  # of each file: schema and footer

_MOST_VALUES = 80
_MOST_CELLS_LOOKED_AT = 200_000


@dataclass(frozen=True)
class Prediction:
    """What a run would take.

    ``distinct_cells`` are played, the others of ``cells`` copied from them; ``sessions`` are those of all cells;
    ``rows`` are those of all tables that are kept beside the histograms, and of the cells table. ``memory_bytes`` is
    the peak of the whole process.
    """

    cells: int
    distinct_cells: int
    sessions: int
    rows: int
    disk_bytes: int
    memory_bytes: int
    seconds: float


def predict(spec: SweepSpec, threads: int | None = None) -> Prediction:
    """Return what the sweep would take with so many threads; as many as there are processors if None.

    Peaks are within 15 % of the truth for table policies on published sessions, and bounds elsewhere; the time is that
    of a quiet machine, within a factor of two.
    """
    plan = make_plan(spec)
    threads = threads or available_processors()
    distinct = _distinct_cells(plan)
    sizes = spec.workload.sizes()
    rows = {name: rows_per_session(name, sizes) * plan.num_sessions for name in block_tables(spec.detail)}
    parts = math.ceil(plan.num_sessions / _plays_at_once(plan))
    checked = affordable(candidates(plan))
    return Prediction(
        cells=plan.num_cells,
        distinct_cells=distinct,
        sessions=plan.num_sessions,
        rows=plan.num_cells + sum(rows.values()),
        disk_bytes=_disk_bytes(plan, rows, parts),
        memory_bytes=_memory_bytes(plan, min(threads, parts), checked),
        seconds=_seconds(plan, distinct, rows, threads, checked),
    )


def _distinct_cells(plan: Plan) -> int:
    """Return how many cells are played; where it would take long to find out, all of them."""
    kinds = [type(entry.policy) for entry in plan.spec.policies]
    by_arithmetic = plan.spec.combine == "grid" and len(set(kinds)) == len(kinds)
    return count_different_cells(plan) if by_arithmetic or plan.num_cells <= _MOST_CELLS_LOOKED_AT else plan.num_cells


def _plays_at_once(plan: Plan) -> int:
    """Return how many sessions a part plays."""
    cells = min(plan.num_cells, MAX_CELLS_PER_PART)
    return min(plays_per_part(plan.spec), cells * len(plan.spec.seeds))


def _disk_bytes(plan: Plan, rows: dict[str, int], parts: int) -> int:
    of_rows = sum(_FILE_BYTES_PER_ROW[name] * count for name, count in rows.items())
    return round(of_rows + _FILE_BYTES_PER_CELL * plan.num_cells + _FILE_BYTES * (1 + parts * (1 + len(rows))))


def _memory_bytes(plan: Plan, threads: int, checked: list[Candidate]) -> int:
    """Return the peak: the process, a band of cells, tables of policies, the check of a sample, and for each thread
    the rows of its part and the block at hand.
    """
    spec = plan.spec
    workload = largest_workload(spec)
    sizes = workload.sizes()
    plays = _plays_at_once(plan)
    held = sum(
        plays * rows_per_session(name, sizes) * _row_bytes(TABLES[name].schema(plan.layout))
        for name in block_tables(spec.detail)
    )
    entries = {entry.label: _table_entries(plan, workload, entry) for entry in spec.policies}
    newest = max(largest for _, largest in entries.values())
    block, batch = _block_bytes(plan)
    rows_held = max(held + batch, _HELD_PER_ROW_BYTE * held)  # while the last rows are made, or all are written
    each = _BYTES_PER_THREAD + block + rows_held + _BYTES_PER_NEW_TABLE_ENTRY * newest
    tables = _BYTES_PER_TABLE_ENTRY * sum(kept for kept, _ in entries.values())
    workloads = min(_MOST_KEPT, _num_variants(plan, WORKLOAD))
    rhythms = _BYTES_PER_RHYTHM * num_rhythms(workload) * (_NUM_COPIES + (workloads if workloads > 1 else 0))
    # Metrics of small cells have half as many values as there are seeds, as long as these are few.
    values = len(summarised_names(spec.checkpoints)) * min(len(spec.seeds), _MOST_VALUES) // 2
    distributions = min(plan.num_cells, MAX_CELLS_PER_PART) * values * _BYTES_PER_DISTRIBUTION_ROW
    band = _BYTES_PER_CELL * min(plan.num_cells, CELLS_PER_BAND)
    check = max((_check_bytes(spec, one) for one in checked), default=0)
    return round(_PROCESS_BYTES + band + distributions + tables + rhythms + check + threads * each)


def _num_variants(plan: Plan, *labels: str) -> int:
    """Return how many combinations of values the axes of these labels have."""
    sizes = [len(axis.values) for axis in plan.spec.axes if axis.label in labels]
    return math.prod(sizes) if plan.spec.combine == "grid" or not sizes else plan.num_points


def _table_entries(plan: Plan, workload: Source, entry: PolicyEntry) -> tuple[int, int]:
    """Return the entries of the tables that are remembered of a policy, and those of one with its values."""
    if not isinstance(entry.policy, TablePolicy):
        return 0, 0
    entries = table_entries(workload, entry.policy)
    return entries * min(_MOST_KEPT, _num_variants(plan, WORKLOAD, entry.label)), entries


def _check_bytes(spec: SweepSpec, one: Candidate) -> int:
    """Return what it takes to check a session: its Python objects, and the block that it is for the kernel."""
    want_turns = spec.detail == "turns" or bool(spec.checkpoints)
    return one.cost.memory_bytes + block_bytes(one.cell.workload.sizes(), 1, True, True, want_turns)


def _block_bytes(plan: Plan) -> tuple[int, int]:
    """Return what the sessions take that a thread plays at a time, and what it takes to make rows of items or turns."""
    spec = plan.spec
    workload = largest_workload(spec)
    sizes = workload.sizes()
    policies = [entry.policy for entry in spec.policies]
    together = min(len(spec.seeds), sessions_per_block(plan, workload, policies))
    if streams(spec, workload, policies):
        draws = _STREAMED_BYTES_PER_DRAW * GROUP * sizes.draws
        if len(spec.seeds) <= blocks.BLOCK_MULTIPLE:
            return draws, 0
        if spec.detail == "cells":
            return draws + _COUNTED_BYTES_PER_CELL * min(plan.num_cells, COUNTED_TOGETHER), 0
        side_by_side = min(plan.num_cells, max(CELLS_SIDE_BY_SIDE, len(policies)))
        return draws + _STREAMED_BYTES_PER_SESSION * together * side_by_side, 0
    by_table = all(chosen_engine(spec.engine, policy) == "horizon" for policy in policies)
    want_items, want_turns = spec.detail == "items", spec.detail == "turns"
    most = block_bytes(sizes, together, not by_table, want_items, want_turns or bool(spec.checkpoints))
    if together < len(spec.seeds):
        most += together * sum(each * getattr(sizes, name) for name, each in _GENERATED_BYTES.items())
    rows = rows_per_session(spec.detail, sizes) if spec.detail in _BATCH_BYTES_PER_ROW else 0
    return most, together * rows * _BATCH_BYTES_PER_ROW.get(spec.detail, 0)


def _row_bytes(schema: pa.Schema) -> int:
    return sum(_bytes_of(field.type) + field.nullable for field in schema)


def _bytes_of(kind: pa.DataType) -> int:
    if pa.types.is_dictionary(kind):
        return 4
    return 28 if pa.types.is_string(kind) else max(1, kind.bit_width // 8)


def _seconds(plan: Plan, distinct: int, rows: dict[str, int], threads: int, checked: list[Candidate]) -> float:
    spec, workload = plan.spec, largest_workload(plan.spec)
    sizes = workload.sizes()
    play = {
        "horizon": _NS_PER_TOUCH * sizes.touches,
        "stateful": _NS_PER_ITEM_LOCKSTEP * sizes.items + _NS_PER_TOUCH * sizes.touches,
        "lockstep": _NS_PER_ITEM_LOCKSTEP * sizes.items + _NS_PER_TOUCH * sizes.touches,
        "reference": _NS_PER_ITEM_TURN_REFERENCE * sizes.turns * max(1, sizes.items),
    }
    per_policy = [play[chosen_engine(spec.engine, entry.policy)] for entry in spec.policies]
    points = max(1, distinct // len(per_policy))
    generated = _NS_PER_DRAW * sizes.draws if sizes.draws else _NS_PER_DRAWN_TOUCH * sizes.touches
    in_threads: float = len(spec.seeds) * (generated * max(1, points // 32) + points * sum(per_policy))
    in_threads += sum(_NS_PER_ROW[name] * count for name, count in rows.items())
    in_threads += 1e9 * points * sum(table_seconds(workload, entry.policy) for entry in spec.policies)
    check = 1e9 * sum(one.cost.seconds for one in checked)  # in a thread of its own, beside the others
    return float((_START_NS + _NS_PER_CELL * distinct + max(check, (check + in_threads) / threads)) / 1e9)
