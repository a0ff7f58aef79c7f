"""Tests of vecdecay.sessions.never_recalled: facts that are stated once."""

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

from vecdecay.sessions import NeverRecalled


@st.composite
def rhythm(draw: st.DrawFn) -> Values:
    """Draw a range of turns that the session has."""
    within = draw(st.integers(1, 20))
    return {"session_length": draw(st.integers(within, 40)), "registered_within": within}


test_generators_and_engines_agree = exactness_test(seeded_workloads(NeverRecalled, rhythm()))


def test_noise_changes_no_foundational_item() -> None:
    """Neither its touches nor what it is like depend on any parameter of the noise."""
    expect_noise_changes_nothing_else(NeverRecalled(importance_law="uniform", token_law="pareto"), range(8))


def test_distinct_seeds_have_distinct_sessions() -> None:
    """Also seeds that differ in their sign only."""
    expect_distinct(NeverRecalled(num_foundational=10))


def test_a_longer_session_begins_like_a_shorter_one() -> None:
    """Whatever happens in the turns of the shorter one happens in the longer one too, noise included."""
    noise = {"noise_law": "poisson", "noise_per_turn": 0.8, "noise_recall_probability": 0.4}
    for length, longer in ((30, 30 + 1), (30, 30 * 3)):
        expect_prefix(
            NeverRecalled(session_length=length, **noise, registered_within=25),
            NeverRecalled(session_length=longer, **noise, registered_within=25),
            range(20),
        )


def test_facts_are_registered_once_in_any_of_the_first_turns() -> None:
    """No recall at all; every turn of the range occurs, and none after it."""
    block = NeverRecalled(registered_within=6).block(range(1000))
    assert not block.touch_kind.any()
    assert len(block.touch_turn) == 3000
    assert set(block.touch_turn.tolist()) == {1, 2, 3, 4, 5, 6}
    assert set(NeverRecalled(registered_within=1).block(range(9)).touch_turn.tolist()) == {1}


def test_a_session_too_short_for_the_registrations_is_refused() -> None:
    """The line says how many turns are needed."""
    (line,) = refusals(NeverRecalled, session_length=149)
    assert "session_length is 149; allowed: at least 150" in line
