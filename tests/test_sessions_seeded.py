"""Tests of vecdecay.sessions.seeded: what all seeded workloads promise, for each of them."""

import tracemalloc
from typing import Any

import numpy as np
import pytest
from comparing import COMPILED
from rhythms import SEEDED

from vecdecay.engines.memory import block_bytes
from vecdecay.engines.play import play_block
from vecdecay.policies import Ebbinghaus
from vecdecay.sessions import Mixture, Workload
from vecdecay.sessions.mersenne import Seeds
from vecdecay.sessions.seeded import SeededWorkload
from vecdecay.sessions.workload import Sizes
from vecdecay.simulation import simulate

every_workload = pytest.mark.parametrize("described", SEEDED)
SIZED: dict[str, Any] = {
    "noise_law": "bursty",
    "noise_recall_probability": 0.5,
    "importance_law": "uniform",
    "token_law": "lognormal",
}


@every_workload
def test_a_session_depends_on_its_seed_alone(described: type[SeededWorkload]) -> None:
    """Not on the block it is made in, its place there, the order of seeds or their container."""
    workload = described(**SIZED, noise_per_turn=1)
    some = [11, -4, 2**70, 0, 5]
    sessions = workload.block(some).sessions()
    assert workload.block(some[::-1]).sessions() == sessions[::-1]
    assert [workload.block([seed]).session(0) for seed in some] == sessions
    assert workload.block(range(20)).session(11) == workload.block(np.array([11, 3])).session(0) == sessions[0]
    assert workload.block([]).num_sessions == 0


@every_workload
def test_more_items_change_no_item(described: type[SeededWorkload]) -> None:
    """The first two of many items are the two of few, wherever a parameter does not share something among them."""
    shared = {"recalls_per_turn": 0.0} if described.name == "zipf_recalls" else {}
    few, many = (described(num_foundational=number, noise_per_turn=0, **shared) for number in (2, 9))
    for seed in range(20):
        kept = [event for event in many.session(seed).events if event[2] < 2]
        assert kept == list(few.session(seed).events)


@every_workload
@pytest.mark.parametrize("values", [{}, SIZED])
def test_a_block_takes_no_more_than_predicted(described: type[SeededWorkload], values: dict[str, Any]) -> None:
    """The largest amount held while a block is made and played stays below what ``--dry-run`` is told."""
    workload = described(**values)
    number = 100 if COMPILED else 2
    play_block(workload.block(range(number)), Ebbinghaus())
    tracemalloc.start()
    try:
        play_block(workload.block(range(number)), Ebbinghaus())
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak <= block_bytes(workload.sizes(), number, False, False, False) + 500_000


def test_a_mixed_block_takes_no_more_than_predicted() -> None:
    """Although its sessions are made twice: in blocks of their own, and joined."""
    workload = Mixture(["steady_use", "drift(noise_law='poisson')", "recency_biased"], (0.25, 0.5, 0.25))
    number = 400 if COMPILED else 2
    play_block(workload.block(range(number)), Ebbinghaus())
    tracemalloc.start()
    try:
        play_block(workload.block(range(number)), Ebbinghaus())
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak <= block_bytes(workload.sizes(), number, False, False, False) + 500_000


@pytest.mark.parametrize("listed_items", [1, 40])
@pytest.mark.parametrize("touches", [1, 60])
@every_workload
def test_a_bound_that_is_broken_is_doubled(
    monkeypatch: pytest.MonkeyPatch, described: type[SeededWorkload], listed_items: int, touches: int
) -> None:
    """Sessions are complete even where the arrays were foreseen too short."""
    workload = described(session_length=150, noise_law="poisson", noise_per_turn=1, noise_recall_probability=0.5)
    whole = workload.block(range(3)).sessions()
    small = Sizes(items=0, listed_items=listed_items, touches=touches, turns=150, draws=0)
    monkeypatch.setattr(described, "sizes", lambda _: small)
    assert workload.block(range(3)).sessions() == whole


@every_workload
def test_what_cannot_fit_is_refused_from_arithmetic(described: type[SeededWorkload]) -> None:
    """A session of 2**31 - 1 turns of noise, and a billion sessions of items: nothing is allocated."""
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="allowed: at most 2147483647"):
            described(session_length=2**31 - 1, noise_per_turn=50, noise_law="poisson")
        with pytest.raises(ValueError, match="bytes; this machine has"):
            simulate(described(), Ebbinghaus(), range(10**9), detail="items")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 3_000_000


@every_workload
def test_parameters_come_in_a_sensible_order(described: type[SeededWorkload]) -> None:
    """Length, items, the rhythm's own, noise, attributes; every one has a meaning."""
    names = [one.name for one in described.parameters()]
    assert names[:2] == ["session_length", "num_foundational"]
    own = [name for name in names if name not in {one.name for one in SEEDED[0].parameters()}]
    assert not own or names[2] in own or described is SEEDED[0]
    assert names[-1] == "token_spread"
    assert all(len(one.meaning) > 8 for one in described.parameters())


def test_workloads_differ_in_the_same_seed() -> None:
    """Two workloads of the same shape draw from streams of their own: their recalls are unrelated."""
    seeds: Seeds = range(300)
    uniform = Mixture(["uniform_recalls(noise_per_turn=0)"], (1.0,)).block(seeds)
    burst = Mixture(["burst_then_silence(noise_per_turn=0, burst_turns=149)"], (1.0,)).block(seeds)
    same = (uniform.touch_turn == burst.touch_turn)[uniform.touch_kind == 1].mean()
    assert same < 0.02


def test_every_workload_is_a_workload() -> None:
    """A seed that is no whole number is refused; sizes name the turns."""
    for described in SEEDED:
        assert issubclass(described, Workload)
        assert described().sizes().turns == 150
        with pytest.raises(ValueError, match="allowed: a whole number"):
            described().session(1.5)
