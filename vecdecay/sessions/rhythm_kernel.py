"""From keys to the touches of sessions: items by the steps of their rhythm, then noise by turns.

An item's rhythm is a list of steps, played one after the other; each writes some touches, in the order of turns. A step
is a row of STEP_WIDTH numbers: what it is, and three arguments. Step number n of an item draws from stream
FIRST_STEP_STREAM + n; the running number of a draw inside a step is its event. Noise item number i of a turn has the
address (item = turn, event = i), whatever the other turns hold. So no draw depends on another item, on another step, or
on how many draws there were.

The same source serves the plain generator, which hands in lists, and the block's, which hands in arrays.
"""

import math

import numpy as np
from numpy.typing import NDArray

from vecdecay.compile import kernel
from vecdecay.sessions.philox import (
    exponential,
    random_bits,
    uniform,
    uniform_below,
    uniform_pair,
    weighted_index,
)

# Streams of noise.
NOISE_COUNT = 0
NOISE_BURST = 1
NOISE_RECALL = 2

_NEXT_BLOCK = 2**16  # the upper half of the stream's word counts the recalls of an item
_MOST_RECALLS = 2**16

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
    key: int, workload: int, stream: int, item: int, count: int, first_turn: int, last_turn: int, session_length: int,
    turns: NDArray[np.int32], kinds: NDArray[np.int8], touch: int,
) -> int:  # fmt: skip
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
    key: int, workload: int, stream: int, item: int, rate: float, first_turn: int, last_turn: int,
    turns: NDArray[np.int32], kinds: NDArray[np.int8], touch: int,
) -> int:  # fmt: skip
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
    key: int, workload: int, stream: int, item: int, scale: float, exponent: float, last: int, session_length: int,
    turns: NDArray[np.int32], kinds: NDArray[np.int8], touch: int,
) -> int:  # fmt: skip
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
    key: int, workload: int, stream: int, item: int, period: int, jitter: int, last: int, session_length: int,
    turns: NDArray[np.int32], kinds: NDArray[np.int8], touch: int,
) -> int:  # fmt: skip
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
    key: int, workload: int, item: int, session_length: int, steps: NDArray[np.float64], first_step: int,
    last_step: int, turns: NDArray[np.int32], kinds: NDArray[np.int8], touch: int,
) -> int:  # fmt: skip
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


@kernel
def count_noise(
    key: int, workload: int, turn: int, burst_turns: int, burst_share: float, thresholds: NDArray[np.int64],
    guide: NDArray[np.int64],
) -> int:  # fmt: skip
    """Return how many noise items a turn registers.

    The session falls into stretches of ``burst_turns`` turns; a stretch holds noise with probability ``burst_share``.
    In a turn of such a stretch ``thresholds`` and ``guide`` (number of items), from draws.weight_table, give the chance
    of each number.
    """
    if burst_share < 1.0 and uniform(key, workload, NOISE_BURST, 0, (turn - 1) // burst_turns) >= burst_share:
        return 0
    # A table in place of the formula: 8 against 60 ns a turn.
    return int(weighted_index(random_bits(key, workload, NOISE_COUNT, 0, turn), thresholds, guide))


@kernel
def recall_gap(
    key: int, workload: int, turn: int, number: int, recall: int, probability: float, mean_gap: float,
    turns_left: int,
) -> int:  # fmt: skip
    """Return the turns from a touch of noise item ``number`` of a turn to its next recall, 0 where there is none.

    ``recall`` counts the recalls before. There is a next one with ``probability``, 1 + an exponential time of
    ``mean_gap`` turns later, unless that is more than the ``turns_left``. No arrays are handed in: a call with them
    took 10 ns more.
    """
    if recall >= _MOST_RECALLS:
        return 0
    chance, fraction = uniform_pair(key, workload, NOISE_RECALL + recall * _NEXT_BLOCK, turn, number)
    if chance >= probability:
        return 0
    over = mean_gap * exponential(fraction)
    if over >= turns_left:
        return 0
    return 1 + int(over)


@kernel
def _write_noise(
    key: int, workload: int, session_length: int, burst_turns: int, burst_share: float, thresholds: NDArray[np.int64],
    guide: NDArray[np.int64], probability: float, mean_gap: float, item_kind: NDArray[np.int8],
    touch_start: NDArray[np.int64], touch_turn: NDArray[np.int32], touch_kind: NDArray[np.int8], item: int, touch: int,
) -> int:  # fmt: skip
    """Write the noise items of one session from number ``item`` on, and return the number after the last, or -1."""
    for turn in range(1, session_length + 1):
        count = count_noise(key, workload, turn, burst_turns, burst_share, thresholds, guide)
        for number in range(count):
            if item >= len(item_kind) or touch >= len(touch_turn):
                return -1
            touch_turn[touch] = turn
            touch_kind[touch] = 0
            touch += 1
            last = turn
            recall = 0
            while probability > 0.0:
                gap = recall_gap(key, workload, turn, number, recall, probability, mean_gap, session_length - last)
                if gap == 0:
                    break
                if touch >= len(touch_turn):
                    return -1
                last += gap
                recall += 1
                touch_turn[touch] = last
                touch_kind[touch] = 1
                touch += 1
            item_kind[item] = 0
            item += 1
            touch_start[item] = touch
    return item


@kernel
def generate_sessions(
    keys: NDArray[np.int64], workload: int, session_length: int, steps: NDArray[np.float64],
    step_start: NDArray[np.int64], item_plan: NDArray[np.int32], list_noise: bool, burst_turns: int, burst_share: float,
    thresholds: NDArray[np.int64], guide: NDArray[np.int64], recall_probability: float, mean_gap: float,
    item_start: NDArray[np.int64], item_kind: NDArray[np.int8], touch_start: NDArray[np.int64],
    touch_turn: NDArray[np.int32], touch_kind: NDArray[np.int8],
) -> bool:  # fmt: skip
    """Write the listed items of every session; return False where the arrays are too short for them.

    ``keys`` (session); ``steps`` (step, STEP_WIDTH), flat; ``step_start`` (plan + 1); ``item_plan`` (item of one
    session) names the plan of each item that has one. Noise is listed too where ``list_noise`` says so; the arguments
    after it are those of count_noise and recall_gap. Written: ``item_start`` (session + 1), ``item_kind`` (item),
    ``touch_start`` (item + 1), ``touch_turn``, ``touch_kind`` (touch).
    """
    item = 0
    touch = 0
    item_start[0] = 0
    touch_start[0] = 0
    for session in range(len(keys)):
        key = keys[session]
        if len(item_plan) > len(item_kind) - item:
            return False
        for number in range(len(item_plan)):
            plan = item_plan[number]
            touch = take_steps(
                key, workload, number, session_length, steps, step_start[plan], step_start[plan + 1],
                touch_turn, touch_kind, touch,
            )  # fmt: skip
            if touch < 0:
                return False
            item_kind[item] = 1
            item += 1
            touch_start[item] = touch
        if list_noise:
            item = _write_noise(
                key, workload, session_length, burst_turns, burst_share, thresholds, guide, recall_probability,
                mean_gap, item_kind, touch_start, touch_turn, touch_kind, item, touch,
            )  # fmt: skip
            if item < 0:
                return False
            touch = touch_start[item]
        item_start[session + 1] = item
    return True
