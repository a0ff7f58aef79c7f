"""A block: many sessions as flat arrays, in the order in which kernels read them, checked when it is made.

Touches are stored item by item (all touches of item 0 of session 0, then of item 1, …): where items do not meet, an
item's life depends on its own touches alone, and a kernel keeps its state in registers. :meth:`SessionBlock.by_turn`
gives the same touches turn by turn. Within an item the touches are in the order of play; ``touch_order`` remembers,
where it matters, how touches of different items follow each other in a turn.

Items that are never touched again after their registration need not be listed: a *cohort* says how many of them are
registered in each turn of a range. Cohorts are the same in every session of the block, cut off where a session ends,
and hold noise only.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from vecdecay.errors import InvalidInputError
from vecdecay.items import DEFAULT_ATTRIBUTES, NOISE, Attributes, attribute_problems
from vecdecay.sessions.block_kernel import first_wrong_touch, place_by_order, sort_by_turn
from vecdecay.sessions.carried import Carried, Places, starts_of
from vecdecay.sessions.clock import Clocks
from vecdecay.sessions.events import GRADES, NO_GRADE, QUERY, REGISTER
from vecdecay.sessions.session import MAX_SESSION_LENGTH, PlayedEvent, Session

_Number = TypeVar("_Number", bound=np.generic)

_Ordered = tuple[int, int, PlayedEvent, int]  # turn, order in the turn, event, grade
_AFTER_ALL = np.iinfo(np.int32).max  # the order of cohort items inside a turn


@dataclass(frozen=True)
class Cohort:
    """``count`` noise items registered in every turn from ``first_turn`` to ``last_turn`` and never touched again."""

    first_turn: int
    last_turn: int
    count: int
    attributes: Attributes = DEFAULT_ATTRIBUTES
    tokens: int = 1

    def items(self) -> int:
        """Return the number of items in the cohort, in a session that is not shorter."""
        return self.count * max(0, self.last_turn - self.first_turn + 1)

    def until(self, session_length: int) -> "Cohort":
        """Return the cohort as far as a session of that length has it."""
        return self if self.last_turn <= session_length else replace(self, last_turn=session_length)


class ByTurn(NamedTuple):
    """The touches of a block turn by turn, the order of play inside a turn kept.

    ``order`` (touch): positions in ``touch_turn``, session by session. ``touch_item`` (touch): the item of the touch at
    a position in ``touch_turn``.
    """

    order: NDArray[np.int64]
    touch_item: NDArray[np.int32]


@dataclass(frozen=True)
class SessionBlock:
    """Sessions as arrays. Shapes: ``session_length`` (session); ``item_start`` (session + 1); ``item_kind`` (item);
    ``touch_start`` (item + 1); ``touch_turn``, ``touch_kind``, ``touch_order`` (touch).

    Items of session s are ``item_start[s] … item_start[s+1] - 1``, touches of item i are ``touch_start[i] …
    touch_start[i+1] - 1``. Turns count from 1. A touch registers, recalls or forgets its item (see ``events``).
    ``max_recalls`` bounds the recalls of any one item from above.

    ``attributes`` lists the combinations of attributes that occur, ``item_attributes`` (item) says which one an item
    has; None means the first for all. ``item_tokens`` (item) are sizes; None means 1 for all. ``item_expires`` (item)
    are the last turns in which items can be found, 0 for never; None means never for all. ``seed_keys`` (session)
    stand for the sessions' seeds where a policy draws at random; None means 0 for all. ``carried`` holds relations
    between items. ``clocks`` are the sessions' recorded times, ``touch_grade`` (touch) the grades of touches (see
    ``events``); None where there are none. ``given`` is the block whose reactions were put into this one's touches.

    Raises:
        InvalidInputError: the arrays do not fit together, or an entry is not as it has to be: one line, with its place.
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
    item_expires: NDArray[np.int32] | None = field(default=None, repr=False)
    carried: Carried | None = field(default=None, repr=False)
    clocks: Clocks | None = field(default=None, repr=False)
    touch_grade: NDArray[np.int8] | None = field(default=None, repr=False)
    given: "SessionBlock | None" = field(default=None, repr=False)

    def __post_init__(self) -> None:
        """Check everything that a kernel takes for granted."""
        problems = _problems(self)
        if problems:
            raise InvalidInputError(problems)

    @property
    def num_sessions(self) -> int:
        """Return the number of sessions in the block."""
        return len(self.session_length)

    @property
    def cohort_items(self) -> int:
        """Return the number of items per session that are described by cohorts, in sessions that hold them all."""
        return sum(cohort.items() for cohort in self.cohorts)

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """Return the session lengths that occur, ascending."""
        if len(self.session_length) == 0:
            return ()
        if (self.session_length == self.session_length[0]).all():
            return (int(self.session_length[0]),)
        return tuple(np.unique(self.session_length).tolist())

    @cached_property
    def by_turn(self) -> ByTurn:
        """Return the touches turn by turn; items that cohorts describe are not among them."""
        order = np.empty(len(self.touch_turn), dtype=np.int64)
        touch_item = np.empty(len(self.touch_turn), dtype=np.int32)
        arrays = self.item_start, self.touch_start, self.touch_turn
        if self.touch_order is not None and place_by_order(*arrays, self.touch_order, order, touch_item):
            return ByTurn(order, touch_item)
        sort_by_turn(self.session_length, *arrays, order, touch_item)
        if self.touch_order is not None:
            first = self.touch_start[self.item_start]
            session = np.repeat(np.arange(self.num_sessions), np.diff(first))
            order = np.lexsort((self.touch_order, self.touch_turn, session))
        return ByTurn(order, touch_item)

    def session(self, index: int) -> Session:
        """Return one session as plain Python data, with the items of its cohorts written out after the others."""
        first, last = int(self.item_start[index]), int(self.item_start[index + 1])
        length = int(self.session_length[index])
        ordered: list[_Ordered] = []
        for item in range(first, last):
            for touch in range(int(self.touch_start[item]), int(self.touch_start[item + 1])):
                order = 0 if self.touch_order is None else int(self.touch_order[touch])
                turn, kind = int(self.touch_turn[touch]), int(self.touch_kind[touch])
                grade = NO_GRADE if self.touch_grade is None else int(self.touch_grade[touch])
                ordered.append((turn, order, (turn, kind, item - first), grade))
        kinds = self.item_kind[first:last].tolist()
        which = [0] * len(kinds) if self.item_attributes is None else self.item_attributes[first:last].tolist()
        attributes = [self.attributes[number] for number in which]
        tokens = [1] * len(kinds) if self.item_tokens is None else self.item_tokens[first:last].tolist()
        expires = [0] * len(kinds) if self.item_expires is None else self.item_expires[first:last].tolist()
        for whole in self.cohorts:
            cohort = whole.until(length)
            for turn in range(cohort.first_turn, cohort.last_turn + 1):
                for _ in range(cohort.count):
                    ordered.append((turn, _AFTER_ALL, (turn, REGISTER, len(kinds)), NO_GRADE))
                    kinds.append(NOISE)
                    attributes.append(cohort.attributes)
                    tokens.append(cohort.tokens)
                    expires.append(0)
        events, grades = _in_order(ordered)
        session = Session(
            length,
            tuple(kinds),
            events,
            () if all(one == DEFAULT_ATTRIBUTES for one in attributes) else tuple(attributes),
            () if all(size == 1 for size in tokens) else tuple(tokens),
            0 if self.seed_keys is None else int(self.seed_keys[index]),
            tuple(expires) if any(expires) else (),
            clock=() if self.clocks is None else self.clocks.points(index),
            grades=grades,
        )
        return session if self.carried is None else _with_carried(session, self.carried, index, first, last, ordered)

    def picked(self, places: NDArray[np.int64]) -> "SessionBlock":
        """Return a block of some of the sessions, in the order of ``places`` (session); views where they are in one."""
        sessions = _stretch(places)
        items = _ranges(self.item_start, sessions)
        touches = _ranges(self.touch_start, items)
        source_start = None if self.carried is None else self.carried.source_start
        sources = None if source_start is None else _ranges(source_start, items)

        def some(values: NDArray[_Number] | None, which: Places) -> NDArray[_Number] | None:
            return None if values is None else values[which]

        return replace(
            self,
            session_length=self.session_length[sessions],
            item_start=starts_of(np.diff(self.item_start)[sessions]),
            item_kind=self.item_kind[items],
            touch_start=starts_of(np.diff(self.touch_start)[items]),
            touch_turn=self.touch_turn[touches],
            touch_kind=self.touch_kind[touches],
            item_attributes=some(self.item_attributes, items),
            item_tokens=some(self.item_tokens, items),
            touch_order=some(self.touch_order, touches),
            seed_keys=some(self.seed_keys, sessions),
            item_expires=some(self.item_expires, items),
            clocks=None if self.clocks is None else _clocks_at(self.clocks, sessions),
            touch_grade=some(self.touch_grade, touches),
            carried=None if self.carried is None else self.carried.picked(sessions, items, sources),
        )

    def sessions(self) -> list[Session]:
        """Return all sessions as plain Python data."""
        return [self.session(index) for index in range(self.num_sessions)]

    def with_cohorts_listed(self) -> "SessionBlock":
        """Return a block in which the items of cohorts are listed, with the numbers that they have in :meth:`session`.

        In a turn they are played after the others.
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
        behind = _Behind(turn[None, :] <= self.session_length[:, None])
        by_item, by_touch = self.item_start, self.touch_start[self.item_start]
        order, expires, grade = self.touch_order, self.item_expires, self.touch_grade
        touches = behind.place(np.diff(self.touch_start), by_item, np.ones(len(turn), dtype=np.int64))
        return replace(
            self,
            item_start=behind.starts(by_item),
            item_kind=behind.place(self.item_kind, by_item, np.full(len(turn), NOISE, dtype=np.int8)),
            touch_start=np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(touches)]),
            touch_turn=behind.place(self.touch_turn, by_touch, turn),
            touch_kind=behind.place(self.touch_kind, by_touch, np.full(len(turn), REGISTER, dtype=np.int8)),
            cohorts=(),
            attributes=self.attributes + tuple(one.attributes for one in self.cohorts),
            item_attributes=behind.place(listed, by_item, row + np.int32(before)),
            item_tokens=behind.place(sizes, by_item, tokens),
            touch_order=None if order is None else behind.place(order, by_touch, np.full_like(turn, _AFTER_ALL)),
            item_expires=None if expires is None else behind.place(expires, by_item, np.zeros_like(turn)),
            touch_grade=None if grade is None else behind.place(grade, by_touch, np.zeros(len(turn), dtype=np.int8)),
            carried=None if self.carried is None else self.carried.listed(partial(behind.place, start=by_item), turn),
        )


def _clocks_at(clocks: Clocks, places: Places) -> Clocks:
    points = _ranges(clocks.start, places)
    return Clocks(starts_of(np.diff(clocks.start)[places]), clocks.turn[points], clocks.second[points])


def _stretch(places: NDArray[np.int64]) -> Places:
    """Return places that follow each other as a slice."""
    follow = len(places) > 0 and bool((np.diff(places) == 1).all())
    return slice(int(places[0]), int(places[-1]) + 1) if follow else places


def _ranges(start: NDArray[np.int64], places: Places) -> Places:
    """Return start[p] … start[p + 1] - 1 of each place, one after the other."""
    if isinstance(places, slice):
        return slice(int(start[places.start]), int(start[places.stop]))
    counts = np.diff(start)[places]
    ends = np.cumsum(counts)
    offsets: NDArray[np.int64] = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - counts, counts)
    return offsets + np.repeat(start[places], counts)


class _Behind:
    """Places the same values behind those of each session; ``kept`` (session, value) says which ones a session has."""

    def __init__(self, kept: NDArray[np.bool_]) -> None:
        self._counts = kept.sum(axis=1)
        self._shift = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(self._counts)])
        session, self._which = np.nonzero(kept)
        self._session = session
        self._rank = np.arange(len(session)) - self._shift[session]

    def starts(self, start: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return where each session begins afterwards, given where it begins now (session + 1)."""
        starts: NDArray[np.int64] = start + self._shift
        return starts

    def place(self, values: NDArray[_Number], start: NDArray[np.int64], more: NDArray[_Number]) -> NDArray[_Number]:
        """Return the values, which begin at ``start`` (session + 1), with ``more`` (value) behind each session's."""
        result = np.empty(len(values) + len(self._which), dtype=values.dtype)
        result[np.arange(len(values)) + np.repeat(self._shift[:-1], np.diff(start))] = values
        result[(start[1:] + self._shift[:-1])[self._session] + self._rank] = more[self._which]
        return result


def _in_order(ordered: list[_Ordered]) -> tuple[tuple[PlayedEvent, ...], tuple[int, ...]]:
    """Return events and grades in the order of play; no grades where no event has one."""
    ordered = sorted(ordered, key=lambda entry: entry[:2])
    grades = tuple(grade for *_, grade in ordered)
    return tuple(event for _, _, event, _ in ordered), grades if any(grades) else ()


def _with_carried(
    session: Session, carried: Carried, index: int, first: int, last: int, ordered: list[_Ordered]
) -> Session:
    queries = carried.queries[index] if carried.queries else ()
    more = [(turn, order, (turn, QUERY, number), NO_GRADE) for number, (turn, order, _) in enumerate(queries)]
    events, grades = _in_order([*ordered, *more])
    asked = tuple(query for _, _, query in queries)
    relations = carried.of_session(first, last, len(session.item_kinds))
    return replace(session, events=events, grades=grades, queries=asked, **relations)


_NUM_KINDS = 3
_NUM_ADDED_KINDS = 6
"""With those of touches that engines add, see ``engines.kernels.fields``."""

_WRONG = {
    1: "is in turn {turn}; allowed: 1 to {length}",
    2: "is in turn {turn}, before the touch it follows; allowed: touches of an item sorted by turn",
    3: "is of kind {kind}; allowed: 0 (register), 1 (recall), 2 (forget)",
    4: "is one recall more than max_recalls, {max_recalls}",
}


def _problems(block: SessionBlock) -> list[str]:
    """Return what is wrong with the arrays of a block; the touches are looked at only where all else is sound."""
    problems = _shape_problems(block)
    if problems:
        return problems
    kinds = _NUM_KINDS if block.given is None else _NUM_ADDED_KINDS
    arrays = block.session_length, block.item_start, block.touch_start, block.touch_turn, block.touch_kind
    wrong, session, item, touch = first_wrong_touch(*arrays, block.max_recalls, kinds)
    if wrong == 0:
        return []
    place = f"session {session}, item {item - block.item_start[session]}, touch {touch - block.touch_start[item]} "
    what = _WRONG[wrong].format(
        turn=block.touch_turn[touch],
        kind=block.touch_kind[touch],
        length=block.session_length[session],
        max_recalls=block.max_recalls,
    )
    return [place + what]


def _shape_problems(block: SessionBlock) -> list[str]:
    items, touches = len(block.item_kind), len(block.touch_turn)
    lengths: dict[str, tuple[NDArray[Any] | None, int]] = {
        "item_start": (block.item_start, block.num_sessions + 1),
        "touch_start": (block.touch_start, items + 1),
        "touch_kind": (block.touch_kind, touches),
        "touch_order": (block.touch_order, touches),
        "touch_grade": (block.touch_grade, touches),
        "item_attributes": (block.item_attributes, items),
        "item_tokens": (block.item_tokens, items),
        "item_expires": (block.item_expires, items),
        "seed_keys": (block.seed_keys, block.num_sessions),
    }
    problems = [
        f"{name} has {len(values)} entries; allowed: {wanted}"
        for name, (values, wanted) in lengths.items()
        if values is not None and len(values) != wanted
    ]
    if problems:
        return problems
    for name, start, end in (("item_start", block.item_start, items), ("touch_start", block.touch_start, touches)):
        if start[0] != 0 or start[-1] != end or bool((start[1:] < start[:-1]).any()):
            problems.append(f"{name} does not rise from 0 to {end}")
    ranges: dict[str, tuple[NDArray[Any] | None, int, int]] = {
        "session_length": (block.session_length, 1, MAX_SESSION_LENGTH),
        "item_kind": (block.item_kind, 0, 1),
        "item_attributes": (block.item_attributes, 0, len(block.attributes) - 1),
        "item_tokens": (block.item_tokens, 0, MAX_SESSION_LENGTH),
        "item_expires": (block.item_expires, 0, MAX_SESSION_LENGTH),
        "touch_grade": (block.touch_grade, NO_GRADE, max(GRADES)),
    }
    for name, (entries, least, most) in ranges.items():
        if entries is not None and len(entries) > 0 and not least <= entries.min() <= entries.max() <= most:
            wrong = int(np.argmax((entries < least) | (entries > most)))
            problems.append(f"{name}[{wrong}] is {entries[wrong]}; allowed: {least} to {most}")
    problems += [line for one in block.attributes for line in attribute_problems(one)]
    for number, cohort in enumerate(block.cohorts):
        if not (1 <= cohort.first_turn <= cohort.last_turn + 1 and cohort.count >= 0 and cohort.tokens >= 0):
            problems.append(f"cohort {number} is {cohort}; allowed: turns from 1, rising, counts and tokens from 0")
    return problems
