"""Exact totals, means and standard deviations, against ``statistics`` and against plain fractions."""

import math
import random
import statistics
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vecdecay.analysis.exact import (
    RunningTotals,
    Totals,
    exact_mean,
    exact_standard_deviation,
    totals_of,
)
from vecdecay.errors import InvalidInputError

LARGEST = math.nextafter(math.inf, 0.0)
SMALLEST = math.nextafter(0.0, 1.0)

any_finite = st.floats(allow_nan=False, allow_infinity=False)
moderate = st.floats(-1e153, 1e153)
rates = st.integers(0, 12).map(lambda numerator: numerator / 12)


def spelled_out(values: list[float], counts: list[int]) -> list[float]:
    """Return the list in which each value stands as often as its count says."""
    return [value for value, count in zip(values, counts, strict=True) for _ in range(count)]


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
@given(st.lists(st.tuples(any_finite | rates, st.integers(0, 5)), min_size=1, max_size=90))
def test_mean_equals_statistics(pairs: list[tuple[float, int]]) -> None:
    """The mean of any finite float64 values, subnormal and huge ones too, is the one that Python computes."""
    values, counts = [value for value, _ in pairs], [count for _, count in pairs]
    if sum(counts) == 0:
        with pytest.raises(InvalidInputError, match="mean of 0 values"):
            exact_mean(values, counts)
        return
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
    together = totals_of(values, counts)
    parts = [totals_of(values[first : first + 50], counts[first : first + 50]) for first in range(0, len(values), 50)]
    assert together.to_json() == sum(parts, Totals(0, 0, 0, 0)).to_json()
    assert together.mean() == float(
        sum(Fraction(value) * count for value, count in zip(values, counts, strict=True)) / sum(counts)
    )
    deviation = together.standard_deviation()
    assert deviation is not None
    assert is_rounded_root(deviation, exact_variance(values, counts))


@pytest.mark.parametrize("total_count", [2**35 - 1, 2**35, 2**35 + 1, 2**62])
def test_no_count_overflows(total_count: int) -> None:
    """Sums of billions of values of all bits stay exact, also where rows must be emptied in between."""
    value = math.nextafter(2.0, 0.0)  # 53 bits set, so that every piece is as large as it can be
    running = RunningTotals()
    values = np.array([value, -value, 4.0])
    counts = np.array([total_count - 1000, 400, 600])
    for _ in range(3):
        running.add(values, counts)
    running.add(np.array([value]))
    whole = int(value * 2**52)
    total = 3 * (whole * (total_count - 1400) + 4 * 600 * 2**52) + whole
    squares = 3 * (whole**2 * (total_count - 600) + 16 * 600 * 2**104) + whole**2
    assert running.totals().to_json() == Totals(3 * total_count + 1, total, squares, 52).to_json()
    assert (running.minimum, running.maximum) == (-value, 4.0)


def test_totals_survive_json_whatever_their_scale() -> None:
    """Equal totals are written alike, and read back the same."""
    totals = totals_of([0.75, -0.5, 3.0], [2, 5, 7])
    wider = Totals(totals.count, totals.total << 40, totals.total_of_squares << 80, totals.scale + 40)
    assert totals.to_json() == wider.to_json()
    assert wider.to_json()["scale"] == 2
    again = Totals.from_json(wider.to_json())
    assert (again.mean(), again.standard_deviation()) == (totals.mean(), totals.standard_deviation())
    assert Totals.from_json(totals_of([0.0], [3]).to_json()).mean() == 0.0


@pytest.mark.parametrize(
    "change", [{"count": 0}, {"count": -1}, {"scale": -1}, {"scale": 1075}, {"total": "0xfff"}, {"count": 2**63}]
)
def test_impossible_totals_are_refused(change: dict[str, object]) -> None:
    """A damaged entry does not become a plausible mean."""
    content = totals_of([0.75, -0.5, 3.0], [2, 5, 7]).to_json()
    assert Totals.from_json(content).count == 14
    with pytest.raises(InvalidInputError, match="not the totals"):
        Totals.from_json(content | change)


@pytest.mark.parametrize(
    ("values", "counts", "message"),
    [
        ([1.0, math.nan], [1, 1], "contain nan"),
        ([1.0, -math.inf], [1, 1], "contain -inf"),
        ([1.0], [-1], "contain -1"),
        ([1.0], [1, 2], "shapes"),
        ([[1.0]], [[1]], "shapes"),
        ([1.0], [1.5], "type float64"),
        (np.array([1], dtype=np.int64), [1], "type int64"),
        (np.array([1.0], dtype=np.float32), [1], "type float32"),
        ([1.0, 2.0], [2**62, 2**62], "add up to"),
    ],
)
def test_unsound_histograms_are_refused(values: list[float], counts: list[int], message: str) -> None:
    """NaN, infinities, negative or fractional counts and wrong types are named and refused."""
    with pytest.raises(InvalidInputError, match=message):
        exact_mean(values, counts)


def test_all_mistakes_are_told_at_once() -> None:
    """Wrong values and wrong counts are reported together."""
    with pytest.raises(InvalidInputError) as caught:
        totals_of([math.nan], [-3])
    assert len(caught.value.problems) == 2
