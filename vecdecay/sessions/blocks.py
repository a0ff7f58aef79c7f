"""From sessions as plain data to a block."""

from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from vecdecay.errors import InvalidInputError
from vecdecay.items import DEFAULT_ATTRIBUTES, Attributes
from vecdecay.sessions.block import SessionBlock
from vecdecay.sessions.carried import carried_of
from vecdecay.sessions.clock import clocks_of
from vecdecay.sessions.events import NO_GRADE, QUERY, RECALL
from vecdecay.sessions.session import Session, session_problems


def block_of(sessions: Sequence[Session]) -> SessionBlock:
    """Return the block that holds the given sessions, every item listed and the order of play remembered.

    Raises:
        InvalidInputError: one line per mistake, with session and item.

    >>> from vecdecay.sessions.session import FOUNDATIONAL, NOISE, REGISTER
    >>> one = Session(9, (FOUNDATIONAL, NOISE), ((1, REGISTER, 0), (2, REGISTER, 1), (2, RECALL, 0)))
    >>> block_of([one]).touch_turn.tolist()
    [1, 2, 2]
    >>> block_of([one]).session(0) == one
    True
    """
    problems = [f"session {number}: {line}" for number, one in enumerate(sessions) for line in session_problems(one)]
    if problems:
        raise InvalidInputError(problems)
    touches = [_touches_by_item(session) for session in sessions]
    every = [touch for by_item in touches for touch in chain.from_iterable(by_item)]
    per_item = [len(one) for by_item in touches for one in by_item]
    recalls = (sum(kind == RECALL for _, kind, _, _ in one) for by_item in touches for one in by_item)
    number_of: dict[Attributes, int] = {DEFAULT_ATTRIBUTES: 0}
    which = [
        number_of.setdefault(one, len(number_of))
        for session in sessions
        for one in session.attributes or (DEFAULT_ATTRIBUTES,) * len(session.item_kinds)
    ]
    tokens = _column(sessions, [one.tokens for one in sessions], 1)
    expires = _column(sessions, [one.expires_turns for one in sessions], 0)
    keys = [session.seed_key for session in sessions]
    graded = any(session.grades for session in sessions)
    return SessionBlock(
        session_length=np.array([session.session_length for session in sessions], dtype=np.int64),
        item_start=_starts(len(session.item_kinds) for session in sessions),
        item_kind=np.array([kind for session in sessions for kind in session.item_kinds], dtype=np.int8),
        touch_start=_starts(per_item),
        touch_turn=np.array([turn for turn, _, _, _ in every], dtype=np.int32),
        touch_kind=np.array([kind for _, kind, _, _ in every], dtype=np.int8),
        max_recalls=max(recalls, default=0),
        attributes=tuple(number_of),
        item_attributes=np.array(which, dtype=np.int32) if len(number_of) > 1 else None,
        item_tokens=tokens,
        touch_order=np.array([order for _, _, order, _ in every], dtype=np.int32),
        seed_keys=np.array(keys, dtype=np.int64) if any(keys) else None,
        item_expires=expires,
        carried=carried_of(
            sessions,
            _column(sessions, [one.supersedes for one in sessions], -1),
            _column(sessions, [one.valid_turns for one in sessions], 0),
        ),
        touch_grade=np.array([grade for _, _, _, grade in every], dtype=np.int8) if graded else None,
        clocks=clocks_of([session.clock for session in sessions]),
    )


def _starts(counts: Iterable[int]) -> NDArray[np.int64]:
    return np.cumsum([0, *counts], dtype=np.int64)


def _touches_by_item(session: Session) -> list[list[tuple[int, int, int, int]]]:
    """Return (turn, kind, place in the order of play, grade) of every touch, item by item."""
    touches: list[list[tuple[int, int, int, int]]] = [[] for _ in session.item_kinds]
    for order, (turn, kind, item) in enumerate(session.events):
        if kind != QUERY:
            touches[item].append((turn, kind, order, session.grades[order] if session.grades else NO_GRADE))
    return touches


def _column(sessions: Sequence[Session], columns: Sequence[tuple[int, ...]], default: int) -> NDArray[np.int32] | None:
    """Return a column over the items of all sessions, None where it holds nothing but the default."""
    if not any(columns):
        return None
    values = [
        value
        for session, column in zip(sessions, columns, strict=True)
        for value in column or (default,) * len(session.item_kinds)
    ]
    return np.array(values, dtype=np.int32) if any(value != default for value in values) else None
