"""``vecdecay run --dry-run``: what a run would take, from arithmetic, and by counting the cells that are the same."""

import dataclasses
import json
from pathlib import Path

from rich.filesize import decimal

from vecdecay.commands.numerals import duration
from vecdecay.commands.screen import pairs, tell
from vecdecay.run.distinct import count_different_cells, told_by_arithmetic
from vecdecay.run.plan import make_plan
from vecdecay.run.predict import predict
from vecdecay.sweepfile.model import SweepSpec

MANY_CELLS = 20_000
"""From so many cells on a note says that they are counted, which takes a second and more."""


def dry_run_lines(spec: SweepSpec, folder: Path, as_json: bool) -> list[str]:
    """Return the cells, sessions, rows, disk, memory and time that the sweep would take.

    Cells that are equal are counted once in ``distinct_cells``; the run plays at least these. Where the prediction
    takes all cells for different and they are not, its time is an upper bound, and ``seconds_at_most`` is true in JSON.
    """
    plan = make_plan(spec)
    must_count = not told_by_arithmetic(spec)
    if must_count and plan.num_cells >= MANY_CELLS:
        tell(f"counting which of {plan.num_cells:,} cells are the same")
    expected, at_most = predict(spec), False
    if must_count and expected.distinct_cells == expected.cells:
        played = count_different_cells(plan)
        at_most = played < expected.distinct_cells
        expected = dataclasses.replace(expected, distinct_cells=played)
    if as_json:
        shown = {"sweep": spec.name, "folder": str(folder), **dataclasses.asdict(expected), "seconds_at_most": at_most}
        return [json.dumps(shown, indent=2)]
    same = "" if expected.distinct_cells == expected.cells else f", {expected.distinct_cells:,} of them different"
    facts = [
        ("cells", f"{expected.cells:,}{same}"),
        ("sessions", f"{expected.sessions:,}"),
        ("rows", f"{expected.rows:,} (detail {spec.detail})"),
        ("disk", f"about {decimal(expected.disk_bytes)} in {folder}"),
        ("memory", f"about {decimal(expected.memory_bytes)}"),
        ("time", f"{'at most about' if at_most else 'about'} {duration(expected.seconds)}"),
    ]
    return [f"{spec.name} would take (nothing is played, nothing is written):", "", *pairs(facts)]
