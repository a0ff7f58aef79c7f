"""From a sweep file to a checked :class:`SweepSpec`, or to one error that names every mistake."""

import os
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any, TypeVar

from vecdecay.errors import InvalidInputError
from vecdecay.own_file import OwnCode
from vecdecay.parameters import Described
from vecdecay.quantities import METRIC_NAMES
from vecdecay.sweepfile.axes import Axis
from vecdecay.sweepfile.axis_reading import clean_value, read_axis_values
from vecdecay.sweepfile.combining import check_combination, check_together, read_points
from vecdecay.sweepfile.kinds import default_label, find_policy, find_workload
from vecdecay.sweepfile.model import WORKLOAD, PolicyEntry, SweepSpec
from vecdecay.sweepfile.overrides import Override, apply_overrides
from vecdecay.sweepfile.problems import Findings, KeyPath, shown, suggestion
from vecdecay.sweepfile.resolved import resolved_toml
from vecdecay.sweepfile.seeds import read_seeds
from vecdecay.sweepfile.tables import (
    LABEL_ALLOWED,
    AxisTable,
    PolicyTable,
    WorkloadTable,
    check_structure,
    is_label,
    sound_part,
    table_or_none,
)
from vecdecay.sweepfile.targets import Targets
from vecdecay.sweepfile.toml_text import MOST_BYTES, parse_toml, read_text

DescribedType = TypeVar("DescribedType", bound=Described)


def load_sweep(path: str | os.PathLike[str], overrides: Sequence[Override] = ()) -> SweepSpec:
    """Return the sweep that a file describes, with what the command line overrides.

    Raises InvalidInputError with one line per mistake, all of them: file, key, value, what is allowed.
    """
    return parse_sweep(read_text(path), os.fspath(path), overrides, (Path(path).parent,))


def parse_sweep(
    text: str, where: str = "sweep", overrides: Sequence[Override] = (), folders: Sequence[Path] = ()
) -> SweepSpec:
    """Return the sweep that a TOML text describes; ``where`` stands at the start of each line of an error.

    Policies in files of one's own are looked for in ``folders``, and then in the current one.

    Raises InvalidInputError with one line per mistake, all of them.

    >>> parse_sweep('''
    ... schema = 1
    ... sweep = { name = "small", seeds = 20 }
    ... workload = { kind = "published_sessions" }
    ... policy = [{ kind = "recency_window", window = 15 }]
    ... ''', "small.toml")
    Traceback (most recent call last):
    vecdecay.errors.InvalidInputError: small.toml: policy[1].window: unknown key; did you mean window_size?
    """
    raw, origins, misfits = apply_overrides(parse_toml(text, where), overrides)
    findings = Findings(where, origins)
    for line in misfits:
        findings.add_line(line)
    check_structure(raw, findings)
    spec = _read_spec(raw, findings, folders)
    findings.stop_if_any()
    if spec is None:
        raise AssertionError("a mistake without a finding")
    check_together(spec, findings)
    if len(text) > MOST_BYTES // 8:  # a copy is at most some five times as long as its file: 1e9 is 1000000000.0 there
        size = len(resolved_toml(spec).encode())
        if size > MOST_BYTES:
            findings.add((), f"written out in full has {size:,} bytes; allowed: at most {MOST_BYTES:,}")
    findings.stop_if_any()
    return spec


def _read_spec(raw: dict[str, Any], findings: Findings, folders: Sequence[Path]) -> SweepSpec | None:
    """Read every section, even where another has mistakes, so that all are named at once; None if there are any."""
    sweep = sound_part(raw.get("sweep"))
    # A missing key is noted already, and None is no value that TOML can write.
    seeds = read_seeds(sweep.seeds, ("sweep", "seeds"), findings) if sweep and sweep.seeds is not None else None
    _check_metrics(sweep.metrics if sweep else (), findings)
    described, code = _found(find_workload, raw.get(WORKLOAD), (WORKLOAD, "kind"), findings, folders)
    fields = WorkloadTable.model_fields
    workload = _read_described(raw[WORKLOAD], (WORKLOAD,), described, fields, findings) if described else None
    targets = Targets()
    targets.add(WORKLOAD, described)
    policies = _read_policies(raw.get("policy"), targets, findings, folders)
    axes = _read_axes(raw.get("axis", []), targets, sweep.combine if sweep else None, findings)
    bases: dict[str, Described] = {entry.label: entry.policy for entry in policies}
    if workload is not None:
        bases[WORKLOAD] = workload
    listed = raw.get("point", [])
    columns = read_points(listed, targets, bases, findings)
    if sweep is None:
        return None
    if sweep.combine == "points":
        if axes:
            findings.add(("axis",), 'is given; allowed with combine = "points": [[point]] only')
        axes = columns
    check_combination(sweep, axes, len(listed) if isinstance(listed, list) else 0, len(policies), findings)
    if findings or seeds is None or workload is None:
        return None
    return SweepSpec(
        name=sweep.name,
        seeds=seeds,
        workload_kind=str(raw[WORKLOAD]["kind"]),
        workload=workload,
        policies=tuple(policies),
        title=sweep.title,
        note=sweep.note,
        detail=sweep.detail,
        engine=sweep.engine,
        checkpoints=tuple(sorted(set(sweep.checkpoints))),
        metrics=tuple(sweep.metrics),
        combine=sweep.combine,
        axes=tuple(axes),
        random_points=sweep.random_points or 0,
        random_seed=sweep.random_seed or 0,
        workload_sha256=_digest(raw[WORKLOAD], code),
        workload_code=code,
    )


def _check_metrics(names: Sequence[str], findings: Findings) -> None:
    for place, name in enumerate(names):
        path = ("sweep", "metrics", place)
        if name not in METRIC_NAMES:
            hint = suggestion(name, METRIC_NAMES)
            findings.add(path, f"is {shown(name)}; allowed: {', '.join(METRIC_NAMES)}{hint}")
        elif name in names[:place]:
            findings.add(path, f"is {shown(name)} again; allowed: each metric once")


def _read_policies(raw: Any, targets: Targets, findings: Findings, folders: Sequence[Path]) -> list[PolicyEntry]:
    """Return the policies without mistakes, and add all to what an axis may name, faulty or not."""
    policies: list[PolicyEntry] = []
    for place, entry in enumerate(raw if isinstance(raw, list) else []):
        if not isinstance(entry, dict) or not isinstance(entry.get("kind"), str):
            targets.incomplete = True
            continue
        path = ("policy", place)
        kind = entry["kind"]
        label = entry.get("label", default_label(kind))
        described, code = _found(find_policy, entry, (*path, "kind"), findings, folders)
        if not is_label(label):
            targets.incomplete = True
        elif label == WORKLOAD:
            findings.add((*path, "label"), f"is {shown(label)}; allowed: {LABEL_ALLOWED}")
        elif label in targets:
            findings.add((*path, "label"), f"is {shown(label)} again; allowed: a label of its own for each policy")
        else:
            targets.add(label, described)
        policy = _read_described(entry, path, described, PolicyTable.model_fields, findings) if described else None
        if policy is not None and is_label(label):
            policies.append(PolicyEntry(label, kind, policy, _digest(entry, code), code))
    return policies


def _found(
    find: Callable[[str, Sequence[Path], str], tuple[type[DescribedType], OwnCode | None]],
    entry: Any,
    path: KeyPath,
    findings: Findings,
    folders: Sequence[Path],
) -> tuple[type[DescribedType] | None, OwnCode | None]:
    if not isinstance(entry, dict) or not isinstance(entry.get("kind"), str):
        return None, None
    try:
        return find(entry["kind"], folders, str(entry.get("file_sha256", "")))
    except InvalidInputError as error:
        for line in error.problems:
            findings.add(path, line)
        return None, None


def _digest(entry: dict[str, Any], code: OwnCode | None) -> str:
    return str(entry.get("file_sha256", code.digest)) if code else ""


def _read_described(
    raw: dict[str, Any],
    path: KeyPath,
    described: type[DescribedType],
    reserved: Collection[str],
    findings: Findings,
) -> DescribedType | None:
    """Return the policy or workload that a table describes, None where it has mistakes."""
    known = {one.name: one for one in described.parameters()}
    values: dict[str, Any] = {}
    refused: list[str] = []
    for key, value in raw.items():
        if key in known:
            values[key] = clean_value(known[key], value, (*path, key), findings)
            if values[key] is None:
                del values[key]
                refused.append(key)
        elif key not in reserved:
            names = [*reserved, *known]
            hint = suggestion(key, names) or f"; allowed: {', '.join(names)}"
            findings.add((*path, key), f"unknown key{hint}")
    try:
        return described.build(values, refused)
    except InvalidInputError as error:
        for line in error.problems:
            findings.add(path, line.removeprefix(f"{described.__name__}."))
        return None


def _read_axes(raw: Any, targets: Targets, combine: str | None, findings: Findings) -> list[Axis]:
    axes: list[Axis] = []
    met: set[str] = set()
    for place, entry in enumerate(raw if isinstance(raw, list) else []):
        table = table_or_none(AxisTable, entry)
        if table is None:
            continue
        path = ("axis", place)
        parameter = targets.find(table.parameter, (*path, "parameter"), findings)
        if parameter is None:
            continue
        if table.parameter in met:
            findings.add((*path, "parameter"), f"is {shown(table.parameter)} again; allowed: one axis per parameter")
            continue
        met.add(table.parameter)
        # In a grid a value that stands twice doubles cells; in a zip it is a plain column.
        values = read_axis_values(table, parameter, path, findings, once=combine in ("grid", "random"))
        if values is not None:
            axes.append(Axis(table.parameter, values))
    return axes
