"""The cells of a run, read back: the very results that were streamed while it was played."""

from pathlib import Path

import pytest
from command_line import small_sweep

from vecdecay.run.parts import parts_of
from vecdecay.run.played import cell_rows
from vecdecay.run.results import cell_results
from vecdecay.run.sweep import run_sweep
from vecdecay.sweepfile.spec import parse_sweep

GRID = """
[[policy]]
kind = "keep_all"

[[axis]]
parameter = "workload.noise_per_turn"
values = [1, 3]

[[axis]]
parameter = "recency_window.window_size"
values = [15, 105]
"""


@pytest.mark.parametrize("checkpoints", ["", "[30, 200]"])
def test_what_is_read_is_what_was_played(checkpoints: str, tmp_path: Path, warm_kernels: None) -> None:
    """Every summary of every cell, to the bit, constancy included, in the order of the cells."""
    text = small_sweep(seeds=7, window_size=15, more=GRID).replace("window_size = 15\n", "", 1)
    if checkpoints:
        text = text.replace('detail = "cells"', f'detail = "cells"\ncheckpoints = {checkpoints}')
    report = run_sweep(parse_sweep(text), tmp_path, threads=1)
    rows = list(cell_rows(report.plan, tmp_path))
    assert [row.cell.number for row in rows] == list(range(12))
    streamed = {result.cell: result for result in cell_results(report.plan, tmp_path, parts_of(report.plan))}
    assert len(streamed) == 12
    for row in rows:
        result = streamed[row.cell.number]
        assert dict(row.summaries) == dict(result.summaries)
        assert (row.cell.label, row.engine, row.num_sessions) == (result.label, result.engine, 7)
        assert (row.cell.policy, row.cell.workload) == (result.policy, result.workload)


def test_a_cell_reads_its_own_axes_and_the_workload_s(tmp_path: Path, warm_kernels: None) -> None:
    """The findings must not take a repeated result for another one."""
    text = small_sweep(seeds=2, more=GRID).replace("window_size = 15\n", "", 1)
    report = run_sweep(parse_sweep(text), tmp_path, threads=1)
    played = [row.played() for row in cell_rows(report.plan, tmp_path)]
    noise, window = "workload.noise_per_turn", "recency_window.window_size"
    assert [dict(one.values) for one in played[:3]] == [{noise: 1}, {noise: 1, window: 15.0}, {noise: 1}]
    assert [one.never_evicts for one in played[:3]] == [False, False, True]
    assert [one.point for one in played[::3]] == [0, 1, 2, 3]
