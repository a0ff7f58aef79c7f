"""The kernel of policies with a capacity: session by session in the order of play, over a list of what is held.

A policy's scalar functions are put into copies of these templates, as for ``stateful_kernel``. When an item goes for
its age, or expires, is settled when it is touched; so only a memory that is over its capacity is looked at, after an
insertion: once for every victim, and once more only where something held has gone by then.

Items that were never recalled and are told apart by their registration alone make a queue (see ``held``): of each only
the head is asked. Most of what goes was never recalled.
"""

# ruff: noqa: ARG001  # all templates of one role have the same arguments, and none needs all of them
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vecdecay.engines.kernels.cache_kernel import end_stay
from vecdecay.engines.kernels.fields import (
    CAPACITY,
    CASCADE,
    DECAYED,
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
from vecdecay.engines.kernels.held import (
    COUNTED,
    EARLIEST,
    ENTERED,
    FIRST,
    GONE,
    HELD,
    LAST,
    LIFE,
    MOVED,
    NOBODY,
    NUM_COUNTS,
    NUM_SLOTS,
    OUTLIVED,
    PINNED,
    PINNED_TAKEN,
    PLACE,
    QUEUE_WIDTH,
    SINGLE,
    TAKEN,
    WHY,
    goes_first,
    head_of,
    leave,
    list_touched,
)
from vecdecay.engines.kernels.passes import Function, not_put_in
from vecdecay.engines.kernels.rules import clock

on_register: Function = not_put_in
on_recall: Function = not_put_in
on_refresh: Function = not_put_in
on_turn: Function = not_put_in
stability: Function = not_put_in
priority: Function = not_put_in
ranking: Function = not_put_in
facts_of: Function = not_put_in
leaves_before: Function = not_put_in
load: Function = not_put_in
store: Function = not_put_in

# When a memory is looked at that holds too much.
IN_PASS = 0
BEFORE_INSERT = 1
AFTER_INSERT = 2

_FAR = 2**62


def ranking_by_state(
    parameters: Any, state: Any, touches: Any, first: int, last: int, turn: int, rules: Any, missing: NDArray[np.int64]
) -> float:
    """Rank an item by its state."""
    return priority(parameters, state, clock(turn, rules[3]) + rules[4])  # type: ignore[no-any-return]


def ranking_by_history(
    parameters: Any, state: Any, touches: Any, first: int, last: int, turn: int, rules: Any, missing: NDArray[np.int64]
) -> float:
    """Rank an item by its touches."""
    return priority(parameters, touches, first, last, clock(turn, rules[3]) + rules[4])  # type: ignore[no-any-return]


def ranking_by_table(
    parameters: Any, state: Any, touches: Any, first: int, last: int, turn: int, rules: Any, missing: NDArray[np.int64]
) -> float:
    """Look the priority of an item up; note in ``missing`` (entry, age) what the table does not hold yet."""
    entry, age = np.uint64(state[0]), clock(turn, rules[3]) - state[1] + rules[4]
    if age >= parameters.known[entry]:
        missing[0] = state[0]
        missing[1] = age
        return 0.0
    return parameters.priority[np.uint64(parameters.start[entry] + age)]  # type: ignore[no-any-return]


def ahead(parameters: Any, state: Any, since: int, turn: int, rules: Any) -> Any:
    """Return a state of turn ``since`` as it is in a later turn."""
    for now in range(since + 1, turn + 1):
        state = on_turn(parameters, state, clock(now, rules[3]))
    return state


def drop(
    parameters: Any, rules: Any, states: Any, slots: NDArray[np.int64], held: NDArray[np.int32],
    counts: NDArray[np.int64], queues: NDArray[np.int64], fact_row: NDArray[np.int32], items: NDArray[np.int32],
    sums: NDArray[np.int64], item_sizes: NDArray[np.int32], item_tokens: NDArray[np.int32],
    touch_start: NDArray[np.int64], interval_count: NDArray[np.int32], interval_start: NDArray[np.int64],
    interval_end: NDArray[np.int64], session: int, item: int, pinned: bool, left: int, until: int, reason: int,
) -> None:  # fmt: skip
    """Take an item from the list, its state moved on to turn ``until``; without a reason it stays to the end."""
    stride = len(items) // NUM_ITEM_FIELDS
    slot = item * NUM_SLOTS
    leave(slots, held, counts, queues, item, int(fact_row[item]) if len(fact_row) > 0 else 0)
    size = int(item_sizes[item]) if len(item_sizes) > 0 else 1
    counts[TAKEN] -= size
    if pinned:
        counts[PINNED] -= 1
        counts[PINNED_TAKEN] -= size
    if until > slots[slot + MOVED]:
        store(states, item, ahead(parameters, load(states, item), slots[slot + MOVED], until, rules))
    if reason != 0:
        items[EVICTED_TURN * stride + item] = left
        items[STATUS * stride + item] = reason << REASON_SHIFT
    end_stay(
        sums, item_tokens, touch_start, interval_count, interval_start, interval_end, session, item,
        slots[slot + ENTERED], left,
    )  # fmt: skip


def next_to_go(
    parameters: Any, rules: Any, states: Any, slots: NDArray[np.int64], held: NDArray[np.int32],
    counts: NDArray[np.int64], queues: NDArray[np.int64], items: NDArray[np.int32], item_sizes: NDArray[np.int32],
    item_row: NDArray[np.int32], pinned: NDArray[np.bool_], touch_clock: NDArray[np.int32], limit: int, turn: int,
    edge: int, spared: int, missing: NDArray[np.int64],
) -> tuple[int, int, int, int]:  # fmt: skip
    """Return who goes next, the turns in which it goes and of its state then, and why; NOBODY if all have room.

    First what has gone by itself in the pass of turn ``edge`` or before, then what is larger than what pinned items
    leave, then the lowest.
    """
    if counts[EARLIEST] <= edge:
        earliest = _FAR
        for place in range(counts[HELD]):
            slot = held[place] * NUM_SLOTS
            gone = slots[slot + GONE]
            if gone != NEVER and gone <= edge:
                return int(held[place]), gone, gone, slots[slot + WHY]
            earliest = min(earliest, gone) if gone != NEVER else earliest
        counts[EARLIEST] = earliest
    left = limit - counts[PINNED_TAKEN]
    if counts[TAKEN] <= limit:
        return NOBODY, turn, edge, CAPACITY
    if len(item_sizes) > 0 or left < 1:
        for place in range(counts[HELD]):
            item = int(held[place])
            size = int(item_sizes[item]) if len(item_sizes) > 0 else 1
            if size > left and not pinned[item_row[item] if len(item_row) > 0 else 0]:
                return item, turn, edge, CAPACITY
    victim, lowest = NOBODY, 0.0
    single = counts[SINGLE]
    for place in range(single + len(queues) // QUEUE_WIDTH):
        item = int(held[place]) if place < single else head_of(slots, queues, place - single, spared)
        if item in (NOBODY, spared) or (
            place < single and counts[PINNED] > 0 and pinned[item_row[item] if len(item_row) > 0 else 0]
        ):
            continue
        slot = item * NUM_SLOTS
        state = ahead(parameters, load(states, item), slots[slot + MOVED], turn, rules)
        rank = ranking(parameters, state, touch_clock, slots[slot + FIRST], slots[slot + LAST], turn, rules, missing)
        if goes_first(items, rank, lowest, item, victim):
            victim, lowest = item, rank
    return victim, turn, edge, CAPACITY


def goes_by_itself(
    parameters: Any, threshold: float, state: Any, touches: Any, first: int, last: int, turn: int, registered: int,
    until: int, expires: int, rules: Any, key: int, number: int, queues: NDArray[np.int64], row: int,
) -> tuple[int, int]:  # fmt: skip
    """Return the turn of the pass up to ``until`` that removes an item, NEVER if none does, and why.

    ``row`` is the queue that it stands in, NOBODY for none: there all live as long.
    """
    queue = row * QUEUE_WIDTH if row >= 0 and expires == 0 and rules[0] == rules[3] == 1 else NOBODY
    if queue >= 0 and queues[queue + LIFE] > 0:
        gone = turn + int(queues[queue + LIFE])
        return (gone, DECAYED) if gone <= until else (NEVER, 0)
    if queue >= 0 and until - turn <= queues[queue + OUTLIVED]:
        return NEVER, 0
    gone, why, _ = leaves_before(
        parameters, threshold, state, touches, first, last, turn, registered, until, expires, rules, key, number
    )
    if queue >= 0 and gone == NEVER:
        queues[queue + OUTLIVED] = until - turn
    elif queue >= 0:
        queues[queue + LIFE] = gone - turn
    return gone, why


def play_event(
    parameters: Any, threshold: float, facts: Any, expires: int, rules: Any, relearn: bool, key: int, number: int,
    length: int, session: int, item: int, pinned: bool, at: int, turn: int, touch_start: NDArray[np.int64],
    touch_turn: NDArray[np.int32], touch_clock: NDArray[np.int32], touch_kind: NDArray[np.int8],
    touch_grade: NDArray[np.int8], states: Any, slots: NDArray[np.int64], held: NDArray[np.int32],
    counts: NDArray[np.int64], queues: NDArray[np.int64], fact_row: NDArray[np.int32], items: NDArray[np.int32],
    sums: NDArray[np.int64], item_sizes: NDArray[np.int32], item_tokens: NDArray[np.int32],
    interval_count: NDArray[np.int32], interval_start: NDArray[np.int64], interval_end: NDArray[np.int64],
    missed: NDArray[np.int64],
) -> bool:  # fmt: skip
    """Play the touch at place ``at``; return whether it inserts its item."""
    stride = len(items) // NUM_ITEM_FIELDS
    slot = item * NUM_SLOTS
    kind = int(touch_kind[at])
    now = clock(turn, rules[3])
    grade = int(touch_grade[at]) if len(touch_grade) > 0 else 0
    present = items[STATUS * stride + item] & PRESENT_BIT == 1
    if present and (slots[slot + GONE] != NEVER or kind >= FORGET):
        left, until, why = slots[slot + GONE], slots[slot + GONE], slots[slot + WHY]
        if left == NEVER:
            left, until, why = turn, turn - 1, kind + 1
        drop(
            parameters, rules, states, slots, held, counts, queues, fact_row, items, sums, item_sizes, item_tokens,
            touch_start, interval_count, interval_start, interval_end, session, item, pinned, left, until, why,
        )  # fmt: skip
        present = False
    if kind > CASCADE:
        raise ValueError("the capacity kernel knows no touch of this kind")
    if kind >= FORGET:
        return False
    if kind == RECALL and not present:
        items[MISSES * stride + item] += 1
        if len(missed) > 0:
            evicted, status = int(items[EVICTED_TURN * stride + item]), int(items[STATUS * stride + item])
            missed[at] = evicted << MISSED_TURN_SHIFT | status | 1
        if not relearn:
            return False
        kind = REGISTER
    inserted = kind == REGISTER and not present
    if inserted:
        size = int(item_sizes[item]) if len(item_sizes) > 0 else 1
        slots[slot + ENTERED] = turn
        counts[TAKEN] += size
        if pinned:
            counts[PINNED] += 1
            counts[PINNED_TAKEN] += size
        items[STATUS * stride + item] |= PRESENT_BIT
    row = int(fact_row[item]) if len(fact_row) > 0 else 0
    list_touched(slots, held, counts, queues, items, item, turn, row, kind == REGISTER, inserted, pinned)
    if kind == REGISTER:
        items[item] = turn
        items[RECALL_COUNT * stride + item] = 1
        items[REGISTRATIONS * stride + item] += 1
        sums[2 * (len(sums) // 3) + session] += int(item_tokens[item]) if len(item_tokens) > 0 else 1
        slots[slot + COUNTED] = turn
        slots[slot + FIRST] = at
        state = on_register(parameters, now, facts, grade)
    else:
        items[HITS * stride + item] += 1
        state = ahead(parameters, load(states, item), slots[slot + MOVED], turn, rules)
        if turn - slots[slot + COUNTED] >= rules[1]:
            slots[slot + COUNTED] = turn
            items[RECALL_COUNT * stride + item] += 1
            state = on_recall(parameters, state, now, grade)
        else:
            state = on_refresh(parameters, state, now)
    items[LAST_TOUCH * stride + item] = turn
    until = int(touch_turn[at + 1]) - 1 if at + 1 < touch_start[item + 1] else length
    gone, why = goes_by_itself(
        parameters, threshold, state, touch_clock, slots[slot + FIRST], at + 1, turn, int(items[item]), until, expires,
        rules, key, number, queues, row if slots[slot + PLACE] >= counts[SINGLE] else NOBODY,
    )  # fmt: skip
    store(states, item, state)
    slots[slot + LAST] = at + 1
    slots[slot + GONE] = gone
    slots[slot + WHY] = why
    slots[slot + MOVED] = turn
    if gone != NEVER:
        counts[EARLIEST] = min(counts[EARLIEST], gone)
    return inserted


def begin_session(
    items: NDArray[np.int32], sums: NDArray[np.int64], counts: NDArray[np.int64], queues: NDArray[np.int64],
    interval_count: NDArray[np.int32], session: int, first: int, last: int,
) -> None:  # fmt: skip
    """Clear what an earlier session or block left."""
    stride = len(items) // NUM_ITEM_FIELDS
    for field in range(NUM_ITEM_FIELDS):
        for item in range(first, last):
            items[field * stride + item] = 0
    if len(interval_count) > 0:
        for item in range(first, last):
            interval_count[item] = 0
    for row in range(3):
        sums[row * (len(sums) // 3) + session] = 0
    for place in range(NUM_COUNTS):
        counts[place] = 0
    counts[EARLIEST] = _FAR
    for place in range(len(queues)):
        queues[place] = 0 if place % QUEUE_WIDTH == LIFE else NOBODY


def play_capacity(
    session_length: NDArray[np.int64], item_start: NDArray[np.int64], touch_start: NDArray[np.int64],
    touch_turn: NDArray[np.int32], touch_clock: NDArray[np.int32], touch_kind: NDArray[np.int8],
    touch_grade: NDArray[np.int8], order: NDArray[np.int64], touch_item: NDArray[np.int32], fact_row: NDArray[np.int32],
    item_row: NDArray[np.int32], importance: NDArray[np.float64], category: NDArray[np.int64],
    pinned: NDArray[np.bool_], item_tokens: NDArray[np.int32], item_expires: NDArray[np.int32],
    seed_keys: NDArray[np.int64], item_sizes: NDArray[np.int32], limit: int, moment: int, parameters: Any,
    threshold: float, rules: Any, relearn: bool, states: Any, slots: NDArray[np.int64], held: NDArray[np.int32],
    counts: NDArray[np.int64], queues: NDArray[np.int64], missing: NDArray[np.int64], items: NDArray[np.int32],
    stabilities: NDArray[np.float64], sums: NDArray[np.int64], interval_count: NDArray[np.int32],
    interval_start: NDArray[np.int64], interval_end: NDArray[np.int64], missed: NDArray[np.int64], start: int,
) -> int:  # fmt: skip
    """Play the sessions of a block without cohorts from ``start`` on; return the first that is not played.

    That is one for which ``missing`` (2,) tells what a table of priorities does not hold yet; else none is left. Input
    and what is written as in play_lockstep; ``fact_row`` (item) is what ``facts_of`` gets, ``item_sizes`` what items
    take of ``limit``, empty for one each. Scratch, with anything in it: ``states``, ``slots`` (item, NUM_SLOTS),
    ``held`` (items of the largest session), ``counts`` (NUM_COUNTS) and ``queues`` (fact row, QUEUE_WIDTH), flat,
    empty where items of a row that were never recalled do not rank by their registration alone.
    """
    stride = len(items) // NUM_ITEM_FIELDS
    missing[0] = NOBODY
    for session in range(start, len(session_length)):
        first, last = int(item_start[session]), int(item_start[session + 1])
        length = int(session_length[session])
        key = int(seed_keys[session]) if len(seed_keys) > 0 else 0
        begin_session(items, sums, counts, queues, interval_count, session, first, last)
        now, item, inserted = 0, 0, False
        end = touch_start[last]
        for place in range(touch_start[first], end + 1):
            at = order[place] if place < end else 0
            turn = int(touch_turn[at]) if place < end else length + 1
            while inserted and counts[TAKEN] > limit and (moment != IN_PASS or turn > now):
                edge = now if moment == IN_PASS else now - 1
                spared = item if moment == BEFORE_INSERT else NOBODY
                gone, left, until, why = next_to_go(
                    parameters, rules, states, slots, held, counts, queues, items, item_sizes, item_row, pinned,
                    touch_clock, limit, now, edge, spared, missing,
                )  # fmt: skip
                if missing[0] != NOBODY:
                    return session
                if gone == NOBODY:
                    break
                drop(
                    parameters, rules, states, slots, held, counts, queues, fact_row, items, sums, item_sizes,
                    item_tokens, touch_start, interval_count, interval_start, interval_end, session, gone,
                    pinned[item_row[gone] if len(item_row) > 0 else 0], left, until, why,
                )  # fmt: skip
            inserted = inserted and moment == IN_PASS and turn == now
            now = turn
            if place == end:
                break
            item = int(touch_item[at])
            fixed = pinned[item_row[item] if len(item_row) > 0 else 0]
            facts = facts_of(importance, category, int(fact_row[item]) if len(fact_row) > 0 else 0)
            needed = -np.inf if fixed else threshold
            expires = int(item_expires[item]) if len(item_expires) > 0 else 0
            inserted |= play_event(
                parameters, needed, facts, expires, rules, relearn, key, item - first, length,
                session, item, fixed, at, turn, touch_start, touch_turn, touch_clock, touch_kind, touch_grade, states,
                slots, held, counts, queues, fact_row, items, sums, item_sizes, item_tokens, interval_count,
                interval_start, interval_end, missed,
            )  # fmt: skip
        while counts[HELD] > 0:
            item = int(held[counts[HELD] - 1])
            left, why = slots[item * NUM_SLOTS + GONE], slots[item * NUM_SLOTS + WHY]
            drop(
                parameters, rules, states, slots, held, counts, queues, fact_row, items, sums, item_sizes, item_tokens,
                touch_start, interval_count, interval_start, interval_end, session, item, False,
                left if left != NEVER else length + 1, left if left != NEVER else length, why,
            )  # fmt: skip
        for item in range(first, last):
            registered = items[REGISTRATIONS * stride + item] > 0
            stabilities[item] = stability(parameters, load(states, item)) if registered else 0.0
    return len(session_length)
