"""The table kernel: plays a table policy with integers alone.

An item's life is decided by its touches and the horizon table; no float is computed, so the result is the same on any
machine, for any number of threads and any block size. Arrays are flat and indexed, never sliced (slices cost reference
counting), and indices are unsigned (a signed index is tested for being negative in every access: 41 against 33 ns a
session).
"""

import numpy as np
from numpy.typing import NDArray

from vecdecay.accelerate import kernel

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


@kernel
def play_horizon(
    session_length: NDArray[np.int64],
    item_start: NDArray[np.int64],
    touch_start: NDArray[np.int64],
    touch_turn: NDArray[np.int32],
    touch_kind: NDArray[np.int8],
    horizon: NDArray[np.int64],
    items: NDArray[np.int32],
    working_set_sum: NDArray[np.int64],
    interval_count: NDArray[np.int32],
    interval_start: NDArray[np.int32],
    interval_end: NDArray[np.int32],
) -> None:
    """Play every item of a block, cohorts excepted.

    Input shapes as in SessionBlock; ``horizon`` (recall + 1) in turns. Written: ``items`` (field, item), flat,
    each row as long as the array allows;
    ``working_set_sum`` (session), the working-set size summed over the turns. Where
    ``interval_count`` (item) is not empty, also the stretches of turns after whose passes the item was in the working
    set:
    ``interval_start`` (inclusive) and ``interval_end`` (exclusive), at the place of the touch that began the stretch.
    """
    one = np.uint64(1)
    stride = np.uint64(len(items) // NUM_ITEM_FIELDS)
    want_intervals = len(interval_count) > 0
    for session in range(len(session_length)):
        length = session_length[session]
        turns_held = 0
        for item in range(np.uint64(item_start[session]), np.uint64(item_start[session + 1])):
            present = False
            entered = 0  # the turn in which the item last came into the working set
            registered = 0
            last_touch = 0
            recall_count = 0
            expiry = 0  # the turn whose pass evicts the item if nothing touches it before
            evicted = 0
            hits = 0
            misses = 0
            registrations = 0
            intervals = 0
            first = np.uint64(touch_start[item])
            for touch in range(first, np.uint64(touch_start[item + one])):
                turn = np.int64(touch_turn[touch])
                if present and expiry < turn:
                    present = False
                    evicted = expiry
                    turns_held += expiry - entered
                    if want_intervals:
                        interval_start[first + np.uint64(intervals)] = entered
                        interval_end[first + np.uint64(intervals)] = expiry
                    intervals += 1
                if touch_kind[touch] == 0:
                    if not present:
                        entered = turn
                    present = True
                    registered = turn
                    last_touch = turn
                    recall_count = 1
                    expiry = turn + horizon[0]
                    registrations += 1
                elif present:
                    hits += 1
                    last_touch = turn
                    expiry = turn + horizon[np.uint64(recall_count)]
                    recall_count += 1
                else:
                    misses += 1
            if present:
                present = expiry > length
                evicted = evicted if present else expiry
                end = length + 1 if present else expiry
                turns_held += end - entered
                if want_intervals:
                    interval_start[first + np.uint64(intervals)] = entered
                    interval_end[first + np.uint64(intervals)] = end
                intervals += 1
            items[item] = registered
            items[np.uint64(LAST_TOUCH) * stride + item] = last_touch
            items[np.uint64(RECALL_COUNT) * stride + item] = recall_count
            items[np.uint64(EVICTED_TURN) * stride + item] = evicted
            items[np.uint64(HITS) * stride + item] = hits
            items[np.uint64(MISSES) * stride + item] = misses
            items[np.uint64(PRESENT) * stride + item] = present
            items[np.uint64(REGISTRATIONS) * stride + item] = registrations
            if want_intervals:
                interval_count[item] = intervals
        working_set_sum[session] = turns_held
