"""Arrow schemas, made from the records in ``quantities``: every column typed, with its unit and meaning as metadata."""

from collections.abc import Iterable, Sequence
from functools import cache

import pyarrow as pa

from vecdecay.quantities import (
    CELL_COLUMNS,
    CHECKPOINT_COLUMNS,
    ITEM_COLUMNS,
    METRICS,
    SESSION_COLUMNS,
    SUMMARY_SUFFIXES,
    TOKEN_COLUMNS,
    TURN_COLUMNS,
    Quantity,
)

_TYPES = {
    "int32": pa.int32(),
    "int64": pa.int64(),
    "float64": pa.float64(),
    "string": pa.dictionary(pa.int32(), pa.string()),
    "bool": pa.bool_(),
}


def field_of(quantity: Quantity, turn: int | None = None) -> pa.Field:
    """Return the Arrow field of a quantity; ``turn`` fills the placeholder of a checkpoint's column."""
    metadata = {
        "meaning": quantity.meaning,
        "unit": quantity.unit,
        "dimensions": ", ".join(quantity.dimensions),
    }
    name = quantity.name
    if turn is not None:
        name = name.format(turn=turn)
        metadata["meaning"] = metadata["meaning"].format(turn=turn)
    return pa.field(name, _TYPES[quantity.dtype], nullable=quantity.nullable, metadata=metadata)


def checkpoint_fields(checkpoints: Sequence[int]) -> list[pa.Field]:
    """Return the fields of the columns at checkpoints, in the order of the turns."""
    return [field_of(quantity, turn) for turn in checkpoints for quantity in CHECKPOINT_COLUMNS]


def _schema(quantities: Iterable[Quantity], seeds_fit: bool, more: Iterable[pa.Field] = ()) -> pa.Schema:
    fields = [field_of(quantity) for quantity in quantities]
    if not seeds_fit:
        fields = [field.with_type(pa.string()) if field.name == "seed" else field for field in fields]
    return pa.schema([*fields, *more])


@cache
def sessions_schema(checkpoints: tuple[int, ...] = (), seeds_fit: bool = True, has_tokens: bool = False) -> pa.Schema:
    """Return the schema of the sessions table; ``seeds_fit`` says whether every seed fits 64 bits.

    ``has_tokens`` says whether items have sizes. Where they have none, figures in tokens would repeat those in items.
    """
    quantities = SESSION_COLUMNS + TOKEN_COLUMNS if has_tokens else SESSION_COLUMNS
    return _schema(quantities, seeds_fit, checkpoint_fields(checkpoints))


@cache
def items_schema(seeds_fit: bool = True) -> pa.Schema:
    """Return the schema of the items table."""
    return _schema(ITEM_COLUMNS, seeds_fit)


@cache
def turns_schema(seeds_fit: bool = True) -> pa.Schema:
    """Return the schema of the turns table."""
    return _schema(TURN_COLUMNS, seeds_fit)


def summary_fields(checkpoints: Sequence[int]) -> list[pa.Field]:
    """Return the fields that summarise each metric, and each recall rate at a checkpoint, over a cell's sessions."""
    described = [(metric.name, metric.unit, metric.meaning) for metric in METRICS]
    rate = CHECKPOINT_COLUMNS[1]
    described += [(rate.name.format(turn=t), rate.unit, rate.meaning.format(turn=t)) for t in checkpoints]
    fields = []
    for name, unit, meaning in described:
        for suffix, words in SUMMARY_SUFFIXES:
            counted = suffix == "sessions"
            metadata = {
                "meaning": f"{words}: {meaning}",
                "unit": "sessions" if counted else unit,
                "dimensions": "cell",
            }
            kind = pa.int64() if counted else pa.float64()
            fields.append(pa.field(f"{name}_{suffix}", kind, nullable=not counted, metadata=metadata))
    return fields


def cells_schema(parameter_fields: Iterable[pa.Field], checkpoints: Sequence[int] = ()) -> pa.Schema:
    """Return the schema of the cells table: what was played, with which parameters, and what came of it."""
    return pa.schema(
        [*(field_of(quantity) for quantity in CELL_COLUMNS), *parameter_fields, *summary_fields(checkpoints)]
    )
