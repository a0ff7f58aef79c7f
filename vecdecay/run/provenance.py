"""Where a result comes from: what is the same in two runs goes into the files' footers, the rest into one JSON file."""

import json
import platform
import sys
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from vecdecay.engines.asking import guarded
from vecdecay.engines.horizon import horizon_table
from vecdecay.errors import InvalidInputError
from vecdecay.policies.base import TablePolicy
from vecdecay.store.manifest import write_document
from vecdecay.sweepfile.model import SweepSpec
from vecdecay.sweepfile.resolved import resolved_toml
from vecdecay.sweepfile.seeds import seeds_value
from vecdecay.version import __version__

PROVENANCE_NAME = "provenance.json"


def footer_of(spec: SweepSpec) -> dict[str, str]:
    """Return what stands in the footer of every Parquet file of a sweep: no clock, no machine, no path."""
    policies = []
    for entry in spec.policies:
        described: dict[str, Any] = {"label": entry.label, "kind": entry.kind, "formula": entry.policy.formula}
        # A person's policy that raises is refused where it is played, with the cell.
        with suppress(InvalidInputError), guarded(entry.policy):
            if isinstance(entry.policy, TablePolicy):
                described["horizon_margin_ulps"] = horizon_table(entry.policy, 8).margin_ulps
        policies.append(described)
    return {
        "vecdecay.version": __version__,
        "vecdecay.sweep": spec.name,
        "vecdecay.sweep_digest": spec.digest,
        "vecdecay.seeds": json.dumps(seeds_value(spec.seeds), default=list)[:2000],
        "vecdecay.workload": spec.workload.name,
        "vecdecay.policies": json.dumps(policies, sort_keys=True),
        "vecdecay.resolved": resolved_toml(spec)[:20_000],
    }


@cache
def libraries() -> dict[str, str]:
    """Return the versions of the libraries that results may depend on."""
    return {name: version(name) for name in ("numpy", "numba", "llvmlite", "pyarrow")}


def write_provenance(folder: Path, started: datetime, seconds: float, threads: int, played: int, checked: int) -> None:
    """Write versions, machine, clock and timings of the run that has just ended."""
    content = {
        "vecdecay": __version__,
        "python": sys.version.split()[0],
        "implementation": platform.python_implementation(),
        "libraries": libraries(),
        "machine": {"architecture": platform.machine(), "system": platform.system(), "threads": threads},
        "started": started.isoformat(timespec="seconds"),
        "ended": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds": round(seconds, 3),
        "sessions_played_in_this_run": played,
        "sessions_checked_against_the_scalar_engine": checked,
    }
    write_document(folder / PROVENANCE_NAME, content)
