"""What the command line changes in a sweep: applied to the file's own tables before they are checked.

So a mistake in an option is found and worded like one in the file, with the option in place of the file's name.
"""

import copy
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from vecdecay.sweepfile.kinds import default_label
from vecdecay.sweepfile.model import WORKLOAD
from vecdecay.sweepfile.problems import KeyPath, one_line, shown, suggestion
from vecdecay.sweepfile.tables import is_label

MOST_TEXT = 10_000


@dataclass(frozen=True)
class Override:
    """One option of the command line, such as ``Override("--set", "ebbinghaus.eviction_threshold=0.1,0.2")``."""

    option: str
    text: str

    def __str__(self) -> str:
        """Return the option as it was typed, on one line."""
        shortened = self.text if len(self.text) <= 80 else f"{self.text[:60]}…"
        return one_line(f"{self.option} {shortened}")


class _MisfitError(Exception):
    """An option that cannot be read; the message says what is allowed."""


def apply_overrides(
    raw: dict[str, Any], overrides: Sequence[Override]
) -> tuple[dict[str, Any], dict[KeyPath, str], list[str]]:
    """Return the tables with every option applied, which option set which key, and a line per option that cannot be.

    Options: ``--seeds 1000``, ``--seeds 100:200`` (200 excluded) or ``--seeds 3,1,4``; ``--set LABEL.parameter=VALUE``
    or ``=VALUE,VALUE``; ``--detail``, ``--engine``, ``--checkpoints 50,100``, ``--combine``. Of two that set the same
    key the later one counts. One value of ``--set`` removes an axis over the parameter; several replace or add one.
    """
    if overrides:
        raw = copy.deepcopy(raw)
    origins: dict[KeyPath, str] = {}
    misfits = []
    for override in overrides:
        try:
            if override.option not in _APPLIERS:
                hint = suggestion(override.option, _APPLIERS)
                raise _MisfitError(f"unknown option; allowed: {', '.join(_APPLIERS)}{hint}")
            _APPLIERS[override.option](raw, override, origins)
        except _MisfitError as misfit:
            misfits.append(f"{override}: {misfit}")
    return raw, origins, misfits


def _set_in_sweep(
    key: str, read: Callable[[str], Any]
) -> Callable[[dict[str, Any], Override, dict[KeyPath, str]], None]:
    def apply(raw: dict[str, Any], override: Override, origins: dict[KeyPath, str]) -> None:
        value = read(override.text)
        if isinstance(raw.get("sweep"), dict):  # else the file's own mistake is reported
            raw["sweep"][key] = value
            origins[("sweep", key)] = str(override)

    return apply


def _read_seeds(text: str) -> Any:
    allowed = "allowed: a count such as 1000, a range such as 100:200 (200 excluded), or a list such as 3,1,4"
    try:
        if ":" in text:
            first, end = (int(part) for part in text.split(":"))
            return {"first": first, "count": end - first}
        several = [int(part) for part in text.split(",")]
    except ValueError:
        raise _MisfitError(f"is {shown(text)}; {allowed}") from None
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
    raise _MisfitError(f"{shown(text)} is no value; allowed: one value or a comma list, such as 0.2 or 0.1,0.2")


def _set_parameter(raw: dict[str, Any], override: Override, origins: dict[KeyPath, str]) -> None:
    name, equals, text = override.text.partition("=")
    name = name.strip()
    label, dot, own_name = name.rpartition(".")
    if not equals or not dot or not own_name:
        raise _MisfitError("allowed: LABEL.parameter=VALUE, or workload.parameter=VALUE")
    values = _read_values(text)
    path = _table_path(raw, label)
    if path is None:
        return  # the file's own mistakes are reported
    if own_name in ("kind", "label"):
        raise _MisfitError(f"{own_name} is no parameter; allowed: LABEL.parameter=VALUE")
    if len(values) > 1:
        _replace_axis(raw, name, values, str(override), origins)
        return
    table = raw[WORKLOAD] if path == (WORKLOAD,) else raw["policy"][path[1]]
    table[own_name] = values[0]
    origins[(*path, own_name)] = str(override)
    _remove_axis(raw, name, origins)


def _table_path(raw: dict[str, Any], label: str) -> KeyPath | None:
    """Return where a label's table is, None where the file is too wrong to say."""
    workload, policies = raw.get(WORKLOAD), raw.get("policy")
    if label == WORKLOAD:
        return (WORKLOAD,) if isinstance(workload, dict) else None
    labels: dict[str, int] = {}
    for place, entry in enumerate(policies if isinstance(policies, list) else []):
        if not isinstance(entry, dict):
            return None
        kind = entry.get("kind")
        known = entry.get("label", default_label(kind) if isinstance(kind, str) else None)
        if not is_label(known):
            return None
        labels.setdefault(known, place)
    if label in labels:
        return ("policy", labels[label])
    if not labels:
        return None
    known_labels = [*labels, WORKLOAD]
    raise _MisfitError(
        f"{shown(label)} is no label of this sweep; allowed: {', '.join(known_labels[:12])}"
        f"{suggestion(label, known_labels)}"
    )


def _replace_axis(raw: dict[str, Any], name: str, values: list[Any], origin: str, origins: dict[KeyPath, str]) -> None:
    axes = raw.setdefault("axis", [])
    if not isinstance(axes, list):
        return
    sweep = raw.get("sweep")
    if isinstance(sweep, dict) and sweep.get("combine") == "points":
        raise _MisfitError('several values make an axis; allowed with combine = "points": one value')
    place = next((place for place, axis in enumerate(axes) if _is_over(axis, name)), len(axes))
    axes[place : place + 1] = [{"parameter": name, "values": values}]
    origins[("axis", place)] = origin


def _remove_axis(raw: dict[str, Any], name: str, origins: dict[KeyPath, str]) -> None:
    """Drop the axis over a parameter, and the parameter from every listed point."""
    axes = raw.get("axis")
    if isinstance(axes, list):
        removed = [place for place, axis in enumerate(axes) if _is_over(axis, name)]
        for place in reversed(removed):
            del axes[place]
            _move_origins(origins, place)
    points = raw.get("point")
    label, _, own_name = name.rpartition(".")
    for point in points if isinstance(points, list) else []:
        if isinstance(point, dict):
            point.pop(name, None)
            if isinstance(point.get(label), dict):
                point[label].pop(own_name, None)


def _move_origins(origins: dict[KeyPath, str], removed: int) -> None:
    """Keep the places of axes that options set right after one axis is gone."""
    moved: dict[KeyPath, str] = {}
    for path in [path for path in origins if path[0] == "axis"]:
        place = path[1]
        origin = origins.pop(path)
        if isinstance(place, int) and place != removed:
            moved["axis", place - (place > removed)] = origin
    origins.update(moved)


def _is_over(axis: Any, name: str) -> bool:
    return isinstance(axis, dict) and axis.get("parameter") == name


_APPLIERS: dict[str, Callable[[dict[str, Any], Override, dict[KeyPath, str]], None]] = {
    "--seeds": _set_in_sweep("seeds", _read_seeds),
    "--set": _set_parameter,
    "--detail": _set_in_sweep("detail", str),
    "--engine": _set_in_sweep("engine", str),
    "--combine": _set_in_sweep("combine", str),
    "--checkpoints": _set_in_sweep("checkpoints", _read_values),
}
