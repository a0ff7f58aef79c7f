"""Differences of two cells: paired values get Student's interval, means alone one that holds for any correlation."""

import numpy as np
import pytest
from conftest import THOROUGH_FACTOR

from vecdecay.analysis.cell import MetricSummary
from vecdecay.analysis.difference import Difference, difference_by_session, difference_of_means
from vecdecay.analysis.histogram import Histogram
from vecdecay.analysis.intervals import student_interval


def summary_of(values: np.ndarray) -> MetricSummary:
    """Return the summary of values, with Student's interval."""
    histogram = Histogram()
    histogram.add(values)
    one = histogram.summary()
    assert one.mean is not None
    return MetricSummary(one, *(student_interval(one.mean, one.standard_deviation, one.count) or (None, None)))


def test_pairs() -> None:
    """No pair gives nothing; one pair, or pairs that differ alike, no interval."""
    assert difference_by_session(np.zeros(0)) is None
    assert difference_by_session(np.array([0.5])) == Difference(0.5, None, None, 1)
    assert difference_by_session(np.array([0.5, 0.5])) == Difference(0.5, None, None, 2)
    found = difference_by_session(np.array([0.0, 0.5, 1.0]))
    assert found is not None
    assert (found.mean, found.sessions, found.told_apart) == (0.5, 3, False)
    assert found.low == pytest.approx(0.5 - 4.302652729911275 * 0.5 / 3**0.5)


def test_means_alone_allow_for_any_correlation() -> None:
    """Of values that go against each other, half of the interval is just right, and no correlation needs more."""
    values = np.arange(20.0)
    rising, falling, level = summary_of(values), summary_of(values[::-1] + 40.0), summary_of(np.full(20, 3.0))
    found, worst = difference_of_means(falling, rising), difference_by_session(values[::-1] + 40.0 - values)
    assert found is not None
    assert worst is not None
    assert (found.mean, found.sessions, found.told_apart) == (40.0, 20, True)
    assert (found.low, found.high) == pytest.approx((worst.low, worst.high))
    assert difference_of_means(level, rising) == Difference(3.0 - 9.5, None, None, 20)
    nothing = MetricSummary(Histogram().summary(), None, None)
    assert difference_of_means(nothing, rising) is None


@pytest.mark.thorough
@pytest.mark.parametrize("correlation", [-1.0, -0.5, 0.0, 0.9])
def test_means_alone_cover_under_every_correlation(correlation: float) -> None:
    """In at least 94 % of repeats, more where the two go together."""
    numbers, covered, repeats = np.random.default_rng(7), 0, 400 * THOROUGH_FACTOR
    for _ in range(repeats):
        first, other = numbers.normal(size=(2, 25))
        second = correlation * first + (1.0 - correlation**2) ** 0.5 * other
        found = difference_of_means(summary_of(second), summary_of(first))
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        covered += found.low <= 0.0 <= found.high
    assert covered / repeats >= 0.94
