"""Tests of vecdecay.store.schema: every column typed, with unit and meaning."""

import pyarrow as pa
import pytest

from vecdecay.quantities import METRIC_NAMES, SUMMARY_SUFFIXES
from vecdecay.store.schema import cells_schema, items_schema, sessions_schema, summary_fields, turns_schema

SCHEMAS = {
    "cells": cells_schema([], (5,)),
    "sessions": sessions_schema((5, 10)),
    "items": items_schema(),
    "turns": turns_schema(),
    "sessions with wide seeds": sessions_schema((), False),
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_field_says_what_it_is(name: str) -> None:
    """Type, unit, dimensions and meaning are in the schema itself; no placeholder is left in them."""
    for field in SCHEMAS[name]:
        assert set(field.metadata) >= {b"meaning", b"unit", b"dimensions"}
        assert field.metadata[b"meaning"]
        assert field.metadata[b"dimensions"].startswith(b"cell")
        assert not any(b"{" in value for value in field.metadata.values())


@pytest.mark.parametrize("name", SCHEMAS)
def test_types_that_every_reader_knows(name: str) -> None:
    """Signed integers, doubles, booleans and text; no unsigned integer, no time stamp, no column without a type."""
    for field in SCHEMAS[name]:
        kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        assert kind in (pa.int32(), pa.int64(), pa.float64(), pa.bool_(), pa.string()), field


def test_names_are_unique() -> None:
    """No two columns of a table have the same name."""
    for schema in SCHEMAS.values():
        assert len(set(schema.names)) == len(schema.names)


def test_checkpoints_get_a_count_and_a_rate_each() -> None:
    """Two columns per checkpoint, nullable, with the turn in name and meaning."""
    fields = list(sessions_schema((5, 10)))[-4:]
    assert [field.name for field in fields] == [
        "foundational_present_at_5",
        "foundational_recall_rate_at_5",
        "foundational_present_at_10",
        "foundational_recall_rate_at_10",
    ]
    assert all(field.nullable for field in fields)
    assert b"turn 10" in fields[-1].metadata[b"meaning"]


def test_wide_seeds_are_text() -> None:
    """Where a seed does not fit 64 bits the column is text, and nothing else changes."""
    narrow, wide = sessions_schema((3,)), sessions_schema((3,), False)
    assert narrow.field("seed").type == pa.int64()
    assert wide.field("seed").type == pa.string()
    assert narrow.remove(narrow.get_field_index("seed")) == wide.remove(wide.get_field_index("seed"))


def test_only_what_can_be_missing_is_nullable() -> None:
    """Survival times, item states and checkpoints may be null; counts, seeds and rates never are."""
    nullable = {field.name for field in sessions_schema() if field.nullable}
    assert nullable == {"survival_time", "survival_time_minimum", "survival_time_maximum"}
    nullable = {field.name for field in items_schema() if field.nullable}
    assert nullable == {"registered_turn", "last_touch", "recall_count", "stability", "evicted_turn"}
    assert not any(field.nullable for field in turns_schema())


def test_every_metric_is_summarised() -> None:
    """Mean, spread, extremes, interval and the count behind them, for each metric and each checkpoint."""
    names = [field.name for field in summary_fields((7,))]
    metrics = [*METRIC_NAMES, "foundational_recall_rate_at_7"]
    assert names == [f"{metric}_{suffix}" for metric in metrics for suffix, _ in SUMMARY_SUFFIXES]
    assert [field.name for field in summary_fields(()) if not field.nullable] == [f"{m}_sessions" for m in METRIC_NAMES]
