"""The clock of a session: which second a turn is, in plain Python, compiled and as arrays."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vecdecay.errors import InvalidInputError
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.clock import LATEST_SECOND, Point, clocks_of, second_of
from vecdecay.sessions.clock_kernel import value_at, values_at
from vecdecay.sessions.session import Session, session_problems


@st.composite
def clocks(draw: st.DrawFn, longest: int = 40) -> tuple[Point, ...]:
    """Draw a clock of some turns up to ``longest``, with steps of nothing to weeks between its points."""
    turns = sorted(draw(st.sets(st.integers(1, longest), min_size=1, max_size=12)))
    second = draw(st.integers(1, 86_400))
    points = []
    for turn in turns:
        points.append((turn, second))
        second += draw(st.sampled_from((0, 1, 59, 3600, 86_399, 86_400, 86_401, 1_234_567)))
    return tuple(points)


@given(clocks())
def test_the_clock_goes_evenly_between_its_points(clock: tuple[Point, ...]) -> None:
    """Each turn is met by counting on from the point before it; before the first and after the last it stands still."""
    known = dict(clock)
    turns = range(1, 45)
    expected, before = [], clock[0]
    for turn in turns:
        before = (turn, known[turn]) if turn in known else before
        after = min((point for point in clock if point[0] > turn), default=before)
        rise, run = after[1] - before[1], after[0] - before[0]
        expected.append(before[1] + (rise * (turn - before[0]) // run if turn > clock[0][0] and run else 0))
    assert [second_of(clock, turn) for turn in turns] == expected


@given(st.lists(clocks(), min_size=1, max_size=3))
def test_the_kernel_reads_the_same(drawn: list[tuple[Point, ...]]) -> None:
    """Of every session of a block, in every turn."""
    made = clocks_of(drawn)
    assert made is not None
    turns = np.tile(np.arange(1, 45, dtype=np.int32), len(drawn))
    first = np.arange(len(drawn) + 1, dtype=np.int64) * 44
    found = np.empty(len(turns), dtype=np.int64)
    values_at(turns, first, made.turn, made.second, made.start, found)
    assert found.tolist() == [second_of(points, turn) for points in drawn for turn in range(1, 45)]
    assert [made.points(number) for number in range(len(drawn))] == drawn
    assert value_at(1, made.turn, made.second, 0, 1) == drawn[0][0][1]


def test_a_block_keeps_the_clocks_of_its_sessions() -> None:
    """Also where sessions are picked from it, in another order."""
    one, two = (Session(9, (1,), ((1, 0, 0),), clock=points) for points in (((1, 5), (9, 70)), ((2, 6),)))
    block = block_of([one, two])
    assert block.sessions() == [one, two]
    assert block.picked(np.array([1, 0, 1])).sessions() == [two, one, two]


@pytest.mark.parametrize(
    ("clock", "problem"),
    [
        (((2, 5), (2, 6)), "clock: turn 2 follows turn 2; allowed: rising turns"),
        (((2, 5), (3, 4)), "clock: turn 3 is in second 4, after second 5; allowed: seconds that do not fall"),
        (((10, 5),), "clock: turn 10; allowed: 1 to 9"),
        (((0, 5),), "clock: turn 0; allowed: 1 to 9"),
        (((1, 0),), f"clock: second 0; allowed: 1 to {LATEST_SECOND}"),
        (((1, 2**31),), f"clock: second {2**31}; allowed: 1 to {LATEST_SECOND}"),
    ],
)
def test_a_wrong_clock_is_refused(clock: tuple[Point, ...], problem: str) -> None:
    """In one line."""
    assert session_problems(Session(9, (1,), ((1, 0, 0),), clock=clock)) == [problem]


def test_either_all_sessions_have_a_clock_or_none() -> None:
    """A policy is played in seconds or in turns."""
    timed = Session(9, (1,), ((1, 0, 0),), clock=((1, 5),))
    with pytest.raises(InvalidInputError, match="session 1 has no clock, and others have one; allowed: all or none"):
        block_of([timed, replace(timed, clock=())])
