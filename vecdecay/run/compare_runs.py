"""Two runs side by side: parameters that differ, cells that one of them lacks, and what differs in what came of them.

Cells belong together where they have the same label and the same values of all parameters that either run has on an
axis. Where both runs keep their sessions, metrics are compared session by session, over the seeds that both have.
Elsewhere only the means of the cells can be subtracted; their interval then allows for any correlation.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from vecdecay.analysis.difference import Difference, difference_by_session, difference_of_means
from vecdecay.errors import InvalidInputError, VecdecayError
from vecdecay.parameters import printable
from vecdecay.quantities import UNSIZED_TWINS
from vecdecay.run.open_run import Run
from vecdecay.run.played import CellRow, cell_rows
from vecdecay.sweepfile.model import TRACE, WORKLOAD, SweepSpec

Key = tuple[str, tuple[tuple[str, Any], ...]]
"""A label, and the values of the parameters that either run has on an axis, by their full names."""

_SHOWN_ONLY = ("name", "title", "note", "metrics")
_PARAMETERS = pa.schema([("parameter", pa.string()), ("first", pa.string()), ("second", pa.string())])
_ONE_SIDED = pa.schema([("policy", pa.string()), ("values", pa.string()), ("only_in", pa.string())])
_METRICS = pa.schema(
    [
        ("policy", pa.string()), ("values", pa.string()), ("metric", pa.string()), ("first", pa.float64()),
        ("second", pa.float64()), ("difference", pa.float64()), ("low", pa.float64()), ("high", pa.float64()),
        ("sessions", pa.int64()), ("paired", pa.bool_()), ("differs", pa.bool_()),
    ]
)  # fmt: skip


@dataclass(frozen=True)
class RunComparison:
    """What differs between two runs, as Arrow tables.

    ``parameters``: each setting that is not the same, as text; null where a run has no such one. ``one_sided``: the
    cells that only the "first" or the "second" run has. ``metrics``: for each cell of both and each metric the two
    means, second minus first with its 95 % interval, from how many sessions, whether paired, and whether it ``differs``
    from 0, null where the cells alone cannot tell. ``unpaired`` says why sessions were not paired; empty where they
    were.
    """

    first: Run
    second: Run
    parameters: pa.Table
    one_sided: pa.Table
    metrics: pa.Table
    unpaired: str

    @property
    def num_cells(self) -> int:
        """The number of cells that both runs have."""
        return len(set(zip(self.metrics["policy"].to_pylist(), self.metrics["values"].to_pylist(), strict=True)))

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Stream the table of the metrics through the Arrow C interface."""
        return self.metrics.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return (
            f"RunComparison of {self.first.spec.name} and {self.second.spec.name}: {self.parameters.num_rows} "
            f"parameters differ, {self.num_cells} cells in both, {self.one_sided.num_rows} in one only"
        )


def compare_runs(first: Run, second: Run) -> RunComparison:
    """Return what differs between two finished runs; a difference is that of the second from the first.

    Raises:
        InvalidInputError: one line per run that is not finished or cannot be read.
    """
    runs = (first, second)
    problems = [problem for run in runs for problem in _problems(run)]
    if problems:
        raise InvalidInputError(problems)
    axes = {axis.parameter for run in runs for axis in run.spec.axes}
    cells = [_cells(run, axes) for run in runs]
    unpaired = _unpaired(first, second)
    one_sided = [
        {"policy": key[0], "values": values_text(key), "only_in": name}
        for name, own, other in (("first", cells[0], cells[1]), ("second", cells[1], cells[0]))
        for key in own
        if key not in other
    ]
    metrics = [
        row
        for key in cells[0]
        if key in cells[1]
        for row in _metric_rows(key, runs, (cells[0][key], cells[1][key]), paired=not unpaired)
    ]
    tables = (
        pa.Table.from_pylist(list(_parameters(first.spec, second.spec)), _PARAMETERS),
        pa.Table.from_pylist(one_sided, _ONE_SIDED),
        pa.Table.from_pylist(metrics, _METRICS),
    )
    return RunComparison(first, second, *tables, unpaired)


def _problems(run: Run) -> list[str]:
    if run.unfinished() or run.shard is not None:
        share = f"share {run.shard[0]} of {run.shard[1]}; vecdecay merge joins them" if run.shard else ""
        return [f"{printable(run.folder)}: {run.unfinished() or share}; allowed: finished runs"]
    try:
        run.cells  # noqa: B018 - read once, to know that it can be
    except (VecdecayError, OSError) as error:
        return [str(error)]
    return []


def _cells(run: Run, axes: set[str]) -> dict[Key, CellRow]:
    """Return the cells of a run by what they are; of several that are the same, the first."""
    found: dict[Key, CellRow] = {}
    for row in cell_rows(run.plan, run.folder):
        values = {
            **dict.fromkeys((WORKLOAD, TRACE), row.cell.workload.values()),
            row.cell.label: row.cell.policy.values(),
        }
        at = ((full, *full.rpartition(".")[::2]) for full in sorted(axes))
        read = tuple((full, values[label].get(name)) for full, label, name in at if label in values)
        found.setdefault((row.cell.label, read), row)
    return found


def values_text(key: Key) -> str:
    """Return the values of a cell in words: ``eviction_threshold 0.2, workload.noise_per_turn 3``."""
    label, values = key
    return ", ".join(f"{full.removeprefix(f'{label}.')} {_text(value)}" for full, value in values)


def _text(value: Any) -> str:
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def _parameters(first: SweepSpec, second: SweepSpec) -> Iterator[dict[str, str | None]]:
    """Yield what differs between two sweeps, in the order in which it stands in their files."""
    left, right = _settings(first), _settings(second)
    for name in dict.fromkeys((*left, *right)):
        if left.get(name) != right.get(name):
            yield {"parameter": name, "first": left.get(name), "second": right.get(name)}


def _settings(spec: SweepSpec) -> dict[str, str]:
    """Return all settings of a sweep as text: a parameter on an axis by how many values it has, and which."""
    tables = spec.tables()
    labelled = [*((name, tables[name]) for name in (WORKLOAD, TRACE) if name in tables)]
    labelled += [(one.pop("label"), one) for one in tables["policy"]]
    found = {name: _text(value) for name, value in tables["sweep"].items() if name not in _SHOWN_ONLY}
    found["seeds"] = _seeds_text(spec)
    found |= {f"{label}.{name}": _text(value) for label, table in labelled for name, value in table.items()}
    for axis in spec.axes:
        values = [_text(axis.values[place]) for place in range(min(len(axis.values), 4))]
        more = f", … {_text(axis.values[len(axis.values) - 1])}" if len(axis.values) > 4 else ""
        found[axis.parameter] = f"{', '.join(values)}{more}" + f" ({len(axis.values):,} values)" * bool(more)
    return found


def _seeds_text(spec: SweepSpec) -> str:
    if isinstance(spec.seeds, range):
        return f"{spec.seeds[0]} to {spec.seeds[-1]}"
    listed = ", ".join(map(str, spec.seeds[:8]))
    return listed if len(spec.seeds) <= 8 else f"{listed}, … ({len(spec.seeds):,} seeds)"


def _unpaired(first: Run, second: Run) -> str:
    """Return why the sessions of two runs cannot be paired; nothing where they can."""
    if "cells" in (first.spec.detail, second.spec.detail):
        return "not both runs keep their sessions"
    sources = [run.spec.trace.table() if run.spec.trace else run.spec.workload_kind for run in (first, second)]
    if first.spec.trace is None != second.spec.trace is None or (first.spec.trace and sources[0] != sources[1]):
        return "the runs played different logs"
    seeds = [run.spec.seeds for run in (first, second)]
    if all(isinstance(one, range) for one in seeds):
        shared = range(max(one[0] for one in seeds), min(one[-1] for one in seeds) + 1)
        return "" if len(shared) else "the runs have no seed in common"
    return "" if set(seeds[0]).intersection(seeds[1]) else "the runs have no seed in common"


def _metric_rows(
    key: Key, runs: tuple[Run, Run], rows: tuple[CellRow, CellRow], paired: bool
) -> Iterator[dict[str, Any]]:
    sessions = [_sessions(run, row) for run, row in zip(runs, rows, strict=True)] if paired else []
    sized = any(run.plan.layout.has_tokens for run in runs)
    for metric in rows[0].summaries:
        # Checkpoints of the first run only; metrics in tokens that repeat those in items.
        if metric not in rows[1].summaries or (metric in UNSIZED_TWINS and not sized):
            continue
        left, right = (row.summaries[metric] for row in rows)
        by_session = paired and all(metric in one for one in sessions)
        if by_session:
            found = difference_by_session(_pairs(sessions[0], sessions[1], metric))
        else:
            found = difference_of_means(right, left)
        yield {
            "policy": key[0],
            "values": values_text(key),
            "metric": metric,
            "first": left.summary.mean,
            "second": right.summary.mean,
            **_difference(found, by_session),
        }


def _difference(found: Difference | None, paired: bool) -> dict[str, Any]:
    if found is None:
        return {"difference": None, "low": None, "high": None, "sessions": 0, "paired": paired, "differs": None}
    told = found.told_apart if paired or found.low is not None else None
    return {
        "difference": found.mean,
        "low": found.low,
        "high": found.high,
        "sessions": found.sessions,
        "paired": paired,
        "differs": told,
    }


def _sessions(run: Run, row: CellRow) -> Mapping[str, Any]:
    """Return the columns of the sessions of a cell as arrays (session,), NaN where a metric has no value."""
    table = run.sessions.to_table(filter=pc.field("cell") == row.cell.number)
    found = {name: table[name].cast(pa.float64()).fill_null(math.nan).to_numpy() for name in table.column_names}
    found |= {name: found[twin] for name, twin in UNSIZED_TWINS.items() if name not in found}
    return found | {"seed": np.array(table["seed"].cast(pa.string()).to_pylist())}  # a seed may not fit 64 bits


def _pairs(left: Mapping[str, Any], right: Mapping[str, Any], metric: str) -> Any:
    _, at_left, at_right = np.intersect1d(left["seed"], right["seed"], return_indices=True)
    difference = right[metric][at_right] - left[metric][at_left]
    return difference[np.isfinite(difference)]
