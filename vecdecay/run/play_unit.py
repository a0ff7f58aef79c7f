"""Plays the cells of one workload over some seeds, and gathers their rows and histograms.

A cell that fails is noted with its error, and the others go on. Cells with equal policies are played once.
"""

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from vecdecay.analysis.cell import CellHistograms, histograms_of_cells
from vecdecay.engines.memory import block_bytes
from vecdecay.engines.outcome import BlockOutcome
from vecdecay.engines.registry import can_stream, chosen_engine, play_block, stream, stream_counted
from vecdecay.errors import VecdecayError
from vecdecay.metrics import session_columns
from vecdecay.policies.base import Policy
from vecdecay.run.parts import BLOCK_MULTIPLE, Unit
from vecdecay.run.plan import Cell, Plan
from vecdecay.sessions.block import SessionBlock
from vecdecay.sessions.mersenne import Seeds
from vecdecay.sessions.workload import Workload
from vecdecay.store.columns import Layout
from vecdecay.store.tables import TABLES
from vecdecay.sweepfile.model import SweepSpec

LOCKSTEP_BLOCK = 1024
# A block is made smaller where its sessions are large. Between two blocks a run can be asked to end, and should within
# a second: the scalar engine plays two million item-turns in that time.
_BLOCK_BYTES = 64_000_000
_REFERENCE_ITEM_TURNS = 1_000_000
# Small cells are turned into rows together, until there are so many.
_CELLS_TOGETHER = 128
COUNTED_TOGETHER = 16
"""Policies whose outcomes the kernel counts at once: each takes a megabyte for that."""
_SESSIONS_TOGETHER = 32_768


class StoppedError(VecdecayError):
    """The run was asked to end while the part was being played."""


@dataclass
class Harvest:
    """What has come of a part so far: histograms per cell, errors of cells that failed, batches per kept table."""

    kept: tuple[str, ...]
    histograms: dict[int, CellHistograms] = field(default_factory=dict)
    failed: dict[int, str] = field(default_factory=dict)
    batches: dict[str, list[pa.RecordBatch]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Begin with no batch of any table."""
        self.batches = {name: [] for name in self.kept}

    def fail(self, cells: Sequence[int], error: Exception) -> None:
        """Note why cells failed; the first error of each is kept."""
        text = " ".join(f"{type(error).__name__}: {error}".split())[:500]
        for cell in cells:
            self.failed.setdefault(cell, text)

    def add(self, cell: int, histograms: CellHistograms) -> None:
        """Add the sessions of one more unit to a cell; ``histograms`` may be shared by cells, and stay as they are."""
        if cell in self.histograms:
            both = CellHistograms(histograms.checkpoints)
            both.merge(self.histograms[cell])
            both.merge(histograms)
            histograms = both
        self.histograms[cell] = histograms

    def finished(self) -> dict[int, CellHistograms]:
        """Return the histograms of the cells that did not fail, in the order of their numbers."""
        return {cell: self.histograms[cell] for cell in sorted(self.histograms) if cell not in self.failed}

    def table(self, name: str, layout: Layout) -> pa.Table:
        """Return the rows of a kept table, those of failed cells left out, and let go of the batches."""
        table = pa.Table.from_batches(self.batches.pop(name), schema=TABLES[name].schema(layout))
        if not self.failed:
            return table
        failed = pa.array(sorted(self.failed), type=pa.int32())
        return table.filter(pc.invert(pc.is_in(table["cell"], value_set=failed)))


def play_unit(plan: Plan, unit: Unit, harvest: Harvest, is_stopping: Callable[[], bool]) -> None:
    """Play a unit into the harvest.

    Raises:
        StoppedError: ``is_stopping`` said so between two blocks.
    """
    cells = []
    for number in unit.cells:
        try:
            cells.append(plan.cell(number))
        except Exception as error:
            harvest.fail([number], error)
    if not cells:
        return
    player = _UnitPlayer(plan, cells, harvest, is_stopping)
    step = sessions_per_block(plan.spec, cells[0].workload, [cell.policy for cell in cells])
    if unit.last - unit.first <= min(step, BLOCK_MULTIPLE) and plan.spec.detail in ("cells", "sessions"):
        player.play_together(plan.spec.seeds[unit.first : unit.last])
    else:
        player.play_block_by_block(_blocks(plan.spec, unit, step))


class _UnitPlayer:
    """Plays some cells of one workload."""

    def __init__(self, plan: Plan, cells: Sequence[Cell], harvest: Harvest, is_stopping: Callable[[], bool]) -> None:
        self.spec = plan.spec
        self.layout = plan.layout
        self.cells = cells
        self.harvest = harvest
        self.is_stopping = is_stopping
        self.numbers_of: dict[Policy, list[int]] = {}
        for cell in cells:
            self.numbers_of.setdefault(cell.policy, []).append(cell.number)

    def play_together(self, seeds: Seeds) -> None:
        """Play small cells, all on the same sessions, and turn many of them into rows at once."""
        most = max(1, min(_CELLS_TOGETHER, _SESSIONS_TOGETHER // len(seeds)))
        again: dict[Policy, BlockOutcome] = {}  # of policies that come up again
        for first in range(0, len(self.cells), most):
            cells = self.cells[first : first + most]
            policies = list(dict.fromkeys(cell.policy for cell in cells if cell.policy not in again))
            outcomes = again | self._outcomes(seeds, policies)
            together = {cell.number: outcomes[cell.policy] for cell in cells if cell.policy in outcomes}
            if together:
                self._harvest_together(together, seeds)
            for policy in policies:
                if policy in outcomes and self.numbers_of[policy][-1] > cells[-1].number and len(again) < most:
                    again[policy] = outcomes[policy]

    def _outcomes(self, seeds: Seeds, policies: Sequence[Policy]) -> dict[Policy, BlockOutcome]:
        """Return what the sessions came to under each policy that can be played; note of the others why they cannot."""
        policies = [policy for policy in policies if self.numbers_of[policy][0] not in self.harvest.failed]
        if self.is_stopping():
            raise StoppedError("stopped")
        streamed = self._streamed(seeds, policies)
        block = self._block(seeds) if streamed is None and policies else None
        if block is None:
            return streamed or {}
        outcomes = {}
        for policy in policies:
            if self.is_stopping():
                raise StoppedError("stopped")
            try:
                outcomes[policy] = self._play(None, block, policy)
            except Exception as error:
                self.harvest.fail(self.numbers_of[policy], error)
        return outcomes

    def _count_block_by_block(self, blocks: Sequence[Seeds]) -> bool:
        """Play large cells of which histograms alone are kept, where the kernel can count; else return False."""
        spec, workload, policies = self.spec, self.cells[0].workload, list(self.numbers_of)
        if spec.detail != "cells" or not can_stream(workload, policies, spec.engine, spec.detail, spec.checkpoints):
            return False
        counted = [CellHistograms() for _ in policies]
        try:
            for seeds, first in product(blocks, range(0, len(policies), COUNTED_TOGETHER)):
                if self.is_stopping():
                    raise StoppedError("stopped")
                together = policies[first : first + COUNTED_TOGETHER]
                for place, (outcome, times) in stream_counted(workload, seeds, together):
                    counted[first + place].add_counted(outcome, times)
        except StoppedError:
            raise
        except Exception:
            return False  # one by one, it is seen which cell it is
        for policy, histograms in zip(policies, counted, strict=True):
            for number in self.numbers_of[policy]:
                self.harvest.add(number, histograms)
        return True

    def _streamed(self, seeds: Seeds, policies: Sequence[Policy]) -> dict[Policy, BlockOutcome] | None:
        """Return what the sessions came to where they can be played while they are generated, else None.

        Where a policy fails so, None too: played one by one, it is seen which.
        """
        spec, workload = self.spec, self.cells[0].workload
        if not policies or not can_stream(workload, policies, spec.engine, spec.detail, spec.checkpoints):
            return None
        try:
            return dict(zip(policies, stream(workload, seeds, policies), strict=True))
        except Exception:
            return None

    def _harvest_together(self, outcomes: dict[int, BlockOutcome], seeds: Seeds) -> None:
        joined = joined_outcomes(list(outcomes.values()))
        checkpoints = self.spec.checkpoints
        try:
            each = histograms_of_cells(joined, len(outcomes), checkpoints)
        except Exception as error:
            if len(outcomes) == 1:
                self.harvest.fail(list(outcomes), error)
            else:  # find out which cells it is
                for number, outcome in outcomes.items():
                    self._harvest_together({number: outcome}, seeds)
            return
        for number, histograms in zip(outcomes, each, strict=True):
            self.harvest.add(number, histograms)
        if "sessions" in self.harvest.kept:
            numbers = np.repeat(np.array(list(outcomes), dtype=np.int32), len(seeds))
            batch = TABLES["sessions"].rows(numbers, repeated_seeds(seeds, len(outcomes)), joined, self.layout)
            self.harvest.batches["sessions"].append(batch)

    def play_block_by_block(self, blocks: Sequence[Seeds]) -> None:
        """Play large cells, and add up their histograms from block to block."""
        if self._count_block_by_block(blocks):
            return
        rows: dict[str, dict[int, list[pa.RecordBatch]]] = {name: {} for name in self.harvest.kept}
        histograms = {policy: CellHistograms(self.spec.checkpoints) for policy in self.numbers_of}
        for seeds in blocks:
            if self.is_stopping():
                raise StoppedError("stopped")
            playable = {
                policy: numbers for policy, numbers in self.numbers_of.items() if numbers[0] not in self.harvest.failed
            }
            streamed = self._streamed(seeds, list(playable))
            block = self._block(seeds) if streamed is None else None
            if streamed is None and block is None:
                return
            for policy, numbers in playable.items():
                try:
                    outcome = self._play(streamed, block, policy)
                    measured = session_columns(outcome, self.spec.checkpoints)
                    histograms[policy].add(outcome, measured)
                    for name, by_cell in rows.items():
                        for number in numbers:
                            batch = TABLES[name].rows(number, seeds, outcome, self.layout, measured)
                            by_cell.setdefault(number, []).append(batch)
                except Exception as error:
                    self.harvest.fail(numbers, error)
        for policy, numbers in self.numbers_of.items():
            for number in numbers:
                self.harvest.add(number, histograms[policy])
        for name, by_cell in rows.items():
            for cell in self.cells:
                self.harvest.batches[name].extend(by_cell.get(cell.number, ()))

    def _block(self, seeds: Seeds) -> SessionBlock | None:
        """Return the sessions of the seeds, None where the workload fails, and all cells with it."""
        try:
            return self.cells[0].workload.block(seeds)
        except Exception as error:
            self.harvest.fail([cell.number for cell in self.cells], error)
            return None

    def _play(
        self, streamed: dict[Policy, BlockOutcome] | None, block: SessionBlock | None, policy: Policy
    ) -> BlockOutcome:
        """Return what the sessions came to under a policy: streamed before, or played now on the block."""
        spec = self.spec
        if streamed is not None:
            return streamed[policy]
        assert block is not None
        items, turns = spec.detail == "items", spec.detail == "turns"
        return play_block(block, policy, spec.engine, spec.checkpoints, items, turns, reuse=True)


def joined_outcomes(outcomes: Sequence[BlockOutcome]) -> BlockOutcome:
    """Return the sessions of several outcomes, one after the other, without their items and turns."""
    fields: dict[str, Any] = {}
    for name in (one.name for one in dataclasses.fields(BlockOutcome)):
        each = [getattr(outcome, name) for outcome in outcomes]
        fields[name] = np.concatenate(each, axis=-1) if isinstance(each[0], np.ndarray) else None
    return BlockOutcome(**fields)


def repeated_seeds(seeds: Seeds, times: int) -> Seeds:
    """Return the seeds so many times over, the whole list after the whole list."""
    if times == 1:
        return seeds
    if isinstance(seeds, range):
        first = seeds.start
        if first >= -(2**63) and first + len(seeds) <= 2**63:
            return np.tile(np.arange(first, first + len(seeds), dtype=np.int64), times)
    return list(seeds) * times


def sessions_per_block(spec: SweepSpec, workload: Workload, policies: Sequence[Policy]) -> int:
    """Return how many sessions are played together."""
    sizes = workload.sizes()
    engines = {chosen_engine(spec.engine, policy) for policy in policies}
    by_table = engines == {"horizon"}
    most = BLOCK_MULTIPLE if by_table and spec.detail in ("cells", "sessions") else LOCKSTEP_BLOCK
    if can_stream(workload, policies, spec.engine, spec.detail, spec.checkpoints):
        most = (16 if spec.detail == "cells" else 2) * BLOCK_MULTIPLE
    if "reference" in engines:
        most = min(most, _REFERENCE_ITEM_TURNS // (sizes.turns * max(1, sizes.items)))
    each = block_bytes(sizes, 1, not by_table, spec.detail == "items", spec.detail == "turns")
    return max(1, min(most, _BLOCK_BYTES // each))


def _blocks(spec: SweepSpec, unit: Unit, step: int) -> list[Seeds]:
    return [spec.seeds[first : min(first + step, unit.last)] for first in range(unit.first, unit.last, step)]
