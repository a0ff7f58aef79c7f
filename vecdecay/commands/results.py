"""``vecdecay results RUN``: what a run folder holds, finished or not, as ``vecdecay run`` shows it or as a table."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from vecdecay.analysis.cell import empty_checkpoints
from vecdecay.analysis.findings import findings
from vecdecay.commands.result_table import MOST_ROWS, markdown_lines, result_lines
from vecdecay.commands.screen import paragraph, show
from vecdecay.errors import InvalidInputError, OutputError
from vecdecay.numerals import count
from vecdecay.run.open_run import Run, open_run
from vecdecay.run.plan import Plan
from vecdecay.run.played import CELLS_FILE, CellRow, cell_rows, rows_so_far
from vecdecay.run.progress import tell
from vecdecay.sweepfile.model import WORKLOAD

MOST_CELLS_WITH_FINDINGS = 20_000
MOST_FAILURES_TOLD = 20
_MOST_CELLS_IN_TABLES = 40 * MOST_ROWS


def results_command(folder: Path, as_csv: bool, as_markdown: bool, as_json: bool) -> int:
    """Print the results of a run, of one that was interrupted those so far; return the exit code, 1 if cells failed.

    Raises:
        InvalidInputError: more than one form is asked for.
        OutputError: the folder holds no run; or it is not finished, and all cells are asked for.
    """
    if as_csv + as_markdown + as_json > 1:
        raise InvalidInputError(["--csv, --markdown and --json: allowed: one of them"])
    run = open_run(folder)
    if as_csv:
        from vecdecay.commands.sql import show_csv  # loads what only queries need

        show_csv(run.cells)
    elif as_json:
        from vecdecay.commands.result_json import json_pieces

        for piece in json_pieces(run, _rows(run), findings_of(run)):
            show(piece)
    elif as_markdown:
        show(*markdown_lines(run.spec, _rows(run)))
    else:
        show(*result_screen(run), *_state(run))
    return told_failures(run)


def result_screen(run: Run) -> list[str]:
    """Return what a run shows, a blank line at the end."""
    spec, plan, table = run.spec, run.plan, None
    lines = [*paragraph(spec.title or spec.name), *paragraph(_what_was_played(plan)), ""]
    if not spec.axes or plan.num_cells <= _MOST_CELLS_IN_TABLES:
        rows = _rows(run)
        table = result_lines(spec, rows) if rows or _has_cells(run) else ["no part is finished"]
    elif not _has_cells(run):
        table = ["too many cells to be shown before the run is finished"]
    if table is None:
        from vecdecay.commands.overview import overview_lines  # most sweeps have few points

        table = overview_lines(plan, run.folder)
    lines += [*table, ""]
    if spec.note:
        lines += [*paragraph(" ".join(spec.note.split())), ""]
    sentences = findings_of(run)
    return lines + [line for sentence in sentences for line in paragraph(sentence, "- ")] + [""] * bool(sentences)


def findings_of(run: Run) -> list[str]:
    """Return the findings as sentences; none of a sweep that is unfinished or too large to compare cell by cell."""
    if run.plan.num_cells > MOST_CELLS_WITH_FINDINGS or not _has_cells(run):
        return []
    axes = {axis.parameter: "" if axis.label == WORKLOAD else axis.label for axis in run.spec.axes}
    found = findings((row.played() for row in cell_rows(run.plan, run.folder)), axes, run.spec.leading[0])
    unreached = empty_checkpoints(run.spec.checkpoints, (row.summaries for row in cell_rows(run.plan, run.folder)))
    return found + [unreached] * bool(unreached)


def told_failures(run: Run) -> int:
    """Tell what was made again and which cells failed; return the exit code, 1 if any did."""
    for problem in run.repaired:
        tell(f"vecdecay: repaired: {problem}")
    if not run.failed:
        return 0
    tell(f"vecdecay: {count(len(run.failed), 'cell')} of {run.num_cells:,} failed, the others are complete:")
    for failed in run.failed[:MOST_FAILURES_TOLD]:
        tell(f"vecdecay: cell {failed.cell} ({failed.label}): {' '.join(failed.error.split())}")
    more = len(run.failed) - MOST_FAILURES_TOLD
    if more > 0:
        tell(f"vecdecay: and {count(more, 'more cell')}")
    return 1


def _has_cells(run: Run) -> bool:
    return (run.folder / CELLS_FILE).exists()


def _rows(run: Run) -> Sequence[CellRow]:
    if _has_cells(run):
        return list(cell_rows(run.plan, run.folder))
    if run.plan.num_cells > _MOST_CELLS_IN_TABLES:
        raise OutputError(f"{run.folder}: too many cells to be shown before the run is finished: {run.unfinished()}")
    return rows_so_far(run)


def _state(run: Run) -> list[str]:
    if _has_cells(run):
        return [f"finished: {run.folder}"]
    if run.shard is not None and run.is_complete:
        return [f"share {run.shard[0]} of {run.shard[1]}, finished: {run.folder}"]
    return paragraph(f"{run.unfinished()}; shown are the sessions so far")


def _what_was_played(plan: Plan) -> str:
    spec = plan.spec
    labels = [entry.label for entry in spec.policies]
    policies = labels[0] if len(labels) == 1 else f"each of {len(labels)} policies"
    points = f" at each of {plan.num_points:,} points" if plan.num_points > 1 else ""
    source = spec.workload_kind if spec.trace is None else spec.trace.path
    varied = [axis.name for axis in spec.axes if axis.label == WORKLOAD]
    rules = f"; {cast(Any, spec.workload).rules.text(varied)}" if spec.trace is not None else ""
    return f"{count(len(spec.seeds), 'session')} of {source} under {policies}{points}{rules}"
