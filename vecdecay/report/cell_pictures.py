"""Pictures of cells: a metric against what it costs, along one axis, and over two."""

import math
from collections.abc import Sequence
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np

from vecdecay.errors import InvalidInputError
from vecdecay.numerals import count, short
from vecdecay.parameters import did_you_mean
from vecdecay.quantities import Metric
from vecdecay.report.study import COST, Study, mean_of, pareto, short_axis, sign_of
from vecdecay.report.style import (
    INK,
    LINE,
    MUTED,
    SCALE,
    Caption,
    Label,
    axis_label,
    colour,
    dashes,
    dress,
    evenly,
    label_at_the_right,
    label_near,
    number_text,
    plain_numbers,
    share_limits,
    short_text,
)
from vecdecay.run.played import CellRow

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_LINES = 12
_MOST_BANDS = 5
_MOST_COLOURED = 6
_MOST_INTERVALS = 40
_MOST_NUMBERS = 120
_WIDE = 30.0
"""From this ratio of the largest to the smallest value on, an axis is logarithmic."""


def draw_pareto(ax: "Axes", study: Study, metric: Metric) -> Caption:
    """Draw the mean of a metric against the mean occupancy of every distinct cell, and the front of those unbeaten."""
    known = [row for row in study.cells if math.isfinite(mean_of(row, metric))]
    name = metric.name.replace("_", " ")
    several = len(study.settings) > 1
    where = "" if several or not study.rows or not study.setting(study.rows[0]) else f", {study.setting_name()}"
    title = f"{name} against what it costs{where}"
    dress(ax, axis_label(COST), axis_label(metric), "both")
    if not known:
        return Caption(title, f"no cell has a value of the {name}")
    points = [(mean_of(row, COST), mean_of(row, metric)) for row in known]
    xs, ys = zip(*points, strict=True)
    _cost_axis(ax, xs)
    if metric.unit == "share":
        share_limits(ax, ys)
    front = [row for one in study.settings for row in pareto(one.cells, metric)]
    stairs = [] if several else _stairs(sorted((mean_of(row, COST), mean_of(row, metric)) for row in front))
    if stairs:
        ax.plot(*zip(*stairs, strict=True), color=MUTED, linewidth=1.0, zorder=1)
    labels = list(dict.fromkeys(row.cell.label for row in known))
    for label in labels:
        own = [row for row in known if row.cell.label == label]
        _scatter(ax, own, front, metric, colour(own[0].cell.policy_index) if len(labels) <= _MOST_COLOURED else INK)
    label_near(ax, _names_on_the_front(study, known, front, metric, labels), [*_once(ax, points), *_along(ax, stairs)])
    return Caption(title, _pareto_message(study, known, front, metric))


def _stairs(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the corners of the line through a front: what is held buys nothing more until the next point."""
    corners = [(right[0], left[1]) for left, right in pairwise(points)]
    return [one for pair in zip_longest(points, corners) for one in pair if one] if corners else []


def _along(ax: "Axes", corners: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return points along a line, so near to each other on the screen that no label fits between them."""
    pixels = ax.transData.transform(corners) if corners else np.empty((0, 2))
    found = [np.linspace(one, other, 2 + int(np.hypot(*(other - one)) / 5)) for one, other in pairwise(pixels)]
    return [tuple(point) for part in found for point in ax.transData.inverted().transform(part).tolist()]


def _cost_axis(ax: "Axes", xs: Sequence[float]) -> None:
    positive = [x for x in xs if x > 0]
    wide = len(positive) == len(xs) and max(xs) > _WIDE * min(xs)
    plain_numbers(ax, "x", wide)
    low, high = min(xs), max(xs)
    if wide:
        ax.set_xlim(low / 1.3, high * 1.6)
    else:
        room = (high - low) or max(1.0, high)
        ax.set_xlim(max(-0.02 * room, low - 0.1 * room), high + 0.2 * room)


def _once(ax: "Axes", points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the points without those that would cover another one."""
    pixels = np.round(ax.transData.transform(points) / 2).astype(int)
    return list({tuple(pixel): point for pixel, point in zip(pixels.tolist(), points, strict=True)}.values())


def _scatter(ax: "Axes", own: Sequence[CellRow], front: Sequence[CellRow], metric: Metric, shade: str) -> None:
    """Draw the cells of one policy: filled on the front, hollow off it; with intervals where they are few."""
    unbeaten = {row.cell.number for row in front}
    for on_front in (False, True):
        chosen = [row for row in own if (row.cell.number in unbeaten) == on_front]
        if not chosen:
            continue
        xs, ys = zip(*_once(ax, [(mean_of(row, COST), mean_of(row, metric)) for row in chosen]), strict=True)
        ax.scatter(
            xs, ys, s=30 if on_front else 16, facecolor=shade if on_front else "none", edgecolor=shade,
            linewidth=1.0, zorder=3 if on_front else 2,
        )  # fmt: skip
        if len(own) <= _MOST_INTERVALS:
            for row in chosen:
                one = row.summaries[metric.name]
                if one.low is not None and one.high is not None:
                    ax.plot([mean_of(row, COST)] * 2, [one.low, one.high], color=shade, linewidth=0.9, zorder=1)


def _names_on_the_front(
    study: Study, known: Sequence[CellRow], front: Sequence[CellRow], metric: Metric, labels: Sequence[str]
) -> list[Label]:
    """Return the names of the cells where they are few, else of each policy at its best cell."""
    few = len(known) <= MOST_LINES
    unbeaten = {row.cell.number for row in front}
    found, named = [], set[str]()
    order = sorted(known, key=lambda row: (row.cell.number not in unbeaten, -sign_of(metric) * mean_of(row, metric)))
    for row in order:
        name = study.brief_name(row) if few else row.cell.label
        if name not in named:
            named.add(name)
            shade = colour(row.cell.policy_index) if len(labels) <= _MOST_COLOURED else INK
            found.append(Label(mean_of(row, COST), mean_of(row, metric), name, shade))
    return found


def _pareto_message(study: Study, known: Sequence[CellRow], front: Sequence[CellRow], metric: Metric) -> str:
    name = metric.name.replace("_", " ")
    values = {mean_of(row, metric) for row in known}
    costs = {mean_of(row, COST) for row in known}
    best = front[0]
    at = f"{short(mean_of(best, metric))} for {mean_of(best, COST):.1f} items"
    if len(known) == 1:
        return f"one cell: {at}"
    if len(values) == 1 and len(costs) == 1:
        return f"nothing differs: each of the {count(len(known), 'cell')} gives {at}"
    if len(values) == 1:
        return f"the {name} does not differ, {short(values.pop())} everywhere; {study.name(best)} holds least"
    if len(study.settings) > 1:
        return f"filled: unbeaten at their setting of the workload, of which there are {len(study.settings)}"
    if len(front) == 1:
        return f"{study.name(best)} beats all others in both: {at}"
    return (
        f"{len(front)} of {count(len(known), 'cell')} (filled) are unbeaten: no other is as good and holds fewer items"
    )


def draw_curve(ax: "Axes", study: Study, parameter: str, metric: Metric) -> Caption:
    """Draw a metric along an axis with the 95 % intervals of its means, one line per policy and point off that axis."""
    full = axis_named(study, parameter)
    lines = _lines(study, full)
    name, short_name = metric.name.replace("_", " "), short_axis(full)
    title = f"{name} along {short_name}"
    labels: list[Label] = []
    shown = [(text, rows) for text, rows in lines if any(math.isfinite(mean_of(row, metric)) for row in rows)]
    values = [row.cell.axis_values[full] for _, rows in shown for row in rows]
    numeric = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    places = {value: place for place, value in enumerate(dict.fromkeys(values))}
    num_labels = len({row.cell.label for _, rows in lines for row in rows})
    drawn = evenly(shown, MOST_LINES)
    for number, (text, rows) in enumerate(drawn):
        known = [row for row in rows if math.isfinite(mean_of(row, metric))]
        xs = [row.cell.axis_values[full] if numeric else places[row.cell.axis_values[full]] for row in known]
        order = np.argsort(xs, kind="stable")
        style = number if len(shown) > num_labels else known[0].cell.policy_index
        _line(ax, [xs[i] for i in order], [known[i] for i in order], metric, style, len(drawn) <= _MOST_BANDS)
        last = known[order[-1]]
        labels.append(Label(max(xs), mean_of(last, metric), text, colour(style)))
    unit = _unit(study, full)
    dress(ax, f"{short_name}{f' ({unit})' if unit else ''}", axis_label(metric))
    _curve_axes(ax, study, full, values, numeric, places)
    if metric.unit == "share":
        banded = drawn if len(drawn) <= _MOST_BANDS else []
        ends = [end for _, rows in banded for row in rows for end in _ends(row, metric)]
        share_limits(ax, [*(mean_of(row, metric) for _, rows in shown for row in rows), *ends])
    label_at_the_right(ax, labels)
    return Caption(title, _curve_message(shown, metric, short_name))


def axis_named(study: Study, name: str) -> str:
    """Return the full name of an axis; InvalidInputError, with the nearest name, where there is none."""
    known = [axis.parameter for axis in study.plan.spec.axes]
    for full in known:
        if name in (full, short_axis(full)):
            return full
    hint = did_you_mean(name, [*known, *map(short_axis, known)])
    raise InvalidInputError([f"{name!r} is no axis of these cells; axes: {', '.join(known) or 'none'}{hint}"])


def _lines(study: Study, full: str) -> list[tuple[str, list[CellRow]]]:
    """Return what is drawn along an axis: a policy, at each of its points off the axis."""
    groups: dict[tuple[str, tuple[Any, ...]], list[CellRow]] = {}
    for row in study.cells:
        values = study.values(row)
        if full in values:
            others = tuple((name, value) for name, value in values.items() if name != full)
            groups.setdefault((row.cell.label, others), []).append(row)
    labels = {label for label, _ in groups}
    several = len(groups) > len(labels)
    found = []
    for (label, others), rows in groups.items():
        texts = [f"{short_axis(name)} {study.axis_texts[name][value]}" for name, value in others]
        named = [label, *texts] if len(labels) > 1 else texts
        found.append((", ".join(named) if several else label, rows))
    return found


def _ends(row: CellRow, metric: Metric) -> tuple[float, float]:
    """Return the ends of the 95 % interval of a cell, or its mean twice."""
    summary, mean = row.summaries[metric.name], mean_of(row, metric)
    return (mean if summary.low is None else summary.low), (mean if summary.high is None else summary.high)


def _line(ax: "Axes", xs: Sequence[float], rows: Sequence[CellRow], metric: Metric, style: int, band: bool) -> None:
    means = [mean_of(row, metric) for row in rows]
    marker = "o" if len(rows) <= 25 else None
    ax.plot(xs, means, color=colour(style), linestyle=dashes(style), linewidth=1.5, marker=marker, markersize=3.5)
    if band:
        lows, highs = zip(*(_ends(row, metric) for row in rows), strict=True)
        ax.fill_between(xs, lows, highs, color=colour(style), alpha=0.18, linewidth=0)


def _curve_axes(ax: "Axes", study: Study, full: str, values: Sequence[Any], numeric: bool, places: Any) -> None:
    if not numeric:
        texts = [short_text(study.axis_texts[full][value], 18) for value in places]
        ax.set_xticks(range(len(places)), texts, rotation=30 if max(map(len, texts)) > 6 else 0, ha="right")
        return
    finite = [value for value in values if math.isfinite(value)]
    positive = bool(finite) and min(finite) > 0
    plain_numbers(ax, "x", positive and max(finite) > _WIDE * min(finite))


def _unit(study: Study, full: str) -> str:
    label = full.rpartition(".")[0]
    spec = study.plan.spec
    described: Any = next((one.policy for one in spec.policies if one.label == label), spec.workload)
    units: dict[str, str] = {one.name: one.unit for one in described.parameters()}
    return units.get(short_axis(full), "")


def _curve_message(shown: Sequence[tuple[str, list[CellRow]]], metric: Metric, name: str) -> str:
    if not shown:
        return "no cell has a value"
    still = [text for text, rows in shown if len({mean_of(row, metric) for row in rows}) == 1]
    what = metric.name.replace("_", " ")
    if len(still) == len(shown):
        levels = {mean_of(row, metric) for _, rows in shown for row in rows}
        at = f" ({short(next(iter(levels)))})" if len(levels) == 1 else ""
        return f"no difference: {name} does not change the {what} of any policy{at}"
    left_out = f"; {len(shown) - MOST_LINES} more lines are not drawn" if len(shown) > MOST_LINES else ""
    band = "the band is the 95 % interval of the mean over the sessions"
    if len(shown) > _MOST_BANDS:
        band = "the means over the sessions, of too many lines to show intervals"
    unmoved = f"; no difference along it for {', '.join(still[:3])}" if still else ""
    return f"{band}{unmoved}{left_out}"


def draw_heat_map(
    ax: "Axes",
    study: Study,
    x: str,
    y: str,
    metric: Metric,
    label: str | None = None,
    at: tuple[str, Any] | None = None,
) -> Caption:
    """Draw the mean of a metric over two axes for one policy; where there are more axes, the mean over their values.

    ``at`` names a third axis, in full, and the value on it that is drawn.
    """
    across, up = axis_named(study, x), axis_named(study, y)
    label = _map_label(study, across, up, label)
    rows = [
        row for row in study.cells if row.cell.label == label and (at is None or row.cell.axis_values[at[0]] == at[1])
    ]
    columns, lines = _values_on(rows, across), _values_on(rows, up)
    grid = means_over(rows, across, up, columns, lines, metric)
    name = metric.name.replace("_", " ")
    where = f", {short_axis(at[0])} {study.axis_texts[at[0]][at[1]]}" if at else ""
    title = f"{label}: {name} over {short_axis(across)} and {short_axis(up)}{where}"
    texts = [[study.axis_texts[one][value] for value in values] for one, values in ((across, columns), (up, lines))]
    _draw_map(ax, grid, texts[0], texts[1], axis_label(metric))
    ax.set_xlabel(_with_unit(study, across), color=INK)
    ax.set_ylabel(_with_unit(study, up), color=INK)
    return Caption(title, _map_message(grid, name, len(study.axes_of(label)) > 2 + (at is not None)))


def _with_unit(study: Study, full: str) -> str:
    unit = _unit(study, full)
    return f"{short_axis(full)} ({unit})" if unit else short_axis(full)


def _map_label(study: Study, across: str, up: str, label: str | None) -> str:
    reading = [entry.label for entry in study.plan.spec.policies if {across, up} <= set(study.axes_of(entry.label))]
    if across == up:
        raise InvalidInputError([f"both axes are {across}; allowed: two different ones"])
    if label is not None and label not in reading:
        raise InvalidInputError([f"{label!r} does not read both axes; these do: {', '.join(reading) or 'none'}"])
    if not reading:
        raise InvalidInputError([f"no policy reads both {across} and {up}"])
    return label or reading[0]


def _values_on(rows: Sequence[CellRow], full: str) -> list[Any]:
    values = list(dict.fromkeys(row.cell.axis_values[full] for row in rows))
    try:
        return sorted(values)
    except TypeError:
        return values


def means_over(
    rows: Sequence[CellRow], across: str, up: str, columns: Sequence[Any], lines: Sequence[Any], metric: Metric
) -> Any:
    """Return the mean of the cells at each place, shape (line, column), NaN where there is none."""
    sums, numbers = np.zeros((len(lines), len(columns))), np.zeros((len(lines), len(columns)))
    at_column = {value: place for place, value in enumerate(columns)}
    at_line = {value: place for place, value in enumerate(lines)}
    for row in rows:
        mean = mean_of(row, metric)
        if math.isfinite(mean):
            place = at_line[row.cell.axis_values[up]], at_column[row.cell.axis_values[across]]
            sums[place] += mean
            numbers[place] += 1
    with np.errstate(invalid="ignore"):
        return sums / numbers


def _draw_map(ax: "Axes", grid: Any, columns: Sequence[str], lines: Sequence[str], label: str) -> None:
    known = grid[np.isfinite(grid)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    if low == high:
        low, high = low - 0.5, high + 0.5
    mesh = ax.pcolormesh(
        np.ma.masked_invalid(grid), cmap=SCALE, vmin=low, vmax=high, edgecolors="none", rasterized=True
    )
    for axis, texts in ((ax.xaxis, columns), (ax.yaxis, lines)):
        step = -(-len(texts) // (8 if axis is ax.xaxis else 12))
        chosen = range(0, len(texts), step)
        axis.set_ticks([place + 0.5 for place in chosen], [short_text(texts[place], 14) for place in chosen])
    longest = max((len(text) for text in columns), default=0)
    if longest * min(8, len(columns)) > 32:
        ax.tick_params(axis="x", labelrotation=35)
    ax.tick_params(colors=MUTED, labelcolor=INK, length=3)
    for spine in ax.spines.values():
        spine.set_color(LINE)
    figure = ax.get_figure(root=True)
    assert figure is not None
    bar = figure.colorbar(mesh, ax=ax, pad=0.02)
    bar.set_label(label, color=INK)
    bar.ax.tick_params(colors=MUTED, labelcolor=INK, length=3)
    bar.outline.set_edgecolor(LINE)
    if grid.size <= _MOST_NUMBERS and grid.shape[1] <= 8:
        for (line, column), value in np.ndenumerate(grid):
            if math.isfinite(value):
                bright = (value - low) / (high - low) > 0.55
                text = f"{value:.2f}" if abs(value) < 10 else number_text(round(value))
                ax.text(column + 0.5, line + 0.5, text, ha="center", va="center", fontsize=9,
                        color="#000000" if bright else "#ffffff")  # fmt: skip


def _map_message(grid: Any, name: str, averaged: bool) -> str:
    known = grid[np.isfinite(grid)]
    if not known.size:
        return f"no cell has a value of the {name}"
    over = "; means over the values of the other axes" if averaged else ""
    if known.min() == known.max():
        return f"no difference: the {name} is {short(float(known[0]))} everywhere{over}"
    if all(np.unique(line[np.isfinite(line)]).size <= 1 for line in grid):
        return f"no difference from left to right: only what is upwards changes the {name}{over}"
    if all(np.unique(line[np.isfinite(line)]).size <= 1 for line in grid.T):
        return f"no difference upwards: only what is to the right changes the {name}{over}"
    return f"brighter is higher: from {short(float(known.min()))} to {short(float(known.max()))}{over}"
