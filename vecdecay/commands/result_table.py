"""The table of a sweep that has few points: a row per policy, per point, or per distinct cell, whichever fits."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from vecdecay.commands.pictures import bar
from vecdecay.commands.screen import GAP, Cell, paragraph, table, width, width_of
from vecdecay.numerals import CONSTANT_MARK, NOTHING, digits_of, distinct, estimate, mark
from vecdecay.policies.keep_all import never_evicts
from vecdecay.quantities import Metric, metric_named
from vecdecay.run.played import CellRow
from vecdecay.sweepfile.model import WORKLOAD, SweepSpec

MOST_ROWS = 40
CONSTANT_LEGEND = f"{CONSTANT_MARK} every session gave the same value: these seeds do not reach this result"
RATE = "foundational_recall_rate"

_HEADLINE = {
    "hit_rate": "hit\nrate",
    RATE: "foundational\nrecall rate (95 %)",
    "foundational_evicted": "of them\nevicted",
    "terminal_survival_rate": "survival\nrate",
    "footprint_reduction": "footprint\nreduction",
}
_INTERVALS = (("rate", "mean"), ("rate",), ())
"""Which intervals are shown: where a table is too wide those of rates, which are compared, are dropped last."""
_SHORTEST_BAR, _LONGEST_BAR = 8, 20
_INTERVAL = re.compile(r"\([≥≤><]?=? ?[−-]?\d")
_MARKED = re.compile(rf" {CONSTANT_MARK}(?= |$)", re.MULTILINE)


def result_lines(spec: SweepSpec, rows: Sequence[CellRow]) -> list[str] | None:
    """Return the table and its legend; None where no table of at most ``MOST_ROWS`` rows holds the cells.

    ``rows`` come in the order of the cells; those that failed are not among them.
    """
    if not rows:
        return ["no cell could be played"]
    metrics = [metric_named(name) for name in spec.leading]
    lines = _without_axes(spec, rows, metrics) if not spec.axes else _with_axes(spec, rows, metrics)
    if lines is not None and any(_MARKED.search(line) for line in lines):
        lines += ["", *paragraph(CONSTANT_LEGEND)]
    return lines


def markdown_lines(spec: SweepSpec, rows: Sequence[CellRow]) -> list[str]:
    """Return a Markdown table with a row per distinct cell: means, with intervals where the sessions differ."""
    metrics = [metric_named(name) for name in spec.metrics or _HEADLINE]
    header, cells = _row_per_cell(spec, _distinct(spec, rows), metrics, _INTERVALS[0])
    texts = [[title.replace("\n", " ") for title in header], ["---"] * len(header)]
    texts += [[cell if isinstance(cell, str) else " ".join(filter(None, cell)) for cell in row] for row in cells]
    return ["| " + " | ".join(text.replace("|", "\\|") for text in row) + " |" for row in texts]


def read_axes(spec: SweepSpec, label: str) -> list[str]:
    """Return the parameters on axes that a policy or its workload reads."""
    return [axis.parameter for axis in spec.axes if axis.label in (label, WORKLOAD)]


def axis_texts(spec: SweepSpec, values: Iterable[Mapping[str, Any]]) -> dict[str, dict[Any, str]]:
    """Return, for each axis, its values among those given as text."""
    listed = list(values)
    return {axis.parameter: distinct([one[axis.parameter] for one in listed]) for axis in spec.axes}


def caption(metrics: Sequence[Metric]) -> str:
    """Return the names of metrics, with the units of those that are no shares."""
    return ", ".join(
        metric.name.replace("_", " ") + (f" ({metric.unit})" if metric.unit != "share" else "") for metric in metrics
    )


def value_cell(row: CellRow, metric: Metric, digits: int | None = None, interval: bool = True) -> tuple[str, ...]:
    """Return the mean, its interval and the mark of a constant."""
    summary = row.summaries[metric.name]
    number, ends = estimate(summary, metric.unit, digits)
    return number, ends if interval else "", mark(summary)


def column_digits(rows: Iterable[CellRow], metric: Metric) -> int:
    """Return the digits after the point of a column: as many as its most exact value needs, the same for each."""
    return max((digits_of(row.summaries[metric.name], metric.unit) for row in rows), default=0)


def _without_axes(spec: SweepSpec, rows: Sequence[CellRow], metrics: Sequence[Metric]) -> list[str]:
    if spec.metrics:
        return _captioned(metrics, _narrowest(spec, rows, metrics))
    columns: list[list[Cell]] = []
    for name in _HEADLINE:
        metric = metric_named(name)
        digits = column_digits(rows, metric) if name == RATE else 3 if metric.unit == "share" else 2
        columns.append([_headline_cell(row, metric, digits) for row in rows])
    return table(["policy", *_HEADLINE.values()], list(zip([row.cell.label for row in rows], *columns, strict=True)))


def _headline_cell(row: CellRow, metric: Metric, digits: int) -> tuple[str, ...]:
    number, interval, sign = value_cell(row, metric, digits, interval=metric.name == RATE)
    items = row.cell.workload.values().get("num_foundational")
    of_how_many = f"of {items}" if metric.name == "foundational_evicted" and items is not None else ""
    return number, interval or of_how_many, sign


def _with_axes(spec: SweepSpec, rows: Sequence[CellRow], metrics: Sequence[Metric]) -> list[str] | None:
    """Return a row per point, a row per distinct cell, or a matrix; cells that read no axis stand below it, once."""
    fixed = [row for row in _distinct(spec, rows) if not read_axes(spec, row.cell.label)]
    moving = [row for row in rows if read_axes(spec, row.cell.label)]
    points = [list(group) for _, group in groupby(moving, key=lambda row: row.cell.point)]
    owners = {axis.label for axis in spec.axes}
    lines: list[str] | None = None
    alike: dict[str, CellRow] = {}
    if len(points) <= MOST_ROWS and (spec.combine != "grid" or len(owners) == 1 or WORKLOAD in owners):
        lines = _row_per_point(spec, points, metrics)
    if lines is None or width_of(lines) > width():
        cells = _distinct(spec, moving)
        if len(cells) <= MOST_ROWS:
            alike = _alike_everywhere(spec, cells, metrics)
            lines = _narrowest(spec, [row for row in cells if row.cell.label not in alike] or cells, metrics)
        elif _share_one_axis(spec, cells):
            matrices = [_matrix(spec, cells, metric) for metric in metrics]
            return [line for matrix in matrices for line in ("", *matrix)][1:] + _below(fixed, alike, metrics)
        else:
            return None
    return [*_captioned(metrics, lines), *_below(fixed, alike, metrics)]


def _below(fixed: Sequence[CellRow], alike: Mapping[str, CellRow], metrics: Sequence[Metric]) -> list[str]:
    """Return what is said once of the policies that no axis changes."""
    lines: list[str] = []
    for row, why in [
        *((row, "reads none of the axes") for row in fixed),
        *((row, "at every point") for row in alike.values()),
    ]:
        texts = (" ".join(filter(None, value_cell(row, metric))) for metric in metrics)
        lines += ["", *paragraph(f"{row.cell.label} {why}: {', '.join(texts)}")]
    return lines


def _alike_everywhere(spec: SweepSpec, rows: Sequence[CellRow], metrics: Sequence[Metric]) -> dict[str, CellRow]:
    """Return, by its label, the first cell of each policy that keeps everything and has one value at all points."""
    found = {}
    for entry in spec.policies:
        own = [row for row in rows if row.cell.label == entry.label]
        one_value = all(len({value_cell(row, metric) for row in own}) == 1 for metric in metrics)
        if all(never_evicts(row.cell.policy) for row in own) and len(own) > 1 and one_value:
            found[entry.label] = own[0]
    return found


def _captioned(metrics: Sequence[Metric], lines: Sequence[str]) -> list[str]:
    in_brackets = "; in brackets the 95 % interval" if any(_INTERVAL.search(line) for line in lines) else ""
    return [*paragraph(caption(metrics) + in_brackets), "", *lines]


def _row_per_point(spec: SweepSpec, points: Sequence[Sequence[CellRow]], metrics: Sequence[Metric]) -> list[str]:
    """Return a row per point and a column per policy and metric; of whatever width."""
    labels = [entry.label for entry in spec.policies if read_axes(spec, entry.label)]
    texts = axis_texts(spec, (point[0].cell.axis_values for point in points))
    header = [axis.parameter.removeprefix(f"{WORKLOAD}.").replace(".", ".\n") for axis in spec.axes]
    columns: list[list[Cell]] = [
        [texts[axis.parameter][point[0].cell.axis_values[axis.parameter]] for point in points] for axis in spec.axes
    ]
    for label in labels:
        cells = [next((row for row in point if row.cell.label == label), None) for point in points]
        for metric in metrics:
            digits = column_digits(filter(None, cells), metric)
            header.append(label if len(metrics) == 1 else f"{label}\n{two_lines(metric)}")
            columns.append([value_cell(row, metric, digits) if row else ("failed", "", "") for row in cells])
    return table(header, list(zip(*columns, strict=True)), stack=False)


def _narrowest(spec: SweepSpec, rows: Sequence[CellRow], metrics: Sequence[Metric]) -> list[str]:
    """Return a row per cell with as many intervals as have room."""
    for kinds in _INTERVALS:
        header, cells = _row_per_cell(spec, rows, metrics, kinds)
        lines = table(header, cells, stack=False)
        if width_of(lines) <= width():
            return _with_bars(lines, rows, metrics[0])
    return table(header, cells)


def _row_per_cell(
    spec: SweepSpec, rows: Sequence[CellRow], metrics: Sequence[Metric], kinds: Sequence[str]
) -> tuple[list[str], list[tuple[Cell, ...]]]:
    """Return the titles and the cells of a table with a row per cell and the intervals of some kinds of metrics."""
    columns: list[list[Cell]] = []
    for metric in metrics:
        digits = column_digits(rows, metric)
        columns.append([value_cell(row, metric, digits, metric.interval in kinds) for row in rows])
    header = ["policy", *(["at"] if spec.axes else []), *map(two_lines, metrics)]
    at = [_at(spec, rows)] if spec.axes else []
    return header, list(zip([row.cell.label for row in rows], *at, *columns, strict=True))


def _with_bars(lines: Sequence[str], rows: Sequence[CellRow], metric: Metric) -> list[str]:
    """Return the table with a bar of a share beside each of its rows, where there is room and more than two rows."""
    used = width_of(lines) + len(GAP)
    room = min(_LONGEST_BAR, width() - used)
    if metric.unit != "share" or room < _SHORTEST_BAR or len(rows) <= 2:
        return list(lines)
    bars = [bar(row.summaries[metric.name].summary.mean, room) for row in rows]
    return [
        f"{line:{used}}{one}".rstrip() for line, one in zip(lines, [""] * (len(lines) - len(rows)) + bars, strict=True)
    ]


def _at(spec: SweepSpec, rows: Sequence[CellRow]) -> list[Cell]:
    """Return the values of the axes that each cell reads."""
    texts = axis_texts(spec, (row.cell.axis_values for row in rows))
    return [
        ", ".join(
            f"{short_name(name)} {texts[name][row.cell.axis_values[name]]}" for name in read_axes(spec, row.cell.label)
        )
        for row in rows
    ]


def _on_the_axis(spec: SweepSpec, row: CellRow) -> Any:
    """Return the value of the first axis that a cell reads."""
    return row.cell.axis_values[read_axes(spec, row.cell.label)[0]]


def _share_one_axis(spec: SweepSpec, rows: Sequence[CellRow]) -> bool:
    """Tell whether each policy reads one axis, all of the same name and with the same few values."""
    names = {tuple(map(short_name, read_axes(spec, row.cell.label))) for row in rows}
    values: dict[str, list[Any]] = {}
    for row in rows:
        values.setdefault(row.cell.label, []).append(_on_the_axis(spec, row))
    first = next(iter(values.values()))
    one_name = len(names) == 1 and all(len(name) == 1 for name in names)
    return one_name and len(first) <= MOST_ROWS and all(set(first).issuperset(own) for own in values.values())


def _matrix(spec: SweepSpec, rows: Sequence[CellRow], metric: Metric) -> list[str]:
    """Return a row per policy and a column per value of the one axis, in several tables where one is too wide."""
    texts = distinct(list(dict.fromkeys(_on_the_axis(spec, row) for row in rows)))
    values = list(texts)
    by_place = {(row.cell.label, _on_the_axis(spec, row)): row for row in rows}
    labels = list(dict.fromkeys(row.cell.label for row in rows))
    lines: list[str] = []
    while values:
        for taken in range(len(values), 0, -1):
            header = ["policy", *(texts[value].replace("_", "_\n") for value in values[:taken])]
            cells = [
                [label, *(_mean(by_place.get((label, value)), metric) for value in values[:taken])] for label in labels
            ]
            shown = table(header, cells, stack=False)
            if width_of(shown) <= width() or taken == 1:
                break
        lines += [*([""] if lines else []), *shown]
        values = values[taken:]
    name = short_name(read_axes(spec, rows[0].cell.label)[0])
    return [*paragraph(f"{caption([metric])}; {name} in the columns"), "", *lines]


def _mean(row: CellRow | None, metric: Metric) -> str:
    if row is None:
        return "failed"
    mean = row.summaries[metric.name].summary.mean
    return NOTHING if mean is None else f"{mean:.{3 if metric.unit == 'share' else 1}f}"


def _distinct(spec: SweepSpec, rows: Iterable[CellRow]) -> list[CellRow]:
    """Return the first of all cells that have the same policy and the same values of the axes that it reads."""
    found: dict[tuple[Any, ...], CellRow] = {}
    for row in rows:
        values = (row.cell.axis_values[name] for name in read_axes(spec, row.cell.label))
        found.setdefault((row.cell.label, *values), row)
    return sorted(found.values(), key=lambda row: row.cell.policy_index)


def short_name(parameter: str) -> str:
    """Return the name of a parameter on an axis without its owner."""
    return parameter.rpartition(".")[2]


def two_lines(metric: Metric) -> str:
    """Return the name of a metric as the title of a column."""
    return metric.name.replace("_", "\n", 1).replace("_", " ")
