"""The table kernel: plays table policies item by item, with integers alone.

Where items do not meet, an item's life is decided by its touches and the horizon table; no float is computed, so the
result is the same on any machine, for any number of threads and any block size. Arrays are flat and indexed, never
sliced (slices cost reference counting), and indices are unsigned (a signed index is tested for being negative in every
access: 41 against 33 ns a session).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vecdecay.compile import inlined_kernel, kernel, lean_kernel
from vecdecay.engines.kernels.clock_kernel import evicting_turn_before
from vecdecay.engines.kernels.fields import (
    CASCADE,
    DECAYED,
    EVICTED_TURN,
    EXPIRED,
    FORGET,
    HITS,
    LAST_TOUCH,
    MISSED_TURN_SHIFT,
    MISSES,
    NUM_ITEM_FIELDS,
    REASON_SHIFT,
    RECALL,
    RECALL_COUNT,
    REGISTER,
    REGISTRATIONS,
    STATUS,
)
from vecdecay.engines.kernels.rules import evicting_turn

# Entries of the rules array; see policies.rules.Rules.
PERIOD = 0
REFRESHES = 1
COOLDOWN = 2
GRACE = 3
UNIT = 4


@kernel
def write_item(
    items: NDArray[np.int32],
    item: int,
    registered: int,
    last_touch: int,
    recall_count: int,
    evicted: int,
    hits: int,
    misses: int,
    status: int,
    registrations: int,
) -> None:
    """Write the fields of one item; see ``fields``."""
    stride = np.uint64(len(items) // NUM_ITEM_FIELDS)
    items[item] = registered
    items[np.uint64(LAST_TOUCH) * stride + item] = last_touch
    items[np.uint64(RECALL_COUNT) * stride + item] = recall_count
    items[np.uint64(EVICTED_TURN) * stride + item] = evicted
    items[np.uint64(HITS) * stride + item] = hits
    items[np.uint64(MISSES) * stride + item] = misses
    items[np.uint64(STATUS) * stride + item] = status
    items[np.uint64(REGISTRATIONS) * stride + item] = registrations


@inlined_kernel
def write_interval(start: NDArray[np.int64], end: NDArray[np.int64], place: int, entered: int, left: int) -> None:
    """Write a stretch of turns in which an item was in the working set."""
    start[place] = entered
    end[place] = left


@lean_kernel
def play_table(
    session_length: NDArray[np.int64], item_start: NDArray[np.int64], touch_start: NDArray[np.int64],
    touch_turn: NDArray[np.int32], touch_kind: NDArray[np.int8], item_row: NDArray[np.int32] | None,
    item_tokens: NDArray[np.int32] | None, item_expires: NDArray[np.int32] | None, horizon: NDArray[np.int64],
    row_width: int, rules: NDArray[np.int64] | None, touch_clock: NDArray[np.int64] | None, clocks: Any,
    relearn: bool, items: NDArray[np.int32], sums: NDArray[np.int64], interval_count: NDArray[np.int32] | None,
    interval_start: NDArray[np.int64] | None, interval_end: NDArray[np.int64] | None, missed: NDArray[np.int64] | None,
) -> None:  # fmt: skip
    """Play every item of a block, cohorts excepted.

    Input shapes as in SessionBlock. ``horizon`` (row, recall), flat, in units of age, one row per combination of
    attributes; ``item_row`` (item) names an item's row, None for the first; ``item_tokens`` (item) is None for 1,
    ``item_expires`` (item) for never, ``rules`` for the plain ones. What is None is left out of the machine code: with
    all of it in, the loop takes twice as long. With ``relearn``, a recall that misses registers its item anew.

    Where ages are read from clocks, ``touch_clock`` (touch) is what they show at the touches, and ``clocks`` are as in
    ``Timing.table_clocks``; else both are None.

    Written: ``items`` (field, item), flat, its rows as long as the array allows; ``sums`` (3, session), flat: the sizes
    of the working set summed over the turns, in items and in tokens, and the tokens of all registrations. Where
    ``interval_count`` (item) is not None, also the residency intervals, turns after whose passes an item was in the
    working set, from ``interval_start`` to ``interval_end`` (exclusive), from the place of the item's first touch on,
    and into ``missed`` (touch), given zeroed, or empty, which recalls missed and what had evicted the item; see
    ``fields``.
    """
    one = np.uint64(1)
    num_sessions = len(session_length)
    for session in range(num_sessions):
        length = session_length[session]
        working_set_sum, token_turns, registered_tokens = 0, 0, 0
        for item in range(np.uint64(item_start[session]), np.uint64(item_start[session + 1])):
            row = np.uint64(0) if item_row is None else np.uint64(item_row[item] * row_width)
            # ``entered`` is when it last came into the working set, ``last_counted`` the latest use that counted,
            # ``leaves`` the turn whose pass evicts it if nothing touches it before, and ``why``.
            present, entered, registered, last_touch, last_counted, recall_count = False, 0, 0, 0, 0, 0
            leaves, why, evicted, reason = 0, DECAYED, 0, 0
            hits, misses, registrations, turns_held, intervals = 0, 0, 0, 0, 0
            shown = np.int64(0)  # by the clock at the touch from which the age counts
            first, stop = np.uint64(touch_start[item]), np.uint64(touch_start[item + one])
            for touch in range(first, stop):
                turn = np.int64(touch_turn[touch])
                kind = touch_kind[touch]
                removed = kind >= FORGET and present and leaves >= turn
                if present and (leaves < turn or removed):
                    present = False
                    evicted = turn if removed else leaves
                    reason = kind + 1 if removed else why
                    turns_held += evicted - entered
                    if interval_count is not None:
                        write_interval(interval_start, interval_end, first + np.uint64(intervals), entered, evicted)
                    intervals += 1
                if kind == RECALL and not present:
                    misses += 1
                    if missed is not None and len(missed) > 0:
                        missed[touch] = evicted << MISSED_TURN_SHIFT | reason << REASON_SHIFT | 1
                    if not relearn:
                        continue
                    kind = np.int8(REGISTER)
                if kind == REGISTER:
                    entered = entered if present else turn
                    present, registered, last_touch, last_counted, recall_count = True, turn, turn, turn, 1
                    registrations += 1
                elif kind != RECALL:
                    if kind < FORGET or kind > CASCADE:
                        raise ValueError("the table kernel knows no touch of this kind")
                    continue
                else:
                    hits += 1
                    last_touch = turn
                    if rules is None or turn - last_counted >= rules[COOLDOWN]:
                        last_counted = turn
                        recall_count += 1
                life = horizon[row + np.uint64(recall_count - 1)]
                leaves = turn + life
                if touch_clock is not None and rules is not None:
                    shown = touch_clock[touch] if kind == REGISTER or rules[REFRESHES] == 1 else shown
                    earliest = max(turn, registered + rules[GRACE])
                    after = length + 1 if touch + one == stop else np.int64(touch_turn[touch + one])
                    leaves = after  # as good as any later turn
                    if touch + one == stop or touch_clock[touch + one] >= shown + life:
                        leaves = evicting_turn_before(after, clocks, session, shown + life, rules[PERIOD], earliest)
                elif rules is not None:
                    anchor = turn if rules[REFRESHES] == 1 else registered
                    leaves = evicting_turn(turn, anchor, life, registered, rules[PERIOD], rules[GRACE], rules[UNIT])
                if item_expires is not None:
                    last = max(np.int64(item_expires[item]), turn)
                    expires = item_expires[item] > 0 and last < leaves
                    why = EXPIRED if expires else DECAYED
                    leaves = last if expires else leaves
            if present:
                present = leaves > length
                evicted = evicted if present else leaves
                reason = reason if present else why
                end = length + 1 if present else leaves
                turns_held += end - entered
                if interval_count is not None:
                    write_interval(interval_start, interval_end, first + np.uint64(intervals), entered, end)
                intervals += 1
            status = present | reason << REASON_SHIFT
            write_item(items, item, registered, last_touch, recall_count, evicted, hits, misses, status, registrations)
            tokens = 1 if item_tokens is None else np.int64(item_tokens[item])
            working_set_sum += turns_held
            token_turns += tokens * turns_held
            registered_tokens += tokens * registrations
            if interval_count is not None:
                interval_count[item] = intervals
        sums[session] = working_set_sum
        sums[num_sessions + session] = token_turns
        sums[2 * num_sessions + session] = registered_tokens
