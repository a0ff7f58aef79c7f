"""How a sweep is cut into parts: the pieces that are played, written and resumed as a whole.

A part depends on the sweep alone, never on threads, on what was done before or on the machine. Cells on the same
workload are put side by side, so that their sessions are generated once for all of them.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from vecdecay.sweep.definition import WORKLOAD, SweepSpec
from vecdecay.sweep.plan import Plan
from vecdecay.sweep.points import places

BLOCK_MULTIPLE = 4096
MAX_CELLS_PER_PART = 1000
_PLAYS_PER_PART = {"cells": 2_000_000, "sessions": 250_000}
_ROWS_PER_PART = 1_000_000


@dataclass(frozen=True)
class Unit:
    """Some cells on one workload, and the seeds from position ``first`` up to ``last`` (exclusive) of the sweep's list."""

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
    """Return how many sessions a part may play, so that its rows stay small enough to be lost, or held, at once."""
    if spec.detail in _PLAYS_PER_PART:
        return _PLAYS_PER_PART[spec.detail]
    sizes = spec.workload.sizes()
    rows = sizes.items if spec.detail == "items" else sizes.turns
    return max(1, _ROWS_PER_PART // max(1, rows))


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


def _units(plan: Plan, limit: int) -> Iterator[Unit]:
    num_seeds = len(plan.spec.seeds)
    for points in _points_by_workload(plan):
        for cells in _slices(plan, points, max(1, min(MAX_CELLS_PER_PART, limit // min(num_seeds, limit)))):
            step = _rounded(max(1, limit // len(cells)))
            for first in range(0, num_seeds, step):
                yield Unit(cells, first, min(first + step, num_seeds))


def _rounded(step: int) -> int:
    """Cut a number of seeds down to whole blocks, where it holds at least one."""
    return step // BLOCK_MULTIPLE * BLOCK_MULTIPLE or step


def _slices(plan: Plan, points: Iterator[int], size: int) -> Iterator[tuple[int, ...]]:
    """Yield the cells of the points, in slices of at most ``size`` but never less than the policies of one point."""
    num_policies = len(plan.spec.policies)
    gathered: list[int] = []
    for point in points:
        if gathered and len(gathered) + num_policies > size:
            yield tuple(gathered)
            gathered = []
        gathered.extend(range(point * num_policies, (point + 1) * num_policies))
    if gathered:
        yield tuple(gathered)


def _points_by_workload(plan: Plan) -> Iterator[Iterator[int]]:
    """Yield the points of each workload: in a grid all of them together, otherwise runs of neighbours."""
    spec = plan.spec
    on_workload = [axis.label == WORKLOAD for axis in spec.axes]
    if spec.combine != "grid":
        yield from (
            run
            for _, run in groupby(
                range(plan.num_points),
                key=lambda point: tuple(
                    axis.values[place]
                    for axis, place, chosen in zip(spec.axes, places(spec, point), on_workload, strict=True)
                    if chosen
                ),
            )
        )
        return
    sizes = [len(axis.values) for axis in spec.axes]
    strides = [math.prod(sizes[place + 1 :]) for place in range(len(sizes))]
    outer = [(size, stride) for size, stride, chosen in zip(sizes, strides, on_workload, strict=True) if chosen]
    inner = [(size, stride) for size, stride, chosen in zip(sizes, strides, on_workload, strict=True) if not chosen]
    for base in _numbers(outer):
        yield (base + rest for rest in _numbers(inner))


def _numbers(digits: list[tuple[int, int]]) -> Iterator[int]:
    """Yield the sums of one multiple of each stride, the last digit fastest; 0 where there are no digits."""
    for number in range(math.prod(size for size, _ in digits)):
        total, rest = 0, number
        for size, stride in reversed(digits):
            rest, digit = divmod(rest, size)
            total += digit * stride
        yield total
