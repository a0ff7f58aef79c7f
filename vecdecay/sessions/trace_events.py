"""From the rows of a log to its events: sorted, numbered, in turns, with the named rules applied."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from vecdecay.errors import InvalidInputError
from vecdecay.items import Attributes
from vecdecay.parameters import brief
from vecdecay.sessions.clock import Clocks
from vecdecay.sessions.events import GRADES, NO_GRADE
from vecdecay.sessions.session import MAX_SESSION_LENGTH
from vecdecay.sessions.trace_clock import clocks_of_stretches, clocks_of_times
from vecdecay.sessions.trace_columns import RawTrace, read_columns
from vecdecay.sessions.trace_items import described_items
from vecdecay.sessions.trace_kernel import apply_rules, count_turns, cut_silences, number_items
from vecdecay.sessions.trace_rules import TraceRules
from vecdecay.sessions.trace_time import read_times, turn_seconds
from vecdecay.sessions.trace_values import Values, as_codes, as_integers, as_kinds, bad_rows, rows_text

_SECOND = 1_000_000
_GRADES = ", ".join(f"{number} ({name})" for number, name in GRADES.items())


@dataclass(frozen=True)
class TraceEvents:
    """The events of a log. Shapes: ``session_start`` (session + 1), ``session_length`` (session); ``turn``, ``item``,
    ``kind``, ``grade`` (event), in the order of play; ``item_start`` (session + 1); what begins with ``item_`` (item).

    ``item_name`` (item) are places in ``names``, ``session_name`` (session) in ``session_names``. ``clocks`` are the
    recorded times of the sessions, None where there are none.
    """

    session_start: NDArray[np.int64]
    session_length: NDArray[np.int64]
    turn: NDArray[np.int64]
    item: NDArray[np.int32]
    kind: NDArray[np.int8]
    item_start: NDArray[np.int64]
    item_name: NDArray[np.int64]
    names: pa.Array
    session_name: NDArray[np.int64]
    session_names: pa.Array
    attributes: tuple[Attributes, ...]
    item_attributes: NDArray[np.int32] | None
    item_tokens: NDArray[np.int32] | None
    item_expires: NDArray[np.int32] | None
    foundational: NDArray[np.bool_] | None
    clocks: Clocks | None
    grade: NDArray[np.int8] | None
    notes: tuple[str, ...]


def events_of(
    source: Any,
    columns: Mapping[str, str] | None,
    time_unit: str | None,
    turn: str | None,
    rules: TraceRules,
    skip_bad_rows: bool,
) -> TraceEvents:
    """Return the events of a file or table; arguments as in ``Trace.read``."""
    raw = read_columns(source, columns, skip_bad_rows)
    if raw.num_rows == 0:
        raise InvalidInputError([f"{raw.where}: has no rows; allowed: at least one event"])
    try:
        return _Reading(raw, time_unit, turn, rules, skip_bad_rows).events()
    except (pa.ArrowException, UnicodeDecodeError) as error:  # a damaged file may hold anything
        raise InvalidInputError([f"{raw.where}: cannot be read: {' '.join(str(error).split())[:200]}"]) from None


class _Reading:
    """One reading of a log: columns in the order of rows first, then of play."""

    def __init__(self, raw: RawTrace, time_unit: str | None, turn: str | None, rules: TraceRules, skip: bool) -> None:
        self.raw = raw
        self.skip = skip
        self.where = raw.where
        self.time_unit = time_unit
        self.turn = turn
        self.rules = rules
        self.notes = list(raw.notes)
        self.rows: NDArray[np.int64] | None = None
        self.clock = self._clock()
        timed = self.clock == "time" and turn != "event"
        self.seconds = turn_seconds("1h" if turn is None else turn) if timed else None

    def events(self) -> TraceEvents:
        """Return the events."""
        values = self._values()
        session, names_of = values["session"].values, values["item"].values
        names, session_names = values["item"].names, values["session"].names
        assert names is not None
        kind = values["kind"].values if "kind" in values else None
        key = next(values[role].values for role in ("turn", "time", "message") if role in values)
        order = self._order(session, key, names_of, kind, values.get("order"))
        if order is not None:
            session, names_of, key = session[order], names_of[order], key[order]
            kind = None if kind is None else kind[order]
        changes = np.flatnonzero(np.diff(session)) + 1
        start = np.concatenate([[0], changes, [len(session)]]).astype(np.int64)
        number = np.empty(len(session), dtype=np.int32)
        items = number_items(start, names_of, len(names), number)
        item_start = np.concatenate([[0], np.cumsum(items)]).astype(np.int64)
        turn = self._turns(start, key)
        clocks = self._clocks(start, turn, key, order)
        kinds = np.zeros(len(session), dtype=np.int8) if kind is None else kind
        keep = self._apply(start, item_start, number, turn, kinds, kind is None, order)
        first = self._first_events(start, item_start, number)
        shift = np.repeat(self.first_turn, items) - 1
        rows = first if order is None else order[first]
        turns_kept = self.clock == "turn" and self.rules.longest_silence is None
        described = described_items(self.raw, rows, shift, turns_kept)
        lengths = turn[start[1:] - 1].copy()
        session_of = np.repeat(np.arange(len(start) - 1), np.diff(start))
        kept_start = np.concatenate([[0], np.cumsum(np.bincount(session_of[keep], minlength=len(start) - 1))])
        return TraceEvents(
            kept_start.astype(np.int64), lengths, turn[keep], number[keep], kinds[keep], item_start, names_of[first],
            names, session[start[:-1]], session_names, *described, clocks, self._grades(values, order, keep),
            tuple(self.notes),
        )  # fmt: skip

    def _values(self) -> dict[str, Values]:
        """Return what every row holds; rows that hold what they may not are refused, or left out.

        Of turn, time and message, the one that orders the rows of a session is there.
        """
        columns, where = self.raw.columns, self.where
        found = {"item": as_codes(columns["item"], "item", where)}
        if "session" in columns:
            found["session"] = as_codes(columns["session"], "session", where)
        else:
            zeros = np.zeros(self.raw.num_rows, dtype=np.int64)
            found["session"] = Values(zeros, zeros.astype(np.bool_), "", pa.array(["all"]))
            self.notes.append("no column session: all rows are one session")
        if "kind" in columns:
            found["kind"] = as_kinds(columns["kind"], where)
        found[self.clock] = self._clock_values(columns[self.clock])
        if "grade" in columns:
            grades = as_integers(columns["grade"], "grade", where, NO_GRADE, max(GRADES))
            empty = pc.is_null(columns["grade"], nan_is_null=True).to_numpy()
            found["grade"] = grades._replace(bad=grades.bad & ~empty, allowed=f"{_GRADES}, or empty")
        if "order" in columns:
            found["order"] = as_integers(columns["order"], "order", where, -(2**62), 2**62)
        lines, bad = bad_rows(found, columns, where)
        if lines and not self.skip:
            raise InvalidInputError(lines)
        if not lines:
            return found
        self.notes.append(f"{int(bad.sum()):,} rows left out: {rows_text(np.flatnonzero(bad))}")
        if bad.all():
            raise InvalidInputError([f"{where}: no row can be read", *lines])
        self.rows = np.flatnonzero(~bad)
        keep = pa.array(~bad)
        self.raw = replace(self.raw, columns={role: column.filter(keep) for role, column in columns.items()})
        return {role: one._replace(values=one.values[~bad], bad=bad[~bad]) for role, one in found.items()}

    @staticmethod
    def _grades(
        values: Mapping[str, Values], order: NDArray[np.int64] | None, keep: NDArray[np.bool_]
    ) -> NDArray[np.int8] | None:
        """Return the grade of every event, None where no event has one."""
        if "grade" not in values:
            return None
        grade = values["grade"].values.astype(np.int8)
        grade = (grade if order is None else grade[order])[keep]
        return grade if grade.any() else None

    def _clock(self) -> str:
        """Return the column that says when: turn, time or message."""
        columns = self.raw.columns
        if self.turn is None and "turn" in columns:
            return "turn"
        clock = "message" if self.turn == "message" or ("time" not in columns and self.turn is None) else "time"
        if clock not in columns:
            raise InvalidInputError([f"{self.where}: turn is {brief(self.turn)}, and there is no column {clock}"])
        return clock

    def _clock_values(self, column: pa.ChunkedArray) -> Values:
        if self.clock == "turn":
            return as_integers(column, "turn", self.where, 0, MAX_SESSION_LENGTH)
        if self.clock == "message":
            return as_codes(column, "message", self.where)
        times, note = read_times(column, self.time_unit, self.where)
        self.notes.append(note)
        return times

    def _order(
        self,
        session: NDArray[np.int64],
        key: NDArray[np.int64],
        item: NDArray[np.int64],
        kind: NDArray[np.int8] | None,
        given: Values | None,
    ) -> NDArray[np.int64] | None:
        """Return the order of play, None where the rows are in it.

        Rows out of order are sorted by session and time. Their order inside a turn is lost then: it is taken from a
        column ``order``, or refused where it matters.
        """
        by_message = self.clock == "message"
        order_column = None if given is None else given.values
        rises = session[1:] > session[:-1]
        same = session[1:] == session[:-1]
        in_order = bool((rises | (same & (by_message | (key[1:] >= key[:-1])))).all())
        if order_column is None and in_order:
            return None
        if by_message:
            return np.lexsort((np.arange(len(session)) if order_column is None else order_column, session))
        if order_column is not None:
            return np.lexsort((order_column, key, session))
        by_session = np.argsort(session, kind="stable")
        one, other = by_session[:-1], by_session[1:]
        if bool(((session[one] != session[other]) | (key[one] <= key[other])).all()):
            return by_session  # sessions side by side, each in the order of time
        kinds = np.zeros(len(session), dtype=np.int8) if kind is None else kind
        order = np.lexsort((kinds, item, key, session))
        self._refuse_lost_order(order, session, key, item, kinds)
        self.notes.append("rows were not in the order of time, and were sorted")
        return order

    def _refuse_lost_order(
        self,
        order: NDArray[np.int64],
        session: NDArray[np.int64],
        key: NDArray[np.int64],
        item: NDArray[np.int64],
        kind: NDArray[np.int8],
    ) -> None:
        one, other = order[:-1], order[1:]
        clash = (session[one] == session[other]) & (key[one] == key[other]) & (item[one] == item[other])
        clash &= kind[one] != kind[other]
        if clash.any():
            rows = self._rows_text(one[clash])
            raise InvalidInputError(
                [
                    f"{self.where}: the rows are not sorted, and different events of an item share a turn in {rows}; "
                    "allowed: sorted rows, or a column order"
                ]
            )

    def _rows_text(self, places: NDArray[np.int64]) -> str:
        """Return rows as the log has them, those that were left out counted too."""
        return rows_text(np.sort(places if self.rows is None else self.rows[places]))

    def _turns(self, start: NDArray[np.int64], key: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the turn of every event, 1 for the first of its session."""
        turn = np.empty(len(key), dtype=np.int64)
        self.first_turn = np.ones(len(start) - 1, dtype=np.int64)
        by_message = self.clock == "message"
        if self.turn == "event" or by_message:
            count_turns(start, key, turn)
            self.notes.append("a turn is a message" if by_message else "a turn is a time stamp")
        else:
            step = 1 if self.seconds is None else self.seconds * _SECOND
            units = key // step
            self.first_turn = units[start[:-1]]
            turn = units - np.repeat(units[start[:-1]], np.diff(start)) + 1
            if self.seconds is not None:
                self.notes.append(f"a turn is {self.turn or '1h'}, from full multiples of it (UTC)")
            elif (units[start[:-1]] != 1).any():
                shifted = int((units[start[:-1]] != 1).sum())
                self.notes.append(f"{shifted:,} sessions do not begin in turn 1: shifted, so that they do")
        if self.rules.longest_silence is not None:
            cut = cut_silences(start, self.rules.longest_silence, turn)
            self.notes.append(f"{cut:,} silences cut to {self.rules.longest_silence} turns")
        if len(turn) and int(turn.max()) > MAX_SESSION_LENGTH:
            raise InvalidInputError(
                [f"{self.where}: a session spans {int(turn.max()):,} turns; allowed: {MAX_SESSION_LENGTH:,}"]
            )
        return turn

    def _clocks(
        self, start: NDArray[np.int64], turn: NDArray[np.int64], key: NDArray[np.int64], order: NDArray[np.int64] | None
    ) -> Clocks | None:
        """Return the time that is kept beside the turns, None where there is none."""
        if self.rules.elapsed != "recorded" or "time" not in self.raw.columns:
            return None
        found: Clocks | str
        if self.seconds is not None:
            found = clocks_of_stretches(start, turn, self.first_turn, self.seconds)
        elif self.clock == "time":
            found = clocks_of_times(start, turn, key)
        else:
            values, note = read_times(self.raw.columns["time"], self.time_unit, self.where)
            self.notes.append(note)
            bad = np.flatnonzero(values.bad)
            times = values.values if order is None else values.values[order]
            found = f"time is no time in {rows_text(bad)}" if len(bad) else clocks_of_times(start, turn, times)
        if isinstance(found, str):
            self.notes.append(f"{found}: the time is not read, and policies count their own turns a day")
            return None
        self.notes.append("elapsed time is read by policies in days, hours or seconds, in place of their turns_per_day")
        return found

    def _apply(
        self,
        start: NDArray[np.int64],
        item_start: NDArray[np.int64],
        number: NDArray[np.int32],
        turn: NDArray[np.int64],
        kinds: NDArray[np.int8],
        infer: bool,
        order: NDArray[np.int64] | None,
    ) -> NDArray[np.bool_]:
        again, once = self.rules.registered_again, self.rules.duplicates == "once"

        def applied(rule: str) -> tuple[NDArray[np.bool_], list[int]]:
            keep = np.empty(len(number), dtype=np.bool_)
            code = ("reset", "ignore", "reinforce").index(rule)
            counts = apply_rules(start, item_start, number, turn, kinds, infer, once, code, keep)
            return keep, counts.tolist()

        keep, (dropped, registered, orphans) = applied("reset" if again == "error" else again)
        if infer:
            self.notes.append("no column kind: the first touch of an item registers it, later ones recall it")
        if registered and again == "error":
            places = np.flatnonzero(keep & ~applied("ignore")[0])
            rows = self._rows_text(places if order is None else order[places])
            raise InvalidInputError([f"{self.where}: items are registered again in {rows}; allowed: each once"])
        found = {
            f"{dropped:,} duplicates in a turn dropped": dropped,
            f"{registered:,} registrations of items registered before: {self.rules.registered_again}": registered,
            f"{orphans:,} recalls of items that are not registered: misses": orphans,
        }
        self.notes += [text for text, number_of in found.items() if number_of]
        return keep

    @staticmethod
    def _first_events(
        start: NDArray[np.int64], item_start: NDArray[np.int64], number: NDArray[np.int32]
    ) -> NDArray[np.int64]:
        """Return the first event of every item."""
        owner = np.repeat(item_start[:-1], np.diff(start)) + number
        first = np.empty(int(item_start[-1]), dtype=np.int64)
        backward = np.arange(len(owner))[::-1]
        first[owner[backward]] = backward
        return first
