"""The lockstep kernel: advances the sessions of a block together, turn by turn, over (session × item) arrays.

It is the general machine: state per item is a stability (float64), a last touch and counts (int32). An item's expiry,
the turn whose pass would evict it, is settled when the item is touched, by asking the real predicate around a
closed-form guess. The pass of a turn is then a look at how many items expire in it. A plain pass over every item in
every turn, over blocks larger than the cache, cost 47 µs a session and policy; this form costs under 3.

The arithmetic is CPython's to the bit: scalar exp and log, one true division, no fastmath.
"""

import math

import numpy as np
from numpy.typing import NDArray

from vecdecay.accelerate import kernel

# Laws: how an expiry is found.
TABLE = 0
EBBINGHAUS = 1
RECENCY_WINDOW = 2

# Fields of the item array, as in horizon_kernel.
LAST_TOUCH = 1
RECALL_COUNT = 2
EVICTED_TURN = 3
HITS = 4
MISSES = 5
PRESENT = 6
REGISTRATIONS = 7
NUM_ITEM_FIELDS = 8

_TILE = 16  # sessions advanced together; their state then fits the second-level cache


@kernel
def sort_by_turn(
    session_length: NDArray[np.int64],
    item_start: NDArray[np.int64],
    touch_start: NDArray[np.int64],
    touch_turn: NDArray[np.int32],
    order: NDArray[np.int64],
    touch_item: NDArray[np.int64],
) -> None:
    """Write the touches of every session in turn order (a stable counting sort), and the item of every touch.

    ``order`` and ``touch_item`` have the shape (touch); ``order`` holds positions in ``touch_turn``.
    """
    for session in range(len(session_length)):
        turn_count = np.zeros(session_length[session] + 2, dtype=np.int64)
        first_touch = touch_start[item_start[session]]
        last_touch = touch_start[item_start[session + 1]]
        for touch in range(first_touch, last_touch):
            turn_count[touch_turn[touch] + 1] += 1
        for turn in range(session_length[session] + 1):
            turn_count[turn + 1] += turn_count[turn]
        for item in range(item_start[session], item_start[session + 1]):
            for touch in range(touch_start[item], touch_start[item + 1]):
                turn = touch_turn[touch]
                order[first_touch + turn_count[turn]] = touch
                touch_item[touch] = item
                turn_count[turn] += 1


@kernel
def _ebbinghaus_evicts(age: int, stability: float, threshold: float) -> bool:
    return math.exp(-age / stability) < threshold


@kernel
def _turns_to_live(law: int, threshold: float, log_threshold: float, stability: float, horizon: int, limit: int) -> int:
    """Return the first age at which the law evicts, or ``limit`` if that is not below it (``limit`` ≥ 1)."""
    if law == TABLE:
        return min(horizon, limit)
    if law == RECENCY_WINDOW:
        age = limit if threshold >= limit else max(1, np.int64(math.floor(threshold)) + 1)
        while age > 1 and age - 1 > threshold:
            age -= 1
        while age < limit and not age > threshold:
            age += 1
        return min(age, limit)
    guess = 1.0 - stability * log_threshold
    age = max(1, np.int64(guess)) if guess < limit else limit
    while age > 1 and _ebbinghaus_evicts(age - 1, stability, threshold):
        age -= 1
    while age < limit and not _ebbinghaus_evicts(age, stability, threshold):
        age += 1
    return age


@kernel
def _touch_item(
    turn: int,
    length: int,
    recall: bool,
    item: int,
    foundational: bool,
    turn_offset: int,
    law: int,
    threshold: float,
    log_threshold: float,
    baseline_stability: float,
    reinforcement_gain: float,
    horizon: NDArray[np.int64],
    stability: NDArray[np.float64],
    expiry: NDArray[np.int32],
    items: NDArray[np.int32],
    working_set: NDArray[np.int32],
    foundational_present: NDArray[np.int32],
) -> int:
    """Register or recall one item and move its expiry; return 1 if it came into the working set, otherwise 0."""
    stride = len(items) // NUM_ITEM_FIELDS
    known = items[item] > 0
    present = known and expiry[item] >= turn
    if recall and not present:
        items[MISSES * stride + item] += 1
        return 0
    if present:
        working_set[turn_offset + expiry[item]] -= 1
        foundational_present[turn_offset + expiry[item]] -= foundational
    elif known:
        items[EVICTED_TURN * stride + item] = expiry[item]
    if recall:
        recall_count = items[RECALL_COUNT * stride + item] + 1
        items[HITS * stride + item] += 1
        stability[item] = stability[item] * (1.0 + reinforcement_gain * math.log(1.0 + recall_count))
    else:
        recall_count = 1
        items[item] = turn
        items[REGISTRATIONS * stride + item] += 1
        stability[item] = baseline_stability
    items[RECALL_COUNT * stride + item] = recall_count
    items[LAST_TOUCH * stride + item] = turn
    known_horizon = horizon[recall_count - 1] if law == TABLE else 0
    expiry[item] = turn + _turns_to_live(
        law, threshold, log_threshold, stability[item], known_horizon, length - turn + 1
    )
    working_set[turn_offset + expiry[item]] += 1
    foundational_present[turn_offset + expiry[item]] += foundational
    return 0 if present else 1


@kernel
def _write_cohort_items(
    length: int,
    item: int,
    newborn: int,
    cohort_per_turn: NDArray[np.int64],
    baseline_stability: float,
    stability: NDArray[np.float64],
    items: NDArray[np.int32],
) -> int:
    """Write the state of the items that nothing touched again, from ``item`` on; return how many of them were evicted.

    Done for a whole session at once: written turn by turn across sessions they would cost twice the time in cache
    misses.
    """
    stride = np.uint64(len(items) // NUM_ITEM_FIELDS)
    place = np.uint64(item)
    evicted = 0
    for turn in range(1, min(length + 1, len(cohort_per_turn))):
        end = turn + newborn
        survives = end > length
        for _ in range(cohort_per_turn[turn]):
            stability[place] = baseline_stability
            items[place] = turn
            items[np.uint64(LAST_TOUCH) * stride + place] = turn
            items[np.uint64(RECALL_COUNT) * stride + place] = 1
            items[np.uint64(EVICTED_TURN) * stride + place] = 0 if survives else end
            items[np.uint64(PRESENT) * stride + place] = survives
            place += np.uint64(1)
        if not survives:
            evicted += cohort_per_turn[turn]
    return evicted


@kernel
def _settle(length: int, first_item: int, last_item: int, expiry: NDArray[np.int32], items: NDArray[np.int32]) -> None:
    """After the last turn: a listed item whose expiry lies inside the session is gone, the others are present."""
    stride = len(items) // NUM_ITEM_FIELDS
    for item in range(first_item, last_item):
        if items[item] > 0:
            if expiry[item] <= length:
                items[EVICTED_TURN * stride + item] = expiry[item]
            else:
                items[PRESENT * stride + item] = 1


@kernel
def play_lockstep(
    session_length: NDArray[np.int64],
    item_start: NDArray[np.int64],
    touch_start: NDArray[np.int64],
    touch_turn: NDArray[np.int32],
    touch_kind: NDArray[np.int8],
    order: NDArray[np.int64],
    touch_item: NDArray[np.int64],
    cohort_per_turn: NDArray[np.int64],
    law: int,
    threshold: float,
    baseline_stability: float,
    reinforcement_gain: float,
    horizon: NDArray[np.int64],
    all_start: NDArray[np.int64],
    all_kind: NDArray[np.int8],
    turn_start: NDArray[np.int64],
    stability: NDArray[np.float64],
    expiry: NDArray[np.int32],
    items: NDArray[np.int32],
    working_set: NDArray[np.int32],
    foundational_present: NDArray[np.int32],
    working_set_sum: NDArray[np.int64],
    cohort_evicted: NDArray[np.int64],
) -> None:
    """Play every session of a block under one law.

    Input shapes as in SessionBlock, with ``order`` and ``touch_item`` (touch) from :func:`sort_by_turn`;
    ``cohort_per_turn`` (turn) counts the items that are registered in each turn and never touched again, the same for
    every session. ``all_start`` (session + 1) and ``all_kind`` (all items) place listed items and cohort items
    together: those of session s begin at ``all_start[s]``, the listed ones first. ``horizon`` (recall + 1) is read
    under the law TABLE only. Written, given zeroed: ``stability``, ``expiry`` (all items), ``items`` (field, all
    items) flat,
    ``working_set`` and
    ``foundational_present`` (turn), ``working_set_sum`` and ``cohort_evicted`` (session). A session's turns begin at
    ``turn_start[s]``, two more than it has (turn 0, and the turn after the last). Ahead of the clock, the turn arrays
    hold how many items expire in a turn.
    """
    log_threshold = math.log(threshold) if law == EBBINGHAUS else 0.0
    known_horizon = horizon[0] if law == TABLE else 0
    next_touch = np.zeros(_TILE, dtype=np.int64)
    next_turn = np.zeros(_TILE, dtype=np.int64)
    for tile_first in range(0, len(session_length), _TILE):
        tile_last = min(tile_first + _TILE, len(session_length))
        longest = 0
        for session in range(tile_first, tile_last):
            touch = touch_start[item_start[session]]
            next_touch[session - tile_first] = touch
            ends = touch == touch_start[item_start[session + 1]]
            next_turn[session - tile_first] = 0 if ends else touch_turn[order[touch]]
            longest = max(longest, session_length[session])
        newborn = _turns_to_live(law, threshold, log_threshold, baseline_stability, known_horizon, longest + 1)
        for turn in range(1, longest + 1):
            cohort = cohort_per_turn[turn] if turn < len(cohort_per_turn) else 0
            for session in range(tile_first, tile_last):
                length = session_length[session]
                if turn > length:
                    continue
                lane = session - tile_first
                now = turn_start[session] + turn
                entered = cohort
                entered_foundational = 0
                if next_turn[lane] == turn:
                    touch = next_touch[lane]
                    last_touch = touch_start[item_start[session + 1]]
                    while touch < last_touch and touch_turn[order[touch]] == turn:
                        item = touch_item[order[touch]] - item_start[session] + all_start[session]
                        foundational = all_kind[item] == 1
                        came = _touch_item(
                            turn, length, touch_kind[order[touch]] == 1, item, foundational, turn_start[session],
                            law, threshold, log_threshold, baseline_stability, reinforcement_gain, horizon,
                            stability, expiry, items, working_set, foundational_present,
                        )  # fmt: skip
                        entered += came
                        entered_foundational += came * foundational
                        touch += 1
                    next_touch[lane] = touch
                    next_turn[lane] = touch_turn[order[touch]] if touch < last_touch else 0
                if cohort > 0:
                    working_set[turn_start[session] + turn + min(newborn, length - turn + 1)] += cohort
                working_set[now] = working_set[now - 1] + entered - working_set[now]
                foundational_present[now] = (
                    foundational_present[now - 1] + entered_foundational - foundational_present[now]
                )
                working_set_sum[session] += working_set[now]
        for session in range(tile_first, tile_last):
            listed_end = all_start[session] + item_start[session + 1] - item_start[session]
            _settle(session_length[session], all_start[session], listed_end, expiry, items)
            cohort_evicted[session] = _write_cohort_items(
                session_length[session],
                listed_end,
                newborn,
                cohort_per_turn,
                baseline_stability,
                stability,
                items,
            )
