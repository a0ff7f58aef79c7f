"""The lockstep kernel: advances the sessions of a block together, turn by turn, over (session × item) arrays.

It plays every policy: a policy's scalar functions are put into copies of these templates, as for ``stateful_kernel``.
What is known of an item between its touches lies in arrays, its state in one array per component (the two published
policies have a float64 stability there). Items are met in the order of play, so that what concerns several of them can
be played here.

When an item goes is settled when it is touched, up to its next touch, so the pass of a turn needs no look at the items:
a plain pass over every item in every turn, over blocks larger than the cache, cost 47 µs a session and policy.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vecdecay.engines.kernels.fields import (
    CASCADE,
    EVICTED_TURN,
    FORGET,
    HITS,
    LAST_TOUCH,
    MISSED_TURN_SHIFT,
    MISSES,
    NEVER,
    NUM_ITEM_FIELDS,
    PRESENT_BIT,
    REASON_SHIFT,
    RECALL,
    RECALL_COUNT,
    REGISTER,
    REGISTRATIONS,
    STATUS,
)
from vecdecay.engines.kernels.passes import Function, not_put_in
from vecdecay.engines.kernels.rules import clock

on_register: Function = not_put_in
on_recall: Function = not_put_in
on_refresh: Function = not_put_in
on_turn: Function = not_put_in
stability: Function = not_put_in
facts_of: Function = not_put_in
leaves_before: Function = not_put_in
rules_of: Function = not_put_in
load: Function = not_put_in
store: Function = not_put_in

# Rows of the scratch array (row, listed item): turn of entering, latest use that counted, place of the registration.
ENTERED = 0
COUNTED = 1
FIRST = 2
NUM_SLOTS = 3

TILE = 16  # sessions advanced together; their items then fit the second-level cache


def rules_of_the_block(rules: Any, session: int) -> Any:  # noqa: ARG001
    """Stand in for ``rules_of`` where all sessions have the same clock, the turn."""
    return rules


def play_touch(
    parameters: Any, threshold: float, facts: Any, expires: int, rules: Any, relearn: bool, key: int, number: int,
    length: int, item: int, at: int, end: int, tokens: int, touch_turn: NDArray[np.int32],
    touch_clock: NDArray[np.int32], touch_kind: NDArray[np.int8], touch_grade: NDArray[np.int8], states: Any,
    slots: NDArray[np.int64], items: NDArray[np.int32], sums: NDArray[np.int64], session: int,
    interval_count: NDArray[np.int32], interval_start: NDArray[np.int64], interval_end: NDArray[np.int64],
    missed: NDArray[np.int64], begin: int,
) -> None:  # fmt: skip
    """Play one touch, at place ``at``, and settle what becomes of the item up to its next touch or the end."""
    stride = len(items) // NUM_ITEM_FIELDS
    width = len(slots) // NUM_SLOTS
    num_sessions = len(sums) // 3
    turn = int(touch_turn[at])
    kind = touch_kind[at]
    status = int(items[STATUS * stride + item])
    present = status & PRESENT_BIT == 1
    now = clock(turn, rules[3])
    grade = int(touch_grade[at]) if len(touch_grade) > 0 else 0
    if kind == RECALL and not present:
        items[MISSES * stride + item] += 1
        if len(missed) > 0:
            missed[at] = int(items[EVICTED_TURN * stride + item]) << MISSED_TURN_SHIFT | status | 1
        if not relearn:
            return
        kind = np.int8(REGISTER)
    if kind == REGISTER:
        if not present:
            slots[ENTERED * width + item] = turn
        items[item] = turn
        items[RECALL_COUNT * stride + item] = 1
        items[REGISTRATIONS * stride + item] += 1
        slots[COUNTED * width + item] = turn
        slots[FIRST * width + item] = at
        sums[2 * num_sessions + session] += tokens
        state = on_register(parameters, now, facts, grade)
    elif kind >= FORGET and not present:
        return
    elif kind == RECALL:
        items[HITS * stride + item] += 1
        state = load(states, item)
        if turn > items[LAST_TOUCH * stride + item]:
            state = on_turn(parameters, state, now)
        if turn - slots[COUNTED * width + item] >= rules[1]:
            slots[COUNTED * width + item] = turn
            items[RECALL_COUNT * stride + item] += 1
            state = on_recall(parameters, state, now, grade)
        else:
            state = on_refresh(parameters, state, now)
    elif FORGET <= kind <= CASCADE:
        state = load(states, item)
    else:
        raise ValueError("the lockstep kernel knows no touch of this kind")
    gone, why = turn, int(kind) + 1
    last = at + 1 == end
    if kind < FORGET:
        items[LAST_TOUCH * stride + item] = turn
        until = length if last else int(touch_turn[at + 1]) - 1
        gone, why, state = leaves_before(
            parameters, threshold, state, touch_clock, slots[FIRST * width + item], at + 1, turn, int(items[item]),
            until, expires, rules, key, number,
        )  # fmt: skip
    store(states, item, state)
    status = status | PRESENT_BIT
    if gone != NEVER:
        status = why << REASON_SHIFT
        items[EVICTED_TURN * stride + item] = gone
    items[STATUS * stride + item] = status
    if gone != NEVER or last:
        left = gone if gone != NEVER else length + 1
        held = left - slots[ENTERED * width + item]
        sums[session] += held
        sums[num_sessions + session] += tokens * held
        if len(interval_count) > 0:
            interval_start[begin + interval_count[item]] = slots[ENTERED * width + item]
            interval_end[begin + interval_count[item]] = left
            interval_count[item] += 1


def play_lockstep(
    session_length: NDArray[np.int64], item_start: NDArray[np.int64], touch_start: NDArray[np.int64],
    touch_turn: NDArray[np.int32], touch_clock: NDArray[np.int32], touch_kind: NDArray[np.int8],
    touch_grade: NDArray[np.int8], order: NDArray[np.int64], touch_item: NDArray[np.int32], item_row: NDArray[np.int32],
    importance: NDArray[np.float64], category: NDArray[np.int64], pinned: NDArray[np.bool_],
    item_tokens: NDArray[np.int32], item_expires: NDArray[np.int32], seed_keys: NDArray[np.int64], parameters: Any,
    threshold: float, rules: Any, relearn: bool, states: Any, slots: NDArray[np.int64], lanes: NDArray[np.int64],
    items: NDArray[np.int32], stabilities: NDArray[np.float64], sums: NDArray[np.int64],
    interval_count: NDArray[np.int32], interval_start: NDArray[np.int64], interval_end: NDArray[np.int64],
    missed: NDArray[np.int64],
) -> None:  # fmt: skip
    """Play every session of a block, cohorts excepted, under one policy.

    Input shapes and what is written as in play_stateful; ``order`` and ``touch_item`` as in ``ByTurn``. Scratch:
    ``states`` (a tuple of arrays (item), one per component of a state), ``slots`` (NUM_SLOTS, item) and ``lanes`` (2,
    TILE), flat. All that is written may hold what an earlier block left.
    """
    num_sessions = len(session_length)
    stride = len(items) // NUM_ITEM_FIELDS
    for tile in range(0, num_sessions, TILE):
        tile_end = min(tile + TILE, num_sessions)
        longest = 0
        for item in range(item_start[tile], item_start[tile_end]):
            for field in range(NUM_ITEM_FIELDS):
                items[field * stride + item] = 0
            if len(interval_count) > 0:
                interval_count[item] = 0
        for session in range(tile, tile_end):
            place = touch_start[item_start[session]]
            lanes[session - tile] = place
            ends = place == touch_start[item_start[session + 1]]
            # The turn of the next touch, 0 after the last.
            lanes[TILE + session - tile] = 0 if ends else touch_turn[order[place]]
            longest = max(longest, session_length[session])
            for row in range(3):
                sums[row * num_sessions + session] = 0
        for turn in range(1, longest + 1):
            for lane in range(tile_end - tile):
                if lanes[TILE + lane] != turn:
                    continue
                session, place = tile + lane, lanes[lane]
                last_place = touch_start[item_start[session + 1]]
                while place < last_place and touch_turn[order[place]] == turn:
                    at = order[place]
                    item = int(touch_item[at])
                    row = int(item_row[item]) if len(item_row) > 0 else 0
                    play_touch(
                        parameters, -np.inf if pinned[row] else threshold, facts_of(importance, category, row),
                        int(item_expires[item]) if len(item_expires) > 0 else 0, rules_of(rules, session), relearn,
                        int(seed_keys[session]) if len(seed_keys) > 0 else 0, item - int(item_start[session]),
                        int(session_length[session]), item, at, touch_start[item + 1],
                        int(item_tokens[item]) if len(item_tokens) > 0 else 1, touch_turn, touch_clock, touch_kind,
                        touch_grade, states, slots, items, sums, session, interval_count, interval_start, interval_end,
                        missed, touch_start[item],
                    )  # fmt: skip
                    place += 1
                lanes[lane] = place
                lanes[TILE + lane] = touch_turn[order[place]] if place < last_place else 0
        for item in range(item_start[tile], item_start[tile_end]):
            registered = items[REGISTRATIONS * stride + item] > 0
            stabilities[item] = stability(parameters, load(states, item)) if registered else 0.0
