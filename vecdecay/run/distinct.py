"""How many cells of a sweep are different, counted without building one.

Building each cell to compare it takes 40 µs; here every value on an axis gets a number once, equal values the same one,
and a cell is a row of these. A million cells take some 10 s if their points are drawn, less than one if not.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vecdecay.run.plan import Plan
from vecdecay.sweepfile.axes import Axis, Listed
from vecdecay.sweepfile.model import WORKLOAD, PolicyEntry, SweepSpec, random_place

Numbers = NDArray[np.int64]
"""(point,): which value stands at each point, or which row of values."""


def told_by_arithmetic(spec: SweepSpec) -> bool:
    """Tell whether the lengths of the axes say how many cells differ: a grid of policies of different kinds."""
    kinds = {type(entry.policy) for entry in spec.policies}
    return spec.combine == "grid" and len(kinds) == len(spec.policies)


def count_different_cells(plan: Plan) -> int:
    """Return how many cells have not the policy, the values and the workload of an earlier one."""
    spec = plan.spec
    if told_by_arithmetic(spec):
        lengths = Counter[str]()
        for axis in spec.axes:
            lengths[axis.label] = max(1, lengths[axis.label]) * len(axis.values)
        return max(1, lengths[WORKLOAD]) * sum(max(1, lengths[entry.label]) for entry in spec.policies)
    places = {axis.parameter: _places(plan, place) for place, axis in enumerate(spec.axes)}
    own = [axis for axis in spec.axes if axis.label == WORKLOAD]
    on_workload = [_numbers_of_values([axis])[0][places[axis.parameter]] for axis in own]
    workloads = _rows_as_numbers(on_workload, plan.num_points)
    alike: dict[type, list[PolicyEntry]] = {}
    for entry in spec.policies:
        alike.setdefault(type(entry.policy), []).append(entry)
    return sum(_distinct(spec, entries, places, workloads) for entries in alike.values())


def _distinct(spec: SweepSpec, entries: Sequence[PolicyEntry], places: dict[str, Numbers], workloads: Numbers) -> int:
    """Return how many different cells the policies of one kind have."""
    columns = [np.tile(workloads, len(entries))]
    for name in entries[0].policy.every_value():
        axes = {axis.label: axis for axis in spec.axes if axis.name == name and axis.label != WORKLOAD}
        sources = [axes.get(entry.label, entry.policy.every_value()[name]) for entry in entries]
        numbers = _numbers_of_values(sources)
        parts = [
            number[places[source.parameter]] if isinstance(source, Axis) else np.repeat(number, len(workloads))
            for number, source in zip(numbers, sources, strict=True)
        ]
        columns.append(np.concatenate(parts))
    return int(np.unique(_rows_as_numbers(columns, len(columns[0]))).size)


def _numbers_of_values(sources: Sequence[Any]) -> list[Numbers]:
    """Return, for each source, the number of each of its values: equal values of all sources have equal numbers.

    A source is an axis, or one value.
    """
    if len(sources) == 1:
        (source,) = sources
        if not isinstance(source, Axis):
            return [np.zeros(1, dtype=np.int64)]
        if not isinstance(source.values, Listed):
            return [np.arange(len(source.values), dtype=np.int64)]  # the values of a rule are all different
    known: dict[Any, int] = {}
    numbers = []
    for source in sources:
        values = source.values if isinstance(source, Axis) else [source]  # 8 is 8.0, in a dictionary too
        numbers.append(np.array([known.setdefault(value, len(known)) for value in values], dtype=np.int64))
    return numbers


def _rows_as_numbers(columns: Sequence[Numbers], length: int) -> Numbers:
    """Return a number for each row, the same for equal rows."""
    rows = np.zeros(length, dtype=np.int64)
    for column in columns:
        if column.size and column.min() == column.max():
            continue
        # Both are below 2**31: there are fewer cells, and values on an axis, than that.
        rows = np.unique(rows * (int(column.max()) + 1) + column, return_inverse=True)[1].reshape(-1)
    return rows


def _places(plan: Plan, place: int) -> Numbers:
    """Return the index on one axis at every point, as ``points.places`` has them one by one."""
    spec, number = plan.spec, plan.num_points
    axis = spec.axes[place]
    if spec.combine == "random":
        drawn = (random_place(spec.random_seed, axis.parameter, point, len(axis.values)) for point in range(number))
        return np.fromiter(drawn, dtype=np.int64, count=number)
    points = np.arange(number, dtype=np.int64)
    if spec.combine != "grid":
        return points
    lengths = [len(one.values) for one in spec.axes]
    return points // int(np.prod(lengths[place + 1 :], dtype=np.int64)) % lengths[place]
