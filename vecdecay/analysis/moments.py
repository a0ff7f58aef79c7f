"""Mean and standard deviation of float64 values, exact until the one rounding at the end.

Every finite float64 is a whole multiple of 2**-1074, so the sum and the sum of squares of any number of them are
exact in whole numbers, and neither the order of the values nor the way they were split can change them. The mean is
one correctly rounded division, the standard deviation one correctly rounded square root. Both equal, with ``==``,
what ``statistics.mean`` and ``statistics.stdev`` of Python 3.11 and later return for the same values.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vecdecay.analysis.moments_kernel import LARGEST_KERNEL_COUNT, NUM_PIECES, NUM_ROWS, PIECE_BITS, sum_by_exponent
from vecdecay.errors import InvalidInputError

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

SCALE = 1074  # the smallest positive float64 is 2**-1074
_ROOT_BITS = 57


@dataclass(frozen=True, slots=True)
class Summary:
    """One metric over the sessions of one cell.

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
class Moments:
    """The exact moments of ``count`` values, at least one, and the smallest and the largest of them.

    The sum of the values is ``sum / 2**1074``, the sum of their squares ``sum_of_squares / 4**1074``.
    """

    count: int
    sum: int
    sum_of_squares: int
    minimum: float
    maximum: float

    def __add__(self, other: "Moments") -> "Moments":
        """Return the moments of both sets of values together."""
        return Moments(
            self.count + other.count,
            self.sum + other.sum,
            self.sum_of_squares + other.sum_of_squares,
            min(self.minimum, other.minimum),
            max(self.maximum, other.maximum),
        )

    def mean(self) -> float:
        """Return the correctly rounded mean."""
        return self.sum / (self.count << SCALE)  # Python divides two ints with one correct rounding

    def standard_deviation(self) -> float | None:
        """Return the correctly rounded standard deviation (divisor count − 1), or None below two values.

        Raises ``InvalidInputError`` when it is above the largest float64.
        """
        if self.count < 2:
            return None
        numerator = self.count * self.sum_of_squares - self.sum * self.sum
        return _square_root(numerator, self.count * (self.count - 1))

    def summary(self, null_count: int) -> Summary:
        """Return the summary of these values and of ``null_count`` sessions without one; errors as above."""
        constant = self.count > 1 and self.minimum == self.maximum
        deviation = self.standard_deviation()
        return Summary(self.count, null_count, self.mean(), deviation, self.minimum, self.maximum, constant)

    def to_json(self) -> dict[str, Any]:
        """Return the moments as a dictionary for ``json.dumps``, the numbers as hexadecimal text."""
        return {
            "count": self.count,
            "sum": hex(self.sum),
            "sum_of_squares": hex(self.sum_of_squares),
            "minimum": self.minimum.hex(),
            "maximum": self.maximum.hex(),
        }

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "Moments":
        """Return the moments that ``to_json`` described.

        Raises ``ValueError``, ``KeyError`` or ``TypeError`` when ``to_json`` cannot have written ``content``.
        """
        moments = cls(
            content["count"],
            int(content["sum"], 16),
            int(content["sum_of_squares"], 16),
            float.fromhex(content["minimum"]),
            float.fromhex(content["maximum"]),
        )
        if type(moments.count) is not int or moments.count < 1 or moments.to_json() != dict(content):
            raise ValueError("not written by this program")
        if moments.sum * moments.sum > moments.count * moments.sum_of_squares:
            raise ValueError("no values have these sums")
        if not -math.inf < moments.minimum <= moments.mean() <= moments.maximum < math.inf:
            raise ValueError("the mean lies outside the values")
        return moments


def moments_of(values: Floats, counts: Integers) -> Moments:
    """Return the exact moments of a histogram: finite ``values`` (n,), n > 0, each ``counts`` (n,) > 0 times.

    >>> moments = moments_of(np.array([0.1, 0.2]), np.array([2, 1]))
    >>> moments.mean(), moments.standard_deviation()
    (0.13333333333333333, 0.05773502691896258)
    """
    count = sum(counts.tolist())
    if count > LARGEST_KERNEL_COUNT:
        return _moments_by_integers(values.tolist(), counts.tolist())
    rows = np.empty(NUM_ROWS * NUM_PIECES, dtype=np.int64)
    first, end, minimum, maximum = sum_by_exponent(values, counts, rows)
    whole = squares = 0
    for row, (low, high, *square) in enumerate(rows.reshape(-1, NUM_PIECES)[first:end].tolist(), int(first)):
        if square != [0, 0, 0, 0]:
            shift = max(row, 1) - 1  # field 0 holds the subnormals, whose exponent is that of field 1
            whole += (low + (high << PIECE_BITS)) << shift
            squares += sum(piece << PIECE_BITS * place for place, piece in enumerate(square)) << 2 * shift
    return Moments(count, whole, squares, float(minimum) + 0.0, float(maximum) + 0.0)  # adding 0.0 turns -0.0 into 0.0


def _moments_by_integers(values: list[float], counts: list[int]) -> Moments:
    """Return the same where counts are too large for the kernel; a hundred times slower per value."""
    whole = squares = 0
    for value, count in zip(values, counts, strict=True):
        numerator, denominator = value.as_integer_ratio()
        multiple = numerator << SCALE + 1 - denominator.bit_length()
        whole += count * multiple
        squares += count * multiple * multiple
    return Moments(sum(counts), whole, squares, min(values) + 0.0, max(values) + 0.0)


def _square_root(numerator: int, denominator: int) -> float:
    """Return the correctly rounded square root of ``numerator / denominator / 4**1074``.

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
    exponent = shift + SCALE
    try:
        return root / (1 << exponent) if exponent >= 0 else float(root << -exponent)
    except OverflowError:
        raise InvalidInputError(["the standard deviation is above the largest float64"]) from None
