"""Tests of vecdecay.sessions.mixture: each session is, to the bit, one of the workload drawn for it."""

import math
from collections import Counter

import numpy as np
import pytest
from rhythm_strategies import SMALL
from rhythms import SEEDED, expect_same_sessions, refusals

from vecdecay.policies import Ebbinghaus, RecencyWindow
from vecdecay.run.simulate import simulate
from vecdecay.sessions import Mixture, PublishedSessions, RareCritical, SteadyUse, Workload
from vecdecay.sessions.rhythms import RHYTHMS
from vecdecay.sessions.workload_text import text_of_workload


@pytest.mark.parametrize("described", RHYTHMS)
def test_a_mixture_of_one_workload_is_that_workload(described: type[Workload]) -> None:
    """In every session and every result."""
    workload = described()
    mixture = Mixture([workload], (1.0,))
    some = range(40) if described is not RareCritical else range(3)
    assert mixture.block(some).sessions() == workload.block(some).sessions()
    assert mixture.sizes() == workload.sizes()
    policies = [Ebbinghaus(), RecencyWindow()]
    assert simulate(mixture, policies, some).sessions.equals(simulate(workload, policies, some).sessions)


def test_sessions_are_those_of_the_drawn_workloads() -> None:
    """And the shares are those asked for, within five standard errors."""
    shares = (0.1, 0.2, 0.3, 0.4)
    mixture = Mixture(SMALL[:4], shares)
    chosen = [mixture.component_of(seed) for seed in range(4000)]
    counts = Counter(chosen)
    for number, share in enumerate(shares):
        assert abs(counts[number] - 4000 * share) < 5 * math.sqrt(4000 * share * (1 - share))
    for seed in range(30):
        assert mixture.session(seed) == mixture.components[chosen[seed]].session(seed)


@pytest.mark.parametrize(
    "some",
    [
        range(5, 60, 3),
        range(2**63 - 3, 2**63 + 3),
        [7, -7, 2**80, 3],
        np.array([3, 2**63 + 5], dtype=np.uint64),
        np.array([-4, 9], dtype=np.int16),
        [],
    ],
    ids=str,
)
def test_seeds_may_come_in_any_container(some: list[int]) -> None:
    """Of any size, with any step."""
    mixture = Mixture(SMALL[:3], (0.3, 0.3, 0.4))
    expect_same_sessions(mixture, [int(seed) for seed in some])
    assert mixture.block(some).sessions() == [mixture.session(int(seed)) for seed in some]


def test_workload_objects_are_kept_as_texts() -> None:
    """So that a sweep file can hold any mixture."""
    mixture = Mixture([PublishedSessions(), SteadyUse(recalls_per_turn=0.5)], (0.5, 0.5))
    assert mixture.workloads == ("published_sessions", "steady_use(recalls_per_turn=0.5)")
    assert mixture == Mixture(mixture.workloads, (0.5, 0.5))
    assert all(text_of_workload(one) == text for one, text in zip(mixture.components, mixture.workloads, strict=True))


def test_sizes_are_of_the_largest() -> None:
    """Tokens count as soon as one workload has sizes."""
    assert Mixture(SMALL[:3], (0.3, 0.3, 0.4)).has_token_sizes is False
    assert Mixture(SMALL[:4], (0.3, 0.3, 0.4, 0.0)).has_token_sizes is True
    every = Mixture([one() for one in SEEDED], tuple(1 / len(SEEDED) for _ in SEEDED))
    assert every.sizes().items == max(one().sizes().items for one in SEEDED)


def test_mistakes_are_named_together() -> None:
    """A workload that is none, a parameter out of range, a share too many, shares that do not sum."""
    lines = refusals(
        Mixture, workloads=["steady_us", "periodic(period_turns=0, period_jitter=-1)"], shares=(0.5, 0.25, 0.1)
    )
    assert lines == [
        "Mixture.workloads[0]: 'steady_us' is no workload; did you mean steady_use?",
        "Mixture.workloads[1]: Periodic.period_turns is 0; allowed: an integer at least 1 and at most 2147483647",
        "Mixture.workloads[1]: Periodic.period_jitter is -1; allowed: an integer at least 0 and at most 2147483647",
        "Mixture has 2 workloads and 3 shares; allowed: as many of the one as of the other",
        "Mixture.shares is (0.5, 0.25, 0.1), of sum 0.85; allowed: a sum of 1",
    ]
    lines = refusals(Mixture, workloads="steady_use", shares=(-0.5, 1.5))
    assert [line.split(" is ")[0] for line in lines] == ["Mixture.workloads", "Mixture.shares"]
