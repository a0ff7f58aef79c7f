"""A run folder: whose sweep it holds, and which of its parts are sound."""

import contextlib
import hashlib
import os
from collections import Counter
from pathlib import Path
from typing import Any

from vecdecay.errors import InvalidInputError, OutputError
from vecdecay.own_file import SOURCES_NAME
from vecdecay.parameters import printable
from vecdecay.run.parts import num_own_parts
from vecdecay.run.plan import Plan
from vecdecay.run.provenance import PROVENANCE_NAME
from vecdecay.run.sinks import part_of_file
from vecdecay.store.files import (
    clear_places,
    is_leftover,
    prepare_folder,
    remove_leftovers,
    reported,
    set_aside,
    write_file,
)
from vecdecay.store.ledger import LEDGER_NAME, Ledger, LedgerContent, read_ledger
from vecdecay.store.lock import LOCK_NAME, lock_folder
from vecdecay.store.manifest import MANIFEST_NAME, read_document, read_manifest
from vecdecay.store.tables import part_tables
from vecdecay.store.verification import check_part
from vecdecay.sweepfile.model import SweepSpec, own_sources
from vecdecay.sweepfile.resolved import differences, resolved_toml
from vecdecay.sweepfile.spec import load_sweep

SWEEP_NAME = "sweep.toml"
CELLS_NAME = "cells.parquet"
_MOST_KEYS_NAMED = 5


def make_room(folder: Path, spec: SweepSpec) -> None:
    """Rename a folder, or a file in its place, that holds anything but this sweep; nothing is ever deleted.

    Raises:
        OutputError: it cannot be renamed, or another run is writing to it.
    """
    if not os.path.lexists(folder) or _holds(folder, spec):
        return
    guard = lock_folder(folder) if folder.is_dir() else contextlib.nullcontext()
    with guard:
        set_aside(folder, f"{folder}.old")


def _holds(folder: Path, spec: SweepSpec) -> bool:
    try:
        return not differences(load_sweep(folder / SWEEP_NAME), spec)
    except InvalidInputError:
        return folder.is_dir() and not _foreign_names(folder)


def _foreign_names(folder: Path) -> list[str]:
    """Return what is in a folder that no run has claimed yet; another run may be testing it with a temporary file."""
    with reported(folder, "cannot be read"), os.scandir(folder) as found:
        return sorted(item.name for item in found if item.name != LOCK_NAME and not is_leftover(item))


def own_files(spec: SweepSpec) -> dict[str, bytes]:
    """Return what a run folder holds beside its results: the resolved sweep, and the code of a person's own with it.

    So the folder can be verified, and its run taken up, wherever it is and whatever became of that code.
    """
    return {SWEEP_NAME: resolved_toml(spec).encode(), **own_sources(spec)}


def claim(folder: Path, spec: SweepSpec) -> tuple[SweepSpec, list[str]]:
    """Make the locked folder this sweep's: write its own files, or see that those that are there mean the same.

    Returns the sweep as the folder holds it, which may differ in its title, note and name, and what was wrong with it.

    Raises:
        OutputError: the folder holds another sweep (naming the keys that differ) or files that are no run's.
    """
    wanted = own_files(spec)
    problems = _clear(folder, spec)
    for name in dict.fromkeys(("", *part_tables(spec.detail), *(str(Path(file).parent) for file in wanted))):
        remove_leftovers(folder / name)
    path = folder / SWEEP_NAME
    changed = _changed_files(folder, spec)
    if changed:
        problems += [f"{name}: is not as it was written" for name in changed]
        held = spec
    elif not os.path.lexists(path):
        _refuse_foreign_files(folder)
        held = spec
    else:
        held = _held(folder, spec, wanted[SWEEP_NAME])
        wanted = wanted if held is spec else own_files(held)
    for name, content in wanted.items():
        _make_sure(folder / name, content)
    return held, problems


def _make_sure(path: Path, content: bytes) -> None:
    if sha256_of(path) != hashlib.sha256(content).hexdigest():
        prepare_folder(path.parent)
        write_file(path, content)


def _refuse_foreign_files(folder: Path) -> None:
    foreign = _foreign_names(folder)
    if foreign:
        raise OutputError(
            f"{printable(folder)}: holds files that are no run of this program "
            f"({', '.join(map(printable, foreign[:3]))}); choose another --output, or --force to move it aside"
        )


def _held(folder: Path, spec: SweepSpec, text: bytes) -> SweepSpec:
    """Return the sweep that the folder holds, read only where it is not written like the one asked for."""
    path = folder / SWEEP_NAME
    if sha256_of(path) == hashlib.sha256(text).hexdigest():
        return spec
    try:
        held = load_sweep(path)
    except InvalidInputError as error:
        raise OutputError(f"{error.problems[0]}; use --force to move the folder aside") from error
    different = differences(held, spec)
    if not different:
        return held
    more = len(different) - _MOST_KEYS_NAMED
    keys = "; ".join(different[:_MOST_KEYS_NAMED]) + (f"; and {more} more" if more > 0 else "")
    raise OutputError(
        f"{printable(folder)}: holds another sweep ({keys}); "
        "choose another --output, or --force to move the old one aside"
    )


def _clear(folder: Path, spec: SweepSpec) -> list[str]:
    """Set aside what stands in the place of files and folders of the run; in a folder that holds no run, nothing."""
    names = (SWEEP_NAME, LEDGER_NAME, MANIFEST_NAME, CELLS_NAME, PROVENANCE_NAME)
    if not any((folder / name).is_file() for name in names[:3]):
        return []
    problems = clear_places(folder, names, part_tables(spec.detail))
    if manifest_or_none(folder) is not None:
        try:
            read_document(folder / PROVENANCE_NAME)
        except OutputError as error:
            problems.append(str(error))
    return problems


def _changed_files(folder: Path, spec: SweepSpec) -> list[str]:
    """Return the folder's own files that are not as the manifest has them, if that says that it holds this sweep."""
    manifest = manifest_or_none(folder)
    if manifest is None or manifest["sweep_digest"] != spec.digest:
        return []
    listed = {file["file"]: file["sha256"] for file in manifest["files"]}
    names = [name for name in listed if name == SWEEP_NAME or name.startswith(f"{SOURCES_NAME}/")]
    return [name for name in names if sha256_of(folder / name) != listed[name]]


def sha256_of(path: Path) -> str | None:
    """Return the SHA-256 of a file, None where it cannot be read."""
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None


def open_ledger(folder: Path) -> tuple[Ledger, list[str]]:
    """Open the ledger; a damaged one is set aside, for what it says can no longer be trusted. Say what was wrong."""
    try:
        return Ledger(folder), []
    except OutputError as error:
        damaged = folder / LEDGER_NAME
        what = next((one for one in ("is damaged", "has format 1") if one in str(error)), None)
        if what is None:
            raise
        set_aside(damaged, folder / f".{LEDGER_NAME}.damaged")
        return Ledger(folder), [f"{LEDGER_NAME}: {what}, so its parts cannot be trusted"]


def drop_unsound_parts(folder: Path, ledger: Ledger, detail: str) -> list[str]:
    """Take every part out of the ledger that must be made again; say what was wrong with files, missing or changed.

    Made again are also parts whose cells failed, and those of which not every file was entered before the run died.
    """
    problems: list[str] = []
    wrong: set[int] = set()
    found: dict[int, int] = {}
    for entry in ledger.entries.values():
        number = part_of_file(entry.file)
        found[number] = found.get(number, 0) + 1
        problem = check_part(folder, entry)
        if problem is not None:
            problems.append(problem)
        if problem is not None or entry.receipt.get("failed"):
            wrong.add(number)
    wrong |= {number for number, files in found.items() if files < len(part_tables(detail))}
    if wrong:
        ledger.discard({key for key in ledger.entries if part_of_file(key) in wrong})
    return problems


def set_untracked_aside(folder: Path, ledger: Ledger, detail: str) -> list[str]:
    """Move what the ledger does not name out of the part folders, into the run folder; return what it was called.

    So a reader of ``part-*.parquet`` does not meet foreign rows, and nobody's file is deleted.
    """
    known = {entry.file for entry in ledger.entries.values()}
    untracked: list[str] = []
    for name in part_tables(detail):
        with reported(folder / name, "cannot be read"):
            items = sorted(item.name for item in (folder / name).iterdir())
        for item in items:
            if f"{name}/{item}" in known or item.startswith("."):
                continue
            set_aside(folder / name / item, folder / f".{name}-{item}.unexpected")
            untracked.append(f"{name}/{printable(item)}: unexpected, set aside")
    return untracked


def manifest_or_none(folder: Path) -> dict[str, Any] | None:
    """Return the manifest of a finished run, None where there is no sound one."""
    if not os.path.lexists(folder / MANIFEST_NAME):
        return None
    try:
        return read_manifest(folder)
    except OutputError:
        return None


def held_ledger(folder: Path) -> LedgerContent:
    """Return what the ledger of a run folder says: nothing where the run died before it had one."""
    if not (folder / LEDGER_NAME).exists():
        return LedgerContent({}, 0)
    return read_ledger(folder)


def num_parts_done(folder: Path, detail: str) -> int:
    """Return the number of parts of which every file is entered in the ledger."""
    files = Counter(map(part_of_file, held_ledger(folder).entries))
    return sum(count == len(part_tables(detail)) for count in files.values())


def how_far(plan: Plan, folder: Path, shard: tuple[int, int] | None) -> str:
    """Return in words how far an unfinished run has come, and the command with which it goes on."""
    done, parts = num_parts_done(folder, plan.spec.detail), num_own_parts(plan, shard)
    share = f" --shard {shard[0]}/{shard[1]}" if shard else ""
    return (
        f"unfinished, {done:,} of {parts:,} parts; resume it with: "
        f"vecdecay run {printable(folder / SWEEP_NAME)} --output {printable(folder)}{share}"
    )
