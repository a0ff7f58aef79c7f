"""The result of a run as JSON: what the screen tells, with all digits."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from vecdecay import __version__
from vecdecay.numerals import finite
from vecdecay.run.open_run import Run
from vecdecay.run.played import CellRow
from vecdecay.sweepfile.seeds import seeds_value


def json_pieces(report: Run, rows: Iterable[CellRow], sentences: Sequence[str]) -> Iterator[str]:
    """Yield the lines of one JSON object; a cell is a line of its own, so that many of them are never held together."""
    spec = report.spec
    about: dict[str, Any] = {
        "version": __version__,
        "sweep": spec.name,
        "title": spec.title,
        "note": spec.note,
        "seeds": seeds_value(spec.seeds),
        "detail": spec.detail,
        "engines": list(report.engines),
        "threads": report.threads,
        "num_cells": report.num_cells,
        "num_sessions": report.num_sessions,
        "checked_sessions": report.checked_sessions,
        "already_complete": report.already_complete,
        "unfinished": report.unfinished(),
        "folder": str(report.folder),
        "failed": [{"cell": one.cell, "policy": one.label, "error": one.error} for one in report.failed],
        "findings": list(sentences),
    }
    yield "{"
    for key, value in about.items():
        yield f"  {json.dumps(key)}: {_written(value)},"
    yield '  "cells": ['
    held: str | None = None
    for row in rows:
        if held is not None:
            yield f"    {held},"
        held = _written(_cell(row))
    if held is not None:
        yield f"    {held}"
    yield "  ]"
    yield "}"


def _cell(row: CellRow) -> dict[str, Any]:
    cell = row.cell
    return {
        "cell": cell.number,
        "point": cell.point,
        "policy": cell.label,
        "policy_kind": cell.policy.name,
        "workload": cell.workload.name,
        "engine": row.engine,
        "sessions": row.num_sessions,
        "policy_parameters": finite(cell.policy.values()),
        "workload_parameters": finite(cell.workload.values()),
        "metrics": {
            name: {**one.values(), "same_in_every_session": one.summary.constant} for name, one in row.summaries.items()
        },
    }


def _written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
