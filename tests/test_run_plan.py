"""The plan: numbering, which cells are the same, and that nothing else enters."""

import itertools
import pickle
import random
import tracemalloc
from typing import Any

import pytest
import tomli_w
from conftest import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from sweep_texts import AXES, parsed, sweeps

from vecdecay.parameters import Described
from vecdecay.run.distinct import count_different_cells
from vecdecay.run.plan import Plan, Remembered, make_plan
from vecdecay.sweepfile.model import SweepSpec, places
from vecdecay.sweepfile.spec import parse_sweep

Key = tuple[Any, ...]


def expected_cells(spec: SweepSpec) -> list[tuple[Key, Key]]:
    """Return (policy, workload) of every cell in order, derived from lists that are written out."""
    columns = [list(axis.values) for axis in spec.axes]
    if spec.combine == "grid":
        points = list(itertools.product(*columns))
    elif spec.combine == "random":
        rows = [places(spec, point) for point in range(spec.random_points)]
        points = [tuple(column[place] for column, place in zip(columns, row, strict=True)) for row in rows]
    else:
        points = list(zip(*columns, strict=True)) if columns else [()]
    return [
        (_values(spec, entry.label, entry.policy, point), _values(spec, "workload", spec.workload, point))
        for point in points
        for entry in spec.policies
    ]


def _values(spec: SweepSpec, label: str, base: Described, point: tuple[Any, ...]) -> Key:
    values = base.values()
    for axis, value in zip(spec.axes, point, strict=True):
        if axis.parameter.rsplit(".", 1)[0] == label:
            values[axis.parameter.rsplit(".", 1)[1]] = value
    return (type(base), *type(base)(**values).values().items())


def key_of(described: Described) -> Key:
    """Return class and values."""
    return (type(described), *described.values().items())


met: set[str] = set()
"""What the drawn sweeps contained, for the check at the end."""


@settings(max_examples=examples(300))
@given(sweeps(few=True))
def test_the_plan_is_what_writing_everything_out_gives(raw: dict[str, Any]) -> None:
    """Cells and counts equal those found by comparing all parameter values of all cells."""
    spec = parse_sweep(tomli_w.dumps(raw))
    plan = make_plan(spec)
    expected = expected_cells(spec)
    assert plan.num_cells == len(expected) == plan.num_points * plan.num_policies
    assert plan.num_sessions == 20 * len(expected)
    for number, key in enumerate(expected):
        cell = plan.cell(number)
        assert (cell.number, divmod(number, plan.num_policies)) == (number, (cell.point, cell.policy_index))
        assert cell.label == spec.policies[cell.policy_index].label
        assert (key_of(cell.policy), key_of(cell.workload)) == key
    different = set(expected)
    assert count_different_cells(plan) == len(different)
    assert plan.may_repeat or len(different) == len(expected) or plan.num_points == 1
    met.update({spec.combine, "copied" if len(different) < len(expected) else "all played"})
    met.update({"several workloads"} if len({workload for _, workload in expected}) > 1 else set())


def test_the_drawn_sweeps_were_worth_drawing() -> None:
    """Every way to combine, copies and several workloads really occurred."""
    if not met:
        pytest.skip("runs after the test that draws")
    assert met >= {"grid", "zip", "points", "random", "copied", "all played", "several workloads"}


@settings(max_examples=examples(60))
@given(sweeps(few=True), st.randoms(use_true_random=False))
def test_permuted_policies_give_permuted_cells(raw: dict[str, Any], shuffle: random.Random) -> None:
    """The order of the policies changes numbers and nothing else."""
    order = list(range(len(raw["policy"])))
    shuffle.shuffle(order)
    plan = make_plan(parse_sweep(tomli_w.dumps(raw)))
    other = make_plan(parse_sweep(tomli_w.dumps(raw | {"policy": [raw["policy"][place] for place in order]})))
    for number in range(plan.num_cells):
        point, place = divmod(number, plan.num_policies)
        one, two = plan.cell(number), other.cell(point * plan.num_policies + order.index(place))
        assert (one.label, one.policy, one.workload, one.axis_values) == (
            two.label,
            two.policy,
            two.workload,
            two.axis_values,
        )
    assert count_different_cells(plan) == count_different_cells(other)


def test_the_published_grid_holds_eight_runs() -> None:
    """Three thresholds and five windows make 30 cells, of which 3 + 5 are played."""
    plan = make_plan(parsed(rest=AXES))
    assert (plan.num_points, plan.num_cells, count_different_cells(plan), plan.num_sessions) == (15, 30, 8, 600)
    assert plan.cell(13).axis_values == {"ebbinghaus.eviction_threshold": 0.2, "recency_window.window_size": 20}
    assert plan.cell(13).policy.values()["window_size"] == 20.0


@pytest.mark.parametrize("combine", ["grid", "zip"])
def test_there_are_no_other_cells(combine: str) -> None:
    """A number outside the plan is an error."""
    plan = make_plan(parsed(sweep=f'combine = "{combine}"'))
    for number in (-1, plan.num_cells):
        with pytest.raises(IndexError):
            plan.cell(number)


def huge_grid() -> Plan:
    """Return a plan of almost ten million cells on one workload."""
    axis = '[[axis]]\nparameter = "{}"\nlinspace = {{ from = 0.1, to = 0.9, count = 2200 }}\n'
    return make_plan(
        parsed(rest=axis.format("ebbinghaus.eviction_threshold") + axis.format("recency_window.window_size"))
    )


def test_a_grid_is_never_written_out() -> None:
    """Ten million cells: the last cell, and the number of different ones, take next to no memory."""
    plan = huge_grid()
    assert plan.num_cells == 2 * 2200**2
    plan.cell(0)
    tracemalloc.start()
    try:
        last = plan.num_cells - 1
        assert plan.cell(last).policy.values()["window_size"] == 0.9
        assert count_different_cells(plan) == 4400
        assert tracemalloc.get_traced_memory()[1] < 3_000_000
    finally:
        tracemalloc.stop()


def test_a_process_that_is_sent_a_plan_again_keeps_the_first() -> None:
    """What it remembers of cells that were played is good for all parts of the run; another sweep takes its place."""
    plan = make_plan(parsed(rest=AXES))
    first, again = (pickle.loads(pickle.dumps(plan)) for _ in range(2))
    assert first is again
    assert first == plan
    assert pickle.loads(pickle.dumps(make_plan(parsed()))) != plan


def test_what_is_remembered_is_bounded() -> None:
    """Values that were asked for longest ago go first; nothing is kept of more bytes than there may be."""
    held = Remembered(10)
    for key, size in (("a", 4), ("b", 4), ("a", 4)):
        held.put(key, key.upper(), size)
    assert (held.get("a"), held.get("b"), held.get("c")) == ("A", "B", None)
    assert held.get("a") == "A"
    held.put("c", "C", 4)
    assert (held.get("a"), held.get("b"), held.get("c")) == ("A", None, "C")
    held.put("d", "D", 11)
    assert [held.get(key) for key in "abcd"] == [None] * 4
