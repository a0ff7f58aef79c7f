"""The recorded time of a trace beside its turns, as the clocks of its sessions."""

import numpy as np
from numpy.typing import NDArray

from vecdecay.sessions.clock import LATEST_SECOND, Clocks

_SECOND = 1_000_000  # microseconds
_DAY = 86_400  # seconds

TOO_LONG = "a session spans more than 68 years"
BACKWARDS = "time runs backwards from one turn to the next"


def clocks_of_stretches(
    start: NDArray[np.int64], turn: NDArray[np.int32], first_unit: NDArray[np.int64], turn_seconds: int
) -> Clocks | str:
    """Return clocks of turns that are stretches of time, or why there are none.

    ``first_unit`` (session) is how many such stretches lie between 1970 and the session's first turn. A turn is in its
    last second, so that the pass of the last hour of a day is at the end of the day; longer ones than a day in the last
    second of their first day.
    """
    length = turn[start[1:] - 1].astype(np.int64)
    first = first_unit * turn_seconds % _DAY + min(turn_seconds, _DAY)
    last = first + (length - 1) * turn_seconds
    if int(last.max(initial=1)) > LATEST_SECOND:
        return TOO_LONG
    counts = np.where(length > 1, 2, 1)
    ends = np.cumsum(counts)
    turns, seconds = np.ones(int(ends[-1]), dtype=np.int64), np.empty(int(ends[-1]), dtype=np.int64)
    seconds[ends - counts] = first
    turns[ends - 1], seconds[ends - 1] = length, last
    return Clocks(np.concatenate([[0], ends]).astype(np.int64), turns, seconds)


def clocks_of_times(start: NDArray[np.int64], turn: NDArray[np.int32], times: NDArray[np.int64]) -> Clocks | str:
    """Return clocks in which each turn has the time of its first event, or why there are none; ``times`` in µs."""
    begins = np.ones(len(turn), dtype=np.bool_)
    begins[1:] = turn[1:] != turn[:-1]
    begins[start[:-1]] = True
    place = np.flatnonzero(begins)
    first = np.searchsorted(place, start).astype(np.int64)
    second = times[place] // _SECOND
    midnight = second[first[:-1]] // _DAY * _DAY
    second = second - np.repeat(midnight, np.diff(first)) + 1
    falls = np.diff(second) < 0
    falls[first[1:-1] - 1] = False
    if falls.any():
        return BACKWARDS
    return (
        TOO_LONG if int(second.max(initial=1)) > LATEST_SECOND else Clocks(first, turn[place].astype(np.int64), second)
    )
