"""Does a part hold what the plan says: its cells and seeds, in order, and histograms that agree with its rows?"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from vecdecay.analysis.cell import summarised_names
from vecdecay.analysis.histogram import Histogram
from vecdecay.quantities import UNSIZED_TWINS
from vecdecay.run.parts import Part
from vecdecay.run.plan import Plan
from vecdecay.run.play import repeated_seeds
from vecdecay.run.sinks import part_file
from vecdecay.store.columns import seed_array
from vecdecay.store.histograms import histograms_in
from vecdecay.store.ledger import LedgerEntry
from vecdecay.store.parquet import open_parquet
from vecdecay.store.tables import TABLES, block_tables, part_tables


class PartContent:
    """The tables of one part, whose files are those that the ledger names, beside what is expected of them."""

    def __init__(self, plan: Plan, folder: Path, part: Part, entries: dict[str, LedgerEntry]) -> None:
        self.plan = plan
        self.spec = plan.spec
        self.part = part
        self.entries = entries
        self.failed = {int(cell) for cell, _ in entries["histograms"].receipt.get("failed", ())}
        self.tables: dict[str, pa.Table] = {}
        self.metadata: dict[str, dict[bytes, bytes]] = {}
        for name in entries:
            with open_parquet(folder / part_file(name, part.number)) as file:
                table = file.read()
            self.metadata[name] = table.schema.metadata or {}
            self.tables[name] = table.replace_schema_metadata(None)

    def problems(self) -> Iterator[str]:
        """Yield a line for everything that is not as it should be."""
        for name, table in self.tables.items():
            where = part_file(name, self.part.number)
            held = self.metadata[name].get(b"vecdecay.sweep_digest", b"").decode()
            if held != self.spec.digest:
                yield f"{where}: belongs to another sweep (its footer says {held[:16] or 'nothing'})"
            if table.num_rows != self.entries[name].rows:
                yield f"{where}: has {table.num_rows} rows; the ledger says {self.entries[name].rows}"
            if not table.schema.equals(TABLES[name].schema(self.plan.layout).remove_metadata()):
                yield f"{where}: its columns are not those of the sweep"
                return
        for name in block_tables(self.spec.detail):
            yield from (f"{part_file(name, self.part.number)}: {problem}" for problem in self._key_problems(name))
        yield from (f"{part_file('histograms', self.part.number)}: {one}" for one in self._histogram_problems())

    def cells(self) -> list[int]:
        """Return the cells that did not fail, in the order in which the histograms have them."""
        return sorted({cell for unit in self.part.units for cell in unit.cells} - self.failed)

    def keys(self) -> pa.Table:
        """Return the cell and seed of every session that the part must hold, in order."""
        schema = pa.schema([TABLES["sessions"].schema(self.plan.layout).field(name) for name in ("cell", "seed")])
        kind = schema.field("seed").type
        pieces = [schema.empty_table()]
        for unit in self.part.units:
            seeds = self.spec.seeds[unit.first : unit.last]
            cells = [cell for cell in unit.cells if cell not in self.failed]
            if cells:
                column = np.repeat(np.array(cells, dtype=np.int32), len(seeds))
                repeated = seed_array(repeated_seeds(seeds, len(cells)), kind)
                pieces.append(pa.Table.from_arrays([pa.array(column), repeated], schema=schema))
        return pa.concat_tables(pieces).combine_chunks()

    def _key_problems(self, name: str) -> Iterator[str]:
        table = self.tables[name].combine_chunks()
        held = table.select(["cell", "seed"])
        expected = self.keys()
        if name == "misses":
            yield from self._miss_problems(table, held)
            return
        if name != "sessions":
            counter, first = ("item", 0) if name == "items" else ("turn", 1)
            starts = np.flatnonzero(table[counter].to_numpy() == first)
            yield from _run_problems(table, counter, first, starts)
            held = held.take(pa.array(starts))
            if name == "items":
                expected = self._with_items(expected, held)
        if not held.equals(expected):
            yield f"cells and seeds are not those of the plan ({_first_difference(held, expected)})"

    def _miss_problems(self, table: pa.Table, held: pa.Table) -> Iterator[str]:
        """Yield what is wrong where a session has not as many misses as its row says, or not in their order."""
        sessions = self.tables["sessions"].combine_chunks()
        each = np.repeat(np.arange(sessions.num_rows), sessions["misses"].to_numpy())
        expected = sessions.select(["cell", "seed"]).take(pa.array(each))
        if not held.equals(expected):
            yield f"its rows are not the misses of the sessions ({_first_difference(held, expected)})"
        elif bool((np.diff(table["turn"].to_numpy())[np.diff(each) == 0] < 0).any()):
            yield "turns fall within a session"

    def _with_items(self, expected: pa.Table, held: pa.Table) -> pa.Table:
        """Return the keys without those sessions that have no item; only where keys are missing is this looked up."""
        if held.num_rows == expected.num_rows:
            return expected
        there = set(zip(held["cell"].to_pylist(), held["seed"].to_pylist(), strict=True))
        keep = [
            (cell, seed) in there or bool(self.plan.cell(cell).workload.session(int(seed)).item_kinds)
            for cell, seed in zip(expected["cell"].to_pylist(), expected["seed"].to_pylist(), strict=True)
        ]
        return expected.filter(pa.array(keep, type=pa.bool_())).combine_chunks()

    def _histogram_problems(self) -> Iterator[str]:
        try:
            found = list(histograms_in(self.tables["histograms"], self.plan.layout.beside))
        except (KeyError, ValueError) as error:
            yield str(error)
            return
        if [cell for cell, _ in found] != self.cells():
            yield "its cells are not those of the plan"
            return
        counted = dict(self._counted()) if "sessions" in self.tables else {}
        for cell, histograms in found:
            sessions = sum(unit.last - unit.first for unit in self.part.units if cell in unit.cells)
            if any(one.num_sessions != sessions for one in histograms.histograms.values()):
                yield f"cell {cell}: a metric does not count {sessions} sessions"
            elif cell in counted and histograms.histograms != counted[cell]:
                yield f"cell {cell}: histograms do not agree with the rows of its sessions"

    def _counted(self) -> Iterator[tuple[int, dict[str, Histogram]]]:
        """Yield every cell with the histograms of its sessions' rows."""
        table = self.tables["sessions"].combine_chunks()
        if table.num_rows == 0:  # every cell of the part failed
            return
        cell = table["cell"].to_numpy()
        order = np.argsort(cell, kind="stable")
        names = summarised_names(self.plan.layout.beside)
        stored = {name: name if name in table.column_names else UNSIZED_TWINS.get(name, name) for name in names}
        columns = {name: _values_and_valid(table[stored[name]]) for name in names}
        starts = np.flatnonzero(np.diff(cell[order], prepend=-1) != 0)
        for start, end in zip(starts, [*starts[1:], len(order)], strict=True):
            rows = order[start:end]
            histograms = {name: Histogram() for name in names}
            for name, histogram in histograms.items():
                values, valid = columns[name]
                histogram.add(values[rows], valid[rows])
            yield int(cell[rows[0]]), histograms


def entries_of(part: Part, ledger_entries: Any, detail: str) -> dict[str, LedgerEntry] | None:
    """Return the ledger's entry for each table of a part, None where one is missing."""
    names = part_tables(detail)
    found = {name: ledger_entries.get(part_file(name, part.number)) for name in names}
    return None if None in found.values() else found


def _values_and_valid(column: pa.ChunkedArray) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    valid = np.array(pc.is_valid(column))
    return np.array(pc.fill_null(column.cast(pa.float64()), 0.0)), valid


def _run_problems(table: pa.Table, counter: str, first: int, starts: NDArray[np.int64]) -> Iterator[str]:
    """Yield what is wrong where items or turns are not counted up within each session."""
    if table.num_rows == 0:
        return
    lengths = np.diff(starts, append=table.num_rows)
    wanted = np.arange(table.num_rows) - np.repeat(starts, lengths) + first if len(starts) and starts[0] == 0 else None
    if wanted is None or not np.array_equal(table[counter].to_numpy(), wanted):
        yield f"{counter}s are not counted from {first} in each session"
        return
    at_start = pa.array(np.repeat(starts, lengths))
    for name in ("cell", "seed"):
        if not table[name].combine_chunks().equals(table[name].combine_chunks().take(at_start)):
            yield f"the rows of a session are not together ({name})"


def _first_difference(held: pa.Table, expected: pa.Table) -> str:
    pairs = zip(held.to_pylist(), expected.to_pylist(), strict=False)
    for one, other in pairs:
        if one != other:
            return f"cell {one['cell']}, seed {one['seed']} where cell {other['cell']}, seed {other['seed']} should be"
    return f"{held.num_rows} sessions where {expected.num_rows} should be"
