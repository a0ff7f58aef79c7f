"""From the totals of the parts to one result per cell, streamed: what has been summarised is not held."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from vecdecay.analysis.summaries import CellTallies
from vecdecay.engines.play import chosen_engine
from vecdecay.parameters import Described
from vecdecay.store.cells import CellResult, cells_table
from vecdecay.store.totals_table import tallies_in
from vecdecay.sweep.parts import Part
from vecdecay.sweep.plan import Plan
from vecdecay.sweep.play_part import part_file

_CELLS_PER_CHUNK = 2000


def cell_results(plan: Plan, folder: Path, parts: Iterable[Part]) -> Iterator[CellResult]:
    """Yield the result of every cell that did not fail, as soon as all its parts are read."""
    spec = plan.spec
    waiting: dict[int, CellTallies] = {}
    for part in parts:
        whole = {cell for unit in part.units for cell in unit.cells if unit.last - unit.first == len(spec.seeds)}
        ends = {cell for unit in part.units for cell in unit.cells if unit.last == len(spec.seeds)}
        table = pq.read_table(folder / part_file("totals", part.number))
        for cell, tallies in tallies_in(table, spec.checkpoints):
            if cell in whole:
                yield _result(plan, cell, tallies)
                continue
            if cell in waiting:
                waiting[cell].merge(tallies)
            else:
                waiting[cell] = tallies
            if cell in ends and waiting[cell].num_sessions == len(spec.seeds):
                yield _result(plan, cell, waiting.pop(cell))
            elif cell in ends:
                waiting.pop(cell)  # it failed in one of its parts


def _result(plan: Plan, number: int, tallies: CellTallies) -> CellResult:
    cell = plan.cell(number)
    return CellResult(
        cell=number,
        label=cell.label,
        policy=cell.policy,
        workload=cell.workload,
        engine=chosen_engine(plan.spec.engine, cell.policy),
        num_sessions=tallies.num_sessions,
        summaries=tallies.summaries(),
    )


def described_kinds(plan: Plan) -> tuple[type[Described], ...]:
    """Return the classes whose parameters are columns of the cells table: the policies', then the workload's."""
    spec = plan.spec
    return (*dict.fromkeys(type(entry.policy) for entry in spec.policies), type(spec.workload))


def cells_of_run(plan: Plan, results: Iterable[CellResult]) -> pa.Table:
    """Return the cells table, sorted by cell."""
    chunks: list[pa.Table] = []
    gathered: list[CellResult] = []
    for result in results:
        gathered.append(result)
        if len(gathered) == _CELLS_PER_CHUNK:
            chunks.append(cells_table(gathered, described_kinds(plan), plan.spec.checkpoints))
            gathered = []
    chunks.append(cells_table(gathered, described_kinds(plan), plan.spec.checkpoints))
    table = pa.concat_tables(chunks)
    numbers = table["cell"].to_numpy()
    in_order = bool((numbers[1:] > numbers[:-1]).all())
    return table if in_order else table.sort_by("cell")
