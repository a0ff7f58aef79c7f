"""The results of a run folder on the screen: title, table, note and findings."""

from pathlib import Path

from vecdecay.analysis.findings import findings
from vecdecay.commands.numerals import count
from vecdecay.commands.overview import overview_lines
from vecdecay.commands.played import cell_rows
from vecdecay.commands.result_table import MOST_ROWS, result_lines
from vecdecay.commands.screen import paragraph
from vecdecay.run.plan import Plan
from vecdecay.sweepfile.model import WORKLOAD

MOST_CELLS_WITH_FINDINGS = 20_000
_MOST_CELLS_IN_TABLES = 40 * MOST_ROWS


def result_screen(plan: Plan, folder: Path) -> list[str]:
    """Return what a finished run shows, a blank line at the end."""
    spec = plan.spec
    lines = [*paragraph(spec.title or spec.name), *paragraph(_what_was_played(plan)), ""]
    table = None
    if not spec.axes or plan.num_cells <= _MOST_CELLS_IN_TABLES:
        table = result_lines(spec, list(cell_rows(plan, folder)))
    lines += [*(overview_lines(plan, folder) if table is None else table), ""]
    if spec.note:
        lines += [*paragraph(" ".join(spec.note.split())), ""]
    sentences = findings_of(plan, folder)
    return lines + [line for sentence in sentences for line in paragraph(sentence, "- ")] + [""] * bool(sentences)


def findings_of(plan: Plan, folder: Path) -> list[str]:
    """Return the findings as sentences; none of a sweep that is too large to compare cell by cell."""
    if plan.num_cells > MOST_CELLS_WITH_FINDINGS:
        return []
    axes = {axis.parameter: "" if axis.label == WORKLOAD else axis.label for axis in plan.spec.axes}
    return findings((row.played() for row in cell_rows(plan, folder)), axes)


def _what_was_played(plan: Plan) -> str:
    spec = plan.spec
    labels = [entry.label for entry in spec.policies]
    policies = labels[0] if len(labels) == 1 else f"each of {len(labels)} policies"
    points = f" at each of {plan.num_points:,} points" if plan.num_points > 1 else ""
    return f"{count(len(spec.seeds), 'session')} of {spec.workload_kind} under {policies}{points}"
