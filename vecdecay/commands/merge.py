"""``vecdecay merge``: the shares of a sweep become the run that they are parts of."""

from collections.abc import Sequence
from pathlib import Path

from vecdecay.commands.screen import show
from vecdecay.numerals import count
from vecdecay.run.merge import merge
from vecdecay.run.progress import tell


def merge_command(shards: Sequence[Path], output: Path) -> int:
    """Join the shares and say what came of it; return the exit code, 1 if cells had failed."""
    report = merge(shards, output)
    for problem in report.repaired:
        tell(f"vecdecay: made again: {problem}")
    if report.already_complete:
        show(f"nothing to do: {output} holds this very run, finished")
    else:
        played = f"{count(report.num_sessions, 'session')} in {count(report.num_cells, 'cell')}"
        show(f"{count(len(shards), 'share')} joined to {output}: {played}")
    for failed in report.failed:
        tell(f"vecdecay: cell {failed.cell} ({failed.label}): {failed.error}")
    return 1 if report.failed else 0
