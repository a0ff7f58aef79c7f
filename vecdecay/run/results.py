"""From the histograms of the parts to one result per cell, streamed: what has been summarised is not held."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
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
        last, alike = {cell for unit in part.units for cell in unit.cells if unit.last == num_seeds}, _Alike()
        for cell, read in part_histograms(folder, part, beside):
            histograms = alike.one(read)
            if cell in waiting:
                histograms = alike.merged(histograms, waiting.pop(cell), beside)
            if cell not in last:
                waiting[cell] = histograms
            elif histograms.num_sessions == num_seeds:  # else it failed in one of its parts
                yield cell, alike.summaries(histograms), num_seeds
        for cell in last:
            waiting.pop(cell, None)


class _Alike:
    """Cells of a part that hold the same are merged and summarised once: along a fine axis most do."""

    def __init__(self) -> None:
        self._known: dict[bytes, CellHistograms] = {}
        self._merged: dict[tuple[int, int], tuple[CellHistograms, ...]] = {}
        self._summaries: dict[int, tuple[CellHistograms, dict[str, MetricSummary]]] = {}

    def one(self, read: CellHistograms) -> CellHistograms:
        """Return what holds the same and was read before, or this."""
        rows, folded = read.rows()
        if folded:
            return read
        key = b"".join((np.array(rows.lengths).tobytes(), rows.values.tobytes(), rows.counts.tobytes()))
        return self._known.setdefault(key, read)

    def merged(self, one: CellHistograms, other: CellHistograms, beside: tuple[int | str, ...]) -> CellHistograms:
        """Return both together, in an object that others may hold too."""
        key = id(one), id(other)
        if key not in self._merged:
            both = CellHistograms(beside)
            both.merge(one)
            both.merge(other)
            self._merged[key] = both, one, other  # held, so that no other object gets the same id
        return self._merged[key][0]

    def summaries(self, one: CellHistograms) -> dict[str, MetricSummary]:
        """Return the summary of every metric."""
        if id(one) not in self._summaries:
            self._summaries[id(one)] = one, one.summaries()
        return self._summaries[id(one)][1]


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
