"""Numbers as text, for screens and pictures: as many digits as are known, and no bound that reads as 0 or 1."""

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vecdecay.analysis.cell import MetricSummary
    from vecdecay.arrow import ArrowTable

NOTHING = "–"
CONSTANT_MARK = "="

_DIGITS = 3
_MOST_DIGITS = 12


def plain(value: Any) -> str:
    """Return a parameter's value as a person would write it.

    >>> plain(8.0), plain(0.2), plain((0.7, 1.3)), plain(True), plain(3)
    ('8', '0.2', '0.7, 1.3', 'true', '3')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, list | tuple):
        return ", ".join(plain(one) for one in value)
    return str(value)


def finite(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters with the text ``inf`` for infinity, which JSON cannot write."""
    return {name: "inf" if value == math.inf else value for name, value in values.items()}


def distinct(values: Sequence[Any]) -> dict[Any, str]:
    """Return the values of an axis as text, with the fewest digits that tell all of them apart.

    >>> distinct([0.1, 0.30000000000000004, 8.0]), distinct([0.1, 0.10001])
    ({0.1: '0.1', 0.30000000000000004: '0.3', 8.0: '8'}, {0.1: '0.1', 0.10001: '0.10001'})
    """
    different = list(dict.fromkeys(values))
    numbers = [value for value in different if isinstance(value, float)]
    for digits in range(_DIGITS, _MOST_DIGITS):
        short = {value: plain(float(f"{value:.{digits}g}")) for value in numbers}
        if len(set(short.values())) == len(numbers):
            return {value: short[value] if value in numbers else plain(value) for value in different}
    return {value: plain(value) for value in different}


def digits_of(summary: "MetricSummary", unit: str) -> int:
    """Return how many digits after the point a mean needs: as many as show its interval, at least 3 for a share.

    None where every session gave the same whole number of what the unit counts.
    """
    mean, low, high = summary.summary.mean, summary.low, summary.high
    share = unit == "share"
    if mean is None or (_same_whole_number(summary) and not share):
        return 0
    fewest = _DIGITS if share else _DIGITS - 1
    if low is None or high is None or (share and mean in (0.0, 1.0)):
        return fewest
    return _digits(min(mean - low, high - mean), fewest)


def estimate(summary: "MetricSummary", unit: str, digits: int | None = None) -> tuple[str, str]:
    """Return a mean and its 95 % interval; a rate of 0 or 1 has a one-sided one, what never differs may have none.

    ``digits`` after the point are those of a column; without them, the value has as many as it needs.

    >>> from vecdecay.analysis.cell import MetricSummary
    >>> from vecdecay.analysis.moments import Summary
    >>> estimate(MetricSummary(Summary(50, 0, 1.0, 0.0, 1.0, 1.0, True), 0.9286, 1.0), "share")
    ('1.000', '(≥ 0.929)')
    """
    mean, low, high = summary.summary.mean, summary.low, summary.high
    if mean is None:
        return NOTHING, ""
    digits = digits_of(summary, unit) if digits is None else digits
    number = f"{mean:.{digits}f}"
    if low is None or high is None or low == high:
        return number, ""
    if unit == "share" and mean == 1.0:
        return number, f"(≥ {low:.{_digits(1.0 - low, digits)}f})"
    if unit == "share" and mean == 0.0:
        return number, f"(≤ {high:.{_digits(high, digits)}f})"
    return number, f"({low:.{digits}f}–{high:.{digits}f})"


def mark(summary: "MetricSummary") -> str:
    """Return the sign of a result that is the same in every session, or nothing.

    The exact moments decide, not the printed digits: a standard deviation of 1e-9 is not a constant.
    """
    return CONSTANT_MARK if summary.summary.constant else ""


def short(value: float | None, digits: int = _DIGITS) -> str:
    """Return a mean to three digits after the point, or as many as asked for.

    >>> short(0.9107284768211921), short(None), short(12.5, 2)
    ('0.911', '–', '12.50')
    """
    return NOTHING if value is None else f"{value:.{digits}f}"


def ranged(value: float | None, low: float | None, high: float | None) -> tuple[str, str]:
    """Return a mean and its interval, each to three digits after the point; the interval is empty where there is none.

    >>> ranged(0.91072, 0.90211, 0.92), ranged(0.5, None, None)
    (('0.911', '(0.902–0.920)'), ('0.500', ''))
    """
    return short(value), "" if low is None or high is None else f"({short(low)}–{short(high)})"


def count(number: int, singular: str, plural: str = "") -> str:
    """Return a number with its noun.

    >>> count(1, "cell"), count(1500, "cell"), count(2, "policy", "policies")
    ('1 cell', '1,500 cells', '2 policies')
    """
    return f"{number:,} {singular if number == 1 else plural or f'{singular}s'}"


def duration(seconds: float) -> str:
    """Return a time in words of one size.

    >>> duration(0.031), duration(12.34), duration(150), duration(7200)
    ('31 ms', '12.3 s', '2.5 min', '2.0 h')
    """
    if seconds < 0.9995:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 99.95:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.1f} min" if seconds < 5999 else f"{seconds / 3600:.1f} h"


def _same_whole_number(summary: "MetricSummary") -> bool:
    one = summary.summary
    return one.minimum == one.maximum and one.mean is not None and one.mean.is_integer()


def _digits(half_width: float, fewest: int) -> int:
    """Return how many digits after the point show a difference of this size."""
    if half_width <= 0.0:
        return fewest
    return min(_MOST_DIGITS, max(fewest, math.ceil(-math.log10(half_width))))


_SHOWN_METRICS = ("hit_rate", "foundational_recall_rate", "mean_working_set", "misses")
_MOST_ROWS = 20


def cells_html(cells: "ArrowTable", caption: str, parameters: Sequence[str] = ()) -> str:
    """Return the beginning of a cells table for a notebook: policy, some parameters, and the means of four metrics."""
    named = [one for one in ("policy", *parameters) if one in cells.column_names]
    means = [f"{one}_mean" for one in _SHOWN_METRICS]
    more = cells.num_rows - _MOST_ROWS
    rows = [
        [*("" if row[one] is None else plain(row[one]) for one in named), *(short(row[one]) for one in means)]
        for row in cells.slice(0, _MOST_ROWS).select([*named, *means]).to_pylist()
    ]
    header = [one.replace("_", " ") for one in (*named, *_SHOWN_METRICS)]
    return html_table(header, rows, caption + (f"; {more:,} more in cells" if more > 0 else ""))


def html_table(header: Sequence[str], rows: Sequence[Sequence[str]], caption: str) -> str:
    """Return a table for a notebook, every text escaped.

    >>> html_table(["policy"], [["<a>"]], "one")
    '<table><caption>one</caption><tr><th>policy</th></tr><tr><td>&lt;a&gt;</td></tr></table>'
    """
    heads = "".join(f"<th>{escape(one)}</th>" for one in header)
    body = "".join("<tr>" + "".join(f"<td>{escape(one)}</td>" for one in row) + "</tr>" for row in rows)
    return f"<table><caption>{escape(caption)}</caption><tr>{heads}</tr>{body}</table>"
