"""The kernel of cache policies: session by session in the order of play, the order of eviction in flat arrays.

Every event costs a few writes whatever the capacity: LRU, FIFO, SIEVE and S3-FIFO are linked queues, LFU, GDSF and
Belady a heap, random eviction a list. An item is met when it is touched, evicted or due to expire, and in no pass.
"""

import numpy as np
from numpy.typing import NDArray

from vecdecay.compile import inlined_kernel, lean_kernel
from vecdecay.engines.kernels.fields import (
    CAPACITY,
    EVICTED_TURN,
    EXPIRED,
    FORGET,
    HITS,
    LAST_TOUCH,
    MISSED_TURN_SHIFT,
    MISSES,
    NUM_ITEM_FIELDS,
    PRESENT_BIT,
    REASON_SHIFT,
    RECALL,
    RECALL_COUNT,
    REGISTER,
    REGISTERED_TURN,
    REGISTRATIONS,
    STATUS,
)
from vecdecay.engines.kernels.orders import (
    BELADY,
    KIND,
    LIMIT,
    Numbers,
    arrive,
    enter,
    evict,
    forget,
    leave,
    next_recall,
    size_of,
    touch,
)
from vecdecay.engines.kernels.queues import (
    DUE_BEFORE,
    DUE_BEHIND,
    ENTERED,
    FREE,
    HAND,
    NO_QUEUE,
    NO_SIGN,
    NOBODY,
    PINNED,
    QUEUE,
    TAKEN,
    Counts,
    Heap,
    Links,
    Ranks,
    cell,
    entry,
)


@inlined_kernel
def await_expiry(links: Links, due_items: NDArray[np.int32], number: int, due: int) -> None:
    """Put an item behind those that expire in turn ``due``, the order in which they were inserted."""
    last = due_items[2 * due + 1]
    links[cell(number, DUE_BEFORE)] = last
    links[cell(number, DUE_BEHIND)] = NOBODY
    if last == NOBODY:
        due_items[2 * due] = number
    else:
        links[cell(last, DUE_BEHIND)] = number
    due_items[2 * due + 1] = number


@inlined_kernel
def await_no_expiry(links: Links, due_items: NDArray[np.int32], number: int, due: int) -> None:
    """Take an item from those that expire in turn ``due``."""
    before, behind = links[cell(number, DUE_BEFORE)], links[cell(number, DUE_BEHIND)]
    if before == NOBODY:
        due_items[2 * due] = behind
    else:
        links[cell(before, DUE_BEHIND)] = behind
    if behind == NOBODY:
        due_items[2 * due + 1] = before
    else:
        links[cell(behind, DUE_BEFORE)] = before


@inlined_kernel
def end_stay(
    sums: NDArray[np.int64], item_tokens: NDArray[np.int32], touch_start: NDArray[np.int64],
    interval_count: NDArray[np.int32], interval_start: NDArray[np.int64], interval_end: NDArray[np.int64], session: int,
    item: int, entered: int, left: int,
) -> None:  # fmt: skip
    """Add the turns that an item was held; it is gone after the pass of turn ``left``."""
    num_sessions = len(sums) // 3
    sums[session] += left - entered
    sums[num_sessions + session] += size_of(item_tokens, item) * (left - entered)
    if len(interval_count) > 0:
        place = touch_start[item] + interval_count[item]
        interval_start[place] = entered
        interval_end[place] = left
        interval_count[item] += 1


@inlined_kernel
def begin_session(
    items: NDArray[np.int32], sums: NDArray[np.int64], links: Links, counts: Counts, ranks: Ranks,
    due_items: NDArray[np.int32], interval_count: NDArray[np.int32], session: int, first: int, last: int,
) -> None:  # fmt: skip
    """Clear what an earlier session or block left."""
    stride = len(items) // NUM_ITEM_FIELDS
    num_sessions = len(sums) // 3
    for field in range(NUM_ITEM_FIELDS):
        for item in range(first, last):
            items[entry(field, stride, item)] = 0
    for number in range(last - first):
        links[cell(number, QUEUE)] = NO_QUEUE
    if len(interval_count) > 0:
        for item in range(first, last):
            interval_count[item] = 0
    for row in range(3):
        sums[row * num_sessions + session] = 0
    for place in range(len(counts)):
        counts[place] = NOBODY if place <= HAND else 0
    ranks[len(ranks) - 1] = 0.0
    for place in range(len(due_items)):
        due_items[place] = NOBODY


@inlined_kernel
def go(
    numbers: Numbers, links: Links, counts: Counts, heap: Heap, ranks: Ranks, due_items: NDArray[np.int32],
    items: NDArray[np.int32], sums: NDArray[np.int64], item_tokens: NDArray[np.int32], touch_start: NDArray[np.int64],
    interval_count: NDArray[np.int32], interval_start: NDArray[np.int64], interval_end: NDArray[np.int64], session: int,
    item: int, number: int, pinned: bool, size: int, due: int, turn: int, reason: int,
) -> None:  # fmt: skip
    """Let an item go, whose number in the session is ``number``; a victim of the order has left that already."""
    stride = len(items) // NUM_ITEM_FIELDS
    counts[TAKEN] -= size
    if pinned:
        counts[PINNED] -= size
    elif reason != CAPACITY:
        leave(numbers, links, counts, heap, ranks, number, size)
    if due > 0:
        await_no_expiry(links, due_items, number, due)
    items[entry(STATUS, stride, item)] = reason << REASON_SHIFT
    items[entry(EVICTED_TURN, stride, item)] = turn
    entered = int(links[cell(number, ENTERED)])
    end_stay(sums, item_tokens, touch_start, interval_count, interval_start, interval_end, session, item, entered, turn)


@inlined_kernel
def due_turn(item_expires: NDArray[np.int32], due_items: NDArray[np.int32], item: int, entered: int) -> int:
    """Return the turn in whose pass an item expires that entered in turn ``entered``; 0 for never."""
    if len(item_expires) == 0 or item_expires[item] == 0:
        return 0
    due = max(int(item_expires[item]), entered)
    return due if 2 * due < len(due_items) else 0


@inlined_kernel
def is_pinned(item_row: NDArray[np.int32], row_pinned: NDArray[np.bool_], item: int) -> bool:
    """Tell whether an item is pinned."""
    return bool(row_pinned[item_row[item] if len(item_row) > 0 else 0])


@inlined_kernel
def write_touch(
    items: NDArray[np.int32], sums: NDArray[np.int64], item_tokens: NDArray[np.int32], session: int, item: int,
    turn: int, kind: int,
) -> None:  # fmt: skip
    """Write a registration, or a recall that hits."""
    stride = len(items) // NUM_ITEM_FIELDS
    items[entry(LAST_TOUCH, stride, item)] = turn
    if kind == RECALL:
        items[entry(HITS, stride, item)] += 1
        items[entry(RECALL_COUNT, stride, item)] += 1
    elif kind == REGISTER:
        items[entry(REGISTERED_TURN, stride, item)] = turn
        items[entry(RECALL_COUNT, stride, item)] = 1
        items[entry(REGISTRATIONS, stride, item)] += 1
        sums[2 * (len(sums) // 3) + session] += size_of(item_tokens, item)
    else:
        raise ValueError("the cache kernel knows no touch of this kind")


@inlined_kernel
def play_event(
    touch_start: NDArray[np.int64], touch_turn: NDArray[np.int32], touch_kind: NDArray[np.int8],
    place_of: NDArray[np.int64], item_row: NDArray[np.int32], row_pinned: NDArray[np.bool_],
    item_sizes: NDArray[np.int32], item_tokens: NDArray[np.int32], item_expires: NDArray[np.int32], numbers: Numbers,
    relearn: bool, links: Links, counts: Counts, heap: Heap, ranks: Ranks, due_items: NDArray[np.int32],
    items: NDArray[np.int32], sums: NDArray[np.int64], interval_count: NDArray[np.int32],
    interval_start: NDArray[np.int64], interval_end: NDArray[np.int64], missed: NDArray[np.int64], session: int,
    first: int, key: int, item: int, at: int,
) -> None:  # fmt: skip
    """Play the touch at place ``at``."""
    stride = len(items) // NUM_ITEM_FIELDS
    number, turn, kind = item - first, int(touch_turn[at]), int(touch_kind[at])
    status = int(items[entry(STATUS, stride, item)])
    present = status & PRESENT_BIT == 1
    size, pinned = size_of(item_sizes, item), is_pinned(item_row, row_pinned, item)
    if kind == RECALL and not present:
        items[entry(MISSES, stride, item)] += 1
        if len(missed) > 0:
            missed[at] = int(items[entry(EVICTED_TURN, stride, item)]) << MISSED_TURN_SHIFT | status | 1
        if not relearn:
            return
        kind = REGISTER
    if kind >= FORGET and not present:
        forget(links, counts, number, size)
        return
    if kind >= FORGET:
        due = due_turn(item_expires, due_items, item, int(links[cell(number, ENTERED)]))
        go(
            numbers, links, counts, heap, ranks, due_items, items, sums, item_tokens, touch_start, interval_count,
            interval_start, interval_end, session, item, number, pinned, size, due, turn, kind + 1,
        )  # fmt: skip
        return
    write_touch(items, sums, item_tokens, session, item, turn, kind)
    upcoming = -np.inf
    if numbers[KIND] == BELADY:
        expires = int(item_expires[item]) if len(item_expires) > 0 else 0
        upcoming = next_recall(place_of, touch_turn, touch_kind, at, touch_start[item + 1], expires)
    if present:
        if not pinned:
            touch(numbers, links, counts, heap, ranks, number, size, upcoming)
        return
    links[cell(number, ENTERED)] = turn
    counts[TAKEN] += size
    if pinned:
        counts[PINNED] += size
    elif size > numbers[LIMIT] - counts[PINNED]:
        go(
            numbers, links, counts, heap, ranks, due_items, items, sums, item_tokens, touch_start, interval_count,
            interval_start, interval_end, session, item, number, False, size, 0, turn, CAPACITY,
        )  # fmt: skip
        return
    else:
        arrive(numbers, links, counts, number, size)
    while counts[TAKEN] > numbers[LIMIT] and counts[FREE] > 0:
        gone = evict(numbers, links, counts, heap, ranks, item_sizes, key, first)
        due = due_turn(item_expires, due_items, first + gone, int(links[cell(gone, ENTERED)]))
        go(
            numbers, links, counts, heap, ranks, due_items, items, sums, item_tokens, touch_start, interval_count,
            interval_start, interval_end, session, first + gone, gone, False, size_of(item_sizes, first + gone), due,
            turn, CAPACITY,
        )  # fmt: skip
    items[entry(STATUS, stride, item)] |= PRESENT_BIT
    if not pinned:
        enter(numbers, links, counts, heap, ranks, number, size, upcoming)
    due = due_turn(item_expires, due_items, item, turn)
    if due > 0:
        await_expiry(links, due_items, number, due)


@lean_kernel
def play_caches(
    session_length: NDArray[np.int64], item_start: NDArray[np.int64], touch_start: NDArray[np.int64],
    touch_turn: NDArray[np.int32], touch_kind: NDArray[np.int8], order: NDArray[np.int64],
    touch_item: NDArray[np.int32], place_of: NDArray[np.int64], item_row: NDArray[np.int32],
    row_pinned: NDArray[np.bool_], item_sizes: NDArray[np.int32], item_tokens: NDArray[np.int32],
    item_expires: NDArray[np.int32], seed_keys: NDArray[np.int64], numbers: Numbers, relearn: bool, links: Links,
    counts: Counts, heap: Heap, ranks: Ranks, due_items: NDArray[np.int32], items: NDArray[np.int32],
    sums: NDArray[np.int64], interval_count: NDArray[np.int32], interval_start: NDArray[np.int64],
    interval_end: NDArray[np.int64], missed: NDArray[np.int64],
) -> None:  # fmt: skip
    """Play every session of a block without cohorts under one cache policy.

    Input as in SessionBlock and ByTurn; ``place_of`` (touch) is the inverse of the order of play, empty where no order
    needs it; ``item_sizes`` what items take of the budget, empty for one each. Written as by ``play_lockstep``.
    Scratch, with anything in it: the order of the items of the largest session (see ``queues``), and ``due_items``
    (turn 0 … longest, 2), flat: the first and last item that expires in a turn, empty where nothing does.
    """
    stride = len(items) // NUM_ITEM_FIELDS
    for session in range(len(session_length)):
        first, last = item_start[session], item_start[session + 1]
        length = session_length[session]
        key = seed_keys[session] if len(seed_keys) > 0 else 0
        begin_session(items, sums, links, counts, ranks, due_items, interval_count, session, first, last)
        passed = 0  # the turn of the latest pass
        end = touch_start[last]
        for place in range(touch_start[first], end + 1):
            at = order[place & NO_SIGN] & NO_SIGN if place < end else 0
            turn = int(touch_turn[at]) if place < end else length + 1
            while len(due_items) > 0 and passed < turn - 1:
                passed += 1
                while due_items[2 * passed] != NOBODY:
                    number = int(due_items[2 * passed])
                    go(
                        numbers, links, counts, heap, ranks, due_items, items, sums, item_tokens, touch_start,
                        interval_count, interval_start, interval_end, session, first + number, number,
                        is_pinned(item_row, row_pinned, first + number), size_of(item_sizes, first + number), passed,
                        passed, EXPIRED,
                    )  # fmt: skip
            if place < end:
                play_event(
                    touch_start, touch_turn, touch_kind, place_of, item_row, row_pinned, item_sizes, item_tokens,
                    item_expires, numbers, relearn, links, counts, heap, ranks, due_items, items, sums, interval_count,
                    interval_start, interval_end, missed, session, first, key, int(touch_item[at]) & NO_SIGN, at,
                )  # fmt: skip
        for item in range(first, last):
            if items[entry(STATUS, stride, item)] & PRESENT_BIT:
                end_stay(
                    sums, item_tokens, touch_start, interval_count, interval_start, interval_end, session, item,
                    int(links[cell(item - first, ENTERED)]), length + 1,
                )  # fmt: skip
