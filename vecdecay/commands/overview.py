"""A sweep of many points at a glance: its best, worst and Pareto-optimal cells, and a picture over its axes."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vecdecay.commands.pictures import heat_map, sparkline
from vecdecay.commands.result_table import (
    axis_texts,
    caption,
    column_digits,
    read_axes,
    short_name,
    two_lines,
    value_cell,
)
from vecdecay.commands.screen import GAP, Cell, paragraph, table, width, width_of
from vecdecay.numerals import NOTHING, count, distinct
from vecdecay.policies.keep_all import never_evicts
from vecdecay.quantities import Metric, metric_named
from vecdecay.run.plan import Plan
from vecdecay.run.played import CellRow, cell_means, cell_rows
from vecdecay.sweepfile.axes import Axis
from vecdecay.sweepfile.model import places

COST = "mean_working_set"
MOST_PARETO = 10
MOST_MAP_ROWS = 16
MOST_PICTURES = 6
MOST_PIVOT = 8

Floats = NDArray[np.float64]


def overview_lines(plan: Plan, folder: Path) -> list[str]:
    """Return the outstanding cells of a run with their values, and a picture per policy over the first two axes."""
    spec = plan.spec
    numbers, (costs, *leading) = cell_means(folder, [COST, *spec.leading])
    known = [place for place, values in enumerate(leading) if np.isfinite(values).any()]
    if not known:
        return ["no cell has a value"]
    metric, values, cost = metric_named(spec.leading[known[0]]), leading[known[0]], metric_named(COST)
    outstanding = _outstanding(plan, numbers, values, costs, -1.0 if metric.better == "lower" else 1.0)
    rows = {row.cell.number: row for row in cell_rows(plan, folder, sorted(outstanding))}
    lines = paragraph(
        f"{count(plan.num_points, 'point')}, {count(len(numbers), 'cell')}: the best, the worst, and those that no "
        f"other beats in both {caption([metric])} and {caption([cost])}; all are in cells.parquet"
    )
    lines += ["", *_table(plan, [(words, rows[number]) for number, words in outstanding.items()], metric, cost)]
    return [*lines, *_pictures(plan, numbers, values, metric)]


def _outstanding(plan: Plan, numbers: Any, values: Floats, costs: Floats, sign: float) -> dict[int, str]:
    """Return the cells to show, and why: bounds, best, worst, then Pareto-optimal ones by falling value."""
    limited = {axis.label for axis in plan.spec.axes if axis.name.startswith("capacity_")}
    entries = enumerate(plan.spec.policies)
    bounds = [place for place, entry in entries if never_evicts(entry.policy) and entry.label not in limited]
    compared = np.isfinite(values) & ~np.isin(numbers % plan.num_policies, bounds)
    found: dict[int, str] = {}
    if not compared.any():
        compared = np.isfinite(values)
    order = np.lexsort((numbers[compared], costs[compared], -sign * values[compared]))
    ranked, ranked_costs = numbers[compared][order], costs[compared][order]
    found[int(ranked[0])] = "best"
    cheaper = np.flatnonzero(ranked_costs < np.minimum.accumulate(np.r_[math.inf, ranked_costs[:-1]]))
    optimal = ranked[cheaper]
    if len(optimal) > MOST_PARETO:
        optimal = optimal[np.linspace(0, len(optimal) - 1, MOST_PARETO).round().astype(int)]
    for number in optimal:
        found.setdefault(int(number), "Pareto")
    found.setdefault(int(ranked[-1]), "worst")
    for place in bounds:
        found.setdefault(int(numbers[numbers % plan.num_policies == place][0]), "bound")
    return found


def _table(plan: Plan, rows: Sequence[tuple[str, CellRow]], metric: Metric, cost: Metric) -> list[str]:
    spec, shown = plan.spec, [row for _, row in rows]
    texts = axis_texts(spec, (row.cell.axis_values for row in shown))
    digits = column_digits(shown, metric)
    cells: list[list[Cell]] = []
    for words, row in rows:
        at = [
            f"  {short_name(name)} {texts[name][row.cell.axis_values[name]]}"
            for name in read_axes(spec, row.cell.label)
        ]
        mean = row.summaries[cost.name].summary.mean
        policy = "\n".join([row.cell.label, *at])
        cells.append([words, policy, value_cell(row, metric, digits), NOTHING if mean is None else f"{mean:.1f}"])
    return table(["cell", "policy", two_lines(metric), two_lines(cost)], cells)


def _pictures(plan: Plan, numbers: Any, values: Floats, metric: Metric) -> list[str]:
    """Return a picture for each policy that reads an axis, the values averaged over the axes that it does not show."""
    scale = (0.0, 1.0) if metric.unit == "share" else (float(np.nanmin(values)), float(np.nanmax(values)))
    points, policies = np.divmod(numbers, plan.num_policies)
    axes = plan.spec.axes
    at = np.array([places(plan.spec, int(point)) for point in range(plan.num_points)]).reshape(-1, len(axes))
    lines: list[str] = []
    for place, entry in enumerate(plan.spec.policies):
        read = [number for number, axis in enumerate(axes) if axis.parameter in read_axes(plan.spec, entry.label)]
        if not read or len(lines) > MOST_PICTURES * (MOST_MAP_ROWS + 3):
            continue
        own, shown = policies == place, [axes[number] for number in read[:2]]
        at_shown = [at[points[own], number] for number in read[:2]]
        grid = _means(at_shown, [len(axis.values) for axis in shown], values[own])
        others = ", ".join(short_name(axes[number].parameter) for number in read[2:])
        lines += ["", *_picture(f"{entry.label}, mean over {others}" if others else entry.label, shown, grid, scale)]
        if len(shown) == 2 and plan.spec.combine == "grid":
            lines += ["", *_pivot(shown, grid, metric)]
    if not lines:
        return []
    return [*lines, "", f"scale: {caption([metric])} from {scale[0]:.3g} to {scale[1]:.3g}"]


def _means(at: Sequence[Any], sizes: Sequence[int], values: Floats) -> Floats:
    """Return the mean value at each place, shape (place on the first axis, place on the second)."""
    flat = at[0] * (sizes[1] if len(sizes) > 1 else 1) + (at[1] if len(sizes) > 1 else 0)
    known = np.isfinite(values)
    length = math.prod(sizes)
    sums = np.bincount(flat[known], weights=values[known], minlength=length)
    with np.errstate(invalid="ignore"):
        return (sums / np.bincount(flat[known], minlength=length)).reshape(sizes[0], -1)


def _picture(title: str, axes: Sequence[Axis], grid: Floats, scale: tuple[float, float]) -> list[str]:
    """Return a sparkline over one axis, or a heat map over two."""
    low, high = scale
    shares = (grid - low) / ((high - low) or 1.0)
    first = list(distinct(list(axes[0].values)).values())
    if len(axes) == 1:
        line = sparkline(shares[:, 0], width() - len(first[0]) - len(first[-1]) - 2 * len(GAP))
        return [*paragraph(f"{title} over {short_name(axes[0].parameter)}"), f"{first[0]}{GAP}{line}{GAP}{first[-1]}"]
    second = list(distinct(list(axes[1].values)).values())
    down, right = (short_name(axis.parameter) for axis in axes)
    directions = f"{down} downwards, {right} to the right; darker is higher"
    return [*paragraph(f"{title}: {directions}"), *heat_map(shares, first, second, MOST_MAP_ROWS)]


def _pivot(axes: Sequence[Axis], grid: Floats, metric: Metric) -> list[str]:
    """Return the values at some places of two axes, both ends among them, as many as have room."""
    first, second = (list(distinct(list(axis.values)).values()) for axis in axes)
    rows = _evenly(len(first), MOST_PIVOT)
    digits = 3 if metric.unit == "share" else 1
    for most in range(MOST_PIVOT, 0, -1):
        columns = _evenly(len(second), most)
        cells = [[first[row], *(f"{grid[row, column]:.{digits}f}" for column in columns)] for row in rows]
        lines = table([short_name(axes[0].parameter), *(second[column] for column in columns)], cells, stack=False)
        if width_of(lines) <= width():
            break
    return lines


def _evenly(size: int, most: int) -> list[int]:
    """Return at most so many places of a list, evenly spaced, the first and the last among them.

    >>> _evenly(9, 3), _evenly(2, 3), _evenly(9, 1)
    ([0, 4, 8], [0, 1], [0])
    """
    return sorted({round(place) for place in np.linspace(0, size - 1, min(size, most)).tolist()})
