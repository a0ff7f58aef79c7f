"""The report: one HTML file with everything in it, the same bytes for the same run."""

import platform
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from vecdecay.analysis.cell import MetricSummary
from vecdecay.analysis.findings import findings
from vecdecay.errors import VecdecayError
from vecdecay.numerals import NOTHING, count, estimate
from vecdecay.quantities import Metric, metric_named
from vecdecay.report.answer import Answer, Compared, answer_of
from vecdecay.report.figures import groups_of
from vecdecay.report.study import COST, Study, study_of, times
from vecdecay.report.style import require_matplotlib
from vecdecay.run.open_run import Run
from vecdecay.run.simulate import SimulationResult
from vecdecay.sessions.trace import Trace
from vecdecay.store.files import prepare_folder, write_file
from vecdecay.store.manifest import read_document, read_manifest
from vecdecay.sweepfile.model import WORKLOAD, SweepSpec
from vecdecay.sweepfile.resolved import resolved_toml
from vecdecay.version import __version__

MOST_BYTES = 2_000_000
_MOST_CELLS_WITH_FINDINGS = 20_000
_MOST_FAILURES = 10
_LIBRARIES = ("numpy", "numba", "pyarrow", "matplotlib")
_SHOWN = ("hit_rate", "footprint_reduction", "misses")


@dataclass(frozen=True)
class Place:
    """The text of one place of the table, and a second line in small letters."""

    text: str
    small: str = ""


def report_of(subject: Run | SimulationResult, command: str) -> str:
    """Return a run, finished or not, or a result as a page of HTML.

    Args:
        subject: what is reported.
        command: the command that makes the page again, shown in it.

    Raises:
        VecdecayError: Matplotlib or Jinja is not installed.
        OutputError: files of the run cannot be read.
    """
    require_libraries()
    study = study_of(subject)
    answer = answer_of(study)
    spec = study.plan.spec
    groups = groups_of(study, answer)
    lines = _findings(study)
    metrics = _table_metrics(study)
    page: str = _template().render(
        title=_title_of(subject, spec),
        question=f"{study.sentence()}.",
        unfinished=subject.unfinished() if isinstance(subject, Run) else "",
        failures=_failures(subject),
        answer=answer.sentence,
        note=" ".join(spec.note.split()),
        heads=_heads(study, metrics),
        rows=[_row(study, one, metrics) for one in answer.compared],
        table_caption=_table_caption(study, answer),
        table_notes=_table_notes(study, answer),
        findings=lines,
        groups=groups,
        sections=_sections(answer, lines, groups),
        source_lines=spec.workload.summarise().lines() if isinstance(spec.workload, Trace) else [],
        provenance=_provenance(study),
        command=command,
        sweep=_sweep_text(spec),
        version=__version__,
    )
    return page


def _title_of(subject: Run | SimulationResult, spec: SweepSpec) -> str:
    """Return the title of a sweep, its name, or, of a result in memory, what the sessions come from."""
    if isinstance(subject, Run):
        return spec.title or spec.name
    return Path(spec.workload.where).name if isinstance(spec.workload, Trace) else spec.workload_kind


def write_report(subject: Run | SimulationResult, path: Path, command: str) -> int:
    """Write the page of a run or result, at once or not at all; return its size in bytes.

    Raises:
        VecdecayError: Matplotlib or Jinja is not installed.
        OutputError: files of the run cannot be read, or the page cannot be written.
    """
    content = report_of(subject, command).encode()
    prepare_folder(path.parent)
    return write_file(path, content).bytes


def require_libraries() -> None:
    """Raise VecdecayError, with what is to be installed, where Matplotlib or Jinja is missing."""
    require_matplotlib()
    try:
        import jinja2  # noqa: F401
    except ImportError as error:
        text = "a report needs the package jinja2; install it with: pip install 'vecdecay[report]'"
        raise VecdecayError(text) from error


def _template() -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    loader = FileSystemLoader(Path(__file__).parent)
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True)
    return environment.get_template("page.html")


def _sections(answer: Answer, lines: Sequence[str], groups: Sequence[Any]) -> list[dict[str, str]]:
    listed = [("answer", "Answer")]
    listed += [("comparison", "Comparison")] if answer.compared else []
    listed += [("findings", "Differences")] if lines else []
    listed += [(group.id, group.title) for group in groups]
    listed += [("provenance", "Where it comes from")]
    return [{"id": name, "title": title} for name, title in listed]


def _failures(subject: Run | SimulationResult) -> list[str]:
    if not isinstance(subject, Run) or not subject.failed:
        return []
    lines = [f"cell {one.cell} ({one.label}): {' '.join(one.error.split())}" for one in subject.failed[:_MOST_FAILURES]]
    more = len(subject.failed) - _MOST_FAILURES
    return [*lines, *([f"and {count(more, 'more cell')}"] if more > 0 else [])]


def _table_metrics(study: Study) -> list[Metric]:
    """Return the columns beside metric, difference and cost: those of the usual ones that some cell has."""
    names = [name for name in _SHOWN if name != study.metric.name]
    return [
        metric_named(name) for name in names if any(row.summaries[name].summary.mean is not None for row in study.rows)
    ]


def _heads(study: Study, metrics: Sequence[Metric]) -> list[str]:
    shown = _title(study.metric)
    named = [_title(metric) for metric in metrics]
    return ["policy", shown, f"difference in {shown}", _title(COST), "holds", *named, "sessions"]


def _title(metric: Metric) -> str:
    unit = "" if metric.unit == "share" else f" ({metric.unit})"
    return f"{metric.name.replace('_', ' ')}{unit}"


def _row(study: Study, one: Compared, metrics: Sequence[Metric]) -> dict[str, Any]:
    row = one.row
    difference = Place("reference") if row is one.reference else Place(NOTHING)
    if one.difference is not None:
        number, _, rest = one.difference.text().partition(" ")
        small = rest if one.difference.told_apart else f"{rest}; not told apart from 0".removeprefix("; ")
        difference = Place(number, rest if number == "none" else small)
    cells = [
        _place(row.summaries[study.metric.name], study.metric),
        difference,
        _place(row.summaries[COST.name], COST),
        Place(times(row, one.reference, COST) if one.reference is not None else ""),
        *(_place(row.summaries[metric.name], metric) for metric in metrics),
        Place(f"{row.num_sessions:,}"),
    ]
    return {"name": study.name(row), "why": one.why, "cells": cells}


def _place(summary: MetricSummary, metric: Metric) -> Place:
    number, interval = estimate(summary, metric.unit)
    return Place(number, "in every session" if summary.summary.constant else interval.strip("()"))


def _table_caption(study: Study, answer: Answer) -> str:
    in_small = "Below each mean its 95 % interval."
    if answer.reference is None:
        return in_small
    several = len(study.settings) > 1
    best = "the best cell at the same setting of the workload" if several else study.name(answer.reference)
    return f"{in_small} Differences are to {best}; “holds” is how many times as many items."


def _table_notes(study: Study, answer: Answer) -> list[str]:
    notes = []
    if any(one.difference is not None for one in answer.compared):
        played = "" if study.keeps_sessions else ", which were played again for it"
        number = count(study.num_paired, "session")
        notes.append(
            f"Differences are paired: the same {number} under both policies{played}; the interval is that of the mean "
            "difference (Student). A difference whose interval holds 0 is not told apart from 0."
        )
    left_out = len(study.cells) - len(answer.compared)
    if left_out > 0:
        notes.append(
            f"{count(left_out, 'more cell')} not shown here: shown are the best, the worst, what keeps all, and cells "
            "that no other beats in both the metric and the items held. All are in cells.parquet."
            if len(study.settings) == 1
            else f"{count(left_out, 'more cell')} not shown here: shown are the best at each setting of the workload. "
            "All are in cells.parquet."
        )
    return notes


def _findings(study: Study) -> list[str]:
    if not 0 < len(study.rows) <= _MOST_CELLS_WITH_FINDINGS:
        return []
    axes = {axis.parameter: "" if axis.label == WORKLOAD else axis.label for axis in study.plan.spec.axes}
    return findings((row.played() for row in study.rows), axes, study.metric.name)


def _provenance(study: Study) -> list[tuple[str, str]]:
    spec, subject = study.plan.spec, study.subject
    engines = sorted({row.engine for row in study.rows})
    versions = {name: version(name) for name in _LIBRARIES} | {"python": platform.python_version()}
    known = [
        ("program", f"vecdecay {__version__}"),
        ("sessions", f"{count(len(spec.seeds), 'session')} of {spec.workload_kind}, seeds {_seeds(spec)}"),
        ("cells", f"{len(study.rows):,} of {study.plan.num_cells:,} played, {len(study.cells):,} of them distinct"),
        ("engine", ", ".join(engines) or NOTHING),
        ("detail", spec.detail),
        ("versions", ", ".join(f"{name} {number}" for name, number in sorted(versions.items()))),
        ("digest of the sweep (SHA-256)", _digest(spec)),
    ]
    if isinstance(subject, Run) and subject.is_complete:
        files = {str(one["file"]): str(one["sha256"]) for one in read_manifest(subject.folder)["files"]}
        known.append(("digest of cells.parquet (SHA-256)", files.get("cells.parquet", NOTHING)))
        checked = read_document(subject.folder / "provenance.json").get("sessions_checked_against_the_scalar_engine", 0)
        known.append(("checked against the scalar engine", f"{count(int(checked), 'session')}, identical"))
    return known


def _seeds(spec: SweepSpec) -> str:
    seeds = spec.seeds
    if isinstance(seeds, range) and seeds.step == 1:
        return f"{seeds[0]} to {seeds[-1]}"
    text = ", ".join(str(seed) for seed in seeds[:10])
    return text if len(seeds) <= 10 else f"{text}, …"


def _digest(spec: SweepSpec) -> str:
    try:
        return spec.digest
    except (TypeError, ValueError):  # objects of Python that no sweep file names
        return NOTHING


def _sweep_text(spec: SweepSpec) -> str:
    """Return the sweep as a file; nothing where its sessions are recorded, which no sweep file names."""
    if isinstance(spec.workload, Trace):
        return ""
    try:
        return resolved_toml(spec)
    except (TypeError, ValueError):
        return ""
