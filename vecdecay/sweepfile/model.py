"""A sweep inside the program: frozen, checked, every default filled in."""

from dataclasses import dataclass
from typing import Any

from vecdecay.policies.base import Policy
from vecdecay.sessions.workload import Workload
from vecdecay.sweepfile.axes import Axis
from vecdecay.sweepfile.seeds import Seeds

WORKLOAD = "workload"
"""What stands before the dot in the name of a workload's parameter."""


@dataclass(frozen=True)
class PolicyEntry:
    """A policy of a sweep: how it is called there, the ``kind`` that names its class, its parameters off the axes.

    ``file_sha256`` is the digest of the file that the class comes from, nothing for a policy of this program. In a
    stored sweep it is the digest at the time of writing, which the file may no longer have.
    """

    label: str
    kind: str
    policy: Policy
    file_sha256: str = ""

    def file(self) -> dict[str, str]:
        """Return the digest under its key in a sweep file, nothing for a policy of this program."""
        return {"file_sha256": self.file_sha256} if self.file_sha256 else {}


@dataclass(frozen=True)
class SweepSpec:
    """Everything that a sweep file says, defaults included.

    ``axes`` holds the listed points too (``combine="points"``): one axis per parameter, one value per point.
    ``checkpoints`` rise; ``metrics`` are the names to print, none for the usual ones.
    """

    name: str
    seeds: Seeds
    workload_kind: str
    workload: Workload
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

    def base_values(self, label: str) -> dict[str, Any]:
        """Return the parameters of a policy, or of the workload, as they are where no axis says otherwise."""
        if label == WORKLOAD:
            return self.workload.values()
        return next(entry.policy.values() for entry in self.policies if entry.label == label)
