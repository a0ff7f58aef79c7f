"""The table of a sweep: a row per policy, or with axes a row per point and a column per policy."""

import re
from collections.abc import Collection, Iterable, Sequence
from itertools import groupby, islice

from vecdecay.commands.numerals import (
    CONSTANT_MARK,
    amount,
    amount_digits,
    count,
    mark,
    plain,
    rate,
    rate_digits,
    short,
)
from vecdecay.commands.results import CellRow
from vecdecay.commands.screen import NOTHING, WIDTH, Cell, paragraph, table, width_of
from vecdecay.quantities import Metric, metric_named
from vecdecay.sweepfile.model import SweepSpec

MOST_ROWS = 40
CONSTANT_LEGEND = f"{CONSTANT_MARK} every session gave the same value: these seeds do not reach this result"

_RATE = "foundational_recall_rate"
_INTERVALS = (("rate", "mean"), ("rate",), ())
_SHARE_DIGITS, _COUNT_DIGITS = 3, 2
_MARKED = re.compile(rf" {CONSTANT_MARK}(?= |$)")

Points = Sequence[Sequence[CellRow]]
"""The cells of some points, point by point."""


def result_lines(spec: SweepSpec, rows: Iterable[CellRow], num_points: int) -> list[str]:
    """Return the table, its legend, and how many points were left out; ``rows`` come in the order of the cells."""
    by_point = groupby(rows, lambda row: row.cell.point)
    points: Points = [list(group) for _, group in islice(by_point, MOST_ROWS)]
    if not points:
        return ["no cell could be played"]
    if not spec.axes and not spec.metrics:
        lines = _headline(points[0])
    else:
        lines, points = _by_metrics(spec, points, [metric_named(name) for name in spec.metrics or (_RATE,)])
    if any(_MARKED.search(line) for line in lines):
        lines += ["", CONSTANT_LEGEND]
    left_out = num_points - 1 - points[-1][0].cell.point
    return [*lines, "", f"… {count(left_out, 'more point')} in cells.parquet"] if left_out else lines


def _headline(rows: Sequence[CellRow]) -> list[str]:
    header = ["policy", "foundational\nrecall rate (95 %)", "survival\nrate", "facts\nevicted", "footprint\nreduction"]
    digits = _column_digits(rows, metric_named(_RATE))
    return table(header, [_headline_row(row, digits) for row in rows])


def _headline_row(row: CellRow, digits: int) -> list[Cell]:
    survival, evicted = row.summaries["terminal_survival_rate"], row.summaries["foundational_evicted"]
    footprint = row.summaries["footprint_reduction"]
    facts = row.cell.workload.values().get("num_foundational")
    of_how_many = "" if facts is None else f"of {facts}"
    mean = evicted.summary.mean
    return [
        row.cell.label,
        _value(row, metric_named(_RATE), digits),
        (short(survival.summary.mean), mark(survival)),
        (NOTHING if mean is None else f"{mean:.2f}", of_how_many, mark(evicted)),
        (short(footprint.summary.mean), mark(footprint)),
    ]


def _caption(metrics: Sequence[Metric]) -> str:
    told = [
        metric.name.replace("_", " ") + (f" ({metric.unit})" if metric.unit != "share" else "") for metric in metrics
    ]
    return ", ".join(told)


def _by_metrics(spec: SweepSpec, points: Points, metrics: Sequence[Metric]) -> tuple[list[str], Points]:
    """Return a row per point where that fits the width, else a row per point and policy; and the points shown."""
    lines = _row_per_point(spec, points, metrics)
    if not spec.axes or width_of(lines) > WIDTH:
        points = points[: max(1, MOST_ROWS // len(spec.policies))]
        # What does not fit loses its intervals; those of rates, which are read against each other, go last.
        for intervals in _INTERVALS:
            lines = _row_per_cell(spec, points, metrics, intervals)
            if width_of(lines) <= WIDTH:
                break
    in_brackets = "; in brackets the 95 % interval" if any("(" in line for line in lines) else ""
    return [*paragraph(_caption(metrics) + in_brackets), "", *lines], points


def _row_per_point(spec: SweepSpec, points: Points, metrics: Sequence[Metric]) -> list[str]:
    labels = [entry.label for entry in spec.policies]
    header = _axis_titles(spec)
    header += [label + _words(metric, metrics) for label in labels for metric in metrics]
    columns = {label: [row for point in points for row in point if row.cell.label == label] for label in labels}
    digits = {
        (label, metric.name): _column_digits(column, metric) for label, column in columns.items() for metric in metrics
    }
    rows: list[list[Cell]] = []
    for point in points:
        by_label = {row.cell.label: row for row in point}
        cells: list[Cell] = list(_axis_cells(point[0]))
        for label in labels:
            row = by_label.get(label)
            cells += [_value(row, metric, digits[label, metric.name]) if row else "failed" for metric in metrics]
        rows.append(cells)
    return table(header, rows)


def _row_per_cell(spec: SweepSpec, points: Points, metrics: Sequence[Metric], intervals: Collection[str]) -> list[str]:
    header = [*_axis_titles(spec), "policy", *(_words(metric, ()).strip("\n") for metric in metrics)]
    shown = [row for point in points for row in point]
    digits = [_column_digits(shown, metric) for metric in metrics]
    rows: list[list[Cell]] = [
        [
            *_axis_cells(row),
            row.cell.label,
            *(_value(row, *column, intervals) for column in zip(metrics, digits, strict=True)),
        ]
        for row in shown
    ]
    return table(header, rows)


def _axis_titles(spec: SweepSpec) -> list[str]:
    return [axis.parameter.removeprefix("workload.").replace(".", ".\n") for axis in spec.axes]


def _axis_cells(row: CellRow) -> list[str]:
    return [plain(value) for value in row.cell.axis_values.values()]


def _words(metric: Metric, metrics: Sequence[Metric]) -> str:
    """Return a metric's name over several lines; nothing where it is the only one, and the caption says it."""
    if len(metrics) == 1:
        return ""
    first, _, rest = metric.name.partition("_")
    return f"\n{first}\n{rest.replace('_', ' ')}" if rest else f"\n{first}"


def _column_digits(rows: Iterable[CellRow], metric: Metric) -> int:
    """Return the digits after the point of a column: as many as its most exact value needs, the same for each."""
    summaries = [row.summaries[metric.name] for row in rows]
    if metric.interval == "rate":
        return max(map(rate_digits, summaries), default=0)
    fewest = _SHARE_DIGITS if metric.unit == "share" else _COUNT_DIGITS
    return max((amount_digits(one, fewest) for one in summaries), default=0)


def _value(row: CellRow, metric: Metric, digits: int, intervals: Collection[str] = _INTERVALS[0]) -> tuple[str, ...]:
    summary = row.summaries[metric.name]
    number, interval = (rate if metric.interval == "rate" else amount)(summary, digits)
    return number, interval if metric.interval in intervals else "", mark(summary)
