"""A run folder as an object: its tables, its sweep, whether it is finished and sound."""

import importlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vecdecay.arrow import ArrowDataset, ArrowTable
from vecdecay.engines.registry import engine_of
from vecdecay.errors import InvalidInputError, OutputError
from vecdecay.numerals import cells_html, html_table
from vecdecay.parameters import printable
from vecdecay.run.folder import CELLS_NAME, SWEEP_NAME, held_ledger, how_far, manifest_or_none, num_parts_done
from vecdecay.run.parts import num_own_parts
from vecdecay.run.plan import Plan
from vecdecay.store.parquet import open_parquet
from vecdecay.store.tables import TABLES, part_tables
from vecdecay.sweepfile.model import SweepSpec
from vecdecay.sweepfile.spec import load_sweep

if TYPE_CHECKING:
    from vecdecay.run.verify import VerifyReport


@dataclass(frozen=True)
class FailedCell:
    """A cell that could not be played, and why; the others went on."""

    cell: int
    label: str
    error: str


@dataclass(frozen=True)
class Run:
    """A run folder, and what the call that returned it did there.

    Streaming it through the Arrow C interface, as Polars, DuckDB and pandas do, streams its cells table.

    Attributes:
        folder: where its files are.
        spec: the sweep.
        shard: (k, n) where the folder holds the k-th of n shares, None for the whole.
        failed: the cells that could not be played.
        threads: how many parts were played at once; 0 where nothing was played.
        checked_sessions: how many sessions were computed by the scalar reference too, and found to be the same.
        already_complete: whether there was nothing to do.
        repaired: a line for everything that was not as it should be and was made again.
    """

    folder: Path
    spec: SweepSpec
    shard: tuple[int, int] | None = None
    failed: tuple[FailedCell, ...] = ()
    threads: int = 0
    checked_sessions: int = 0
    already_complete: bool = False
    repaired: tuple[str, ...] = ()
    plan: Plan = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Plan the sweep, which costs nothing before a cell is asked for."""
        object.__setattr__(self, "plan", Plan(self.spec))

    @property
    def num_cells(self) -> int:
        """The number of cells, failed ones included."""
        return self.plan.num_cells

    @property
    def num_sessions(self) -> int:
        """The number of sessions of all cells."""
        return self.plan.num_sessions

    @cached_property
    def engines(self) -> dict[str, list[str]]:
        """The engines, in alphabetical order, each with the policies that it plays; before the end at the first point.

        A policy may be played by several: with a capacity, and without.
        """
        if self.is_complete:
            played = set(zip(self.cells["engine"].to_pylist(), self.cells["policy"].to_pylist(), strict=True))
        else:
            first = map(self.plan.cell, range(self.plan.num_policies))
            played = {(engine_of(self.spec.engine, one.policy, one.workload), one.label) for one in first}
        labels = [entry.label for entry in self.spec.policies]
        names = sorted({engine for engine, _ in played})
        return {name: [label for label in labels if (name, label) in played] for name in names}

    @property
    def is_complete(self) -> bool:
        """Whether all parts are there and the tables of the whole are made."""
        return manifest_or_none(self.folder) is not None

    @cached_property
    def num_parts(self) -> int:
        """The number of parts that the finished run has."""
        return num_own_parts(self.plan, self.shard)

    @property
    def num_parts_done(self) -> int:
        """The number of parts of which every file is there."""
        return num_parts_done(self.folder, self.spec.detail)

    @cached_property
    def cells(self) -> ArrowTable:
        """One row per cell: its parameters and the summary of every metric. Only a finished run has it."""
        if not (self.folder / CELLS_NAME).exists():
            raise OutputError(f"{printable(self.folder)}: has no cells table: {self.unfinished()}")
        with open_parquet(self.folder / CELLS_NAME) as file:
            cells: ArrowTable = file.read()
            return cells

    @property
    def sessions(self) -> ArrowDataset:
        """One row per cell and seed, cell by cell within a part."""
        return self._dataset("sessions")

    @property
    def items(self) -> ArrowDataset:
        """One row per cell, seed and item; kept with ``detail = "items"``."""
        return self._dataset("items")

    @property
    def turns(self) -> ArrowDataset:
        """One row per cell, seed and turn; kept with ``detail = "turns"``."""
        return self._dataset("turns")

    @property
    def misses(self) -> ArrowDataset:
        """One row per cell, seed and recall that did not find its item; kept with ``detail = "misses"``."""
        return self._dataset("misses")

    @property
    def histograms(self) -> ArrowDataset:
        """One row per cell, metric and value: how many sessions had it; a cell may have rows in several parts."""
        return self._dataset("histograms")

    def _dataset(self, name: str) -> ArrowDataset:
        kept = part_tables(self.spec.detail)
        if name not in kept:
            raise InvalidInputError([f"{name} were not kept; kept: cells, {', '.join(kept)}; ask with detail={name!r}"])
        files = sorted(file for file in held_ledger(self.folder).entries if file.startswith(f"{name}/"))
        schema = TABLES[name].schema(self.plan.layout)
        from pyarrow.dataset import dataset  # a run that only writes needs it not

        found: ArrowDataset = dataset([str(self.folder / file) for file in files], schema=schema, format="parquet")
        return found

    @property
    def plot(self) -> Any:
        """Pictures of the run; see :class:`vecdecay.report.plots.Plots`. Needs the extra ``report``."""
        return importlib.import_module("vecdecay.report.plots").Plots(self)  # a room above this one, loaded when asked

    def verify(self, *, everything: bool = False, sample: int = 100, sample_seed: int = 0) -> "VerifyReport":
        """Check every file, key and digest, and compute sessions again; see :func:`vecdecay.run.verify.verify_run`."""
        from vecdecay.run.verify import verify_run

        return verify_run(self.folder, everything=everything, sample=sample, sample_seed=sample_seed)

    def compare(self, other: "Run | str | os.PathLike[str]") -> Any:
        """Compare with another run, or the run in a folder; see :func:`vecdecay.run.compare_runs.compare_runs`."""
        compare_runs = importlib.import_module("vecdecay.run.compare_runs").compare_runs  # it is made of this class
        return compare_runs(self, other if isinstance(other, Run) else open_run(other))

    def unfinished(self) -> str:
        """Return in words how far the run has come and how it goes on; nothing to tell where it is finished."""
        if self.is_complete:
            return ""
        return how_far(self.plan, self.folder, self.shard)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Stream the cells table through the Arrow C interface."""
        return self.cells.__arrow_c_stream__(requested_schema)

    def _repr_html_(self) -> str:
        """Return a table for a notebook: policies, axes and four metrics; of an unfinished run, how far it has come."""
        if not (self.folder / CELLS_NAME).exists():
            return html_table([], [], repr(self))
        return cells_html(self.cells, repr(self), [axis.parameter.rpartition(".")[2] for axis in self.spec.axes])

    def __repr__(self) -> str:
        cells = f"{self.num_cells:,} cell{'s' * (self.num_cells != 1)} × {len(self.spec.seeds):,} sessions"
        failed = f", {len(self.failed):,} failed" if self.failed else ""
        return f"Run {self.spec.name} in {printable(self.folder)}: {cells}{failed}; {self.unfinished() or 'finished'}"


def failed_cells(spec: SweepSpec, failed: Mapping[int, str]) -> tuple[FailedCell, ...]:
    """Return the cells that failed, with the labels of their policies, in their order."""
    labels = [entry.label for entry in spec.policies]
    return tuple(FailedCell(cell, labels[cell % len(labels)], error) for cell, error in sorted(failed.items()))


def open_run(folder: str | os.PathLike[str]) -> Run:
    """Return the run in a folder, finished or not; nothing is changed there.

    Raises:
        OutputError: the folder holds no run.
        InvalidInputError: the copy of the sweep in it is damaged.
    """
    path = Path(folder)
    if not (path / SWEEP_NAME).exists():
        raise OutputError(f"{printable(path)}: holds no run of this program")
    spec = load_sweep(path / SWEEP_NAME)
    manifest = manifest_or_none(path) or {}
    failed = {int(one["cell"]): str(one["error"]) for one in manifest.get("failed", ())}
    shard = manifest.get("shard")
    return Run(path, spec, shard=(shard[0], shard[1]) if shard else None, failed=failed_cells(spec, failed))
