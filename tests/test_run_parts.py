"""How a sweep is cut: every cell and seed in exactly one part, sizes kept, sessions shared, bands in order."""

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sweep_runs import small_sweep

from vecdecay import SteadyUse
from vecdecay.run import blocks, parts
from vecdecay.run.parts import Part, Unit, band_of, parts_of, plays_per_part
from vecdecay.run.plan import make_plan
from vecdecay.sweepfile.spec import parse_sweep

GRID = """
schema = 1
sweep = {{ name = "grid", seeds = {seeds}, detail = "{detail}", combine = "{combine}" {more} }}
workload = {{ kind = "published_sessions" }}
policy = [{policies}]
axis = [{axes}]
"""
EBBINGHAUS = '{ kind = "ebbinghaus" }'
WINDOW = '{ kind = "recency_window" }'


def axis(name: str, count: int) -> str:
    """Return an axis over a parameter with so many different values."""
    kind = "range" if name.startswith("workload") else "linspace"
    rule = f"from = 1, to = {count}, step = 1" if kind == "range" else f"from = 0.1, to = 0.9, count = {count}"
    return f'{{ parameter = "{name}", {kind} = {{ {rule} }} }}'


@st.composite
def sweeps(draw: st.DrawFn) -> str:
    """Draw the text of a sweep whose axes are over policies, the workload or both, in any order."""
    axes = [axis("workload.num_foundational", draw(st.integers(1, 4)))] * draw(st.booleans())
    axes += [axis("ebbinghaus.eviction_threshold", draw(st.integers(2, 5)))] * draw(st.booleans())
    axes += [axis("workload.noise_per_turn", draw(st.integers(1, 3)))] * draw(st.booleans())
    combine = draw(st.sampled_from(["grid", "random"])) if axes else "grid"
    return GRID.format(
        seeds=draw(st.integers(1, 60)),
        detail=draw(st.sampled_from(["cells", "sessions"])),
        combine=combine,
        more=f", random_points = {draw(st.integers(1, 9))}" if combine == "random" else "",
        policies=", ".join([EBBINGHAUS] + [WINDOW] * draw(st.booleans())),
        axes=", ".join(draw(st.permutations(axes))),
    )


@given(
    text=sweeps(),
    plays=st.integers(1, 80),
    most_cells=st.integers(1, 8),
    band=st.integers(1, 9),
    block=st.integers(1, 7),
    side_by_side=st.integers(1, 5),
)
def test_every_cell_and_seed_is_in_one_part(
    text: str, plays: int, most_cells: int, band: int, block: int, side_by_side: int
) -> None:
    """Whatever the sweep and the sizes: all is played, once; cells of a unit share their workload; limits are kept."""
    plan = make_plan(parse_sweep(text))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts, "_PLAYS_PER_PART", {"cells": plays, "sessions": plays})
        patch.setattr(parts, "MAX_CELLS_PER_PART", most_cells)
        patch.setattr(parts, "CELLS_PER_BAND", band)
        patch.setattr(blocks, "BLOCK_MULTIPLE", block)
        patch.setattr(parts, "CELLS_SIDE_BY_SIDE", side_by_side)
        found, plays = list(parts_of(plan)), plays_per_part(plan.spec)
        bands = [band_of(plan, cell) for part in found for unit in part.units for cell in unit.cells]
    assert [part.number for part in found] == list(range(len(found)))
    assert bands == sorted(bands)
    played = Counter(
        (cell, place)
        for part in found
        for unit in part.units
        for cell in unit.cells
        for place in range(unit.first, unit.last)
    )
    assert set(played.values()) == {1}
    assert set(played) == {(c, place) for c in range(plan.num_cells) for place in range(len(plan.spec.seeds))}
    for part in found:
        assert part.plays == sum(len(unit.cells) * (unit.last - unit.first) for unit in part.units)
        # One unit may be larger, where the policies of a single point are more than the limit.
        assert len(part.units) == 1 or part.plays <= plays
        assert len(part.units) == 1 or sum(len(unit.cells) for unit in part.units) <= most_cells
        for unit in part.units:
            assert len(unit.cells) <= max(most_cells, plan.num_policies)
            assert unit.plays <= max(plays, len(unit.cells))
            assert list(unit.cells) == sorted(unit.cells)
            assert len({plan.cell(cell).workload for cell in unit.cells}) == 1


def test_a_cell_is_finished_before_the_next_slice_begins() -> None:
    """The units of the same cells follow each other, so that few histograms wait at a time."""
    plan = make_plan(small_sweep(seeds=5000))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts, "_PLAYS_PER_PART", {"sessions": 6000})
        units = [unit for part in parts_of(plan) for unit in part.units]
    assert len(units) == 10
    for before, after in pairwise(units):
        assert (after.cells == before.cells) == (before.last < 5000)
        assert after.first == (before.last if after.cells == before.cells else 0)


def test_parts_do_not_depend_on_the_machine_or_the_run() -> None:
    """The headline's parts, written out: a change here makes every stored run start anew."""
    spec = parse_sweep(
        GRID.format(
            seeds=1_000_000, detail="sessions", combine="grid", more="", policies=f"{EBBINGHAUS}, {WINDOW}", axes=""
        )
    )
    found = list(parts_of(make_plan(spec)))
    assert len(found) == 9
    assert found[0] == Part(0, (Unit((0, 1), 0, 122_880),))
    assert found[-1] == Part(8, (Unit((0, 1), 983_040, 1_000_000),))


def test_many_cells_share_their_sessions_also_where_there_are_many_seeds() -> None:
    """With a million seeds, thirty-two cells are played on the same sessions; more where the kernel counts."""
    axes = axis("ebbinghaus.eviction_threshold", 300)
    text = GRID.format(seeds=1_000_000, detail="cells", combine="grid", more="", policies=EBBINGHAUS, axes=axes)
    first = next(parts_of(make_plan(parse_sweep(text)))).units[0]
    assert (len(first.cells), first.last - first.first) == (256, 122_880)
    first = next(parts_of(make_plan(parse_sweep(text.replace('"cells"', '"sessions"'))))).units[0]
    assert (len(first.cells), first.last - first.first) == (32, 4096)


@pytest.mark.parametrize(
    ("detail", "expected"), [("cells", 2_000_000), ("sessions", 250_000), ("items", 2207), ("turns", 6666)]
)
def test_a_part_holds_as_many_sessions_as_its_rows_allow(detail: str, expected: int) -> None:
    """About a million rows of items or turns: few enough to be lost, or held, at once."""
    text = GRID.format(seeds=1, detail=detail, combine="grid", more="", policies=EBBINGHAUS, axes="")
    assert plays_per_part(parse_sweep(text)) == expected


SLOWER = """
schema = 1
[sweep]
name = "slower"
seeds = 1
detail = "sessions"
engine = "{engine}"
[workload]
kind = "steady_use"
[[policy]]
kind = "ebbinghaus"
[[policy]]
kind = "{kind}"
capacity_items = 20
"""


@pytest.mark.parametrize(
    ("engine", "kind", "expected"),
    [
        ("auto", "memory_bank", 40_000_000 // (135 + 453)),
        ("auto", "lru", 10_000_000 // (135 + 453)),
        ("auto", "memory_decay_core", 15_000_000 // (135 + 453)),
        ("reference", "lru", 60_000 // (135 + 453)),
    ],
)
def test_a_part_is_played_in_about_a_second(engine: str, kind: str, expected: int) -> None:
    """The slowest engine of the policies decides, so that the bar moves and what was played is kept soon."""
    text = SLOWER.format(engine=engine, kind=kind)
    if kind != "lru":
        text = text.replace("capacity_items = 20\n", "")
    assert (SteadyUse().sizes().items, SteadyUse().sizes().touches) == (453, 135)
    assert plays_per_part(parse_sweep(text)) == expected


def test_parts_are_made_one_at_a_time() -> None:
    """The first part of ten million cells comes at once: the rest of the plan is not written out for it."""
    axes = f"{axis('ebbinghaus.eviction_threshold', 3000)}, {axis('ebbinghaus.baseline_stability', 3000)}"
    text = GRID.format(seeds=1, detail="cells", combine="grid", more="", policies=EBBINGHAUS, axes=axes)
    plan = make_plan(parse_sweep(text))
    assert plan.num_cells == 9_000_000
    assert len(next(parts_of(plan)).units[0].cells) == 1000
