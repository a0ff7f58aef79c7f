"""The plan's laws: numbering, which cells are the same, groups, and that nothing else enters."""

import itertools
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
from vecdecay.run.plan import Plan, make_plan
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
    """Cells, representatives, groups and counts equal those found by comparing all parameter values of all cells."""
    spec = parse_sweep(tomli_w.dumps(raw))
    plan = make_plan(spec)
    expected = expected_cells(spec)
    assert plan.num_cells == len(expected) == plan.num_points * plan.num_policies
    assert plan.num_sessions == 20 * len(expected)
    first: dict[tuple[Key, Key], int] = {}
    for number, key in enumerate(expected):
        cell = plan.cell(number)
        assert (cell.number, divmod(number, plan.num_policies)) == (number, (cell.point, cell.policy_index))
        assert cell.label == spec.policies[cell.policy_index].label
        assert (key_of(cell.policy), key_of(cell.workload)) == key
        assert plan.representative(number) == first.setdefault(key, number)
    groups = [(key_of(group.workload), list(group.cells()), list(group.cell_numbers())) for group in plan.groups()]
    by_workload: dict[Key, list[int]] = {}
    for (_, workload), number in first.items():
        by_workload.setdefault(workload, []).append(number)
    assert [(workload, numbers) for workload, _, numbers in groups] == list(by_workload.items())
    assert all([cell.number for cell in cells] == numbers for _, cells, numbers in groups)
    assert plan.num_played_cells == len(first)
    met.update({spec.combine, "copied" if len(first) < len(expected) else "all played"})
    met.update({"several workloads"} if len(by_workload) > 1 else set())
    if any(
        divmod(first[key], plan.num_policies)[1] != number % plan.num_policies for number, key in enumerate(expected)
    ):
        met.add(f"{spec.combine}: copied from another policy")


def test_the_drawn_sweeps_were_worth_drawing() -> None:
    """Every way to combine, copies, copies from another policy, and several workloads really occurred."""
    if not met:
        pytest.skip("runs after the test that draws")
    assert met >= {"grid", "zip", "points", "random", "copied", "all played", "several workloads"}
    assert met >= {"grid: copied from another policy", "random: copied from another policy"}


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
    assert plan.num_played_cells == other.num_played_cells


def test_the_published_grid_holds_eight_runs() -> None:
    """Three thresholds and five windows make 30 cells, of which 3 + 5 are played."""
    plan = make_plan(parsed(rest=AXES))
    assert (plan.num_points, plan.num_cells, plan.num_played_cells, plan.num_sessions) == (15, 30, 8, 600)
    (group,) = plan.groups()
    assert list(group.cell_numbers()) == [0, 1, 3, 5, 7, 9, 10, 20]
    assert plan.cell(13).axis_values == {"ebbinghaus.eviction_threshold": 0.2, "recency_window.window_size": 20}
    assert plan.cell(13).policy.values()["window_size"] == 20.0
    assert [plan.representative(number) for number in (13, 12, 29, 0)] == [3, 10, 9, 0]


def test_parameters_that_a_policy_does_not_read_are_named() -> None:
    """An axis of one policy is read by no other; an axis of the workload is read by all."""
    noise = '[[axis]]\nparameter = "workload.noise_per_turn"\nvalues = [1, 2]\n'
    assert make_plan(parsed(rest=AXES + noise)).unread_parameters() == {
        "ebbinghaus.eviction_threshold": ("recency_window",),
        "recency_window.window_size": ("ebbinghaus",),
        "workload.noise_per_turn": (),
    }


@pytest.mark.parametrize("combine", ["grid", "zip"])
def test_there_are_no_other_cells(combine: str) -> None:
    """A number outside the plan is an error, for the cell and for its representative."""
    plan = make_plan(parsed(sweep=f'combine = "{combine}"'))
    for number in (-1, plan.num_cells):
        with pytest.raises(IndexError):
            plan.cell(number)
        with pytest.raises(IndexError):
            plan.representative(number)


def huge_grid() -> Plan:
    """Return a plan of almost ten million cells on one workload."""
    axis = '[[axis]]\nparameter = "{}"\nlinspace = {{ from = 0.1, to = 0.9, count = 2200 }}\n'
    return make_plan(
        parsed(rest=axis.format("ebbinghaus.eviction_threshold") + axis.format("recency_window.window_size"))
    )


def test_a_grid_is_never_written_out() -> None:
    """Ten million cells: the last cell, its representative and the first of a group take next to no memory."""
    plan = huge_grid()
    assert plan.num_cells == 2 * 2200**2
    plan.cell(0)
    tracemalloc.start()
    try:
        last = plan.num_cells - 1
        assert plan.cell(last).policy.values()["window_size"] == 0.9
        assert plan.representative(last) == 2 * 2199 + 1
        (group,) = plan.groups()
        assert list(itertools.islice(group.cell_numbers(), 4)) == [0, 1, 3, 5]
        assert plan.num_played_cells == 4400
        assert sum(1 for _ in group.cells()) == 4400
        assert tracemalloc.get_traced_memory()[1] < 3_000_000
    finally:
        tracemalloc.stop()


def test_groups_can_be_read_again() -> None:
    """Every call starts anew, also after the next group was taken; so there may be any number of blocks."""
    noise = '[[axis]]\nparameter = "workload.noise_per_turn"\nvalues = [1, 2]\n'
    for combine in ("grid", "zip"):
        groups = list(make_plan(parsed(sweep=f'combine = "{combine}"', rest=noise)).groups())
        numbers = [list(group.cell_numbers()) for group in groups]
        assert numbers == [[0, 1], [2, 3]]
        assert [[cell.number for cell in group.cells()] for group in groups] == numbers


def test_the_digest_is_that_of_the_sweep() -> None:
    """The same for the same file, another for another."""
    assert make_plan(parsed()).digest() == make_plan(parsed()).digest() != make_plan(parsed(rest=AXES)).digest()
