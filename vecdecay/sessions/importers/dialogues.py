"""What benchmarks of dialogues have in common: dated sittings whose turns are items, and questions about them."""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import pyarrow as pa

from vecdecay.sessions.events import FORGET, RECALL, REGISTER
from vecdecay.sessions.importers.reading import Row, table_of, tokens_of

COLUMNS = ("session", "time", "item", "kind", "message", "tokens")


def day_after(time: dt.datetime) -> dt.datetime:
    """Return when questions are asked that have no time of their own; the last day there is has none after it."""
    return time + dt.timedelta(days=time.date() < dt.date.max)


class Sitting(NamedTuple):
    """One conversation at one time: (item, text) of each of its turns."""

    time: dt.datetime
    turns: Sequence[tuple[str, Any]]


class Question(NamedTuple):
    """What a question needs, and what it finds replaced: ``replaced`` maps items to those that replace them.

    ``opens`` says that it is asked before the turns of a sitting at the same time, not after them.
    """

    name: str
    time: dt.datetime
    needed: Iterable[str]
    replaced: Mapping[str, str] = MappingProxyType({})
    opens: bool = False


def rows_of(session: str, sittings: Sequence[Sitting], questions: Sequence[Question]) -> list[Row]:
    """Return the events of a dialogue as rows of COLUMNS, in the order of time.

    Every turn of a sitting registers its item, with the sitting's time; a question recalls what it needs.
    Every turn and every question is a message. What is replaced is forgotten in
    the message that registers its replacement.
    """
    forgotten: dict[str, list[str]] = {}
    for question in questions:
        for old, new in question.replaced.items():
            forgotten.setdefault(new, []).append(old)
    size = {
        item: tokens_of(len(text) if isinstance(text, str) else 0)
        for sitting in sittings
        for item, text in sitting.turns
    }
    events: list[tuple[dt.datetime, int, Row]] = []
    for question in questions:
        events += [
            (question.time, 0 if question.opens else 2, (item, RECALL, question.name)) for item in question.needed
        ]
    for sitting in sittings:
        for item, _ in sitting.turns:
            events.append((sitting.time, 1, (item, REGISTER, item)))
            events += [(sitting.time, 1, (old, FORGET, item)) for old in forgotten.get(item, ())]
    events.sort(key=lambda event: event[:2])
    return [(session, time, item, kind, message, size[item]) for time, _, (item, kind, message) in events]


def dialogue_table(rows: list[Row]) -> tuple[pa.Table, str]:
    """Return rows of all dialogues as a table, and what they hold in a line."""
    kinds = [row[3] for row in rows]
    found = (
        f"{len({row[0] for row in rows}):,} dialogues, {kinds.count(REGISTER):,} turns registered, "
        f"{kinds.count(RECALL):,} recalls of evidence; tokens are estimated, a quarter of the characters"
    )
    return table_of(rows, *COLUMNS), found
