"""A block: many sessions as flat arrays, in the order in which kernels read them.

Touches are stored item by item (all touches of item 0 of session 0, then of item 1, …), because an item's fate depends
on its own touches alone; a kernel then keeps the item's state in registers. Within an item the touches are in the
order of play. ``touch_order`` remembers, where it matters, how touches of different items follow each other in a turn.

Items that are never touched again after their registration need not be listed: a *cohort* says how many of them are
registered in each turn of a range. Cohorts are the same in every session of the block and hold noise only.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from vecdecay.items import DEFAULT_ATTRIBUTES, NOISE, Attributes
from vecdecay.sessions.session import REGISTER, Event, Session


@dataclass(frozen=True)
class Cohort:
    """``count`` noise items registered in every turn from ``first_turn`` to ``last_turn`` and never touched again."""

    first_turn: int
    last_turn: int
    count: int
    attributes: Attributes = DEFAULT_ATTRIBUTES
    tokens: int = 1

    def items(self) -> int:
        """Return the number of items in the cohort."""
        return self.count * (self.last_turn - self.first_turn + 1)


@dataclass(frozen=True)
class SessionBlock:
    """Sessions as arrays. Shapes: ``session_length`` (session); ``item_start`` (session + 1); ``item_kind`` (item);
    ``touch_start`` (item + 1); ``touch_turn``, ``touch_kind``, ``touch_order`` (touch).

    Items of session s are ``item_start[s] … item_start[s+1] - 1``, touches of item i are ``touch_start[i] …
    touch_start[i+1] - 1``. Turns count from 1. ``max_recalls`` bounds the recalls of any one item from above.

    ``attributes`` lists the combinations of attributes that occur, ``item_attributes`` (item) says which one an item
    has; None means the first for all. ``item_tokens`` (item) are sizes; None means 1 for all.
    """

    session_length: NDArray[np.int64]
    item_start: NDArray[np.int64]
    item_kind: NDArray[np.int8]
    touch_start: NDArray[np.int64]
    touch_turn: NDArray[np.int32]
    touch_kind: NDArray[np.int8]
    max_recalls: int
    cohorts: tuple[Cohort, ...] = ()
    attributes: tuple[Attributes, ...] = (DEFAULT_ATTRIBUTES,)
    item_attributes: NDArray[np.int32] | None = field(default=None, repr=False)
    item_tokens: NDArray[np.int32] | None = field(default=None, repr=False)
    touch_order: NDArray[np.int32] | None = field(default=None, repr=False)

    @property
    def num_sessions(self) -> int:
        """Return the number of sessions in the block."""
        return len(self.session_length)

    @property
    def cohort_items(self) -> int:
        """Return the number of items per session that are described by cohorts."""
        return sum(cohort.items() for cohort in self.cohorts)

    def session(self, index: int) -> Session:
        """Return one session as plain Python data, with the items of its cohorts written out after the others."""
        first, last = int(self.item_start[index]), int(self.item_start[index + 1])
        ordered: list[tuple[int, int, Event]] = []
        for item in range(first, last):
            for touch in range(int(self.touch_start[item]), int(self.touch_start[item + 1])):
                order = 0 if self.touch_order is None else int(self.touch_order[touch])
                turn, kind = int(self.touch_turn[touch]), int(self.touch_kind[touch])
                ordered.append((turn, order, (turn, kind, item - first)))
        kinds = [int(kind) for kind in self.item_kind[first:last]]
        which = np.zeros(last - first, np.int32) if self.item_attributes is None else self.item_attributes[first:last]
        attributes = [self.attributes[number] for number in which]
        tokens = [1] * len(kinds) if self.item_tokens is None else self.item_tokens[first:last].tolist()
        for cohort in self.cohorts:
            for turn in range(cohort.first_turn, cohort.last_turn + 1):
                for _ in range(cohort.count):
                    ordered.append((turn, np.iinfo(np.int32).max, (turn, REGISTER, len(kinds))))
                    kinds.append(NOISE)
                    attributes.append(cohort.attributes)
                    tokens.append(cohort.tokens)
        ordered.sort(key=lambda entry: entry[:2])
        return Session(
            int(self.session_length[index]),
            tuple(kinds),
            tuple(event for _, _, event in ordered),
            () if all(one == DEFAULT_ATTRIBUTES for one in attributes) else tuple(attributes),
            () if all(size == 1 for size in tokens) else tuple(tokens),
        )

    def sessions(self) -> list[Session]:
        """Return all sessions as plain Python data."""
        return [self.session(index) for index in range(self.num_sessions)]


def block_of(sessions: Sequence[Session]) -> SessionBlock:
    """Return the block that holds the given sessions, every item listed and the order of play remembered.

    >>> from vecdecay.sessions.session import FOUNDATIONAL, RECALL
    >>> one = Session(9, (FOUNDATIONAL, NOISE), ((1, REGISTER, 0), (2, REGISTER, 1), (2, RECALL, 0)))
    >>> block_of([one]).touch_turn.tolist()
    [1, 2, 2]
    >>> block_of([one]).session(0) == one
    True
    """
    item_start, touch_start = [0], [0]
    kinds: list[int] = []
    turns: list[int] = []
    touch_kinds: list[int] = []
    orders: list[int] = []
    max_recalls = 0
    number_of: dict[Attributes, int] = {DEFAULT_ATTRIBUTES: 0}
    which: list[int] = []
    tokens: list[int] = []
    for session in sessions:
        touches: list[list[tuple[int, int, int]]] = [[] for _ in session.item_kinds]
        for order, (turn, kind, item) in enumerate(session.events):
            touches[item].append((turn, kind, order))
        for item_touches in touches:
            turns.extend(turn for turn, _, _ in item_touches)
            touch_kinds.extend(kind for _, kind, _ in item_touches)
            orders.extend(order for _, _, order in item_touches)
            touch_start.append(len(turns))
            max_recalls = max(max_recalls, len(item_touches))
        kinds.extend(session.item_kinds)
        which.extend(
            number_of.setdefault(session.attributes_of(item), len(number_of)) for item in range(len(session.item_kinds))
        )
        tokens.extend(session.tokens or (1,) * len(session.item_kinds))
        item_start.append(len(kinds))
    return SessionBlock(
        session_length=np.array([session.session_length for session in sessions], dtype=np.int64),
        item_start=np.array(item_start, dtype=np.int64),
        item_kind=np.array(kinds, dtype=np.int8),
        touch_start=np.array(touch_start, dtype=np.int64),
        touch_turn=np.array(turns, dtype=np.int32),
        touch_kind=np.array(touch_kinds, dtype=np.int8),
        max_recalls=max_recalls,
        attributes=tuple(number_of),
        item_attributes=np.array(which, dtype=np.int32) if len(number_of) > 1 else None,
        item_tokens=np.array(tokens, dtype=np.int32) if any(size != 1 for size in tokens) else None,
        touch_order=np.array(orders, dtype=np.int32),
    )
