"""Numbers as people read them: as many digits as are known, and never a bound that looks like certainty."""

import math
from typing import Any

from vecdecay.analysis.cell import MetricSummary
from vecdecay.commands.screen import NOTHING

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


def rate_digits(summary: MetricSummary) -> int:
    """Return how many digits after the point a rate needs: as many as show its interval, if that has two sides."""
    mean, low, high = summary.summary.mean, summary.low, summary.high
    if mean in (None, 0.0, 1.0) or low is None or high is None:
        return _DIGITS
    return _digits(min(mean - low, high - mean))


def rate(summary: MetricSummary, digits: int | None = None) -> tuple[str, str]:
    """Return a mean in [0, 1] and its 95 % interval; at 0 and 1 the interval has one side.

    ``digits`` after the point are those of a column; without them, the rate has as many as it needs.

    >>> from vecdecay.analysis.moments import Summary
    >>> rate(MetricSummary(Summary(50, 0, 1.0, 0.0, 1.0, 1.0, True), 0.9286, 1.0))
    ('1.000', '(≥ 0.929)')
    """
    mean, low, high = summary.summary.mean, summary.low, summary.high
    if mean is None or low is None or high is None:
        return NOTHING, ""
    digits = rate_digits(summary) if digits is None else digits
    if mean == 1.0:
        return f"{mean:.{digits}f}", f"(≥ {low:.{max(digits, _digits(1.0 - low))}f})"
    if mean == 0.0:
        return f"{mean:.{digits}f}", f"(≤ {high:.{max(digits, _digits(high))}f})"
    return f"{mean:.{digits}f}", f"({low:.{digits}f}–{high:.{digits}f})"


def amount_digits(summary: MetricSummary, fewest: int = 2) -> int:
    """Return how many digits after the point an amount needs: none where every session gave the same whole number."""
    mean, low, high = summary.summary.mean, summary.low, summary.high
    if mean is None or (summary.summary.minimum == summary.summary.maximum and mean.is_integer()):
        return 0
    if low is None or high is None or low == high:
        return fewest
    return max(fewest, _digits((high - low) / 2) - 1)


def amount(summary: MetricSummary, digits: int | None = None) -> tuple[str, str]:
    """Return a mean without bounds, and its interval where the sessions differ: turns, items, recalls or a share.

    ``digits`` after the point are those of a column; without them, the amount has as many as it needs.
    """
    mean, low, high = summary.summary.mean, summary.low, summary.high
    if mean is None:
        return NOTHING, ""
    digits = amount_digits(summary) if digits is None else digits
    same = summary.summary.minimum == summary.summary.maximum and mean.is_integer()
    if same or low is None or high is None or low == high:
        return f"{mean:.{digits}f}", ""
    return f"{mean:.{digits}f}", f"({low:.{digits}f}–{high:.{digits}f})"


def mark(summary: MetricSummary) -> str:
    """Return the sign of a result that is the same in every session, or nothing.

    The exact moments decide, not the printed digits: a standard deviation of 1e-9 is not a constant.
    """
    return CONSTANT_MARK if summary.summary.constant else ""


def short(value: float | None) -> str:
    """Return a mean to three digits after the point.

    >>> short(0.9107284768211921), short(None)
    ('0.911', '–')
    """
    return NOTHING if value is None else f"{value:.{_DIGITS}f}"


def count(number: int, singular: str, plural: str = "") -> str:
    """Return a number with its noun.

    >>> count(1, "cell"), count(1500, "cell"), count(2, "policy", "policies")
    ('1 cell', '1,500 cells', '2 policies')
    """
    return f"{number:,} {singular if number == 1 else plural or f'{singular}s'}"


def size(number_of_bytes: int) -> str:
    """Return a number of bytes in the unit that suits it.

    >>> size(0), size(1023), size(12_000_000)
    ('0 B', '1.0 kB', '12.0 MB')
    """
    value, units = float(number_of_bytes), ["B", "kB", "MB", "GB", "TB", "PB"]
    while value >= 999.95 and len(units) > 1:
        value /= 1000
        units.pop(0)
    return f"{value:.0f} B" if units[0] == "B" else f"{value:.1f} {units[0]}"


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


def _digits(half_width: float) -> int:
    """Return how many digits after the point show a difference of this size."""
    if half_width <= 0.0:
        return _DIGITS
    return min(_MOST_DIGITS, max(_DIGITS, math.ceil(-math.log10(half_width))))
