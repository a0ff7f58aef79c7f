"""Sessions as a table that ``Trace.read`` takes: what a workload makes of some seeds becomes a log."""

from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from vecdecay.errors import InvalidInputError
from vecdecay.items import DEFAULT_ATTRIBUTES
from vecdecay.sessions.clock import second_of
from vecdecay.sessions.events import NO_GRADE, NO_TURN
from vecdecay.sessions.session import FOUNDATIONAL, Session

_ALWAYS = ("session", "turn", "item", "kind", "foundational", "session_length")
_PLAIN = {"tokens": 1, "expires": None, "grade": None, "time": None, **DEFAULT_ATTRIBUTES._asdict()}
"""What columns hold that are left out where they hold nothing else."""


def table_of_sessions(sessions: Iterable[tuple[Any, Session]]) -> pa.Table:
    """Return the events of sessions, each with its name, a row each in the order of play; items are their numbers.

    Read back as a trace, each session has the same length, and the same events of items with the same attributes. Items
    are numbered there in the order of their first events.

    Raises:
        InvalidInputError: a session has no event, or what a trace cannot hold; one line.
    """
    rows: list[dict[str, Any]] = []
    for name, session in sessions:
        held = {name: getattr(session, name) for name in ("supersedes", "sources", "queries", "valid_turns")}
        found = [name for name, there in held.items() if there]
        found += ["items without an event"] * (len({event[2] for event in session.events}) < len(session.item_kinds))
        found += ["no event"] * (not session.events)
        if found:
            allowed = "register, recall and forget, an event for each item"
            raise InvalidInputError([f"session {name} has {' and '.join(found)}; a log can hold: {allowed}"])
        rows += _rows(name, session)
    kept = [
        name for name in (rows[0] if rows else {}) if name in _ALWAYS or any(row[name] != _PLAIN[name] for row in rows)
    ]
    return pa.Table.from_pylist([{name: row[name] for name in kept} for row in rows])


def _rows(name: Any, session: Session) -> Iterable[dict[str, Any]]:
    grades = session.grades or (NO_GRADE,) * len(session.events)
    for (turn, kind, item), grade in zip(session.events, grades, strict=True):
        last = session.expires_turns[item] if session.expires_turns else NO_TURN
        yield {
            "session": name,
            "turn": turn,
            "item": item,
            "kind": kind,
            "foundational": session.item_kinds[item] == FOUNDATIONAL,
            "session_length": session.session_length,
            "tokens": session.tokens[item] if session.tokens else 1,
            "expires": None if last == NO_TURN else last,
            "grade": None if grade == NO_GRADE else grade,
            "time": second_of(session.clock, turn) if session.clock else None,
            **session.attributes_of(item)._asdict(),
        }
