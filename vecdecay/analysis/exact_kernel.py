"""Sums and sums of squares of float64 values in whole numbers: the kernels behind ``exact``."""

import numpy as np
from numpy.typing import NDArray

from vecdecay.compile import kernel

# A significand has 53 bits and its square 106: two and four pieces of 27 bits. 2**35 pieces add up inside
# int64.
PIECE_BITS = 27
PIECE_MASK = (1 << PIECE_BITS) - 1
NUM_PIECES = 6
MAX_PENDING = 2**35
NUM_ROWS = 2047  # one per exponent field of a finite float64


@kernel
def _add_significand(pattern: int, count: int, rows: NDArray[np.int64], first_exponent: int) -> None:
    exponent = (pattern >> 52) & 0x7FF
    significand = pattern & 0xFFFFFFFFFFFFF
    if exponent > 0:
        significand |= 0x10000000000000
    low = significand & PIECE_MASK
    high = significand >> PIECE_BITS
    square = low * low
    middle = 2 * low * high + (square >> PIECE_BITS)
    top = high * high + (middle >> PIECE_BITS)
    signed_count = count if pattern >= 0 else -count
    row = NUM_PIECES * (exponent - first_exponent)
    rows[row] += signed_count * low
    rows[row + 1] += signed_count * high
    rows[row + 2] += count * (square & PIECE_MASK)
    rows[row + 3] += count * (middle & PIECE_MASK)
    rows[row + 4] += count * (top & PIECE_MASK)
    rows[row + 5] += count * (top >> PIECE_BITS)


@kernel
def add_to_rows(values: NDArray[np.float64], counts: NDArray[np.int64], rows: NDArray[np.int64]) -> None:
    """Add finite values (n,), each as often as ``counts`` (n,) says or, if that is empty, once."""
    patterns = values.view(np.int64)
    if counts.size == 0:  # a loop of its own, in which the multiplications with 1 vanish
        for index in range(patterns.size):
            _add_significand(patterns[index], 1, rows, 0)
        return
    for index in range(patterns.size):
        _add_significand(patterns[index], counts[index], rows, 0)


@kernel
def add_to_window(
    values: NDArray[np.float64], counts: NDArray[np.int64], rows: NDArray[np.int64]
) -> tuple[int, int, int]:
    """Add finite values (n,), ``counts`` (n,) times each, to rows that begin at their lowest exponent.

    ``rows`` need not be empty before. Returns the lowest exponent, the number of rows used, and the sum of the counts;
    no rows where the values span more exponents than there are rows, are all 0, or are too many.
    """
    patterns = values.view(np.int64)
    lowest, highest, count = NUM_ROWS, -1, 0
    for index in range(patterns.size):
        count += counts[index]
        if values[index] != 0.0:
            exponent = (patterns[index] >> 52) & 0x7FF
            lowest = min(lowest, exponent)
            highest = max(highest, exponent)
    used = highest - lowest + 1
    if highest < 0 or used * NUM_PIECES > rows.size or not 0 < count <= MAX_PENDING:
        return 0, 0, 0
    for place in range(used * NUM_PIECES):
        rows[place] = 0
    for index in range(patterns.size):
        if values[index] != 0.0:
            _add_significand(patterns[index], counts[index], rows, lowest)
    return lowest, used, count
