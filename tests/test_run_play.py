"""Playing a unit: the same rows and histograms whichever way, cells that fail, requests to stop."""

import pickle
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from sweep_runs import cut_finely, small_sweep, small_text

from vecdecay.engines.registry import play_block, stream, stream_counted
from vecdecay.errors import in_one_line
from vecdecay.policies import Ebbinghaus
from vecdecay.run import blocks
from vecdecay.run import play as module
from vecdecay.run.blocks import sessions_per_block
from vecdecay.run.distinct import count_different_cells
from vecdecay.run.parts import Part, Unit
from vecdecay.run.plan import Plan, make_plan
from vecdecay.run.play import Played, Stop, StoppedError, joined_outcomes, play_part, repeated_seeds
from vecdecay.run.sinks import rows_table
from vecdecay.sessions import PublishedSessions
from vecdecay.sweepfile.spec import parse_sweep

CELLS = (0, 1, 4, 5, 8, 9)  # three thresholds, two policies: three of them are the very same window


@pytest.fixture(autouse=True)
def _warm(warm_kernels: None) -> None:
    """Compile the kernels before anything is timed or drawn."""


def played_of(plan: Plan, units: list[Unit]) -> Played:
    """Return what comes of some units, played by a plan that remembers nothing yet."""
    return play_part(Plan(plan.spec), Part(0, tuple(units)), Stop())


def sound(played: Played) -> dict[int, Any]:
    """Return the histograms of the cells that did not fail."""
    return {cell: one for cell, one in played.histograms.items() if cell not in played.failed}


def failures(played: Played) -> dict[int, str]:
    """Return the errors of the cells that failed, in words."""
    return {cell: in_one_line(error) for cell, error in played.failed.items()}


def rows_of(played: Played, plan: Plan, name: str) -> pa.Table:
    """Return a table in one order."""
    return rows_table(plan, name, played).sort_by([("cell", "ascending"), ("seed", "ascending")])


@pytest.mark.parametrize("together", [3, 40, 10**6])
@pytest.mark.parametrize("checkpoints", ["[5, 30]", "[]"])
def test_small_cells_together_and_large_ones_by_blocks_come_to_the_same(
    checkpoints: str, together: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cell's rows and histograms do not depend on how many sessions and cells are played at once."""
    plan = make_plan(small_sweep(seeds=23, checkpoints=checkpoints))
    monkeypatch.setattr(module, "SESSIONS_TOGETHER", together)
    at_once = played_of(plan, [Unit(CELLS, 0, 23)])
    monkeypatch.setattr(blocks, "BLOCK_MULTIPLE", 5)
    by_blocks = played_of(plan, [Unit(CELLS, 0, 23)])
    in_pieces = played_of(plan, [Unit(CELLS, 0, 9), Unit(CELLS[:3], 9, 23), Unit(CELLS[3:], 9, 23)])
    for other in (by_blocks, in_pieces):
        assert sorted(other.histograms) == list(CELLS)
        assert all(at_once.histograms[cell] == other.histograms[cell] for cell in CELLS)
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
    assert len(sound(played_of(make_plan(small_sweep()), [Unit(CELLS, 0, 20)]))) == 6
    assert len(played) == len(set(played)) == 4


@pytest.mark.parametrize("detail", ["cells", "sessions"])
@pytest.mark.parametrize("seeds", [20, 5000])
def test_equal_cells_of_any_part_are_played_once(detail: str, seeds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A random sweep whose points repeat: of 80 cells 4 differ; small ones are played once, whatever unit they are in.

    Of large cells the histograms alone are kept: where rows are, each unit is played.
    """
    played: list[Any] = []

    def listening(workload: Any, seeds: Any, policies: Any) -> Any:
        played.extend(policies)
        return stream(workload, seeds, policies)

    def counting(workload: Any, seeds: Any, policies: Any) -> Any:
        played.extend(policies)
        return stream_counted(workload, seeds, policies)

    monkeypatch.setattr(module, "stream", listening)
    monkeypatch.setattr(module, "stream_counted", counting)
    axis = '[[axis]]\nparameter = "ebbinghaus.eviction_threshold"\nvalues = [0.1, 0.3, 0.5]\n'
    text = small_text(detail, seeds, axes=False, checkpoints="[]", more=axis)
    plan = make_plan(parse_sweep(text.replace("seeds =", 'combine = "random"\nrandom_points = 40\nseeds =', 1)))
    assert count_different_cells(plan) == 4
    units = [Unit(tuple(range(first, first + 10)), 0, seeds) for first in range(0, 80, 10)]
    found = play_part(plan, Part(0, tuple(units)), Stop())
    assert len(set(played)) == 4
    assert len(played) == 4 if detail == "cells" or seeds == 20 else len(played) > 8
    for number in range(80):
        alone = played_of(plan, [Unit((number,), 0, seeds)])
        assert found.histograms[number] == alone.histograms[number]
    if detail == "sessions" and seeds == 20:
        expected = played_of(plan, [Unit(tuple(range(80)), 0, seeds)])
        assert rows_of(found, plan, "sessions").equals(rows_of(expected, plan, "sessions"))


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
    monkeypatch.setattr(blocks, "BLOCK_MULTIPLE", block)
    units = [Unit(CELLS, 0, 11), Unit(CELLS, 11, 20)]
    expected = played_of(plan, units)
    # The window is played once per block and stands for three cells; in one large block it is played once per unit.
    in_block = min(in_block, 1 if block > 11 else 2)
    monkeypatch.setattr(module, "play_block", failing_for({plan.cell(1).policy}, in_block))
    played = played_of(plan, units)
    assert failures(played) == dict.fromkeys((1, 5, 9), "ZeroDivisionError: division by zero")
    assert list(sound(played)) == [0, 4, 8]
    for cell in (0, 4, 8):
        assert sound(played)[cell] == expected.histograms[cell]
    left = rows_of(expected, plan, "sessions")
    kept = left.filter(pa.array(np.isin(left["cell"].to_numpy(), [0, 4, 8])))
    assert rows_of(played, plan, "sessions").equals(kept)


@pytest.mark.parametrize("block", [5, 4096])
@pytest.mark.parametrize("detail", ["cells", "sessions"])
def test_where_streaming_fails_cells_are_played_one_by_one(
    detail: str, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One policy that cannot be played takes none of the others with it, also where all are played at once."""
    plan = make_plan(small_sweep(detail, checkpoints="[]"))
    monkeypatch.setattr(blocks, "BLOCK_MULTIPLE", block)
    expected = played_of(plan, [Unit(CELLS, 0, 20)])

    def fail(*arguments: Any) -> Any:
        raise ZeroDivisionError("one of them")

    monkeypatch.setattr(module, "stream", fail)
    monkeypatch.setattr(module, "stream_counted", fail)
    monkeypatch.setattr(module, "play_block", failing_for({plan.cell(4).policy}))
    played = played_of(plan, [Unit(CELLS, 0, 20)])
    assert failures(played) == {4: "ZeroDivisionError: division by zero"}
    for cell in (0, 1, 5, 8, 9):
        assert sound(played)[cell] == expected.histograms[cell]


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
    played = played_of(plan, [Unit(CELLS, 0, 20)])
    assert list(failures(played)) == [4]
    assert "not finite" in failures(played)[4]
    assert list(sound(played)) == [0, 1, 5, 8, 9]


def test_a_failing_workload_fails_its_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no session can be made, all the cells on the workload fail, with the reason."""

    def block(self: PublishedSessions, seeds: Any) -> Any:
        raise MemoryError("no room")

    monkeypatch.setattr(PublishedSessions, "block", block)
    played = played_of(make_plan(small_sweep()), [Unit(CELLS, 0, 20)])
    assert failures(played) == dict.fromkeys(CELLS, "MemoryError: no room")
    assert sound(played) == {}


def test_values_that_clash_fail_their_cell_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cell whose values cannot stand together is noted, although the plan itself raises for it."""
    plan = make_plan(small_sweep())
    cell_of = Plan.cell

    def cell(self: Plan, number: int) -> Any:
        if number == 4:
            raise ValueError("these values clash")
        return cell_of(self, number)

    monkeypatch.setattr(Plan, "cell", cell)
    played = played_of(plan, [Unit(CELLS, 0, 20)])
    assert failures(played) == {4: "ValueError: these values clash"}
    assert list(sound(played)) == [0, 1, 5, 8, 9]


@pytest.mark.parametrize("block", [5, 4096])
def test_a_request_to_stop_is_met_between_blocks(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that is asked to end waits for one block, not for the unit."""
    monkeypatch.setattr(blocks, "BLOCK_MULTIPLE", block)
    stop = Stop()
    asked = []

    def check() -> None:
        asked.append(True)
        if len(asked) == 3:
            raise StoppedError("stopped")

    monkeypatch.setattr(stop, "check", check)
    with pytest.raises(StoppedError):
        play_part(make_plan(small_sweep()), Part(0, (Unit(CELLS, 0, 20),)), stop)
    assert len(asked) == 3
    stop = Stop()
    stop.check()
    stop.is_set = True
    with pytest.raises(StoppedError):
        stop.check()
    assert not pickle.loads(pickle.dumps(stop)).is_set


@pytest.mark.parametrize("detail", ["items", "turns"])
def test_items_and_turns_are_kept_beside_the_sessions(detail: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows of a session are the same whatever block it is played in."""
    plan = make_plan(small_sweep(detail))
    whole = played_of(plan, [Unit(CELLS, 0, 20)])
    cut_finely(monkeypatch)
    monkeypatch.setattr(blocks, "LOCKSTEP_BLOCK", 3)
    cut = played_of(plan, [Unit(CELLS, 0, 20)])
    for name in ("sessions", detail):
        table = rows_table(plan, name, whole)
        assert table.num_rows > 0
        assert rows_table(plan, name, cut).equals(table)


def test_a_block_is_smaller_where_its_sessions_are_large() -> None:
    """Memory, and the time until a run can be asked to end, are bounded by the block whatever the workload."""
    plan = make_plan(small_sweep())
    policies = [plan.cell(0).policy]
    assert sessions_per_block(plan, plan.spec.workload, policies) == blocks.BLOCK_MULTIPLE
    crowded = PublishedSessions(session_length=10_000, num_foundational=5_000)
    assert 1 <= sessions_per_block(plan, crowded, policies) < 400
    slow = Plan(module.dataclasses.replace(plan.spec, engine="reference"))
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
