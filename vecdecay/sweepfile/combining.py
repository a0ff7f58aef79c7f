"""Checks that concern axes together: how they combine, how many cells that makes, values that do not go together."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from vecdecay.errors import InvalidInputError
from vecdecay.parameters import Described, Parameter, brief
from vecdecay.quantities import ALL_METRICS, CELL_COLUMNS, CHECKPOINT_COLUMNS, SUMMARY_SUFFIXES
from vecdecay.sessions.source import Recorded
from vecdecay.sweepfile.axes import MOST_CELLS, Axis, Listed
from vecdecay.sweepfile.axis_reading import Targets, clean_value
from vecdecay.sweepfile.model import TRACE, WORKLOAD, SweepSpec, num_points, places
from vecdecay.sweepfile.problems import Findings, KeyPath
from vecdecay.sweepfile.tables import SweepTable

MOST_UNORDERED_CELLS = 1_000_000
"""Cells of a sweep that is no grid: which of them are the same is looked up in a dictionary, some 150 bytes a cell."""

MOST_POINTS_TRIED = 4096
"""Points whose values are tried together when a sweep is read; a later one that fails does so when it is run."""

MOST_ALIKE = 3
"""Mistakes at points that are listed where they differ in numbers alone."""

_NUMBER = re.compile(r"-?\d[\d.e+-]*")


def read_points(
    entries: Sequence[Any], targets: Targets, bases: Mapping[str, Described], findings: Findings
) -> list[Axis]:
    """Return the listed points as one axis per parameter that any of them names.

    A point that leaves out what another one names takes the value that the policy or workload has in its own table.
    """
    columns: dict[str, dict[int, Any]] = {}
    for place, entry in enumerate(entries):
        for path, name, value in _named_values(entry, ("point", place)):
            parameter = targets.find(name, path, findings)
            if parameter is None:
                continue
            column = columns.setdefault(name, {})
            if place in column:
                findings.add(path, "is repeated in this point; allowed: each parameter once")
            column[place] = clean_value(parameter, value, path, findings)
        if findings.full:
            break
    axes = []
    for name, column in columns.items():
        label, _, own_name = name.rpartition(".")
        # Without a base there was a mistake in its table, and the sweep is refused whatever fills the gap.
        gap = bases[label].every_value()[own_name] if label in bases else None
        axes.append(Axis(name, Listed(tuple(column.get(place, gap) for place in range(len(entries))))))
    return axes


def _named_values(entry: Any, path: KeyPath) -> Iterator[tuple[KeyPath, str, Any]]:
    """Yield path, ``LABEL.parameter`` and value, for quoted keys and for those that TOML read as a table."""
    for key, value in entry.items() if isinstance(entry, dict) else ():
        if isinstance(value, dict):
            yield from (((*path, key, inner), f"{key}.{inner}", one) for inner, one in value.items())
        else:
            yield (*path, key), key, value


def check_combination(
    sweep: SweepTable, axes: Sequence[Axis], num_listed_points: int, num_policies: int, findings: Findings
) -> None:
    """Check that the keys of the sweep, its axes and its points fit ``combine``, and count the cells."""
    _check_random_keys(sweep, findings)
    if sweep.combine != "points" and num_listed_points:
        findings.add(("point",), f'is given; allowed only with combine = "points", not {brief(sweep.combine)}')
        return
    if sweep.combine == "points" and not num_listed_points:
        findings.add(("point",), 'missing; allowed: at least one [[point]] with combine = "points"')
    elif sweep.combine == "points" and not axes and not findings:
        findings.add(("point",), "names no parameter; allowed: at least one, as LABEL.parameter")
    if sweep.combine == "random" and not axes and not findings:
        findings.add(("axis",), 'missing; allowed: at least one [[axis]] with combine = "random"')
    lengths = [len(axis.values) for axis in axes]
    if sweep.combine == "zip" and len(set(lengths)) > 1:
        several = ", ".join(f"{length:,}" for length in lengths)
        findings.add(("axis",), f'hold {several} values; allowed with combine = "zip": equally many on each axis')
        return
    if sweep.combine == "grid":
        points, limit = math.prod(lengths), MOST_CELLS
    else:
        points, limit = sweep.random_points or max(lengths, default=1), MOST_UNORDERED_CELLS
    if points * num_policies > limit:
        findings.add(
            ("sweep", "combine"),
            f"{points:,} points × {num_policies} policies are {points * num_policies:,} cells; "
            f"allowed for {sweep.combine}: at most {limit:,}",
        )


def _check_random_keys(sweep: SweepTable, findings: Findings) -> None:
    if sweep.combine == "random":
        if sweep.random_points is None and not findings.concern(("sweep", "random_points")):
            findings.add(("sweep", "random_points"), 'missing; allowed: an integer from 1, with combine = "random"')
        return
    for key, value in (("random_points", sweep.random_points), ("random_seed", sweep.random_seed)):
        if value is not None:
            findings.add(("sweep", key), f'is {brief(value)}; allowed only with combine = "random"')


def check_together(spec: SweepSpec, findings: Findings) -> None:
    """Try the first points for values that are each allowed and do not go together, such as a reversed range.

    Lines that differ in numbers alone are of one kind; of each kind the first are listed, and the others counted.
    """
    bases: dict[str, Described] = {WORKLOAD: spec.workload}
    bases |= {entry.label: entry.policy for entry in spec.policies}
    for label, base in bases.items():
        own = [(place, axis) for place, axis in enumerate(spec.axes) if axis.label == label]
        kind = type(base)
        if not own or not (isinstance(base, Recorded) or kind.may_clash([axis.name for _, axis in own])):
            continue
        seen: dict[str, dict[str, int]] = {}
        tried: set[tuple[int, ...]] = set()
        for point in range(min(num_points(spec), MOST_POINTS_TRIED)):
            indices = places(spec, point)
            if (chosen := tuple(indices[place] for place, _ in own)) in tried:
                continue
            tried.add(chosen)
            values = {axis.name: axis.values[indices[place]] for place, axis in own}
            try:
                base.varied(values)
            except InvalidInputError as error:
                for line in error.problems:
                    seen.setdefault(_NUMBER.sub("", line), {}).setdefault(line, point)
        label = TRACE if base is spec.workload and spec.trace is not None else label
        for alike in seen.values():
            for line, point in list(alike.items())[:MOST_ALIKE]:
                findings.add((label,), f"{line.removeprefix(f'{kind.__name__}.')} (at point {point + 1})")
            others = list(alike.values())[MOST_ALIKE:]
            if others:
                least = "at least " if num_points(spec) > MOST_POINTS_TRIED else ""
                findings.add((label,), f"… and {least}{len(others):,} more such, the next at point {others[0] + 1}")


def column_clashes(policies: Iterable[type[Described]], workload: type[Described] | None) -> list[str]:
    """Return a line for each parameter that cannot be a column of ``cells.parquet`` under its own name.

    Several policies may share a column where it means the same type. Names that differ in capitals alone clash too,
    since DuckDB and Spark take them for one.
    """
    lines = []
    taken: dict[str, tuple[type[Described], Parameter, bool]] = {}
    for kind, is_workload in (
        *((one, False) for one in dict.fromkeys(policies)),
        *([(workload, True)] if workload else []),
    ):
        for one in kind.every_parameter():
            name = one.name.lower()
            if _reserved_column().fullmatch(name):
                lines.append(f"{kind.__name__}.{one.name} has the name of a column of cells.parquet; rename the field")
                continue
            other, twin, of_workload = taken.setdefault(name, (kind, one, is_workload))
            same_type = one.kind == twin.kind or {one.kind, twin.kind} == {"integer", "number"}
            if is_workload != of_workload or one.name != twin.name or not same_type:
                lines.append(
                    f"{other.__name__}.{twin.name} ({twin.kind}) and {kind.__name__}.{one.name} ({one.kind}) would be "
                    "one column of cells.parquet; rename one of the fields"
                )
    return lines


@cache
def _reserved_column() -> re.Pattern[str]:
    metrics = "|".join([*(one.name for one in ALL_METRICS), CHECKPOINT_COLUMNS[1].name.format(turn=r"\d+")])
    suffixes = "|".join(suffix for suffix, _ in SUMMARY_SUFFIXES)
    return re.compile(rf"{'|'.join(one.name for one in CELL_COLUMNS)}|(?:{metrics})_(?:{suffixes})")
