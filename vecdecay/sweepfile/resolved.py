"""A sweep written out in full, and what two sweeps differ in."""

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

from vecdecay.sweepfile.model import WORKLOAD, SweepSpec
from vecdecay.sweepfile.points import num_points
from vecdecay.sweepfile.problems import KeyPath, key_text, shown
from vecdecay.sweepfile.seeds import seeds_value
from vecdecay.sweepfile.tables import SCHEMA_VERSION
from vecdecay.sweepfile.toml_text import toml_key, toml_value


def resolved_toml(spec: SweepSpec) -> str:
    """Return the sweep as a file with every default written out; reading it gives the same sweep, and the same text.

    Stored sweeps are read again to see whether a folder holds what is asked for, so the form may grow but not change.
    """
    lines = [f"schema = {SCHEMA_VERSION}"]
    _table(lines, "[sweep]", _sweep_values(spec))
    _table(lines, "[workload]", {"kind": spec.workload_kind, **spec.workload.values()})
    for entry in spec.policies:
        _table(lines, "[[policy]]", {"kind": entry.kind, "label": entry.label, **entry.file(), **entry.policy.values()})
    if spec.combine == "points":
        base = {axis.parameter: spec.base_values(axis.label)[axis.name] for axis in spec.axes}
        for place in range(num_points(spec)):
            # The first point names every parameter, and so fixes their order; later ones what differs from the base.
            values = {axis.parameter: axis.values[place] for axis in spec.axes}
            differing = {name: value for name, value in values.items() if value != base[name]}
            _table(lines, "[[point]]", differing if place else values)
    else:
        for axis in spec.axes:
            _table(lines, "[[axis]]", {"parameter": axis.parameter, **axis.values.written()})
    return "\n".join(lines) + "\n"


def _table(lines: list[str], heading: str, values: dict[str, Any]) -> None:
    lines.extend(["", heading])
    lines.extend(f"{toml_key(key)} = {toml_value(value)}" for key, value in values.items())


def _sweep_values(spec: SweepSpec) -> dict[str, Any]:
    values = {
        "name": spec.name,
        "title": spec.title,
        "note": spec.note,
        "seeds": seeds_value(spec.seeds),
        "detail": spec.detail,
        "engine": spec.engine,
        "checkpoints": spec.checkpoints,
        "metrics": spec.metrics,
        "combine": spec.combine,
    }
    if spec.combine == "random":
        values |= {"random_points": spec.random_points, "random_seed": spec.random_seed}
    return values


def meaning(spec: SweepSpec) -> dict[str, Any]:
    """Return what the results of a sweep depend on, as plain data.

    Infinity, which JSON cannot write, is the text ``inf``. Left out: name, title, note, the metrics to print; and a
    parameter's own value where an axis gives all values.
    """
    values = {
        key: value for key, value in _sweep_values(spec).items() if key not in ("name", "title", "note", "metrics")
    }
    governed = {axis.parameter for axis in spec.axes}
    policies = [
        {"kind": entry.kind, "label": entry.label} | entry.file() | _own_values(spec, entry.label, governed)
        for entry in spec.policies
    ]
    plain: dict[str, Any] = _plain(
        {
            "schema": SCHEMA_VERSION,
            "sweep": values,
            "workload": {"kind": spec.workload_kind} | _own_values(spec, WORKLOAD, governed),
            "policy": policies,
            "axis": [{"parameter": axis.parameter, **axis.values.written()} for axis in spec.axes],
        }
    )
    return plain


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, tuple | list):
        return list(map(_plain, value))
    return "inf" if isinstance(value, float) and value == math.inf else value


def _own_values(spec: SweepSpec, label: str, governed: set[str]) -> dict[str, Any]:
    return {name: value for name, value in spec.base_values(label).items() if f"{label}.{name}" not in governed}


def digest(spec: SweepSpec) -> str:
    """Return the SHA-256 of the sweep's meaning, in hexadecimal digits."""
    text = json.dumps(meaning(spec), sort_keys=True, ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def differences(one: SweepSpec, other: SweepSpec) -> list[str]:
    """Return a line for each key whose meaning differs, with both values; no line where the digests are the same."""
    left, right = dict(_leaves((), meaning(one))), dict(_leaves((), meaning(other)))
    lines = []
    for path in [*left, *(path for path in right if path not in left)]:
        values = [shown(side[path]) if path in side else "absent" for side in (left, right)]
        if left.get(path, _ABSENT) != right.get(path, _ABSENT):
            lines.append(f"{key_text(path)}: {values[0]} and {values[1]}")
    return lines


_ABSENT = object()


def _leaves(path: KeyPath, value: Any) -> Iterator[tuple[KeyPath, Any]]:
    """Yield every value that is no table, under its keys; an array of values counts as one."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves((*path, key), inner)
    elif isinstance(value, list) and value and all(isinstance(entry, dict) for entry in value):
        for place, inner in enumerate(value):
            yield from _leaves((*path, place), inner)
    else:
        yield path, value
