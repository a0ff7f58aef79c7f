"""Sums and sums of squares of float64 values in whole numbers: the kernel behind ``moments``."""

import numpy as np
from numpy.typing import NDArray

from vecdecay.compile import kernel

# A significand has 53 bits and its square 106: two and four pieces of 27 bits. 2**35 pieces add up inside int64.
PIECE_BITS = 27
PIECE_MASK = (1 << PIECE_BITS) - 1
NUM_PIECES = 6
LARGEST_KERNEL_COUNT = 2**35
NUM_ROWS = 2047  # one per exponent field of a finite float64


@kernel
def _add_significand(pattern: int, count: int, rows: NDArray[np.int64]) -> None:
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
    row = NUM_PIECES * exponent
    rows[row] += signed_count * low
    rows[row + 1] += signed_count * high
    rows[row + 2] += count * (square & PIECE_MASK)
    rows[row + 3] += count * (middle & PIECE_MASK)
    rows[row + 4] += count * (top & PIECE_MASK)
    rows[row + 5] += count * (top >> PIECE_BITS)


@kernel
def sum_by_exponent(
    values: NDArray[np.float64], counts: NDArray[np.int64], rows: NDArray[np.int64]
) -> tuple[int, int, float, float]:
    """Sum finite values (n,), each ``counts`` (n,) times, into ``rows`` (exponent field × piece,), flat.

    Returns the first row used, the row after the last, the smallest and the largest value. Zeros use no row. Only the
    rows between the two are written, so ``rows`` may hold anything before.
    """
    patterns = values.view(np.int64)
    first, last, minimum, maximum = NUM_ROWS, 0, np.inf, -np.inf
    for index in range(patterns.size):
        if values[index] != 0.0:
            exponent = (patterns[index] >> 52) & 0x7FF
            first = min(first, exponent)
            last = max(last, exponent)
        minimum = min(minimum, values[index])
        maximum = max(maximum, values[index])
    for place in range(first * NUM_PIECES, (last + 1) * NUM_PIECES):
        rows[place] = 0
    for index in range(patterns.size):
        if values[index] != 0.0:
            _add_significand(patterns[index], counts[index], rows)
    return first, last + 1, minimum, maximum
