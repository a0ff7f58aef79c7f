"""How much memory a run takes at most, from the sizes of its arrays and tables; nothing is generated or played."""

import math
from functools import lru_cache

from vecdecay.analysis.cell import summarised_names
from vecdecay.engines.kernels.published_kernel import GROUP
from vecdecay.engines.lookup import relevant
from vecdecay.engines.registry import block_bytes, chosen_engine
from vecdecay.items import DEFAULT_ATTRIBUTES, Attributes
from vecdecay.policies.base import TablePolicy
from vecdecay.run import blocks
from vecdecay.run.blocks import sessions_per_block, streams
from vecdecay.run.check import MOST_OBJECTS
from vecdecay.run.parts import (
    CELLS_PER_BAND,
    CELLS_SIDE_BY_SIDE,
    MAX_CELLS_PER_PART,
    largest_workload,
    plays_at_once,
)
from vecdecay.run.plan import REMEMBERED_BYTES, Plan
from vecdecay.run.play import COUNTED_TOGETHER
from vecdecay.sessions.mixture import Mixture
from vecdecay.sessions.published import PublishedSessions
from vecdecay.sessions.seeded import SeededWorkload
from vecdecay.sessions.source import Sizes, Source
from vecdecay.sessions.steps import most_of_poisson
from vecdecay.store.columns import row_bytes
from vecdecay.store.tables import TABLES, block_tables, rows_per_session
from vecdecay.sweepfile.model import WORKLOAD, PolicyEntry
from vecdecay.sweepfile.trace_file import MOST_VARIANTS

# Measured with NumPy 2.4, Numba 0.68, PyArrow 26 on Linux: what is not an array of known size.
_PROCESS_BYTES = 265_000_000  # the program with its kernels loaded, a sweep of two cells and ten seeds played
_BYTES_PER_CELL = 4_000  # of a band: results and the table made of them
_BYTES_PER_HISTOGRAM_ROW = 130  # of the cells of a part: played, written, read and summed up
_BYTES_PER_THREAD = 6_000_000
_BYTES_PER_OBJECT = 750  # of a session that is checked: an item, an event or a turn in Python
_BYTES_PER_RHYTHM = 460  # its steps, as Python objects
_BYTES_PER_TABLE_ENTRY = 48  # a horizon, a stability as a Python object
_BYTES_PER_NEW_TABLE_ENTRY = 64  # more of them, while the table is made and played
_HELD_PER_ROW_BYTE = 1.3  # rows are held once as Arrow columns, and once as the file that they become

_COUNTED_BYTES_PER_CELL = 170_000  # the two tables of the kernel, where it counts
_STREAMED_BYTES_PER_DRAW = 12  # of a group of sessions: the draw, and the turn that it becomes
_STREAMED_BYTES_PER_SESSION = 120  # and policy, where they are not counted: its totals
# Of a block that is held while the next one is made; half as much again that the allocator does not give back.
_GENERATED_BYTES = {"listed_items": 25, "touches": 8}
_BATCH_BYTES_PER_ROW = {"items": 50, "turns": 52, "misses": 52}  # of a block, while its rows are made


_NUM_COPIES = 3  # of the workload: that of the caller, of the run folder, of those who play parts
_MOST_KEPT = 4096  # workloads, and tables, that are remembered
_MOST_VALUES = 80


def memory_bytes(plan: Plan, threads: int) -> int:
    """Return the peak of the whole process: what is loaded, a log, a band of cells, tables of policies, the check of a
    sample, and for each thread the rows of its part and the block at hand.
    """
    spec = plan.spec
    workload = largest_workload(spec)
    sizes = workload.sizes()
    plays = plays_at_once(plan)
    held = sum(
        plays * rows_per_session(name, sizes) * row_bytes(TABLES[name].schema(plan.layout), plan.seed_text)
        for name in block_tables(spec.detail)
    )
    entries = {entry.label: _table_entries(plan, workload, entry) for entry in spec.policies}
    newest = max(largest for _, largest in entries.values())
    block, batch = _block_bytes(plan, workload)
    rows_held = max(held + batch, _HELD_PER_ROW_BYTE * held)  # while the last rows are made, or all are written
    each = _BYTES_PER_THREAD + block + rows_held + _BYTES_PER_NEW_TABLE_ENTRY * newest
    tables = _BYTES_PER_TABLE_ENTRY * sum(kept for kept, _ in entries.values())
    workloads = min(_MOST_KEPT, _num_variants(plan, WORKLOAD))
    rhythms = _BYTES_PER_RHYTHM * num_rhythms(workload) * (_NUM_COPIES + (workloads if workloads > 1 else 0))
    # Metrics of small cells have half as many values as there are seeds, as long as these are few.
    values = len(summarised_names(plan.layout.beside)) * min(len(spec.seeds), _MOST_VALUES) // 2
    histograms = min(plan.num_cells, MAX_CELLS_PER_PART) * values * _BYTES_PER_HISTOGRAM_ROW
    band = _BYTES_PER_CELL * min(plan.num_cells, CELLS_PER_BAND)
    remembered = 0
    if plan.may_repeat and streams(spec, workload, [entry.policy for entry in spec.policies]):
        remembered = min(REMEMBERED_BYTES, plan.num_cells * (values * 16 + 2000))
    band += workload.held_bytes * min(MOST_VARIANTS + 1, workloads)
    return round(
        _PROCESS_BYTES + band + histograms + remembered + tables + rhythms + _check_bytes(plan, sizes) + threads * each
    )


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


def _check_bytes(plan: Plan, sizes: Sizes) -> int:
    """Return what it takes to check a session: its Python objects, and the block that it is for the kernel."""
    objects = sizes.items + sizes.touches + sizes.turns
    engines = {chosen_engine(plan.spec.engine, entry.policy) for entry in plan.spec.policies}
    if objects > MOST_OBJECTS or engines == {"reference"}:
        return 0
    want_turns = plan.spec.detail == "turns" or bool(plan.spec.checkpoints)
    return _BYTES_PER_OBJECT * objects + block_bytes(sizes, 1, True, True, want_turns, plan.spec.detail == "misses")


def _block_bytes(plan: Plan, workload: Source) -> tuple[int, int]:
    """Return what the sessions take that a thread plays at a time, and what it takes to make their rows."""
    spec, sizes = plan.spec, workload.sizes()
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
    want_turns = want_turns or bool(spec.checkpoints)
    most = block_bytes(sizes, together, not by_table, want_items, want_turns, spec.detail == "misses")
    if together < len(spec.seeds):
        most += together * sum(each * getattr(sizes, name) for name, each in _GENERATED_BYTES.items())
    rows = rows_per_session(spec.detail, sizes) if spec.detail in _BATCH_BYTES_PER_ROW else 0
    return most, together * rows * _BATCH_BYTES_PER_ROW.get(spec.detail, 0)


def table_entries(workload: Source, policy: TablePolicy) -> int:
    """Return a bound on the entries of the policy's tables: the recalls of an item times the kinds of items."""
    kinds = {relevant(policy, one) for one in _met(workload)}
    return len(kinds) * (most_recalls(workload) + 1)


def most_recalls(workload: Source) -> int:
    """Return a bound on the recalls of any one item, as kernels use it: rounded up to a power of two where random.

    Like the bounds in ``sizes``, it is broken less than once in 1e20 sessions.
    """
    if isinstance(workload, Mixture):
        return max(map(most_recalls, workload.components))
    if isinstance(workload, PublishedSessions):
        return workload.num_recalls()
    sizes = workload.sizes()
    if not isinstance(workload, SeededWorkload):
        return sizes.touches
    most = _rhythm(workload)[1]
    chance = workload.noise_recall_probability
    if chance > 0.0:
        most = max(most, min(sizes.turns, math.ceil(math.log(1e-20 / max(1, sizes.items)) / math.log(chance))))
    return 1 << max(0, min(most, sizes.touches) - 1).bit_length()


def num_rhythms(workload: Source) -> int:
    """Return of how many rhythms a workload holds the steps, as Python objects."""
    if isinstance(workload, Mixture):
        return sum(map(num_rhythms, workload.components))
    return _rhythm(workload)[0] if isinstance(workload, SeededWorkload) else 0


@lru_cache(maxsize=64)
def _rhythm(workload: SeededWorkload) -> tuple[int, int]:
    """Return how many rhythms there are, and a bound on the recalls that any of them makes of an item."""
    count = most = 0
    for plan in workload.plans():
        count += 1
        certain = sum(step.certain for step in plan.steps)
        most = max(most, certain + most_of_poisson(sum(step.mean for step in plan.steps)))
    return count, most


def _met(workload: Source) -> tuple[Attributes, ...]:
    if isinstance(workload, Mixture):
        return tuple(one for component in workload.components for one in _met(component))
    return workload.combinations()[0] if isinstance(workload, SeededWorkload) else (DEFAULT_ATTRIBUTES,)
