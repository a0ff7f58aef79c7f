"""Tests of vecdecay.sessions.burst_then_silence: early use, then none."""

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

from vecdecay.sessions import BurstThenSilence


@st.composite
def rhythm(draw: st.DrawFn) -> Values:
    """Draw a burst that the session has room for."""
    turns = draw(st.integers(1, 10))
    length = draw(st.integers(turns + 1, 40))
    return {"session_length": length, "burst_turns": turns, "burst_recalls": draw(st.sampled_from((0, 1, 4, 30)))}


test_generators_and_engines_agree = exactness_test(seeded_workloads(BurstThenSilence, rhythm()))


def test_noise_changes_no_foundational_item() -> None:
    """Neither its touches nor what it is like depend on any parameter of the noise."""
    expect_noise_changes_nothing_else(BurstThenSilence(importance_law="uniform", token_law="pareto"), range(8))


def test_distinct_seeds_have_distinct_sessions() -> None:
    """Also seeds that differ in their sign only."""
    expect_distinct(BurstThenSilence(burst_turns=100))


def test_a_longer_session_begins_like_a_shorter_one() -> None:
    """Whatever happens in the turns of the shorter one happens in the longer one too, noise included."""
    noise = {"noise_law": "poisson", "noise_per_turn": 0.8, "noise_recall_probability": 0.4}
    for length, longer in ((21, 21 + 1), (21, 21 * 3)):
        expect_prefix(
            BurstThenSilence(session_length=length, **noise),
            BurstThenSilence(session_length=longer, **noise),
            range(20),
        )


def test_nothing_is_touched_after_the_burst() -> None:
    """All recalls fall in the burst, which begins after turn 1 and is used to its last turn."""
    block = BurstThenSilence(burst_recalls=5, burst_turns=8).block(range(1000))
    recalls = block.touch_turn[block.touch_kind == 1]
    assert len(recalls) == 15_000
    assert set(recalls.tolist()) == set(range(2, 10))


def test_a_session_too_short_for_the_burst_is_refused() -> None:
    """The line says how many turns are needed."""
    (line,) = refusals(BurstThenSilence, session_length=20)
    assert line == ("BurstThenSilence.session_length is 20; allowed: at least 21, which registration and burst take")
