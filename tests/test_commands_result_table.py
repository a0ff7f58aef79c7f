"""The table of a sweep: what stands in it, and that it fits the screen."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from command_line import small_sweep

from vecdecay.analysis.cell import MetricSummary
from vecdecay.analysis.intervals import rate_interval
from vecdecay.analysis.moments import Summary
from vecdecay.commands.result_table import CONSTANT_LEGEND, result_lines
from vecdecay.quantities import METRICS
from vecdecay.run.plan import Plan, make_plan
from vecdecay.run.played import CellRow
from vecdecay.sweepfile.spec import parse_sweep

NOISE = '[[axis]]\nparameter = "workload.noise_per_turn"\nvalues = [5, 20]'
WINDOW = '[[axis]]\nparameter = "recency_window.window_size"\nvalues = {}'
THRESHOLD = '[[axis]]\nparameter = "ebbinghaus.eviction_threshold"\nvalues = {}'


def plan_of(more: str = "", metrics: str = "[]", sweep: str = "") -> Plan:
    """Return the plan of a small sweep with some axes."""
    text = small_sweep(seeds=20, more=more).replace("seeds =", f"metrics = {metrics}\n{sweep}\nseeds =")
    if "recency_window.window_size" in more:
        text = text.replace("window_size = 15\n", "", 1)
    return make_plan(parse_sweep(text))


def row(plan: Plan, number: int, means: Mapping[str, Any], constant: bool = True) -> CellRow:
    """Return a cell with some means; metrics that are not given are 0."""
    summaries = {}
    for metric in METRICS:
        mean = means.get(metric.name, 0.0)
        spread = 0.0 if constant else 0.1
        summary = Summary(20, 0, mean, spread, mean if constant else mean / 2, mean, constant)
        ends = rate_interval(mean, 0.0, 20) if metric.interval == "rate" else (mean - spread, mean + spread)
        summaries[metric.name] = MetricSummary(summary, *ends)
    return CellRow(plan.cell(number), "horizon", 20, summaries)


def rates(plan: Plan, *values: float) -> list[CellRow]:
    """Return a cell per recall rate, which half of all recalls hit less often; rates of 0 and 1 are constant."""
    names = ("foundational_recall_rate", "terminal_survival_rate")
    return [
        row(plan, number, {**dict.fromkeys(names, value), "hit_rate": value / 2}, value in (0.0, 1.0))
        for number, value in enumerate(values)
    ]


def lines_of(plan: Plan, rows: list[CellRow]) -> list[str]:
    """Return the lines of a table that must be there."""
    lines = result_lines(plan.spec, rows)
    assert lines is not None
    return lines


def test_without_axes_there_is_a_row_per_policy() -> None:
    """The hit rate and the article's four columns, each with its sign where no session differs."""
    plan = plan_of()
    first = {
        "hit_rate": 1.0,
        "foundational_recall_rate": 1.0,
        "terminal_survival_rate": 1.0,
        "footprint_reduction": 0.9107,
    }
    second = {"foundational_recall_rate": 0.25, "terminal_survival_rate": 0.25, "foundational_evicted": 2.25}
    rows = [row(plan, 0, first), row(plan, 1, second, constant=False)]
    assert result_lines(plan.spec, rows) == [
        "                hit      foundational           of them      survival  footprint",
        "policy          rate     recall rate (95 %)     evicted      rate      reduction",
        "────────────────────────────────────────────────────────────────────────────────",
        "ebbinghaus      1.000 =  1.000 (≥ 0.839)     =  0.00 of 3 =  1.000 =   0.911 =",
        "recency_window  0.000    0.250 (0.112–0.469)    2.25 of 3    0.250     0.000",
        "",
        CONSTANT_LEGEND,
    ]


def test_every_column_shows_its_own_metric() -> None:
    """Five different numbers, each under its title."""
    plan = plan_of()
    names = ("hit_rate", "foundational_recall_rate", "foundational_evicted", "terminal_survival_rate")
    names += ("footprint_reduction",)
    values = {name: (place + 1) / 8 for place, name in enumerate(names)}
    line = next(line for line in lines_of(plan, [row(plan, 0, values)]) if line.startswith("ebbinghaus"))
    assert [word for word in line.split() if word[0].isdigit() and "." in word and ")" not in word] == [
        "0.125", "0.250", "0.38", "0.500", "0.625",
    ]  # fmt: skip


def test_with_an_axis_of_the_workload_there_is_a_row_per_point() -> None:
    """A column per axis, named after the parameter, and one per policy."""
    plan = plan_of(NOISE, '["foundational_recall_rate"]')
    assert result_lines(plan.spec, rates(plan, 1.0, 0.25, 0.5, 0.25)) == [
        "foundational recall rate; in brackets the 95 % interval",
        "",
        "noise_per_turn  ebbinghaus             recency_window",
        "──────────────────────────────────────────────────────────",
        "             5  1.000 (≥ 0.839)     =  0.250 (0.112–0.469)",
        "            20  0.500 (0.299–0.701)    0.250 (0.112–0.469)",
        "",
        CONSTANT_LEGEND,
    ]


def test_the_hit_rate_leads_where_no_metrics_are_named() -> None:
    """Beside it stands what is there at the end; a row per cell where two columns per policy have no room."""
    plan = plan_of(NOISE)
    assert result_lines(plan.spec, rates(plan, 1.0, 0.25, 0.5, 0.25)) == [
        "hit rate, foundational recall rate; in brackets the 95 % interval",
        "",
        "                                   hit                    foundational",
        "policy          at                 rate                   recall rate",
        "───────────────────────────────────────────────────────────────────────────────",
        "ebbinghaus      noise_per_turn 5   0.500 (0.299–0.701) =  1.000 (≥ 0.839)     =",
        "ebbinghaus      noise_per_turn 20  0.250 (0.112–0.469)    0.500 (0.299–0.701)",
        "recency_window  noise_per_turn 5   0.125 (0.040–0.331)    0.250 (0.112–0.469)",
        "recency_window  noise_per_turn 20  0.125 (0.040–0.331)    0.250 (0.112–0.469)",
        "",
        CONSTANT_LEGEND,
    ]


def test_axes_of_different_policies_give_a_row_per_distinct_cell() -> None:
    """A grid of 2 × 3 points holds 2 + 3 different cells, each shown once with the axis that it reads."""
    plan = plan_of(THRESHOLD.format([0.1, 0.30000000000000004]) + "\n" + WINDOW.format([10, 20, 30]))
    rows = rates(plan, *[1.0, 0.25] * 6)
    lines = lines_of(plan, rows)
    assert [line.split()[:3] for line in lines[5:10]] == [
        ["ebbinghaus", "eviction_threshold", "0.1"],
        ["ebbinghaus", "eviction_threshold", "0.3"],
        ["recency_window", "window_size", "10"],
        ["recency_window", "window_size", "20"],
        ["recency_window", "window_size", "30"],
    ]


def test_a_policy_that_reads_no_axis_is_shown_once() -> None:
    """Below the table, with its value."""
    plan = plan_of('[[policy]]\nkind = "keep_all"\n' + WINDOW.format([10, 20]), '["foundational_recall_rate"]')
    lines = lines_of(plan, rates(plan, 0.75, 0.25, 1.0, 0.75, 0.5, 1.0))
    assert "keep_all reads none of the axes: 1.000 (≥ 0.839) =" in lines
    assert "ebbinghaus reads none of the axes: 0.750 (0.531–0.888)" in lines
    assert sum("keep_all" in line for line in lines) == 1
    table = [line for line in lines if line.strip().startswith(("10", "20"))]
    assert [line.split()[:2] for line in table] == [["10", "0.250"], ["20", "0.500"]]


def test_a_bound_that_is_alike_everywhere_is_shown_once() -> None:
    """Below the rows of the others; one that differs between points keeps its rows, as does any other policy."""
    more = '[[policy]]\nkind = "keep_all"\n' + THRESHOLD.format([0.1, 0.2, 0.3]) + "\n" + WINDOW.format([1, 2, 3])
    plan = plan_of(
        f'{more}\n[[axis]]\nparameter = "workload.noise_per_turn"\nvalues = [1, 2, 3]',
        '["foundational_recall_rate"]',
        sweep='combine = "zip"',
    )
    lines = lines_of(plan, rates(plan, *[0.5, 0.5, 1.0] * 3))
    assert "keep_all at every point: 1.000 (≥ 0.839) =" in lines
    assert sum("keep_all" in line for line in lines) == 1
    assert sum("ebbinghaus" in line for line in lines) == 3
    differing = lines_of(plan, rates(plan, *[0.5, 0.5, 1.0] * 2, 0.5, 0.5, 0.75))
    assert sum("keep_all" in line for line in differing) == 3


def test_no_legend_stands_where_no_sign_does() -> None:
    """The sign is explained only if it is there."""
    plan = plan_of()
    assert CONSTANT_LEGEND not in lines_of(plan, rates(plan, 0.5, 0.25))


def test_metrics_of_the_sweep_are_shown_instead() -> None:
    """With their units; whole numbers of turns stay whole, and no interval is promised where there is none."""
    plan = plan_of(NOISE, '["survival_time"]')
    rows = [row(plan, number, {"survival_time": float(turns)}) for number, turns in enumerate((4, 16, 13, 16))]
    lines = lines_of(plan, rows)
    assert lines[0] == "survival time (turns)"
    assert [line.split() for line in lines[-4:-2]] == [["5", "4", "=", "16", "="], ["20", "13", "=", "16", "="]]


def test_the_numbers_of_a_column_have_equally_many_digits() -> None:
    """As many as the most exact of them needs; in a table with a row per policy and in one with a row per point."""
    plan = plan_of(metrics='["misses", "footprint_reduction"]')
    rows = [row(plan, 0, {"misses": 3.0}), row(plan, 1, {"misses": 10.5, "footprint_reduction": 0.98667}, False)]
    narrow = MetricSummary(rows[1].summaries["footprint_reduction"].summary, 0.98652, 0.98682)
    rows[1] = replace(rows[1], summaries={**rows[1].summaries, "footprint_reduction": narrow})
    lines = [line.split() for line in lines_of(plan, rows)]
    assert ["ebbinghaus", "3.00", "=", "0.0000", "="] in lines
    assert ["recency_window", "10.50", "(10.40–10.60)", "0.9867", "(0.9865–0.9868)"] in lines
    axes = plan_of(NOISE, '["misses"]')
    cells = [row(axes, place, {"misses": mean}, mean != 2.5) for place, mean in enumerate((4.0, 1.0, 2.5, 1.0))]
    lines = [line.split() for line in lines_of(axes, cells)]
    assert ["5", "4.00", "=", "1", "="] in lines
    assert ["20", "2.50", "(2.40–2.60)", "1", "="] in lines


@pytest.mark.parametrize("columns", [50, 80, 200])
@pytest.mark.parametrize("count", [1, 2, 3, 10])
@pytest.mark.parametrize("axis", ["", NOISE, WINDOW.format([10, 20])])
def test_every_table_fits(axis: str, count: int, columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the metrics: what has no room loses its intervals, those of rates last, then becomes records."""
    monkeypatch.setenv("COLUMNS", str(columns))
    metrics = [metric.name for metric in METRICS][:count]
    plan = plan_of(axis, str(metrics).replace("'", '"'))
    lines = lines_of(plan, rates(plan, *[0.75, 0.25] * plan.num_points))
    assert max(map(len, lines)) <= columns
    text = " ".join(" ".join(lines).split())
    assert "0.750" in text
    assert "0.250" in text
    if (count, columns, axis) == (2, 80, NOISE):
        assert "(0.112–0.469)" in text


def test_many_cells_of_one_axis_are_a_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row per policy and a column per value, in several tables where one has no room; every cell once."""
    windows = list(range(10, 34))
    more = "".join(f'[[policy]]\nkind = "recency_window"\nlabel = "other_{number}"\n' for number in range(8))
    plan = plan_of(more + NOISE.replace("[5, 20]", str(windows)), '["foundational_recall_rate"]')
    rows = rates(plan, *[(place % 997) / 1000 for place in range(plan.num_cells)])
    for columns in (50, 80, 200):
        monkeypatch.setenv("COLUMNS", str(columns))
        lines = lines_of(plan, rows)
        assert max(map(len, lines)) <= columns
        shown = [line.split() for line in lines if line.startswith(("ebbinghaus", "recency_window", "other"))]
        for start, label in enumerate(entry.label for entry in plan.spec.policies):
            values = [float(word) for words in shown if words[0] == label for word in words[1:]]
            assert values == [place / 1000 for place in range(start, plan.num_cells, 10)]
        headers = [word for line in lines if line.startswith("policy") for word in line.split()[1:]]
        assert headers == [str(window) for window in windows]


def test_policies_with_an_axis_each_of_one_name_are_a_matrix() -> None:
    """One for each metric: every value of every policy, and its name above; other values are no matrix."""
    labels = [f"window_{number}" for number in range(21)]
    more = "".join(f'[[policy]]\nkind = "recency_window"\nlabel = "{label}"\n' for label in labels)
    points = "".join(
        "[[point]]\n" + "".join(f"{label}.window_size = {size}\n" for label in labels) for size in (11, 22)
    )
    text = more + points + "recency_window.window_size = 22\nebbinghaus.grace_turns = 1\n"
    plan = plan_of(text, '["foundational_recall_rate", "misses"]', 'combine = "points"')
    assert result_lines(plan.spec, rates(plan, *[0.5] * plan.num_cells)) is None
    plan = plan_of(more + points, '["foundational_recall_rate", "misses"]', 'combine = "points"')
    lines = lines_of(plan, rates(plan, *[place / 100 for place in range(plan.num_cells)]))
    shown = [line.split() for line in lines if line.startswith("window_")]
    assert [words[0] for words in shown] == labels * 2
    assert [words[1:] for words in shown[:21]] == [[f"0.{at:02}0", f"0.{at + 23}0"] for at in range(2, 23)]
    assert "misses (recalls); window_size in the columns" in lines


def test_zipped_axes_of_many_policies_stay_narrow() -> None:
    """Each cell names the axis that it reads, not all five of them."""
    labels = [f"window_{number}" for number in range(5)]
    more = "".join(f'[[policy]]\nkind = "recency_window"\nlabel = "{label}"\n' for label in labels)
    more += "".join(f'[[axis]]\nparameter = "{label}.window_size"\nvalues = [11, 22]\n' for label in labels)
    plan = plan_of(more, sweep='combine = "zip"')
    lines = lines_of(plan, rates(plan, *[0.25] * plan.num_cells))
    assert max(map(len, lines)) <= 80
    assert sum("window_size 22" in line for line in lines) == 5


def test_bars_stand_where_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside each of three and more rows, as long as the share; none in 40 columns, and none of what is no share."""
    plan = plan_of('[[policy]]\nkind = "keep_all"', '["footprint_reduction", "misses"]')
    rows = [row(plan, number, {"footprint_reduction": value}) for number, value in enumerate((0.0, 0.5, 1.0))]
    assert [line.count("█") for line in lines_of(plan, rows)[-5:-2]] == [0, 10, 20]
    monkeypatch.setenv("COLUMNS", "40")
    assert not any("█" in line for line in lines_of(plan, rows))
    monkeypatch.undo()
    turns = plan_of('[[policy]]\nkind = "keep_all"', '["misses"]')
    assert not any("█" in line for line in lines_of(turns, [row(turns, number, {}) for number in range(3)]))


def test_more_cells_than_a_table_holds_need_another_view() -> None:
    """Then there is no table."""
    plan = plan_of(WINDOW.format(list(range(1, 60))) + "\n" + NOISE)
    assert result_lines(plan.spec, rates(plan, *[0.5, 0.25] * plan.num_points)) is None


def test_failed_cells_leave_gaps() -> None:
    """A cell without a result says so; without any there is no table."""
    plan = plan_of(NOISE.replace("[5, 20]", "[1, 2, 3]"), '["foundational_recall_rate"]')
    rows = rates(plan, 1.0, 0.25, 0.5, 0.25, 0.5, 0.25)
    lines = lines_of(plan, [rows[0], rows[4], rows[5]])
    assert [line.split()[-1] for line in lines if line.strip()[:2] in ("1 ", "2 ", "3 ")] == ["failed", "(0.112–0.469)"]
    assert lines_of(plan, []) == ["no cell could be played"]
