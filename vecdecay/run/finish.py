"""What a finished run leaves: the cells table, and the manifest that names every file with its digest."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa

from vecdecay.run.folder import CELLS_NAME, manifest_or_none, own_files, sha256_of
from vecdecay.run.parts import parts_of
from vecdecay.run.plan import Plan
from vecdecay.run.provenance import footer_of
from vecdecay.run.results import cell_results, cells_in_order
from vecdecay.store.files import WrittenFile, write_file
from vecdecay.store.ledger import Ledger, LedgerEntry
from vecdecay.store.manifest import write_manifest
from vecdecay.store.parquet import table_writer
from vecdecay.version import __version__

_PART = re.compile(r"[a-z]+/part-\d+\.parquet")


def finish_run(
    plan: Plan, folder: Path, ledger: Ledger, shard: tuple[int, int] | None, failed: Mapping[int, str]
) -> None:
    """Write the cells table and the manifest of a run whose parts are all there; of a share, the manifest alone."""
    files: list[dict[str, Any]] = []
    if shard is None:
        results = cell_results(plan, folder, parts_of(plan))
        written, rows = write_cells(plan, folder / CELLS_NAME, cells_in_order(plan, results))
        files.append({"file": CELLS_NAME, "rows": rows, "bytes": written.bytes, "sha256": written.sha256})
    for name, content in own_files(plan.spec).items():
        files.append({"file": name, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()})
    files += listed_parts(ledger.entries.values())
    write_manifest(
        folder,
        {
            "vecdecay": __version__,
            "sweep": plan.spec.name,
            "sweep_digest": plan.spec.digest,
            "detail": plan.spec.detail,
            "cells": plan.num_cells,
            "sessions": plan.num_cells * len(plan.spec.seeds),
            "shard": list(shard) if shard else None,
            "failed": [{"cell": cell, "error": error} for cell, error in sorted(failed.items())],
            "files": files,
        },
    )


def write_cells(plan: Plan, path: Path, tables: Iterable[pa.Table]) -> tuple[WrittenFile, int]:
    """Write the cells table piece by piece; return the receipt and the number of rows."""
    rows = 0

    def write(stream: BinaryIO) -> None:
        nonlocal rows
        pieces = iter(tables)
        piece = next(pieces)
        with table_writer(piece.schema, stream, footer_of(plan.spec)) as writer:
            while piece is not None:
                writer.write_table(piece)
                rows += piece.num_rows
                piece = next(pieces, None)

    return write_file(path, write), rows


def listed_parts(entries: Iterable[LedgerEntry]) -> list[dict[str, Any]]:
    """Return what the manifest says of the parts: the same whatever order they were entered in."""
    return [
        {"file": entry.file, "rows": entry.rows, "bytes": entry.bytes, "sha256": entry.sha256}
        for entry in sorted(entries, key=lambda entry: entry.file)
    ]


def own_entries(manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what a manifest says of the files that belong to no part."""
    return [file for file in manifest["files"] if not _PART.fullmatch(file["file"])]


def is_finished(plan: Plan, folder: Path, ledger: Ledger, shard: tuple[int, int] | None) -> bool:
    """Tell whether the folder holds this very sweep, finished by this version, with the files that the manifest names.

    The parts are those of the ledger, whose digests the caller has checked.
    """
    manifest = manifest_or_none(folder)
    if manifest is None or manifest["sweep_digest"] != plan.spec.digest or manifest["failed"]:
        return False
    if manifest["vecdecay"] != __version__ or manifest["shard"] != (list(shard) if shard else None):
        return False
    own = own_entries(manifest)
    if manifest["files"][len(own) :] != listed_parts(ledger.entries.values()):
        return False
    return all(sha256_of(folder / file["file"]) == file["sha256"] for file in own)
