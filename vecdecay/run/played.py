"""The cells of a finished run, read back in order from its cells table, a batch at a time."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from vecdecay.analysis.cell import CellHistograms, MetricSummary, summarised_names
from vecdecay.analysis.findings import PlayedCell
from vecdecay.analysis.moments import Summary
from vecdecay.engines.registry import engine_of
from vecdecay.errors import OutputError
from vecdecay.parameters import printable
from vecdecay.policies.keep_all import never_evicts
from vecdecay.run.open_run import Run
from vecdecay.run.plan import Cell, Plan
from vecdecay.store.histograms import histograms_in
from vecdecay.store.parquet import open_parquet
from vecdecay.sweepfile.model import TRACE, WORKLOAD

CELLS_FILE = "cells.parquet"

_ROWS_AT_ONCE = 1000


@dataclass(frozen=True)
class CellRow:
    """One cell of the plan with what came of it."""

    cell: Cell
    engine: str
    num_sessions: int
    summaries: Mapping[str, MetricSummary]

    def played(self) -> PlayedCell:
        """Return what the findings are made from: of the axes, only those that this cell reads."""
        read = {
            name: value
            for name, value in self.cell.axis_values.items()
            if name.rpartition(".")[0] in (self.cell.label, WORKLOAD, TRACE)
        }
        is_bound = never_evicts(self.cell.policy)
        return PlayedCell(self.cell.point, self.cell.label, read, self.summaries, is_bound)


def cell_rows(plan: Plan, folder: Path, only: Sequence[int] | None = None) -> Iterator[CellRow]:
    """Yield the cells in their order, or ``only`` those of some numbers; cells that failed are not among them."""
    names = list(summarised_names(plan.layout.beside))
    with open_parquet(folder / CELLS_FILE) as file:
        missing = [name for name in names if f"{name}_sessions" not in file.schema_arrow.names]
        if missing:
            raise OutputError(
                f"{printable(folder / CELLS_FILE)}: has no {missing[0]}: another version of this program wrote it; "
                "any reader of Parquet reads it, and vecdecay run with the sweep.toml beside it makes it again"
            )
        for batch in file.iter_batches(_ROWS_AT_ONCE):
            wanted = batch if only is None else batch.filter(pc.is_in(batch["cell"], pa.array(only, pa.int32())))
            for row in wanted.to_pylist():
                summaries = {name: _summary(row, name) for name in names}
                yield CellRow(plan.cell(row["cell"]), row["engine"], row["sessions"], summaries)


def cell_means(folder: Path, metrics: Sequence[str]) -> tuple[NDArray[np.int64], list[NDArray[np.float64]]]:
    """Return the numbers of the cells of a run, (cell,), and for each metric their means, NaN where there is none."""
    with open_parquet(folder / CELLS_FILE) as file:
        table = file.read(["cell", *(f"{name}_mean" for name in metrics)])
    means = [table[f"{name}_mean"].fill_null(math.nan).to_numpy() for name in metrics]
    return table["cell"].to_numpy().astype(np.int64), means


def rows_so_far(run: Run) -> list[CellRow]:
    """Return the cells of a run as far as its parts are finished, in their order; each with the sessions so far."""
    plan, found = run.plan, dict[int, CellHistograms]()
    for name in run.histograms.files:
        with open_parquet(Path(name)) as file:
            for number, histograms in histograms_in(file.read(), plan.layout.beside):
                if number in found:
                    histograms.merge(found[number])
                found[number] = histograms
    rows = []
    for number in sorted(found):
        cell, histograms = plan.cell(number), found[number]
        engine = engine_of(plan.spec.engine, cell.policy, cell.workload)
        rows.append(CellRow(cell, engine, histograms.num_sessions, histograms.summaries()))
    return rows


def _summary(row: Mapping[str, Any], name: str) -> MetricSummary:
    count, low, high = row[f"{name}_sessions"], row[f"{name}_minimum"], row[f"{name}_maximum"]
    summary = Summary(
        count=count,
        null_count=row["sessions"] - count,
        mean=row[f"{name}_mean"],
        standard_deviation=row[f"{name}_standard_deviation"],
        minimum=low,
        maximum=high,
        constant=count >= 2 and low == high,
    )
    return MetricSummary(summary, row[f"{name}_low"], row[f"{name}_high"])
