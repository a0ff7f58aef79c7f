"""From a sweep to its numbered cells: pure arithmetic, the same on every machine, nothing written out.

Cell = point × policies + place of the policy. All cells of a point are played on the same sessions. Cells that have the
same policy, parameter by parameter, and the same workload have the same result; one of them is played for all.
"""

import heapq
import math
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import Any, cast

from vecdecay.errors import InvalidInputError
from vecdecay.parameters import Described
from vecdecay.policies.base import Policy
from vecdecay.sessions.workload import Workload
from vecdecay.store.columns import Layout, seeds_fit_64_bits
from vecdecay.sweepfile.axes import Axis
from vecdecay.sweepfile.model import WORKLOAD, SweepSpec, changed_code, grid_places, num_points, places

_MOST_VALUES = 4096


@dataclass(frozen=True)
class Cell:
    """One policy with one set of values on one workload; ``axis_values`` is the point, axes of other policies too."""

    number: int
    point: int
    policy_index: int
    label: str
    policy: Policy
    workload: Workload
    axis_values: dict[str, Any]


@dataclass(frozen=True)
class Group:
    """The cells that are played on one workload, each standing for all that cannot differ from it.

    ``cell_numbers`` and ``cells`` start anew at each call, rise, and hold one cell at a time.
    """

    workload: Workload
    cell_numbers: Callable[[], Iterator[int]]
    _cell: Callable[[int], Cell]

    def cells(self) -> Iterator[Cell]:
        """Yield the cells."""
        return map(self._cell, self.cell_numbers())


@lru_cache(maxsize=4096)
def _built(described: type[Described], values: tuple[tuple[str, Any], ...]) -> Described:
    """Return the policy or workload of these values; neighbours in a grid ask for the same ones again and again."""
    return described.build(dict(values))


@dataclass(frozen=True)
class Plan:
    """The cells of a sweep, on demand; its memory depends on the number of cells only where they form no grid."""

    spec: SweepSpec

    @property
    def num_policies(self) -> int:
        """Return the number of policies, which is the number of cells at each point."""
        return len(self.spec.policies)

    @cached_property
    def layout(self) -> Layout:
        """Return what the schemas of the run's tables depend on; one holds for all cells."""
        spec = self.spec
        axes = {axis.name for axis in spec.axes if axis.label == WORKLOAD}
        may_have_tokens = not axes.isdisjoint(("token_law", "token_size", "workloads"))
        kinds = dict.fromkeys(type(entry.policy) for entry in spec.policies)
        return Layout(
            checkpoints=spec.checkpoints,
            seeds_fit=seeds_fit_64_bits(spec.seeds),
            has_tokens=spec.workload.has_token_sizes or may_have_tokens,
            kinds=(*kinds, type(spec.workload)),
        )

    @cached_property
    def num_points(self) -> int:
        """Return the number of points."""
        return num_points(self.spec)

    @property
    def num_cells(self) -> int:
        """Return the number of cells."""
        return self.num_points * self.num_policies

    @property
    def num_sessions(self) -> int:
        """Return the number of sessions of all cells, those included whose result is taken from another cell."""
        return self.num_cells * len(self.spec.seeds)

    @cached_property
    def num_played_cells(self) -> int:
        """Return the number of cells that are played: those that represent themselves."""
        if not self._is_grid:
            return len(self._lookup.first_cells)
        if any(len(alike) > 1 for alike in self._alike):
            return sum(1 for group in self.groups() for _ in group.cell_numbers())
        workloads = math.prod(self._sizes[place] for place in self._workload_axes)
        return workloads * sum(math.prod(self._sizes[place] for place in own) for own in self._policy_axes)

    def cell(self, number: int) -> Cell:
        """Return one cell; IndexError where there is none of that number, InvalidInputError if its values clash."""
        if not 0 <= number < self.num_cells:
            raise IndexError(number)
        point, policy_index = divmod(number, self.num_policies)
        entry = self.spec.policies[policy_index]
        axis_values = self._axis_values(places(self.spec, point))
        policy, workload = self._build(entry.label, axis_values), self._build(WORKLOAD, axis_values)
        assert isinstance(policy, Policy)
        assert isinstance(workload, Workload)
        return Cell(number, point, policy_index, entry.label, policy, workload, axis_values)

    def representative(self, number: int) -> int:
        """Return the lowest-numbered cell with the same policy and workload, and so the same result: maybe itself."""
        if not 0 <= number < self.num_cells:
            raise IndexError(number)
        if not self._is_grid:
            return self._lookup.first_cells[self._signature(self.cell(number))]
        point, policy_index = divmod(number, self.num_policies)
        return self._lowest_alike(grid_places(self._sizes, point), policy_index)

    def groups(self) -> Iterator[Group]:
        """Yield the workloads in the order of their first cell, each with the cells to be played on it."""
        if not self._is_grid:
            for numbers in self._lookup.numbers_by_workload.values():
                yield Group(self.cell(numbers[0]).workload, numbers.__iter__, self.cell)
            return
        for outer in _grid_numbers(self._digits(self._workload_axes)):
            # Default argument: each group keeps its own number, whenever it is asked for its cells.
            def cell_numbers(outer: int = outer) -> Iterator[int]:
                return self._grid_cells(outer)

            yield Group(self.cell(outer * self.num_policies).workload, cell_numbers, self.cell)

    def unread_parameters(self) -> dict[str, tuple[str, ...]]:
        """Return, for each axis, the labels of the policies that do not read its parameter."""
        labels = [entry.label for entry in self.spec.policies]
        return {
            axis.parameter: tuple(label for label in labels if axis.label not in (label, WORKLOAD))
            for axis in self.spec.axes
        }

    def digest(self) -> str:
        """Return the SHA-256 of what the sweep's results depend on."""
        return self.spec.digest

    @property
    def _is_grid(self) -> bool:
        return self.spec.combine == "grid"

    @cached_property
    def _sizes(self) -> tuple[int, ...]:
        return tuple(len(axis.values) for axis in self.spec.axes)

    @cached_property
    def _strides(self) -> tuple[int, ...]:
        """Return the distance in points between neighbours on each axis."""
        return tuple(math.prod(self._sizes[place + 1 :]) for place in range(len(self._sizes)))

    def _axes_of(self, label: str) -> tuple[int, ...]:
        return tuple(place for place, axis in enumerate(self.spec.axes) if axis.label == label)

    @cached_property
    def _workload_axes(self) -> tuple[int, ...]:
        return self._axes_of(WORKLOAD)

    @cached_property
    def _policy_axes(self) -> tuple[tuple[int, ...], ...]:
        return tuple(self._axes_of(entry.label) for entry in self.spec.policies)

    @cached_property
    def _bases(self) -> dict[str, tuple[Described, dict[str, Any], tuple[Axis, ...]]]:
        """Return, for each label, what stands behind it, its parameters off the axes, and its axes."""
        described: dict[str, Described] = {WORKLOAD: self.spec.workload}
        described |= {entry.label: entry.policy for entry in self.spec.policies}
        return {
            label: (one, one.values(), tuple(self.spec.axes[place] for place in self._axes_of(label)))
            for label, one in described.items()
        }

    @cached_property
    def _value_of(self) -> Callable[[int, int], Any]:
        """Return the values of axes, by place and index, remembered: neighbours in a grid ask for the same ones."""
        axes = self.spec.axes
        return lru_cache(maxsize=_MOST_VALUES)(lambda place, index: axes[place].values[index])

    @cached_property
    def _alike(self) -> tuple[tuple[int, ...], ...]:
        """Return, for each policy, the policies of its class, itself among them."""
        classes = [type(entry.policy) for entry in self.spec.policies]
        return tuple(tuple(place for place, other in enumerate(classes) if other is one) for one in classes)

    def _axis_values(self, indices: tuple[int, ...]) -> dict[str, Any]:
        return {axis.parameter: self._value_of(place, indices[place]) for place, axis in enumerate(self.spec.axes)}

    def _build(self, label: str, axis_values: dict[str, Any]) -> Described:
        base, values, axes = self._bases[label]
        if not axes:
            return base
        at_point = values | {axis.name: axis_values[axis.parameter] for axis in axes}
        return _built(cast(Any, type(base)), tuple(at_point.items()))

    def _lowest_alike(self, indices: tuple[int, ...], policy_index: int) -> int:
        """Return the lowest cell of a grid with the same workload and an equal policy, under whichever label."""
        workload_point = sum(indices[place] * self._strides[place] for place in self._workload_axes)
        own = self._policy_axes[policy_index]
        own_point = workload_point + sum(indices[place] * self._strides[place] for place in own)
        lowest = own_point * self.num_policies + policy_index
        alike = self._alike[policy_index]
        if len(alike) > 1:
            values = self._build(self.spec.policies[policy_index].label, self._axis_values(indices)).values()
            for other in alike:
                point = self._point_with(other, values)
                if point is not None:
                    lowest = min(lowest, (workload_point + point) * self.num_policies + other)
        return lowest

    def _point_with(self, policy_index: int, values: dict[str, Any]) -> int | None:
        """Return the lowest point, apart from the workload's axes, at which a policy has these values, if any."""
        own = {self.spec.axes[place].name: place for place in self._policy_axes[policy_index]}
        base = self.spec.policies[policy_index].policy.values()
        point = 0
        for name, value in values.items():
            if name in own:
                index = self.spec.axes[own[name]].values.find(value)
                if index is None:
                    return None
                point += index * self._strides[own[name]]
            elif base[name] != value:
                return None
        return point

    def _digits(self, axes: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
        return tuple((self._sizes[place], self._strides[place]) for place in axes)

    def _grid_cells(self, workload_point: int) -> Iterator[int]:
        """Yield, rising, the cells of one workload that represent themselves."""

        def cells_of(policy_index: int) -> Iterator[int]:
            for point in _grid_numbers(self._digits(self._policy_axes[policy_index])):
                number = (workload_point + point) * self.num_policies + policy_index
                if len(self._alike[policy_index]) == 1 or self.representative(number) == number:
                    yield number

        return heapq.merge(*map(cells_of, range(self.num_policies)))

    @cached_property
    def _lookup(self) -> "_Lookup":
        first_cells: dict[bytes, int] = {}
        numbers_by_workload: dict[bytes, array[int]] = {}
        for number in range(self.num_cells):
            cell = self.cell(number)
            if first_cells.setdefault(self._signature(cell), number) == number:
                numbers_by_workload.setdefault(_signature(cell.workload), array("q")).append(number)
        return _Lookup(first_cells, numbers_by_workload)

    def _signature(self, cell: Cell) -> bytes:
        return _signature(cell.policy, cell.workload)


@dataclass(frozen=True)
class _Lookup:
    """For points that form no grid: the first cell of each policy on each workload, and the cells of each workload."""

    first_cells: dict[bytes, int]
    numbers_by_workload: dict[bytes, "array[int]"]


def _signature(*several: Described) -> bytes:
    """Return 128 bits that stand for classes and values; the values themselves would take three times the memory."""
    named = [(type(one).__module__, type(one).__qualname__, *one.values().values()) for one in several]
    return blake2b(repr(named).encode(), digest_size=16).digest()


def _grid_numbers(digits: tuple[tuple[int, int], ...]) -> Iterator[int]:
    """Yield, rising, the points that some axes reach, each given as (size, stride), where all others are at 0."""
    sizes = tuple(size for size, _ in digits)
    for number in range(math.prod(sizes)):
        yield sum(index * stride for index, (_, stride) in zip(grid_places(sizes, number), digits, strict=True))


def make_plan(spec: SweepSpec) -> Plan:
    """Return the plan of a sweep. It is the same for the same spec, and it asks nothing else.

    Raises InvalidInputError where code of a person's own is no longer what the spec was written with.
    """
    changed = changed_code(spec)
    if changed:
        raise InvalidInputError(changed)
    return Plan(spec)
