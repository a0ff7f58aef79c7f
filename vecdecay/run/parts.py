"""How a sweep is cut into parts: the pieces that are played, written and resumed as a whole.

A part depends on the sweep alone, never on threads, on what was done before or on the machine. Cells on the same
workload are put side by side, so that their sessions are generated once for all of them. That takes them out of the
order of their numbers, but only within a band of cells; so results can be put in order again without holding them all.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from vecdecay.engines.registry import REGISTRY, chosen_engine
from vecdecay.errors import InvalidInputError
from vecdecay.run import blocks
from vecdecay.run.plan import Plan
from vecdecay.sessions.source import Source
from vecdecay.store.tables import rows_per_session
from vecdecay.sweepfile.axes import Listed
from vecdecay.sweepfile.model import WORKLOAD, SweepSpec, num_points, places

MAX_CELLS_PER_PART = 1000
CELLS_PER_BAND = 8_192
# Cells that share their sessions where there are many seeds: then generating takes a tenth of the time of playing.
# More would cut the seeds so short that the parts' histograms, which are per cell and part, become the larger share.
CELLS_SIDE_BY_SIDE = 32
_MORE_SIDE_BY_SIDE = 8
_MORE_COUNTED = 16  # a play that is counted while sessions are generated takes 5 ns, and that only where cells differ
_PLAYS_PER_PART = {"cells": 2_000_000, "sessions": 250_000}
_ROWS_PER_PART = 1_000_000


@dataclass(frozen=True)
class Unit:
    """Some cells on one workload, and the seeds from place ``first`` to ``last`` (exclusive) of the sweep's list."""

    cells: tuple[int, ...]
    first: int
    last: int

    @property
    def plays(self) -> int:
        """Return how many sessions the unit plays, each cell counted."""
        return len(self.cells) * (self.last - self.first)


@dataclass(frozen=True)
class Part:
    """The units that are played together and written to the same files; numbers count from 0 without a gap."""

    number: int
    units: tuple[Unit, ...]

    @property
    def plays(self) -> int:
        """Return how many sessions the part plays, each cell counted."""
        return sum(unit.plays for unit in self.units)


def plays_per_part(spec: SweepSpec) -> int:
    """Return how many sessions a part may play: they are played in about a second, and their rows fit into memory."""
    sizes = largest_workload(spec).sizes()
    policies = [entry.policy for entry in spec.policies]
    most = _PLAYS_PER_PART.get(spec.detail) or _ROWS_PER_PART // max(1, rows_per_session(spec.detail, sizes))
    with suppress(Exception):  # of a policy of a person's own, which fails where it is played
        if _counts_many(spec):
            most *= _MORE_COUNTED
        elif not blocks.streams(spec, spec.workload, policies):
            slowest = min(REGISTRY[chosen_engine(spec.engine, one)].work_per_second for one in policies)
            most = min(most, slowest // (sizes.touches + sizes.items))
    return max(1, most)


def _counts_many(spec: SweepSpec) -> bool:
    """Tell whether so many cells are counted while sessions are generated that more of them go side by side."""
    policies = [entry.policy for entry in spec.policies]
    many = num_points(spec) * len(policies) > CELLS_SIDE_BY_SIDE and len(spec.seeds) > blocks.BLOCK_MULTIPLE
    return many and spec.detail == "cells" and blocks.streams(spec, spec.workload, policies)


def plays_at_once(plan: Plan) -> int:
    """Return how many sessions a part plays, each cell counted."""
    cells = min(plan.num_cells, MAX_CELLS_PER_PART)
    return min(plays_per_part(plan.spec), cells * len(plan.spec.seeds))


def largest_workload(spec: SweepSpec) -> Source:
    """Return the sweep's workload with the values of its axes that make the largest sessions, axis by axis."""
    workload = spec.workload
    for axis in spec.axes:
        if axis.label != WORKLOAD:
            continue
        # A rule rises or falls from end to end; a list may have its largest value anywhere.
        count = len(axis.values)
        values = list(axis.values) if isinstance(axis.values, Listed) else [axis.values[0], axis.values[count - 1]]
        for value in values:
            with suppress(InvalidInputError):  # values that clash: such a cell fails
                workload = max(workload, workload.varied({axis.name: value}), key=_size)
    return workload


def _size(workload: Source) -> tuple[int, int, int]:
    sizes = workload.sizes()
    return sizes.items, sizes.turns, sizes.touches


def parts_of(plan: Plan) -> Iterator[Part]:
    """Yield the parts of a sweep in order; nothing of the plan is held but the part at hand."""
    limit = plays_per_part(plan.spec)
    number = 0
    gathered: list[Unit] = []
    for unit in _units(plan, limit):
        plays = sum(one.plays for one in gathered)
        cells = sum(len(one.cells) for one in gathered)
        if gathered and (plays + unit.plays > limit or cells + len(unit.cells) > MAX_CELLS_PER_PART):
            yield Part(number, tuple(gathered))
            number += 1
            gathered = []
        gathered.append(unit)
    if gathered:
        yield Part(number, tuple(gathered))


def is_in_share(part: Part, shard: tuple[int, int] | None) -> bool:
    """Tell whether a part belongs to the k-th of n shares; all do where ``shard`` is None."""
    return shard is None or part.number % shard[1] == shard[0] - 1


def own_parts(plan: Plan, shard: tuple[int, int] | None) -> Iterator[Part]:
    """Yield the parts of a share: every n-th part, so that shares are of one size whatever the sweep."""
    return (part for part in parts_of(plan) if is_in_share(part, shard))


def num_own_parts(plan: Plan, shard: tuple[int, int] | None) -> int:
    """Return the number of parts of a share."""
    return sum(1 for _ in own_parts(plan, shard))


def band_of(plan: Plan, cell: int) -> int:
    """Return the band of a cell: parts come band by band, and a band holds neighbours."""
    return cell // plan.num_policies // _points_per_band(plan)


def _points_per_band(plan: Plan) -> int:
    return max(1, CELLS_PER_BAND // plan.num_policies)


def _units(plan: Plan, limit: int) -> Iterator[Unit]:
    num_seeds = len(plan.spec.seeds)
    side_by_side = CELLS_SIDE_BY_SIDE * (_MORE_SIDE_BY_SIDE if _counts_many(plan.spec) else 1)
    seeds_at_once = min(num_seeds, max(1, limit // side_by_side))
    for points in _points_by_workload(plan):
        for cells in _slices(plan, points, max(1, min(MAX_CELLS_PER_PART, limit // seeds_at_once))):
            step = _rounded(max(1, limit // len(cells)))
            for first in range(0, num_seeds, step):
                yield Unit(cells, first, min(first + step, num_seeds))


def _rounded(step: int) -> int:
    """Cut a number of seeds down to whole blocks, where it holds at least one."""
    return step // blocks.BLOCK_MULTIPLE * blocks.BLOCK_MULTIPLE or step


def _slices(plan: Plan, points: list[int], size: int) -> Iterator[tuple[int, ...]]:
    """Yield the cells of the points, in slices of at most ``size`` but never less than the policies of one point."""
    points_at_once = max(1, size // plan.num_policies)
    for first in range(0, len(points), points_at_once):
        yield tuple(
            point * plan.num_policies + policy_index
            for point in points[first : first + points_at_once]
            for policy_index in range(plan.num_policies)
        )


def _points_by_workload(plan: Plan) -> Iterator[list[int]]:
    """Yield the points of each workload, band by band."""
    points_per_band = _points_per_band(plan)
    for first in range(0, plan.num_points, points_per_band):
        band = range(first, min(first + points_per_band, plan.num_points))
        if all(axis.label != WORKLOAD for axis in plan.spec.axes):
            yield list(band)
            continue
        together: dict[tuple[Any, ...], list[int]] = {}
        for point in band:
            together.setdefault(_workload_at(plan.spec, point), []).append(point)
        yield from together.values()


def _workload_at(spec: SweepSpec, point: int) -> tuple[Any, ...]:
    """Return what tells the workload of a point: a grid holds a value once, a listed column may hold it again."""
    at = [(axis, place) for axis, place in zip(spec.axes, places(spec, point), strict=True) if axis.label == WORKLOAD]
    return tuple(place if spec.combine == "grid" else axis.values[place] for axis, place in at)
