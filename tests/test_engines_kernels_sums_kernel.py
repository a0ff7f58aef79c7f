"""Tests of vecdecay.engines.kernels.sums_kernel, on small arrays filled by hand."""

import numpy as np

from vecdecay.engines.kernels import item_kernel as horizon_kernel
from vecdecay.engines.kernels import sums_kernel as totals_kernel
from vecdecay.engines.kernels.sums_kernel import (
    NUM_TOTALS,
    count_at_checkpoints,
    place_items,
    spread_intervals,
    total_sessions,
)

FIELDS = 8


def test_totals_by_hand() -> None:
    """Two sessions: a lost, a kept and a returned fact and an evicted noise item; then a session without items."""
    kinds = np.array([1, 1, 1, 0], dtype=np.int8)
    items = np.array(
        [
            [1, 1, 30, 2],  # registered
            [5, 9, 30, 2],  # last touch
            [2, 3, 1, 1],  # recall count
            [14, 0, 14, 15],  # evicted
            [1, 2, 0, 0],  # hits
            [1, 0, 4, 0],  # misses
            [0, 1, 1, 0],  # present
            [1, 1, 2, 1],  # registrations
        ],
        dtype=np.int32,
    )
    row = 3  # longer than the two sessions need
    totals = np.full(NUM_TOTALS * row, -7, dtype=np.int64)
    total_sessions(np.array([0, 4]), np.array([4, 4]), kinds, items.ravel(), totals)
    named = {
        name: totals[getattr(totals_kernel, name) * row :][:2].tolist()
        for name in (
            "FOUNDATIONAL_PRESENT", "FOUNDATIONAL_EVICTED", "SURVIVAL_SUM", "SURVIVAL_MINIMUM", "SURVIVAL_MAXIMUM",
            "ITEMS_EVICTED", "REGISTRATIONS", "RECALLS", "MISSES", "FOUNDATIONAL_ITEMS",
        )
    }  # fmt: skip
    assert named == {
        "FOUNDATIONAL_PRESENT": [2, 0],
        "FOUNDATIONAL_EVICTED": [2, 0],
        "SURVIVAL_SUM": [13 - 16, 0],
        "SURVIVAL_MINIMUM": [-16, 0],
        "SURVIVAL_MAXIMUM": [13, 0],
        "ITEMS_EVICTED": [3, 0],
        "REGISTRATIONS": [5, 0],
        "RECALLS": [8, 0],
        "MISSES": [5, 0],
        "FOUNDATIONAL_ITEMS": [3, 0],
    }
    assert totals[2::row].tolist() == [-7] * NUM_TOTALS


def test_fields_have_the_same_numbers_as_in_the_kernel() -> None:
    """The rows that are summed here are those that the table kernel writes."""
    assert totals_kernel.NUM_ITEM_FIELDS == horizon_kernel.NUM_ITEM_FIELDS == FIELDS
    assert [horizon_kernel.EVICTED_TURN, horizon_kernel.HITS, horizon_kernel.MISSES] == [3, 4, 5]
    assert [horizon_kernel.PRESENT, horizon_kernel.REGISTRATIONS] == [6, 7]


def intervals() -> tuple[np.ndarray, ...]:
    """Return two sessions of 5 and 2 turns: a fact held in turns 1–2 and from 4 on, noise in 2–4; a fact in turn 2."""
    item_start = np.array([0, 2, 3], dtype=np.int64)
    kinds = np.array([1, 0, 1], dtype=np.int8)
    touch_start = np.array([0, 3, 4, 5], dtype=np.int64)
    count = np.array([2, 1, 1], dtype=np.int32)
    start = np.array([1, 4, -9, 2, 2], dtype=np.int64)
    end = np.array([3, 6, -9, 5, 3], dtype=np.int64)
    return item_start, kinds, touch_start, count, start, end


def test_intervals_become_sizes_per_turn() -> None:
    """Each interval counts from its first turn to the one before its end; places without interval are not read."""
    working_set, present = np.zeros(11, dtype=np.int32), np.zeros(11, dtype=np.int32)
    spread_intervals(*intervals(), np.array([0, 7, 11], dtype=np.int64), working_set, present)
    assert working_set.tolist() == [0, 1, 2, 1, 2, 1, 0, 0, 0, 1, 0]
    assert present.tolist() == [0, 1, 1, 0, 1, 1, 0, 0, 0, 1, 0]


def test_checkpoints_count_facts() -> None:
    """At each turn that is asked for, the facts held after its pass are counted, noise is not."""
    checkpoints = np.array([1, 2, 3, 4, 5], dtype=np.int64)
    present = np.zeros(10, dtype=np.int32)
    count_at_checkpoints(*intervals(), checkpoints, present)
    assert present.reshape(5, 2).tolist() == [[1, 0], [1, 1], [0, 0], [1, 0], [1, 0]]


def test_items_are_placed_behind_those_of_their_session() -> None:
    """Two newborn items follow the listed ones of each session, field by field; longer rows stay as they were."""
    listed = np.arange(FIELDS * 4, dtype=np.int32)  # rows of 4, of which 3 are used
    newborn = 100 + np.arange(FIELDS * 2, dtype=np.int32)
    kinds = np.full(7, 9, dtype=np.int8)
    placed = np.full(FIELDS * 8, -1, dtype=np.int32)  # rows of 8, of which 7 are used
    place_items(np.array([0, 2, 3]), np.array([1, 0, 1], dtype=np.int8), listed, newborn, 2, kinds, placed)
    rows = placed.reshape(FIELDS, 8)
    for field in range(FIELDS):
        first, more = 4 * field, 100 + 2 * field
        assert rows[field].tolist() == [first, first + 1, more, more + 1, first + 2, more, more + 1, -1]
    assert kinds.tolist() == [1, 0, 9, 9, 1, 9, 9]
