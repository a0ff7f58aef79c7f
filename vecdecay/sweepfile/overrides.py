"""What is changed in a sweep by options of the command line, or by values from Python, before it is checked.

So a mistake in an option is found and worded like one in the file, with the option in place of the file's name.
"""

import copy
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vecdecay.parameters import brief, did_you_mean, printable
from vecdecay.sweepfile.kinds import default_label
from vecdecay.sweepfile.model import TRACE, WORKLOAD
from vecdecay.sweepfile.problems import KeyPath
from vecdecay.sweepfile.seeds import plain_seeds
from vecdecay.sweepfile.tables import SweepTable, is_label
from vecdecay.sweepfile.toml_text import plain

MOST_TEXT = 10_000
_RULE = re.compile(r"(linspace|logspace|range)\(([^(),]*(?:,[^(),]*){1,2})\)")


@dataclass(frozen=True)
class Override:
    """One option of the command line, such as ``Override("--set", "ebbinghaus.eviction_threshold=0.1,0.2")``."""

    option: str
    text: str

    def __str__(self) -> str:
        """Return the option as it was typed, on one line."""
        shortened = self.text if len(self.text) <= 80 else f"{self.text[:60]}…"
        return printable(f"{self.option} {shortened}")


class _MisfitError(Exception):
    """An option that cannot be read; the message says what is allowed."""


@dataclass(frozen=True)
class _Axis:
    """Several values for a parameter: the table of an axis without its parameter."""

    table: dict[str, Any]


def apply_overrides(
    raw: dict[str, Any], overrides: Sequence[Override] | Mapping[str, Any]
) -> tuple[dict[str, Any], dict[KeyPath, str], list[str]]:
    """Return the tables with every option applied, which option set which key, and a line per option that cannot be.

    Options: ``--seeds 1000``, ``--seeds 100:200`` (200 excluded) or ``--seeds 3,1,4``; ``--set LABEL.parameter=VALUE``
    or ``=VALUE,VALUE``, ``=linspace(FROM,TO,COUNT)``, ``=logspace(FROM,TO,COUNT)`` or ``=range(FROM,TO,STEP)`` with TO
    included as in a file; ``--detail``, ``--engine``, ``--checkpoints 50,100``, ``--combine``. Of two that set the same
    key the later one counts. One value of ``--set`` removes an axis over the parameter; several replace or add one.

    A mapping has keys of ``[sweep]`` and names like ``LABEL.parameter``. A list, range or array gives several values, a
    dictionary another form of an axis, such as ``{"linspace": {"from": 0.1, "to": 0.9, "count": 9}}``; a tuple is one
    value, of a parameter that holds several numbers.
    """
    if overrides:
        raw = copy.deepcopy(raw)
    origins: dict[KeyPath, str] = {}
    set_axes: list[tuple[dict[str, Any], str]] = []  # by the entry itself, since its place may still change
    misfits = []
    for one in overrides.items() if isinstance(overrides, Mapping) else overrides:
        origin = str(one) if isinstance(one, Override) else printable(f"set {one[0]}")
        try:
            name, value = _read_option(one) if isinstance(one, Override) else _read_change(*one)
            if "." not in name:
                if isinstance(raw.get("sweep"), dict):  # else the file's own mistake is reported
                    raw["sweep"][name] = value
                    origins["sweep", name] = origin
                continue
            path = _table_path(raw, name)
            if path is None:
                continue  # the file's own mistakes are reported
            if isinstance(value, _Axis):
                set_axes.append((_replace_axis(raw, name, value), origin))
                continue
            table = raw[path[0]] if path[0] in (WORKLOAD, TRACE) else raw["policy"][path[1]]
            table[path[-1]] = value
            origins[path] = origin
            _remove_axis(raw, name)
        except _MisfitError as misfit:
            misfits.append(f"{origin}: {misfit}")
    axes = raw.get("axis")
    for place, entry in enumerate(axes if isinstance(axes, list) else []):
        origins.update((("axis", place), origin) for axis, origin in set_axes if axis is entry)
    return raw, origins, misfits


def _read_option(override: Override) -> tuple[str, Any]:
    """Return the key and the value of an option of the command line."""
    option, text = override.option, override.text
    if option in _READERS:
        return option.removeprefix("--"), _READERS[option](text)
    if option != "--set":
        known = ["--seeds", "--set", *list(_READERS)[1:]]
        raise _MisfitError(f"unknown option; allowed: {', '.join(known)}{did_you_mean(option, known)}")
    name, equals, values_text = text.partition("=")
    name = name.strip()
    if not equals or not all(name.rpartition(".")[1:]):
        raise _MisfitError("allowed: LABEL.parameter=VALUE, or workload.parameter=VALUE")
    rule = _RULE.fullmatch(values_text.strip())
    if rule:
        keys = ("from", "to", "step" if rule[1] == "range" else "count")
        return name, _Axis({rule[1]: dict(zip(keys, _read_values(rule[2]), strict=False))})
    values = _read_values(values_text)
    return name, _Axis({"values": values}) if len(values) > 1 else values[0]


def _read_change(name: Any, value: Any) -> tuple[str, Any]:
    """Return the key and the value of a change from Python."""
    if name == "seeds":
        return name, plain(plain_seeds(value))
    if name in SweepTable.model_fields:
        return name, plain(value)
    if not isinstance(name, str) or not all(name.rpartition(".")):
        known = list(SweepTable.model_fields)
        hint = did_you_mean(name, known)
        raise _MisfitError(f"unknown key; allowed: LABEL.parameter, or one of {', '.join(known)}{hint}")
    if isinstance(value, range) and value and value.step > 0:
        return name, _Axis({"range": {"from": value[0], "to": value[-1], "step": value.step}})
    several = plain(value)
    if isinstance(value, tuple) or not isinstance(several, list | dict):
        return name, several
    return name, _Axis(several if isinstance(several, dict) else {"values": several})


def _read_seeds(text: str) -> Any:
    allowed = "allowed: a count such as 1000, a range such as 100:200 (200 excluded), or a list such as 3,1,4"
    try:
        if ":" in text:
            first, end = (int(part) for part in text.split(":"))
            return {"first": first, "count": end - first}
        several = [int(part) for part in text.split(",")]
    except ValueError:
        raise _MisfitError(f"is {brief(text)}; {allowed}") from None
    return several[0] if len(several) == 1 else {"list": several}


def _read_values(text: str) -> list[Any]:
    """Return the values of a comma list, each as TOML writes it; bare words are text."""
    if text.isprintable() and len(text) <= MOST_TEXT:
        try:
            read = tomllib.loads(f"values = [\n{text}\n]")  # a bracket or a comment in it ends at its line
        except (ValueError, RecursionError):
            words = [word.strip() for word in text.split(",")]
            if all(word.isidentifier() for word in words):
                return words
        else:
            values: list[Any] = read["values"]
            if len(read) == 1 and values:
                return values
    raise _MisfitError(f"{brief(text)} is no value; allowed: one value or a comma list, such as 0.2 or 0.1,0.2")


_READERS: dict[str, Callable[[str], Any]] = {
    "--seeds": _read_seeds,
    "--detail": str,
    "--engine": str,
    "--combine": str,
    "--checkpoints": _read_values,
}


def _table_path(raw: dict[str, Any], name: str) -> KeyPath | None:
    """Return where the table has the parameter, None where the file is too wrong to say."""
    label, _, own_name = name.rpartition(".")
    workload, policies = raw.get(WORKLOAD), raw.get("policy")
    if own_name in ("kind", "label"):
        raise _MisfitError(f"{own_name} is no parameter; allowed: LABEL.parameter=VALUE")
    if label == TRACE and isinstance(raw.get(TRACE), dict):
        return (TRACE, own_name)
    if label == WORKLOAD:
        return (WORKLOAD, own_name) if isinstance(workload, dict) else None
    labels: dict[str, int] = {}
    for place, entry in enumerate(policies if isinstance(policies, list) else []):
        if not isinstance(entry, dict):
            return None
        kind = entry.get("kind")
        known = entry.get("label", default_label(kind) if isinstance(kind, str) else None)
        if not is_label(known):
            return None
        labels.setdefault(known, place)
    if label in labels or not labels:
        return ("policy", labels[label], own_name) if labels else None
    known_labels = [*labels, WORKLOAD]
    raise _MisfitError(
        f"{brief(label)} is no label of this sweep; allowed: {', '.join(known_labels[:12])}"
        f"{did_you_mean(label, known_labels)}"
    )


def _replace_axis(raw: dict[str, Any], name: str, axis: _Axis) -> dict[str, Any]:
    """Put an axis in the place of the one over the same parameter, or at the end; return its entry."""
    sweep, axes = raw.get("sweep"), raw.setdefault("axis", [])
    if isinstance(sweep, dict) and sweep.get("combine") == "points":
        raise _MisfitError('several values make an axis; allowed with combine = "points": one value')
    entry = {"parameter": name, **axis.table}
    if isinstance(axes, list):
        place = next((place for place, one in enumerate(axes) if _is_over(one, name)), len(axes))
        axes[place : place + 1] = [entry]
    return entry


def _remove_axis(raw: dict[str, Any], name: str) -> None:
    """Drop the axes over a parameter, and the parameter from every listed point."""
    axes, points = raw.get("axis"), raw.get("point")
    if isinstance(axes, list):
        axes[:] = [axis for axis in axes if not _is_over(axis, name)]
    label, _, own_name = name.rpartition(".")
    for point in points if isinstance(points, list) else []:
        for table, key in ((point, name), (point.get(label) if isinstance(point, dict) else None, own_name)):
            if isinstance(table, dict):
                table.pop(key, None)


def _is_over(axis: Any, name: str) -> bool:
    return isinstance(axis, dict) and axis.get("parameter") == name
