"""Mean and standard deviation of float64 values, exact until the one rounding at the end.

Every finite float64 is a whole number times a power of two. So the sum and the sum of squares of any number
of them are exact in whole numbers, and neither the order of the values nor the way they were split can change
them. The mean is one correctly rounded division of these totals, the standard deviation one correctly rounded
square root. Both equal, with ``==``, what ``statistics.mean`` and ``statistics.stdev`` of Python 3.11 and
later return for the same values.
"""

import math
import operator
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vecdecay.analysis.exact_kernel import (
    MAX_PENDING,
    NUM_PIECES,
    NUM_ROWS,
    PIECE_BITS,
    add_to_rows,
    add_to_window,
)
from vecdecay.errors import InvalidInputError

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Values = Floats | Sequence[float]
Counts = Integers | Sequence[int]

LARGEST_COUNT = 2**63 - 1
ONCE_EACH = np.zeros(0, dtype=np.int64)  # stands for counts that are all 1, where an array of counts is expected

_LARGEST_SCALE = 1074  # the smallest positive float64 is 2**-1074
_ROOT_BITS = 57


# Up to here, plain integers are faster than rows. Values of one metric differ little in their exponents, so a few rows
# do; all that a float64 can have would take 100 kB.
_FEW_VALUES = 12
_WINDOW_ROWS = 24


@dataclass(frozen=True, slots=True)
class Summary:
    """What is told of one metric over the sessions of one cell.

    ``count`` sessions have a value and ``null_count`` have none. ``mean``, ``minimum`` and ``maximum`` are in
    the metric's own unit, None where no session has a value; ``standard_deviation`` (divisor count − 1) is
    None below two values. ``constant`` is True when at least two sessions have a value and all these values
    are the same: zero variance over all seeds, which may mean that the randomness does not reach what is
    measured.
    """

    count: int
    null_count: int
    mean: float | None
    standard_deviation: float | None
    minimum: float | None
    maximum: float | None
    constant: bool


@dataclass(frozen=True, slots=True)
class Totals:
    """The exact totals of ``count`` values, as whole numbers.

    The sum of the values is ``total / 2**scale``, the sum of squares ``total_of_squares / 4**scale``.
    """

    count: int
    total: int
    total_of_squares: int
    scale: int

    def __add__(self, other: "Totals") -> "Totals":
        """Return the totals of both sets of values together."""
        scale = max(self.scale, other.scale)
        left, right = scale - self.scale, scale - other.scale
        return Totals(
            self.count + other.count,
            (self.total << left) + (other.total << right),
            (self.total_of_squares << 2 * left) + (other.total_of_squares << 2 * right),
            scale,
        )

    def mean(self) -> float:
        """Return the correctly rounded mean.

        Raises ``InvalidInputError`` when there are no values.
        """
        if self.count < 1:
            raise InvalidInputError(["the mean of 0 values was asked for; expected: at least 1 value"])
        return self.total / (self.count << self.scale)  # Python divides two ints with one correct rounding

    def standard_deviation(self) -> float | None:
        """Return the correctly rounded standard deviation (divisor count − 1), or None below two values.

        Raises ``InvalidInputError`` when it is above the largest float64.
        """
        if self.count < 2:
            return None
        numerator = self.count * self.total_of_squares - self.total * self.total
        return _square_root(numerator, self.count * (self.count - 1), self.scale)

    def to_json(self) -> dict[str, Any]:
        """Return the totals as a dictionary for ``json.dumps``, the same for equal totals of any scale."""
        spare = min(self.scale, _trailing_zeros(self.total), _trailing_zeros(self.total_of_squares) // 2)
        return {
            "count": self.count,
            "total": hex(self.total >> spare),
            "total_of_squares": hex(self.total_of_squares >> 2 * spare),
            "scale": self.scale - spare,
        }

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "Totals":
        """Return the totals that ``to_json`` described.

        Raises ``InvalidInputError`` when no values can have these totals; a missing or mistyped entry raises
        ``KeyError``, ``TypeError`` or ``ValueError``.
        """
        count, scale = operator.index(content["count"]), operator.index(content["scale"])
        totals = cls(count, int(content["total"], 16), int(content["total_of_squares"], 16), scale)
        in_range = 0 < count <= LARGEST_COUNT and 0 <= scale <= _LARGEST_SCALE
        if not in_range or totals.total * totals.total > count * totals.total_of_squares:
            raise InvalidInputError(["these are not the totals of any values"])
        return totals


def exact_mean(values: Values, counts: Counts) -> float:
    """Return the mean of a histogram: ``values`` (distinct,) in any unit, ``counts`` (distinct,) sessions.

    It equals, with ``==``, ``statistics.mean`` of the list in which each value stands as often as its count
    says. Raises ``InvalidInputError`` for what ``checked_histogram`` refuses, and where all counts are 0.

    >>> exact_mean([0.1, 0.2], [2, 1])
    0.13333333333333333
    """
    return totals_of(values, counts).mean()


def exact_standard_deviation(values: Values, counts: Counts) -> float | None:
    """Return the standard deviation (divisor count − 1) of a histogram, or None below two values.

    Arguments as in ``exact_mean``; equal, with ``==``, to ``statistics.stdev`` of the list spelled out.
    Raises ``InvalidInputError`` for what ``checked_histogram`` refuses, and for a result above the largest
    float64.

    >>> exact_standard_deviation([0.1, 0.2], [2, 1])
    0.05773502691896258
    """
    return totals_of(values, counts).standard_deviation()


def totals_of(values: Values, counts: Counts) -> Totals:
    """Return the exact totals of a histogram; arguments and errors as in ``checked_histogram``."""
    return histogram_totals(*checked_histogram(values, counts))


def checked_histogram(values: Values, counts: Counts) -> tuple[Floats, Integers]:
    """Return ``values`` and ``counts``, both (distinct,), as arrays of their own.

    Raises ``InvalidInputError`` for shapes that differ, values that are not finite float64, and counts that
    are not whole numbers, are negative, or add up to more than 2**63 − 1.
    """
    value_array, count_array = np.array(values), np.array(counts)
    if value_array.ndim != 1 or value_array.shape != count_array.shape:
        shapes = f"{value_array.shape} and {count_array.shape}"
        raise InvalidInputError([f"values and counts have the shapes {shapes}; expected: (distinct,) for both"])
    if value_array.size == 0:
        return np.zeros(0), np.zeros(0, dtype=np.int64)
    problems = []
    if value_array.dtype != np.float64:
        problems.append(f"values are of type {value_array.dtype}; expected: float64")
    elif not np.isfinite(value_array).all():
        wrong = value_array[~np.isfinite(value_array)][0]
        problems.append(f"values contain {wrong}; allowed: finite numbers")
    if count_array.dtype != np.int64:
        problems.append(f"counts are of type {count_array.dtype}; expected: int64")
    elif count_array.min() < 0:
        problems.append(f"counts contain {count_array.min()}; allowed: 0 or more")
    elif sum(count_array.tolist()) > LARGEST_COUNT:
        problems.append(f"counts add up to {sum(count_array.tolist())}; allowed: up to {LARGEST_COUNT}")
    if problems:
        raise InvalidInputError(problems)
    return value_array, count_array


def histogram_totals(values: Floats, counts: Integers) -> Totals:
    """Return the exact totals of a histogram that is known to be sound (see ``checked_histogram``)."""
    if values.size <= _FEW_VALUES:
        return _plain_totals(values.tolist(), counts.tolist())
    rows = np.empty(_WINDOW_ROWS * NUM_PIECES, dtype=np.int64)
    lowest, used, count = add_to_window(values, counts, rows)
    if used > 0:
        sums = rows[: used * NUM_PIECES].tolist()
        by_exponent = {lowest + row: sums[NUM_PIECES * row : NUM_PIECES * (row + 1)] for row in range(used)}
        return _sums_to_totals(by_exponent, count)
    running = RunningTotals()
    running.add(values, counts)
    return running.totals()


def histogram_summary(values: Floats, counts: Integers, null_count: int = 0) -> Summary:
    """Return the summary of a sound histogram whose ``values`` (distinct,) ascend, each ``counts`` (distinct,) > 0
    times.

    Raises ``InvalidInputError`` when the standard deviation is above the largest float64.
    """
    if values.size == 0:
        return Summary(0, null_count, None, None, None, None, False)
    minimum, maximum = float(values[0]), float(values[-1])
    if values.size == 1:
        count = int(counts[0])
        return Summary(count, null_count, minimum, 0.0 if count > 1 else None, minimum, maximum, count > 1)
    totals = histogram_totals(values, counts)
    return Summary(
        totals.count, null_count, totals.mean(), totals.standard_deviation(), minimum, maximum, constant=False
    )


class RunningTotals:
    """Exact totals of a stream of values, in about 100 kB however many they are.

    Values are sorted by their exponents into rows. A row holds the sums of the 27-bit pieces of the
    significands and of their squares. The rows are emptied into Python integers before they can overflow, and
    when asked.
    """

    __slots__ = ("_pending", "_rows", "_totals", "maximum", "minimum")

    def __init__(self) -> None:
        """Start with no values; ``minimum`` is inf and ``maximum`` −inf until there are some."""
        self.minimum, self.maximum = math.inf, -math.inf
        self._rows = np.zeros(NUM_ROWS * NUM_PIECES, dtype=np.int64)
        self._pending = 0
        self._totals = Totals(0, 0, 0, 0)

    def add(self, values: Floats, counts: Integers = ONCE_EACH) -> None:
        """Add each of ``values`` (n,) as often as ``counts`` (n,) says; the caller has checked both."""
        if values.size == 0:
            return
        self._widen(values.min().item(), values.max().item())
        count = sum(counts.tolist()) if counts.size else values.size
        if count > MAX_PENDING:
            self._totals += _plain_totals(values.tolist(), counts.tolist())
            return
        if self._pending + count > MAX_PENDING:
            self.totals()
        self._pending += count
        add_to_rows(values, counts, self._rows)

    def merge(self, totals: Totals, minimum: float, maximum: float) -> None:
        """Add other values, of which these are the totals, the minimum and the maximum."""
        self._totals += totals
        self._widen(minimum, maximum)

    def totals(self) -> Totals:
        """Return the exact totals of everything added so far."""
        if self._pending:
            self._totals += _rows_to_totals(self._rows, self._pending)
            self._rows[:] = 0
            self._pending = 0
        return self._totals

    def _widen(self, minimum: float, maximum: float) -> None:
        self.minimum = min(self.minimum, minimum) + 0.0  # adding 0.0 turns -0.0 into 0.0
        self.maximum = max(self.maximum, maximum) + 0.0


def _plain_totals(values: list[float], counts: list[int]) -> Totals:
    smallest = min([abs(value) for value in values if value], default=1.0)
    # Every value is a whole multiple of the lowest bit that the smallest one can have.
    scale = min(max(0, sys.float_info.mant_dig - math.frexp(smallest)[1]), _LARGEST_SCALE)
    try:
        whole_numbers = [int(math.ldexp(value, scale)) for value in values]
    except OverflowError:  # huge values beside tiny ones
        whole_numbers = [int(Fraction(value) * 2**scale) for value in values]
    weighted = [whole * count for whole, count in zip(whole_numbers, counts, strict=True)]
    return Totals(sum(counts), sum(weighted), sum(map(operator.mul, whole_numbers, weighted)), scale)


def _rows_to_totals(rows: Integers, count: int) -> Totals:
    """Return what the flat ``rows`` (exponent × piece,) hold."""
    occupied = np.unique(np.flatnonzero(rows) // NUM_PIECES).tolist()
    return _sums_to_totals({row: rows[NUM_PIECES * row : NUM_PIECES * (row + 1)].tolist() for row in occupied}, count)


def _sums_to_totals(by_exponent: Mapping[int, list[int]], count: int) -> Totals:
    """Return what the sums of pieces under each exponent field, in ascending order, come to."""
    # Field 0 holds the subnormals, whose exponent is that of field 1.
    lowest = min(max(int(next(iter(by_exponent))), 1) - 1, _LARGEST_SCALE) if by_exponent else 0
    total = total_of_squares = 0
    for exponent, sums in by_exponent.items():
        shift = max(int(exponent), 1) - 1 - lowest
        total += (sums[0] + (sums[1] << PIECE_BITS)) << shift
        squares = sum(sums[2 + piece] << PIECE_BITS * piece for piece in range(4))
        total_of_squares += squares << 2 * shift
    return Totals(int(count), total, total_of_squares, _LARGEST_SCALE - lowest)


def _trailing_zeros(number: int) -> int:
    """Return how often 2 divides ``number``; more than any scale for 0."""
    return (number & -number).bit_length() - 1 if number else 2 * _LARGEST_SCALE


def _square_root(numerator: int, denominator: int, scale: int) -> float:
    """Return the correctly rounded square root of ``numerator / denominator / 4**scale``.

    The whole-number root has at least 57 bits. Where it is not exact, its last bit is set: so it stays on the
    same side of every boundary between two roundings to 53 bits as the true root, and the last step rounds
    correctly.
    """
    if numerator == 0:
        return 0.0
    shift = (2 * _ROOT_BITS + 1 + denominator.bit_length() - numerator.bit_length()) // 2
    quotient, rest = divmod(numerator << max(0, 2 * shift), denominator << max(0, -2 * shift))
    root = math.isqrt(quotient)
    if rest or root * root != quotient:
        root |= 1
    exponent = shift + scale
    try:
        return root / (1 << exponent) if exponent >= 0 else float(root << -exponent)
    except OverflowError:
        raise InvalidInputError(["the standard deviation is above the largest float64"]) from None
