"""``vecdecay run --dry-run``: what a run would take, from a few sessions that are timed, and arithmetic."""

import dataclasses
import json
from pathlib import Path
from typing import NamedTuple

from rich.filesize import decimal

from vecdecay.commands.screen import pairs, paragraph
from vecdecay.numerals import count, duration
from vecdecay.run.blocks import why_value_by_value
from vecdecay.run.distinct import told_by_arithmetic
from vecdecay.run.plan import make_plan
from vecdecay.run.predict import Prediction, predict
from vecdecay.run.progress import tell
from vecdecay.sweepfile.model import WORKLOAD, SweepSpec
from vecdecay.threads import available_processors

MANY_CELLS = 20_000
"""From so many cells on a note says that they are counted, which takes a second and more."""


def dry_run_lines(
    spec: SweepSpec, folder: Path, as_json: bool, threads: int | None = None, on: str | None = None
) -> list[str]:
    """Return the cells, sessions, rows, disk, memory and time that the sweep would take.

    Cells that are equal are counted once in ``distinct_cells``. ``on`` is where its parts would be played.
    """
    cells = make_plan(spec).num_cells
    if cells >= MANY_CELLS and not told_by_arithmetic(spec):
        tell(f"counting which of {cells:,} cells are the same")
    elsewhere = None if on is None else elsewhere_of(on, threads)
    expected = predict(spec, threads if elsewhere is None else elsewhere.workers)
    if elsewhere is not None:  # tasks come one after the other, however many workers there are
        expected = dataclasses.replace(expected, seconds=max(expected.seconds, expected.parts * elsewhere.task_seconds))
    why = why_value_by_value(spec)
    if as_json:
        measured = {**dataclasses.asdict(expected), "one_pass": not why}
        measured |= {} if elsewhere is None else elsewhere._asdict()
        return [json.dumps({"sweep": spec.name, "folder": str(folder), **measured}, indent=2)]
    same = "" if expected.distinct_cells == expected.cells else f", {expected.distinct_cells:,} of them different"
    facts = [
        ("cells", f"{expected.cells:,}{same}"),
        ("sessions", f"{expected.sessions:,}"),
        ("rows", f"{expected.rows:,} (detail {spec.detail})"),
        ("disk", f"about {decimal(expected.disk_bytes)} in {folder}"),
        ("memory", f"about {decimal(expected.memory_bytes)}"),
        ("time", f"about {duration(expected.seconds)}"),
    ]
    if any(axis.label != WORKLOAD for axis in spec.axes):
        once = "one pass for all values: what no session tells apart is played once"
        facts.append(("axes", f"value by value: {why}" if why else once))
    if elsewhere is not None:
        facts += [("workers", _workers_text(elsewhere, expected))]
    opening = f"{spec.name} would take (a few sessions were timed, nothing is written):"
    return [*paragraph(opening), "", *pairs(facts)]


class Elsewhere(NamedTuple):
    """Other processes: how many take parts, and how long a scheduler is busy with each task."""

    workers: int
    task_seconds: float


def elsewhere_of(on: str, threads: int | None) -> Elsewhere:
    """Return what was measured there, with tasks that do nothing."""
    from vecdecay.run.where import workers_at

    with workers_at(on, threads or available_processors()) as workers:
        return Elsewhere(workers.count, workers.task_seconds())


def _workers_text(elsewhere: Elsewhere, expected: Prediction) -> str:
    """Tell how many workers a scheduler can keep busy: as many as it sends tasks off while one part is played.

    >>> part = Prediction(1, 1, 1, 1, 1, 1, 1.0, parts=500, part_seconds=0.8)
    >>> _workers_text(Elsewhere(2, 0.004), part)[55:110]
    ' s, so that one scheduler keeps up to 200 workers busy;'
    """
    most = max(1, int(expected.part_seconds / elsewhere.task_seconds))
    return (
        f"{elsewhere.workers}; a task takes {elsewhere.task_seconds * 1000:.1f} ms of the scheduler and a part "
        f"{expected.part_seconds:.2f} s, so that one scheduler keeps up to {count(most, 'worker')} busy; "
        f"for more, give each --shard K/N a scheduler of its own"
    )
