"""Which part of a mixture each session is of, and how the sessions of several blocks become one block."""

import numpy as np
from numpy.typing import NDArray

from vecdecay.compile import kernel
from vecdecay.sessions.philox import random_bits, weighted_index

COMPONENT = 0  # the stream


@kernel
def choose_component(key: int, workload: int, thresholds: NDArray[np.int64], guide: NDArray[np.int64]) -> int:
    """Return which component a session is of; the table is one of draws.weight_table, shape (component)."""
    return int(weighted_index(random_bits(key, workload, COMPONENT, 0, 0), thresholds, guide))


@kernel
def choose_components(
    keys: NDArray[np.int64],
    workload: int,
    thresholds: NDArray[np.int64],
    guide: NDArray[np.int64],
    component: NDArray[np.int64],
) -> None:
    """Write the component of every session; ``keys`` and ``component`` (session)."""
    for session in range(len(keys)):
        component[session] = choose_component(keys[session], workload, thresholds, guide)


@kernel
def place_sessions(
    place: NDArray[np.int64],
    item_start: NDArray[np.int64],
    item_kind: NDArray[np.int8],
    touch_start: NDArray[np.int64],
    touch_turn: NDArray[np.int32],
    touch_kind: NDArray[np.int8],
    into_item_start: NDArray[np.int64],
    into_touch_start: NDArray[np.int64],
    into_item_kind: NDArray[np.int8],
    into_touch_turn: NDArray[np.int32],
    into_touch_kind: NDArray[np.int8],
) -> None:
    """Copy every session of a block to its ``place`` (session) in a larger one, whose starts are known already.

    Shapes as in SessionBlock; the last three arrays are written.
    """
    for session in range(len(place)):
        first = item_start[session]
        into_item = into_item_start[place[session]]
        for item in range(first, item_start[session + 1]):
            into_item_kind[into_item + item - first] = item_kind[item]
            into_touch = into_touch_start[into_item + item - first]
            first_touch = touch_start[item]
            for touch in range(first_touch, touch_start[item + 1]):
                into_touch_turn[into_touch + touch - first_touch] = touch_turn[touch]
                into_touch_kind[into_touch + touch - first_touch] = touch_kind[touch]
