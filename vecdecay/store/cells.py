"""The cells table: one row per cell with its parameters and the summary of every metric."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from vecdecay.analysis.summaries import MetricSummary, summarised_names
from vecdecay.parameters import Described
from vecdecay.policies.base import Policy
from vecdecay.sessions.workload import Workload
from vecdecay.store.schema import cells_schema

_TYPES = {
    "integer": pa.int64(),
    "number": pa.float64(),
    "numbers": pa.list_(pa.float64()),
    "texts": pa.list_(pa.string()),
    "flag": pa.bool_(),
    "choice": pa.string(),
}


@dataclass(frozen=True)
class CellResult:
    """What was played in one cell, and what came of it."""

    cell: int
    label: str
    policy: Policy
    workload: Workload
    engine: str
    num_sessions: int
    summaries: Mapping[str, MetricSummary]


def parameter_fields(described: Iterable[type[Described]]) -> list[pa.Field]:
    """Return a nullable column for each parameter name; a cell whose policy has no such parameter holds null there."""
    fields: dict[str, pa.Field] = {}
    for kind in described:
        for one in kind.parameters():
            wanted = _TYPES[one.kind]
            if one.name in fields and fields[one.name].type != wanted:
                wanted = pa.float64()
            metadata = {"meaning": one.meaning, "unit": one.unit, "dimensions": "cell"}
            fields[one.name] = pa.field(one.name, wanted, nullable=True, metadata=metadata)
    return list(fields.values())


def cells_table(
    results: Sequence[CellResult], kinds: Iterable[type[Described]], checkpoints: Sequence[int]
) -> pa.Table:
    """Return the table of cells; ``kinds`` are the policies and workloads whose parameters get a column."""
    parameters = parameter_fields(kinds)
    schema = cells_schema(parameters, checkpoints)
    columns = _plain_columns(results) | _parameter_columns(results, [field.name for field in parameters])
    for name in summarised_names(checkpoints):
        columns |= _summary_columns(name, [result.summaries[name] for result in results])
    return pa.Table.from_arrays([pa.array(columns[field.name], type=field.type) for field in schema], schema=schema)


def _plain_columns(results: Sequence[CellResult]) -> dict[str, list[Any]]:
    return {
        "cell": [result.cell for result in results],
        "policy": [result.label for result in results],
        "policy_kind": [result.policy.name for result in results],
        "workload": [result.workload.name for result in results],
        "engine": [result.engine for result in results],
        "sessions": [result.num_sessions for result in results],
    }


def _parameter_columns(results: Sequence[CellResult], names: Sequence[str]) -> dict[str, list[Any]]:
    rows = [result.policy.values() | result.workload.values() for result in results]
    return {name: [row.get(name) for row in rows] for name in names}


def _summary_columns(name: str, each: Sequence[MetricSummary]) -> dict[str, list[Any]]:
    return {
        f"{name}_mean": [one.summary.mean for one in each],
        f"{name}_standard_deviation": [one.summary.standard_deviation for one in each],
        f"{name}_minimum": [one.summary.minimum for one in each],
        f"{name}_maximum": [one.summary.maximum for one in each],
        f"{name}_low": [one.low for one in each],
        f"{name}_high": [one.high for one in each],
        f"{name}_sessions": [one.summary.count for one in each],
    }
