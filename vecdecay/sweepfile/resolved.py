"""A sweep written out in full, and what two sweeps differ in."""

from collections.abc import Iterator
from typing import Any

import tomli_w

from vecdecay.own_file import OwnCode
from vecdecay.parameters import brief
from vecdecay.sweepfile.model import TRACE, SweepSpec, num_points
from vecdecay.sweepfile.problems import KeyPath, key_text


def resolved_toml(spec: SweepSpec) -> str:
    """Return the sweep as a file with every default written out; reading it gives the same sweep, and the same text.

    Stored sweeps are read again to see whether a folder holds what is asked for, so the form may grow but not change.
    """
    tables = spec.tables()
    if spec.combine == "points":
        base = {axis.parameter: spec.base_values(axis.label)[axis.name] for axis in spec.axes}
        points = [{axis.parameter: axis.values[place] for axis in spec.axes} for place in range(num_points(spec))]
        # The first point names every parameter, and so fixes their order; later ones what differs from the base.
        tables["point"] = points[:1] + [
            {name: value for name, value in point.items() if value != base[name]} for point in points[1:]
        ]
    else:
        tables["axis"] = [{"parameter": axis.parameter, **axis.values.written()} for axis in spec.axes]
    return tomli_w.dumps(tables, indent=0)


def differences(one: SweepSpec, other: SweepSpec) -> list[str]:
    """Return a line for each key whose meaning differs, with both values; no line where the digests are the same."""
    left, right = dict(_leaves((), one.meaning())), dict(_leaves((), other.meaning()))
    lines = []
    for path in [*left, *(path for path in right if path not in left)]:
        values = [brief(side[path]) if path in side else "absent" for side in (left, right)]
        if left.get(path, _ABSENT) == right.get(path, _ABSENT):
            continue
        if path[-1] == "file_sha256" and path in left and path in right:
            files = _changed_files(_code_at(one, path), _code_at(other, path)) or _code_in_words(left, path, other)
            lines.append(f"{key_text(path[:-1])}: {files} has changed since")
        else:
            lines.append(f"{key_text(path)}: {values[0]} and {values[1]}")
    return lines


def _code_in_words(left: dict[KeyPath, Any], path: KeyPath, other: SweepSpec) -> str:
    if path[0] == TRACE:
        return "the log" if other.trace is None else other.trace.path
    return f"{str(left[*path[:-1], 'kind']).rpartition(':')[0]} or what it imports"


def _code_at(spec: SweepSpec, path: KeyPath) -> OwnCode | None:
    return spec.policies[path[1]].code if isinstance(path[1], int) else spec.workload_code


def _changed_files(old: OwnCode | None, new: OwnCode | None) -> str:
    """Return the names of the files in which two versions of code differ, nothing if the old version is gone."""
    several = [{(file.name, file.content) for file in code.files} for code in (old, new) if code]
    return ", ".join(sorted({name for name, _ in set.symmetric_difference(*several)})) if len(several) == 2 else ""


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
