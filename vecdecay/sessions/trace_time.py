"""From the times of a trace to turns: what a time stamp is, and how long a turn is."""

import re
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from vecdecay.errors import InvalidInputError
from vecdecay.parameters import brief
from vecdecay.sessions.trace_values import Values, as_integers, rows_text

_PER_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
_SECOND = 1_000_000
_TURN = re.compile(r"(\d{1,9})\s*([smhdw])")
_UNIT_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_LATEST = 4_102_444_800  # the year 2100, in seconds: larger numbers are no seconds
_LAST_SECOND = 253_402_300_799  # of the year 9999
_AWARE = r"(Z|[+-]\d\d:?\d\d)\s*$"
_ALLOWED = "time stamps, ISO 8601 texts, or numbers since 1970, of the years 1 to 9999"


def read_times(column: pa.ChunkedArray, unit: str | None, where: str) -> tuple[Values, str]:
    """Return time stamps, texts in ISO 8601, or numbers since 1970, as microseconds since 1970 (UTC), and a note.

    Without ``unit`` (s, ms, us or ns), the unit of plain numbers is recognised by their size, and stated.

    Raises:
        InvalidInputError: another type, an unknown unit, or naive and aware texts mixed; with the first rows.
    """
    if unit is not None and unit not in _PER_SECOND:
        raise InvalidInputError([f"time_unit is {brief(unit)}; allowed: {', '.join(_PER_SECOND)}"])
    kind = column.type
    bad = pc.is_null(column, nan_is_null=True).to_numpy()
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        zone = getattr(kind, "tz", None)
        stamps = column.cast(pa.timestamp(getattr(kind, "unit", "ms")), safe=False).cast(pa.int64())
        per_second = _PER_SECOND[getattr(kind, "unit", "ms")]
        note = f"time is a {kind}, {zone or 'taken as UTC'}"
        return _scaled(pc.fill_null(stamps, 0).to_numpy(), bad, per_second), note
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _read_texts(column, bad, where), "time is ISO 8601, UTC"
    if pa.types.is_floating(kind):
        numbers = np.where(bad, 0.0, column.to_numpy())
        bad |= ~np.isfinite(numbers)
        numbers = np.where(bad, 0.0, numbers)
    else:
        whole = as_integers(column, "time", where, -(2**63), 2**63 - 1)
        numbers, bad = whole.values, whole.bad
    recognised = unit or _unit_of(numbers)
    note = f"time is in {recognised}" + ("" if unit else ", recognised by its size")
    return _scaled(numbers, bad, _PER_SECOND[recognised]), note


def _unit_of(numbers: NDArray[Any]) -> str:
    largest = max(abs(int(numbers.max(initial=0))), abs(int(numbers.min(initial=0))))
    return next((unit for unit, factor in _PER_SECOND.items() if largest < _LATEST * factor), "ns")


def _scaled(numbers: NDArray[Any], bad: NDArray[np.bool_], per_second: int) -> Values:
    """Return numbers of a unit as microseconds; those beyond the year 9999 are bad."""
    last = min(_LAST_SECOND * per_second, 2**63 - 1)
    bad = bad | (numbers > last) | (numbers < -last)
    sound = np.where(bad, 0, numbers)
    if sound.dtype.kind == "f":
        return Values(np.rint(sound * (_SECOND / per_second)).astype(np.int64), bad, _ALLOWED)
    whole = sound.astype(np.int64)
    micros = whole * (_SECOND // per_second) if per_second <= _SECOND else whole // (per_second // _SECOND)
    return Values(micros, bad, _ALLOWED)


def _read_texts(column: pa.ChunkedArray, bad: NDArray[np.bool_], where: str) -> Values:
    """Read ISO 8601, with and without fractions; naive stamps are UTC, and are not mixed with aware ones."""
    texts = pc.utf8_trim_whitespace(pc.fill_null(column, "")).combine_chunks()
    aware = pc.match_substring_regex(texts, _AWARE).to_numpy(zero_copy_only=False)
    naive = ~aware & ~bad
    kind = pa.timestamp("us", tz="UTC" if aware.any() else None)
    try:
        stamps = texts.cast(kind)
    except pa.ArrowInvalid:
        unreadable = np.zeros(len(texts), dtype=np.bool_)
        unreadable[_unreadable(texts, 0)] = True
        bad = bad | unreadable
        naive &= ~bad
        epoch = "1970-01-01T00:00:00Z" if aware.any() else "1970-01-01"
        texts = pc.if_else(pa.array(bad | naive if aware.any() else bad), pa.scalar(epoch, texts.type), texts)
        stamps = texts.cast(kind)
    if aware.any() and naive.any():
        rows = rows_text(np.flatnonzero(naive))
        raise InvalidInputError([f"{where}: time has a zone in some rows and none in {rows}; allowed: all or none"])
    return _scaled(stamps.cast(pa.int64()).to_numpy(zero_copy_only=False), bad, _SECOND)


def _unreadable(texts: pa.Array, first: int) -> list[int]:
    """Return the places of texts that are no time of either kind, by halving."""
    for zone in (None, "UTC"):
        try:
            texts.cast(pa.timestamp("us", tz=zone))
        except pa.ArrowInvalid:
            continue
        return []
    if len(texts) == 1:
        return [first]
    half = len(texts) // 2
    return _unreadable(texts[:half], first) + _unreadable(texts[half:], first + half)


def turn_seconds(turn: Any) -> int:
    """Return the seconds of a turn such as "1h", "30m", "1d"; 0 for what is no duration.

    >>> turn_seconds("1h"), turn_seconds("2d"), turn_seconds("event")
    (3600, 172800, 0)
    """
    match = _TURN.fullmatch(turn) if isinstance(turn, str) else None
    return 0 if match is None else int(match[1]) * _UNIT_SECONDS[match[2]]
