"""Playing a unit: the same rows and histograms whichever way, cells that fail, requests to stop."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from sweep_runs import cut_finely, small_sweep

from vecdecay.engines.registry import play_block
from vecdecay.policies import Ebbinghaus
from vecdecay.run import play_unit as module
from vecdecay.run.parts import Unit
from vecdecay.run.plan import Plan, make_plan
from vecdecay.run.play_unit import (
    Harvest,
    StoppedError,
    joined_outcomes,
    play_unit,
    repeated_seeds,
    sessions_per_block,
)
from vecdecay.sessions import PublishedSessions
from vecdecay.store.tables import block_tables

CELLS = (0, 1, 4, 5, 8, 9)  # three thresholds, two policies: three of them are the very same window


@pytest.fixture(autouse=True)
def _warm(warm_kernels: None) -> None:
    """Compile the kernels before anything is timed or drawn."""


def harvest_of(plan: Plan, units: list[Unit]) -> Harvest:
    """Return what comes of some units."""
    harvest = Harvest(block_tables(plan.spec.detail))
    for unit in units:
        play_unit(plan, unit, harvest, lambda: False)
    return harvest


def rows_of(harvest: Harvest, plan: Plan, name: str) -> pa.Table:
    """Return a table of the harvest in one order."""
    return harvest.table(name, plan.layout).sort_by([("cell", "ascending"), ("seed", "ascending")])


@pytest.mark.parametrize("together", [3, 40, 10**6])
@pytest.mark.parametrize("checkpoints", ["[5, 30]", "[]"])
def test_small_cells_together_and_large_ones_by_blocks_come_to_the_same(
    checkpoints: str, together: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cell's rows and histograms do not depend on how many sessions and cells are played at once."""
    plan = make_plan(small_sweep(seeds=23, checkpoints=checkpoints))
    monkeypatch.setattr(module, "_SESSIONS_TOGETHER", together)
    at_once = harvest_of(plan, [Unit(CELLS, 0, 23)])
    monkeypatch.setattr(module, "BLOCK_MULTIPLE", 5)
    by_blocks = harvest_of(plan, [Unit(CELLS, 0, 23)])
    in_pieces = harvest_of(plan, [Unit(CELLS, 0, 9), Unit(CELLS[:3], 9, 23), Unit(CELLS[3:], 9, 23)])
    for other in (by_blocks, in_pieces):
        assert list(other.finished()) == list(CELLS)
        assert all(at_once.finished()[cell] == other.finished()[cell] for cell in CELLS)
    expected = rows_of(at_once, plan, "sessions")
    assert expected.num_rows == 6 * 23
    assert rows_of(by_blocks, plan, "sessions").equals(expected)
    assert rows_of(in_pieces, plan, "sessions").equals(expected)


def test_equal_policies_are_played_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells that cannot differ are played once and copied."""
    played: list[Any] = []

    def counting(block: Any, policy: Any, *arguments: Any, **options: Any) -> Any:
        played.append(policy)
        return play_block(block, policy, *arguments, **options)

    monkeypatch.setattr(module, "play_block", counting)
    harvest = harvest_of(make_plan(small_sweep()), [Unit(CELLS, 0, 20)])
    assert len(harvest.finished()) == 6
    assert len(played) == len(set(played)) == 4


def failing_for(policies: set[Any], in_block: int = 0) -> Any:
    """Return a ``play_block`` that fails for some policies, from a block on."""
    count = dict.fromkeys(policies, 0)

    def play(block: Any, policy: Any, *arguments: Any, **options: Any) -> Any:
        if policy in policies:
            count[policy] += 1
            if count[policy] > in_block:
                raise ZeroDivisionError("division\nby zero")
        return play_block(block, policy, *arguments, **options)

    return play


@pytest.mark.parametrize("block", [5, 4096])
@pytest.mark.parametrize("in_block", [0, 2])
def test_a_failing_cell_is_noted_and_the_others_go_on(
    block: int, in_block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error stands in one line beside the cell; no row of it is left, those of the others are as ever."""
    plan = make_plan(small_sweep())
    monkeypatch.setattr(module, "BLOCK_MULTIPLE", block)
    units = [Unit(CELLS, 0, 11), Unit(CELLS, 11, 20)]
    expected = harvest_of(plan, units)
    # The window is played once per block and stands for three cells; in one large block it is played once per unit.
    in_block = min(in_block, 1 if block > 11 else 2)
    monkeypatch.setattr(module, "play_block", failing_for({plan.cell(1).policy}, in_block))
    harvest = harvest_of(plan, units)
    assert harvest.failed == dict.fromkeys((1, 5, 9), "ZeroDivisionError: division by zero")
    assert list(harvest.finished()) == [0, 4, 8]
    for cell in (0, 4, 8):
        assert harvest.finished()[cell] == expected.finished()[cell]
    left = rows_of(expected, plan, "sessions")
    kept = left.filter(pa.array(np.isin(left["cell"].to_numpy(), [0, 4, 8])))
    assert rows_of(harvest, plan, "sessions").equals(kept)


@pytest.mark.parametrize("block", [5, 4096])
@pytest.mark.parametrize("detail", ["cells", "sessions"])
def test_where_streaming_fails_cells_are_played_one_by_one(
    detail: str, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One policy that cannot be played takes none of the others with it, also where all are played at once."""
    plan = make_plan(small_sweep(detail, checkpoints="[]"))
    monkeypatch.setattr(module, "BLOCK_MULTIPLE", block)
    expected = harvest_of(plan, [Unit(CELLS, 0, 20)])

    def fail(*arguments: Any) -> Any:
        raise ZeroDivisionError("one of them")

    monkeypatch.setattr(module, "stream", fail)
    monkeypatch.setattr(module, "stream_counted", fail)
    monkeypatch.setattr(module, "play_block", failing_for({plan.cell(4).policy}))
    harvest = harvest_of(plan, [Unit(CELLS, 0, 20)])
    assert harvest.failed == {4: "ZeroDivisionError: division by zero"}
    for cell in (0, 1, 5, 8, 9):
        assert harvest.finished()[cell] == expected.finished()[cell]


def test_a_value_that_is_not_finite_fails_its_cell_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Among cells that are made into rows together, the one with an impossible value is found."""
    plan = make_plan(small_sweep())
    broken = plan.cell(4).policy

    def play(block: Any, policy: Any, *arguments: Any, **options: Any) -> Any:
        outcome = play_block(block, policy, *arguments, **options)
        if policy == broken:
            outcome.working_set_sum.flags.writeable = True
            outcome = module.dataclasses.replace(outcome, working_set_sum=outcome.working_set_sum * np.nan)
        return outcome

    monkeypatch.setattr(module, "play_block", play)
    harvest = harvest_of(plan, [Unit(CELLS, 0, 20)])
    assert list(harvest.failed) == [4]
    assert "not finite" in harvest.failed[4]
    assert list(harvest.finished()) == [0, 1, 5, 8, 9]


def test_a_failing_workload_fails_its_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no session can be made, all the cells on the workload fail, with the reason."""

    def block(self: PublishedSessions, seeds: Any) -> Any:
        raise MemoryError("no room")

    monkeypatch.setattr(PublishedSessions, "block", block)
    harvest = harvest_of(make_plan(small_sweep()), [Unit(CELLS, 0, 20)])
    assert harvest.failed == dict.fromkeys(CELLS, "MemoryError: no room")
    assert harvest.finished() == {}


def test_values_that_clash_fail_their_cell_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cell whose values cannot stand together is noted, although the plan itself raises for it."""
    plan = make_plan(small_sweep())
    sound = Plan.cell

    def cell(self: Plan, number: int) -> Any:
        if number == 4:
            raise ValueError("these values clash")
        return sound(self, number)

    monkeypatch.setattr(Plan, "cell", cell)
    harvest = harvest_of(plan, [Unit(CELLS, 0, 20)])
    assert harvest.failed == {4: "ValueError: these values clash"}
    assert list(harvest.finished()) == [0, 1, 5, 8, 9]


@pytest.mark.parametrize("block", [5, 4096])
def test_a_request_to_stop_is_met_between_blocks(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that is asked to end waits for one block, not for the unit."""
    monkeypatch.setattr(module, "BLOCK_MULTIPLE", block)
    answers: Iterator[bool] = iter([False, False, True])
    harvest = Harvest(("sessions",))
    with pytest.raises(StoppedError):
        play_unit(make_plan(small_sweep()), Unit(CELLS, 0, 20), harvest, lambda: next(answers))
    assert next(answers, None) is None
    assert harvest.failed == {}


@pytest.mark.parametrize("detail", ["items", "turns"])
def test_items_and_turns_are_kept_beside_the_sessions(detail: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows of a session are the same whatever block it is played in."""
    plan = make_plan(small_sweep(detail))
    whole = harvest_of(plan, [Unit(CELLS, 0, 20)])
    cut_finely(monkeypatch)
    monkeypatch.setattr(module, "LOCKSTEP_BLOCK", 3)
    cut = harvest_of(plan, [Unit(CELLS, 0, 20)])
    for name in ("sessions", detail):
        table = whole.table(name, plan.layout)
        assert table.num_rows > 0
        assert cut.table(name, plan.layout).equals(table)


def test_a_block_is_smaller_where_its_sessions_are_large() -> None:
    """Memory, and the time until a run can be asked to end, are bounded by the block whatever the workload."""
    plan = make_plan(small_sweep())
    policies = [plan.cell(0).policy]
    assert sessions_per_block(plan.spec, plan.spec.workload, policies) == module.BLOCK_MULTIPLE
    crowded = PublishedSessions(session_length=10_000, num_foundational=5_000)
    assert 1 <= sessions_per_block(plan.spec, crowded, policies) < 400
    slow = module.dataclasses.replace(plan.spec, engine="reference")
    assert sessions_per_block(slow, PublishedSessions(), policies) == 14
    assert sessions_per_block(slow, PublishedSessions(session_length=100_000), policies) == 1


def test_joined_outcomes_keep_every_session_in_order() -> None:
    """Nothing is lost, doubled or moved where outcomes are joined, checkpoints included."""
    workload = PublishedSessions(session_length=30)
    outcomes = [play_block(workload.block(seeds), Ebbinghaus(), "auto", (5, 20)) for seeds in (range(3), range(3, 8))]
    joined = joined_outcomes(outcomes)
    whole = play_block(workload.block(range(8)), Ebbinghaus(), "auto", (5, 20))
    for field in module.dataclasses.fields(whole):
        one, other = getattr(joined, field.name), getattr(whole, field.name)
        assert np.array_equal(one, other) if one is not None else other is None


@pytest.mark.parametrize(
    "seeds", [range(5, 9), (7, 1, 2**70), range(2**63 - 2, 2**63 + 3), range(-(2**63), -(2**63) + 2)]
)
def test_seeds_are_repeated_as_a_whole(seeds: Any) -> None:
    """The list comes so many times over, whatever the size of the seeds."""
    assert [int(seed) for seed in repeated_seeds(seeds, 3)] == list(seeds) * 3
    assert list(repeated_seeds(seeds, 1)) == list(seeds)
