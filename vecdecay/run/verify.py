"""Is a run folder what it claims to be? Every file, every key and a sample of the numbers are looked at again."""

import hashlib
import os
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from vecdecay.errors import InvalidInputError, OutputError
from vecdecay.run.check import SESSIONS_TO_CHECK, MismatchError, compare_with_scalar
from vecdecay.run.finish import listed_parts, own_entries
from vecdecay.run.folder import CELLS_NAME, SWEEP_NAME, held_ledger, how_far, sha256_of
from vecdecay.run.parts import Part, parts_of
from vecdecay.run.plan import Plan, make_plan
from vecdecay.run.play import Played, Stop, play_part
from vecdecay.run.progress import Progress
from vecdecay.run.provenance import PROVENANCE_NAME
from vecdecay.run.recompute import first_unequal, scalar_histograms, scalar_rows
from vecdecay.run.results import cell_results, cells_in_order
from vecdecay.run.sinks import part_file, part_of_file, units_digest
from vecdecay.run.verify_part import PartContent, entries_of
from vecdecay.store.histograms import histograms_in
from vecdecay.store.ledger import LEDGER_NAME, LedgerContent, LedgerEntry, read_ledger
from vecdecay.store.manifest import MANIFEST_NAME, read_document, read_manifest
from vecdecay.store.parquet import open_parquet
from vecdecay.store.tables import part_tables
from vecdecay.store.verification import verify_parts
from vecdecay.sweepfile.spec import load_sweep


@dataclass(frozen=True)
class VerifyReport:
    """What was found; no problem means that all is well.

    ``parts`` were read, with ``rows`` in all their tables; ``sessions_recomputed`` were played by the scalar engine;
    ``cells`` have a row in the cells table, ``failed_cells`` could not be played when the run was made. ``unfinished``
    says how far a run that was interrupted has come and how it goes on, nothing for a finished one.
    """

    problems: list[str]
    parts: int
    rows: int
    sessions_recomputed: int
    cells: int
    failed_cells: int = 0
    unfinished: str = ""

    @property
    def sound(self) -> bool:
        """Tell whether the run is finished and nothing is wrong."""
        return not self.problems and not self.unfinished


def verify_run(
    folder: Path,
    *,
    everything: bool = False,
    sample: int = SESSIONS_TO_CHECK,
    sample_seed: int = 0,
    progress: Progress | None = None,
) -> VerifyReport:
    """Check a finished run: digests of all files, row counts and keys against the plan, histograms against
    rows, the cells table against the histograms, and some sessions against the scalar engine. Nothing is changed.

    Args:
        folder: the run, or a share of one.
        everything: compute every session again, not a sample.
        sample: how many sessions are computed again; which ones depends on the content and on ``sample_seed`` alone.
        sample_seed: another sample.
        progress: shows the sessions whose part was checked.

    Raises:
        OutputError: there is no run in the folder.
    """
    if not (folder / SWEEP_NAME).exists() and not (folder / LEDGER_NAME).exists():
        raise OutputError(f"{folder}: holds no run of this program")
    verification = _Verification(folder, everything, sample, sample_seed, progress)
    verification.run()
    return verification.report()


class _Verification:
    def __init__(
        self, folder: Path, everything: bool, sample: int, sample_seed: int, progress: Progress | None
    ) -> None:
        self.folder = folder
        self.everything = everything
        self.sample = sample
        self.sample_seed = sample_seed
        self.progress = progress
        self.problems: list[str] = []
        self.parts = self.rows = self.recomputed = self.cells = 0
        self.failed: set[int] = set()
        self.unfinished = ""
        self.played_again = False  # a part of a run that keeps histograms only

    def report(self) -> VerifyReport:
        counts = self.parts, self.rows, self.recomputed, self.cells, len(self.failed)
        return VerifyReport(self.problems, *counts, self.unfinished)

    def run(self) -> None:
        plan = self._read(lambda: make_plan(load_sweep(self.folder / SWEEP_NAME)))
        if plan is not None and not os.path.lexists(self.folder / MANIFEST_NAME):
            self.unfinished = self._read(lambda: how_far(plan, self.folder, None)) or "unfinished"
        manifest = None if self.unfinished else self._read(lambda: read_manifest(self.folder))
        ledger = self._read(lambda: held_ledger(self.folder) if self.unfinished else read_ledger(self.folder))
        if ledger is not None:
            self._check_files(ledger, manifest, plan)
        if plan is None or ledger is None:
            return
        self.failed = {int(one["cell"]) for one in manifest["failed"]} if manifest else set()
        sound = self._check_parts(plan, ledger, manifest["shard"] if manifest else None)
        if sound and manifest is not None and manifest["shard"] is None:
            self._check_cells(plan)

    def _read(self, reader: Callable[[], Any]) -> Any:
        """Return what can be read, None where that is impossible, which is then a problem."""
        try:
            return reader()
        except InvalidInputError as error:
            self.problems += error.problems
        except OutputError as error:
            self.problems.append(str(error))
        return None

    def _check_files(self, ledger: LedgerContent, manifest: dict[str, Any] | None, plan: Plan | None) -> None:
        folders = part_tables(plan.spec.detail) if plan is not None else ()
        found = verify_parts(self.folder, ledger.entries.values(), folders)
        if self.unfinished:  # parts that were being written have files, and maybe half a line, and no entry
            self.problems += [line for line in found if not line.endswith(".parquet: unexpected")]
            return
        self.problems += found
        if ledger.torn_bytes:
            self.problems.append(f"{LEDGER_NAME}: its last line is not whole")
        if manifest is None:
            return
        self._read(lambda: read_document(self.folder / PROVENANCE_NAME))
        own = own_entries(manifest)
        for file in own:
            if sha256_of(self.folder / file["file"]) != file["sha256"]:
                there = (self.folder / file["file"]).exists()
                self.problems.append(f"{file['file']}: {'its content was changed' if there else 'missing'}")
        if [file for file in manifest["files"] if file not in own] != listed_parts(ledger.entries.values()):
            self.problems.append(f"{MANIFEST_NAME}: does not list the parts that are in the ledger")
        if plan is not None and (
            manifest["sweep_digest"] != plan.spec.digest
            or manifest["detail"] != plan.spec.detail
            or manifest["cells"] != plan.num_cells
            or manifest["sessions"] != plan.num_cells * len(plan.spec.seeds)
        ):
            self.problems.append(f"{MANIFEST_NAME}: is of another sweep than {SWEEP_NAME}")

    def _check_parts(self, plan: Plan, ledger: LedgerContent, shard: list[int] | None) -> bool:
        """Look into every part that the plan asks for; return whether all of them are as they should be."""
        before = len(self.problems)
        wanted: set[int] = set()
        picked = self._picked(plan, ledger)
        if self.progress is not None:
            self.progress.start(sum(part.plays for part in parts_of(plan)), 0)
        for part in parts_of(plan):
            if shard is None or part.number % shard[1] == shard[0] - 1:
                wanted.add(part.number)
                self._check_part(plan, part, ledger.entries, picked.get(part.number, []))
            if self.progress is not None:
                self.progress.advance(part.plays)
        if self.progress is not None:
            self.progress.stop()
        foreign = sorted({part_of_file(key) for key in ledger.entries} - wanted)
        self.problems += [f"{LEDGER_NAME}: part {number} is not in the plan" for number in foreign]
        return len(self.problems) == before

    def _check_part(self, plan: Plan, part: Part, entries: Mapping[str, LedgerEntry], rows: list[int]) -> None:
        own = entries_of(part, entries, plan.spec.detail)
        if own is None:
            if not self.unfinished:
                self.problems.append(f"{LEDGER_NAME}: part {part.number} is missing")
            return
        if own["histograms"].receipt.get("units") != units_digest(part):
            self.problems.append(f"{LEDGER_NAME}: part {part.number} holds other cells or seeds than the plan asks for")
            return
        try:
            content = PartContent(plan, self.folder, part, own)
            found = list(content.problems())
            self.problems += found
            self.parts += 1
            self.rows += sum(table.num_rows for table in content.tables.values())
            if not found:
                self.problems += self._recomputed(content, rows)
        except MismatchError as error:
            self.problems.append(str(error))
        except (pa.ArrowException, OSError, KeyError, ValueError) as error:
            if not any(f"-{part.number:06d}." in problem for problem in self.problems):  # else it is known already
                self.problems.append(f"part {part.number}: cannot be read: {' '.join(str(error).split())}")

    def _picked(self, plan: Plan, ledger: LedgerContent) -> dict[int, list[int]]:
        """Return, by part, the sessions to compute again: row numbers of its sessions table, or of what it would be."""
        table = "sessions" if plan.spec.detail != "cells" else "histograms"
        sizes = {
            part_of_file(key): entry.rows if table == "sessions" else int(entry.receipt.get("plays", 0))
            for key, entry in ledger.entries.items()
            if key == part_file(table, part_of_file(key))
        }
        total = sum(sizes.values())
        content = hashlib.sha256("".join(sorted(entry.sha256 for entry in ledger.entries.values())).encode())
        stream = random.Random(f"{content.hexdigest()}/{self.sample_seed}")
        numbers = sorted(stream.sample(range(total), min(self.sample, total)))
        picked: dict[int, list[int]] = {}
        first = 0
        for part, size in sizes.items():
            picked[part] = [number - first for number in numbers if first <= number < first + size]
            first += size
        return picked

    def _recomputed(self, content: PartContent, rows: list[int]) -> Iterator[str]:
        if "sessions" not in content.tables:
            yield from self._histograms_recomputed(content, rows)
            return
        sessions = content.tables["sessions"].combine_chunks()
        for row in range(sessions.num_rows) if self.everything else rows:
            stored = sessions.slice(row, 1)
            number, seed = stored["cell"][0].as_py(), int(stored["seed"][0].as_py())
            self.recomputed += 1
            for name, expected in scalar_rows(content.plan, content.plan.cell(number), seed).items():
                found = stored if name == "sessions" else _rows_of(content.tables[name], stored)
                different = first_unequal(found, expected)
                if different is not None:
                    yield f"cell {number}, seed {seed}: computed again, the {name} differ: {different}"

    def _histograms_recomputed(self, content: PartContent, plays: list[int]) -> Iterator[str]:
        """Compute histograms again: all by the scalar engine, or a part by the kernels, sessions by the scalar one."""
        plan, spec = content.plan, content.spec
        again = Played()
        if self.everything:
            for unit in content.part.units:
                seeds = spec.seeds[unit.first : unit.last]
                for number in sorted(set(unit.cells) - content.failed):
                    again.add(number, scalar_histograms(plan, plan.cell(number), seeds))
                    self.recomputed += len(seeds)
        elif plays:
            for play in plays:
                cell, place = _session_of(content.part, play)
                if cell not in content.failed:
                    compare_with_scalar(plan, plan.cell(cell), place)
                    self.recomputed += 1
            if self.played_again:
                return
            self.played_again = True
            again = play_part(plan, content.part, Stop())
        else:
            return
        for number, histograms in histograms_in(content.tables["histograms"], plan.layout.beside):
            if number in again.failed or histograms != again.histograms.get(number):
                yield f"cell {number}: computed again, its histograms differ"

    def _check_cells(self, plan: Plan) -> None:
        """Compare the cells table with what the histograms come to."""
        try:
            with open_parquet(self.folder / CELLS_NAME) as file:
                groups = (file.read_row_group(place) for place in range(file.num_row_groups))
                held = (group for group in groups if group.num_rows)
                for expected in cells_in_order(plan, cell_results(plan, self.folder, parts_of(plan))):
                    if expected.num_rows == 0:
                        continue
                    different = first_unequal(next(held, expected.slice(0, 0)), expected)
                    if different is not None:
                        self.problems.append(f"{CELLS_NAME}: does not agree with the histograms: {different}")
                        return
                    self.cells += expected.num_rows
                if next(held, None) is not None:
                    self.problems.append(f"{CELLS_NAME}: has more rows than the histograms have cells")
        except (pa.ArrowException, OSError) as error:
            self.problems.append(f"{CELLS_NAME}: cannot be read: {' '.join(str(error).split())}")
            return
        if self.cells != plan.num_cells - len(self.failed):
            self.problems.append(f"{CELLS_NAME}: has {self.cells} rows; expected: {plan.num_cells - len(self.failed)}")


def _rows_of(table: pa.Table, session: pa.Table) -> pa.Table:
    cell, seed = session["cell"][0], session["seed"][0]
    return table.filter(pc.and_(pc.equal(table["cell"], cell), pc.equal(table["seed"], seed)))


def _session_of(part: Part, play: int) -> tuple[int, int]:
    """Return the cell and the place in the list of seeds of session number ``play`` of a part."""
    for unit in part.units:
        if play < unit.plays:
            cell, seed = divmod(play, unit.last - unit.first)
            return unit.cells[cell], unit.first + seed
        play -= unit.plays
    raise IndexError(play)
