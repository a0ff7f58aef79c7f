"""Every policy, on drawn sessions and on every workload: all engines that can play it come to the same, to the bit.

This is the promise of the program. The engines are compared in every item, turn, checkpoint and total, and what was
drawn is counted: a test whose sessions contain nothing would agree on nothing.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import cache_policies
import numpy as np
import pytest
import stateful_policies
import strategies
import table_policies
from comparing import COMPILED, engines_for, expect_same, play_everywhere
from conftest import THOROUGH, THOROUGH_FACTOR
from contents import USUAL, count, expect_in
from hypothesis import Phase, given, seed, settings
from hypothesis import strategies as st
from rhythm_strategies import WORKLOAD_STRATEGIES, seeds
from strategies import Case, cases

from vecdecay.engines.outcome import BlockOutcome
from vecdecay.engines.registry import play_block
from vecdecay.policies import POLICIES, CachePolicy, KeepAll, SystemPolicy
from vecdecay.policies.base import Policy
from vecdecay.sessions import BudgetPressure, LongProject, PublishedSessions, Workload
from vecdecay.sessions.block import SessionBlock

POLICY_STRATEGIES: dict[str, st.SearchStrategy[Any]] = {
    "keep_all": st.just(KeepAll()),
    **table_policies.STRATEGIES,
    **stateful_policies.STRATEGIES,
    **cache_policies.STRATEGIES,
}
"""A strategy per policy, by name; most thresholds are such that items of a short session live and die."""

DRAWN_POLICIES = {
    **POLICY_STRATEGIES,
    "ebbinghaus at its boundaries": strategies.ebbinghaus(),
    "recency_window at its boundaries": strategies.recency_window(),
    "any horizons under any rules": strategies.steps(),
    "own stateful policies": stateful_policies.own_policies(),
}

COMPILED_POLICIES = [kind for kind in POLICIES if not issubclass(kind, SystemPolicy)]
"""Systems are played by the scalar reference alone."""

PUBLISHED = ("keep_all", "ebbinghaus at its boundaries", "recency_window at its boundaries")
MANY, SOME = (500, 100) if COMPILED else (200, 20)
"""How many cases are drawn for the published policies, and for each of the others."""

SHARED = 5
"""Cache policies share one kernel, and test_engines_by_cache draws for each: here they get a fifth of the cases."""

UNUSUAL = ("never registered", "evicted and present", "several lengths together", "checkpoints not reached")


def test_every_policy_is_drawn() -> None:
    """A newcomer to POLICIES has no test here until it has a strategy."""
    assert set(POLICY_STRATEGIES) == {kind.name for kind in COMPILED_POLICIES}


@pytest.mark.parametrize("factor", [1, pytest.param(4 * THOROUGH_FACTOR, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("name", DRAWN_POLICIES)
def test_engines_agree_on_drawn_sessions(name: str, factor: int) -> None:
    """Sessions as data, items with and without attributes: what can happen is in every tenth case at least."""
    counts: Counter[str] = Counter()
    number = factor * (MANY if name in PUBLISHED else SOME // SHARED if name in cache_policies.STRATEGIES else SOME)

    # Explaining a failure reruns it many times; the shrunk case and the named field say enough.
    @settings(max_examples=number, phases=[Phase.generate, Phase.shrink], database=None)
    @given(cases(DRAWN_POLICIES[name], described=False) | cases(DRAWN_POLICIES[name], described=True))
    def engines_agree(case: Case) -> None:
        count(counts, play_everywhere(case.sessions, case.policy, case.checkpoints), case)

    engines_agree()
    assert counts["examples"] >= number
    assert counts["pinned and decayed"] == 0
    if name == "keep_all":
        assert counts["decayed"] == 0
        expect_in(counts, "survivors", "hits", "misses", "registered again")
        return
    expect_in(counts, *USUAL, "registered again", "touched twice in a turn")
    expect_in(counts, *UNUSUAL, share=0.02)
    if name in PUBLISHED:
        expect_in(counts, "equalities", share=0.1)
    if name.startswith("ebbinghaus at"):
        expect_in(counts, "infinite stabilities", share=0.02)


EXAMPLES = 700 if THOROUGH else 10
"""Examples of two seeds per pair of a policy and a workload."""

PUBLISHED_SHAPES = st.builds(
    PublishedSessions,
    session_length=st.sampled_from((2, 5, 8, 13, 20, 30, 45, 60)),
    num_foundational=st.integers(0, 3),
    recalls_per_foundational=st.integers(0, 6),
    noise_per_turn=st.integers(0, 2),
    recall_base_offsets=st.sampled_from(
        ((3, 8, 20, 45, 90, 150), (2.5, 4.5, 11.5), (1, 2, 3, 4, 5, 6), (1, 2, 4, 6, 9, 14))
    ),
)

OF_KNOWN_STEPS = (BudgetPressure, LongProject)
"""Made of steps that others are made of; test_exactness_rhythms plays them in every engine."""

WORKLOADS: dict[type[Workload], tuple[st.SearchStrategy[Any], int, int]] = {
    PublishedSessions: (PUBLISHED_SHAPES, (2500 if THOROUGH else 20) if COMPILED else 10, 10),
    **{one: (strategy, EXAMPLES, 2) for one, strategy in WORKLOAD_STRATEGIES.items() if one not in OF_KNOWN_STEPS},
}
"""What draws each workload, how many examples are drawn, and of how many seeds: 200 published sessions a policy."""

CHECKPOINTS = (1, 7, 20, 50)


@pytest.mark.parametrize("kind", COMPILED_POLICIES, ids=lambda kind: kind.name)
def test_every_policy_on_every_workload(kind: type[Policy]) -> None:
    """Reference and kernels agree on every item, turn, checkpoint and total; every kind of fate comes up."""
    pairs = {described: compare_on(kind, described) for described in WORKLOADS}
    assert len(pairs) >= 12
    for described, counts in pairs.items():
        assert counts["examples"] >= cases_of(kind, described), described
        assert counts["evictions"] + counts["survivors"] > counts["examples"], (described, counts)
    together = sum(pairs.values(), Counter())
    if kind is KeepAll:
        assert together["evictions"] == together["misses"] == 0
        expect_in(together, "survivors", "hits", "recalled twice or more", share=0.5)
    else:
        expect_in(together, *USUAL, share=0.5)


@pytest.mark.parametrize("kind", COMPILED_POLICIES, ids=lambda kind: kind.name)
def test_every_policy_on_the_headline_sessions(kind: type[Policy]) -> None:
    """Ten published sessions of the published size, under the defaults of the policy."""
    play_everywhere(PublishedSessions().block(range(10)), kind(), (1, 150))


def cases_of(kind: type[Policy], described: type[Workload]) -> int:
    """Return how many cases are drawn of a policy on a workload."""
    return WORKLOADS[described][1] // (SHARED if issubclass(kind, CachePolicy) else 1)


def compare_on(kind: type[Policy], described: type[Workload]) -> Counter[str]:
    """Play drawn sessions of a workload under drawn policies of a class everywhere; return what they contained."""
    counts: Counter[str] = Counter()
    drawn, _, together = WORKLOADS[described]
    number = cases_of(kind, described)

    @drawn_for(f"{kind.name} on {described.name}")
    @settings(max_examples=number, phases=[Phase.generate, Phase.shrink], database=None)
    @given(POLICY_STRATEGIES[kind.name], drawn, st.lists(seeds, min_size=together, max_size=together, unique=True))
    def engines_agree(policy: Policy, workload: Workload, some: list[int]) -> None:
        assert type(policy) is kind
        assert type(workload) is described
        block = workload.block(some)
        outcome = play_everywhere(block, policy, CHECKPOINTS)
        for engine in engines_for(policy)[1:]:
            expect_same_without_items(block, policy, engine, outcome)
        count(counts, outcome)

    engines_agree()
    return counts


def drawn_for(pair: str) -> Callable[[Any], Any]:
    """Return a decorator that lets each pair draw cases of its own, the same in every run; new ones when thorough."""
    return (lambda test: test) if THOROUGH else seed(pair)


def expect_same_without_items(block: SessionBlock, policy: Policy, engine: str, outcome: BlockOutcome) -> None:
    """Fail unless totals are the same where items, or turns too, are not asked for: noise may be a cohort then."""
    totals = replace(outcome, items=None, missed=None)
    bare = replace(totals, turns=None, checkpoint_present=np.empty((0, block.num_sessions), dtype=np.int32))
    expect_same({"items asked for": totals, engine: play_block(block, policy, engine, CHECKPOINTS, want_turns=True)})
    expect_same({"items asked for": bare, engine: play_block(block, policy, engine)})
