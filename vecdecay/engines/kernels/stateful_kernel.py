"""The loop that plays stateful policies, written once; a policy's own functions are put into copies of it.

The functions below are templates: they call ``on_register``, ``on_recall``, ``on_turn``, ``retention``, ``evicts``,
``stability`` and ``passes`` by these names, and ``stateful_compiler`` makes a copy for every policy in which those are
the policy's functions, compiled. A kernel that took them as arguments could not be kept on disk.

Items do not meet, so each is played through its own touches while its state stays in registers: the machine advances
the sessions of a block item by item, and needs no array of states. What a state says is asked only where a touch or the
end of the session needs to know: whether the item went before, and if so when. Asking in every turn, as the scalar
reference does, gives the same, for between two touches a score does not rise.
"""

# ruff: noqa: ARG001  # all templates of one role have the same arguments, and none needs all of them
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vecdecay.policies.stateful import ItemFacts
from vecdecay.sessions.philox import uniform

# Fields of the item array, as in horizon_kernel. Turn 0 stands for "never": turns count from 1.
REGISTERED_TURN = 0
LAST_TOUCH = 1
RECALL_COUNT = 2
EVICTED_TURN = 3
HITS = 4
MISSES = 5
PRESENT = 6
REGISTRATIONS = 7
NUM_ITEM_FIELDS = 8

NEVER = 0

# The address of a hazard policy's draws: no workload uses the word 0.
POLICY_WORKLOAD = 0
HAZARD_STREAM = 1


def not_put_in(*arguments: Any) -> Any:
    """Stand where a copy has a policy's function; a template is never played itself."""
    raise NotImplementedError(f"a template was called with {arguments}")


Function = Callable[..., Any]
on_register: Function = not_put_in
on_recall: Function = not_put_in
on_turn: Function = not_put_in
retention: Function = not_put_in
evicts: Function = not_put_in
stability: Function = not_put_in
passes: Function = not_put_in


def state_as_it_is(parameters: Any, state: Any, turn: int) -> Any:
    """Stand in for ``on_turn`` where a state does not change by itself."""
    return state


def no_stability(parameters: Any, state: Any) -> float:
    """Stand in for ``stability`` where a policy has no such notion."""
    return 0.0


def passes_between(
    parameters: Any, threshold: float, state: Any, touches: Any, first: int, last: int, since: int, until: int,
    period: int, key: int, number: int,
) -> tuple[int, Any]:  # fmt: skip
    """Return the first pass of the turns ``since`` … ``until`` that evicts an item, NEVER if none does, and its state.

    The score does not rise, so the last pass answers for all, and halving finds the first that evicts.
    """
    if until < since or not retention(parameters, state, until) < threshold:
        return NEVER, state
    kept, evicted = since - 1, until
    while evicted - kept > 1:
        middle = (kept + evicted) // 2
        if retention(parameters, state, middle) < threshold:
            evicted = middle
        else:
            kept = middle
    return evicted, state


def passes_over_history(
    parameters: Any, threshold: float, state: Any, touches: Any, first: int, last: int, since: int, until: int,
    period: int, key: int, number: int,
) -> tuple[int, Any]:  # fmt: skip
    """Do as ``passes_between`` where the score is one of ``touches[first:last]``."""
    if until < since or not retention(parameters, touches, first, last, until) < threshold:
        return NEVER, state
    kept, evicted = since - 1, until
    while evicted - kept > 1:
        middle = (kept + evicted) // 2
        if retention(parameters, touches, first, last, middle) < threshold:
            evicted = middle
        else:
            kept = middle
    return evicted, state


def passes_by_turn(
    parameters: Any, threshold: float, state: Any, touches: Any, first: int, last: int, since: int, until: int,
    period: int, key: int, number: int,
) -> tuple[int, Any]:  # fmt: skip
    """Do as ``passes_between`` where the state changes from turn to turn; it is that of turn ``since`` at first."""
    for turn in range(since, until + 1):
        if turn > since:
            state = on_turn(parameters, state, turn)
        if retention(parameters, state, turn) < threshold:
            return turn, state
    return NEVER, state


def passes_by_chance(
    parameters: Any, threshold: float, state: Any, touches: Any, first: int, last: int, since: int, until: int,
    period: int, key: int, number: int,
) -> tuple[int, Any]:  # fmt: skip
    """Do as ``passes_between`` where each pass draws; a threshold below 0 spares the item."""
    if threshold < 0.0:
        return NEVER, state
    for turn in range(since + (-since) % period, until + 1, period):
        if evicts(parameters, state, turn, uniform(key, POLICY_WORKLOAD, HAZARD_STREAM, number, turn)):
            return turn, state
    return NEVER, state


def passes_by_chance_and_turn(
    parameters: Any, threshold: float, state: Any, touches: Any, first: int, last: int, since: int, until: int,
    period: int, key: int, number: int,
) -> tuple[int, Any]:  # fmt: skip
    """Do as ``passes_by_chance`` where the state changes from turn to turn; it is that of turn ``since`` at first."""
    for turn in range(since, until + 1):
        if turn > since:
            state = on_turn(parameters, state, turn)
        if threshold < 0.0 or turn % period != 0:
            continue
        if evicts(parameters, state, turn, uniform(key, POLICY_WORKLOAD, HAZARD_STREAM, number, turn)):
            return turn, state
    return NEVER, state


def play_item(
    parameters: Any, threshold: float, facts: ItemFacts, period: int, key: int, number: int, length: int, item: int,
    begin: int, end: int, touch_turn: NDArray[np.int32], touch_kind: NDArray[np.int8], items: NDArray[np.int32],
    stabilities: NDArray[np.float64], interval_count: NDArray[np.int32], interval_start: NDArray[np.int64],
    interval_end: NDArray[np.int64],
) -> tuple[int, int]:  # fmt: skip
    """Play the touches ``begin`` … ``end`` - 1 of one item; return the turns it was held and its registrations."""
    stride = len(items) // NUM_ITEM_FIELDS
    state = on_register(parameters, 1, facts)
    present, entered, registered, last_touch, recall_count, evicted = False, 0, 0, 0, 0, 0
    hits, misses, registrations, held, intervals = 0, 0, 0, 0, 0
    first = begin
    for touch in range(begin, end + 1):
        # The end of the session is met like one more touch, in the turn after the last.
        turn = int(touch_turn[touch]) if touch < end else length + 1
        if present:
            expiry, state = passes(
                parameters, threshold, state, touch_turn, first, touch, last_touch, turn - 1, period, key, number
            )
            if expiry != NEVER or touch == end:
                present = expiry == NEVER
                evicted = evicted if present else expiry
                left = turn if present else expiry
                held += left - entered
                if len(interval_count) > 0:
                    interval_start[begin + intervals] = entered
                    interval_end[begin + intervals] = left
                intervals += 1
            elif turn > last_touch:
                state = on_turn(parameters, state, turn)
        if touch == end:
            break
        if touch_kind[touch] == 0:
            entered = entered if present else turn
            present, registered, recall_count, first = True, turn, 1, touch
            registrations += 1
            state = on_register(parameters, turn, facts)
            last_touch = turn
        elif present:
            hits += 1
            recall_count += 1
            state = on_recall(parameters, state, turn)
            last_touch = turn
        else:
            misses += 1
    items[item] = registered
    items[LAST_TOUCH * stride + item] = last_touch
    items[RECALL_COUNT * stride + item] = recall_count
    items[EVICTED_TURN * stride + item] = evicted
    items[HITS * stride + item] = hits
    items[MISSES * stride + item] = misses
    items[PRESENT * stride + item] = present
    items[REGISTRATIONS * stride + item] = registrations
    stabilities[item] = stability(parameters, state) if registrations > 0 else 0.0
    if len(interval_count) > 0:
        interval_count[item] = intervals
    return held, registrations


def play_stateful(
    session_length: NDArray[np.int64], item_start: NDArray[np.int64], touch_start: NDArray[np.int64],
    touch_turn: NDArray[np.int32], touch_kind: NDArray[np.int8], item_row: NDArray[np.int32],
    importance: NDArray[np.float64], category: NDArray[np.int64], pinned: NDArray[np.bool_],
    item_tokens: NDArray[np.int32], seed_keys: NDArray[np.int64], parameters: Any, threshold: float, period: int,
    items: NDArray[np.int32], stabilities: NDArray[np.float64], totals: NDArray[np.int64],
    interval_count: NDArray[np.int32], interval_start: NDArray[np.int64], interval_end: NDArray[np.int64],
) -> None:  # fmt: skip
    """Play every listed item of a block under one policy.

    Input shapes as in SessionBlock. ``importance``, ``category`` and ``pinned`` have an entry per combination of
    attributes, which ``item_row`` (item) names; empty, it stands for the first, an empty ``item_tokens`` for 1, and an
    empty ``seed_keys`` for 0. ``period`` is read under hazard policies only. Written: ``items``, ``totals`` and the
    intervals as in play_horizon (no intervals where ``interval_count`` is empty), and ``stabilities`` (item) in turns.
    """
    num_sessions = len(session_length)
    for session in range(num_sessions):
        key = int(seed_keys[session]) if len(seed_keys) > 0 else 0
        length = int(session_length[session])
        working_set_sum, token_turns, registered_tokens = 0, 0, 0
        for item in range(int(item_start[session]), int(item_start[session + 1])):
            row = item_row[item] if len(item_row) > 0 else 0
            facts = ItemFacts(float(importance[row]), int(category[row]))
            held, registrations = play_item(
                parameters, -np.inf if pinned[row] else threshold, facts, period, key, item - int(item_start[session]),
                length, item, int(touch_start[item]), int(touch_start[item + 1]), touch_turn, touch_kind, items,
                stabilities, interval_count, interval_start, interval_end,
            )  # fmt: skip
            tokens = int(item_tokens[item]) if len(item_tokens) > 0 else 1
            working_set_sum += held
            token_turns += tokens * held
            registered_tokens += tokens * registrations
        totals[session] = working_set_sum
        totals[num_sessions + session] = token_turns
        totals[2 * num_sessions + session] = registered_tokens
