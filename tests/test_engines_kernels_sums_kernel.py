"""Tests of vecdecay.engines.kernels.sums_kernel, on small arrays filled by hand."""

import numpy as np
import pytest

from vecdecay.engines.kernels import fields
from vecdecay.engines.kernels.fields import PRESENT_BIT, REASON_SHIFT
from vecdecay.engines.kernels.sums_kernel import (
    NUM_TOTALS,
    count_at_checkpoints,
    place_items,
    spread_intervals,
    total_sessions,
)


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
            [0, PRESENT_BIT, PRESENT_BIT | fields.EXPIRED << REASON_SHIFT, fields.FORGOTTEN << REASON_SHIFT],  # status
            [1, 1, 2, 1],  # registrations
        ],
        dtype=np.int32,
    )
    assert len(items) == fields.NUM_ITEM_FIELDS
    row = 3  # longer than the two sessions need
    totals = np.full(NUM_TOTALS * row, -7, dtype=np.int64)
    total_sessions(np.array([0, 4]), np.array([4, 4]), kinds, items.ravel(), totals)
    assert totals.reshape(NUM_TOTALS, row)[:, :2].tolist() == [
        [2, 0],  # foundational items present
        [2, 0],  # foundational items evicted
        [13 - 16, 0],  # survival times: sum, minimum, maximum
        [-16, 0],
        [13, 0],
        [3, 0],  # items evicted
        [5, 0],  # registrations
        [8, 0],  # recalls
        [5, 0],  # misses
        [3, 0],  # foundational items
    ]
    assert totals[2::row].tolist() == [-7] * NUM_TOTALS


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


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.float64])
def test_items_are_placed_behind_those_of_their_session(dtype: type[np.generic]) -> None:
    """Two cohort items follow the listed ones of each session, also of one that has none; types are kept."""
    column = np.full(9, 99, dtype=dtype)
    place_items(np.array([0, 2, 2, 3]), np.array([1, 2, 3], dtype=dtype), np.array([7, 8], dtype=dtype), column)
    assert column.tolist() == [1, 2, 7, 8, 7, 8, 3, 7, 8]
