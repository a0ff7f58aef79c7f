"""Clocks of sessions, compiled: what a clock shows in a turn; see ``clock``."""

import numpy as np
from numpy.typing import NDArray

from vecdecay.compile import kernel


@kernel
def value_at(turn: int, turns: NDArray[np.int64], values: NDArray[np.int64], first: int, last: int) -> int:
    """Return the value in a turn, which need not be that of a point."""
    low, high = first, last  # the first point after the turn is in low … high
    while low < high:
        middle = (low + high) // 2
        if turns[middle] <= turn:
            low = middle + 1
        else:
            high = middle
    if low == first:
        return values[first]  # type: ignore[no-any-return]
    before = low - 1
    if low == last:
        return values[before]  # type: ignore[no-any-return]
    rise, run = values[low] - values[before], turns[low] - turns[before]
    return values[before] + rise * (turn - turns[before]) // run  # type: ignore[no-any-return]


@kernel
def values_at(
    event_turn: NDArray[np.int32], first_event: NDArray[np.int64], turns: NDArray[np.int64],
    values: NDArray[np.int64], start: NDArray[np.int64], found: NDArray[np.int64],
) -> None:  # fmt: skip
    """Write what the clock of its session shows in the turn of every event.

    ``first_event``, ``start`` (session + 1): where its events, and the points of its clock, begin.
    """
    for session in range(len(first_event) - 1):
        for event in range(first_event[session], first_event[session + 1]):
            found[event] = value_at(int(event_turn[event]), turns, values, start[session], start[session + 1])
