"""A run folder: whose sweep it holds, which of its parts are sound, and what a finished run leaves in it."""

import contextlib
import os
from pathlib import Path
from typing import Any

from vecdecay.errors import InvalidInputError, OutputError
from vecdecay.store.atomic import remove_leftovers, write_file
from vecdecay.store.ledger import LEDGER_NAME, Ledger, LedgerEntry
from vecdecay.store.lock import LOCK_NAME, lock_folder
from vecdecay.store.manifest import MANIFEST_NAME, read_manifest
from vecdecay.store.verification import check_part
from vecdecay.sweep.definition import SweepSpec
from vecdecay.sweep.parts import parts_of
from vecdecay.sweep.plan import Plan
from vecdecay.sweep.play_part import kept_tables, part_file
from vecdecay.sweep.provenance import PROVENANCE_NAME
from vecdecay.sweep.resolved import differences, resolved_toml
from vecdecay.sweep.spec import load_sweep

SWEEP_NAME = "sweep.toml"
CELLS_NAME = "cells.parquet"
_OWN_NAMES = {SWEEP_NAME, CELLS_NAME, LEDGER_NAME, LOCK_NAME, MANIFEST_NAME, PROVENANCE_NAME}


def part_folders(spec: SweepSpec) -> list[str]:
    """Return the folders that hold the parts of a sweep."""
    return [*kept_tables(spec.detail), "totals"]


def move_aside(folder: Path) -> Path | None:
    """Rename a folder that is in the way, never deleting anything; return its new name, None if there was none."""
    if not os.path.lexists(folder):
        return None
    guard = lock_folder(folder) if folder.is_dir() else contextlib.nullcontext()
    with guard:
        for number in range(1, 10_000):
            target = folder.with_name(f"{folder.name}.old-{number}")
            if not os.path.lexists(target):
                try:
                    os.rename(folder, target)
                except OSError as error:
                    raise OutputError(f"{folder}: cannot be moved aside: {error.strerror}") from error
                return target
    raise OutputError(f"{folder}: cannot be moved aside: too many old runs beside it")


def claim(folder: Path, spec: SweepSpec) -> None:
    """Make the locked folder this sweep's: write its resolved copy, or see that the one that is there is the same.

    Raises:
        OutputError: the folder holds another sweep (naming the keys that differ) or files that are no run's.
    """
    for name in ("", *part_folders(spec)):
        remove_leftovers(folder / name)
    path = folder / SWEEP_NAME
    if path.exists():
        try:
            held = load_sweep(path)
        except InvalidInputError as error:
            raise OutputError(
                f"{path}: is damaged ({error.problems[0]}); use --force to move the folder aside"
            ) from error
        different = differences(held, spec)
        if different:
            keys = "; ".join(different[:5]) + (f"; and {len(different) - 5} more" if len(different) > 5 else "")
            raise OutputError(
                f"{folder}: holds another sweep ({keys}); choose another --output, or --force to move the old one aside"
            )
        return
    foreign = sorted(item.name for item in folder.iterdir() if item.name != LOCK_NAME)
    if foreign:
        raise OutputError(
            f"{folder}: holds files that are no run of this program ({', '.join(foreign[:3])}); choose another --output"
        )
    write_file(path, resolved_toml(spec).encode())


def open_ledger(folder: Path) -> Ledger:
    """Open the ledger; a damaged one is set aside, for what it says can no longer be trusted."""
    try:
        return Ledger.open(folder)
    except OutputError:
        damaged = folder / LEDGER_NAME
        if not damaged.is_file():
            raise
        os.replace(damaged, folder / f".{LEDGER_NAME}.damaged")
        return Ledger.open(folder)


def drop_unsound_parts(folder: Path, ledger: Ledger) -> list[str]:
    """Take every part out of the ledger whose file is missing or changed, or whose cells failed; say what was wrong."""
    problems: list[str] = []
    dropped: set[int | str] = set()
    for entry in ledger.entries.values():
        problem = check_part(folder, entry)
        if problem is not None:
            problems.append(problem)
        if problem is not None or entry.receipt.get("failed"):
            dropped |= _with_siblings(entry, ledger)
    if dropped:
        ledger.discard(dropped)
    return problems


def _with_siblings(entry: LedgerEntry, ledger: Ledger) -> set[int | str]:
    number = str(entry.part).rpartition("-")[2]
    return {key for key in ledger.entries if str(key).rpartition("-")[2] == number}


def set_strangers_aside(folder: Path, plan: Plan) -> list[str]:
    """Hide the files in the part folders that are no part of the sweep; return what they were called.

    They are renamed, so that a reader of ``part-*.parquet`` does not meet foreign rows, and nobody's file is deleted.
    A part that the ledger does not name stays where it is: the run makes it again under the same name.
    """
    num_parts = sum(1 for _ in parts_of(plan))
    strangers: list[str] = []
    for name in part_folders(plan.spec):
        expected = {part_file(name, number) for number in range(num_parts)}
        for item in sorted((folder / name).iterdir()):
            if f"{name}/{item.name}" in expected or item.name.startswith("."):
                continue
            try:
                os.replace(item, item.with_name(f".{item.name}.unexpected"))
            except OSError as error:
                raise OutputError(f"{item}: is no part of this run and cannot be renamed: {error.strerror}") from error
            strangers.append(f"{name}/{item.name}: unexpected")
    return strangers


def manifest_or_none(folder: Path) -> dict[str, Any] | None:
    """Return the manifest of a finished run, None where there is no sound one."""
    if not (folder / MANIFEST_NAME).exists():
        return None
    try:
        return read_manifest(folder)
    except OutputError:
        return None
