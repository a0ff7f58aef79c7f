"""Exact means and standard deviations, against ``statistics`` and against plain fractions."""

import functools
import math
import operator
import random
import statistics
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vecdecay.analysis import moments as module
from vecdecay.analysis.histogram import Histogram
from vecdecay.analysis.moments import Moments, moments_of
from vecdecay.errors import InvalidInputError

LARGEST = math.nextafter(math.inf, 0.0)
SMALLEST = math.nextafter(0.0, 1.0)

any_finite = st.floats(allow_nan=False, allow_infinity=False)
moderate = st.floats(-1e153, 1e153)
rates = st.integers(0, 12).map(lambda numerator: numerator / 12)


def spelled_out(values: list[float], counts: list[int]) -> list[float]:
    """Return the list in which each value stands as often as its count says."""
    return [value for value, count in zip(values, counts, strict=True) for _ in range(count)]


def moments(values: list[float], counts: list[int]) -> Moments:
    """Return the moments of a histogram."""
    return moments_of(np.array(values), np.array(counts))


def exact_mean(values: list[float], counts: list[int]) -> float:
    """Return the mean of a histogram."""
    return moments(values, counts).mean()


def exact_standard_deviation(values: list[float], counts: list[int]) -> float | None:
    """Return the standard deviation of a histogram."""
    return moments(values, counts).standard_deviation()


def is_rounded_root(root: float, square: Fraction) -> bool:
    """Tell whether no float64 is nearer to the square root than ``root``, by comparing squares of midpoints."""
    below = (Fraction(root) + Fraction(math.nextafter(root, 0.0))) / 2
    above = (Fraction(root) + Fraction(math.nextafter(root, math.inf))) / 2
    return below**2 <= square <= above**2


def exact_variance(values: list[float], counts: list[int]) -> Fraction:
    """Return the variance (divisor count − 1) by its textbook definition, in fractions."""
    count = sum(counts)
    mean = sum(Fraction(value) * number for value, number in zip(values, counts, strict=True)) / count
    squares = sum((Fraction(value) - mean) ** 2 * number for value, number in zip(values, counts, strict=True))
    return squares / (count - 1)


@settings(deadline=None, max_examples=500)
@given(st.lists(st.tuples(any_finite | rates, st.integers(1, 5)), min_size=1, max_size=90))
def test_mean_equals_statistics(pairs: list[tuple[float, int]]) -> None:
    """The mean of any finite float64 values, subnormal and huge ones too, is the one that Python computes."""
    values, counts = [value for value, _ in pairs], [count for _, count in pairs]
    assert exact_mean(values, counts) == statistics.mean(spelled_out(values, counts))


@settings(deadline=None, max_examples=500)
@given(st.lists(st.tuples(moderate | rates, st.integers(1, 5)), min_size=1, max_size=90))
def test_standard_deviation_equals_statistics(pairs: list[tuple[float, int]]) -> None:
    """The standard deviation is the one that Python computes, and the nearest float64 to the true root."""
    values, counts = [value for value, _ in pairs], [count for _, count in pairs]
    deviation = exact_standard_deviation(values, counts)
    if sum(counts) == 1:
        assert deviation is None
        return
    assert deviation == statistics.stdev(spelled_out(values, counts))
    assert deviation is not None
    assert is_rounded_root(deviation, exact_variance(values, counts))


@pytest.mark.parametrize(
    "values",
    [
        [0.0, -0.0],
        [-0.0, -0.0, -0.0],
        [0.1, 0.1, 0.1],
        [1.0, math.nextafter(1.0, 2.0)],
        [SMALLEST, 0.0],
        [SMALLEST, 0.0, 0.0, 0.0],
        [SMALLEST, -SMALLEST, 3 * SMALLEST],
        [2.0**-1022, SMALLEST],
        [2.0**-537, 0.0, 2.0**-600],
        [LARGEST, -LARGEST / 4],
        [LARGEST, LARGEST, LARGEST],
        [LARGEST / 4, SMALLEST],
        [1e300, 1.0, 1e-300, -1e300],
        [1e16, 1.0, -1e16],
        [float(2**53), 1.0, 1.0],
    ],
)
def test_corners_equal_statistics(values: list[float]) -> None:
    """Zeros of either sign, subnormals, the largest floats and their mixtures round as Python rounds them."""
    counts = [1] * len(values)
    assert exact_mean(values, counts) == statistics.mean(values)
    assert math.copysign(1.0, exact_mean(values, counts)) == math.copysign(1.0, statistics.mean(values))
    assert exact_standard_deviation(values, counts) == statistics.stdev(values)


def test_ties_round_to_even() -> None:
    """A standard deviation exactly half way between two float64 goes to the even one."""
    # The squares of ±3w, ±4w and 5 zeros add up to 50 w²; by 8 that is (5w/2)², and 5w needs 54 bits.
    counts = [1, 1, 1, 1, 5]
    results = set()
    for width in range(2**51 + 1, 2**51 + 401, 2):
        assert (5 * width).bit_length() == 54
        values = [3.0 * width, -3.0 * width, 4.0 * width, -4.0 * width, 0.0]
        expected = (5 * width) / 2  # the division of two ints is a correctly rounded one
        assert Fraction(expected) != Fraction(5 * width, 2)
        assert exact_standard_deviation(values, counts) == expected
        assert statistics.stdev(spelled_out(values, counts)) == expected
        results.add(Fraction(expected) > Fraction(5 * width, 2))
    assert results == {True, False}


def test_a_root_just_above_a_tie_is_rounded_up() -> None:
    """Half way between two float64 and a 10**-32nd more: only the remainder of the root tells it from a tie."""
    # As in the test before, with one more in the sum of squares: the deviation is the root of (5w/2)² + 1/4.
    for width in range(2**51 + 1, 2**51 + 401, 2):
        values = [3.0 * width, -3.0 * width, 4.0 * width, -4.0 * width, 1.0, -1.0, 0.0]
        counts = [1, 1, 1, 1, 1, 1, 3]
        deviation = exact_standard_deviation(values, counts)
        assert deviation == statistics.stdev(spelled_out(values, counts))
        assert deviation is not None
        assert Fraction(deviation) > Fraction(5 * width, 2)


def test_counts_that_the_kernel_cannot_hold_are_left_to_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """Above 2**35 sessions its 64-bit sums could wrap around; up to there it is used."""
    asked = []

    def listening(values: object, counts: np.ndarray, rows: object) -> tuple[int, int, float, float]:
        asked.append(int(counts.sum()))
        return 0, 0, 0.0, 0.0

    monkeypatch.setattr(module, "sum_by_exponent", listening)
    for count in (2**35, 2**35 + 1):
        moments([1.0, 2.0], [count - 1, 1])
    assert asked == [2**35]


def test_standard_deviation_above_the_largest_float_is_refused() -> None:
    """Where ``statistics`` overflows, one line says why; just below, both return a number."""
    with pytest.raises(OverflowError):
        statistics.stdev([LARGEST, -LARGEST])
    with pytest.raises(InvalidInputError, match="above the largest float64"):
        exact_standard_deviation([LARGEST, -LARGEST], [1, 1])
    half = LARGEST / math.sqrt(2.0) * (1 - 1e-15)
    assert exact_standard_deviation([half, -half], [1, 1]) == statistics.stdev([half, -half]) > 1e308


@pytest.mark.parametrize("exponents", [(0, 0), (-20, 20), (-150, 150), (-1074, 500), (80, 120)])
def test_many_distinct_values_equal_few(exponents: tuple[int, int]) -> None:
    """The compiled rows of pieces give what plain integers give, for narrow and for full exponent ranges."""
    generator = random.Random(1)
    values = sorted({generator.uniform(1, 2) * 2.0 ** generator.randint(*exponents) for _ in range(350)})
    values += [-value for value in values[::2]]
    counts = [generator.randint(1, 10**6) for _ in values]
    together = moments(values, counts)
    single = [moments([value], [count]) for value, count in zip(values, counts, strict=True)]
    assert together == functools.reduce(operator.add, single)
    assert (together.minimum, together.maximum) == (min(values), max(values))
    assert together.mean() == float(
        sum(Fraction(value) * count for value, count in zip(values, counts, strict=True)) / sum(counts)
    )
    deviation = together.standard_deviation()
    assert deviation is not None
    assert is_rounded_root(deviation, exact_variance(values, counts))


@pytest.mark.parametrize("count", [2**35 - 1, 2**35, 2**35 + 1, 2**62])
def test_no_count_overflows(count: int) -> None:
    """Sums of billions of sessions stay exact on either side of what the kernel's integers hold."""
    value = math.nextafter(2.0, 0.0)  # 53 bits set, so that every piece is as large as it can be
    values, counts = [value, -value, 4.0], [count - 1000, 400, 600]
    found = moments(values, counts)
    assert found.count == count
    pairs = list(zip(map(Fraction, values), counts, strict=True))
    assert Fraction(found.sum, 2**1074) == sum(exact * times for exact, times in pairs)
    assert Fraction(found.sum_of_squares, 4**1074) == sum(exact * exact * times for exact, times in pairs)
    assert (found.minimum, found.maximum) == (-value, 4.0)


@pytest.mark.parametrize("max_distinct", [1, 2, 100])
def test_a_histogram_of_more_than_two_to_the_35_sessions_is_exact(max_distinct: int) -> None:
    """Kept or folded, added at once or merged: mean and standard deviation are the textbook's, in fractions."""
    values, counts = np.array([0.1, 0.25, -3.5]), np.array([2**36 + 1, 2**40, 7])
    at_once, merged = Histogram(max_distinct), Histogram(max_distinct)
    at_once.add_counted(values, counts)
    for place in (2, 0, 1):
        part = Histogram(max_distinct)
        part.add_counted(values[place : place + 1], counts[place : place + 1])
        merged.merge(part)
    assert at_once == merged
    summary = at_once.summary()
    total = sum(counts.tolist())
    assert (summary.count, at_once.num_sessions) == (total, total)
    exact = sum(map(operator.mul, map(Fraction, values.tolist()), counts.tolist())) / total
    assert summary.mean == float(exact)
    assert summary.standard_deviation is not None
    assert is_rounded_root(summary.standard_deviation, exact_variance(values.tolist(), counts.tolist()))
    assert (summary.minimum, summary.maximum) == (-3.5, 0.25)
