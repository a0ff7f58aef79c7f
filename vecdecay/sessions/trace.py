"""Recorded sessions: a log of one's own agent as a source of sessions, like a workload."""

import copy
import dataclasses
import os
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self, cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from vecdecay.errors import InvalidInputError
from vecdecay.items import DEFAULT_ATTRIBUTES
from vecdecay.numerals import html_table
from vecdecay.parameters import Parameter
from vecdecay.sessions.block import SessionBlock
from vecdecay.sessions.clock_kernel import values_at
from vecdecay.sessions.events import NO_GRADE, NO_TURN
from vecdecay.sessions.mersenne import Seeds
from vecdecay.sessions.session import FOUNDATIONAL, NOISE, Session
from vecdecay.sessions.source import Recorded, Sizes
from vecdecay.sessions.trace_events import TraceEvents, events_of
from vecdecay.sessions.trace_kernel import touches_by_item
from vecdecay.sessions.trace_rules import BY_COLUMNS, TraceRules
from vecdecay.sessions.trace_summary import TraceSummary, summary_of
from vecdecay.threads import shared_out


def _rules(**values: Any) -> TraceRules:
    """Return the rules of these values, or raise InvalidInputError with a line per value that is none."""
    try:
        return TraceRules.build(values)
    except InvalidInputError as error:
        raise InvalidInputError([line.replace("TraceRules.", "") for line in error.problems]) from None


class Trace(Recorded):
    """Recorded sessions. Sessions are numbered from 0 in the order of their first row; ``seeds`` are these numbers.

    ``notes`` say what was found in the log and what was done about it. Items are numbered inside their session;
    ``session_names`` and ``item_names`` give back what the log called them.
    """

    name: ClassVar[str] = "trace"
    summary: ClassVar[str] = "recorded sessions of one's own agent"
    source: ClassVar[str] = "a log"

    def __init__(self, events: TraceEvents, rules: TraceRules, where: str) -> None:
        self.events = events
        self.rules = rules
        self.where = where
        self.notes = events.notes
        self.num_sessions = len(events.session_start) - 1
        self.relearns = rules.on_miss == "relearn"
        self.reads_again: Callable[[TraceRules], Trace] | None = None
        # In the order of play and by item; as much again is there, at most, while the log is read.
        self.held_bytes = 4 * sum(one.nbytes for one in vars(events).values() if isinstance(one, np.ndarray | pa.Array))

    @classmethod
    def read(
        cls,
        source: Any,
        *,
        columns: Mapping[str, str] | None = None,
        time_unit: str | None = None,
        turn: str | None = None,
        on_miss: str = "nothing",
        duplicates: str = "each",
        registered_again: str = "reset",
        longest_silence: int | None = None,
        elapsed: str = "recorded",
        skip_bad_rows: bool = False,
    ) -> Self:
        """Read a log from a file (Parquet, CSV, JSON Lines, Arrow IPC) or from a table that streams Arrow.

        Args:
            source: a path, or a PyArrow, Polars, pandas or DuckDB table.
            columns: which column is what, such as ``{"item": "file_path"}``; others are found by their names.
            time_unit: s, ms or us for plain numbers in the column time; recognised by their size if None.
            turn: what makes a turn of time: 1h, 1d, event or message. Without, the column turn is read.
            on_miss, duplicates, registered_again, longest_silence, elapsed: the rules; see TraceRules.
            skip_bad_rows: leave out rows that cannot be read, and count them in ``notes``, instead of refusing the log.

        Raises:
            InvalidInputError: one line per mistake, with file and rows.

        >>> import pyarrow as pa
        >>> log = pa.table({"session": ["a", "a", "b"], "turn": [1, 4, 7], "item": ["x", "x", "y"]})
        >>> Trace.read(log).session(0).events
        ((1, 0, 0), (4, 1, 0))
        """
        rules = _rules(
            on_miss=on_miss,
            duplicates=duplicates,
            registered_again=registered_again,
            longest_silence=0 if longest_silence is None else longest_silence,
            elapsed=elapsed,
            turn=BY_COLUMNS if turn is None else turn,
        )
        events = events_of(source, columns, time_unit, rules, skip_bad_rows)
        where = os.fspath(source) if isinstance(source, str | os.PathLike) else type(source).__name__
        return cls(events, rules, str(where))

    @classmethod
    def parameters(cls) -> tuple[Parameter, ...]:
        """Return the rules by which a log is read."""
        return TraceRules.parameters()

    def own_values(self) -> dict[str, Any]:
        """Return the rules by which this one was read."""
        return self.rules.own_values()

    def varied(self, changes: Mapping[str, Any]) -> Self:
        """Return the same log under other rules: on_miss always; others where a sweep says where the log is.

        Raises:
            InvalidInputError: a rule is none, the log does not go with it, or it is not known where the log is.
        """
        rules = _rules(**{**self.values(), **changes})
        if self.reads_again is not None:
            return cast(Self, self.reads_again(rules))
        if dataclasses.replace(rules, on_miss=self.rules.on_miss) != self.rules:
            raise InvalidInputError([f"{self.where}: its rules are those that it was read by, but for on_miss"])
        return self.with_rules(rules)

    def with_rules(self, rules: TraceRules) -> Self:
        """Return the same events, where rules differ in what a miss does."""
        _ = self._whole  # which both share
        other = copy.copy(self)
        other.rules, other.relearns = rules, rules.on_miss == "relearn"
        return other

    def has_sessions_of(self, other: "Trace") -> bool:
        """Tell whether another trace has sessions of the same names in the same order."""
        one, two = (each.events.session_names.take(pa.array(each.events.session_name)) for each in (self, other))
        return bool(one.equals(two))

    def _repr_html_(self) -> str:
        """Return what is in the log, for a notebook."""
        return html_table([self.where], [[line] for line in self.summarise().lines()], "recorded sessions")

    @property
    def has_token_sizes(self) -> bool:
        """Tell whether some item has a size other than 1."""
        return self.events.item_tokens is not None

    @property
    def has_clock(self) -> bool:
        """Tell whether the sessions have a recorded time."""
        return self.events.clocks is not None

    @cached_property
    def _whole(self) -> SessionBlock:
        """Return all sessions as one block."""
        events = self.events
        start, num_items, num_touches = events.session_start, len(events.item_name), len(events.turn)
        touch_start = np.full(num_items + 1, num_touches, dtype=np.int64)
        recalled = np.zeros(num_items, dtype=np.int64)
        grade = np.zeros(0, dtype=np.int8) if events.grade is None else events.grade
        turn, order = np.empty(num_touches, dtype=np.int32), np.empty(num_touches, dtype=np.int32)
        kind, touch_grade = np.empty(num_touches, dtype=np.int8), np.empty_like(grade)
        shared_out(
            start,
            lambda first, end: touches_by_item(
                start, first, end, events.item_start, events.item, events.turn, events.kind, grade,
                touch_start, turn, kind, touch_grade, order, recalled,
            ),
        )  # fmt: skip
        matters = recalled > 0 if events.foundational is None else events.foundational
        return SessionBlock(
            session_length=events.session_length,
            item_start=events.item_start,
            item_kind=np.where(matters, FOUNDATIONAL, NOISE).astype(np.int8),
            touch_start=touch_start,
            touch_turn=turn,
            touch_kind=kind,
            max_recalls=int(recalled.max(initial=0)),
            attributes=events.attributes,
            item_attributes=events.item_attributes,
            item_tokens=events.item_tokens,
            touch_order=order,
            seed_keys=np.arange(self.num_sessions, dtype=np.int64),
            item_expires=events.item_expires,
            clocks=events.clocks,
            touch_grade=None if events.grade is None else touch_grade,
        )

    def session(self, seed: int) -> Session:
        """Return one session as plain data."""
        return self.block([seed]).session(0)

    def block(self, seeds: Seeds) -> SessionBlock:
        """Return some sessions as arrays, by their numbers.

        Raises:
            InvalidInputError: there is no session of a number.
        """
        numbers = np.asarray(list(seeds) if not isinstance(seeds, np.ndarray) else seeds, dtype=np.int64)
        wrong = numbers[(numbers < 0) | (numbers >= self.num_sessions)]
        if len(wrong):
            raise InvalidInputError([f"session {wrong[0]} is not in the trace; allowed: 0 to {self.num_sessions - 1}"])
        return self._whole.picked(numbers)

    def sizes(self) -> Sizes:
        """Return the largest of any session."""
        starts = self.events.session_start
        items = int(np.diff(self.events.item_start).max(initial=1))
        return Sizes(
            items=items,
            listed_items=items,
            touches=int(np.diff(starts).max(initial=1)),
            turns=int(self.events.session_length.max(initial=1)),
            draws=0,
        )

    def totals(self, num_sessions: int) -> Sizes:
        """Return what all sessions hold together, where so many of them may not hold more."""
        events, bound = self.events, super().totals(num_sessions)
        return dataclasses.replace(
            bound,
            items=min(bound.items, len(events.item_name)),
            listed_items=min(bound.listed_items, len(events.item_name)),
            touches=min(bound.touches, len(events.turn)),
            turns=min(bound.turns, int(events.session_length.sum())),
        )

    def session_names(self) -> list[Any]:
        """Return what the log calls the sessions, in the order of their numbers."""
        names: list[Any] = self.events.session_names.take(pa.array(self.events.session_name)).to_pylist()
        return names

    def item_names(self, session: int) -> list[Any]:
        """Return what the log calls the items of a session."""
        first, last = (int(self.events.item_start[session + offset]) for offset in (0, 1))
        names: list[Any] = self.events.names.take(pa.array(self.events.item_name[first:last])).to_pylist()
        return names

    def with_names(self, table: pa.Table) -> pa.Table:
        """Return a table of results with what the log calls its sessions and items, as columns before the others.

        ``table`` has a column ``seed``, the number of the session, and may have one ``item``.
        """
        session = table["seed"].to_numpy()
        columns = {"session_name": self.events.session_names.take(pa.array(self.events.session_name[session]))}
        if "item" in table.column_names:
            item = self.events.item_start[session] + table["item"].to_numpy()
            columns["item_name"] = self.events.names.take(pa.array(self.events.item_name[item]))
        for place, (name, values) in enumerate(columns.items()):
            table = table.add_column(place, name, values)
        return table

    def summarise(self) -> TraceSummary:
        """Return what is in the trace, in figures; ``summarise().lines()`` is the same as text."""
        return summary_of(self._whole, self.rules.text(), tuple(self.notes))

    def table(self) -> pa.Table:
        """Return the events as a table that ``read`` takes, a row each, with the rules applied and turns from 1.

        Times keep their hours and distances, and begin in 1970. What a miss does is no event: pass ``on_miss`` again.
        """
        events = self.events
        session = np.repeat(np.arange(self.num_sessions), np.diff(events.session_start))
        item = events.item_start[session] + events.item
        columns: dict[str, Any] = {
            "session": events.session_names.take(pa.array(events.session_name[session])),
            "turn": events.turn,
            "item": events.names.take(pa.array(events.item_name[item])),
            "kind": events.kind,
            "foundational": self._whole.item_kind[item] == FOUNDATIONAL,
        }
        ends = events.session_start[1:] - 1
        if (events.session_length != events.turn[ends]).any() or (events.turn[events.session_start[:-1]] != 1).any():
            columns["session_length"] = events.session_length[session]
        if events.clocks is not None:
            columns["time"] = pa.array(self._seconds(session), pa.timestamp("s"))
        if events.grade is not None:
            columns["grade"] = pa.array(events.grade, mask=events.grade == NO_GRADE)
        if events.item_tokens is not None:
            columns["tokens"] = events.item_tokens[item]
        if events.item_expires is not None:
            last = events.item_expires[item]
            columns["expires"] = pa.array(last, mask=last == NO_TURN)
        if events.attributes != (DEFAULT_ATTRIBUTES,):
            which = np.zeros(len(item), dtype=np.int64)
            if events.item_attributes is not None:
                which = events.item_attributes[item].astype(np.int64)
            for name in ("importance", "category", "pinned"):
                values = pa.array([getattr(one, name) for one in events.attributes])
                columns[name] = values.take(pa.array(which))
        return pa.table(columns)

    def _seconds(self, session: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the second of every event, from 0; ``session`` (event)."""
        clocks = self.events.clocks
        assert clocks is not None
        found = np.empty(len(session), dtype=np.int64)
        points = clocks.turn, clocks.second, clocks.start
        values_at(self.events.turn, self.events.session_start, *points, found)
        return found - 1

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Write ``table()`` as a Parquet file, at once or not at all; return the path.

        Raises:
            OSError: the file cannot be written; one that was there before is kept.
        """
        import pyarrow.parquet as pq

        target = Path(path)
        unfinished = target.with_name(f".{target.name}.{os.getpid()}.unfinished")
        try:
            pq.write_table(self.table(), unfinished, compression="zstd")
            unfinished.replace(target)
        finally:
            unfinished.unlink(missing_ok=True)
        return target

    def __repr__(self) -> str:
        events, items = len(self.events.turn), len(self.events.item_name)
        return f"Trace({self.where!r}): {self.num_sessions:,} sessions, {events:,} events, {items:,} items"
