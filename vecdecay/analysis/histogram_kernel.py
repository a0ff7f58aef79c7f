"""An open-addressed table of values and their counts: the kernels behind ``histogram``."""

import numpy as np
from numpy.typing import NDArray

from vecdecay.compile import kernel

EMPTY = -1  # as a float64 this pattern is NaN, which no histogram holds
_EXPONENT_BITS = 0x7FF0000000000000  # all set: infinite or NaN
_ALL_BUT_SIGN = 0x7FFFFFFFFFFFFFFF

# Odd and below 2**31. The first is 2**32 − 2**32 / golden ratio; the second was drawn at random.
_LOW_FACTOR = 1640531527
_HIGH_FACTOR = 2146121005


@kernel
def look_over(values: NDArray[np.float64]) -> tuple[bool, bool]:
    """Return whether all values are finite, and whether all are the same; free of branches, 0.1 ns per value."""
    patterns = values.view(np.int64)
    wrong = differing = 0
    for index in range(patterns.size):
        wrong |= int((patterns[index] & _EXPONENT_BITS) == _EXPONENT_BITS)
        differing |= patterns[index] ^ patterns[0]
    return wrong == 0, differing == 0


@kernel
def _slot_of(pattern: int, keys: NDArray[np.int64], shift: int) -> int:
    """Return the slot that holds ``pattern`` or, if none does, the empty slot where it belongs.

    The halves of the pattern, as signed 32-bit numbers, are multiplied with odd 31-bit constants, and the folded
    sum once more: values like k/1000 need both rounds. All stays inside int64, also in plain Python.
    """
    last_slot = keys.size - 1
    mixed = ((pattern & 0xFFFFFFFF) - 0x80000000) * _LOW_FACTOR + (pattern >> 32) * _HIGH_FACTOR
    mixed = ((mixed ^ (mixed >> 32)) & 0xFFFFFFFF) * _LOW_FACTOR
    slot = (mixed >> shift) & last_slot
    step = 0
    while keys[slot] != pattern and keys[slot] != EMPTY:
        step += 1  # steps of 1, 2, 3, … reach every slot, as the number of slots is a power of two
        slot = (slot + step) & last_slot
    return slot


@kernel
def count_into(
    values: NDArray[np.float64],
    weights: NDArray[np.int64],
    first: int,
    keys: NDArray[np.int64],
    counts: NDArray[np.int64],
    distinct: int,
    room: int,
) -> tuple[int, int]:
    """Count values[first:] into the table, up to the first value that would be distinct number ``room`` + 1.

    ``weights`` (n,) say how often each value counts, or is empty: once each. A weight of 0 passes the value
    over. Returns the index where it stopped and the number of distinct values now held.
    """
    patterns = values.view(np.int64)
    weighted = weights.size > 0
    shift = 32
    while (1 << (32 - shift)) < keys.size:
        shift -= 1
    for index in range(first, patterns.size):
        weight = weights[index] if weighted else 1
        if weight == 0:
            continue
        pattern = patterns[index]
        if (pattern & _ALL_BUT_SIGN) == 0:
            pattern = 0
        slot = _slot_of(pattern, keys, shift)
        if keys[slot] != pattern:
            if distinct == room:
                return index, distinct
            distinct += 1
            keys[slot] = pattern
        counts[slot] += weight
    return patterns.size, distinct


@kernel
def unpack(
    keys: NDArray[np.int64], counts: NDArray[np.int64], values_out: NDArray[np.float64], counts_out: NDArray[np.int64]
) -> None:
    """Copy the values and counts of the occupied slots."""
    patterns_out = values_out.view(np.int64)
    position = 0
    for slot in range(keys.size):
        if keys[slot] != EMPTY:
            patterns_out[position] = keys[slot]
            counts_out[position] = counts[slot]
            position += 1
