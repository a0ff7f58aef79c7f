"""The table of a sweep: what stands in it, and that it fits the screen."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from command_line import small_sweep

from vecdecay.analysis.cell import MetricSummary
from vecdecay.analysis.intervals import wilson_interval
from vecdecay.analysis.moments import Summary
from vecdecay.commands.result_table import CONSTANT_LEGEND, MOST_ROWS, result_lines
from vecdecay.commands.results import CellRow
from vecdecay.quantities import METRICS
from vecdecay.run.plan import Plan, make_plan
from vecdecay.sweepfile.spec import parse_sweep


def plan_of(more: str = "", metrics: str = "[]") -> Plan:
    """Return the plan of a small sweep with some axes."""
    return make_plan(parse_sweep(small_sweep(seeds=20, more=more).replace("seeds =", f"metrics = {metrics}\nseeds =")))


def row(plan: Plan, number: int, means: Mapping[str, Any], constant: bool = True) -> CellRow:
    """Return a cell with made-up means; metrics that are not given are 0."""
    summaries = {}
    for metric in METRICS:
        mean = means.get(metric.name, 0.0)
        spread = 0.0 if constant else 0.1
        summary = Summary(20, 0, mean, spread, mean if constant else mean / 2, mean, constant)
        ends = wilson_interval(mean, 20) if metric.interval == "rate" else (mean - spread, mean + spread)
        summaries[metric.name] = MetricSummary(summary, *ends)
    return CellRow(plan.cell(number), "horizon", 20, summaries)


def rates(plan: Plan, *values: float) -> list[CellRow]:
    """Return a cell per recall rate; rates of 0 and 1 are constant."""
    return [
        row(plan, number, {"foundational_recall_rate": value, "terminal_survival_rate": value}, value in (0.0, 1.0))
        for number, value in enumerate(values)
    ]


def test_without_axes_there_is_a_row_per_policy() -> None:
    """The article's four columns, each with its sign where no session differs."""
    plan = plan_of()
    first = {"foundational_recall_rate": 1.0, "terminal_survival_rate": 1.0, "footprint_reduction": 0.9107}
    second = {"foundational_recall_rate": 0.25, "terminal_survival_rate": 0.25, "foundational_evicted": 2.25}
    rows = [row(plan, 0, first), row(plan, 1, second, constant=False)]
    assert result_lines(plan.spec, rows, 1) == [
        "                foundational           survival  facts        footprint",
        "policy          recall rate (95 %)     rate      evicted      reduction",
        "--------------  ---------------------  --------  -----------  ---------",
        "ebbinghaus      1.000 (≥ 0.839)     =  1.000 =   0.00 of 3 =  0.911 =",
        "recency_window  0.250 (0.112–0.469)    0.250     2.25 of 3    0.000",
        "",
        CONSTANT_LEGEND,
    ]


def test_with_an_axis_there_is_a_row_per_point() -> None:
    """A column per axis, named after the parameter, and one per policy."""
    plan = plan_of('[[axis]]\nparameter = "workload.noise_per_turn"\nvalues = [5, 20]')
    assert result_lines(plan.spec, rates(plan, 1.0, 0.25, 0.5, 0.25), 2) == [
        "foundational recall rate; in brackets the 95 % interval",
        "",
        "noise_per_turn  ebbinghaus             recency_window",
        "--------------  ---------------------  -------------------",
        "             5  1.000 (≥ 0.839)     =  0.250 (0.112–0.469)",
        "            20  0.500 (0.299–0.701)    0.250 (0.112–0.469)",
        "",
        CONSTANT_LEGEND,
    ]


def test_no_legend_stands_where_no_sign_does() -> None:
    """The sign is explained only if it is there."""
    plan = plan_of()
    assert CONSTANT_LEGEND not in result_lines(plan.spec, rates(plan, 0.5, 0.25), 1)[-1]


def test_metrics_of_the_sweep_are_shown_instead() -> None:
    """With their units; whole numbers of turns stay whole, and no interval is promised where there is none."""
    plan = plan_of('[[axis]]\nparameter = "ebbinghaus.baseline_stability"\nvalues = [2, 8]', '["survival_time"]')
    rows = [row(plan, number, {"survival_time": float(turns)}) for number, turns in enumerate((4, 16, 13, 16))]
    lines = result_lines(plan.spec, rows, 2)
    assert lines[0] == "survival time (turns)"
    assert [line.split() for line in lines[-4:-2]] == [["2", "4", "=", "16", "="], ["8", "13", "=", "16", "="]]


def test_the_numbers_of_a_column_have_equally_many_digits() -> None:
    """As many as the most exact of them needs; in a table with a row per policy and in one with a row per point."""
    plan = plan_of(metrics='["misses", "footprint_reduction"]')
    rows = [row(plan, 0, {"misses": 3.0}), row(plan, 1, {"misses": 10.5, "footprint_reduction": 0.98667}, False)]
    narrow = MetricSummary(rows[1].summaries["footprint_reduction"].summary, 0.98666, 0.98668)
    rows[1] = replace(rows[1], summaries={**rows[1].summaries, "footprint_reduction": narrow})
    lines = [line.split() for line in result_lines(plan.spec, rows, 1)]
    assert ["ebbinghaus", "3.00", "=", "0.0000", "="] in lines
    assert ["recency_window", "10.50", "(10.40–10.60)", "0.9867", "(0.9867–0.9867)"] in lines
    axes = plan_of('[[axis]]\nparameter = "workload.noise_per_turn"\nvalues = [5, 20]', '["misses"]')
    cells = [row(axes, place, {"misses": mean}, mean != 2.5) for place, mean in enumerate((4.0, 1.0, 2.5, 1.0))]
    lines = [line.split() for line in result_lines(axes.spec, cells, 2)]
    assert ["5", "4.00", "=", "1", "="] in lines
    assert ["20", "2.50", "(2.40–2.60)", "1", "="] in lines


def test_a_table_that_is_too_wide_gets_a_row_per_policy() -> None:
    """And what still does not fit loses its intervals, those of rates last; 80 columns are kept."""
    axis = '[[axis]]\nparameter = "recency_window.window_size"\nvalues = [10, 20]'
    three = '["foundational_recall_rate", "survival_time", "misses"]'
    plan = plan_of(axis, three)
    lines = result_lines(plan.spec, rates(plan, 1.0, 0.25, 0.5, 0.25), 2)
    assert max(map(len, lines)) <= 80
    assert [line.split()[:2] for line in lines[6:10]] == [
        ["10", "ebbinghaus"],
        ["10", "recency_window"],
        ["20", "ebbinghaus"],
        ["20", "recency_window"],
    ]
    everything = plan_of(axis, str([metric.name for metric in METRICS]).replace("'", '"'))
    lines = result_lines(everything.spec, rates(everything, 1.0, 0.25), 2)
    assert not any("(0." in line for line in lines)


@pytest.mark.parametrize(
    ("metrics", "shown"),
    [("[]", MOST_ROWS), ('["foundational_recall_rate", "survival_time", "misses"]', MOST_ROWS // 2)],
)
def test_a_long_table_is_cut_and_says_so(metrics: str, shown: int) -> None:
    """About 40 rows, whole points only; the rest is counted."""
    plan = plan_of(
        '[[axis]]\nparameter = "recency_window.window_size"\nrange = { from = 1, to = 100, step = 1 }', metrics
    )
    lines = result_lines(plan.spec, rates(plan, *[0.5, 0.25] * 100), 100)
    assert sum("0.250" in line for line in lines) == shown
    assert lines[-1] == f"… {100 - shown} more points in cells.parquet"


def test_failed_cells_leave_gaps_and_no_wrong_count() -> None:
    """A cell without a result says so; a point without any is not taken for one that was cut off."""
    plan = plan_of('[[axis]]\nparameter = "workload.noise_per_turn"\nvalues = [1, 2, 3]')
    rows = rates(plan, 1.0, 0.25, 0.5, 0.25, 0.5, 0.25)
    lines = result_lines(plan.spec, [rows[0], rows[4], rows[5]], 3)
    assert [line.split()[-1] for line in lines if line.strip()[:2] in ("1 ", "2 ", "3 ")] == ["failed", "(0.112–0.469)"]
    assert not any("more" in line for line in lines)
    assert result_lines(plan.spec, [], 3) == ["no cell could be played"]
