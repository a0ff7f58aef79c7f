"""One session as plain Python data: what happens in each turn. The scalar reference plays these."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, cast

from vecdecay.errors import InvalidInputError
from vecdecay.items import DEFAULT_ATTRIBUTES, FOUNDATIONAL, NOISE, Attributes, attribute_problems
from vecdecay.parameters import brief
from vecdecay.sessions.clock import Point, clock_problems
from vecdecay.sessions.events import (
    FORGET,
    GRADES,
    NO_GRADE,
    NO_TURN,
    QUERY,
    RECALL,
    REGISTER,
    Event,
    EventKind,
    Query,
    Registration,
)

__all__ = ["FORGET", "FOUNDATIONAL", "MAX_SESSION_LENGTH", "NOISE", "QUERY", "RECALL", "REGISTER"]
__all__ += ["PlayedEvent", "Session", "session_of", "session_problems"]

MAX_SESSION_LENGTH = 2**31 - 1

PlayedEvent = tuple[int, int, int]
"""(turn, kind, item): what happens to one item in one turn; a QUERY has the number of its query in place of an item."""


@dataclass(frozen=True)
class Session:
    """The events of one session, in the order in which they happen, and what is known of every item.

    ``session_length`` is in turns; turns count from 1. ``item_kinds`` holds NOISE or FOUNDATIONAL for each item; items
    are named by their position there. ``events`` are sorted by turn; inside a turn their order is the order of play.
    An item may be recalled before it is registered (a miss), registered again (which forgets its use), or never occur.
    ``attributes``, ``tokens`` (sizes), ``expires_turns``, ``supersedes`` (an item, -1 for none), ``sources`` and
    ``valid_turns`` (0: unknown) hold one entry per item; empty means the default for each. ``queries`` are those that
    QUERY events name. ``seed_key`` stands for the session's seed where a policy draws at random; see ``seed_key`` in
    ``draws``. ``clock`` is the recorded time beside the turns, in points (turn, second); see ``sessions.clock``; empty
    where there is none. ``grades`` holds one entry per event, see ``events.GRADES``; empty means ``NO_GRADE`` for each.
    """

    session_length: int
    item_kinds: tuple[int, ...]
    events: tuple[PlayedEvent, ...]
    attributes: tuple[Attributes, ...] = ()
    tokens: tuple[int, ...] = ()
    seed_key: int = 0
    expires_turns: tuple[int, ...] = ()
    supersedes: tuple[int, ...] = ()
    sources: tuple[tuple[int, ...], ...] = ()
    queries: tuple[Query, ...] = ()
    clock: tuple[Point, ...] = ()
    grades: tuple[int, ...] = ()
    valid_turns: tuple[int, ...] = ()

    def __repr__(self) -> str:
        names: dict[int, str] = {kind.value: kind.name for kind in EventKind}  # a wrong kind must not hide itself
        named = ", ".join(f"({turn}, {names.get(kind, kind)}, {item})" for turn, kind, item in self.events)
        shown = [f"{self.session_length}, {self.item_kinds}, ({named}{',' * (len(self.events) == 1)})"]
        shown += [
            f"{one.name}={getattr(self, one.name)!r}"
            for one in fields(self)[3:]
            if getattr(self, one.name) != one.default
        ]
        return f"Session({', '.join(shown)})"

    def attributes_of(self, item: int) -> Attributes:
        """Return the attributes of an item."""
        return self.attributes[item] if self.attributes else DEFAULT_ATTRIBUTES

    def foundational_items(self) -> list[int]:
        """Return the items whose recall rate is measured."""
        return [item for item, kind in enumerate(self.item_kinds) if kind == FOUNDATIONAL]


def session_problems(session: Session) -> list[str]:
    """Return one line per mistake in a session.

    >>> session_problems(Session(5, (FOUNDATIONAL,), ((3, REGISTER, 0), (1, RECALL, 4))))
    ['event 1 names item 4; allowed: 0 to 0', 'event 1 is in turn 1, after turn 3; allowed: events sorted by turn']
    """
    length, num_items = session.session_length, len(session.item_kinds)
    problems = []
    if not 1 <= length <= MAX_SESSION_LENGTH:
        problems.append(f"session_length is {brief(length)}; allowed: 1 to {MAX_SESSION_LENGTH}")
    problems += [
        f"item {item} has the kind {kind}; allowed: {NOISE} (noise) or {FOUNDATIONAL} (foundational)"
        for item, kind in enumerate(session.item_kinds)
        if kind not in (NOISE, FOUNDATIONAL)
    ]
    problems += clock_problems(session.clock, length)
    return problems + _event_problems(session) + _item_problems(session, num_items)


def _event_problems(session: Session) -> list[str]:
    problems = [
        f"event {position} has the grade {brief(grade)}; allowed: 0 (none) to {max(GRADES)}"
        for position, grade in enumerate(session.grades)
        if grade not in (NO_GRADE, *GRADES)
    ]
    if len(session.grades) not in (0, len(session.events)):
        problems.append(f"grades has {len(session.grades)} entries; allowed: none, or one for each event")
    previous = 1
    for position, (turn, kind, item) in enumerate(session.events):
        of_what = ("query", len(session.queries)) if kind == QUERY else ("item", len(session.item_kinds))
        if not 0 <= item < of_what[1]:
            problems.append(f"event {position} names {of_what[0]} {item}; allowed: 0 to {of_what[1] - 1}")
        if kind not in (REGISTER, RECALL, FORGET, QUERY):
            allowed = ", ".join(f"{one.value} ({one.name.lower()})" for one in EventKind)
            problems.append(f"event {position} is of kind {kind}; allowed: {allowed}")
        if not 1 <= turn <= session.session_length:
            problems.append(f"event {position} is in turn {turn}; allowed: 1 to {session.session_length}")
        elif turn < previous:
            problems.append(
                f"event {position} is in turn {turn}, after turn {previous}; allowed: events sorted by turn"
            )
        else:
            previous = turn
    return problems


def _item_problems(session: Session, num_items: int) -> list[str]:
    columns: dict[str, Sequence[Any]] = {
        "attributes": session.attributes,
        "tokens": session.tokens,
        "expires_turns": session.expires_turns,
        "supersedes": session.supersedes,
        "sources": session.sources,
        "valid_turns": session.valid_turns,
    }
    problems = [
        f"{name} has {len(values)} entries; allowed: none, or one for each of {num_items} items"
        for name, values in columns.items()
        if len(values) not in (0, num_items)
    ]
    known: dict[Attributes, list[str]] = {}
    for item, attributes in enumerate(session.attributes):
        if attributes not in known:
            known[attributes] = attribute_problems(attributes)
        problems += [f"item {item}: {line}" for line in known[attributes]]
    for item, tokens in enumerate(session.tokens):
        if not 0 <= tokens <= MAX_SESSION_LENGTH:
            problems.append(f"item {item}: tokens is {tokens}; allowed: 0 to {MAX_SESSION_LENGTH}")
    for item, turn in enumerate(session.expires_turns):
        if not NO_TURN <= turn <= MAX_SESSION_LENGTH:
            problems.append(f"item {item}: expires_turn is {turn}; allowed: 0 (never) to {MAX_SESSION_LENGTH}")
    for item, turn in enumerate(session.valid_turns):
        if not NO_TURN <= turn <= MAX_SESSION_LENGTH:
            problems.append(f"item {item}: valid_turn is {turn}; allowed: 0 (unknown) to {MAX_SESSION_LENGTH}")
    for item, older in enumerate(session.supersedes):
        if not -1 <= older < num_items or older == item:
            problems.append(f"item {item}: supersedes is {older}; allowed: -1 (none) or another item")
    for item, sources in enumerate(session.sources):
        if any(not 0 <= one < num_items or one == item for one in sources):
            problems.append(f"item {item}: sources is {brief(sources)}; allowed: other items")
    return problems


def session_of(
    events: Iterable[Event | tuple[Any, ...]], session_length: int | None = None, seed_key: int = 0
) -> Session:
    """Return the checked session of some events, sorted by turn, their order inside a turn kept.

    Items are numbered in the order of their first event. An event may also be a plain tuple (turn, kind, item), its
    kind a number or a name. The session is as long as its last turn unless ``session_length`` says otherwise.

    Raises:
        InvalidInputError: one line per mistake, with the number of the event.

    >>> from vecdecay.sessions.events import recall, register
    >>> session_of([register(1, "rule"), recall(4, "rule"), (2, "register", "note")]).events
    ((1, 0, 0), (2, 0, 1), (4, 1, 0))
    """
    problems: list[str] = []
    read = [one for place, event in enumerate(events) if (one := _read(event, place, problems)) is not None]
    if problems:
        raise InvalidInputError(problems)
    numbers: dict[Hashable, int] = {}
    registrations: dict[int, Registration] = {}
    queries: list[Query] = []
    played: list[PlayedEvent] = []
    recalled: set[int] = set()
    grades: list[int] = []
    for place, (turn, kind, item, detail, grade) in enumerate(sorted(read, key=lambda event: event.turn)):
        grades.append(grade)
        if kind == QUERY:
            played.append((turn, QUERY, len(queries)))
            queries.append(detail if isinstance(detail, Query) else Query(1))
            continue
        number = numbers.setdefault(item, len(numbers))
        played.append((turn, int(kind), number))
        if kind == RECALL:
            recalled.add(number)
        if kind == REGISTER and isinstance(detail, Registration) and registrations.setdefault(number, detail) != detail:
            problems.append(f"event {place} registers {brief(item)} with other properties than before")
    session = _numbered(numbers, registrations, played, queries, recalled, problems)
    length = session_length if session_length is not None else max((turn for turn, _, _ in played), default=1)
    graded = tuple(grades) if any(grades) else ()
    session = Session(**{**vars(session), "session_length": length, "seed_key": seed_key, "grades": graded})
    problems += session_problems(session)
    if problems:
        raise InvalidInputError(problems)
    return session


def _read(event: Any, place: int, problems: list[str]) -> Event | None:
    """Return an event, whichever form it has; None, with a line, where it is none."""
    if not isinstance(event, tuple) or not 3 <= len(event) <= len(Event._fields):
        problems.append(f"event {place} is {brief(event)}; allowed: an event, or (turn, kind, item)")
        return None
    turn, kind, item, detail, grade = (event + (None, NO_GRADE)[len(event) - 3 :])[:5]
    if isinstance(kind, str) and kind.upper() in EventKind.__members__:
        kind = EventKind[kind.upper()]
    if isinstance(turn, bool) or not isinstance(turn, int):
        problems.append(f"event {place} is in turn {brief(turn)}; allowed: an integer from 1")
        return None
    if isinstance(kind, bool) or not isinstance(kind, int) or kind not in tuple(EventKind):
        names = ", ".join(one.name.lower() for one in EventKind)
        problems.append(f"event {place} is of kind {brief(kind)}; allowed: {names}, or 0 to {len(EventKind) - 1}")
        return None
    try:
        hash(item)
    except TypeError:
        problems.append(f"event {place} names item {brief(item)}; allowed: an integer, a text, anything hashable")
        return None
    if isinstance(grade, bool) or not isinstance(grade, int) or grade not in (NO_GRADE, *GRADES):
        allowed = ", ".join(f"{number} ({name})" for number, name in GRADES.items())
        problems.append(f"event {place} has the grade {brief(grade)}; allowed: {allowed}, or 0 for none")
        return None
    return Event(turn, EventKind(kind), item, detail, grade)


def _numbered(
    numbers: dict[Hashable, int],
    registrations: dict[int, Registration],
    played: list[PlayedEvent],
    queries: list[Query],
    recalled: set[int],
    problems: list[str],
) -> Session:
    """Return the session of length 1 with what its registrations say, columns of defaults left out."""
    each = [registrations.get(number, Registration()) for number in numbers.values()]

    def item_number(item: Hashable) -> int:
        if item is not None and item not in numbers:
            problems.append(f"{brief(item)} is superseded, or a source, and has no event")
        return -1 if item is None else numbers.get(item, -1)

    def column(values: Sequence[Any], default: Any) -> tuple[Any, ...]:
        return () if all(value == default for value in values) else tuple(values)

    kinds = [
        (number in recalled) if one.foundational is None else one.foundational
        for number, one in zip(numbers.values(), each, strict=True)
    ]
    sources = [tuple(map(item_number, one.sources)) for one in each]
    return Session(
        1,
        tuple(FOUNDATIONAL if kind else NOISE for kind in kinds),
        tuple(played),
        cast(tuple[Attributes, ...], column([one.attributes for one in each], DEFAULT_ATTRIBUTES)),
        column([one.tokens for one in each], 1),
        expires_turns=column([one.expires_turn for one in each], NO_TURN),
        supersedes=column([item_number(one.supersedes) for one in each], -1),
        sources=column(sources, ()),
        queries=tuple(queries),
        valid_turns=column([one.valid_turn for one in each], NO_TURN),
    )
