"""Every policy on every seeded workload: all engines that can play it come to the same, in whatever form they are
asked for it.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import stateful_policies
import table_policies
from comparing import ENGINES, expect_same, play_everywhere
from conftest import THOROUGH, examples
from hypothesis import Phase, given, seed, settings
from hypothesis import strategies as st
from rhythm_strategies import WORKLOAD_STRATEGIES, seeds
from stateful_cases import ENGINES as STATEFUL_ENGINES
from stateful_cases import USUAL, count, expect_in

from vecdecay.engines.outcome import BlockOutcome
from vecdecay.engines.registry import play_block
from vecdecay.policies import POLICIES, KeepAll, TablePolicy
from vecdecay.policies.base import Policy
from vecdecay.sessions import Workload
from vecdecay.sessions.block import SessionBlock

EXAMPLES = examples(14)
"""Examples per pair of a policy and a workload: 2,464 in all by default."""

CHECKPOINTS = (1, 7, 20, 50)

POLICY_STRATEGIES: dict[str, st.SearchStrategy[Any]] = {
    "keep_all": st.just(KeepAll()),
    **table_policies.STRATEGIES,
    **stateful_policies.STRATEGIES,
}
"""A strategy per policy, by name; most thresholds are such that items of a short session live and die."""


def test_every_policy_is_drawn() -> None:
    """A newcomer to POLICIES has no test here until it has a strategy."""
    assert set(POLICY_STRATEGIES) == {kind.name for kind in POLICIES}


@pytest.mark.parametrize("kind", POLICIES, ids=lambda kind: kind.name)
def test_every_policy_on_every_workload(kind: type[Policy]) -> None:
    """Reference and kernels agree on every item, turn, checkpoint and total; every kind of fate comes up."""
    pairs = {described: compare_on(kind, described) for described in WORKLOAD_STRATEGIES}
    assert len(pairs) >= 11
    for described, counts in pairs.items():
        assert counts["examples"] >= EXAMPLES, described
        assert counts["evictions"] + counts["survivors"] > EXAMPLES, (described, counts)
    together = sum(pairs.values(), Counter())
    if kind is KeepAll:
        assert together["evictions"] == together["misses"] == 0
        expect_in(together, "survivors", "hits", "recalled twice or more", share=0.5)
    else:
        expect_in(together, *USUAL, share=0.5)


def compare_on(kind: type[Policy], described: type[Workload]) -> Counter[str]:
    """Play drawn sessions of a workload under drawn policies of a class everywhere; return what they contained."""
    counts: Counter[str] = Counter()
    engines = ENGINES if issubclass(kind, TablePolicy) else STATEFUL_ENGINES

    @drawn_for(f"{kind.name} on {described.name}")
    @settings(max_examples=EXAMPLES, phases=[Phase.generate, Phase.shrink], database=None)
    @given(
        POLICY_STRATEGIES[kind.name],
        WORKLOAD_STRATEGIES[described],
        st.lists(seeds, min_size=2, max_size=2, unique=True),
    )
    def engines_agree(policy: Policy, workload: Workload, some: list[int]) -> None:
        assert type(policy) is kind
        assert type(workload) is described
        block = workload.block(some)
        outcome = play_everywhere(block, policy, CHECKPOINTS, engines)
        for engine in engines[1:]:
            expect_same_without_items(block, policy, engine, outcome)
        count(counts, outcome)

    engines_agree()
    return counts


def drawn_for(pair: str) -> Callable[[Any], Any]:
    """Return a decorator that lets each pair draw cases of its own, the same in every run; new ones when thorough."""
    return (lambda test: test) if THOROUGH else seed(pair)


def expect_same_without_items(block: SessionBlock, policy: Policy, engine: str, outcome: BlockOutcome) -> None:
    """Fail unless totals are the same where items, or turns too, are not asked for: noise may be a cohort then."""
    totals = replace(outcome, items=None)
    bare = replace(totals, turns=None, checkpoint_present=np.empty((0, block.num_sessions), dtype=np.int32))
    expect_same({"items asked for": totals, engine: play_block(block, policy, engine, CHECKPOINTS, want_turns=True)})
    expect_same({"items asked for": bare, engine: play_block(block, policy, engine)})
