"""``vecdecay verify``: is a run folder what it claims to be?"""

import dataclasses
from pathlib import Path

from vecdecay.commands.screen import paragraph, show, show_json
from vecdecay.numerals import count
from vecdecay.run.progress import progress_for_screen, tell
from vecdecay.run.verify import VerifyReport, verify_run

MOST_PROBLEMS_TOLD = 50


def verify_command(folder: Path, everything: bool, sample: int, sample_seed: int, quiet: bool, as_json: bool) -> int:
    """Print what was looked at and found; return the exit code, 1 if anything is wrong."""
    report = verify_run(
        folder,
        everything=everything,
        sample=sample,
        sample_seed=sample_seed,
        progress=progress_for_screen(quiet),
    )
    if as_json:
        shown = {"folder": str(folder), "sound": report.sound, **dataclasses.asdict(report)}
        show_json(shown)
        return 0 if report.sound else 1
    for problem in report.problems[:MOST_PROBLEMS_TOLD]:
        tell(f"vecdecay: {problem}")
    more = len(report.problems) - MOST_PROBLEMS_TOLD
    if more > 0:
        tell(f"vecdecay: and {count(more, 'more problem')}")
    show(*_lines(folder, report))
    return 0 if report.sound else 1


def _lines(folder: Path, report: VerifyReport) -> list[str]:
    looked_at = f"{count(report.parts, 'part')} with {count(report.rows, 'row')}, {count(report.cells, 'cell')}"
    lines = paragraph(f"looked at {looked_at}; {count(report.sessions_recomputed, 'session')} computed again")
    if report.failed_cells:
        lines.append(f"{count(report.failed_cells, 'cell')} could not be played when the run was made")
    verdict = [f"{count(len(report.problems), 'thing')} wrong"] if report.problems else []
    verdict += [report.unfinished] if report.unfinished else []
    return [*lines, f"{folder}: {'; '.join(verdict) or 'nothing is wrong'}"]
