"""What a log says of its items: attributes, sizes, last turns and what is foundational."""

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from vecdecay.errors import InvalidInputError
from vecdecay.items import Attributes, attribute_problems
from vecdecay.sessions.events import NO_TURN
from vecdecay.sessions.session import MAX_SESSION_LENGTH
from vecdecay.sessions.trace_columns import RawTrace
from vecdecay.sessions.trace_values import as_integers, bad_rows, filled


class DescribedItems(NamedTuple):
    """What is known of items, as ``TraceEvents`` has it; None for the default of each."""

    attributes: tuple[Attributes, ...]
    item_attributes: NDArray[np.int32] | None
    item_tokens: NDArray[np.int32] | None
    item_expires: NDArray[np.int32] | None
    foundational: NDArray[np.bool_] | None


def described_items(
    raw: RawTrace, rows: NDArray[np.int64], shift: NDArray[np.int64], turns_kept: bool
) -> DescribedItems:
    """Return what the first row of each item says of it.

    Shapes: ``rows`` (item); ``shift`` (item), the turns by which its session is shifted. ``turns_kept``: the turns are
    those of the log.

    Raises:
        InvalidInputError: a column holds what it may not.
    """
    where = raw.where

    def chosen(role: str) -> pa.Array | None:
        return raw.columns[role].take(pa.array(rows)) if role in raw.columns else None

    tokens, expires, foundational = chosen("tokens"), chosen("expires"), chosen("foundational")
    sizes = None if tokens is None else _integers(tokens, "tokens", where).astype(np.int32)
    if expires is not None and not turns_kept:
        allowed = "turns as the log has them, and silences kept"
        raise InvalidInputError([f"{where}: expires is a turn of the column turn; allowed: {allowed}"])
    last = None if expires is None else _last_turns(expires, shift, where)
    matters = None
    if foundational is not None:
        matters = filled(foundational, "foundational", where, pa.bool_(), False).to_numpy(zero_copy_only=False)
    attributes, which = _attributes(chosen("importance"), chosen("category"), chosen("pinned"), len(rows), where)
    return DescribedItems(attributes, which, sizes, last, matters)


def _integers(column: pa.Array, role: str, where: str) -> NDArray[np.int64]:
    """Return what is known of items as whole numbers; the items' first rows are not left out."""
    found = as_integers(pa.chunked_array([column]), role, where, 0, MAX_SESSION_LENGTH)
    lines, _ = bad_rows({role: found}, {role: column}, where)
    if lines:
        raise InvalidInputError([line.replace(" in row", " in the first row of item", 1) for line in lines])
    return found.values


def _last_turns(expires: pa.Array, shift: NDArray[np.int64], where: str) -> NDArray[np.int32]:
    """Return the last turns of items, shifted as their sessions are; ``NO_TURN`` where there is none."""
    known = expires.is_valid().to_numpy(zero_copy_only=False)
    listed = _integers(filled(expires, "expires", where, pa.int64(), NO_TURN), "expires", where)
    return np.where(known, np.maximum(listed - shift, 1), NO_TURN).astype(np.int32)


def _attributes(
    importance: Any, category: Any, pinned: Any, count: int, where: str
) -> tuple[tuple[Attributes, ...], NDArray[np.int32] | None]:
    """Return the combinations of attributes, and which one each item has; None for the first for all."""
    if importance is None and category is None and pinned is None:
        return (Attributes(),), None
    default = Attributes()
    lists = [
        [value] * count if column is None else filled(column, role, where, kind, value).to_pylist()
        for role, column, kind, value in (
            ("importance", importance, pa.float64(), default.importance),
            ("category", category, pa.string(), default.category),
            ("pinned", pinned, pa.bool_(), default.pinned),
        )
    ]
    number_of: dict[Attributes, int] = {default: 0}
    which = [number_of.setdefault(Attributes(*one), len(number_of)) for one in zip(*lists, strict=True)]
    problems = [f"{where}: {line}" for one in number_of for line in attribute_problems(one)]
    if problems:
        raise InvalidInputError(problems[:5])
    return tuple(number_of), np.array(which, dtype=np.int32) if len(number_of) > 1 else None
