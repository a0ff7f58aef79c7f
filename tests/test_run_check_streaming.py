"""Sessions that a run plays while they are generated are compared in that way too: a planted fault ends the run."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sweep_runs import small_sweep

from vecdecay.engines.by_published import Counted
from vecdecay.engines.outcome import BlockOutcome
from vecdecay.engines.registry import stream, stream_counted
from vecdecay.run import check as module
from vecdecay.run import play as playing
from vecdecay.run.check import MismatchError, check_sample
from vecdecay.run.plan import Plan, make_plan
from vecdecay.run.sweep import run_sweep

Spoil = Callable[[BlockOutcome], BlockOutcome]


@pytest.fixture(autouse=True)
def _warm(warm_kernels: None) -> None:
    """Compile the kernels before a difference is planted."""


def streamed_plan(detail: str = "sessions", seeds: int = 300, engine: str = "auto") -> Plan:
    """Return two cells that a run streams."""
    return make_plan(small_sweep(detail, seeds=seeds, axes=False, checkpoints="[]", engine=engine))


def one_more(name: str, place: int | None = None) -> Spoil:
    """Return a fault: a total that is one too large, of one session or of all."""

    def spoil(outcome: BlockOutcome) -> BlockOutcome:
        values = getattr(outcome, name).copy()
        values[slice(None) if place is None else place] += 1
        return replace(outcome, **{name: values})

    return spoil


def plant(monkeypatch: pytest.MonkeyPatch, spoil: Spoil, target: Any = module) -> None:
    """Let the way of playing while generating report something else; the kernels for blocks are sound."""

    def wrong(*arguments: Any) -> Iterator[BlockOutcome]:
        return map(spoil, stream(*arguments))

    monkeypatch.setattr(target, "stream", wrong)


def plant_in_counts(monkeypatch: pytest.MonkeyPatch, spoil: Callable[[Counted], Counted]) -> None:
    """Let the way of counting outcomes report something else."""

    def wrong(*arguments: Any) -> Iterator[tuple[int, Counted]]:
        return ((place, spoil(counted)) for place, counted in stream_counted(*arguments))

    monkeypatch.setattr(module, "stream_counted", wrong)


HISTOGRAMS = [
    "session_length",
    "foundational_items",
    "foundational_present",
    "foundational_evicted",
    "survival_sum",
    "survival_minimum",
    "survival_maximum",
    "items_evicted",
    "working_set_sum",
    "token_turns",
    "registered_tokens",
    "registrations",
    "recalls",
    "misses",
]


@pytest.mark.parametrize("name", HISTOGRAMS)
@pytest.mark.parametrize("detail", ["cells", "sessions"])
def test_a_fault_in_any_total_is_found(name: str, detail: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of the totals that a streamed outcome has, one too large: the line names it."""
    plan = streamed_plan(detail)
    assert check_sample(plan, 2) == 2
    plant(monkeypatch, one_more(name))
    with pytest.raises(
        MismatchError, match=rf"^cell 0 \(ebbinghaus\), seed \d+: streamed, {name}\[0\] is \d+ and \d+;"
    ):
        check_sample(plan, 2)


def test_a_run_ends_with_the_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A survival time that is off by one turn, in the run and its check alike: no manifest, no result."""
    spoil = one_more("survival_sum")
    plant(monkeypatch, spoil)
    plant(monkeypatch, spoil, playing)
    with pytest.raises(
        MismatchError, match=r"streamed, survival_sum\[0\] is .* the kernel and the scalar engine disagree"
    ):
        run_sweep(streamed_plan().spec, tmp_path / "run", threads=1)
    assert not list((tmp_path / "run").glob("manifest*"))


def test_a_session_is_streamed_in_the_company_that_it_has_in_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own group of seeds, and the policies that a run plays before it."""
    met: list[tuple[list[int], int]] = []

    def listening(workload: Any, seeds: Sequence[int], policies: Sequence[Any]) -> Iterator[BlockOutcome]:
        met.append((list(seeds), len(policies)))
        return stream(workload, seeds, policies)

    monkeypatch.setattr(module, "stream", listening)
    plan = streamed_plan()
    assert module.compare_with_scalar(plan, plan.cell(0), 255)
    assert module.compare_with_scalar(plan, plan.cell(1), 256)
    assert met == [(list(range(256)), 1), (list(range(256, 300)), 2)]


def test_a_fault_of_one_lane_is_found_in_its_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """Session 7 of the group alone is wrong: so it is where that one is compared, and not elsewhere."""
    plan = streamed_plan()
    plant(monkeypatch, one_more("misses", place=7))
    assert module.compare_with_scalar(plan, plan.cell(0), 8)
    with pytest.raises(MismatchError, match=r"seed 7: streamed, misses\[0\] is"):
        module.compare_with_scalar(plan, plan.cell(0), 7)


@pytest.mark.parametrize(
    ("spoil", "name"),
    [
        (lambda counted: counted._replace(outcome=one_more("survival_sum")(counted.outcome)), "survival_sum"),
        (lambda counted: counted._replace(times=counted.times + 1), "session_length is int64"),
        (lambda counted: counted._replace(outcome=one_more("misses", place=-1)(counted.outcome)), "misses"),
    ],
)
def test_a_fault_in_counting_is_found(spoil: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a run counts outcomes, the counts are compared with the sessions themselves; elsewhere nothing counts."""
    plan = streamed_plan("cells", seeds=5000)
    assert check_sample(plan, 2) == 2
    plant_in_counts(monkeypatch, spoil)
    with pytest.raises(MismatchError, match=f"counted with the 256 sessions around it, {name}"):
        check_sample(plan, 2)
    assert check_sample(streamed_plan("sessions", seeds=5000), 2) == 2
    assert check_sample(streamed_plan("cells"), 2) == 2


@pytest.mark.parametrize("engine", ["lockstep", "reference"])
def test_what_is_not_streamed_in_the_run_is_not_in_the_check(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another engine, and checkpoints, are played by block."""
    plant(monkeypatch, one_more("misses"))
    assert check_sample(streamed_plan(engine=engine), 2) == (2 if engine == "lockstep" else 0)
    assert check_sample(make_plan(small_sweep(axes=False)), 2) == 2


def test_a_way_that_cannot_be_gone_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run falls back on blocks then, and they were compared."""

    def fail(_: BlockOutcome) -> BlockOutcome:
        raise ValueError("cannot be streamed")

    plant(monkeypatch, fail)
    assert check_sample(streamed_plan(), 3) == 3


def test_many_policies_are_streamed_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """With axes a cell is compared all the same, in the company of the policies of its point."""
    plan = make_plan(small_sweep("cells", seeds=30, checkpoints="[]"))
    monkeypatch.setattr(module, "_MOST_SIDE_BY_SIDE", 1)
    assert check_sample(plan, 12) == 12
    plant(monkeypatch, one_more("misses"))
    with pytest.raises(MismatchError, match=r"streamed, misses\[0\] is"):
        check_sample(plan, 12)
