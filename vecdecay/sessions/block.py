"""A block: many sessions as flat arrays, in the order in which kernels read them.

Touches are stored item by item (all touches of item 0 of session 0, then of item 1, …), because an item's fate depends
on its own touches alone; a kernel then keeps the item's state in registers. Within an item the touches are in the
order of play. ``touch_order`` remembers, where it matters, how touches of different items follow each other in a turn.

Items that are never touched again after their registration need not be listed: a *cohort* says how many of them are
registered in each turn of a range. Cohorts are the same in every session of the block and hold noise only.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from vecdecay.errors import InvalidInputError
from vecdecay.items import DEFAULT_ATTRIBUTES, NOISE, Attributes, attribute_problems
from vecdecay.sessions.session import REGISTER, Event, Session

_Number = TypeVar("_Number", bound=np.generic)


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
    has; None means the first for all. ``item_tokens`` (item) are sizes; None means 1 for all. ``seed_keys`` (session)
    stand for the sessions' seeds where a policy draws at random; None means 0 for all.
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
    seed_keys: NDArray[np.int64] | None = field(default=None, repr=False)

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
            0 if self.seed_keys is None else int(self.seed_keys[index]),
        )

    def with_cohorts_listed(self) -> "SessionBlock":
        """Return a block in which the items of cohorts are listed, with the numbers that they have in :meth:`session`.

        The order of play inside a turn is not kept.
        """
        if not self.cohorts:
            return self
        turns = [np.arange(one.first_turn, one.last_turn + 1, dtype=np.int32) for one in self.cohorts]
        counts = [one.count for one in self.cohorts]
        turn = np.concatenate([np.repeat(each, count) for each, count in zip(turns, counts, strict=True)])
        row = np.repeat(np.arange(len(counts)), [one.items() for one in self.cohorts]).astype(np.int32)
        before = len(self.attributes)
        listed = np.zeros(len(self.item_kind), np.int32) if self.item_attributes is None else self.item_attributes
        sizes = np.ones(len(self.item_kind), np.int32) if self.item_tokens is None else self.item_tokens
        tokens = np.array([one.tokens for one in self.cohorts], dtype=np.int32)[row]
        by_item, by_touch = self.item_start, self.touch_start[self.item_start]
        ones = np.ones(len(turn), dtype=np.int64)
        touches = _with_more(np.diff(self.touch_start), by_item, ones)
        return replace(
            self,
            item_start=self.item_start + len(turn) * np.arange(self.num_sessions + 1, dtype=np.int64),
            item_kind=_with_more(self.item_kind, by_item, np.full(len(turn), NOISE, dtype=np.int8)),
            touch_start=np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(touches)]),
            touch_turn=_with_more(self.touch_turn, by_touch, turn),
            touch_kind=_with_more(self.touch_kind, by_touch, np.full(len(turn), REGISTER, dtype=np.int8)),
            cohorts=(),
            attributes=self.attributes + tuple(one.attributes for one in self.cohorts),
            item_attributes=_with_more(listed, by_item, row + np.int32(before)),
            item_tokens=_with_more(sizes, by_item, tokens),
            touch_order=None,
        )

    def sessions(self) -> list[Session]:
        """Return all sessions as plain Python data."""
        return [self.session(index) for index in range(self.num_sessions)]


def _with_more(values: NDArray[_Number], start: NDArray[np.int64], more: NDArray[_Number]) -> NDArray[_Number]:
    """Return the values with the same ``more`` behind those of each session, which begin at ``start`` (session + 1)."""
    num_sessions = len(start) - 1
    result = np.empty(len(values) + num_sessions * len(more), dtype=values.dtype)
    behind = start[1:] + len(more) * np.arange(num_sessions)
    result[behind[:, None] + np.arange(len(more))] = more
    result[np.arange(len(values)) + len(more) * np.repeat(np.arange(num_sessions), np.diff(start))] = values
    return result


def block_of(sessions: Sequence[Session]) -> SessionBlock:
    """Return the block that holds the given sessions, every item listed and the order of play remembered.

    Raises InvalidInputError, with session and item, where an attribute is outside its range.

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
    keys = [session.seed_key for session in sessions]
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
    _refuse_wrong_attributes(sessions, number_of)
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
        seed_keys=np.array(keys, dtype=np.int64) if any(keys) else None,
    )


def _refuse_wrong_attributes(sessions: Sequence[Session], met: Iterable[Attributes]) -> None:
    if not any(map(attribute_problems, met)):
        return
    raise InvalidInputError(
        f"session {number}, item {item}: {line}"
        for number, session in enumerate(sessions)
        for item, attributes in enumerate(session.attributes)
        for line in attribute_problems(attributes)
    )
