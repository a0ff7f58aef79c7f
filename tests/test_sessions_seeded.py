"""Tests of vecdecay.sessions.seeded: what all seeded workloads promise, for each of them."""

import math
import tracemalloc
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from comparing import COMPILED
from rhythms import SEEDED, refusals

from vecdecay.engines.memory import block_bytes
from vecdecay.engines.registry import play_block
from vecdecay.parameters import parameters_of
from vecdecay.policies import Ebbinghaus
from vecdecay.run.simulate import simulate
from vecdecay.sessions import (
    EstablishSilenceResurface,
    LongProject,
    Mixture,
    Periodic,
    PublishedSessions,
    UniformRecalls,
    Workload,
)
from vecdecay.sessions.attributes import AttributeParameters
from vecdecay.sessions.mersenne import Seeds
from vecdecay.sessions.seeded import SeededWorkload
from vecdecay.sessions.workload import Sizes

every_workload = pytest.mark.parametrize("described", SEEDED)
SIZED: dict[str, Any] = {
    "noise_process": "bursty",
    "noise_recall_probability": 0.5,
    "importance_distribution": "uniform",
    "token_distribution": "lognormal",
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


@pytest.mark.parametrize("described", [one for one in SEEDED if one is not LongProject])
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
    workload = Mixture(["steady_use", "drift(noise_process='poisson')", "recency_biased"], (0.25, 0.5, 0.25))
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
    workload = described(session_length=150, noise_process="poisson", noise_per_turn=1, noise_recall_probability=0.5)
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
            described(session_length=2**31 - 1, noise_per_turn=50, noise_process="poisson")
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
        assert described().sizes().turns == described().session_length
        with pytest.raises(ValueError, match="allowed: a whole number"):
            described().session(1.5)


def test_all_mistakes_are_named_at_once() -> None:
    """A rate, a schedule that does not fit, weights that do not sum, more items than fit: a line each."""
    together = {"noise_per_turn": -1, "session_length": 50, "category_weights": (0.5, 0.1, 0, 0)}
    assert refusals(EstablishSilenceResurface, **together) == [
        "EstablishSilenceResurface.noise_per_turn is -1; allowed: a finite number at least 0 and at most 10000",
        "EstablishSilenceResurface.session_length is 50; allowed: at least 141, which registration, establishment, "
        "silence and return take",
        "EstablishSilenceResurface.category_weights is (0.5, 0.1, 0.0, 0.0), of sum 0.6; allowed: a sum of 1",
    ]
    most = 2**31 - 1
    steep = {"importance_distribution": "beta", "importance_mean": 1e-9, "category_weights": (1, 1, 1, 2)}
    outside, shape = refusals(Periodic, **steep)
    assert outside.startswith("Periodic.category_weights is (1, 1, 1, 2);")
    assert shape.startswith("Periodic.importance_mean is 1e-09 and importance_concentration 4.0")
    crowded = {"num_foundational": most, "noise_per_turn": 0.5, "pinned_share": math.nan}
    assert [line.partition(";")[0] for line in refusals(Periodic, period_jitter=6, **crowded)] == [
        "Periodic.pinned_share is nan",
        "Periodic.period_jitter is 6 and period_turns 12",
        "Periodic.noise_per_turn is 0.5",
        f"Periodic asks for {most * 15} touches a session",
    ]


@every_workload
def test_a_mistake_is_told_whatever_else_is_wrong(described: type[SeededWorkload]) -> None:
    """Weights that do not sum, and a session with too much in it, beside each other parameter out of its range."""
    clash = {
        "category_weights": (0.5, 0.1, 0.0, 0.0),
        "session_length": 2**31 - 1,
        "noise_process": "poisson",
        "noise_per_turn": 50.0,
    }
    weights, items, touches = refusals(described, **clash)
    names = {one.name for one in described.parameters()}
    attributes = {one.name for one in parameters_of(AttributeParameters)}
    for one in names:
        told = refusals(described, **{**clash, one: None})
        assert told[0].startswith(f"{described.__name__}.{one} is None; ")
        assert (weights in told) == (one != "category_weights")
        assert items in told or one not in attributes
        assert touches in told or one not in attributes
        assert not {items, touches} & set(told) or one not in ("session_length", "noise_process", "noise_per_turn")
    # As a cohort the noise has no touches, and whether it is one depends on the attributes; its number does not.
    cohort = {**clash, "category_weights": None, "noise_process": "constant"}
    crowd = described().num_foundational + 50 * (2**31 - 1)
    assert refusals(described, **cohort, noise_recall_probability=0.0)[1:] == [
        f"{described.__name__} asks for {crowd} items a session; allowed: at most 2147483647 "
        f"(listed, at 32 bytes each, these would take {32 * crowd:,} bytes)"
    ]


@every_workload
def test_no_mistake_is_made_up_from_a_refused_value(described: type[SeededWorkload]) -> None:
    """Any two parameters out of range: a line for each, and nothing else where the others are sound."""
    names = [one.name for one in described.parameters()]
    for pair in combinations(names, 2):
        for values in (SIZED, {"importance_distribution": "beta", "noise_process": "poisson"}):
            told = refusals(described, **{**values, **dict.fromkeys(pair)})
            assert [line.partition(" is None; ")[0] for line in told] == [f"{described.__name__}.{one}" for one in pair]


def test_a_mixture_names_all_mistakes_at_once() -> None:
    """Of each workload, of the shares' number and sum, and of a share out of range; and what does not fit."""
    faulty = ["steady_use(recalls_per_turn=nan, session_length=0)", "burst_then_silence(session_length=3)", "zipf"]
    members = [
        "Mixture.workloads[0]: SteadyUse.session_length is 0",
        "Mixture.workloads[0]: SteadyUse.recalls_per_turn is nan",
        "Mixture.workloads[1]: BurstThenSilence.session_length is 3",
        "Mixture.workloads[2]: 'zipf' is no workload",
    ]
    number, total = "Mixture has 3 workloads and 2 shares", "Mixture.shares is (0.5, 0.25), of sum 0.75"
    assert [line.split(";")[0] for line in refusals(Mixture, workloads=faulty, shares=(0.5, 0.25))] == [
        *members,
        number,
        total,
    ]
    outside = "Mixture.shares is (-1, 2)"
    assert [line.split(";")[0] for line in refusals(Mixture, workloads=faulty, shares=(-1, 2))] == [outside, *members]
    texts = "Mixture.workloads is ()"
    assert [line.split(";")[0] for line in refusals(Mixture, workloads=(), shares=(0.5, 0.25))] == [texts, total]
    # In a mixture noise is listed item by item: what fits alone may not fit here.
    full = PublishedSessions(session_length=1000, noise_per_turn=2_147_483, num_foundational=647)
    assert refusals(Mixture, workloads=[full, "steady_use"], shares=(0.5, 0.4)) == [
        "Mixture.shares is (0.5, 0.4), of sum 0.9; allowed: a sum of 1",
        "Mixture asks for 2147486235 touches a session; allowed: at most 2147483647 "
        "(listed, at 5 bytes each, these would take 10,737,431,175 bytes)",
    ]


def test_the_published_workload_names_all_mistakes_at_once() -> None:
    """A jitter that is reversed, and noise that cannot be counted, beside what is wrong singly."""
    clash = {"recall_jitter_range": (2.0, 1.0), "noise_per_turn": 2**31 - 1}
    fits, jitter = refusals(PublishedSessions, **clash)
    assert fits.startswith("PublishedSessions asks for")
    assert refusals(PublishedSessions, **clash, recall_base_offsets=())[1:] == [fits, jitter]
    assert refusals(PublishedSessions, **{**clash, "recall_jitter_range": (2.0, -1.0)})[1:] == [fits]
    assert refusals(PublishedSessions, **{**clash, "session_length": 0})[1:] == [jitter]


@pytest.mark.parametrize("follows_use", [0.0, 0.5, -1.0])
@pytest.mark.parametrize("described", [one for one in SEEDED if one not in (UniformRecalls, LongProject)])
def test_a_longer_session_has_the_shorter_one_as_its_beginning(
    described: type[SeededWorkload], follows_use: float
) -> None:
    """Items, events, categories, pins and sizes, and importance too unless it follows use: that counts all recalls."""
    values = {**SIZED, "importance_follows_use": follows_use, "category_weights": (0.25,) * 4, "pinned_share": 0.5}
    short, long = (described(**values, noise_per_turn=1, session_length=length) for length in (150, 200))
    differ = False
    for seed in range(5):
        beginning, whole = short.session(seed), long.session(seed)
        number = len(beginning.item_kinds)
        assert [event for event in whole.events if event[0] <= 150] == list(beginning.events)
        assert whole.item_kinds[:number] == beginning.item_kinds
        assert whole.tokens[:number] == beginning.tokens
        for one, other in zip(beginning.attributes, whole.attributes[:number], strict=True):
            assert (one.category, one.pinned) == (other.category, other.pinned)
            differ |= one.importance != other.importance
    assert differ == (follows_use != 0.0)
