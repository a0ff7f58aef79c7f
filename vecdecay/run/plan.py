"""From a sweep to its numbered cells: pure arithmetic, the same on every machine, nothing written out.

Cell = point × policies + place of the policy. All cells of a point are played on the same sessions. Cells that have the
same policy, parameter by parameter, and the same workload have the same result.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, cast

from vecdecay.errors import InvalidInputError
from vecdecay.parameters import Described, parameters_of
from vecdecay.policies.base import Policy
from vecdecay.policies.capacity import CapacityParameters
from vecdecay.sessions.source import Recorded, Source
from vecdecay.store.columns import Layout, longest_seed_text
from vecdecay.sweepfile.axes import Axis
from vecdecay.sweepfile.model import WORKLOAD, SweepSpec, changed_code, num_points, places

_MOST_VALUES = 4096

REMEMBERED_BYTES = 32_000_000
"""What a process may hold of the results of cells that other cells may equal."""


@dataclass(frozen=True)
class Cell:
    """One policy with one set of values on one workload; ``axis_values`` is the point, axes of other policies too."""

    number: int
    point: int
    policy_index: int
    label: str
    policy: Policy
    workload: Source
    axis_values: dict[str, Any]


class Remembered:
    """Values under keys, those asked for last, up to a number of bytes. Threads may share it."""

    def __init__(self, most_bytes: int) -> None:
        """Begin with nothing."""
        self._most_bytes = most_bytes
        self._held: OrderedDict[Any, tuple[Any, int]] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def get(self, key: Any) -> Any:
        """Return the value under a key, None where there is none."""
        with self._lock:
            if key not in self._held:
                return None
            self._held.move_to_end(key)
            return self._held[key][0]

    def put(self, key: Any, value: Any, num_bytes: int) -> None:
        """Keep a value, and let go of those that were asked for longest ago."""
        with self._lock:
            if key in self._held:
                return
            self._held[key] = value, num_bytes
            self._bytes += num_bytes
            while self._bytes > self._most_bytes:
                self._bytes -= self._held.popitem(last=False)[1][1]


@lru_cache(maxsize=4096)
def _built(described: type[Described], values: tuple[tuple[str, Any], ...]) -> Described:
    """Return the policy or workload of these values; neighbours in a grid ask for the same ones again and again."""
    return described.build(dict(values))


@dataclass(frozen=True)
class Plan:
    """The cells of a sweep, each made when it is asked for. A process that is sent a plan twice makes it once."""

    spec: SweepSpec

    def __reduce__(self) -> tuple[Callable[..., "Plan"], tuple[str, SweepSpec]]:
        return _plan_of_digest, (self.spec.digest, self.spec)

    @cached_property
    def remembered(self) -> Remembered:
        """What came of policies that other cells of the sweep have too; the parts of a run share it."""
        return Remembered(REMEMBERED_BYTES if self.may_repeat else 0)

    @property
    def may_repeat(self) -> bool:
        """Tell whether cells of different points may be equal: not in a grid of which each policy reads all axes."""
        if self.num_points == 1:
            return False
        own = {axis.label for axis in self.spec.axes} - {WORKLOAD}
        return self.spec.combine != "grid" or self.num_policies > 1 or len(own) > 1

    @property
    def num_policies(self) -> int:
        """Return the number of policies, which is the number of cells at each point."""
        return len(self.spec.policies)

    @cached_property
    def seed_text(self) -> int:
        """Return the bytes that no seed exceeds as text; 0 where seeds are kept as 64-bit integers."""
        return longest_seed_text(self.spec.seeds)

    @cached_property
    def layout(self) -> Layout:
        """Return what the schemas of the run's tables depend on; one holds for all cells."""
        spec = self.spec
        axes = {axis.name for axis in spec.axes if axis.label == WORKLOAD}
        may_have_tokens = not axes.isdisjoint(("token_distribution", "token_size", "workloads"))
        kinds = dict.fromkeys(type(entry.policy) for entry in spec.policies)
        may_be_set = {axis.name for axis in spec.axes if axis.label != WORKLOAD}
        may_be_set |= {name for entry in spec.policies for name in entry.policy.values()}
        return Layout(
            checkpoints=spec.checkpoints,
            seeds_fit=self.seed_text == 0,
            has_tokens=spec.workload.has_token_sizes or may_have_tokens,
            has_relations=spec.workload.has_relations,
            kinds=(*kinds, type(spec.workload)),
            asked=spec.asked,
            shared=tuple(one.name for one in parameters_of(CapacityParameters, shared=True) if one.name in may_be_set),
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

    def cell(self, number: int) -> Cell:
        """Return one cell; IndexError where there is none of that number, InvalidInputError if its values clash."""
        if not 0 <= number < self.num_cells:
            raise IndexError(number)
        point, policy_index = divmod(number, self.num_policies)
        entry = self.spec.policies[policy_index]
        axis_values = self._axis_values(places(self.spec, point))
        policy, workload = self._build(entry.label, axis_values), self._build(WORKLOAD, axis_values)
        assert isinstance(policy, Policy)
        assert isinstance(workload, Source)
        return Cell(number, point, policy_index, entry.label, policy, workload, axis_values)

    @cached_property
    def _bases(self) -> dict[str, tuple[Described, dict[str, Any], tuple[Axis, ...]]]:
        """Return, for each label, what stands behind it, its parameters off the axes, and its axes."""
        described: dict[str, Described] = {WORKLOAD: self.spec.workload}
        described |= {entry.label: entry.policy for entry in self.spec.policies}
        return {
            label: (one, one.values(), tuple(axis for axis in self.spec.axes if axis.label == label))
            for label, one in described.items()
        }

    @cached_property
    def _value_of(self) -> Callable[[int, int], Any]:
        """Return the values of axes, by place and index, remembered: neighbours in a grid ask for the same ones."""
        axes = self.spec.axes
        return lru_cache(maxsize=_MOST_VALUES)(lambda place, index: axes[place].values[index])

    def _axis_values(self, indices: tuple[int, ...]) -> dict[str, Any]:
        return {axis.parameter: self._value_of(place, indices[place]) for place, axis in enumerate(self.spec.axes)}

    def _build(self, label: str, axis_values: dict[str, Any]) -> Described:
        base, values, axes = self._bases[label]
        if not axes:
            return base
        varied = {axis.name: axis_values[axis.parameter] for axis in axes}
        if isinstance(base, Recorded):
            return base.varied(varied)
        at_point = values | varied
        return _built(cast(Any, type(base)), tuple(at_point.items()))


_plans: dict[str, Plan] = {}


def _plan_of_digest(digest: str, spec: SweepSpec) -> Plan:
    """Return the plan that this process has for a sweep, so that what it remembers is good for all parts."""
    if digest not in _plans:
        _plans.clear()
        _plans[digest] = Plan(spec)
    return _plans[digest]


def make_plan(spec: SweepSpec) -> Plan:
    """Return the plan of a sweep. It is the same for the same spec, and it asks nothing else.

    Raises InvalidInputError where code of a person's own is no longer what the spec was written with.
    """
    changed = changed_code(spec)
    if changed:
        raise InvalidInputError(changed)
    return Plan(spec)
