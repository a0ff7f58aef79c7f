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
from vecdecay.sessions.trace_kernel import apply_rules, count_turns, in_order, number_items, turns_of_units
from vecdecay.sessions.trace_rules import BY_COLUMNS, TraceRules
from vecdecay.sessions.trace_time import read_times, turn_seconds
from vecdecay.sessions.trace_values import Values, as_codes, as_integers, as_kinds, bad_rows, rows_text
from vecdecay.threads import shared_out

_SECOND = 1_000_000
_NEVER_CUT = 2**62
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
    turn: NDArray[np.int32]
    item: NDArray[np.int32]
    kind: NDArray[np.int8]
    item_start: NDArray[np.int64]
    item_name: NDArray[np.int32]
    names: pa.Array
    session_name: NDArray[np.int32]
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
    rules: TraceRules,
    skip_bad_rows: bool,
) -> TraceEvents:
    """Return the events of a file or table; arguments as in ``Trace.read``."""
    reading = _Reading(read_columns(source, columns, skip_bad_rows), time_unit, rules, skip_bad_rows)
    try:
        return reading.events()
    except (pa.ArrowException, UnicodeDecodeError) as error:  # a damaged file may hold anything
        raise InvalidInputError([f"{reading.where}: cannot be read: {' '.join(str(error).split())[:200]}"]) from None


def _numbered(
    start: NDArray[np.int64], names_of: NDArray[np.int32], num_names: int
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the item of every event as a number inside its session, and the first event of every item."""
    number, is_new = np.empty(len(names_of), dtype=np.int32), np.empty(len(names_of), dtype=np.bool_)
    shared_out(start, lambda first, end: number_items(start, first, end, names_of, num_names, number, is_new))
    return number, np.flatnonzero(is_new)


class _Reading:
    """One reading of a log: columns in the order of rows first, then of play."""

    def __init__(self, raw: RawTrace, time_unit: str | None, rules: TraceRules, skip: bool) -> None:
        if raw.num_rows == 0:
            raise InvalidInputError([f"{raw.where}: has no rows; allowed: at least one event"])
        self.raw = raw
        self.skip = skip
        self.where = raw.where
        self.time_unit = time_unit
        self.turn = turn = None if rules.turn == BY_COLUMNS else rules.turn
        self.rules = rules
        self.notes = list(raw.notes)
        self.rows: NDArray[np.int64] | None = None
        self.clock = self._clock()
        timed = self.clock == "time" and turn != "event"
        self.seconds = turn_seconds("1h" if turn is None else turn) if timed else None

    def events(self) -> TraceEvents:
        """Return the events."""
        values = self._values()
        names, session_names = values["item"].names, values["session"].names
        assert names is not None
        session, names_of = values.pop("session").values, values.pop("item").values
        kind = values.pop("kind").values if "kind" in values else None
        key = values.pop(self.clock).values
        order = self._order(session, key, names_of, kind, values.get("order"))
        if order is not None:
            session, names_of, key = session[order], names_of[order], key[order]
            kind = None if kind is None else kind[order]
        changes = np.flatnonzero(session[1:] != session[:-1]) + 1
        start = np.concatenate([[0], changes, [len(session)]]).astype(np.int64)
        session_name = session[start[:-1]]
        del session  # what is large goes as soon as it has been read
        pa.default_memory_pool().release_unused()
        number, first = _numbered(start, names_of, len(names))
        item_start = np.searchsorted(first, start).astype(np.int64)
        item_name = names_of[first]
        del names_of
        turn = self._turns(start, key)
        lengths = self._lengths(start, turn, values.pop("session_length", None), order)
        clocks = self._clocks(start, turn, key, order)
        del key
        kinds = np.zeros(len(turn), dtype=np.int8) if kind is None else kind
        keep = self._apply(start, item_start, number, turn, kinds, kind is None, order)
        shift = np.repeat(self.first_turn, np.diff(item_start)) - 1
        rows = first if order is None else order[first]
        turns_kept = self.clock == "turn" and not self.rules.longest_silence
        described = described_items(self.raw, rows, shift, turns_kept)
        grade = self._grades(values, order)
        if not keep.all():
            start = np.concatenate([[0], np.cumsum(np.add.reduceat(keep, start[:-1], dtype=np.int64))])
            turn, number, kinds = turn[keep], number[keep], kinds[keep]
            grade = None if grade is None else grade[keep]
        return TraceEvents(
            start, lengths, turn, number, kinds, item_start, item_name, names, session_name, session_names, *described,
            clocks, grade, tuple(self.notes),
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
            zeros = np.zeros(self.raw.num_rows, dtype=np.int32)
            found["session"] = Values(zeros, zeros.astype(np.bool_), "", pa.array(["all"]))
            self.notes.append("no column session: all rows are one session")
        if "kind" in columns:
            found["kind"] = as_kinds(columns["kind"], where)
        found[self.clock] = self._clock_values(columns[self.clock])
        if "grade" in columns:
            grades = as_integers(columns["grade"], "grade", where, NO_GRADE, max(GRADES))
            empty = pc.is_null(columns["grade"], nan_is_null=True).to_numpy()
            found["grade"] = grades._replace(bad=grades.bad & ~empty, allowed=f"{_GRADES}, or empty")
        if "session_length" in columns:
            found["session_length"] = as_integers(
                columns["session_length"], "session_length", where, 1, MAX_SESSION_LENGTH
            )
        if "order" in columns:
            found["order"] = as_integers(columns["order"], "order", where, -(2**62), 2**62)
        lines, bad = bad_rows(found, columns, where)
        if lines and not self.skip:
            raise InvalidInputError(lines)
        if not lines:
            self.raw = replace(self.raw, columns={role: columns[role] for role in columns if role not in found})
            return found
        self.notes.append(f"{int(bad.sum()):,} rows left out: {rows_text(np.flatnonzero(bad))}")
        if bad.all():
            raise InvalidInputError([f"{where}: no row can be read", *lines])
        self.rows = np.flatnonzero(~bad)
        keep = pa.array(~bad)
        self.raw = replace(self.raw, columns={role: column.filter(keep) for role, column in columns.items()})
        return {role: one._replace(values=one.values[~bad], bad=bad[~bad]) for role, one in found.items()}

    @staticmethod
    def _grades(values: Mapping[str, Values], order: NDArray[np.int64] | None) -> NDArray[np.int8] | None:
        """Return the grade of every event, None where no event has one."""
        if "grade" not in values:
            return None
        grade = values["grade"].values.astype(np.int8)
        grade = grade if order is None else grade[order]
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
        session: NDArray[np.int32],
        key: NDArray[Any],
        item: NDArray[np.int32],
        kind: NDArray[np.int8] | None,
        given: Values | None,
    ) -> NDArray[np.int64] | None:
        """Return the order of play, None where the rows are in it.

        Rows out of order are sorted by session and time. Their order inside a turn is lost then: it is taken from a
        column ``order``, or refused where it matters.
        """
        by_message = self.clock == "message"
        order_column = None if given is None else given.values
        if order_column is None and in_order(session, key, by_message):
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
        session: NDArray[np.int32],
        key: NDArray[Any],
        item: NDArray[np.int32],
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

    def _turns(self, start: NDArray[np.int64], key: NDArray[Any]) -> NDArray[np.int32]:
        """Return the turn of every event, 1 for the first of its session."""
        turn = np.empty(len(key), dtype=np.int32)
        self.first_turn = np.ones(len(start) - 1, dtype=np.int64)
        by_message = self.clock == "message"
        found, longest = [(0, 0)], self.rules.longest_silence or _NEVER_CUT
        if self.turn == "event" or by_message:
            shared_out(start, lambda first, end: count_turns(start, first, end, key, turn))
            self.notes.append("a turn is a message" if by_message else "a turn is a time stamp")
        else:
            step = 1 if self.seconds is None else self.seconds * _SECOND
            self.first_turn = key[start[:-1]].astype(np.int64) // step
            found = shared_out(start, lambda first, end: turns_of_units(start, first, end, key, step, longest, turn))
            if self.seconds is not None:
                self.notes.append(f"a turn is {self.turn or '1h'}, from full multiples of it (UTC)")
            elif shifted := int((self.first_turn != 1).sum()):
                self.notes.append(f"{shifted:,} sessions do not begin in turn 1: shifted, so that they do")
        if self.rules.longest_silence:
            cut = sum(cut for cut, _ in found)
            self.notes.append(f"{cut:,} silences cut to {self.rules.longest_silence} turns")
        last = max(last for _, last in found)
        if last > MAX_SESSION_LENGTH:
            raise InvalidInputError([f"{self.where}: a session spans {last:,} turns; allowed: {MAX_SESSION_LENGTH:,}"])
        return turn

    def _lengths(
        self, start: NDArray[np.int64], turn: NDArray[np.int32], given: Values | None, order: NDArray[np.int64] | None
    ) -> NDArray[np.int64]:
        """Return the turns of every session: to its last event, or as a column says, which also leaves turns in place.

        Raises:
            InvalidInputError: turns are no column, or a session has several lengths, or events after its end.
        """
        if given is None:
            return turn[start[1:] - 1].astype(np.int64)
        if self.clock != "turn" or self.rules.longest_silence:
            raise InvalidInputError([f"{self.where}: session_length counts turns of the column turn, silences kept"])
        length = given.values if order is None else given.values[order]
        turn += np.repeat(self.first_turn - 1, np.diff(start)).astype(np.int32)
        self.first_turn = np.ones_like(self.first_turn)
        lengths: NDArray[np.int64] = length[start[:-1]].astype(np.int64)
        wrong = np.flatnonzero((length != np.repeat(lengths, np.diff(start))) | (turn > length) | (turn < 1))
        if len(wrong):
            rows = self._rows_text(wrong if order is None else order[wrong])
            allowed = "one length for a session, and turns from 1 to that"
            raise InvalidInputError([f"{self.where}: session_length does not fit {rows}; allowed: {allowed}"])
        self.notes = [one for one in self.notes if "do not begin in turn 1" not in one]
        return lengths

    def _clocks(
        self, start: NDArray[np.int64], turn: NDArray[np.int32], key: NDArray[Any], order: NDArray[np.int64] | None
    ) -> Clocks | None:
        """Return the time that is kept beside the turns, None where there is none."""
        if self.rules.elapsed != "recorded" or (self.clock != "time" and "time" not in self.raw.columns):
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
        turn: NDArray[np.int32],
        kinds: NDArray[np.int8],
        infer: bool,
        order: NDArray[np.int64] | None,
    ) -> NDArray[np.bool_]:
        again, once = self.rules.registered_again, self.rules.duplicates == "once"

        def applied(rule: str) -> tuple[NDArray[np.bool_], list[int]]:
            keep = np.empty(len(number), dtype=np.bool_)
            code = ("reset", "ignore", "reinforce").index(rule)
            counts = shared_out(
                start,
                lambda first, end: apply_rules(
                    start, first, end, item_start, number, turn, kinds, infer, once, code, keep
                ),
            )
            return keep, np.sum(counts, axis=0).tolist()

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
