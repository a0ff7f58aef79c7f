"""``vecdecay list``: everything that has a name, one line each."""

import shutil
from collections.abc import Mapping, Sequence

from vecdecay.commands.screen import GAP, as_printed, pairs, show, show_json, width
from vecdecay.errors import InvalidInputError
from vecdecay.parameters import brief, did_you_mean
from vecdecay.policies import POLICIES
from vecdecay.quantities import ALL_METRICS
from vecdecay.sessions import WORKLOADS
from vecdecay.sessions.importers import IMPORTERS
from vecdecay.sweepfile.files import known_sweeps

_NO_LIMIT = 10_000
_FEWEST_COLUMNS = 45
"""Where meanings have less room, they are wrapped instead of cut."""


def list_command(kind: str | None, as_json: bool) -> None:
    """Print the policies, workloads, importers, sweeps and metrics, or one kind of these, with what each is."""
    sections = named()
    if kind is not None and kind not in sections:
        hint = did_you_mean(kind, sections)
        raise InvalidInputError([f"{brief(kind)} cannot be listed; allowed: {', '.join(sections)}{hint}"])
    chosen = sections if kind is None else {kind: sections[kind]}
    if as_json:
        listed = {title: [{"name": name, "summary": text} for name, text in some] for title, some in chosen.items()}
        show_json(listed)
        return
    # Whoever searches the lines of a pipe wants all their words.
    columns = max(width(), shutil.get_terminal_size((_NO_LIMIT, 24)).columns)
    for title, entries in chosen.items():
        names = max(len(name) for name, _ in entries)
        narrow = columns - names < _FEWEST_COLUMNS
        lines = pairs(entries) if narrow else [_line(name, meaning, names, columns) for name, meaning in entries]
        show(title.capitalize(), *lines, "")
    show("vecdecay explain NAME explains each of them.")


def named() -> Mapping[str, Sequence[tuple[str, str]]]:
    """Return the names of each kind with what they mean."""
    return {
        "policies": [(policy.name, policy.summary) for policy in POLICIES],
        "workloads": [(workload.name, workload.summary) for workload in WORKLOADS],
        "importers": [(name, one.summary) for name, one in IMPORTERS.items()],
        "sweeps": known_sweeps(),
        "metrics": [(metric.name, metric.meaning) for metric in ALL_METRICS],
    }


def _line(name: str, meaning: str, names: int, columns: int) -> str:
    line = f"  {name:<{names}}{GAP}{meaning}".rstrip()
    more = as_printed("…")
    return line if len(line) <= columns else f"{line[: columns + 1 - len(more)].rpartition(' ')[0].rstrip()}{more}"
