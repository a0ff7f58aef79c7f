"""What a finished run leaves: the cells table, and the manifest that names every file with its digest."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import vecdecay
from vecdecay.store.ledger import Ledger
from vecdecay.store.manifest import write_manifest
from vecdecay.store.parquet import write_part
from vecdecay.sweep.folder import CELLS_NAME, SWEEP_NAME, manifest_or_none
from vecdecay.sweep.parts import parts_of
from vecdecay.sweep.plan import Plan
from vecdecay.sweep.play_part import entry_key, kept_tables
from vecdecay.sweep.provenance import footer_of
from vecdecay.sweep.resolved import digest
from vecdecay.sweep.results import cell_results, cells_of_run


def finish_run(
    plan: Plan, folder: Path, ledger: Ledger, shard: tuple[int, int] | None, failed: Mapping[int, str]
) -> None:
    """Write the cells table and the manifest of a run whose parts are all there; of a share, the manifest alone."""
    files: list[dict[str, Any]] = []
    if shard is None:
        table = cells_of_run(plan, cell_results(plan, folder, parts_of(plan)))
        written = write_part(folder / CELLS_NAME, table, footer_of(plan.spec))
        files.append({"file": CELLS_NAME, "rows": table.num_rows, "bytes": written.bytes, "sha256": written.sha256})
    text = (folder / SWEEP_NAME).read_bytes()
    files.append({"file": SWEEP_NAME, "bytes": len(text), "sha256": hashlib.sha256(text).hexdigest()})
    files += [
        {"file": entry.file, "rows": entry.rows, "bytes": entry.bytes, "sha256": entry.sha256}
        for entry in sorted(ledger.entries.values(), key=lambda entry: entry.file)
    ]
    write_manifest(
        folder,
        {
            "vecdecay": vecdecay.__version__,
            "sweep": plan.spec.name,
            "sweep_digest": digest(plan.spec),
            "detail": plan.spec.detail,
            "cells": plan.num_cells,
            "sessions": plan.num_cells * len(plan.spec.seeds),
            "shard": list(shard) if shard else None,
            "failed": [{"cell": cell, "error": error} for cell, error in sorted(failed.items())],
            "files": files,
        },
    )


def is_finished(plan: Plan, folder: Path) -> bool:
    """Tell whether the folder holds this very sweep, finished, its cells table and resolved copy unchanged."""
    manifest = manifest_or_none(folder)
    if manifest is None or manifest["sweep_digest"] != digest(plan.spec) or manifest["failed"]:
        return False
    for file in manifest["files"]:
        if file["file"] in (CELLS_NAME, SWEEP_NAME):
            try:
                content = (folder / file["file"]).read_bytes()
            except OSError:
                return False
            if hashlib.sha256(content).hexdigest() != file["sha256"]:
                return False
    return True


def parts_are_entered(plan: Plan, ledger: Ledger) -> bool:
    """Tell whether the ledger names every file of every part."""
    names = [*kept_tables(plan.spec.detail), "totals"]
    return all(entry_key(name, part.number) in ledger.entries for part in parts_of(plan) for name in names)
