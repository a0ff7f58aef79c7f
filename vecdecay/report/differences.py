"""Paired differences: two cells on the same sessions, and whether anything tells them apart."""

from dataclasses import dataclass

from vecdecay.analysis.histogram import Histogram
from vecdecay.analysis.intervals import student_interval
from vecdecay.numerals import count
from vecdecay.quantities import Metric
from vecdecay.report.study import Study, mean_of
from vecdecay.run.played import CellRow


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


def difference_of(study: Study, left: CellRow, right: CellRow, metric: Metric) -> Difference | None:
    """Return left − right of a metric, paired by session; None where no session has both."""
    values = study.paired(left, right, metric)
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


def signed(value: float) -> str:
    """Return a number of three digits after the point with its sign; a zero has none.

    >>> signed(0.5), signed(-0.0004), signed(12.0)
    ('+0.500', '−0.0004', '+12.000')
    """
    if value == 0.0:
        return "0.000"
    text = f"{abs(value):.3f}" if abs(value) >= 0.0005 else f"{abs(value):.1g}"
    return ("+" if value > 0 else "\N{MINUS SIGN}") + text


def times(row: CellRow, other: CellRow, cost: Metric) -> str:
    """Return how many times as much one cell holds as another, as text; nothing where that has no sense."""
    mine, theirs = mean_of(row, cost), mean_of(other, cost)
    if row is other or not (mine > 0 and theirs > 0):
        return ""
    ratio = mine / theirs
    return f"{ratio:.1f} ×" if ratio < 99.95 else f"{ratio:,.0f} ×"
