"""Tests of vecdecay.engines.sums: from a kernel's arrays to outcomes."""

import numpy as np

from vecdecay.engines.sums import item_outcomes, mark_unreached, row_length, rows_of, turn_starts, without_margins


def test_rows_are_long_enough_and_do_not_share_cache_places() -> None:
    """A row holds its entries, and rows of int32 or int64 never begin a multiple of 4096 bytes apart."""
    for count in (0, 1, 63, 1023, 1024, 1025, 4000, 4096, 123_456):
        length = row_length(count)
        assert length >= count
        for itemsize in (4, 8):
            assert (length * itemsize) % 4096 != 0


def test_rows_of_a_flat_array() -> None:
    """Each row begins where the last ends, and only the entries that count are returned."""
    flat = np.arange(12)
    assert rows_of(flat, 3, 2).tolist() == [[0, 1], [4, 5], [8, 9]]
    assert rows_of(flat, 2, 6).tolist() == [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11]]


def test_turns_have_a_margin_on_either_side() -> None:
    """A session of n turns takes n + 2 places; without them, sessions follow each other."""
    starts = turn_starts(np.array([3, 1], dtype=np.int64))
    assert starts.tolist() == [0, 5, 8]
    working_set = np.array([0, 1, 2, 3, 99, 0, 7, 99], dtype=np.int32)
    turns = without_margins(starts, working_set, working_set * 10)
    assert turns.turn_start.tolist() == [0, 3, 4]
    assert turns.working_set.tolist() == [1, 2, 3, 7]
    assert turns.foundational_present.tolist() == [10, 20, 30, 70]


def test_checkpoints_after_the_end_are_marked() -> None:
    """A checkpoint at the last turn is reached, one turn later it is not."""
    present = np.array([[5, 6], [7, 8]], dtype=np.int32)
    lengths = np.array([4, 5], dtype=np.int64)
    assert mark_unreached(present, np.array([4, 5]), lengths).tolist() == [[5, 6], [-1, 8]]


def test_item_rows_get_their_names() -> None:
    """Rows of the item array are named in the order in which kernels write them."""
    fields = np.arange(8 * 2, dtype=np.int32).reshape(8, 2)
    items = item_outcomes(np.array([0, 2]), np.array([1, 0], dtype=np.int8), fields, None)
    named = (
        items.registered_turn, items.last_touch, items.recall_count, items.evicted_turn, items.hits, items.misses,
        items.present,
    )  # fmt: skip
    assert [row.tolist() for row in named] == fields[:7].tolist()
    assert items.stability is None
