"""``vecdecay run --dry-run``: what a run would take, from arithmetic alone."""

import dataclasses
import json
from pathlib import Path

from vecdecay.commands.numerals import duration, size
from vecdecay.commands.screen import pairs
from vecdecay.sweep.definition import SweepSpec
from vecdecay.sweep.predict import predict


def dry_run_lines(spec: SweepSpec, folder: Path, as_json: bool) -> list[str]:
    """Return the cells, sessions, rows, disk, memory and time that the sweep would take."""
    expected = predict(spec)
    if as_json:
        return [json.dumps({"sweep": spec.name, "folder": str(folder), **dataclasses.asdict(expected)}, indent=2)]
    facts = [
        ("cells", f"{expected.cells:,}"),
        ("sessions", f"{expected.sessions:,}"),
        ("rows", f"{expected.rows:,} (detail {spec.detail})"),
        ("disk", f"about {size(expected.disk_bytes)} in {folder}"),
        ("memory", f"about {size(expected.memory_bytes)}"),
        ("time", f"about {duration(expected.seconds)}"),
    ]
    return [f"{spec.name} would take (nothing is played, nothing is written):", "", *pairs(facts)]
