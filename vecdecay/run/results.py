"""From the histograms of the parts to one result per cell, streamed: what has been summarised is not held."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa

from vecdecay.analysis.cell import CellHistograms, MetricSummary
from vecdecay.run.parts import Part, band_of
from vecdecay.run.plan import Plan
from vecdecay.run.sinks import cell_result, part_file
from vecdecay.store.histograms import histograms_in
from vecdecay.store.parquet import open_parquet
from vecdecay.store.tables import CellResult, cells_table

_CELLS_PER_CHUNK = 1000


def cell_results(plan: Plan, folder: Path, parts: Iterable[Part]) -> Iterator[CellResult]:
    """Yield the result of every cell that did not fail, as soon as all its parts are read."""
    for cell, summaries, num_sessions in _summaries(plan, folder, parts):
        yield cell_result(plan, cell, num_sessions, summaries)


def _summaries(plan: Plan, folder: Path, parts: Iterable[Part]) -> Iterator[tuple[int, dict[str, MetricSummary], int]]:
    num_seeds, beside = len(plan.spec.seeds), plan.layout.beside
    waiting: dict[int, CellHistograms] = {}
    for part in parts:
        last = {cell for unit in part.units for cell in unit.cells if unit.last == num_seeds}
        for cell, histograms in part_histograms(folder, part, beside):
            if cell in waiting:
                histograms.merge(waiting.pop(cell))
            if cell not in last:
                waiting[cell] = histograms
            elif histograms.num_sessions == num_seeds:  # else it failed in one of its parts
                yield cell, histograms.summaries(), num_seeds
        for cell in last:
            waiting.pop(cell, None)


def part_histograms(folder: Path, part: Part, beside: tuple[int | str, ...]) -> Iterator[tuple[int, CellHistograms]]:
    """Yield the cells of a part, as its histograms table holds them."""
    with open_parquet(folder / part_file("histograms", part.number)) as file:
        return histograms_in(file.read(use_threads=False), beside)


def cells_in_order(plan: Plan, results: Iterable[CellResult]) -> Iterator[pa.Table]:
    """Yield the cells table in pieces, sorted by cell: one per band of cells, the first even if it is empty."""
    band = 0
    chunks = [cells_table([], plan.layout)]
    gathered: list[CellResult] = []
    for result in results:
        if band_of(plan, result.cell) != band:
            yield _sorted([*chunks, cells_table(gathered, plan.layout)])
            band, chunks, gathered = band_of(plan, result.cell), [], []
        gathered.append(result)
        if len(gathered) == _CELLS_PER_CHUNK:
            chunks.append(cells_table(gathered, plan.layout))
            gathered = []
    yield _sorted([*chunks, cells_table(gathered, plan.layout)])


def _sorted(chunks: list[pa.Table]) -> pa.Table:
    table = pa.concat_tables(chunks)
    numbers = table["cell"].to_numpy()
    in_order = bool((numbers[1:] > numbers[:-1]).all())
    return table if in_order else table.unify_dictionaries().sort_by("cell")
