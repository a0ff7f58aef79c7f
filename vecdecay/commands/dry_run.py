"""``vecdecay run --dry-run``: what a run would take, from a few sessions that are timed, and arithmetic."""

import dataclasses
import json
from pathlib import Path

from rich.filesize import decimal

from vecdecay.commands.screen import pairs, paragraph
from vecdecay.numerals import duration
from vecdecay.run.distinct import told_by_arithmetic
from vecdecay.run.plan import make_plan
from vecdecay.run.predict import predict
from vecdecay.run.progress import tell
from vecdecay.sweepfile.model import SweepSpec

MANY_CELLS = 20_000
"""From so many cells on a note says that they are counted, which takes a second and more."""


def dry_run_lines(spec: SweepSpec, folder: Path, as_json: bool, threads: int | None = None) -> list[str]:
    """Return the cells, sessions, rows, disk, memory and time that the sweep would take.

    Cells that are equal are counted once in ``distinct_cells``.
    """
    cells = make_plan(spec).num_cells
    if cells >= MANY_CELLS and not told_by_arithmetic(spec):
        tell(f"counting which of {cells:,} cells are the same")
    expected = predict(spec, threads)
    if as_json:
        return [json.dumps({"sweep": spec.name, "folder": str(folder), **dataclasses.asdict(expected)}, indent=2)]
    same = "" if expected.distinct_cells == expected.cells else f", {expected.distinct_cells:,} of them different"
    facts = [
        ("cells", f"{expected.cells:,}{same}"),
        ("sessions", f"{expected.sessions:,}"),
        ("rows", f"{expected.rows:,} (detail {spec.detail})"),
        ("disk", f"about {decimal(expected.disk_bytes)} in {folder}"),
        ("memory", f"about {decimal(expected.memory_bytes)}"),
        ("time", f"about {duration(expected.seconds)}"),
    ]
    opening = f"{spec.name} would take (a few sessions were timed, nothing is written):"
    return [*paragraph(opening), "", *pairs(facts)]
