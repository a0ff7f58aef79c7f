"""The item-major loop for stateful policies, written once; a policy's own functions are put into copies of it.

The functions below are templates: they call ``on_register``, ``on_recall``, ``on_refresh``, ``on_turn``, ``stability``,
``facts_of`` and ``passes`` by these names; see ``passes`` for how a policy's functions come in their place.
``on_refresh`` is for a recall that does not count.

Where items do not meet, each is played through its own touches while its state stays in registers, and no array of
states is needed. What a state says is asked only where a touch or the end of the session needs to know.
"""

# ruff: noqa: ARG001  # all templates of one role have the same arguments, and none needs all of them
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vecdecay.engines.kernels.fields import (
    CASCADE,
    DECAYED,
    EXPIRED,
    FORGET,
    MISSED_TURN_SHIFT,
    NEVER,
    REASON_SHIFT,
    RECALL,
    REGISTER,
)
from vecdecay.engines.kernels.item_kernel import write_item
from vecdecay.engines.kernels.passes import HAZARD_STREAM as HAZARD_STREAM
from vecdecay.engines.kernels.passes import POLICY_WORKLOAD as POLICY_WORKLOAD
from vecdecay.engines.kernels.passes import Function, not_put_in
from vecdecay.engines.kernels.rules import clock
from vecdecay.policies.stateful import ItemFacts

on_register: Function = not_put_in
on_recall: Function = not_put_in
on_refresh: Function = not_put_in
facts_of: Function = not_put_in
on_turn: Function = not_put_in
stability: Function = not_put_in
passes: Function = not_put_in


def state_as_it_is(parameters: Any, state: Any, turn: int) -> Any:
    """Stand in for ``on_turn`` where a state does not change by itself, and for ``on_refresh``."""
    return state


def item_facts_of(importance: NDArray[np.float64], category: NDArray[np.int64], row: int) -> ItemFacts:
    """Return what a stateful policy may know of an item with this combination of attributes."""
    return ItemFacts(float(importance[row]), int(category[row]))


def no_stability(parameters: Any, state: Any) -> float:
    """Stand in for ``stability`` where a policy has no such notion."""
    return 0.0


def leaves_before(
    parameters: Any, threshold: float, state: Any, touches: Any, first: int, last: int, since: int, registered: int,
    until: int, expires: int, rules: Any, key: int, number: int,
) -> tuple[int, int, Any]:  # fmt: skip
    """Return the turn of the pass up to ``until`` that removes an item, NEVER if none does, why, and its state then."""
    limit = until
    if expires > 0:
        limit = min(until, max(expires, since))
    earliest = registered + rules[2] if rules[2] > 0 else since
    turn, state = passes(parameters, threshold, state, touches, first, last, since, earliest, limit, rules, key, number)
    if turn != NEVER:
        return turn, DECAYED, state
    if expires > 0 and max(expires, since) == limit and since <= limit:
        return limit, EXPIRED, state
    return NEVER, 0, state


def play_item(
    parameters: Any, threshold: float, facts: Any, expires: int, rules: Any, relearn: bool, key: int, number: int,
    length: int, item: int, begin: int, end: int, touch_turn: NDArray[np.int32], touch_clock: NDArray[np.int32],
    touch_kind: NDArray[np.int8], touch_grade: NDArray[np.int8], items: NDArray[np.int32],
    stabilities: NDArray[np.float64], interval_count: NDArray[np.int32], interval_start: NDArray[np.int64],
    interval_end: NDArray[np.int64], missed: NDArray[np.int64],
) -> tuple[int, int]:  # fmt: skip
    """Play the touches ``begin`` … ``end`` - 1 of one item; return the turns it was held and its registrations."""
    state = on_register(parameters, 1, facts, 0)
    present, entered, registered, last_touch, counted, recall_count = False, 0, 0, 0, 0, 0
    evicted, reason, hits, misses, registrations, held, intervals = 0, 0, 0, 0, 0, 0, 0
    first = begin
    for touch in range(begin, end + 1):
        # The end of the session is met like one more touch, in the turn after the last.
        turn = int(touch_turn[touch]) if touch < end else length + 1
        kind = touch_kind[touch] if touch < end else REGISTER
        if present:
            gone, why, state = leaves_before(
                parameters, threshold, state, touch_clock, first, touch, last_touch, registered, turn - 1, expires,
                rules, key, number,
            )  # fmt: skip
            if gone == NEVER and kind >= FORGET:
                gone, why = turn, int(kind) + 1
            if gone != NEVER or touch == end:
                present = gone == NEVER
                evicted = evicted if present else gone
                reason = reason if present else why
                left = turn if present else gone
                held += left - entered
                if len(interval_count) > 0:
                    interval_start[begin + intervals] = entered
                    interval_end[begin + intervals] = left
                intervals += 1
            elif turn > last_touch:
                state = on_turn(parameters, state, clock(turn, rules[3]))
        if touch == end:
            break
        grade = int(touch_grade[touch]) if len(touch_grade) > 0 else 0
        if kind == RECALL and not present:
            misses += 1
            if len(missed) > 0:
                missed[touch] = evicted << MISSED_TURN_SHIFT | reason << REASON_SHIFT | 1
            kind = np.int8(REGISTER) if relearn else kind
        if kind == REGISTER:
            entered = entered if present else turn
            present, registered, counted, recall_count, first = True, turn, turn, 1, touch
            registrations += 1
            state = on_register(parameters, clock(turn, rules[3]), facts, grade)
            last_touch = turn
        elif kind == RECALL:
            if present:
                hits += 1
                last_touch = turn
                if turn - counted >= rules[1]:
                    counted = turn
                    recall_count += 1
                    state = on_recall(parameters, state, clock(turn, rules[3]), grade)
                else:
                    state = on_refresh(parameters, state, clock(turn, rules[3]))
        elif kind < FORGET or kind > CASCADE:
            raise ValueError("the stateful kernel knows no touch of this kind")
    status = present | reason << REASON_SHIFT
    write_item(items, item, registered, last_touch, recall_count, evicted, hits, misses, status, registrations)
    stabilities[item] = stability(parameters, state) if registrations > 0 else 0.0
    if len(interval_count) > 0:
        interval_count[item] = intervals
    return held, registrations


def play_stateful(
    session_length: NDArray[np.int64], item_start: NDArray[np.int64], touch_start: NDArray[np.int64],
    touch_turn: NDArray[np.int32], touch_clock: NDArray[np.int32], touch_kind: NDArray[np.int8],
    touch_grade: NDArray[np.int8], item_row: NDArray[np.int32], importance: NDArray[np.float64],
    category: NDArray[np.int64], pinned: NDArray[np.bool_], item_tokens: NDArray[np.int32],
    item_expires: NDArray[np.int32], seed_keys: NDArray[np.int64], parameters: Any, threshold: float, rules: Any,
    relearn: bool, items: NDArray[np.int32], stabilities: NDArray[np.float64], sums: NDArray[np.int64],
    interval_count: NDArray[np.int32], interval_start: NDArray[np.int64], interval_end: NDArray[np.int64],
    missed: NDArray[np.int64],
) -> None:  # fmt: skip
    """Play every listed item of a block under one policy.

    Input shapes as in SessionBlock; ``touch_clock`` (touch) are the turns in the policy's units. ``importance``,
    ``category`` and ``pinned`` have an entry per combination of attributes, which ``item_row`` (item) names; empty, it
    stands for the first, an empty ``item_tokens`` for 1, ``item_expires`` for never, ``touch_grade`` and ``seed_keys``
    for 0. Written: ``items``, ``sums``, the intervals and ``missed`` as in play_table (no intervals where
    ``interval_count`` is empty), and ``stabilities`` (item) in turns.
    """
    num_sessions = len(session_length)
    for session in range(num_sessions):
        key = int(seed_keys[session]) if len(seed_keys) > 0 else 0
        length = int(session_length[session])
        working_set_sum, token_turns, registered_tokens = 0, 0, 0
        for item in range(int(item_start[session]), int(item_start[session + 1])):
            row = int(item_row[item]) if len(item_row) > 0 else 0
            expires = int(item_expires[item]) if len(item_expires) > 0 else 0
            held, registrations = play_item(
                parameters, -np.inf if pinned[row] else threshold, facts_of(importance, category, row),
                expires, rules, relearn, key,
                item - int(item_start[session]), length, item, int(touch_start[item]), int(touch_start[item + 1]),
                touch_turn, touch_clock, touch_kind, touch_grade, items, stabilities, interval_count, interval_start,
                interval_end, missed,
            )  # fmt: skip
            tokens = int(item_tokens[item]) if len(item_tokens) > 0 else 1
            working_set_sum += held
            token_turns += tokens * held
            registered_tokens += tokens * registrations
        sums[session] = working_set_sum
        sums[num_sessions + session] = token_turns
        sums[2 * num_sessions + session] = registered_tokens
