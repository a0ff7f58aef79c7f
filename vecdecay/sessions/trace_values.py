"""The values of a trace's columns, each in one type, and the rows that hold none: these are refused or left out."""

from collections.abc import Iterable, Mapping
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from vecdecay.errors import InvalidInputError
from vecdecay.parameters import brief
from vecdecay.sessions.events import EventKind
from vecdecay.sessions.trace_kernel import number_by_row

_KINDS = {one.name.lower(): int(one) for one in EventKind} | {str(int(one)): int(one) for one in EventKind} | {
    "insert": 0, "add": 0, "store": 0, "write": 0, "access": 1, "read": 1, "get": 1, "hit": 1, "use": 1, "delete": 2,
}  # fmt: skip
_MOST_LISTED = 5
_WHOLE_TEXT = r"^\s*[+-]?\d{1,18}\s*$"
_LARGEST_WHOLE = 2**53


class Values(NamedTuple):
    """One value per row, 0 in rows that are ``bad``; ``allowed`` says what they may hold.

    ``names`` are what the values stand for where they are codes.
    """

    values: NDArray[Any]
    bad: NDArray[np.bool_]
    allowed: str
    names: pa.Array | None = None


def rows_text(rows: NDArray[Any] | Iterable[int]) -> str:
    """Return rows (from 0) as people count them: row 1 is the first; at most five are named."""
    listed = [int(row) + 1 for row in rows]
    more = f" and {len(listed) - _MOST_LISTED:,} more" if len(listed) > _MOST_LISTED else ""
    return f"row{'s' if len(listed) > 1 else ''} {', '.join(map(str, listed[:_MOST_LISTED]))}{more}"


def bad_rows(
    found: Mapping[str, Values], columns: Mapping[str, pa.ChunkedArray], where: str
) -> tuple[list[str], NDArray[np.bool_]]:
    """Return a line per column that holds what it may not, and which rows do; neither where none does."""
    lines = []
    for role, one in found.items():
        if one.bad.any():
            rows = np.flatnonzero(one.bad)
            lines.append(
                f"{where}: {role} is {_shown(columns[role][int(rows[0])])} in {rows_text(rows)}; allowed: {one.allowed}"
            )
    return lines, reduce(np.logical_or, (one.bad for one in found.values())) if lines else np.zeros(0, np.bool_)


def _shown(value: pa.Scalar) -> str:
    try:
        plain = value.as_py()
    except (OverflowError, ValueError):  # a time beyond Python's
        return "out of range"
    return "empty" if plain is None or plain != plain else brief(plain)  # NaN alone differs from itself


def as_integers(column: pa.ChunkedArray, role: str, where: str, least: int, most: int) -> Values:
    """Return a column of whole numbers in a range: integers, or floats or texts that are whole.

    Raises:
        InvalidInputError: it is of another type.
    """
    kind = column.type
    allowed = f"whole numbers from {least:,} to {most:,}"
    if pa.types.is_nested(kind) or pa.types.is_boolean(kind) or pa.types.is_temporal(kind):
        raise InvalidInputError([f"{where}: {role} is of the type {kind}; allowed: {allowed}"])
    if _within(column, least, most):
        return Values(_joined(column.chunks, np.int32 if most < 2**31 else np.int64), _none(column), allowed)
    bad = pc.is_null(column, nan_is_null=True).to_numpy()
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        bad |= ~pc.fill_null(pc.match_substring_regex(column, _WHOLE_TEXT), False).to_numpy()
        whole = pc.if_else(pa.array(~bad), pc.utf8_trim_whitespace(column), pa.scalar("0", kind))
        values = whole.cast(pa.int64()).to_numpy()
    elif pa.types.is_signed_integer(kind) or (pa.types.is_unsigned_integer(kind) and kind != pa.uint64()):
        values = pc.fill_null(column, 0).cast(pa.int64()).to_numpy()
    elif pa.types.is_null(kind):
        values = np.zeros(len(column), dtype=np.int64)
    elif pa.types.is_floating(kind) or pa.types.is_decimal(kind) or kind == pa.uint64():
        floats = np.array(column.cast(pa.float64(), safe=False).to_numpy(), dtype=np.float64)
        floats[bad] = 0.0
        bad |= (np.floor(floats) != floats) | (np.abs(floats) > _LARGEST_WHOLE)
        values = np.where(bad, 0.0, floats).astype(np.int64)
    else:
        raise InvalidInputError([f"{where}: {role} is of the type {kind}; allowed: {allowed}"])
    bad = bad | (values < least) | (values > most)
    return Values(values, bad, allowed)


def as_codes(column: pa.ChunkedArray, role: str, where: str) -> Values:
    """Return a column of integers, texts or anything else with equality as codes; ``names`` are what they stand for.

    Raises:
        InvalidInputError: the values are nested, or are no valid texts.
    """
    allowed = "integers or texts, one in every row"
    if pa.types.is_nested(column.type) or pa.types.is_run_end_encoded(column.type):
        raise InvalidInputError([f"{where}: {role} is of the type {column.type}; allowed: {allowed}"])
    bad = pc.is_null(column, nan_is_null=True).to_numpy() if column.null_count else _none(column)
    if pa.types.is_floating(column.type):
        numbers = as_integers(column, role, where, -_LARGEST_WHOLE, _LARGEST_WHOLE)
        column, bad = pa.chunked_array([pa.array(numbers.values)]), numbers.bad
    if pa.types.is_null(column.type):
        column = column.cast(pa.int64())
    if pa.types.is_dictionary(column.type):
        codes, names = _by_dictionary(column)
    else:
        encoded = column.dictionary_encode()
        names = encoded.chunk(0).dictionary if encoded.num_chunks else pa.array([], encoded.type.value_type)
        codes = _joined([chunk.indices.fill_null(0) for chunk in encoded.chunks], np.int32)
    try:
        names.validate(full=True)
    except pa.ArrowInvalid:
        raise InvalidInputError([f"{where}: {role} holds texts that are not UTF-8"]) from None
    return Values(codes, bad, allowed, names)


def _by_dictionary(column: pa.ChunkedArray) -> tuple[NDArray[np.int32], pa.Array]:
    """Return codes in the order of rows, and their names; each chunk has a dictionary in an order of its own."""
    listed = pa.concat_arrays([chunk.dictionary for chunk in column.chunks]).dictionary_encode()
    number, codes = listed.indices.to_numpy(), np.empty(len(column), dtype=np.int32)
    place, first = 0, 0
    for chunk in column.chunks:
        of_chunk = number[first : first + len(chunk.dictionary)]
        np.take(of_chunk, chunk.indices.to_numpy(), out=codes[place : place + len(chunk)], mode="clip")
        place, first = place + len(chunk), first + len(chunk.dictionary)
    return codes, listed.dictionary.take(pa.array(number_by_row(codes, len(listed.dictionary))))


def _within(column: pa.ChunkedArray, least: int, most: int) -> bool:
    """Tell whether a column holds integers of a range and nothing else."""
    if not pa.types.is_integer(column.type) or column.null_count:
        return False
    ends = pc.min_max(column).as_py()
    return len(column) > 0 and bool(least <= ends["min"] and ends["max"] <= most)


def _joined(chunks: Iterable[pa.Array], kind: type[np.signedinteger[Any]]) -> NDArray[Any]:
    """Return the integers of chunks as one array of a kind that holds them."""
    arrays = [chunk.to_numpy() for chunk in chunks]
    return np.concatenate([np.empty(0, kind), *arrays], dtype=kind, casting="unsafe")


def _none(column: pa.ChunkedArray) -> NDArray[np.bool_]:
    return np.zeros(len(column), dtype=np.bool_)


def as_kinds(column: pa.ChunkedArray, where: str) -> Values:
    """Return kinds of events, given as numbers or as names."""
    if _within(column, 0, max(EventKind)):
        codes = as_integers(column, "kind", where, 0, max(EventKind))
        values = codes.values.astype(np.int8)
    else:
        codes = as_codes(column, "kind", where)
        assert codes.names is not None
        kinds = [_KINDS.get(str(value).strip().lower(), -1) for value in codes.names.to_pylist()] or [-1]
        values = np.array(kinds, dtype=np.int8)[codes.values]
    # No engine plays queries yet.
    bad = codes.bad | (values < 0) | (values == int(EventKind.QUERY))
    allowed = ", ".join(f"{one.name.lower()} or {int(one)}" for one in EventKind if one != EventKind.QUERY)
    return Values(np.where(bad, 0, values).astype(np.int8), bad, allowed)


def filled(column: pa.Array, role: str, where: str, kind: pa.DataType, default: object) -> pa.Array:
    """Return a column in a type, with ``default`` where it is empty.

    Raises:
        InvalidInputError: it is of another type.
    """
    try:
        return pc.fill_null(column.cast(kind), pa.scalar(default, kind))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        reason = " ".join(str(error).split())[:120]
        raise InvalidInputError([f"{where}: {role} is of the type {column.type}; allowed: {kind}: {reason}"]) from None
