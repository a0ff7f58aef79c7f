"""The steps that rhythms are made of: each writes some touches of one item, in the order of turns.

An item's rhythm is a list of steps, played one after the other. A step is a row of STEP_WIDTH numbers: what it is, and
three arguments. Step number n of an item draws from stream FIRST_STEP_STREAM + n; the running number of a draw inside
a step is its event. So no draw depends on another item, on another step, or on how many draws there were.

The same source serves the plain generator, which hands in lists, and the block's, which hands in arrays.
"""

import math

import numpy as np
from numpy.typing import NDArray

from vecdecay.accelerate import kernel
from vecdecay.sessions.philox import exponential, uniform, uniform_below

FIRST_STEP_STREAM = 32
STEP_WIDTH = 4

# Steps and their arguments.
REGISTER = 0  # first turn, last turn: one registration in a turn of this range, each equally likely
SPREAD = 1  # count, first turn, last turn: so many recalls, each in any turn of the range with equal chance
RETURN = 2  # turns: one recall so many turns after the latest touch
SPREAD_AFTER = 3  # count, turns: so many recalls, each in any of so many turns after the latest touch
PROCESS = 4  # rate, first turn, last turn: recalls at random moments, so many per turn on average (a Poisson process)
POWER_GAPS = 5  # scale, exponent: recalls whose gaps follow a power law
PERIODIC = 6  # period, jitter: recalls at a fixed period from a random start, each shifted by up to the jitter


_FEW = 24


@kernel
def _sort(turns: NDArray[np.int32], first: int, last: int) -> None:
    """Sort the places ``first`` … ``last`` - 1: by insertion over shrinking distances (D. L. Shell, 1959)."""
    distance = 1
    while 9 * distance < last - first:
        distance = 3 * distance + 1
    while distance > 0:
        for place in range(first + distance, last):
            turn = turns[place]
            hole = place
            while hole - distance >= first and turns[hole - distance] > turn:
                turns[hole] = turns[hole - distance]
                hole -= distance
            turns[hole] = turn
        distance //= 3


@kernel
def _spread(
    key: int,
    workload: int,
    stream: int,
    item: int,
    count: int,
    first_turn: int,
    last_turn: int,
    session_length: int,
    turns: NDArray[np.int32],
    kinds: NDArray[np.int8],
    touch: int,
) -> int:
    """Write ``count`` recalls in ``first_turn`` … ``last_turn``; those after the session's end are left out."""
    first = touch
    if count > len(turns) - touch:
        return -1
    for event in range(count):
        turn = first_turn + uniform_below(last_turn - first_turn + 1, key, workload, stream, item, event)
        if turn <= session_length:
            if count <= _FEW:
                # Every earlier turn is passed by, the larger one carried on: no branch depends on the turns, and a
                # recall takes 13 ns instead of the 25 with _sort.
                for place in range(first, touch):
                    smaller = min(int(turns[place]), turn)
                    turn = max(int(turns[place]), turn)
                    turns[place] = smaller
            turns[touch] = turn
            kinds[touch] = 1
            touch += 1
    if count > _FEW:
        _sort(turns, first, touch)
    return touch


@kernel
def _process(
    key: int,
    workload: int,
    stream: int,
    item: int,
    rate: float,
    first_turn: int,
    last_turn: int,
    turns: NDArray[np.int32],
    kinds: NDArray[np.int8],
    touch: int,
) -> int:
    """Write the recalls of a Poisson process of ``rate`` per turn over ``first_turn`` … ``last_turn``."""
    time = 0.0
    end = float(last_turn - first_turn + 1)
    event = 0
    while rate > 0.0:
        time += exponential(uniform(key, workload, stream, item, event)) / rate
        if time >= end:
            break
        if touch >= len(turns):
            return -1
        turns[touch] = first_turn + int(time)
        kinds[touch] = 1
        touch += 1
        event += 1
    return touch


@kernel
def _power_gaps(
    key: int,
    workload: int,
    stream: int,
    item: int,
    scale: float,
    exponent: float,
    last: int,
    session_length: int,
    turns: NDArray[np.int32],
    kinds: NDArray[np.int8],
    touch: int,
) -> int:
    """Write recalls at gaps g ≥ 1 with P(g > x) = (1 + x / scale) ** -exponent, from turn ``last`` to the end."""
    event = 0
    while last < session_length:
        over = scale * (math.exp(exponential(uniform(key, workload, stream, item, event)) / exponent) - 1.0)
        if over >= session_length - last:
            break
        if touch >= len(turns):
            return -1
        last += 1 + int(over)
        turns[touch] = last
        kinds[touch] = 1
        touch += 1
        event += 1
    return touch


@kernel
def _periodic(
    key: int,
    workload: int,
    stream: int,
    item: int,
    period: int,
    jitter: int,
    last: int,
    session_length: int,
    turns: NDArray[np.int32],
    kinds: NDArray[np.int8],
    touch: int,
) -> int:
    """Write a recall per period; the first 1 to ``period`` turns after ``last``. ``jitter`` is below half a period."""
    planned = last + 1 + uniform_below(period, key, workload, stream, item, 0)
    event = 1
    while planned - jitter <= session_length:
        turn = planned
        if jitter > 0:
            turn += uniform_below(2 * jitter + 1, key, workload, stream, item, event) - jitter
        turn = max(turn, last + 1)
        if turn <= session_length:
            if touch >= len(turns):
                return -1
            turns[touch] = turn
            kinds[touch] = 1
            touch += 1
        planned += period
        event += 1
    return touch


@kernel
def take_steps(
    key: int,
    workload: int,
    item: int,
    session_length: int,
    steps: NDArray[np.float64],
    first_step: int,
    last_step: int,
    turns: NDArray[np.int32],
    kinds: NDArray[np.int8],
    touch: int,
) -> int:
    """Write the touches of one item from place ``touch`` on, and return the place after its last.

    ``steps`` (step, STEP_WIDTH), flat; those of the item are ``first_step`` … ``last_step`` - 1. Written: ``turns`` and
    ``kinds`` (touch), 0 for a registration and 1 for a recall. Returns -1 where they are too short for the touches.
    """
    last = 0  # the turn of the latest touch
    for number in range(last_step - first_step):
        place = (first_step + number) * STEP_WIDTH
        what = int(steps[place])
        one, two, three = steps[place + 1], steps[place + 2], steps[place + 3]
        stream = FIRST_STEP_STREAM + number
        before = touch
        if what == REGISTER:
            if touch >= len(turns):
                return -1
            turn = int(one)
            if two > one:
                turn += uniform_below(int(two) - turn + 1, key, workload, stream, item, 0)
            if turn <= session_length:
                turns[touch] = turn
                kinds[touch] = 0
                touch += 1
        elif what == SPREAD:
            touch = _spread(
                key, workload, stream, item, int(one), int(two), int(three), session_length, turns, kinds, touch
            )
        elif what == RETURN:
            if last + int(one) <= session_length:
                if touch >= len(turns):
                    return -1
                turns[touch] = last + int(one)
                kinds[touch] = 1
                touch += 1
        elif what == SPREAD_AFTER:
            touch = _spread(
                key, workload, stream, item, int(one), last + 1, last + int(two), session_length, turns, kinds, touch
            )
        elif what == PROCESS:
            end = min(int(three), session_length)
            touch = _process(key, workload, stream, item, one, int(two), end, turns, kinds, touch)
        elif what == POWER_GAPS:
            touch = _power_gaps(key, workload, stream, item, one, two, last, session_length, turns, kinds, touch)
        elif what == PERIODIC:
            touch = _periodic(
                key, workload, stream, item, int(one), int(two), last, session_length, turns, kinds, touch
            )
        if touch < 0:
            return -1
        if touch > before:
            last = int(turns[touch - 1])
    return touch
