"""``vecdecay list``: everything that has a name, one line each."""

import shutil

from vecdecay.commands.screen import GAP, WIDTH, show
from vecdecay.policies import POLICIES
from vecdecay.quantities import METRICS
from vecdecay.sessions import WORKLOADS
from vecdecay.sweepfile.files import known_sweeps

_NO_LIMIT = 10_000


def list_command() -> None:
    """Print the policies, workloads, sweeps and metrics with what each is."""
    sections = {
        "Policies": [(policy.name, policy.summary) for policy in POLICIES],
        "Workloads": [(workload.name, workload.summary) for workload in WORKLOADS],
        "Sweeps": known_sweeps(),
        "Metrics": [(metric.name, metric.meaning) for metric in METRICS],
    }
    # A pipe has no width, and whoever searches the lines wants all their words.
    columns = max(WIDTH, shutil.get_terminal_size((_NO_LIMIT, 24)).columns)
    for title, entries in sections.items():
        width = max(len(name) for name, _ in entries)
        show(title, *(_line(name, meaning, width, columns) for name, meaning in entries), "")
    show("vecdecay explain NAME tells more of each.")


def _line(name: str, meaning: str, width: int, columns: int) -> str:
    line = f"  {name:<{width}}{GAP}{meaning}".rstrip()
    return line if len(line) <= columns else f"{line[: columns - 1].rstrip()}…"
