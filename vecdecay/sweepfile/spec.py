"""From a sweep file to a checked :class:`SweepSpec`, or to one error that names every mistake."""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from vecdecay.errors import InvalidInputError
from vecdecay.own_file import OwnCode
from vecdecay.parameters import Described, brief, did_you_mean
from vecdecay.quantities import ASKED_NAMES, METRIC_NAMES, RELATION_NAMES
from vecdecay.sessions.relearning import ON_MISS, with_on_miss
from vecdecay.sessions.source import Recorded, Source
from vecdecay.sweepfile.axes import Axis
from vecdecay.sweepfile.axis_reading import Targets, clean_value, read_axis_values
from vecdecay.sweepfile.combining import check_combination, check_together, column_clashes, read_points
from vecdecay.sweepfile.kinds import default_label, find_policy, find_workload
from vecdecay.sweepfile.model import AUTO, SCALAR, TRACE, WORKLOAD, PolicyEntry, SweepSpec, engine_for
from vecdecay.sweepfile.overrides import Override, apply_overrides
from vecdecay.sweepfile.problems import Findings, KeyPath
from vecdecay.sweepfile.resolved import resolved_toml
from vecdecay.sweepfile.seeds import SEEDS_ALLOWED, Seeds, read_seeds
from vecdecay.sweepfile.tables import (
    LABEL_ALLOWED,
    AxisTable,
    PolicyTable,
    SweepFile,
    SweepTable,
    WorkloadTable,
    is_label,
    read_tables,
)
from vecdecay.sweepfile.toml_text import MOST_BYTES, parse_toml, plain_tables, read_text
from vecdecay.sweepfile.trace_file import TraceFile, read_trace

DescribedType = TypeVar("DescribedType", bound=Described)
Overrides = Sequence[Override] | Mapping[str, Any]
"""Options of the command line, or values by key; see :func:`vecdecay.sweepfile.overrides.apply_overrides`."""


def load_sweep(path: str | os.PathLike[str], overrides: Overrides = ()) -> SweepSpec:
    """Return the sweep that a file describes, with what is overridden.

    Raises InvalidInputError with one line per mistake, all of them: file, key, value, what is allowed.
    """
    return parse_sweep(read_text(path), os.fspath(path), overrides, (Path(path).parent,))


def parse_sweep(
    source: str | Mapping[str, Any], where: str = "sweep", overrides: Overrides = (), folders: Sequence[Path] = ()
) -> SweepSpec:
    """Return the sweep that a TOML text, or a mapping with the same keys, describes.

    ``where`` begins each line of an error. The user's own code is looked for in ``folders``, and
    then in the current one. In a mapping, seeds may be a range or a list too.

    Raises InvalidInputError with one line per mistake, all of them.

    >>> tables = {
    ...     "schema": 1,
    ...     "sweep": {"name": "small", "seeds": 20},
    ...     "workload": {"kind": "published_sessions"},
    ...     "policy": [{"kind": "recency_window", "window": 15}],
    ... }
    >>> parse_sweep(tables, "small.toml")
    Traceback (most recent call last):
    vecdecay.errors.InvalidInputError: small.toml: policy[1].window: unknown key; did you mean window_size?
    """
    raw = parse_toml(source, where) if isinstance(source, str) else plain_tables(source, where)
    raw, origins, misfits = apply_overrides(raw, overrides)
    findings = Findings(where, origins)
    for line in misfits:
        findings.add_line(line)
    spec = _read(read_tables(raw, findings), findings, folders)
    findings.stop_if_any()
    assert spec is not None
    check_together(spec, findings)
    # What is written out is at most some five times as long as its file: 1e9 is 1000000000.0 there.
    if not isinstance(source, str) or len(source) > MOST_BYTES // 8:
        size = len(resolved_toml(spec).encode())
        if size > MOST_BYTES:
            findings.add((), f"written out in full has {size:,} bytes; allowed: at most {MOST_BYTES:,}")
    findings.stop_if_any()
    return spec


def _read(file: SweepFile, findings: Findings, folders: Sequence[Path]) -> SweepSpec | None:
    """Read every section, even where another has mistakes, so that all are named at once; None if there are any."""
    sweep = file.sweep
    # What is None is a finding already, for TOML cannot write it.
    seeds = None if sweep.seeds is None else read_seeds(sweep.seeds, ("sweep", "seeds"), findings)
    _check_metrics(sweep.metrics or (), findings)
    source = _read_source(file, findings, folders)
    described, workload, code = source.described, source.source, source.code
    for place, name in enumerate(sweep.metrics or ()):
        if name in RELATION_NAMES and workload is not None and not workload.has_relations:
            line = f"is {name!r}, but no item of {workload.name} supersedes, or is derived from, another"
            findings.add(("sweep", "metrics", place), f"{line}; allowed: {', '.join(METRIC_NAMES)}")
    if "saturation" in (sweep.metrics or ()) and sweep.engine not in (None, AUTO, SCALAR):
        findings.add(("sweep", "engine"), f"is {sweep.engine!r}; allowed with saturation: {AUTO} or {SCALAR}")
    if isinstance(workload, Recorded):
        seeds = _session_numbers(workload, seeds, findings)
    elif sweep.seeds is None and not findings.concern(("sweep", "seeds")) and _is_there(sweep, findings):
        findings.add(("sweep", "seeds"), f"missing; allowed: {SEEDS_ALLOWED}")
    source_label = WORKLOAD if file.trace is None else TRACE
    targets = Targets({source_label: described})
    policies = _read_policies(file.policy, targets, findings, folders)
    axes = _read_axes(file.axis, targets, sweep.combine, findings)
    bases: dict[str, Described] = {entry.label: entry.policy for entry in policies}
    if workload is not None:
        bases[source_label] = workload
    columns = read_points(file.point or (), targets, bases, findings)
    if sweep.combine == "points":
        if axes:
            findings.add(("axis",), 'is given; allowed with combine = "points": [[point]] only')
        axes = columns
    if sweep.combine is not None:
        check_combination(sweep, axes, len(file.point or ()), len(policies), findings)
    for line in column_clashes([type(entry.policy) for entry in policies], type(workload) if workload else None):
        findings.add((), line)
    if findings or seeds is None or workload is None:
        return None
    return SweepSpec(
        name=sweep.name,
        seeds=seeds,
        workload_kind=file.workload.kind if file.workload is not None else TRACE,
        workload=workload,
        policies=tuple(policies),
        title=sweep.title,
        note=sweep.note,
        detail=sweep.detail,
        engine=engine_for(sweep.engine, sweep.metrics),
        checkpoints=tuple(sorted(set(sweep.checkpoints))),
        metrics=tuple(sweep.metrics),
        combine=sweep.combine,
        axes=tuple(axes),
        random_points=sweep.random_points or 0,
        random_seed=sweep.random_seed or 0,
        workload_sha256=_digest(file.workload, code) if file.workload is not None else "",
        workload_code=code,
        trace=source.trace,
    )


def _is_there(sweep: SweepTable, findings: Findings) -> bool:
    """Tell whether there is a table [sweep] at all."""
    name: str | None = sweep.name  # None where the file is faulty
    return name is not None or findings.concern(("sweep", "name"))


class _ReadSource(NamedTuple):
    """Where the sessions come from, as far as it could be read: the class that axes may name, and what was made."""

    described: type[Described] | None = None
    source: Source | None = None
    code: OwnCode | None = None
    trace: TraceFile | None = None


def _read_source(file: SweepFile, findings: Findings, folders: Sequence[Path]) -> _ReadSource:
    """Read the workload, or the trace that stands in its place."""
    if file.trace is not None and file.workload is not None:
        findings.add((TRACE,), "is given beside [workload]; allowed: one of them")
    if file.trace is not None:
        if findings.concern((TRACE,)):
            return _ReadSource(None)
        trace, kept = read_trace(file.trace, findings, folders)
        return _ReadSource(None if trace is None else type(trace), trace, trace=kept)
    if file.workload is None:
        if not findings.concern((WORKLOAD,)):
            findings.add((WORKLOAD,), "missing; allowed: a table, or [trace]")
        return _ReadSource()
    described, code = _found(find_workload, file.workload, file.workload.kind, (WORKLOAD,), findings, folders)
    if described is not None and _tells_on_miss(file, described):
        described = with_on_miss(described)
    workload = _described(file.workload, (WORKLOAD,), described, findings) if described else None
    return _ReadSource(described, workload, code)


def _tells_on_miss(file: SweepFile, described: type[Described]) -> bool:
    """Tell whether the file says, in its table, an axis or a point, what a miss does: then that is a parameter."""
    name = f"{WORKLOAD}.{ON_MISS.name}"
    named = {one.parameter for one in file.axis}.union(*file.point)
    given = getattr(file.workload, "model_extra", None) or {}
    is_own = any(one.name == ON_MISS.name for one in described.parameters())
    return not is_own and (name in named or ON_MISS.name in given)


def _session_numbers(trace: Recorded, seeds: Seeds | None, findings: Findings) -> Seeds | None:
    """Return the numbers of the sessions to play, all where none are given."""
    if seeds is None:
        return None if findings.concern(("sweep", "seeds")) else range(trace.num_sessions)
    wrong = [one for one in (min(seeds), max(seeds)) if not 0 <= one < trace.num_sessions]
    if wrong:
        allowed = f"allowed: numbers of sessions, from 0 to {trace.num_sessions - 1}"
        findings.add(("sweep", "seeds"), f"session {wrong[0]} is not in the trace; {allowed}")
        return None
    return seeds


def _check_metrics(names: Sequence[str | None], findings: Findings) -> None:
    for place, name in enumerate(names):
        path = ("sweep", "metrics", place)
        if name is not None and name not in (*METRIC_NAMES, *RELATION_NAMES, *ASKED_NAMES):
            hint = did_you_mean(name, (*METRIC_NAMES, *RELATION_NAMES, *ASKED_NAMES))
            findings.add(path, f"is {brief(name)}; allowed: {', '.join((*METRIC_NAMES, *ASKED_NAMES))}{hint}")
        elif name is not None and name in names[:place]:
            findings.add(path, f"is {brief(name)} again; allowed: each metric once")


def _found(
    find: Callable[[str, Sequence[Path], str], tuple[type[DescribedType], OwnCode | None]],
    table: WorkloadTable | PolicyTable,
    kind: str | None,
    path: KeyPath,
    findings: Findings,
    folders: Sequence[Path],
) -> tuple[type[DescribedType] | None, OwnCode | None]:
    """Return the class that a table's kind names, and its code if it is user code; both None on a mistake."""
    if kind is None:
        return None, None
    try:
        described, code = find(kind, folders, table.file_sha256 or "")
        names = [one.name for one in described.every_parameter() if one.name in type(table).model_fields]
        problems = [f"{described.__name__}.{name} has the name of a key of this table; rename it" for name in names]
    except InvalidInputError as error:
        problems = list(error.problems)
    for line in problems:
        findings.add((*path, "kind"), line)
    return (None, None) if problems else (described, code)


def _digest(table: WorkloadTable | PolicyTable, code: OwnCode | None) -> str:
    return (table.file_sha256 or code.digest) if code else ""


def _read_policies(
    tables: Sequence[PolicyTable], targets: Targets, findings: Findings, folders: Sequence[Path]
) -> list[PolicyEntry]:
    """Return the policies without mistakes, and add all to what an axis may name, faulty or not."""
    policies: list[PolicyEntry] = []
    for place, table in enumerate(tables):
        path = ("policy", place)
        # Without a label of its own, a policy is called by its kind; that may be missing, or no label.
        faulty = findings.concern((*path, "label"))
        label = table.label or default_label(table.kind or "")
        described, code = _found(find_policy, table, table.kind, path, findings, folders)
        if faulty or not is_label(label):
            targets.incomplete = True
        elif label in (WORKLOAD, TRACE):
            findings.add((*path, "label"), f"is {brief(label)}; allowed: {LABEL_ALLOWED}")
        elif label in targets.classes:
            findings.add((*path, "label"), f"is {brief(label)} again; allowed: a label of its own for each policy")
        else:
            targets.classes[label] = described
        policy = _described(table, path, described, findings) if described else None
        if policy is not None:
            policies.append(PolicyEntry(label, table.kind, policy, _digest(table, code), code))
    return policies


def _described(
    table: WorkloadTable | PolicyTable, path: KeyPath, described: type[DescribedType], findings: Findings
) -> DescribedType | None:
    """Return the policy or workload that a table describes, None where it has mistakes."""
    known = {one.name: one for one in described.every_parameter()}
    values: dict[str, Any] = {}
    refused: list[str] = []
    for key, value in (table.model_extra or {}).items():
        if key not in known:
            names = [*type(table).model_fields, *known]
            hint = did_you_mean(key, names) or f"; allowed: {', '.join(names)}"
            findings.add((*path, key), f"unknown key{hint}")
            continue
        values[key] = clean_value(known[key], value, (*path, key), findings)
        if values[key] is None:
            del values[key]
            refused.append(key)
    try:
        return described.build(values, refused)
    except InvalidInputError as error:
        for line in error.problems:
            findings.add(path, line.removeprefix(f"{described.__name__}."))
        return None


def _read_axes(tables: Sequence[AxisTable], targets: Targets, combine: str | None, findings: Findings) -> list[Axis]:
    axes: list[Axis] = []
    seen: set[str] = set()
    for place, table in enumerate(tables):
        path = ("axis", place)
        parameter = None if findings.concern(path) else targets.find(table.parameter, (*path, "parameter"), findings)
        if parameter is None:
            continue
        if table.parameter in seen:
            findings.add((*path, "parameter"), f"is {brief(table.parameter)} again; allowed: one axis per parameter")
            continue
        seen.add(table.parameter)
        # In a grid a value that occurs twice doubles cells; in a zip it is a plain column.
        values = read_axis_values(table, parameter, path, findings, once=combine in ("grid", "random"))
        if values is not None:
            axes.append(Axis(table.parameter, values))
    return axes
