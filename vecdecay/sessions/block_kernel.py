"""Compiled passes over the arrays of a block: is every touch as it has to be, and in which order are touches played?"""

import numpy as np
from numpy.typing import NDArray

from vecdecay.compile import kernel

# What can be wrong with a touch; 0 is nothing.
TURN_OUTSIDE = 1
TURNS_NOT_SORTED = 2
UNKNOWN_KIND = 3
TOO_MANY_RECALLS = 4


@kernel
def first_wrong_touch(
    session_length: NDArray[np.int64],
    item_start: NDArray[np.int64],
    touch_start: NDArray[np.int64],
    touch_turn: NDArray[np.int32],
    touch_kind: NDArray[np.int8],
    max_recalls: int,
    num_kinds: int,
) -> tuple[int, int, int, int]:
    """Return what is wrong (0 for nothing), and the session, item and touch where; shapes as in SessionBlock."""
    for session in range(len(session_length)):
        length = session_length[session]
        for item in range(item_start[session], item_start[session + 1]):
            last = 1
            recalls = 0
            for touch in range(touch_start[item], touch_start[item + 1]):
                turn = np.int64(touch_turn[touch])
                kind = touch_kind[touch]
                if turn < 1 or turn > length:
                    return TURN_OUTSIDE, session, item, touch
                if turn < last:
                    return TURNS_NOT_SORTED, session, item, touch
                if kind < 0 or kind >= num_kinds:
                    return UNKNOWN_KIND, session, item, touch
                recalls += kind == 1
                if recalls > max_recalls:
                    return TOO_MANY_RECALLS, session, item, touch
                last = turn
    return 0, 0, 0, 0


@kernel
def place_by_order(
    item_start: NDArray[np.int64],
    touch_start: NDArray[np.int64],
    touch_turn: NDArray[np.int32],
    touch_order: NDArray[np.int32],
    order: NDArray[np.int64],
    touch_item: NDArray[np.int32],
) -> bool:
    """Write what :func:`sort_by_turn` writes where ``touch_order`` gives each touch a place of its own in its session.

    Tells whether it does so, and turns do not fall then; if not, what is written is not to be used.
    """
    for session in range(len(item_start) - 1):
        first_touch = touch_start[item_start[session]]
        last_touch = touch_start[item_start[session + 1]]
        for place in range(first_touch, last_touch):
            order[place] = -1
        for item in range(item_start[session], item_start[session + 1]):
            for touch in range(touch_start[item], touch_start[item + 1]):
                touch_item[touch] = item
                place = first_touch + touch_order[touch]
                if place < first_touch or place >= last_touch or order[place] >= 0:
                    return False
                order[place] = touch
        for place in range(first_touch + 1, last_touch):
            if touch_turn[order[place]] < touch_turn[order[place - 1]]:
                return False
    return True


@kernel
def sort_by_turn(
    session_length: NDArray[np.int64],
    item_start: NDArray[np.int64],
    touch_start: NDArray[np.int64],
    touch_turn: NDArray[np.int32],
    order: NDArray[np.int64],
    touch_item: NDArray[np.int32],
) -> None:
    """Write the touches of every session in turn order (a stable counting sort), and the item of every touch.

    ``order`` and ``touch_item`` have the shape (touch); ``order`` holds positions in ``touch_turn``, ``touch_item`` is
    in the order of ``touch_turn``.
    """
    for session in range(len(session_length)):
        turn_count = np.zeros(session_length[session] + 2, dtype=np.int64)
        first_touch = touch_start[item_start[session]]
        last_touch = touch_start[item_start[session + 1]]
        for touch in range(first_touch, last_touch):
            turn_count[touch_turn[touch] + 1] += 1
        for turn in range(session_length[session] + 1):
            turn_count[turn + 1] += turn_count[turn]
        for item in range(item_start[session], item_start[session + 1]):
            for touch in range(touch_start[item], touch_start[item + 1]):
                turn = touch_turn[touch]
                order[first_touch + turn_count[turn]] = touch
                touch_item[touch] = item
                turn_count[turn] += 1
