"""Where a plan is played to: tables in memory, or Parquet files of a run folder."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from vecdecay.analysis.cell import CellHistograms
from vecdecay.engines.registry import engine_of
from vecdecay.errors import VecdecayError, in_one_line
from vecdecay.run.parts import Part
from vecdecay.run.plan import Plan
from vecdecay.run.play import Played
from vecdecay.run.progress import Progress
from vecdecay.store.ledger import LedgerEntry
from vecdecay.store.parquet import write_part
from vecdecay.store.tables import TABLES, CellResult, block_tables, cells_table


class MemorySink:
    """Adds up the histograms of all parts, and keeps their rows cell by cell. A failed cell ends the execution."""

    def __init__(self, plan: Plan, progress: Progress | None = None) -> None:
        """Begin with no session; ``progress`` receives what is entered."""
        self._plan = plan
        self._progress = progress
        self._histograms = [CellHistograms(plan.layout.beside) for _ in range(plan.num_cells)]
        self._rows: dict[str, list[list[pa.RecordBatch]]] = {
            name: [[] for _ in self._histograms] for name in block_tables(plan.spec.detail)
        }

    def write(self, _plan: Plan, _part: Part, played: Played) -> Played:
        """Return what came of a part as it is."""
        return played

    def enter(self, played: Played) -> None:
        """Take what came of a part.

        Raises:
            VecdecayError: a cell failed; other exceptions than those of this program name the cell's policy.
        """
        for cell, error in played.failed.items():
            if isinstance(error, VecdecayError | MemoryError):
                raise error
            raise VecdecayError(f"{self._plan.cell(cell).label}: {in_one_line(error)}") from error
        if self._progress is not None:
            self._progress.advance(sum(one.num_sessions for one in played.histograms.values()))
        for cell, histograms in played.histograms.items():
            self._histograms[cell].merge(histograms)
        for name, batches in played.rows.items():
            for cells, batch in batches:
                each = batch.num_rows // len(cells)
                for place, cell in enumerate(cells):
                    self._rows[name][cell].append(batch.slice(place * each, each))

    def results(self) -> list[CellResult]:
        """Return the result of every cell, in their order."""
        return [
            cell_result(self._plan, number, histograms.num_sessions, histograms.summaries())
            for number, histograms in enumerate(self._histograms)
        ]

    def tables(self, results: Sequence[CellResult]) -> dict[str, pa.Table]:
        """Return the tables by their names, the most detailed last; the cells table is made from the results."""
        layout = self._plan.layout
        tables = {"cells": cells_table(results, layout)}
        for name, per_cell in self._rows.items():
            ordered = [batch for cell in per_cell for batch in cell]
            tables[name] = pa.Table.from_batches(ordered, schema=TABLES[name].schema(layout))
        return tables


def cell_result(plan: Plan, number: int, num_sessions: int, summaries: Any) -> CellResult:
    """Return what was played in a cell, with what came of it."""
    cell = plan.cell(number)
    engine = engine_of(plan.spec.engine, cell.policy, cell.workload)
    return CellResult(number, cell.label, cell.policy, cell.workload, engine, num_sessions, summaries)


@dataclass(frozen=True)
class PartReceipt:
    """What is sent back of a part: the files that were written, and the cells that failed with their errors."""

    part: int
    plays: int
    entries: tuple[LedgerEntry, ...]
    failed: tuple[tuple[int, str], ...] = ()


class ParquetSink:
    """Writes the files of parts into a run folder, each at once or not at all."""

    def __init__(self, folder: Path, footer: dict[str, str], enter: Callable[[PartReceipt], None]) -> None:
        """Take the run folder, what stands in the footer of every file, and what is done with receipts."""
        self.folder = folder
        self.footer = footer
        self.enter = enter

    def __getstate__(self) -> dict[str, Any]:
        return {"folder": self.folder, "footer": self.footer}  # receipts are entered in the run's own process

    def write(self, plan: Plan, part: Part, played: Played) -> PartReceipt:
        """Write the files of a part and return the receipt."""
        failed = tuple((cell, in_one_line(error)) for cell, error in sorted(played.failed.items()))
        entries = [
            self._written(part, name, rows_table(plan, name, played), {}) for name in block_tables(plan.spec.detail)
        ]
        receipt = {"plays": part.plays, "failed": [list(one) for one in failed], "units": units_digest(part)}
        sound = {cell: played.histograms[cell] for cell in sorted(played.histograms) if cell not in played.failed}
        table = TABLES["histograms"].rows(sound, plan.layout)
        entries.append(self._written(part, "histograms", table, receipt))
        return PartReceipt(part.number, part.plays, tuple(entries), failed)

    def _written(self, part: Part, name: str, table: pa.Table, receipt: dict[str, object]) -> LedgerEntry:
        file = part_file(name, part.number)
        written = write_part(self.folder / file, table, self.footer)
        return LedgerEntry(file, table.num_rows, written.bytes, written.sha256, receipt)


def rows_table(plan: Plan, name: str, played: Played) -> pa.Table:
    """Return the rows of a table that came of a part, those of failed cells left out."""
    batches = [batch for _, batch in played.rows.pop(name)]  # let go of, once the table holds them
    table = pa.Table.from_batches(batches, schema=TABLES[name].schema(plan.layout))
    if not played.failed:
        return table
    failed = pa.array(sorted(played.failed), type=pa.int32())
    return table.filter(pc.invert(pc.is_in(table["cell"], value_set=failed)))


def part_file(table: str, number: int) -> str:
    """Return the path of a part's file below the run folder."""
    return f"{table}/part-{number:06d}.parquet"


def part_of_file(file: str) -> int:
    """Return the number of the part that a file belongs to.

    >>> part_of_file(part_file("sessions", 12))
    12
    """
    return int(Path(file).stem.rpartition("-")[2])


def units_digest(part: Part) -> str:
    """Return 16 digits that tell whether a part of another run plays the same cells and seeds.

    Another version of this program may cut a sweep elsewhere; its parts must not be taken for those of this one.
    """
    return hashlib.sha256(repr(part.units).encode()).hexdigest()[:16]
