"""Sessions of a run computed again by the scalar engine from the workload's plain definition, as tables."""

from collections.abc import Sequence

import pyarrow as pa

from vecdecay.analysis.cell import CellHistograms
from vecdecay.engines.outcome import BlockOutcome
from vecdecay.engines.registry import play_block
from vecdecay.run.plan import Cell, Plan
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.mersenne import Seeds
from vecdecay.store.tables import block_rows, block_tables
from vecdecay.sweepfile.model import SweepSpec


def scalar_outcome(spec: SweepSpec, cell: Cell, seed: int) -> BlockOutcome:
    """Return what one session comes to under the scalar engine."""
    block = block_of([cell.workload.session(seed)])
    items, turns, misses = (spec.detail == one for one in ("items", "turns", "misses"))
    relearn, relations = cell.workload.relearns, spec.workload.has_relations
    wanted = items, turns, False, relearn, misses, relations
    return play_block(block, cell.policy, "reference", spec.checkpoints, *wanted, asked=spec.asked)


def scalar_rows(plan: Plan, cell: Cell, seed: int) -> dict[str, pa.Table]:
    """Return the rows of one session in every table that the sweep keeps."""
    outcome = scalar_outcome(plan.spec, cell, seed)
    return {
        name: pa.Table.from_batches([block_rows(name, cell.number, [seed], outcome, plan.layout)])
        for name in block_tables(plan.spec.detail)
    }


def scalar_histograms(plan: Plan, cell: Cell, seeds: Seeds | Sequence[int]) -> CellHistograms:
    """Return the histograms of a cell over some seeds."""
    histograms = CellHistograms(plan.layout.beside)
    for seed in seeds:
        histograms.add(scalar_outcome(plan.spec, cell, int(seed)))
    return histograms


def plain(table: pa.Table) -> pa.Table:
    """Return a table whose dictionaries are written out, so that equal values are equal whatever their numbering."""
    fields = [
        pa.field(field.name, field.type.value_type, field.nullable) if pa.types.is_dictionary(field.type) else field
        for field in table.schema
    ]
    return table.cast(pa.schema(fields)).replace_schema_metadata(None)


def first_unequal(stored: pa.Table, expected: pa.Table) -> str | None:
    """Return in words the first column in which two tables differ, None where they hold the same."""
    stored, expected = plain(stored), plain(expected)
    if stored.column_names != expected.column_names:
        return f"the columns are {', '.join(stored.column_names)}; expected: {', '.join(expected.column_names)}"
    if stored.num_rows != expected.num_rows:
        return f"{stored.num_rows} rows; expected: {expected.num_rows}"
    for name in stored.column_names:
        left, right = stored[name], expected[name]
        if left.type != right.type:
            return f"{name} is of the type {left.type}; expected: {right.type}"
        if not left.equals(right):
            pairs = zip(left.to_pylist(), right.to_pylist(), strict=True)
            return next(f"{name} is {one!r}; expected: {other!r}" for one, other in pairs if one != other)
    return None
