"""Tests of vecdecay.sessions.periodic: recalls at a fixed beat."""

from itertools import pairwise

import numpy as np
from hypothesis import strategies as st
from rhythms import (
    Values,
    exactness_test,
    expect_distinct,
    expect_noise_changes_nothing_else,
    expect_prefix,
    refusals,
    seeded_workloads,
)

from vecdecay.sessions import Periodic


@st.composite
def rhythm(draw: st.DrawFn) -> Values:
    """Draw a period and a jitter below half of it."""
    period = draw(st.integers(1, 15))
    return {"period_turns": period, "period_jitter": draw(st.integers(0, (period - 1) // 2))}


test_generators_and_engines_agree = exactness_test(seeded_workloads(Periodic, rhythm()))


def test_noise_changes_no_foundational_item() -> None:
    """Neither its touches nor what it is like depend on any parameter of the noise."""
    expect_noise_changes_nothing_else(Periodic(importance_law="uniform", token_law="pareto"), range(8))


def test_distinct_seeds_have_distinct_sessions() -> None:
    """Also seeds that differ in their sign only."""
    expect_distinct(Periodic(period_jitter=5))


def test_a_longer_session_begins_like_a_shorter_one() -> None:
    """Whatever happens in the turns of the shorter one happens in the longer one too, noise included."""
    noise = {"noise_law": "poisson", "noise_per_turn": 0.8, "noise_recall_probability": 0.4}
    for length, longer in ((20, 20 + 1), (20, 20 * 3)):
        expect_prefix(Periodic(session_length=length, **noise), Periodic(session_length=longer, **noise), range(20))


def test_recalls_keep_the_beat() -> None:
    """Without jitter all gaps are the period, the first one 1 to the period; with jitter they differ by twice it."""
    for jitter in (0, 3):
        block = Periodic(period_turns=10, period_jitter=jitter, num_foundational=1).block(range(500))
        for session in block.sessions():
            turns = [turn for turn, _, item in session.events if item == 0]
            assert 2 <= turns[1] <= 11 + jitter
            assert all(abs(after - before - 10) <= 2 * jitter for before, after in pairwise(turns[1:]))
            assert turns[-1] > 150 - 10 - 2 * jitter
    gaps = np.diff(block.touch_turn)[block.touch_kind[1:] == 1]
    assert {4, 16} <= set(gaps.tolist())


def test_a_jitter_that_could_swap_recalls_is_refused() -> None:
    """Half a period or more; but no jitter at all is well with a period of 1."""
    (line,) = refusals(Periodic, period_turns=6, period_jitter=3)
    assert line == "Periodic.period_jitter is 3 and period_turns 6; allowed: a jitter below half the period"
    every_turn = Periodic(period_turns=1, period_jitter=0, session_length=9, num_foundational=1)
    assert every_turn.block([1]).touch_turn.tolist() == [*range(1, 10)]
