"""The recorded time of a session beside its turns: which second each turn is.

A session's clock is a list of points (turn, second). Seconds count from the midnight (UTC) before the first event, from
1, so that the days of the calendar are whole units of 86,400. Between two points the clock goes evenly, in whole
seconds rounded down; before the first and after the last it stands still.
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vecdecay.errors import InvalidInputError

LATEST_SECOND = 2**31 - 1
"""Some 68 years; horizons are known as far."""

Point = tuple[int, int]


class Clocks(NamedTuple):
    """The clocks of many sessions. Shapes: ``start`` (session + 1); ``turn``, ``second`` (point), int64.

    The points of session s are ``start[s] … start[s+1] - 1``, at least one.
    """

    start: NDArray[np.int64]
    turn: NDArray[np.int64]
    second: NDArray[np.int64]

    def points(self, session: int) -> tuple[Point, ...]:
        """Return the clock of one session."""
        one = slice(int(self.start[session]), int(self.start[session + 1]))
        return tuple(zip(self.turn[one].tolist(), self.second[one].tolist(), strict=True))


def second_of(points: Sequence[Point], turn: int) -> int:
    """Return the second of a turn.

    >>> clock = ((1, 100), (4, 110), (5, 200))
    >>> [second_of(clock, turn) for turn in (1, 2, 3, 4, 5, 9)]
    [100, 103, 106, 110, 200, 200]
    """
    place = bisect_right(points, turn, key=lambda point: point[0])
    if place in (0, len(points)):
        return points[max(place - 1, 0)][1]
    (before, least), (after, most) = points[place - 1], points[place]
    return least + (most - least) * (turn - before) // (after - before)


def clock_problems(points: Sequence[Point], session_length: int) -> list[str]:
    """Return one line per mistake in a clock.

    >>> clock_problems(((1, 9), (2, 4)), session_length=2)
    ['clock: turn 2 is in second 4, after second 9; allowed: seconds that do not fall']
    """
    problems = []
    for (before, least), (turn, second) in pairwise(points):
        if turn <= before:
            problems.append(f"clock: turn {turn} follows turn {before}; allowed: rising turns")
        if second < least:
            problems.append(
                f"clock: turn {turn} is in second {second}, after second {least}; allowed: seconds that do not fall"
            )
    for turn, second in points:
        if not 1 <= turn <= session_length:
            problems.append(f"clock: turn {turn}; allowed: 1 to {session_length}")
        if not 1 <= second <= LATEST_SECOND:
            problems.append(f"clock: second {second}; allowed: 1 to {LATEST_SECOND}")
    return problems


def clocks_of(clocks: Sequence[Sequence[Point]]) -> Clocks | None:
    """Return the clocks of sessions as arrays, None where no session has one.

    Raises:
        InvalidInputError: some sessions have a clock and some have none.
    """
    if not any(clocks):
        return None
    without = next((number for number, points in enumerate(clocks) if not points), None)
    if without is not None:
        raise InvalidInputError([f"session {without} has no clock, and others have one; allowed: all or none"])
    start = np.cumsum([0, *map(len, clocks)], dtype=np.int64)
    every = np.array([point for points in clocks for point in points], dtype=np.int64)
    return Clocks(start, every[:, 0].copy(), every[:, 1].copy())
