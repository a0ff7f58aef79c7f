"""The table kernel: plays a table policy with integers alone.

An item's life is decided by its touches and the horizon table; no float is computed, so the result is the same on any
machine, for any number of threads and any block size. Arrays are flat and indexed, never sliced (slices cost reference
counting), and indices are unsigned (a signed index is tested for being negative in every access: 41 against 33 ns a
session).
"""

import numpy as np
from numpy.typing import NDArray

from vecdecay.compile import kernel

# Fields of the item array, one row each, one int32 per item. Turn 0 stands for "never": turns count from 1.
REGISTERED_TURN = 0
LAST_TOUCH = 1
RECALL_COUNT = 2
EVICTED_TURN = 3
HITS = 4
MISSES = 5
PRESENT = 6
REGISTRATIONS = 7
NUM_ITEM_FIELDS = 8


# Entries of the rules array; see policies.base.Rules.
PERIOD = 0
REFRESHES = 1
COOLDOWN = 2
GRACE = 3
UNIT = 4


@kernel
def expiry_turn(turn: int, anchor: int, horizon: int, registered: int, period: int, grace: int, unit: int) -> int:
    """Return the turn whose pass evicts an item: ``horizon`` units after ``anchor``, not before the grace is over.

    It is never before ``turn``, the touch in question, although a touch may shorten the life of an item.
    """
    earliest = max(((anchor - 1) // unit + horizon) * unit + 1, registered + grace, turn)
    return -(-earliest // period) * period


@kernel
def _write_item(
    items: NDArray[np.int32],
    item: int,
    registered: int,
    last_touch: int,
    recall_count: int,
    evicted: int,
    hits: int,
    misses: int,
    present: bool,
    registrations: int,
) -> None:
    stride = np.uint64(len(items) // NUM_ITEM_FIELDS)
    items[item] = registered
    items[np.uint64(LAST_TOUCH) * stride + item] = last_touch
    items[np.uint64(RECALL_COUNT) * stride + item] = recall_count
    items[np.uint64(EVICTED_TURN) * stride + item] = evicted
    items[np.uint64(HITS) * stride + item] = hits
    items[np.uint64(MISSES) * stride + item] = misses
    items[np.uint64(PRESENT) * stride + item] = present
    items[np.uint64(REGISTRATIONS) * stride + item] = registrations


@kernel
def play_horizon(
    session_length: NDArray[np.int64],
    item_start: NDArray[np.int64],
    touch_start: NDArray[np.int64],
    touch_turn: NDArray[np.int32],
    touch_kind: NDArray[np.int8],
    item_row: NDArray[np.int32] | None,
    item_tokens: NDArray[np.int32] | None,
    horizon: NDArray[np.int64],
    row_width: int,
    rules: NDArray[np.int64] | None,
    items: NDArray[np.int32],
    totals: NDArray[np.int64],
    interval_count: NDArray[np.int32] | None,
    interval_start: NDArray[np.int64] | None,
    interval_end: NDArray[np.int64] | None,
) -> None:
    """Play every item of a block, cohorts excepted.

    Input shapes as in SessionBlock. ``horizon`` (row, recall), flat, in units of age, one row per combination of
    attributes;
    ``item_row`` (item) names an item's row, None for the first; ``item_tokens`` (item) is None for 1, ``rules`` for the
    plain ones. What is None is left out of the machine code: with all of it in, the loop takes twice as long.
    Written: ``items`` (field, item), flat, its rows as long as the array allows; ``totals`` (3, session), flat: the
    sizes of the working set summed over the turns, in items and in tokens, and the tokens of all registrations. Where
    ``interval_count`` (item) is not None, also the stretches of turns after whose passes an item was in the working
    set, from ``interval_start`` to ``interval_end`` (exclusive), from the place of the item's first touch on.
    """
    one = np.uint64(1)
    num_sessions = len(session_length)
    for session in range(num_sessions):
        length = session_length[session]
        working_set_sum = 0
        token_turns = 0
        registered_tokens = 0
        for item in range(np.uint64(item_start[session]), np.uint64(item_start[session + 1])):
            row = np.uint64(0)
            if item_row is not None:
                row = np.uint64(item_row[item] * row_width)
            present = False
            entered = 0  # the turn in which the item last came into the working set
            registered = 0
            last_touch = 0
            last_counted = 0  # the latest use that raised the recall count
            recall_count = 0
            expiry = 0  # the turn whose pass evicts the item if nothing touches it before
            evicted = 0
            hits = 0
            misses = 0
            registrations = 0
            turns_held = 0
            intervals = 0
            first = np.uint64(touch_start[item])
            for touch in range(first, np.uint64(touch_start[item + one])):
                turn = np.int64(touch_turn[touch])
                if present and expiry < turn:
                    present = False
                    evicted = expiry
                    turns_held += expiry - entered
                    if interval_count is not None:
                        interval_start[first + np.uint64(intervals)] = entered
                        interval_end[first + np.uint64(intervals)] = expiry
                    intervals += 1
                if touch_kind[touch] == 0:
                    if not present:
                        entered = turn
                    present = True
                    registered = turn
                    last_touch = turn
                    last_counted = turn
                    recall_count = 1
                    registrations += 1
                elif present:
                    hits += 1
                    last_touch = turn
                    if rules is None or turn - last_counted >= rules[COOLDOWN]:
                        last_counted = turn
                        recall_count += 1
                else:
                    misses += 1
                    continue
                life = horizon[row + np.uint64(recall_count - 1)]
                expiry = turn + life
                if rules is not None:
                    anchor = turn if rules[REFRESHES] == 1 else registered
                    expiry = expiry_turn(turn, anchor, life, registered, rules[PERIOD], rules[GRACE], rules[UNIT])
            if present:
                present = expiry > length
                evicted = evicted if present else expiry
                end = length + 1 if present else expiry
                turns_held += end - entered
                if interval_count is not None:
                    interval_start[first + np.uint64(intervals)] = entered
                    interval_end[first + np.uint64(intervals)] = end
                intervals += 1
            _write_item(
                items, item, registered, last_touch, recall_count, evicted, hits, misses, present, registrations
            )
            tokens = 1
            if item_tokens is not None:
                tokens = np.int64(item_tokens[item])
            working_set_sum += turns_held
            token_turns += tokens * turns_held
            registered_tokens += tokens * registrations
            if interval_count is not None:
                interval_count[item] = intervals
        totals[session] = working_set_sum
        totals[num_sessions + session] = token_turns
        totals[2 * num_sessions + session] = registered_tokens
