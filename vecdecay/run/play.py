"""Plays units: the cells of one workload over some seeds; gathers their rows and histograms.

Sessions are played in one of three ways: counted while they are generated, generated and played, or block by block.
A cell that fails is noted with its error, and the others go on. Cells with equal policies are played once.
"""

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from vecdecay.analysis.cell import CellHistograms, Rows, histograms_of_cells
from vecdecay.engines.outcome import BlockOutcome
from vecdecay.engines.registry import decisive, play_block, stream, stream_counted
from vecdecay.errors import VecdecayError
from vecdecay.metrics import session_columns
from vecdecay.policies.base import Policy
from vecdecay.run import blocks
from vecdecay.run.blocks import sessions_per_block, streams
from vecdecay.run.parts import Part, Unit
from vecdecay.run.plan import Plan
from vecdecay.sessions.block import SessionBlock
from vecdecay.sessions.mersenne import Seeds
from vecdecay.sessions.source import Recorded
from vecdecay.store.tables import block_rows, block_tables

# Small cells are turned into rows together, until there are so many.
CELLS_TOGETHER = 128
SESSIONS_TOGETHER = 32_768

COUNTED_TOGETHER = 64
"""Policies whose outcomes the kernel counts at once: each takes 128 kB for that."""

_BYTES_PER_CELL = 2000  # of what is remembered of one, beside its arrays


class StoppedError(VecdecayError):
    """The run was asked to end while the part was being played."""


class Stop:
    """Asks those who play to end between two blocks. In another process nobody asks: the tasks there are cancelled."""

    def __init__(self) -> None:
        """Begin with nothing asked."""
        self.is_set = False

    def __reduce__(self) -> tuple[type["Stop"], tuple[()]]:
        return Stop, ()

    def check(self) -> None:
        """Raise StoppedError once the run is to end."""
        if self.is_set:
            raise StoppedError("stopped")


@dataclass
class Played:
    """What came of some units: histograms per cell, errors of cells that failed, rows of the tables that are kept.

    Rows come as (cells, batch): the same number of rows for each of the cells, one cell after the other.
    """

    histograms: dict[int, CellHistograms] = field(default_factory=dict)
    failed: dict[int, Exception] = field(default_factory=dict)
    rows: dict[str, list[tuple[tuple[int, ...], pa.RecordBatch]]] = field(default_factory=dict)

    def add(self, cell: int, histograms: CellHistograms) -> None:
        """Add the sessions of one more unit to a cell."""
        if cell in self.histograms:
            merged = CellHistograms(histograms.beside)  # not in place: other cells may have the same object
            merged.merge(self.histograms[cell])
            merged.merge(histograms)
            histograms = merged
        self.histograms[cell] = histograms

    def fail(self, cells: Sequence[int], error: Exception) -> None:
        """Note why cells failed; the first error of each is kept."""
        for cell in cells:
            self.failed.setdefault(cell, error)


def play_part(plan: Plan, part: Part, stop: Stop) -> Played:
    """Return what the units of a part come to.

    Raises:
        StoppedError: ``stop`` said so between two blocks.
    """
    played = Played(rows={name: [] for name in block_tables(plan.spec.detail)})
    for unit in part.units:
        _UnitPlayer(plan, unit, played, stop).play()
    return played


class _UnitPlayer:
    """Plays the cells of one unit."""

    def __init__(self, plan: Plan, unit: Unit, played: Played, stop: Stop) -> None:
        self.plan = plan
        self.spec = plan.spec
        self.unit = unit
        self.played = played
        self.stop = stop
        self.cells = []
        self.numbers_of: dict[Policy, list[int]] = {}
        for number in unit.cells:
            try:
                cell = plan.cell(number)
            except Exception as error:
                played.fail([number], error)
                continue
            self.cells.append(cell)
            self.numbers_of.setdefault(cell.policy, []).append(number)

    def play(self) -> None:
        """Play in the way that suits the unit."""
        if not self.cells:
            return
        spec, unit, policies = self.spec, self.unit, list(self.numbers_of)
        self.workload = self.cells[0].workload
        try:
            step = sessions_per_block(self.plan, self.workload, policies)
        except Exception as error:  # of a workload, or an engine, that cannot play them
            self.played.fail([cell.number for cell in self.cells], error)
            return
        pieces = [spec.seeds[first : min(first + step, unit.last)] for first in range(unit.first, unit.last, step)]
        is_small = len(pieces) == 1 and unit.last - unit.first <= blocks.BLOCK_MULTIPLE
        if is_small and spec.detail in ("cells", "sessions"):
            self._play_together(pieces[0])
        elif spec.detail != "cells" or not streams(spec, self.workload, policies) or not self._count(pieces):
            self._play_block_by_block(pieces)

    def _count(self, pieces: Sequence[Seeds]) -> bool:
        """Play large cells of which histograms alone are kept with the kernel that counts; tell whether it can."""
        known = {policy: self._remembered(policy) for policy in self.numbers_of}
        found = {policy: one[0] for policy, one in known.items() if one is not None}
        alike: dict[Any, list[Policy]] = {}
        for policy in self.numbers_of:
            if policy not in found:
                alike.setdefault(self._key(policy), []).append(policy)
        fresh = [policies[0] for policies in alike.values()]
        counted = [CellHistograms() for _ in fresh]
        try:
            for seeds in pieces:
                for first in range(0, len(fresh), COUNTED_TOGETHER):
                    self.stop.check()
                    together = fresh[first : first + COUNTED_TOGETHER]
                    for place, found_here in stream_counted(self.workload, seeds, together):
                        counted[first + place].add_counted(*found_here)
        except StoppedError:
            raise
        except Exception:
            return False  # one by one, it is seen which cell it is
        for policies, histograms in zip(alike.values(), counted, strict=True):
            self._remember(policies[0], histograms, None)
            known_now = self._remembered(policies[0])  # as rows, which is how each of the cells is written
            found |= dict.fromkeys(policies, histograms if known_now is None else known_now[0])
        for policy, numbers in self.numbers_of.items():
            for number in numbers:
                self.played.add(number, found[policy])
        return True

    def _play_together(self, seeds: Seeds) -> None:
        """Play small cells, all on the same sessions, and turn many of them into rows at once."""
        most = max(1, min(CELLS_TOGETHER, SESSIONS_TOGETHER // len(seeds)))
        for first in range(0, len(self.cells), most):
            cells = [one for one in self.cells[first : first + most] if one.number not in self.played.failed]
            found = {cell.policy: self._remembered(cell.policy) for cell in cells}
            fresh = [policy for policy, known in found.items() if known is None]
            outcomes = dict(self._outcomes(seeds, fresh))
            for policy, histograms in self._histograms_together(outcomes):
                kept = outcomes[policy] if "sessions" in self.played.rows else None
                self._remember(policy, histograms, kept)
                found[policy] = histograms, kept
            rows = {}
            for cell in cells:
                known = found[cell.policy]
                if known is not None:
                    self.played.add(cell.number, known[0])
                    if known[1] is not None:
                        rows[cell.number] = known[1]
            if rows:
                numbers = np.repeat(np.array(list(rows), dtype=np.int32), len(seeds))
                joined = joined_outcomes(list(rows.values()))
                batch = block_rows("sessions", numbers, repeated_seeds(seeds, len(rows)), joined, self.plan.layout)
                self.played.rows["sessions"].append((tuple(rows), batch))

    def _histograms_together(self, outcomes: dict[Policy, BlockOutcome]) -> Iterator[tuple[Policy, CellHistograms]]:
        if not outcomes:
            return
        joined = joined_outcomes(list(outcomes.values()))
        try:
            yield from zip(outcomes, histograms_of_cells(joined, len(outcomes), self.plan.layout.beside), strict=True)
        except Exception as error:
            if len(outcomes) == 1:
                self._fail(next(iter(outcomes)), error)
                return
            for policy, outcome in outcomes.items():  # find out which it is
                yield from self._histograms_together({policy: outcome})

    def _play_block_by_block(self, pieces: Sequence[Seeds]) -> None:
        """Play large cells, and add up their histograms from block to block."""
        gathered = {policy: CellHistograms(self.plan.layout.beside) for policy in self.numbers_of}
        rows: dict[int, list[tuple[str, pa.RecordBatch]]] = {cell.number: [] for cell in self.cells}
        for seeds in pieces:
            alive = [policy for policy, numbers in self.numbers_of.items() if numbers[0] not in self.played.failed]
            for policy, outcome in self._outcomes(seeds, alive):
                try:
                    measured = session_columns(outcome, self.plan.layout.beside)
                    gathered[policy].add(outcome, measured)
                    for number in self.numbers_of[policy]:
                        for name in self.played.rows:
                            batch = block_rows(name, number, seeds, outcome, self.plan.layout, measured)
                            rows[number].append((name, batch))
                except Exception as error:
                    self._fail(policy, error)
        for policy, numbers in self.numbers_of.items():
            for number in numbers:
                self.played.add(number, gathered[policy])
        for number, batches in rows.items():
            for name, batch in batches:
                self.played.rows[name].append(((number,), batch))

    def _outcomes(self, seeds: Seeds, policies: Sequence[Policy]) -> Iterator[tuple[Policy, BlockOutcome]]:
        """Yield what the sessions came to under each policy that can be played; note of the others why they cannot."""
        self.stop.check()
        if not policies:
            return
        if streams(self.spec, self.workload, policies):
            try:
                streamed = list(stream(self.workload, seeds, policies))
            except Exception:
                pass  # played one by one, it is seen which policy fails
            else:
                yield from zip(policies, streamed, strict=True)
                return
        block = self._block(seeds)
        for policy in policies if block is not None else ():
            self.stop.check()
            try:
                outcome = self._played_block(block, policy)
            except Exception as error:
                self._fail(policy, error)
            else:
                yield policy, outcome

    def _block(self, seeds: Seeds) -> SessionBlock | None:
        """Return the sessions of the seeds, None where the workload fails, and all cells with it."""
        try:
            return self.workload.block(seeds)
        except Exception as error:
            self.played.fail([cell.number for cell in self.cells], error)
            return None

    def _played_block(self, block: SessionBlock | None, policy: Policy) -> BlockOutcome:
        assert block is not None
        spec = self.spec
        items, turns = spec.detail == "items", spec.detail == "turns"
        misses, relearn = spec.detail == "misses", self.workload.relearns
        relations = self.plan.layout.has_relations
        wanted = items, turns, True, relearn, misses, relations
        return play_block(block, policy, spec.engine, spec.checkpoints, *wanted, asked=spec.asked)

    def _fail(self, policy: Policy, error: Exception) -> None:
        self.played.fail(self.numbers_of[policy], error)

    def _key(self, policy: Policy) -> Any:
        # Policies that come to the same are played once: along a fine axis of thresholds, most do.
        alike = decisive(self.workload, policy) if streams(self.spec, self.workload, [policy]) else policy
        workload = self.workload
        sessions = tuple(workload.values().items()) if isinstance(workload, Recorded) else workload
        return alike, sessions, self.unit.first, self.unit.last

    def _remembered(self, policy: Policy) -> tuple[CellHistograms, BlockOutcome | None] | None:
        """Return what came of an equal cell that was played; the outcome is None where no rows are kept."""
        known = self.plan.remembered.get(self._key(policy))
        if known is None:
            return None
        rows, outcome = known
        return CellHistograms(self.plan.layout.beside, rows), outcome

    def _remember(self, policy: Policy, histograms: CellHistograms, outcome: BlockOutcome | None) -> None:
        rows, folded = histograms.rows()
        if folded:
            return  # too many values to be rows: it is played again
        rows = Rows(rows.values.copy(), rows.counts.copy(), rows.lengths)  # they are views on those of many cells
        num_bytes = _BYTES_PER_CELL + rows.values.nbytes + rows.counts.nbytes
        if outcome is not None:
            num_bytes += sum(one.nbytes for one in vars(outcome).values() if isinstance(one, np.ndarray))
        self.plan.remembered.put(self._key(policy), (rows, outcome), num_bytes)


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
        first, last = seeds[0], seeds[-1]
        if min(first, last) >= -(2**63) and max(first, last) < 2**63:
            return np.tile(np.arange(first, last + (1 if seeds.step > 0 else -1), seeds.step, dtype=np.int64), times)
    return np.tile(seeds, times) if isinstance(seeds, np.ndarray) else list(seeds) * times
