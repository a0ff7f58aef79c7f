"""One session as plain Python data: what happens in each turn. The scalar reference plays these."""

from collections.abc import Iterable
from dataclasses import dataclass

from vecdecay.errors import InvalidInputError
from vecdecay.items import DEFAULT_ATTRIBUTES, FOUNDATIONAL, NOISE, Attributes

__all__ = ["FOUNDATIONAL", "MAX_SESSION_LENGTH", "NOISE", "RECALL", "REGISTER", "Event", "Session", "checked_session"]

REGISTER = 0
RECALL = 1

MAX_SESSION_LENGTH = 2**31 - 1

Event = tuple[int, int, int]
"""(turn, REGISTER or RECALL, item): what happens to one item in one turn."""


@dataclass(frozen=True)
class Session:
    """The events of one session, in the order in which they happen, and the kind of every item.

    ``session_length`` is in turns; turns count from 1. ``item_kinds`` holds NOISE or FOUNDATIONAL for each item; items
    are named by their position there. ``events`` are sorted by turn; inside a turn their order is the order of play.
    An item may be recalled before it is registered (a miss), registered again (which forgets its use), or never occur.
    ``attributes`` and ``tokens`` (sizes) hold one entry per item; empty means DEFAULT_ATTRIBUTES and 1 for each.
    ``seed_key`` stands for the session's seed where a policy draws at random; see ``seed_key`` in ``draws``.
    """

    session_length: int
    item_kinds: tuple[int, ...]
    events: tuple[Event, ...]
    attributes: tuple[Attributes, ...] = ()
    tokens: tuple[int, ...] = ()
    seed_key: int = 0

    def attributes_of(self, item: int) -> Attributes:
        """Return the attributes of an item."""
        return self.attributes[item] if self.attributes else DEFAULT_ATTRIBUTES

    def foundational_items(self) -> list[int]:
        """Return the items whose recall rate is measured."""
        return [item for item, kind in enumerate(self.item_kinds) if kind == FOUNDATIONAL]


def checked_session(session_length: int, item_kinds: Iterable[int], events: Iterable[Event]) -> Session:
    """Return a session after checking it; raise one InvalidInputError that names every mistake.

    >>> checked_session(5, [FOUNDATIONAL], [(1, REGISTER, 0), (3, RECALL, 0)]).foundational_items()
    [0]
    >>> checked_session(5, [FOUNDATIONAL], [(3, REGISTER, 0), (1, RECALL, 4)])
    Traceback (most recent call last):
    vecdecay.errors.InvalidInputError: event 1 names item 4; allowed: 0 to 0
    event 1 is in turn 1, after turn 3; events must be sorted by turn
    """
    session = Session(session_length, tuple(item_kinds), tuple(events))
    problems = []
    if not 1 <= session_length <= MAX_SESSION_LENGTH:
        problems.append(f"session_length is {session_length}; allowed: 1 to {MAX_SESSION_LENGTH}")
    problems += [
        f"item {item} has the kind {kind}; allowed: {NOISE} (noise) or {FOUNDATIONAL} (foundational)"
        for item, kind in enumerate(session.item_kinds)
        if kind not in (NOISE, FOUNDATIONAL)
    ]
    previous = 1
    for position, (turn, kind, item) in enumerate(session.events):
        if not 0 <= item < len(session.item_kinds):
            problems.append(f"event {position} names item {item}; allowed: 0 to {len(session.item_kinds) - 1}")
        if kind not in (REGISTER, RECALL):
            problems.append(f"event {position} is of kind {kind}; allowed: {REGISTER} or {RECALL}")
        if not 1 <= turn <= session_length:
            problems.append(f"event {position} is in turn {turn}; allowed: 1 to {session_length}")
        elif turn < previous:
            problems.append(f"event {position} is in turn {turn}, after turn {previous}; events must be sorted by turn")
        else:
            previous = turn
    if problems:
        raise InvalidInputError(problems)
    return session
