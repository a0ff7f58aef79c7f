"""From what became of each item to integer totals per session. Both kernels' results go through here."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vecdecay.compile import kernel
from vecdecay.engines.kernels.fields import EVICTED_TURN, HITS, MISSES, NUM_ITEM_FIELDS, REGISTRATIONS, STATUS

# Rows of the totals array, one int64 per session each: foundational items present, evicted; survival times summed, the
# smallest, the largest; items evicted; registrations; recalls; misses; foundational items.
NUM_TOTALS = 10


@kernel
def total_sessions(
    first_item: NDArray[np.int64],
    last_item: NDArray[np.int64],
    item_kind: NDArray[np.int8],
    items: NDArray[np.int32],
    totals: NDArray[np.int64],
) -> None:
    """Sum the listed items of every session: ``items`` (field, item), as the kernels write it, → ``totals`` (total,
    session).

    Those of session s are ``first_item[s] … last_item[s] - 1``. Both arrays of two dimensions are flat.

    A session without an evicted foundational item has 0 as its smallest and largest survival time.
    """
    num_sessions = np.uint64(len(first_item))
    stride = np.uint64(len(items) // NUM_ITEM_FIELDS)
    row = np.uint64(len(totals) // NUM_TOTALS)
    for session in range(num_sessions):
        foundational_present = 0
        foundational_evicted = 0
        survival_sum = 0
        survival_minimum = 1 << 62
        survival_maximum = -(1 << 62)
        items_evicted = 0
        registrations = 0
        hits = 0
        misses = 0
        foundational_items = 0
        for item in range(np.uint64(first_item[session]), np.uint64(last_item[session])):
            evicted = np.int64(items[np.uint64(EVICTED_TURN) * stride + item])
            hits += np.int64(items[np.uint64(HITS) * stride + item])
            misses += np.int64(items[np.uint64(MISSES) * stride + item])
            registrations += np.int64(items[np.uint64(REGISTRATIONS) * stride + item])
            items_evicted += evicted > 0
            if item_kind[item] == 1:
                foundational_items += 1
                foundational_present += np.int64(items[np.uint64(STATUS) * stride + item]) & 1
                if evicted > 0:
                    survival = evicted - np.int64(items[item])
                    foundational_evicted += 1
                    survival_sum += survival
                    survival_minimum = min(survival_minimum, survival)
                    survival_maximum = max(survival_maximum, survival)
        totals[session] = foundational_present
        totals[row + session] = foundational_evicted
        totals[np.uint64(2) * row + session] = survival_sum
        totals[np.uint64(3) * row + session] = survival_minimum if foundational_evicted > 0 else 0
        totals[np.uint64(4) * row + session] = survival_maximum if foundational_evicted > 0 else 0
        totals[np.uint64(5) * row + session] = items_evicted
        totals[np.uint64(6) * row + session] = registrations
        totals[np.uint64(7) * row + session] = hits + misses
        totals[np.uint64(8) * row + session] = misses
        totals[np.uint64(9) * row + session] = foundational_items


@kernel
def spread_intervals(
    item_start: NDArray[np.int64],
    item_kind: NDArray[np.int8],
    touch_start: NDArray[np.int64],
    interval_count: NDArray[np.int32],
    interval_start: NDArray[np.int64],
    interval_end: NDArray[np.int64],
    turn_start: NDArray[np.int64],
    working_set: NDArray[np.int32],
    foundational_present: NDArray[np.int32],
) -> None:
    """Count, per turn, the items that were in the working set after its pass.

    Intervals as ``play_table`` writes them. Written, given zeroed: ``working_set`` and ``foundational_present``
    (turn); a session's turns begin at ``turn_start[s]``, two more than it has (turn 0, and the turn after the last).
    """
    for session in range(len(item_start) - 1):
        offset = turn_start[session]
        for item in range(item_start[session], item_start[session + 1]):
            foundational = item_kind[item] == 1
            for interval in range(touch_start[item], touch_start[item] + interval_count[item]):
                working_set[offset + interval_start[interval]] += 1
                working_set[offset + interval_end[interval]] -= 1
                if foundational:
                    foundational_present[offset + interval_start[interval]] += 1
                    foundational_present[offset + interval_end[interval]] -= 1
        for turn in range(offset + 1, turn_start[session + 1]):
            working_set[turn] += working_set[turn - 1]
            foundational_present[turn] += foundational_present[turn - 1]


@kernel
def count_at_checkpoints(
    item_start: NDArray[np.int64],
    item_kind: NDArray[np.int8],
    touch_start: NDArray[np.int64],
    interval_count: NDArray[np.int32],
    interval_start: NDArray[np.int64],
    interval_end: NDArray[np.int64],
    checkpoints: NDArray[np.int64],
    foundational_present: NDArray[np.int32],
) -> None:
    """Count the foundational items present at some turns; written, given zeroed: (checkpoint, session), flat."""
    num_sessions = len(item_start) - 1
    for session in range(num_sessions):
        for item in range(item_start[session], item_start[session + 1]):
            if item_kind[item] == 1:
                for interval in range(touch_start[item], touch_start[item] + interval_count[item]):
                    for checkpoint in range(len(checkpoints)):
                        if interval_start[interval] <= checkpoints[checkpoint] < interval_end[interval]:
                            foundational_present[checkpoint * num_sessions + session] += 1


@kernel
def place_items(
    listed_start: NDArray[np.int64], listed: NDArray[Any], behind: NDArray[Any], column: NDArray[Any]
) -> None:
    """Write a column of all items: those listed of each session, and the same values ``behind`` them in every one."""
    place = np.uint64(0)
    one = np.uint64(1)
    for session in range(len(listed_start) - 1):
        for item in range(np.uint64(listed_start[session]), np.uint64(listed_start[session + 1])):
            column[place] = listed[item]
            place += one
        for item in range(np.uint64(len(behind))):
            column[place + item] = behind[item]
        place += np.uint64(len(behind))
