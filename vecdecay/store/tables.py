"""Arrow batches from what a block came to: one row per session, per item or per turn."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from vecdecay.engines.outcome import BlockOutcome
from vecdecay.metrics import Column, session_columns
from vecdecay.sessions.mersenne import Seeds

KINDS = ("noise", "foundational")


def seeds_fit_64_bits(seeds: Seeds) -> bool:
    """Tell whether every seed fits the signed 64-bit column; otherwise seeds are stored as text."""
    if isinstance(seeds, np.ndarray) and seeds.dtype != object:
        return seeds.dtype.kind == "i" or len(seeds) == 0 or int(seeds.max()) < 2**63
    if isinstance(seeds, range):
        ends = (seeds[0], seeds[-1]) if seeds else ()
        return all(-(2**63) <= seed < 2**63 for seed in ends)
    return all(-(2**63) <= seed < 2**63 for seed in seeds)


def longest_seed_text(seeds: Seeds) -> int:
    """Return the bytes that no seed exceeds as text; 0 where all fit the 64-bit column, which holds no text."""
    if seeds_fit_64_bits(seeds):
        return 0
    ends = (seeds[0], seeds[-1]) if isinstance(seeds, range) else seeds
    bits = max(int(seed).bit_length() for seed in ends)
    return bits * 30_103 // 100_000 + 2  # a digit has log2(10) bits; one more where that is rounded down, and a sign


def row_bytes(schema: pa.Schema, seed_text: int) -> int:
    """Return how many bytes a row of a table takes at most, where a seed takes ``seed_text`` bytes as text."""
    return sum(_field_bytes(field.type, seed_text) + 1 for field in schema)


def _field_bytes(kind: pa.DataType, seed_text: int) -> int:
    if pa.types.is_string(kind):
        return 8 + seed_text
    width: int = 32 if pa.types.is_dictionary(kind) else kind.bit_width
    return width // 8


def seed_array(seeds: Seeds, kind: pa.DataType) -> pa.Array:
    """Return the seeds as an Arrow array of the column's type."""
    if kind == pa.string():
        # str refuses integers of more than 4,300 digits; Decimal holds them all, and writes them to the last digit.
        return pa.array([str(Decimal(int(seed))) for seed in seeds], type=kind)
    if isinstance(seeds, range):
        # Modulo 2**64, so that no product or end point that lies outside spoils the seeds, which all fit.
        steps = np.arange(len(seeds), dtype=np.uint64)
        values = steps * np.uint64(seeds.step % 2**64) + np.uint64(seeds.start % 2**64)
        return pa.array(values.view(np.int64), type=kind)
    return pa.array(np.asarray(seeds, dtype=np.int64), type=kind)


def _array(column: Column, kind: pa.DataType) -> pa.Array:
    values, valid = column
    mask = None if valid is None else ~valid
    # A view is copied: Arrow would keep the whole array alive that it is a part of, ten times what the column needs.
    converted = values.astype(kind.to_pandas_dtype(), copy=values.base is not None)
    return pa.array(converted, type=kind, mask=mask)


def _batch(columns: Mapping[str, Any], schema: pa.Schema) -> pa.RecordBatch:
    arrays = [
        columns[field.name] if isinstance(columns[field.name], pa.Array) else _array(columns[field.name], field.type)
        for field in schema
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def table_batch(
    name: str,
    cell: int,
    seeds: Seeds,
    outcome: BlockOutcome,
    schema: pa.Schema,
    measured: Mapping[str, Column],
) -> pa.RecordBatch:
    """Return the rows that a block adds to the table "sessions", "items" or "turns"; see the three functions below."""
    if name == "sessions":
        return session_batch(cell, seeds, outcome, (), schema, measured)
    return (item_batch if name == "items" else turn_batch)(cell, seeds, outcome, schema)


def session_batch(
    cell: int | NDArray[np.int32],
    seeds: Seeds,
    outcome: BlockOutcome,
    checkpoints: Sequence[int],
    schema: pa.Schema,
    measured: Mapping[str, Column] | None = None,
) -> pa.RecordBatch:
    """Return one row per session of the block, in the order of the seeds; ``cell`` is one for all, or one for each.

    ``measured`` are the outcome's session columns, where they are there already.
    """
    columns: dict[str, Any] = dict(measured or session_columns(outcome, checkpoints))
    columns["cell"] = (np.full(len(seeds), cell, dtype=np.int32), None)
    columns["seed"] = seed_array(seeds, schema.field("seed").type)
    return _batch(columns, schema)


def item_batch(cell: int, seeds: Seeds, outcome: BlockOutcome, schema: pa.Schema) -> pa.RecordBatch:
    """Return one row per item of the block: session by session, in the order of the items."""
    items = outcome.items
    if items is None:
        raise ValueError("the outcome was played without its items")
    per_session = np.diff(items.item_start)
    number = np.arange(len(items.kind)) - np.repeat(items.item_start[:-1], per_session)
    known = items.registered_turn > 0
    stability = np.zeros(len(number)) if items.stability is None else items.stability
    has_stability = known if items.stability is not None else np.zeros(len(number), dtype=np.bool_)
    columns: dict[str, Any] = {
        "cell": (np.full(len(number), cell, dtype=np.int32), None),
        "seed": _repeated(seed_array(seeds, schema.field("seed").type), per_session),
        "item": (number, None),
        "kind": pa.DictionaryArray.from_arrays(pa.array(items.kind, type=pa.int32()), pa.array(KINDS)),
        "registered_turn": (items.registered_turn, known),
        "last_touch": (items.last_touch, known),
        "recall_count": (items.recall_count, known),
        "stability": (stability, has_stability),
        "evicted_turn": (items.evicted_turn, items.evicted_turn > 0),
        "present": (items.present, None),
        "hits": (items.hits, None),
        "misses": (items.misses, None),
    }
    return _batch(columns, schema)


def turn_batch(cell: int, seeds: Seeds, outcome: BlockOutcome, schema: pa.Schema) -> pa.RecordBatch:
    """Return one row per turn of the block's sessions."""
    turns = outcome.turns
    if turns is None:
        raise ValueError("the outcome was played without its turns")
    per_session = np.diff(turns.turn_start)
    number = np.arange(len(turns.working_set)) - np.repeat(turns.turn_start[:-1], per_session) + 1
    items = np.repeat(outcome.foundational_items, per_session)
    rate = np.ones(len(number))
    np.divide(turns.foundational_present, items, out=rate, where=items != 0)
    columns: dict[str, Any] = {
        "cell": (np.full(len(number), cell, dtype=np.int32), None),
        "seed": _repeated(seed_array(seeds, schema.field("seed").type), per_session),
        "turn": (number, None),
        "working_set": (turns.working_set, None),
        "foundational_present": (turns.foundational_present, None),
        "foundational_recall_rate": (rate, None),
    }
    return _batch(columns, schema)


def _repeated(seeds: pa.Array, per_session: NDArray[np.int64]) -> pa.Array:
    return seeds.take(pa.array(np.repeat(np.arange(len(per_session)), per_session)))
