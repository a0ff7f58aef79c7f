"""Cells that are the same, counted by number: as many as are found by building every one."""

import random
import time

import pytest

from vecdecay.policies.base import Policy
from vecdecay.run.distinct import count_different_cells, told_by_arithmetic
from vecdecay.run.plan import Plan, make_plan
from vecdecay.sessions.source import Source
from vecdecay.sweepfile.model import SweepSpec
from vecdecay.sweepfile.spec import parse_sweep

THRESHOLDS = (
    "values = [0.1, 0.2, 0.3, 0.4]",
    "values = [0.4, 0.3, 0.2, 0.1]",
    "linspace = { from = 0.1, to = 0.4, count = 4 }",
    "logspace = { from = 0.1, to = 0.8, count = 4 }",
)
REPEATED = ("values = [0.1, 0.2, 0.1, 0.1]", "values = [0.3, 0.3, 0.3, 0.3]")
PARAMETERS = {
    "a.eviction_threshold": THRESHOLDS,
    "b.eviction_threshold": THRESHOLDS,
    "a.baseline_stability": ("values = [8, 4, 2, 1]", "range = { from = 2, to = 8, step = 2 }"),
    "b.baseline_stability": ("values = [8, 9, 10, 11]",),
    "window.window_size": ("values = [1, 2, 3, 4]", "linspace = { from = 1.0, to = 2.5, count = 4 }"),
    "workload.noise_per_turn": ("range = { from = 1, to = 4, step = 1 }", "values = [3, 1, 2, 0]"),
    "workload.session_length": ("values = [30, 40, 50, 60]",),
}


def drawn(stream: random.Random) -> SweepSpec:
    """Return a small sweep of two policies of one kind and maybe a third, combined in any way."""
    combine = stream.choice(("grid", "zip", "random"))
    more = {"grid": "", "zip": "", "random": f", random_points = {stream.choice((1, 5, 60))}, random_seed = 3"}
    lines = [
        "schema = 1",
        f'sweep = {{ name = "drawn", seeds = 2, combine = "{combine}"{more[combine]} }}',
        'workload = { kind = "published_sessions", session_length = 40 }',
        "[[policy]]",
        'kind = "ebbinghaus"',
        'label = "a"',
        "[[policy]]",
        'kind = "ebbinghaus"',
        'label = "b"',
        f"eviction_threshold = {stream.choice((0.1, 0.2))}",
        '[[policy]]\nkind = "recency_window"\nlabel = "window"',
    ]
    for name in stream.sample(list(PARAMETERS), stream.randint(1, 4)):
        repeated = REPEATED if combine == "zip" and name.endswith("threshold") else ()
        lines += ["[[axis]]", f'parameter = "{name}"', stream.choice((*PARAMETERS[name], *repeated))]
    return parse_sweep("\n".join(lines))


def different(plan: Plan) -> set[tuple[Policy, Source]]:
    """Return the policies and workloads of all cells, each built."""
    cells = map(plan.cell, range(plan.num_cells))
    return {(cell.policy, cell.workload) for cell in cells}


def test_it_is_the_number_that_building_all_cells_gives() -> None:
    """On drawn sweeps of every way to combine; most of them repeat cells."""
    stream = random.Random(20261130)
    repeating = dict.fromkeys(("grid", "zip", "random"), 0)
    for _ in range(300):
        plan = make_plan(drawn(stream))
        counted = count_different_cells(plan)
        assert counted == len(different(plan)), plan.spec
        repeating[plan.spec.combine] += counted < plan.num_cells
    assert min(repeating.values()) > 40


POINTS = """
schema = 1
sweep = { name = "listed", seeds = 2, combine = "points" }
workload = { kind = "published_sessions" }
policy = [{ kind = "ebbinghaus" }, { kind = "sm2" }]
point = [
    { "ebbinghaus.eviction_threshold" = 0.2 },
    { "ebbinghaus.eviction_threshold" = 0.5, "workload.noise_per_turn" = 3 },
    { "sm2.interval_ease" = "after" },
    { "sm2.interval_ease" = "before" },
]
"""


def test_listed_points_and_words() -> None:
    """Two of the first policy, for the defaults are 0.2 and 3; two of the second."""
    plan = make_plan(parse_sweep(POINTS))
    assert count_different_cells(plan) == len(different(plan)) == 4


@pytest.mark.parametrize(("combine", "counted"), [("zip", 3), ("grid", 2)])
def test_zeros_of_both_signs_are_one(combine: str, counted: int) -> None:
    """As the plan has it, whichever way the points are combined."""
    text = f"""
        schema = 1
        sweep = {{ name = "zeros", seeds = 2, combine = "{combine}" }}
        workload = {{ kind = "published_sessions" }}
        policy = [{{ kind = "ebbinghaus", label = "a" }}, {{ kind = "ebbinghaus", label = "b" }}]
        axis = [
            {{ parameter = "a.reinforcement_gain", values = [0.0, 1.0] }},
            {{ parameter = "b.reinforcement_gain", values = [-0.0, 1] }},
        ]
    """
    plan = make_plan(parse_sweep(text.replace("[-0.0, 1]", "[-0.0, 2]") if combine == "zip" else text))
    assert count_different_cells(plan) == len(different(plan)) == counted


def test_a_sweep_without_axes() -> None:
    """A single point; policies of one kind and equal values are one cell."""
    text = POINTS.partition("point =")[0].replace(', combine = "points"', "")
    assert count_different_cells(make_plan(parse_sweep(text))) == 2
    twice = text.replace('{ kind = "sm2" }', '{ kind = "ebbinghaus", label = "again" }')
    assert count_different_cells(make_plan(parse_sweep(twice))) == 1


@pytest.mark.parametrize(("combine", "more"), [("zip", ""), ("random", ", random_points = 500_000")])
def test_a_million_cells_are_counted_quickly(combine: str, more: str) -> None:
    """In seconds of processor time, where building the cells takes most of a minute."""
    text = f"""
        schema = 1
        sweep = {{ name = "large", seeds = 2, combine = "{combine}"{more} }}
        workload = {{ kind = "published_sessions" }}
        policy = [{{ kind = "ebbinghaus" }}, {{ kind = "keep_all" }}]
        [[axis]]
        parameter = "ebbinghaus.eviction_threshold"
        linspace = {{ from = 0.1, to = 0.8, count = 500_000 }}
    """
    started = time.process_time()
    counted = count_different_cells(make_plan(parse_sweep(text)))
    assert time.process_time() - started < 10
    expected = 500_000 if combine == "zip" else 500_000 * (1 - 0.36788)  # 1 / e of the values are never drawn
    assert abs(counted - 1 - expected) <= (0 if combine == "zip" else 2000)


def test_what_arithmetic_tells() -> None:
    """A grid, and no kind of policy twice."""
    assert not told_by_arithmetic(parse_sweep(POINTS))
    text = POINTS.partition("point =")[0].replace(', combine = "points"', "")
    assert told_by_arithmetic(parse_sweep(text))
    assert not told_by_arithmetic(parse_sweep(text.replace('"sm2"', '"ebbinghaus", label = "again"')))
