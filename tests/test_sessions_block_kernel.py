"""Tests of vecdecay.sessions.block_kernel: the order of the touches over a session."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from strategies import sessions

from vecdecay.sessions.block_kernel import sort_by_turn
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.session import Session


@given(st.lists(sessions((1, 3)), max_size=4))
def test_touches_are_sorted_by_turn_and_stay_in_order(together: list[Session]) -> None:
    """Within a session the touches come turn by turn; those of an item in one turn stay as they were."""
    block = block_of(together)
    order = np.full(len(block.touch_turn), -1, dtype=np.int64)
    items = np.full(len(block.touch_turn), -1, dtype=np.int64)
    sort_by_turn(block.session_length, block.item_start, block.touch_start, block.touch_turn, order, items)
    assert sorted(order.tolist()) == list(range(len(order)))
    item_of_touch = np.repeat(np.arange(len(block.item_kind)), np.diff(block.touch_start))
    assert items.tolist() == item_of_touch.tolist()
    edges = block.touch_start[block.item_start].tolist()
    for first, last in pairwise(edges):
        sorted_touches = order[first:last].tolist()
        assert set(sorted_touches) == set(range(first, last))
        turns = block.touch_turn[sorted_touches].tolist()
        assert turns == sorted(turns)
        for earlier, later in pairwise(sorted_touches):
            if block.touch_turn[earlier] == block.touch_turn[later]:
                assert earlier < later
