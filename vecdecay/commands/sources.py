"""What is typed for a source of sessions: a workload, a sweep (its workload, seeds and policies), or a recorded log."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vecdecay.commands.typed import typed_workload
from vecdecay.errors import InvalidInputError
from vecdecay.own_file import names_a_file
from vecdecay.parameters import brief, did_you_mean
from vecdecay.policies.base import Policy
from vecdecay.sessions import WORKLOADS
from vecdecay.sessions.sample import SAMPLE_NAME, trace_path
from vecdecay.sessions.source import Source
from vecdecay.sessions.trace import Trace
from vecdecay.sweepfile.files import find_sweep, known_sweeps
from vecdecay.sweepfile.overrides import Override
from vecdecay.sweepfile.spec import load_sweep

USUAL_SEEDS = 1000


@dataclass(frozen=True)
class TypedSource:
    """A source, the seeds that are played (None for all sessions of a log), and the policies that a sweep names.

    ``trace`` is the table [trace] of a sweep file that reads the same log, from any folder; None for a workload.
    """

    name: str
    source: Source
    seeds: Any
    policies: tuple[Policy, ...] = ()
    trace: Mapping[str, Any] | None = None


def typed_source(text: str, seeds: str | None = None) -> TypedSource:
    """Return the source of a text such as ``zipf_recalls(zipf_exponent=2)``, ``headline``, ``my.toml`` or a log's path.

    ``seeds`` is what ``--seeds`` says: of a workload and a sweep, as for ``vecdecay run``.

    Raises:
        InvalidInputError: there is no such source, or it cannot be read; one line per reason.
    """
    kind = text.partition("(")[0].strip()
    names = [one.name for one in WORKLOADS]
    if kind in names or names_a_file(kind):
        played = range(USUAL_SEEDS) if seeds is None else seeds_of_text(seeds)
        return TypedSource(text, typed_workload(text), played)
    sweeps = [name for name, _ in known_sweeps()]
    is_sweep = text.endswith(".toml") or text in sweeps
    if is_sweep:
        spec = load_sweep(find_sweep(text), [Override("--seeds", seeds)] if seeds is not None else [])
        trace = None if spec.trace is None else {**spec.trace.table(), "path": str(spec.trace.found.absolute())}
        return TypedSource(text, spec.workload, spec.seeds, tuple(entry.policy for entry in spec.policies), trace)
    path = trace_path(Path(text))
    if not path.exists():
        hint = did_you_mean(kind, [*names, *sweeps, SAMPLE_NAME])
        raise InvalidInputError([f"{brief(text)} is no workload, no sweep and no file{hint}"])
    if seeds is not None:
        raise InvalidInputError(["--seeds: a log has its own sessions; allowed: workloads and sweeps only"])
    return TypedSource(text, Trace.read(path), None, trace={"path": str(Path(text).absolute())})


def seeds_of_text(seeds: str) -> Any:
    """Return the seeds of a text, by the rules of ``vecdecay run``.

    Raises:
        InvalidInputError: it names none; one line.
    """
    from vecdecay.sweepfile.spec import parse_sweep

    tables = {
        "schema": 1,
        "sweep": {"name": "seeds", "seeds": 1},
        "workload": {"kind": "published_sessions"},
        "policy": [{"kind": "keep_all"}],
    }
    return parse_sweep(tables, "--seeds", [Override("--seeds", seeds)]).seeds
