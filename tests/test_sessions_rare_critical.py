"""Tests of vecdecay.sessions.rare_critical: a few items that matter among thousands."""

import math
from collections import Counter

from hypothesis import strategies as st
from rhythms import (
    exactness_test,
    expect_distinct,
    expect_noise_changes_nothing_else,
    expect_prefix,
    refusals,
    seeded_workloads,
)

from vecdecay.sessions import RareCritical
from vecdecay.sessions.session import NOISE, RECALL

rhythm = st.fixed_dictionaries({"recalls_per_turn": st.sampled_from((0.0, 0.03, 0.5))})

test_generators_and_engines_agree = exactness_test(seeded_workloads(RareCritical, rhythm))


def test_noise_changes_no_foundational_item() -> None:
    """Neither its touches nor what it is like depend on any parameter of the noise."""
    expect_noise_changes_nothing_else(RareCritical(importance_law="uniform", token_law="pareto"), range(8))


def test_distinct_seeds_have_distinct_sessions() -> None:
    """Also seeds that differ in their sign only."""
    expect_distinct(RareCritical(noise_per_turn=1))


def test_a_longer_session_begins_like_a_shorter_one() -> None:
    """Whatever happens in the turns of the shorter one happens in the longer one too, noise included."""
    noise = {"noise_law": "poisson", "noise_per_turn": 0.8, "noise_recall_probability": 0.4}
    for length, longer in ((20, 20 + 1), (20, 20 * 3)):
        expect_prefix(
            RareCritical(session_length=length, **noise), RareCritical(session_length=longer, **noise), range(20)
        )


def test_few_are_critical_and_thousands_are_routine() -> None:
    """The defaults: 3 critical items, seldom recalled and more important; some 3,000 routine ones, often recalled."""
    session = RareCritical().session(4)
    routine = session.item_kinds.count(NOISE)
    assert 2500 < routine < 3500
    recalls = Counter(item < 3 for _, kind, item in session.events if kind == RECALL)
    assert recalls[True] < 40
    assert 0.8 < recalls[False] / routine < 1.2
    assert {session.attributes[item].importance for item in range(3)} == {0.9}
    assert {one.importance for one in session.attributes[3:]} == {0.5}


def test_wrong_parameters_are_named_together() -> None:
    """A rate, a chance and an advantage."""
    lines = refusals(RareCritical, recalls_per_turn=math.nan, noise_recall_probability=1.0, importance_advantage=2)
    assert len(lines) == 3
