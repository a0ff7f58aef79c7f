"""From the times of a trace to turns: what a time stamp is, and which stretch of it makes a turn."""

import re
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from vecdecay.errors import InvalidInputError
from vecdecay.parameters import brief
from vecdecay.sessions.trace_columns import as_integers, refuse_nulls, rows_text

_MICROSECONDS = {"s": 1_000_000, "ms": 1_000, "us": 1}
_TURN = re.compile(r"(\d+)\s*([smhdw])")
_UNIT_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_LATEST = 4_102_444_800  # the year 2100, in seconds: larger numbers are no seconds
_AWARE = re.compile(r"(Z|[+-]\d\d:?\d\d)$")


class Times(NamedTuple):
    """Times in microseconds since 1970 (UTC), one per row, and a note on how they were read."""

    microseconds: NDArray[np.int64]
    note: str


def read_times(column: pa.ChunkedArray, unit: str | None, where: str) -> Times:
    """Return a column of time stamps, texts in ISO 8601, or numbers since 1970 in seconds, ms or us, as microseconds.

    Without ``unit``, the unit of plain numbers is recognised by their size, and stated.

    Raises:
        InvalidInputError: nulls, texts that are no time, or naive and aware ones mixed; with the first rows.
    """
    refuse_nulls(column, "time", where)
    kind = column.type
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        stamps = column.cast(pa.timestamp("us", tz=getattr(kind, "tz", None)), safe=False)
        zone = f", {kind.tz}" if getattr(kind, "tz", None) else ", taken as UTC"
        return Times(stamps.cast(pa.int64()).to_numpy(), f"time is a {kind}{zone}")
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_dictionary(kind):
        return _read_texts(column.cast(pa.string()), where)
    if pa.types.is_floating(kind):
        values = column.to_numpy()
        return _scaled(values, unit or _unit_of(float(np.abs(values).max(initial=0.0))), unit)
    whole = as_integers(column, "time", where, -(2**62), 2**62)
    return _scaled(whole, unit or _unit_of(float(np.abs(whole).max(initial=0))), unit)


def _unit_of(largest: float) -> str:
    return next((unit for unit, factor in (("s", 1), ("ms", 1_000)) if largest < _LATEST * factor), "us")


def _scaled(values: NDArray[np.generic], unit: str, given: str | None) -> Times:
    if unit not in _MICROSECONDS:
        raise InvalidInputError([f"time_unit is {brief(unit)}; allowed: {', '.join(_MICROSECONDS)}"])
    note = f"time is in {unit}" + ("" if given else ", recognised by its size")
    if values.dtype.kind == "f":
        return Times(np.rint(values.astype(np.float64) * _MICROSECONDS[unit]).astype(np.int64), note)
    return Times(values.astype(np.int64) * _MICROSECONDS[unit], note)


def _read_texts(column: pa.ChunkedArray, where: str) -> Times:
    """Read ISO 8601, with and without fractions; naive stamps are UTC, and are not mixed with aware ones."""
    texts = pc.utf8_trim_whitespace(column).combine_chunks()
    aware = np.array([_AWARE.search(text) is not None for text in texts.to_pylist()], dtype=np.bool_)
    if aware.any() and not aware.all():
        rows = rows_text(np.flatnonzero(~aware))
        raise InvalidInputError([f"{where}: time has a zone in some rows and none in {rows}; allowed: all or none"])
    try:
        stamps = texts.cast(pa.timestamp("us", tz="UTC" if aware.any() else None))
    except pa.ArrowInvalid as error:
        reason = " ".join(str(error).split())[:160]
        raise InvalidInputError([f"{where}: time is no ISO 8601 time: {reason}"]) from None
    return Times(stamps.cast(pa.int64()).to_numpy(zero_copy_only=False), "time is ISO 8601, UTC")


def turn_seconds(turn: str) -> int:
    """Return the seconds of a turn such as "1h", "30m", "1d".

    >>> turn_seconds("1h"), turn_seconds("2d")
    (3600, 172800)
    """
    match = _TURN.fullmatch(turn)
    if match is None or int(match[1]) == 0:
        allowed = "a duration such as 30m, 1h or 1d, event (a turn per time stamp) or message (a turn per message)"
        raise InvalidInputError([f"turn is {brief(turn)}; allowed: {allowed}"])
    return int(match[1]) * _UNIT_SECONDS[match[2]]
