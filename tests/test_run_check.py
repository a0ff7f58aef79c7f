"""The sample that is compared with the scalar engine: which sessions, how many, and a planted difference is found."""

from dataclasses import replace
from typing import Any

import pytest
from sweep_runs import small_sweep, small_text

from vecdecay.engines.outcome import BlockOutcome, first_difference
from vecdecay.engines.registry import play_block
from vecdecay.policies import POLICIES, Ebbinghaus
from vecdecay.policies.base import Policy
from vecdecay.run import check as module
from vecdecay.run.check import (
    MismatchError,
    check_sample,
    compare_with_scalar,
    scalar_block,
    why_unchecked,
)
from vecdecay.run.plan import Plan, make_plan
from vecdecay.sessions import PublishedSessions
from vecdecay.sweepfile.spec import parse_sweep

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


def with_steps(monkeypatch: pytest.MonkeyPatch, *steps: int | None) -> None:
    """Let the scalar engine take so many steps for the sessions of each policy."""
    monkeypatch.setattr(module, "scalar_steps", lambda _plan, cell, _position: steps[cell.policy_index])


def test_dear_sessions_are_left_out(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    """No more steps are taken than there may be, those of the first session included; a dear policy hides no cheap
    one, and one that no kernel plays hides none either.
    """
    most = module.STEPS_TO_CHECK
    for steps, checked in (
        ((most // 8, most // 8), 8),
        ((most // 4, most // 4), 4),
        ((most + 1, most + 1), 0),
        ((most + 1, most // 4), 4),
        ((most * 9 // 10, most // 50), 5),
        ((None, 1), 4),
    ):
        with_steps(monkeypatch, *steps)
        assert check_sample(plan) == checked


def test_what_is_left_of_a_sample_has_every_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where two of a hundred sessions can be afforded they are of two policies, and the same ones every time."""
    with_steps(monkeypatch, module.STEPS_TO_CHECK * 49 // 100, module.STEPS_TO_CHECK * 49 // 100)
    plan = make_plan(small_sweep(seeds=500, axes=False))
    met = sampled(plan, 100, monkeypatch)
    assert [cell for cell, _ in met] == [0, 1]
    assert sampled(make_plan(small_sweep(seeds=500, axes=False)), 100, monkeypatch) == met


def test_why_nothing_was_checked_is_said(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    """And what does it all the same; the scalar engine alone has nothing to be compared with."""
    begin = "no session checked against the scalar engine: "
    with_steps(monkeypatch, None, None)
    assert why_unchecked(plan) == begin + "none of the sample could be played"
    assert why_unchecked(make_plan(small_sweep(seeds=4, axes=False, engine="reference"))) is None
    with_steps(monkeypatch, module.STEPS_TO_CHECK + 1, None)
    words = "each is too large for it to play in some ten seconds; vecdecay verify --sample 1 does it"
    assert why_unchecked(plan) == begin + words


@pytest.mark.parametrize("policy", POLICIES, ids=lambda one: one.name)
def test_steps_are_those_of_the_scalar_engine(policy: type[Policy]) -> None:
    """One for each item, event and turn, and for each item of the working set in each turn; more where a score is a sum
    or a draw. A session that is too large has more than all that are taken, and is not played to find out.
    """
    text = small_text(seeds=4, axes=False).partition("[[policy]]")[0] + f'[[policy]]\nkind = "{policy.name}"\n'
    plan = make_plan(parse_sweep(text))
    cell = plan.cell(0)
    outcome = play_block(cell.workload.block([2]), cell.policy, "reference")
    least = int(outcome.working_set_sum[0] + outcome.registrations[0] + outcome.recalls[0]) + 25
    steps = module.scalar_steps(plan, cell, 2)
    assert steps is not None
    assert least <= steps <= 8 * least
    huge = replace(cell, workload=PublishedSessions(session_length=100_000))
    assert module.scalar_steps(plan, huge, 2) == module.STEPS_TO_CHECK + 1


def test_a_planted_difference_is_named(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cell, seed, quantity and both values, in one line."""
    plant(monkeypatch, lambda outcome: replace(outcome, misses=outcome.misses + 1))
    misses = int(play_block(plan.cell(0).workload.block([0]), plan.cell(0).policy, "reference", (5, 30)).misses[0])
    with pytest.raises(MismatchError) as found:
        check_sample(plan)
    assert str(found.value) == (
        f"cell 0 (ebbinghaus), seed 0: misses[0] is {misses + 1} and {misses}; "
        "the kernel and the scalar engine disagree, please report this"
    )


def test_a_difference_in_one_cell_only_is_found(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cells before it agree; an item's state counts as much as a total."""

    def spoil(outcome: BlockOutcome) -> BlockOutcome:
        if outcome.items is None or outcome.items.stability is not None:  # the other policy
            return outcome
        outcome.items.last_touch = outcome.items.last_touch + 1
        return outcome

    plant(monkeypatch, spoil)
    with pytest.raises(MismatchError, match=r"^cell 1 \(recency_window\), seed 0: items.last_touch\[0\] is "):
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
    assert first_difference(*outcomes) == ""


def test_the_way_without_items_is_compared_too(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that keeps no items lets kernels go other ways; a fault there alone is found."""
    plant(monkeypatch, lambda outcome: outcome if outcome.items else replace(outcome, recalls=outcome.recalls - 1))
    with pytest.raises(MismatchError, match=r"^cell 0 \(ebbinghaus\), seed 0: recalls\[0\] is "):
        check_sample(plan)
