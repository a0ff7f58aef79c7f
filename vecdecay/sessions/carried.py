"""What the events of a block say of several items at once: versions, derived copies, queries."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from vecdecay.sessions.events import QUERY, Query
from vecdecay.sessions.session import Session

Places = NDArray[np.int64] | slice


class Carried(NamedTuple):
    """Relations between the listed items of a block; an item is named by its number in its session.

    ``supersedes`` (item) is the older item that this one replaces, -1 for none. ``valid_turn`` (item) is when it became
    true, 0 where nobody says. Item i was derived from ``source[source_start[i]]`` … ``source[source_start[i+1] - 1]``.
    ``queries`` holds a tuple per session of (turn, order in the session, query); no engine plays them yet. None, and
    empty, is "nothing of it".
    """

    supersedes: NDArray[np.int32] | None = None
    valid_turn: NDArray[np.int32] | None = None
    source_start: NDArray[np.int64] | None = None
    source: NDArray[np.int32] | None = None
    queries: tuple[tuple[tuple[int, int, Query], ...], ...] = ()

    def of_session(self, first: int, last: int, num_items: int) -> dict[str, Any]:
        """Return the fields of a session whose listed items are first … last - 1; it has ``num_items`` with cohorts."""
        behind = num_items - (last - first)

        def column(values: NDArray[np.int32] | None, default: int) -> tuple[int, ...]:
            listed = [] if values is None else values[first:last].tolist()
            return (*listed, *[default] * behind) if any(one != default for one in listed) else ()

        sources: tuple[tuple[int, ...], ...] = ()
        if self.source is not None and self.source_start is not None:
            bounds = self.source_start[first : last + 1].tolist()
            listed = [tuple(self.source[begin:end].tolist()) for begin, end in pairwise(bounds)]
            sources = (*listed, *[()] * behind) if any(listed) else ()
        return {
            "supersedes": column(self.supersedes, -1),
            "valid_turns": column(self.valid_turn, 0),
            "sources": sources,
        }

    def picked(self, sessions: Places, items: Places, source_places: Places | None) -> Self:
        """Return what is said of some sessions, given the places of their items and sources."""
        start = self.source_start
        which = range(len(self.queries))[sessions] if isinstance(sessions, slice) else sessions.tolist()
        return self._replace(
            supersedes=None if self.supersedes is None else self.supersedes[items],
            valid_turn=None if self.valid_turn is None else self.valid_turn[items],
            source_start=None if start is None else starts_of(np.diff(start)[items]),
            source=None if self.source is None or source_places is None else self.source[source_places],
            queries=tuple(self.queries[one] for one in which) if self.queries else (),
        )

    def listed(self, place: Callable[..., NDArray[Any]], more: NDArray[np.int32]) -> Self:
        """Return the same with ``more`` items behind those of each session, to which nothing relates."""
        none = np.zeros_like(more)
        start = self.source_start
        return self._replace(
            supersedes=None if self.supersedes is None else place(self.supersedes, more=none - np.int32(1)),
            valid_turn=None if self.valid_turn is None else place(self.valid_turn, more=none),
            source_start=None if start is None else starts_of(place(np.diff(start), more=none)),
        )


def starts_of(counts: NDArray[Any]) -> NDArray[np.int64]:
    """Return where each of several groups begins, and where the last one ends, given their sizes."""
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(counts, dtype=np.int64)])


def carried_of(
    sessions: Sequence[Session], supersedes: NDArray[np.int32] | None, valid_turn: NDArray[np.int32] | None
) -> Carried | None:
    """Return what sessions say of several items at once, None where there is nothing of it."""
    queries = [_queries(one) for one in sessions]
    sources = [one for session in sessions for one in session.sources or ((),) * len(session.item_kinds)]
    if supersedes is None and valid_turn is None and not any(sources) and not any(queries):
        return None
    return Carried(
        supersedes,
        valid_turn,
        starts_of(np.array([len(one) for one in sources], dtype=np.int64)) if any(sources) else None,
        np.array([one for several in sources for one in several], dtype=np.int32) if any(sources) else None,
        tuple(queries) if any(queries) else (),
    )


def _queries(session: Session) -> tuple[tuple[int, int, Query], ...]:
    """Return (turn, place in the order of play, query) of every query."""
    placed = enumerate(session.events)
    return tuple((turn, order, session.queries[number]) for order, (turn, kind, number) in placed if kind == QUERY)
