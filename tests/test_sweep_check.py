"""The sample that is compared with the scalar engine: which sessions, how many, and a planted difference is found."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sweep_runs import small_sweep

from vecdecay.engines.outcome import BlockOutcome
from vecdecay.engines.play import play_block
from vecdecay.policies import Ebbinghaus
from vecdecay.sessions import PublishedSessions
from vecdecay.sweep import check as module
from vecdecay.sweep.check import MismatchError, check_sample, compare_with_scalar, first_difference, scalar_block
from vecdecay.sweep.plan import Plan, make_plan

SHORT = PublishedSessions(session_length=15, num_foundational=2)


@pytest.fixture(autouse=True)
def _warm(warm_kernels: None) -> None:
    """Compile the kernels before a difference is planted."""


@pytest.fixture
def plan() -> Plan:
    """Two cells of four sessions each."""
    return make_plan(small_sweep(seeds=4, axes=False))


def sampled(plan: Plan, count: int, monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Return the cells and places that a sample consists of."""
    met: list[tuple[int, int]] = []

    def listening(_: Plan, cell: Any, position: int) -> bool:
        met.append((cell.number, position))
        return True

    with monkeypatch.context() as patch:
        patch.setattr(module, "compare_with_scalar", listening)
        assert check_sample(plan, count) == len(met)
    return met


def plant(monkeypatch: pytest.MonkeyPatch, spoil: Any) -> None:
    """Let every engine but the scalar one report something else."""

    def wrong(block: Any, policy: Any, engine: str, *arguments: Any, **options: Any) -> BlockOutcome:
        outcome = play_block(block, policy, engine, *arguments, **options)
        return outcome if engine == "reference" else spoil(outcome)

    monkeypatch.setattr(module, "play_block", wrong)


@pytest.mark.parametrize("engine", ["auto", "lockstep"])
@pytest.mark.parametrize(("asked", "checked"), [(0, 0), (1, 1), (3, 3), (8, 8), (200, 8)])
def test_so_many_sessions_are_identical(asked: int, checked: int, engine: str) -> None:
    """As many as were asked for, at most all there are; every one of them agrees."""
    assert check_sample(make_plan(small_sweep(seeds=4, axes=False, engine=engine)), asked) == checked


def test_the_scalar_engine_is_not_compared_with_itself() -> None:
    """A sweep that it plays alone has nothing to compare."""
    assert check_sample(make_plan(small_sweep(seeds=4, axes=False, engine="reference"))) == 0


def test_a_small_sweep_is_compared_whole(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every cell and every place in the list of seeds, once."""
    assert sampled(plan, 200, monkeypatch) == [(cell, place) for cell in range(2) for place in range(4)]


def test_the_sample_is_spread_and_always_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """One session from each stretch of equal length: here of every cell; another run meets the same ones."""
    plan = make_plan(small_sweep(seeds=50))
    met = sampled(plan, 12, monkeypatch)
    assert [cell for cell, _ in met] == list(range(12))
    assert len({place for _, place in met}) > 6  # a fixed step would meet one place only
    assert sampled(make_plan(small_sweep(seeds=50)), 12, monkeypatch) == met


def test_long_sessions_cut_the_sample_short(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first session may take more than all later ones; beyond that nothing is compared."""
    sizes = plan.cell(0).workload.sizes()
    cost = sizes.turns * sizes.items
    for most, single, checked in ((3 * cost, 3 * cost, 3), (cost - 1, cost, 1), (cost - 1, cost - 1, 0)):
        monkeypatch.setattr(module, "_ITEM_TURNS_TO_CHECK", most)
        monkeypatch.setattr(module, "_MOST_ITEM_TURNS", single)
        assert check_sample(plan) == checked


def test_a_planted_difference_is_named(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cell, seed, quantity and both values, in one line."""
    plant(monkeypatch, lambda outcome: replace(outcome, misses=outcome.misses + 1))
    misses = int(play_block(plan.cell(0).workload.block([0]), plan.cell(0).policy, "reference", (5, 30)).misses[0])
    with pytest.raises(MismatchError) as found:
        check_sample(plan)
    assert str(found.value) == (
        f"cell 0 (ebbinghaus), seed 0: misses is [{misses + 1}] against [{misses}]; "
        "the kernel and the scalar engine disagree, please report this"
    )


def test_a_difference_in_one_cell_only_is_found(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cells before it agree; an item's state counts as much as a total."""

    def spoil(outcome: BlockOutcome) -> BlockOutcome:
        assert outcome.items is not None
        if outcome.items.stability is not None:  # the other policy
            return outcome
        return replace(outcome, items=replace(outcome.items, last_touch=outcome.items.last_touch + 1))

    plant(monkeypatch, spoil)
    with pytest.raises(MismatchError, match=r"^cell 1 \(recency_window\), seed 0: last_touch is \["):
        check_sample(plan)


def test_what_the_kernel_cannot_play_is_passed_over(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run says why; here it only does not count."""

    def fail(_: BlockOutcome) -> BlockOutcome:
        raise ValueError("cannot be played")

    assert compare_with_scalar(plan, plan.cell(1), 2)
    plant(monkeypatch, fail)
    assert not compare_with_scalar(plan, plan.cell(1), 2)
    assert check_sample(plan) == 0


def test_a_scalar_block_is_the_workload_s_own_definition() -> None:
    """One session, with the same events as the fast generator's."""
    slow, fast = scalar_block(SHORT, 7), SHORT.block([7])
    outcomes = [play_block(block, Ebbinghaus(0.5, 3.0), "reference", (), True) for block in (slow, fast)]
    assert len(outcomes[0].session_length) == 1
    assert first_difference(*outcomes) is None


def test_the_first_difference_is_in_words() -> None:
    """Equal outcomes have none; a total, an item's field and a field on one side only are named."""
    outcome = play_block(SHORT.block([1, 2]), Ebbinghaus(0.5, 3.0), "reference", (), True)
    assert outcome.items is not None
    assert first_difference(outcome, replace(outcome)) is None
    assert first_difference(outcome, replace(outcome, items=None)) is None
    other = replace(outcome, recalls=np.array([8, 9], dtype=np.int64))
    assert first_difference(other, outcome) == f"recalls is [8, 9] against {outcome.recalls.tolist()}"
    bare = replace(outcome, items=replace(outcome.items, stability=None))
    assert first_difference(outcome, bare) == "stability is there in one of them only"
