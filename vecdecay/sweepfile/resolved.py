"""A sweep written out in full, and what two sweeps differ in."""

from collections.abc import Iterator
from typing import Any

from vecdecay.sweepfile.model import WORKLOAD, SweepSpec
from vecdecay.sweepfile.points import num_points
from vecdecay.sweepfile.problems import KeyPath, key_text, shown
from vecdecay.sweepfile.toml_text import toml_key, toml_value


def resolved_toml(spec: SweepSpec) -> str:
    """Return the sweep as a file with every default written out; reading it gives the same sweep, and the same text.

    Stored sweeps are read again to see whether a folder holds what is asked for, so the form may grow but not change.
    """
    tables = spec.tables()
    lines = [f"schema = {tables['schema']}"]
    _table(lines, "[sweep]", tables["sweep"])
    _table(lines, "[workload]", tables[WORKLOAD])
    for entry in tables["policy"]:
        _table(lines, "[[policy]]", entry)
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


def digest(spec: SweepSpec) -> str:
    """Return the SHA-256 of the sweep's meaning, in hexadecimal digits."""
    return spec.digest


def differences(one: SweepSpec, other: SweepSpec) -> list[str]:
    """Return a line for each key whose meaning differs, with both values; no line where the digests are the same."""
    left, right = dict(_leaves((), one.meaning())), dict(_leaves((), other.meaning()))
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
