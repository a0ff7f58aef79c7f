"""What is changed in a sweep by options of the command line, or by values from Python, before it is checked.

So a mistake in an option is found and worded like one in the file, with the option in place of the file's name.
"""

import copy
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vecdecay.sweepfile.kinds import default_label
from vecdecay.sweepfile.model import WORKLOAD
from vecdecay.sweepfile.problems import KeyPath, one_line, shown, suggestion
from vecdecay.sweepfile.seeds import plain_seeds
from vecdecay.sweepfile.tables import SweepTable, is_label
from vecdecay.sweepfile.toml_text import plain

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
    raw: dict[str, Any], overrides: Sequence[Override] | Mapping[str, Any]
) -> tuple[dict[str, Any], dict[KeyPath, str], list[str]]:
    """Return the tables with every option applied, which option set which key, and a line per option that cannot be.

    Options: ``--seeds 1000``, ``--seeds 100:200`` (200 excluded) or ``--seeds 3,1,4``; ``--set LABEL.parameter=VALUE``
    or ``=VALUE,VALUE``; ``--detail``, ``--engine``, ``--checkpoints 50,100``, ``--combine``. Of two that set the same
    key the later one counts. One value of ``--set`` removes an axis over the parameter; several replace or add one.

    A mapping has keys of ``[sweep]`` and names like ``LABEL.parameter``. A list, range or array gives several values, a
    dictionary another form of an axis, such as ``{"linspace": {"from": 0.1, "to": 0.9, "count": 9}}``; a tuple is one
    value, of a parameter that holds several numbers.
    """
    if overrides:
        raw = copy.deepcopy(raw)
    changes = _Changes(raw)
    for one in overrides.items() if isinstance(overrides, Mapping) else overrides:
        origin = str(one) if isinstance(one, Override) else one_line(f"set {one[0]}")
        try:
            if isinstance(one, Override):
                changes.apply_option(one, origin)
            else:
                changes.apply_value(str(one[0]), one[1], origin)
        except _MisfitError as misfit:
            changes.misfits.append(f"{origin}: {misfit}")
    return raw, changes.origins, changes.misfits


class _Changes:
    """Tables that are changed in place, what changed which key, and what could not be applied."""

    def __init__(self, raw: dict[str, Any]) -> None:
        self.raw = raw
        self.origins: dict[KeyPath, str] = {}
        self.misfits: list[str] = []

    def apply_option(self, override: Override, origin: str) -> None:
        """Apply an option of the command line."""
        option = override.option
        if option == "--set":
            self._set_parameter(*_read_setting(override.text), origin)
        elif option in _READERS:
            self._set_in_sweep(option.removeprefix("--"), _READERS[option](override.text), origin)
        else:
            known = ["--seeds", "--set", *list(_READERS)[1:]]
            raise _MisfitError(f"unknown option; allowed: {', '.join(known)}{suggestion(option, known)}")

    def apply_value(self, name: str, value: Any, origin: str) -> None:
        """Apply a value from Python."""
        if name == "seeds":
            self._set_in_sweep(name, plain(plain_seeds(value)), origin)
        elif "." in name:
            axis = _axis_of(value)
            self._set_parameter(name, plain(value) if axis is None else None, axis, origin)
        elif name in SweepTable.model_fields:
            self._set_in_sweep(name, plain(value), origin)
        else:
            known = list(SweepTable.model_fields)
            hint = suggestion(name, known)
            raise _MisfitError(f"unknown key; allowed: LABEL.parameter, or one of {', '.join(known)}{hint}")

    def _set_in_sweep(self, key: str, value: Any, origin: str) -> None:
        if isinstance(self.raw.get("sweep"), dict):  # else the file's own mistake is reported
            self.raw["sweep"][key] = value
            self.origins["sweep", key] = origin

    def _set_parameter(self, name: str, value: Any, axis: dict[str, Any] | None, origin: str) -> None:
        """Set a parameter to a value, or lay an axis over it."""
        label, _, own_name = name.rpartition(".")
        path = self._table_path(label)
        if path is None:
            return  # the file's own mistakes are reported
        if own_name in ("kind", "label"):
            raise _MisfitError(f"{own_name} is no parameter; allowed: LABEL.parameter=VALUE")
        if axis is not None:
            self._replace_axis(name, axis, origin)
            return
        table = self.raw[WORKLOAD] if path == (WORKLOAD,) else self.raw["policy"][path[1]]
        table[own_name] = value
        self.origins[(*path, own_name)] = origin
        self._remove_axis(name)

    def _table_path(self, label: str) -> KeyPath | None:
        """Return where a label's table is, None where the file is too wrong to say."""
        workload, policies = self.raw.get(WORKLOAD), self.raw.get("policy")
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

    def _replace_axis(self, name: str, axis: dict[str, Any], origin: str) -> None:
        axes = self.raw.setdefault("axis", [])
        if not isinstance(axes, list):
            return
        sweep = self.raw.get("sweep")
        if isinstance(sweep, dict) and sweep.get("combine") == "points":
            raise _MisfitError('several values make an axis; allowed with combine = "points": one value')
        place = next((place for place, one in enumerate(axes) if _is_over(one, name)), len(axes))
        axes[place : place + 1] = [{"parameter": name, **axis}]
        self.origins["axis", place] = origin

    def _remove_axis(self, name: str) -> None:
        """Drop the axes over a parameter, and the parameter from every listed point."""
        axes = self.raw.get("axis")
        if isinstance(axes, list):
            for place in reversed([place for place, axis in enumerate(axes) if _is_over(axis, name)]):
                del axes[place]
                self._forget_axis(place)
        points = self.raw.get("point")
        label, _, own_name = name.rpartition(".")
        for point in points if isinstance(points, list) else []:
            if isinstance(point, dict):
                point.pop(name, None)
                if isinstance(point.get(label), dict):
                    point[label].pop(own_name, None)

    def _forget_axis(self, removed: int) -> None:
        """Keep the places of axes that options set right after one axis is gone."""
        axes = {path: origin for path, origin in self.origins.items() if path[0] == "axis"}
        for path in axes:
            del self.origins[path]
        for (_, place), origin in axes.items():
            if isinstance(place, int) and place != removed:
                self.origins["axis", place - (place > removed)] = origin


def _is_over(axis: Any, name: str) -> bool:
    return isinstance(axis, dict) and axis.get("parameter") == name


def _axis_of(value: Any) -> dict[str, Any] | None:
    """Return the table of an axis, without its parameter, for what stands for several values; None for one value."""
    if isinstance(value, range) and value and value.step > 0:
        return {"range": {"from": value[0], "to": value[-1], "step": value.step}}
    if isinstance(value, Mapping):
        table: dict[str, Any] = plain(value)
        return table
    several = plain(value)
    return {"values": several} if isinstance(several, list) and not isinstance(value, tuple) else None


def _read_setting(text: str) -> tuple[str, Any, dict[str, Any] | None]:
    """Return name, value and axis of ``--set``, one of the latter two."""
    name, equals, values_text = text.partition("=")
    name = name.strip()
    if not equals or not all(name.rpartition(".")[1:]):
        raise _MisfitError("allowed: LABEL.parameter=VALUE, or workload.parameter=VALUE")
    values = _read_values(values_text)
    return (name, None, {"values": values}) if len(values) > 1 else (name, values[0], None)


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


_READERS: dict[str, Callable[[str], Any]] = {
    "--seeds": _read_seeds,
    "--detail": str,
    "--engine": str,
    "--combine": str,
    "--checkpoints": _read_values,
}
