"""A sweep inside the program: frozen, checked, every default filled in.

A point is a number, and its place on every axis follows from the sweep alone.
"""

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from vecdecay.own_file import OwnCode
from vecdecay.policies.base import Policy
from vecdecay.policies.own import own_policy_class
from vecdecay.quantities import ASKED_NAMES, LEADING_METRICS
from vecdecay.sessions.own import own_workload_class
from vecdecay.sessions.source import Source
from vecdecay.sweepfile.axes import TRACE as TRACE
from vecdecay.sweepfile.axes import WORKLOAD as WORKLOAD
from vecdecay.sweepfile.axes import Axis
from vecdecay.sweepfile.kinds import default_label
from vecdecay.sweepfile.seeds import Seeds, seeds_value
from vecdecay.sweepfile.trace_file import TraceFile

SCHEMA_VERSION = 1

AUTO, SCALAR = "auto", "reference"
"""What ``engine`` is where none is named, and the engine that measures what no kernel does."""


@dataclass(frozen=True)
class PolicyEntry:
    """A policy of a sweep: how it is called there, the ``kind`` that names its class, its parameters off the axes.

    ``code`` is the user's code that the class comes from, None for a policy of this program; ``file_sha256`` is its
    digest. In a stored sweep that is the digest at the time of writing, which the code may no longer have.
    """

    label: str
    kind: str
    policy: Policy
    file_sha256: str = ""
    code: OwnCode | None = field(default=None, compare=False, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields; a user's policy by its values, since no other process has its class."""
        return vars(self) | ({"policy": self.policy.values()} if self.code else {})

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the fields, running the user's code if this process has not done so yet."""
        code, kind = state["code"], state["kind"]
        own = {"policy": own_policy_class(code.object(default_label(kind))).build(state["policy"])} if code else {}
        vars(self).update(state | own)


@dataclass(frozen=True)
class SweepSpec:
    """Everything that a sweep file says, defaults included. It can be pickled, including user-defined policies.

    ``axes`` holds the listed points too (``combine="points"``): one axis per parameter, one value per point.
    ``checkpoints`` are increasing; ``metrics`` are the names to print, none for the usual ones. ``workload_sha256`` and
    ``workload_code`` are what :class:`PolicyEntry` says of a policy.
    """

    name: str
    seeds: Seeds
    workload_kind: str
    workload: Source
    policies: tuple[PolicyEntry, ...]
    title: str = ""
    note: str = ""
    detail: str = "cells"
    engine: str = "auto"
    checkpoints: tuple[int, ...] = ()
    metrics: tuple[str, ...] = ()
    combine: str = "grid"
    axes: tuple[Axis, ...] = ()
    random_points: int = 0
    random_seed: int = 0
    workload_sha256: str = ""
    workload_code: OwnCode | None = field(default=None, compare=False, repr=False)
    trace: TraceFile | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields; a user's workload by its values, since no other process has its class."""
        return vars(self) | ({"workload": self.workload.values()} if self.workload_code else {})

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the fields, running the user's code if this process has not done so yet."""
        code, kind = state["workload_code"], state["workload_kind"]
        own = own_workload_class(code.object(default_label(kind))).build(state["workload"]) if code else None
        vars(self).update(state | ({"workload": own} if own is not None else {}))

    def base_values(self, label: str) -> dict[str, Any]:
        """Return the parameters of a policy, or of the workload, as they are where no axis says otherwise."""
        if label == WORKLOAD:
            return self.workload.every_value()
        return next(entry.policy.every_value() for entry in self.policies if entry.label == label)

    @property
    def leading(self) -> tuple[str, ...]:
        """The metrics that are shown, compared and drawn first."""
        return self.metrics or LEADING_METRICS

    @property
    def asked(self) -> tuple[str, ...]:
        """The metrics that are measured because they are asked for, in the order of their columns."""
        return tuple(name for name in ASKED_NAMES if name in self.metrics)

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of what the results depend on, in hexadecimal digits."""
        text = json.dumps(self.meaning(), sort_keys=True, ensure_ascii=True, allow_nan=False)
        return hashlib.sha256(text.encode()).hexdigest()

    def meaning(self) -> dict[str, Any]:
        """Return what the results depend on, as plain data.

        Infinity, which JSON cannot write, is the text ``inf``. Left out: name, title, note, the metrics to print but
        those that are measured only where they are asked for; and a parameter's own value where an axis gives all.
        """
        shown_only = {"name", "title", "note", "metrics"}
        governed = {axis.parameter for axis in self.axes}
        tables = self.tables()
        sources = [(name, tables[name]) for name in (WORKLOAD, TRACE) if name in tables]
        for label, table in (*sources, *((one["label"], one) for one in tables["policy"])):
            for name in [name for name in table if f"{label}.{name}" in governed]:
                del table[name]
        if self.trace is not None:
            del tables[TRACE]["path"]
        measured = {"measured": self.asked} if self.asked else {}
        plain: dict[str, Any] = _plain(
            {
                **tables,
                "sweep": {key: value for key, value in tables["sweep"].items() if key not in shown_only} | measured,
                "axis": [{"parameter": axis.parameter, **axis.values.written()} for axis in self.axes],
            }
        )
        return plain

    def tables(self) -> dict[str, Any]:
        """Return the tables of the sweep file with every default, without axes and points."""
        sweep: dict[str, Any] = {
            "name": self.name,
            "title": self.title,
            "note": self.note,
            "seeds": seeds_value(self.seeds),
            "detail": self.detail,
            "engine": self.engine,
            "checkpoints": self.checkpoints,
            "metrics": self.metrics,
            "combine": self.combine,
        }
        if self.combine == "random":
            sweep |= {"random_points": self.random_points, "random_seed": self.random_seed}
        return {
            "schema": SCHEMA_VERSION,
            "sweep": sweep,
            **self._source_table(),
            "policy": [
                {"kind": one.kind, "label": one.label, **_sha256(one.file_sha256), **one.policy.values()}
                for one in self.policies
            ],
        }

    def _source_table(self) -> dict[str, Any]:
        if self.trace is not None:
            return {TRACE: self.trace.table()}
        return {WORKLOAD: {"kind": self.workload_kind, **_sha256(self.workload_sha256), **self.workload.values()}}

    def codes(self) -> Iterable[tuple[str, str, OwnCode]]:
        """Yield kind, digest as it is stored, and code, of each user-defined policy and workload."""
        each = [(one.kind, one.file_sha256, one.code) for one in self.policies]
        for kind, sha256, code in (*each, (self.workload_kind, self.workload_sha256, self.workload_code)):
            if code is not None:
                yield kind, sha256, code


def engine_for(engine: str, metrics: Sequence[str]) -> str:
    """Return the engine of a sweep: the scalar one where what it alone measures is asked for and none is named."""
    return SCALAR if engine == AUTO and "saturation" in metrics else engine


def num_points(spec: SweepSpec) -> int:
    """Return how many points there are; without axes there is one."""
    if spec.combine == "random":
        return spec.random_points
    if not spec.axes:
        return 1
    if spec.combine == "grid":
        return math.prod(len(axis.values) for axis in spec.axes)
    return len(spec.axes[0].values)


def places(spec: SweepSpec, point: int) -> tuple[int, ...]:
    """Return the index on every axis at a point; in a grid the last axis varies fastest."""
    if spec.combine == "random":
        return tuple(random_place(spec.random_seed, axis.parameter, point, len(axis.values)) for axis in spec.axes)
    if spec.combine == "grid":
        return grid_places(tuple(len(axis.values) for axis in spec.axes), point)
    return (point,) * len(spec.axes)


def grid_places(sizes: tuple[int, ...], number: int) -> tuple[int, ...]:
    """Return the digits of ``number``, the last with the lowest weight.

    >>> grid_places((3, 5), 7)
    (1, 2)
    """
    digits = []
    for size in reversed(sizes):
        number, digit = divmod(number, size)
        digits.append(digit)
    return tuple(reversed(digits))


def random_place(random_seed: int, parameter: str, point: int, size: int) -> int:
    """Return a uniform draw from 0 … size - 1 that depends on these four and on nothing else.

    So another axis, another order of axes or more points change nobody's draws. Of 2**256 values of the digest, the
    last incomplete run of ``size`` favours none noticeably.
    """
    digest = hashlib.sha256(f"{random_seed}/{parameter}/{point}".encode()).digest()
    return int.from_bytes(digest, "big") % size


def own_sources(spec: SweepSpec) -> dict[str, bytes]:
    """Return the user code of a sweep as files of a run folder: relative names and contents.

    A sweep stored beside these files is read with this code, wherever the folder is moved.
    """
    copies = {name: content for _, _, code in spec.codes() for name, content in code.copies().items()}
    return copies if spec.trace is None else copies | spec.trace.copy()


def changed_code(spec: SweepSpec) -> list[str]:
    """Return a line for each user file whose content differs from that of the stored sweep."""
    changed = [] if spec.trace is None else spec.trace.changed()
    return changed + [
        f"{kind.rpartition(':')[0]}, or a module that it imports, has changed since this sweep was run "
        f"(SHA-256 {sha256[:12]}… then, {code.digest[:12]}… now): put the old content back, or run the sweep anew "
        "into another folder"
        for kind, sha256, code in spec.codes()
        if sha256 != code.digest
    ]


def _sha256(digest: str) -> dict[str, str]:
    return {"file_sha256": digest} if digest else {}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, tuple | list):
        return list(map(_plain, value))
    return "inf" if isinstance(value, float) and value == math.inf else value
