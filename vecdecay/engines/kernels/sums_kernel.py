"""From what became of each item to integer totals per session. Both kernels' results go through here."""

import numpy as np
from numpy.typing import NDArray

from vecdecay.compile import kernel

# Rows of the totals array, one int64 per session each.
FOUNDATIONAL_PRESENT = 0
FOUNDATIONAL_EVICTED = 1
SURVIVAL_SUM = 2
SURVIVAL_MINIMUM = 3
SURVIVAL_MAXIMUM = 4
ITEMS_EVICTED = 5
REGISTRATIONS = 6
RECALLS = 7
MISSES = 8
FOUNDATIONAL_ITEMS = 9
NUM_TOTALS = 10

NUM_ITEM_FIELDS = 8  # rows of the item array, as in horizon_kernel


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
            evicted = np.int64(items[np.uint64(3) * stride + item])
            hits += np.int64(items[np.uint64(4) * stride + item])
            misses += np.int64(items[np.uint64(5) * stride + item])
            registrations += np.int64(items[np.uint64(7) * stride + item])
            items_evicted += evicted > 0
            if item_kind[item] == 1:
                foundational_items += 1
                foundational_present += np.int64(items[np.uint64(6) * stride + item])
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

    Intervals as ``play_horizon`` writes them. Written, given zeroed: ``working_set`` and ``foundational_present``
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
    item_start: NDArray[np.int64],
    item_kind: NDArray[np.int8],
    listed: NDArray[np.int32],
    newborn: NDArray[np.int32],
    num_newborn: int,
    all_kind: NDArray[np.int8],
    items: NDArray[np.int32],
) -> None:
    """Place the same ``num_newborn`` items behind the listed ones of every session.

    ``listed`` (field, item) and ``newborn`` (field, newborn) are read; ``all_kind`` and ``items`` (field, all items)
    are written, the kind of the newborn items excepted. Arrays of two dimensions are flat.
    """
    from_row = len(listed) // NUM_ITEM_FIELDS
    to_row = np.uint64(len(items) // NUM_ITEM_FIELDS)
    for session in range(len(item_start) - 1):
        first = item_start[session]
        num_listed = item_start[session + 1] - first
        place = first + session * num_newborn
        for item in range(num_listed):
            all_kind[place + item] = item_kind[first + item]
        for field in range(NUM_ITEM_FIELDS):
            target = np.uint64(field) * to_row + np.uint64(place)
            for item in range(num_listed):
                items[target + np.uint64(item)] = listed[field * from_row + first + item]
            target += np.uint64(num_listed)
            source = np.uint64(field * num_newborn)
            for item in range(np.uint64(num_newborn)):
                items[target + item] = newborn[source + item]
