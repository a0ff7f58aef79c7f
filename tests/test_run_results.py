"""From histograms to results: every cell once, the same from one part or many, streamed, and in order."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sweep_runs import Here, cut_finely, small_sweep

from vecdecay.analysis.cell import CellHistograms
from vecdecay.engines.registry import play_block
from vecdecay.run import parts
from vecdecay.run.parts import Part, band_of, parts_of
from vecdecay.run.plan import Plan, make_plan
from vecdecay.run.results import cell_results, cells_in_order, part_histograms
from vecdecay.run.sweep import run_sweep
from vecdecay.store.tables import cells_table
from vecdecay.sweepfile.model import SweepSpec


def played(folder: Path, spec: SweepSpec) -> Plan:
    """Run a sweep here, and return its plan."""
    run_sweep(spec, folder, executor=Here(), check=0)
    return make_plan(spec)


@pytest.mark.parametrize("plays", [5, 24, 10_000])
def test_results_are_those_of_each_cell_played_alone(
    plays: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, warm_kernels: None
) -> None:
    """However many parts a cell's sessions are in: label, policy, workload, count and every summary, to the bit."""
    cut_finely(monkeypatch, plays=plays)
    plan = played(tmp_path, small_sweep())
    found = {result.cell: result for result in cell_results(plan, tmp_path, parts_of(plan))}
    assert sorted(found) == list(range(12))
    for number, result in found.items():
        cell = plan.cell(number)
        tallies = CellHistograms(plan.spec.checkpoints)
        tallies.add(play_block(cell.workload.block(range(20)), cell.policy, "auto", plan.spec.checkpoints))
        assert result.summaries == tallies.summaries()
        assert (result.label, result.policy, result.workload) == (cell.label, cell.policy, cell.workload)
        assert result.num_sessions == 20


def test_a_cell_is_told_as_soon_as_its_last_part_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, warm_kernels: None
) -> None:
    """Results are streamed: the first ones are there before the later parts are looked for."""
    cut_finely(monkeypatch, plays=60)
    plan = played(tmp_path, small_sweep())
    every = list(parts_of(plan))
    assert len(every) > 3
    asked: list[int] = []

    def noted() -> object:
        for part in every:
            asked.append(part.number)
            yield part

    results = cell_results(plan, tmp_path, noted())
    next(results)
    assert max(asked) < every[-1].number - 1


def test_a_cell_that_failed_in_one_of_its_parts_has_no_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, warm_kernels: None
) -> None:
    """Whichever part it is, the first, one between or the last: the others' results are whole."""
    cut_finely(monkeypatch, plays=16)
    spec = small_sweep(axes=False)
    plan = played(tmp_path, spec)
    every = list(parts_of(plan))
    assert len(every) == 3
    for part in every:
        path = tmp_path / f"histograms/part-{part.number:06d}.parquet"
        whole = path.read_bytes()
        table = pq.read_table(path)
        pq.write_table(table.filter(pa.compute.not_equal(table["cell"], 0)), path)
        assert [result.cell for result in cell_results(plan, tmp_path, parts_of(plan))] == [1]
        path.write_bytes(whole)
    assert [result.cell for result in cell_results(plan, tmp_path, parts_of(plan))] == [0, 1]


@pytest.mark.parametrize("band", [1, 4, 7, 100])
def test_the_cells_table_comes_in_order_and_band_by_band(
    band: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, warm_kernels: None
) -> None:
    """Cells of a workload are played side by side, out of order; the table is sorted all the same, and never held."""
    cut_finely(monkeypatch, plays=24)
    monkeypatch.setattr(parts, "CELLS_PER_BAND", band)
    plan = played(tmp_path, small_sweep())
    results = list(cell_results(plan, tmp_path, parts_of(plan)))
    order = [result.cell for result in results]
    assert (order == sorted(order)) == (band < 6)  # two points of one policy pair each
    pieces = list(cells_in_order(plan, iter(results)))
    assert [band_of(plan, piece["cell"][0].as_py()) for piece in pieces] == list(range(len(pieces)))
    whole = pa.concat_tables(pieces)
    assert whole["cell"].to_pylist() == list(range(12))
    by_cell = sorted(results, key=lambda result: result.cell)
    assert whole.to_pylist() == cells_table(by_cell, plan.layout).to_pylist()
    assert whole.to_pylist() == pq.read_table(tmp_path / "cells.parquet").to_pylist()


def test_no_result_at_all_is_an_empty_table(tmp_path: Path) -> None:
    """Where every cell failed, the cells table has its columns and no row."""
    plan = make_plan(small_sweep())
    (piece,) = cells_in_order(plan, iter(()))
    assert piece.num_rows == 0
    assert piece.column_names[:2] == ["cell", "policy"]


def test_kinds_are_named_once_in_the_order_of_the_sweep() -> None:
    """Two policies of one class share their columns."""
    more = '[[policy]]\nkind = "ebbinghaus"\nlabel = "second"\n'
    kinds = make_plan(small_sweep(more=more)).layout.kinds
    assert [kind.name for kind in kinds] == ["ebbinghaus", "recency_window", "published_sessions"]


def test_histograms_of_a_part_are_those_of_its_cells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, warm_kernels: None
) -> None:
    """One for each cell of the part, with as many sessions as the part plays of it."""
    cut_finely(monkeypatch, plays=24)
    plan = played(tmp_path, small_sweep())
    part: Part = next(iter(parts_of(plan)))
    found = dict(part_histograms(tmp_path, part, plan.spec.checkpoints))
    assert sorted(found) == sorted({cell for unit in part.units for cell in unit.cells})
    assert sum(one.num_sessions for one in found.values()) == part.plays
