"""From the rows of a log to its events: sorted, numbered, in turns, with the named rules applied."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from vecdecay.errors import InvalidInputError
from vecdecay.items import Attributes, attribute_problems
from vecdecay.sessions.events import NO_TURN, QUERY
from vecdecay.sessions.session import MAX_SESSION_LENGTH
from vecdecay.sessions.trace_columns import (
    RawTrace,
    as_codes,
    as_integers,
    as_kinds,
    filled,
    read_columns,
    refuse_nulls,
    rows_text,
)
from vecdecay.sessions.trace_kernel import apply_rules, count_turns, cut_silences, number_items
from vecdecay.sessions.trace_rules import TraceRules
from vecdecay.sessions.trace_time import read_times, turn_seconds

_SECOND = 1_000_000


@dataclass(frozen=True)
class TraceEvents:
    """The events of a log. Shapes: ``session_start`` (session + 1), ``session_length`` (session); ``turn``, ``item``,
    ``kind`` (event), in the order of play; ``item_start`` (session + 1), all that begins with ``item_`` (item).

    ``item_name`` (item) are places in ``names``, ``session_name`` (session) in ``session_names``. ``turn_seconds`` is
    the length of a turn where turns are stretches of time, else None.
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
    turn_seconds: int | None
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
    raw = read_columns(source, columns)
    if raw.num_rows == 0:
        raise InvalidInputError([f"{raw.where}: has no rows; allowed: at least one event"])
    if skip_bad_rows:
        raw = _without_empty_rows(raw)
    return _Reading(raw, time_unit, turn, rules).events()


def _without_empty_rows(raw: RawTrace) -> RawTrace:
    """Leave out rows that lack a session, an item, a kind or a time."""
    needed = [raw.columns[role] for role in ("session", "item", "kind", "turn", "time") if role in raw.columns]
    bad = np.zeros(raw.num_rows, dtype=np.bool_)
    for column in needed:
        bad |= pc.is_null(column, nan_is_null=True).to_numpy()
    if not bad.any():
        return raw
    keep = pa.array(~bad)
    kept = {role: column.filter(keep) for role, column in raw.columns.items()}
    return RawTrace(
        kept, [*raw.notes, f"{int(bad.sum()):,} rows left out: {rows_text(np.flatnonzero(bad))}"], raw.where
    )


class _Reading:
    """One reading of a log: columns in the order of rows first, then of play."""

    def __init__(self, raw: RawTrace, time_unit: str | None, turn: str | None, rules: TraceRules) -> None:
        self.raw = raw
        self.where = raw.where
        self.time_unit = time_unit
        self.turn = turn
        self.rules = rules
        self.notes = list(raw.notes)
        self.seconds: int | None = None

    def events(self) -> TraceEvents:
        """Return the events."""
        raw, where = self.raw, self.where
        if "session" in raw.columns:
            session, session_names = as_codes(raw.columns["session"], "session", where)
        else:
            session, session_names = np.zeros(raw.num_rows, dtype=np.int64), pa.array(["all"])
            self.notes.append("no column session: all rows are one session")
        names_of, names = as_codes(raw.columns["item"], "item", where)
        kind = as_kinds(raw.columns["kind"], where) if "kind" in raw.columns else None
        if kind is not None and (kind == QUERY).any():
            rows = rows_text(np.flatnonzero(kind == QUERY))
            raise InvalidInputError([f"{where}: query events in {rows}, which no engine plays yet"])
        key = self._turn_keys()
        order = self._order(session, key, names_of, kind)
        if order is not None:
            session, names_of, key = session[order], names_of[order], key[order]
            kind = None if kind is None else kind[order]
        changes = np.flatnonzero(np.diff(session)) + 1
        start = np.concatenate([[0], changes, [len(session)]]).astype(np.int64)
        number = np.empty(len(session), dtype=np.int32)
        items = number_items(start, names_of, len(names), number)
        item_start = np.concatenate([[0], np.cumsum(items)]).astype(np.int64)
        turn = self._turns(start, key)
        kinds = np.zeros(len(session), dtype=np.int8) if kind is None else kind
        keep = self._apply(start, item_start, number, turn, kinds, kind is None, order)
        first = self._first_events(start, item_start, number)
        shift = np.repeat(self.first_turn, items) - 1
        described = self._described(order, first, shift)
        lengths = turn[start[1:] - 1].copy()
        session_of = np.repeat(np.arange(len(start) - 1), np.diff(start))
        kept_start = np.concatenate([[0], np.cumsum(np.bincount(session_of[keep], minlength=len(start) - 1))])
        return TraceEvents(
            kept_start.astype(np.int64), lengths, turn[keep], number[keep], kinds[keep], item_start, names_of[first],
            names, session[start[:-1]], session_names, *described, self.seconds, tuple(self.notes),
        )  # fmt: skip

    def _turn_keys(self) -> NDArray[np.int64]:
        """Return what orders the rows of a session in time: turns, messages by first occurrence, or microseconds."""
        columns, where = self.raw.columns, self.where
        if self.turn == "message" or ("turn" not in columns and "time" not in columns):
            if "message" not in columns:
                raise InvalidInputError([f"{where}: turn is 'message', and there is no column message"])
            return as_codes(columns["message"], "message", where)[0]
        if self.turn is None and "turn" in columns:
            return as_integers(columns["turn"], "turn", where, 0, MAX_SESSION_LENGTH)
        if "time" not in columns:
            raise InvalidInputError([f"{where}: turn is {self.turn!r}, and there is no column time"])
        times = read_times(columns["time"], self.time_unit, where)
        self.notes.append(times.note)
        if self.turn != "event":
            self.turn = self.turn or "1h"
            self.seconds = turn_seconds(self.turn)
        return times.microseconds

    def _order(
        self, session: NDArray[np.int64], key: NDArray[np.int64], item: NDArray[np.int64], kind: NDArray[np.int8] | None
    ) -> NDArray[np.int64] | None:
        """Return the order of play, None where the rows are in it.

        Rows out of order are sorted by session and time. Their order inside a turn is lost then: it is taken from a
        column ``order``, or refused where it matters.
        """
        by_message = self.turn == "message" or ("turn" not in self.raw.columns and "time" not in self.raw.columns)
        order_column = None
        if "order" in self.raw.columns:
            order_column = as_integers(self.raw.columns["order"], "order", self.where, -(2**62), 2**62)
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
            rows = rows_text(np.sort(one[clash]))
            raise InvalidInputError(
                [
                    f"{self.where}: the rows are not sorted, and different events of an item share a turn in {rows}; "
                    "allowed: sorted rows, or a column order"
                ]
            )

    def _turns(self, start: NDArray[np.int64], key: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the turn of every event, 1 for the first of its session."""
        turn = np.empty(len(key), dtype=np.int64)
        self.first_turn = np.ones(len(start) - 1, dtype=np.int64)
        by_message = self.turn == "message" or ("turn" not in self.raw.columns and "time" not in self.raw.columns)
        if self.turn == "event" or by_message:
            count_turns(start, key, turn)
            self.notes.append("a turn is a message" if by_message else "a turn is a time stamp")
        else:
            step = 1 if self.seconds is None else self.seconds * _SECOND
            units = key // step
            self.first_turn = units[start[:-1]]
            turn = units - np.repeat(units[start[:-1]], np.diff(start)) + 1
            if self.seconds is not None:
                self.notes.append(f"a turn is {self.turn}; stretches begin at full multiples of it (UTC)")
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
            rows = rows_text(np.sort(places if order is None else order[places]))
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

    def _described(
        self, order: NDArray[np.int64] | None, first: NDArray[np.int64], shift: NDArray[np.int64]
    ) -> tuple[
        tuple[Attributes, ...],
        NDArray[np.int32] | None,
        NDArray[np.int32] | None,
        NDArray[np.int32] | None,
        NDArray[np.bool_] | None,
    ]:
        """Return attributes, sizes, last turns and what is foundational, as the first row of each item has them."""
        columns, where = self.raw.columns, self.where
        rows = first if order is None else order[first]

        def chosen(role: str) -> pa.Array | None:
            return columns[role].take(pa.array(rows)) if role in columns else None

        tokens, expires, foundational = chosen("tokens"), chosen("expires"), chosen("foundational")
        sizes = None if tokens is None else as_integers(tokens, "tokens", where, 0, MAX_SESSION_LENGTH).astype(np.int32)
        last = None if expires is None else self._last_turns(expires, shift)
        matters = None
        if foundational is not None:
            refuse_nulls(foundational, "foundational", where)
            matters = filled(foundational, "foundational", where, pa.bool_(), False).to_numpy(zero_copy_only=False)
        attributes, which = self._attributes(chosen("importance"), chosen("category"), chosen("pinned"), len(rows))
        return attributes, which, sizes, last, matters

    def _last_turns(self, expires: pa.Array, shift: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the last turns of items, shifted as their sessions are; ``NO_TURN`` where there is none."""
        if self.turn is not None or "turn" not in self.raw.columns or self.rules.longest_silence is not None:
            allowed = "turns as the log has them, and silences kept"
            raise InvalidInputError([f"{self.where}: expires is a turn of the column turn; allowed: {allowed}"])
        known = expires.is_valid().to_numpy(zero_copy_only=False)
        turns = filled(expires, "expires", self.where, pa.int64(), NO_TURN)
        listed = as_integers(turns, "expires", self.where, 0, MAX_SESSION_LENGTH)
        return np.where(known, np.maximum(listed - shift, 1), NO_TURN).astype(np.int32)

    def _attributes(
        self, importance: Any, category: Any, pinned: Any, count: int
    ) -> tuple[tuple[Attributes, ...], NDArray[np.int32] | None]:
        """Return the combinations of attributes, and which one each item has; None for the first for all."""
        if importance is None and category is None and pinned is None:
            return (Attributes(),), None
        default = Attributes()
        lists = [
            [value] * count if column is None else filled(column, role, self.where, kind, value).to_pylist()
            for role, column, kind, value in (
                ("importance", importance, pa.float64(), default.importance),
                ("category", category, pa.string(), default.category),
                ("pinned", pinned, pa.bool_(), default.pinned),
            )
        ]
        number_of: dict[Attributes, int] = {default: 0}
        which = [number_of.setdefault(Attributes(*one), len(number_of)) for one in zip(*lists, strict=True)]
        problems = [f"{self.where}: {line}" for one in number_of for line in attribute_problems(one)]
        if problems:
            raise InvalidInputError(problems[:5])
        return tuple(number_of), np.array(which, dtype=np.int32) if len(number_of) > 1 else None
