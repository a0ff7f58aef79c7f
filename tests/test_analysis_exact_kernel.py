"""Sums of float64 values in whole numbers agree with exact fractions."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from vecdecay.analysis.exact_kernel import NUM_PIECES, NUM_ROWS, PIECE_BITS, add_to_rows, add_to_window

FINITE = st.floats(allow_nan=False, allow_infinity=False)
LOWEST = 2**1074  # the smallest positive float64 is 1 / 2**1074


def sum_of(rows: np.ndarray, first_exponent: int = 0) -> Fraction:
    """Return the sum that rows of pieces stand for."""
    total = 0
    for number, (low, high, *_) in enumerate(rows.reshape(-1, NUM_PIECES).tolist()):
        total += (low + (high << PIECE_BITS)) << max(first_exponent + number, 1) - 1
    return Fraction(total, LOWEST)


def sum_of_squares(rows: np.ndarray) -> Fraction:
    """Return the sum of squares that rows of pieces stand for."""
    total = 0
    for number, (_, _, *pieces) in enumerate(rows.reshape(-1, NUM_PIECES).tolist()):
        total += sum(piece << PIECE_BITS * place for place, piece in enumerate(pieces)) << 2 * (max(number, 1) - 1)
    return Fraction(total, LOWEST * LOWEST)


@given(st.lists(FINITE, max_size=40))
def test_rows_hold_the_exact_sum_and_sum_of_squares(values: list[float]) -> None:
    """No bit of any value is lost, whatever their exponents and signs."""
    rows = np.zeros(NUM_ROWS * NUM_PIECES, dtype=np.int64)
    add_to_rows(np.array(values, dtype=np.float64), np.zeros(0, dtype=np.int64), rows)
    assert sum_of(rows) == sum(map(Fraction, values))
    assert sum_of_squares(rows) == sum(Fraction(value) * Fraction(value) for value in values)


@given(st.lists(st.tuples(st.floats(0.5, 8.0), st.integers(1, 1000)), min_size=1, max_size=20))
def test_a_window_holds_the_same_sum(weighted: list[tuple[float, int]]) -> None:
    """The few rows of neighbouring exponents tell the same as all rows do."""
    values = np.array([value for value, _ in weighted])
    counts = np.array([count for _, count in weighted], dtype=np.int64)
    rows = np.ones(24 * NUM_PIECES, dtype=np.int64)
    lowest, used, count = add_to_window(values, counts, rows)
    assert count == counts.sum()
    assert sum_of(rows[: used * NUM_PIECES], lowest) == sum(Fraction(value) * n for value, n in weighted)
