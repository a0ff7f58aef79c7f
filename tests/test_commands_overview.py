"""A sweep of many points at a glance: the cells that stand out, found among all of them, and a picture per policy."""

import math
from pathlib import Path

import pytest
from command_line import small_sweep

from vecdecay.commands.overview import overview_lines
from vecdecay.run.plan import Plan
from vecdecay.run.played import CellRow, cell_means, cell_rows
from vecdecay.run.sweep import run_sweep
from vecdecay.sweepfile.spec import parse_sweep

GRID = """
[[policy]]
kind = "keep_all"
[[axis]]
parameter = "recency_window.window_size"
range = {{ from = 1, to = 61, step = 4 }}
[[axis]]
parameter = "workload.noise_per_turn"
values = [0, 1, 2]
{more}
"""


def played(folder: Path, more: str = "") -> Plan:
    """Return the plan of a small grid, played into a folder."""
    text = small_sweep(seeds=20, more=GRID.format(more=more)).replace("window_size = 15\n", "", 1)
    return run_sweep(parse_sweep(text), folder, threads=1, check=0).plan


def facts(row: CellRow) -> tuple[float, float]:
    """Return the rate and the working set of a cell."""
    rate = row.summaries["hit_rate"].summary.mean
    size = row.summaries["mean_working_set"].summary.mean
    assert rate is not None
    assert size is not None
    return rate, size


def test_the_cells_that_stand_out(tmp_path: Path, warm_kernels: None) -> None:
    """Best, worst, the upper bound, and no Pareto point that another cell of a policy that evicts beats in both."""
    plan = played(tmp_path)
    rows = list(cell_rows(plan, tmp_path))
    evicting = [row for row in rows if row.cell.label != "keep_all"]
    lines = overview_lines(plan, tmp_path)
    assert " ".join(lines).startswith("48 points, 144 cells: the best")
    shown = [line.split() for line in lines if line.split()[:1] in (["best"], ["Pareto"], ["worst"], ["bound"])]
    assert [words[0] for words in shown].count("best") == 1
    best = max(map(facts, evicting), key=lambda one: (one[0], -one[1]))
    worst = min(map(facts, evicting), key=lambda one: (one[0], -one[1]))
    for words in shown:
        rate, size = float(words[2]), float(words[-1])
        if words[0] == "Pareto":
            assert not any(one > rate + 0.0006 and cost < size - 0.06 for one, cost in map(facts, evicting))
        else:
            expected = {"best": best, "worst": worst, "bound": (1.0, size)}[words[0]]
            assert (rate, size) == pytest.approx(expected, abs=0.06)
        assert (words[1] == "keep_all") == (words[0] == "bound")


def test_a_metric_that_is_better_low_is_ranked_so(tmp_path: Path, warm_kernels: None) -> None:
    """The best cell has the fewest misses."""
    text = small_sweep(seeds=20, more=GRID.format(more="")).replace("window_size = 15\n", "", 1)
    spec = parse_sweep(text.replace("[sweep]", '[sweep]\nmetrics = ["misses"]'))
    plan = run_sweep(spec, tmp_path, threads=1, check=0).plan
    line = next(line for line in overview_lines(plan, tmp_path) if line.startswith("best"))
    _, (misses,) = cell_means(tmp_path, ["misses"])
    assert float(line.split()[2]) == min(misses)


def test_a_picture_per_policy(tmp_path: Path, warm_kernels: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A heat map over two axes, a sparkline over one; each value that of the cells, within the width."""
    plan = played(tmp_path)
    for columns in (50, 80, 200):
        monkeypatch.setenv("COLUMNS", str(columns))
        lines = overview_lines(plan, tmp_path)
        assert max(map(len, lines)) <= columns
        text = " ".join(lines)
        assert "recency_window: window_size downwards, noise_per_turn to the right; darker is higher" in text
        title = lines.index("keep_all over noise_per_turn")
        assert lines[title + 1] == "0  ███  2"
        darkest = next(line for line in lines if line.startswith("61  "))
        assert darkest.removeprefix("61  ") == "█" * 12
        assert lines[-1] == "scale: hit rate from 0 to 1"


@pytest.mark.parametrize("columns", [30, 50, 80])
def test_numbers_below_the_picture(
    columns: int, tmp_path: Path, warm_kernels: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of the cells at some places of both axes, the ends among them, each to three digits."""
    plan = played(tmp_path)
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = overview_lines(plan, tmp_path)
    start = next(place for place, line in enumerate(lines) if line.startswith("window_size "))
    shown = [line.split() for line in lines[start : start + 10]]
    heads, rows = shown[0][1:], shown[2:]
    assert heads[0] == "0"
    assert columns < 40 or heads[-1] == "2"
    assert [rows[0][0], rows[-1][0], len(rows)] == ["1", "61", 8]
    rates = {
        (row.cell.axis_values["recency_window.window_size"], row.cell.axis_values["workload.noise_per_turn"]): facts(
            row
        )[0]
        for row in cell_rows(plan, tmp_path)
        if row.cell.label == "recency_window"
    }
    for window, *texts in rows:
        assert texts == [f"{rates[float(window), int(noise)]:.3f}" for noise in heads]


@pytest.mark.parametrize("combine", ["zip", "random"])
def test_other_ways_to_combine_axes(combine: str, tmp_path: Path, warm_kernels: None) -> None:
    """Points that lie on no grid leave dots where nothing was played."""
    text = small_sweep(seeds=5, more=GRID.format(more="")).replace("window_size = 15\n", "", 1)
    changes = f'[sweep]\ncombine = "{combine}"' + ("\nrandom_points = 60" if combine == "random" else "")
    text = text.replace("[sweep]", changes).replace("values = [0, 1, 2]", f"values = {list(range(16))}")
    plan = run_sweep(parse_sweep(text), tmp_path, threads=1, check=0).plan
    lines = overview_lines(plan, tmp_path)
    assert any("·" in line for line in lines)
    assert sum(line.startswith("best") for line in lines) == 1


def test_a_metric_without_a_value(tmp_path: Path, warm_kernels: None) -> None:
    """Survival times where nothing was evicted."""
    text = small_sweep(seeds=5, window_size=10**6).replace("[sweep]", '[sweep]\nmetrics = ["survival_time"]')
    plan = run_sweep(parse_sweep(text), tmp_path, threads=1, check=0).plan
    assert overview_lines(plan, tmp_path) == ["no cell has a value"]
    _, (means,) = cell_means(tmp_path, ["survival_time"])
    assert all(math.isnan(mean) for mean in means)
