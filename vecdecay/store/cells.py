"""The cells table: one row per cell with its parameters and the summary of every metric."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from vecdecay.analysis.summaries import MetricSummary
from vecdecay.parameters import Described
from vecdecay.policies.base import Policy
from vecdecay.sessions.workload import Workload
from vecdecay.store.schema import cells_schema

_TYPES = {
    "integer": pa.int64(),
    "number": pa.float64(),
    "numbers": pa.list_(pa.float64()),
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
    rows = [_row(result, [field.name for field in parameters]) for result in results]
    columns = [pa.array([row[field.name] for row in rows], type=field.type) for field in schema]
    return pa.Table.from_arrays(columns, schema=schema)


def _row(result: CellResult, parameter_names: Sequence[str]) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(parameter_names)
    row |= result.policy.values() | result.workload.values()
    row |= {
        "cell": result.cell,
        "policy": result.label,
        "policy_kind": result.policy.name,
        "workload": result.workload.name,
        "engine": result.engine,
        "sessions": result.num_sessions,
    }
    for name, one in result.summaries.items():
        row[f"{name}_mean"] = one.summary.mean
        row[f"{name}_standard_deviation"] = one.summary.standard_deviation
        row[f"{name}_minimum"] = one.summary.minimum
        row[f"{name}_maximum"] = one.summary.maximum
        row[f"{name}_low"] = one.low
        row[f"{name}_high"] = one.high
        row[f"{name}_sessions"] = one.summary.count
    return row
