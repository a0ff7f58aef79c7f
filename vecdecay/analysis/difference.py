"""Differences of two cells, paired by session where that can be, and whether anything tells them apart."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vecdecay.analysis.cell import MetricSummary
from vecdecay.analysis.histogram import Histogram
from vecdecay.analysis.intervals import student_interval
from vecdecay.numerals import count


@dataclass(frozen=True)
class Difference:
    """The mean of one cell's metric minus another's over the sessions that both have.

    ``low`` and ``high`` are the ends of its 95 % interval by Student; both are None where every session has the same
    difference, which says nothing of its spread, or where there are fewer than two.
    """

    mean: float
    low: float | None
    high: float | None
    sessions: int

    @property
    def told_apart(self) -> bool:
        """Tell whether the difference is told apart from 0: the interval does not hold 0."""
        if self.low is None or self.high is None:
            return self.mean != 0.0
        return not self.low <= 0.0 <= self.high

    def text(self) -> str:
        """Return the difference with its interval, signs before both.

        >>> Difference(-0.0256, -0.0297, -0.0215, 1000).text(), Difference(0.0, None, None, 50).text()
        ('−0.026 (−0.030 to −0.021)', 'none in any of 50 sessions')
        """
        if self.low is None or self.high is None:
            each = count(self.sessions, "session")
            return f"{signed(self.mean)} in each of {each}" if self.mean else f"none in any of {each}"
        return f"{signed(self.mean)} ({signed(self.low)} to {signed(self.high)})"


def difference_by_session(values: NDArray[np.float64]) -> Difference | None:
    """Return the mean difference of pairs (session,), with Student's interval; None where there is no pair."""
    if not len(values):
        return None
    histogram = Histogram()
    histogram.add(values)
    summary = histogram.summary()
    assert summary.mean is not None
    if summary.constant or summary.count < 2:
        return Difference(summary.mean, None, None, summary.count)
    interval = student_interval(summary.mean, summary.standard_deviation, summary.count)
    assert interval is not None
    return Difference(summary.mean, *interval, summary.count)


def difference_of_means(left: MetricSummary, right: MetricSummary) -> Difference | None:
    """Return the difference of two means whose sessions cannot be paired; None where either has no value.

    Nothing is known of how the two go together, so its interval is as wide as theirs together: no correlation makes the
    standard error of a difference larger than the sum of the two. There is none where one of theirs says nothing.
    """
    means = left.summary.mean, right.summary.mean
    if means[0] is None or means[1] is None:
        return None
    mean, count = means[0] - means[1], min(left.summary.count, right.summary.count)
    if left.low is None or left.high is None or right.low is None or right.high is None:
        return Difference(mean, None, None, count)
    if left.low == left.high or right.low == right.high:  # the same value in every session
        return Difference(mean, None, None, count)
    return Difference(mean, left.low - right.high, left.high - right.low, count)


def signed(value: float) -> str:
    """Return a number of three digits after the point with its sign; a zero has none.

    >>> signed(0.5), signed(-0.0004), signed(12.0)
    ('+0.500', '−0.0004', '+12.000')
    """
    if value == 0.0:
        return "0.000"
    text = f"{abs(value):.3f}" if abs(value) >= 0.0005 else f"{abs(value):.1g}"
    return ("+" if value > 0 else "\N{MINUS SIGN}") + text
