"""What a block of sessions came to under one policy: the one form in which every engine reports."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class ItemOutcomes:
    """What became of every item. Shapes: ``item_start`` (session + 1), all others (item). Turn 0 stands for "never".

    After an eviction the state is that of the moment before it. ``stability`` is in turns, None where the policy has
    none.
    """

    item_start: NDArray[np.int64]
    kind: NDArray[np.int8]
    registered_turn: NDArray[np.int32]
    last_touch: NDArray[np.int32]
    recall_count: NDArray[np.int32]
    evicted_turn: NDArray[np.int32]
    hits: NDArray[np.int32]
    misses: NDArray[np.int32]
    present: NDArray[np.int32]
    stability: NDArray[np.float64] | None


@dataclass(frozen=True)
class TurnOutcomes:
    """Sizes after the pass of every turn. ``turn_start`` (session + 1); the others (turn), turns 1 … session_length."""

    turn_start: NDArray[np.int64]
    working_set: NDArray[np.int32]
    foundational_present: NDArray[np.int32]


@dataclass(frozen=True)
class BlockOutcome:
    """Integer totals per session. Shapes: all (session) but ``checkpoint_present`` (checkpoint, session).

    ``working_set_sum`` and ``token_turns`` are the size of the working set summed over the turns, in items and tokens.

    ``checkpoint_present`` counts foundational items; a checkpoint after a session's end counts -1 there. Survival
    times are over evicted foundational items, in turns; their minimum and maximum are 0 where none was evicted.
    """

    session_length: NDArray[np.int64]
    foundational_items: NDArray[np.int64]
    foundational_present: NDArray[np.int64]
    foundational_evicted: NDArray[np.int64]
    survival_sum: NDArray[np.int64]
    survival_minimum: NDArray[np.int64]
    survival_maximum: NDArray[np.int64]
    items_evicted: NDArray[np.int64]
    working_set_sum: NDArray[np.int64]
    token_turns: NDArray[np.int64]
    registered_tokens: NDArray[np.int64]
    registrations: NDArray[np.int64]
    recalls: NDArray[np.int64]
    misses: NDArray[np.int64]
    checkpoint_present: NDArray[np.int32]
    items: ItemOutcomes | None = None
    turns: TurnOutcomes | None = None


def first_difference(left: Any, right: Any, where: str = "") -> str:
    """Return where two outcomes first differ, in type, shape or value, and how; "" if they are the same to the bit."""
    if left is None or right is None:
        return "" if left is right else f"{where} is there in one of them only"
    if not isinstance(left, np.ndarray):
        pairs = ((f"{where}.{one.name}".lstrip("."), one.name) for one in fields(left))
        found = (first_difference(getattr(left, name), getattr(right, name), path) for path, name in pairs)
        return next(filter(None, found), "")
    if left.dtype != right.dtype or left.shape != right.shape:
        return f"{where} is {left.dtype} {left.shape} and {right.dtype} {right.shape}"
    different = np.argwhere(left != right)  # a NaN differs from itself, and no engine may return one
    if len(different) == 0:
        return ""
    place = tuple(different[0].tolist())
    return f"{where}{list(place)} is {left[place].item()!r} and {right[place].item()!r}"
