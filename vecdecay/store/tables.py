"""The tables of a run: the only list of their names, each with its schema and with what makes its rows.

``sessions``, ``items``, ``turns`` and ``misses`` get their rows block by block, from a ``BlockOutcome``; ``cells`` and
``histograms`` get theirs from the finished cells.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from vecdecay.analysis.cell import MetricSummary, summarised_names
from vecdecay.engines.kernels.fields import EVICTION_REASONS
from vecdecay.engines.outcome import BlockOutcome, ItemOutcomes
from vecdecay.metrics import Column, session_columns
from vecdecay.policies.base import Policy
from vecdecay.quantities import (
    ASKED_METRICS,
    CELL_COLUMNS,
    CHECKPOINT_COLUMNS,
    ITEM_COLUMNS,
    METRICS,
    MISS_COLUMNS,
    RELATION_COLUMNS,
    RELATION_METRICS,
    SESSION_COLUMNS,
    SUMMARY_SUFFIXES,
    TOKEN_COLUMNS,
    TURN_COLUMNS,
    Quantity,
)
from vecdecay.sessions.mersenne import Seeds
from vecdecay.sessions.source import Sizes, Source
from vecdecay.store.columns import ASKED_COLUMNS, Layout, field_of, fields_of, seed_array
from vecdecay.store.histograms import histograms_schema, histograms_table

DETAILS = ("cells", "sessions", "items", "turns", "misses")
"""How much a run keeps; each detail but the first adds a table."""

_KINDS = ("noise", "foundational")
_PARAMETER_TYPES = {
    "integer": pa.int64(),
    "number": pa.float64(),
    "numbers": pa.list_(pa.float64()),
    "texts": pa.list_(pa.string()),
    "flag": pa.bool_(),
    "choice": pa.string(),
}


@dataclass(frozen=True)
class Table:
    """One table: its schema, and what makes its rows.

    ``rows`` takes (cell, seeds, outcome, layout, measured) where rows are made of blocks (see :func:`block_rows`);
    (results, layout) for the table ``cells``; and ({cell: histograms}, layout) for the table ``histograms``.
    """

    schema: Callable[[Layout], pa.Schema]
    rows: Callable[..., Any]


@dataclass(frozen=True)
class CellResult:
    """What was played in one cell, and what came of it."""

    cell: int
    label: str
    policy: Policy
    workload: Source
    engine: str
    num_sessions: int
    summaries: Mapping[str, MetricSummary]


def block_tables(detail: str) -> tuple[str, ...]:
    """Return the tables that are made block by block at this detail.

    >>> block_tables("cells"), block_tables("sessions"), block_tables("turns")
    ((), ('sessions',), ('sessions', 'turns'))
    """
    return {"cells": (), "sessions": ("sessions",)}.get(detail, ("sessions", detail))


def part_tables(detail: str) -> tuple[str, ...]:
    """Return the tables that a part of a sweep writes at this detail, each into a folder of its own."""
    return (*block_tables(detail), "histograms")


def rows_per_session(table: str, sizes: Sizes) -> int:
    """Return how many rows a session has at most in a table that is made block by block."""
    return {"items": sizes.items, "turns": sizes.turns, "misses": sizes.touches}.get(table, 1)


def block_rows(
    table: str,
    cell: int | NDArray[np.int32],
    seeds: Seeds,
    outcome: BlockOutcome,
    layout: Layout,
    measured: Mapping[str, Column] | None = None,
) -> pa.RecordBatch:
    """Return the rows that a block adds to "sessions", "items", "turns" or "misses", in the order of the seeds.

    Args:
        table: the table's name; items are rows in the order of their numbers, turns in theirs, misses in that of play.
        cell: the number of the cell, shape () or, for sessions, (session).
        seeds: one per session of the outcome.
        outcome: what the sessions came to; with its items, turns or misses where the table needs them.
        layout: the layout of the run.
        measured: the session columns of the outcome, where they are there already.

    Raises:
        ValueError: the outcome was played without its items, turns or misses.
    """
    schema = TABLES[table].schema(layout)
    seed = seed_array(seeds, schema.field("seed").type)
    columns: dict[str, Any]
    if table == "sessions":
        columns = dict(measured or session_columns(outcome, layout.beside))
    else:
        columns, per_session = _COLUMNS[table](outcome)
        seed = seed.take(pa.array(np.repeat(np.arange(len(per_session)), per_session)))
    columns |= {"cell": (np.full(len(seed), cell, dtype=np.int32), None), "seed": seed}
    return pa.RecordBatch.from_arrays([_array(columns[field.name], field.type) for field in schema], schema=schema)


def _array(column: pa.Array | Column, kind: pa.DataType) -> pa.Array:
    if isinstance(column, pa.Array):
        return column
    values, valid = column
    mask = None if valid is None else ~valid
    # A view is copied: Arrow would keep the whole array alive that it is a part of, ten times what the column needs.
    converted = values.astype(kind.to_pandas_dtype(), copy=values.base is not None)
    return pa.array(converted, type=kind, mask=mask)


def _item_columns(outcome: BlockOutcome) -> tuple[dict[str, Any], NDArray[np.int64]]:
    """Return the columns of the items table but the keys, and how many rows each session has."""
    items = outcome.items
    if items is None:
        raise ValueError("the outcome was played without its items")
    per_session = np.diff(items.item_start)
    known = items.registered_turn > 0
    has_stability = items.stability is not None
    return {
        "item": (np.arange(len(items.kind)) - np.repeat(items.item_start[:-1], per_session), None),
        "kind": pa.DictionaryArray.from_arrays(pa.array(items.kind, type=pa.int32()), pa.array(_KINDS)),
        "registered_turn": (items.registered_turn, known),
        "last_touch": (items.last_touch, known),
        "recall_count": (items.recall_count, known),
        "stability": (items.stability if has_stability else np.zeros(len(known)), known & has_stability),
        "evicted_turn": (items.evicted_turn, items.evicted_turn > 0),
        "evicted_reason": _reasons(items.evicted_reason),
        "present": (items.present, None),
        "hits": (items.hits, None),
        "misses": (items.misses, None),
        **_attribute_columns(items),
    }, per_session


def _reasons(reason: NDArray[np.int32]) -> pa.Array:
    """Return the reasons of eviction as words, null for an item that was never evicted."""
    return pa.DictionaryArray.from_arrays(pa.array(reason - 1, mask=reason == 0), pa.array(EVICTION_REASONS))


def _attribute_columns(items: ItemOutcomes) -> dict[str, Any]:
    kinds, which = items.attributes
    categories = list(dict.fromkeys(one.category for one in kinds))
    category = np.array([categories.index(one.category) for one in kinds], dtype=np.int32)
    return {
        "importance": (np.array([one.importance for one in kinds], dtype=np.float64)[which], None),
        "category": pa.DictionaryArray.from_arrays(pa.array(category[which]), pa.array(categories)),
        "pinned": (np.array([one.pinned for one in kinds], dtype=np.bool_)[which], None),
    }


def _turn_columns(outcome: BlockOutcome) -> tuple[dict[str, Any], NDArray[np.int64]]:
    """Return the columns of the turns table but the keys, and how many rows each session has."""
    turns = outcome.turns
    if turns is None:
        raise ValueError("the outcome was played without its turns")
    per_session = np.diff(turns.turn_start)
    items = np.repeat(outcome.foundational_items, per_session)
    rate = np.ones(len(items))
    np.divide(turns.foundational_present, items, out=rate, where=items != 0)
    return {
        "turn": (np.arange(len(items)) - np.repeat(turns.turn_start[:-1], per_session) + 1, None),
        "working_set": (turns.working_set, None),
        "foundational_present": (turns.foundational_present, None),
        "foundational_recall_rate": (rate, None),
    }, per_session


def _miss_columns(outcome: BlockOutcome) -> tuple[dict[str, Any], NDArray[np.int64]]:
    """Return the columns of the misses table but the keys, and how many rows each session has."""
    missed = outcome.missed
    if missed is None:
        raise ValueError("the outcome was played without its misses")
    was_there = missed.evicted_turn > 0
    return {
        "turn": (missed.turn, None),
        "item": (missed.item, None),
        "evicted_turn": (missed.evicted_turn, was_there),
        "evicted_reason": _reasons(missed.evicted_reason),
        "turns_late": (missed.turn - missed.evicted_turn, was_there),
    }, np.diff(missed.miss_start)


_COLUMNS = {"items": _item_columns, "turns": _turn_columns, "misses": _miss_columns}


@lru_cache(maxsize=64)
def _sessions_schema(layout: Layout) -> pa.Schema:
    quantities = SESSION_COLUMNS + (TOKEN_COLUMNS if layout.has_tokens else ())
    quantities += RELATION_COLUMNS if layout.has_relations else ()
    there = {one.name for one in quantities}
    for metric in (one for one in ASKED_METRICS if one.name in layout.asked and one.name not in there):
        rate = Quantity(metric.name, "float64", quantities[0].dimensions, metric.unit, metric.meaning, nullable=True)
        quantities += (*ASKED_COLUMNS[metric.name], rate)
    checkpoints = [field_of(quantity, turn) for turn in layout.checkpoints for quantity in CHECKPOINT_COLUMNS]
    return pa.schema([*fields_of(quantities, layout), *checkpoints])


@lru_cache(maxsize=64)
def _cells_schema(layout: Layout) -> pa.Schema:
    return pa.schema([*map(field_of, CELL_COLUMNS), *_parameter_fields(layout), *_summary_fields(layout)])


def _parameter_fields(layout: Layout) -> list[pa.Field]:
    """Return a nullable column for each parameter name; a cell whose policy has no such parameter holds null there."""
    fields: dict[str, pa.Field] = {}
    for one in (one for kind in layout.kinds for one in kind.every_parameter()):
        if one.shared and one.name not in layout.shared:
            continue
        wanted = _PARAMETER_TYPES[one.kind]
        if one.name in fields and fields[one.name].type != wanted:
            wanted = pa.float64()
        metadata = {"meaning": one.meaning, "unit": one.unit, "dimensions": "cell"}
        fields[one.name] = pa.field(one.name, wanted, nullable=True, metadata=metadata)
    return list(fields.values())


def _summary_fields(layout: Layout) -> list[pa.Field]:
    """Return the fields that summarise each metric, and each recall rate at a checkpoint, over a cell's sessions."""
    metrics = METRICS + (RELATION_METRICS if layout.has_relations else ())
    metrics += tuple(one for one in ASKED_METRICS if one.name in layout.asked)
    described = [(metric.name, metric.unit, metric.meaning) for metric in metrics]
    rate = CHECKPOINT_COLUMNS[1]
    described += [(rate.name.format(turn=t), rate.unit, rate.meaning.format(turn=t)) for t in layout.checkpoints]
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


def cells_table(results: Sequence[CellResult], layout: Layout) -> pa.Table:
    """Return the cells table: one row per cell with its parameters and the summary of every metric."""
    rows = [_cell_row(result, layout.beside) for result in results]
    schema = _cells_schema(layout)
    columns = [pa.array([row.get(field.name) for row in rows], type=field.type) for field in schema]
    return pa.Table.from_arrays(columns, schema=schema)


def _cell_row(result: CellResult, beside: Sequence[int | str]) -> dict[str, Any]:
    row = {
        **result.policy.every_value(),  # the schema says which of the shared ones are asked for
        **result.workload.values(),
        "cell": result.cell,
        "policy": result.label,
        "policy_kind": result.policy.name,
        "workload": result.workload.name,
        "engine": result.engine,
        "sessions": result.num_sessions,
    }
    for name in summarised_names(beside):
        row |= {f"{name}_{suffix}": value for suffix, value in result.summaries[name].values().items()}
    return row


TABLES: dict[str, Table] = {
    "cells": Table(_cells_schema, cells_table),
    "sessions": Table(_sessions_schema, partial(block_rows, "sessions")),
    "items": Table(
        lru_cache(maxsize=64)(lambda layout: pa.schema(fields_of(ITEM_COLUMNS, layout))), partial(block_rows, "items")
    ),
    "turns": Table(
        lru_cache(maxsize=64)(lambda layout: pa.schema(fields_of(TURN_COLUMNS, layout))), partial(block_rows, "turns")
    ),
    "misses": Table(
        lru_cache(maxsize=64)(lambda layout: pa.schema(fields_of(MISS_COLUMNS, layout))), partial(block_rows, "misses")
    ),
    "histograms": Table(lambda _: histograms_schema(), lambda cells, layout: histograms_table(cells, layout.beside)),
}
"""Every table of a run by its name."""
