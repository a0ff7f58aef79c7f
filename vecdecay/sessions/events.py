"""What can happen in a session: the one record of an event that every producer writes and every engine reads.

A producer is a workload, a trace, a drawn session, or a person's own function. :func:`session_of` turns its events into
a checked :class:`~vecdecay.sessions.session.Session`.
"""

from collections.abc import Hashable, Mapping
from enum import IntEnum
from typing import Any, NamedTuple

from vecdecay.items import DEFAULT_ATTRIBUTES, Attributes


class EventKind(IntEnum):
    """The kinds of events, by the numbers under which arrays hold them."""

    REGISTER = 0
    """An item enters memory; an item that is there already starts anew."""
    RECALL = 1
    """An item is used: a hit where it is present, else a miss, which changes nothing."""
    FORGET = 2
    """Someone asks for an item's removal: it leaves memory at once, pinned or not."""
    QUERY = 3
    """A retrieval of the k most relevant items. Carried, and refused by every engine so far."""


# Plain integers, for kernels and inner loops.
REGISTER = int(EventKind.REGISTER)
RECALL = int(EventKind.RECALL)
FORGET = int(EventKind.FORGET)
QUERY = int(EventKind.QUERY)

NO_TURN = 0
"""Stands for "never" where a turn is expected: turns count from 1."""


GRADES = {1: "again", 2: "hard", 3: "good", 4: "easy"}
"""The grades of a use, as flash cards have them; 1 is a lapse."""

NO_GRADE = 0
"""Stands for "no grade": a policy that reads grades takes its own."""


class Query(NamedTuple):
    """What a QUERY event asks: the ``k`` most relevant items.

    ``relevance`` holds (item, score) pairs, ``needed`` the items that a good answer contains.
    """

    k: int
    relevance: tuple[tuple[int, float], ...] = ()
    needed: tuple[int, ...] = ()


class Registration(NamedTuple):
    """What a REGISTER event says of its item; constant over the session.

    ``tokens`` is the item's size. ``expires_turn`` is the last turn in which it can be found: the pass of that turn
    removes it (``NO_TURN`` for never). ``supersedes`` names an older item that it replaces, ``sources`` the items that
    it was derived from; what follows from them is the policy's, see ``policies.reactions``. ``valid_turn`` says since
    when it is true, which may be long before it is learnt (``NO_TURN``: nobody knows). ``foundational`` says whether
    its survival is measured; None leaves that to whether the item is ever recalled.
    """

    tokens: int = 1
    attributes: Attributes = DEFAULT_ATTRIBUTES
    expires_turn: int = NO_TURN
    supersedes: Hashable = None
    sources: tuple[Hashable, ...] = ()
    foundational: bool | None = None
    valid_turn: int = NO_TURN


class Event(NamedTuple):
    """One thing that happens in one turn. ``item`` is any hashable name; ``detail`` belongs to the kind.

    ``grade`` says how well the item was recalled, see GRADES; ``NO_GRADE`` where nobody says so.
    """

    turn: int
    kind: EventKind
    item: Hashable = None
    detail: Registration | Query | None = None
    grade: int = 0


def register(turn: int, item: Hashable, **described: Any) -> Event:
    """Return the registration of an item; ``described`` are fields of :class:`Registration` or of ``Attributes``, and
    ``grade``.

    >>> register(1, "style guide", tokens=120, importance=0.9).detail.attributes.importance
    0.9
    """
    own: Mapping[str, Any] = {name: described.pop(name) for name in Attributes._fields if name in described}
    attributes = described.pop("attributes", DEFAULT_ATTRIBUTES)._replace(**own)
    grade = described.pop("grade", NO_GRADE)
    return Event(turn, EventKind.REGISTER, item, Registration(attributes=attributes, **described), grade)


def recall(turn: int, item: Hashable, grade: int = NO_GRADE) -> Event:
    """Return the use of an item; ``grade`` is one of GRADES."""
    return Event(turn, EventKind.RECALL, item, None, grade)


def forget(turn: int, item: Hashable) -> Event:
    """Return the request to remove an item."""
    return Event(turn, EventKind.FORGET, item)
