"""Tests of vecdecay.sessions.block_kernel: the order of the touches over a session."""

from dataclasses import replace
from itertools import pairwise
from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from strategies import sessions

from vecdecay.sessions.block_kernel import place_by_order, sort_by_turn
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.session import Session, session_of


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


@given(st.lists(sessions((1, 3)), min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_places_of_ones_own_are_the_order_of_play(together: list[Session], random: Random) -> None:
    """As sorted by turn and place; places that are taken twice, or lie elsewhere, are not followed."""
    block = block_of(together)
    place = np.zeros(len(block.touch_turn), dtype=np.int32)
    expected: list[int] = []
    for first, last in pairwise(block.touch_start[block.item_start].tolist()):
        touches = list(range(first, last))
        random.shuffle(touches)
        touches.sort(key=lambda touch: int(block.touch_turn[touch]))
        place[touches] = range(len(touches))
        expected += touches
    order, items = np.empty(len(place), dtype=np.int64), np.empty(len(place), dtype=np.int32)
    arrays = block.item_start, block.touch_start, block.touch_turn
    assert place_by_order(*arrays, place, order, items)
    assert order.tolist() == expected
    assert items.tolist() == np.repeat(np.arange(len(block.item_kind)), np.diff(block.touch_start)).tolist()
    if len(place) > 0:
        place[-1] += 1
        assert not place_by_order(*arrays, place, order, items)


def test_places_against_the_turns_are_not_followed() -> None:
    """The turns come first, whatever the places say."""
    block = block_of([session_of([(1, "register", "a"), (2, "register", "b")])])
    order, items = np.empty(2, dtype=np.int64), np.empty(2, dtype=np.int32)
    backwards = np.array([1, 0], dtype=np.int32)
    assert not place_by_order(block.item_start, block.touch_start, block.touch_turn, backwards, order, items)
    assert replace(block, touch_order=backwards).by_turn.order.tolist() == [0, 1]
