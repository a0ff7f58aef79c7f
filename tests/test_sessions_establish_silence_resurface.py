"""Tests of vecdecay.sessions.establish_silence_resurface: the dry spell."""

import pytest
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

from vecdecay.sessions import EstablishSilenceResurface


@st.composite
def rhythm(draw: st.DrawFn) -> Values:
    """Draw phases that the session has room for."""
    early, silent, late = (draw(st.integers(1, 12)) for _ in range(3))
    return {
        "session_length": 1 + early + silent + late + draw(st.sampled_from((0, 1, 9))),
        "establish_turns": early,
        "silence_turns": silent,
        "resurface_turns": late,
        "establish_recalls": draw(st.sampled_from((0, 1, 3, 30))),
        "resurface_recalls": draw(st.sampled_from((1, 2, 5))),
    }


test_generators_and_engines_agree = exactness_test(seeded_workloads(EstablishSilenceResurface, rhythm()))


def test_noise_changes_no_foundational_item() -> None:
    """Neither its touches nor what it is like depend on any parameter of the noise."""
    expect_noise_changes_nothing_else(EstablishSilenceResurface(importance_law="uniform", token_law="pareto"), range(8))


def test_distinct_seeds_have_distinct_sessions() -> None:
    """Also seeds that differ in their sign only."""
    expect_distinct(EstablishSilenceResurface())


def test_a_longer_session_begins_like_a_shorter_one() -> None:
    """Whatever happens in the turns of the shorter one happens in the longer one too, noise included."""
    noise = {"noise_law": "poisson", "noise_per_turn": 0.8, "noise_recall_probability": 0.4}
    for length, longer in ((141, 141 + 1), (141, 141 * 3)):
        expect_prefix(
            EstablishSilenceResurface(session_length=length, **noise),
            EstablishSilenceResurface(session_length=longer, **noise),
            range(20),
        )


@pytest.mark.parametrize("silence", [1, 40, 100])
def test_the_silence_is_exact(silence: int) -> None:
    """From the latest early touch to the return; early recalls and late ones stay within their turns."""
    workload = EstablishSilenceResurface(silence_turns=silence, establish_recalls=2, resurface_recalls=4)
    turns = workload.block(range(500)).touch_turn.reshape(-1, 7)
    assert (turns[:, 1:3] >= 2).all()
    assert (turns[:, 1:3] <= 21).all()
    assert (turns[:, 3] - turns[:, 2] == silence).all()
    assert (turns[:, 4:] > turns[:, 3:4]).all()
    assert (turns[:, 4:] <= turns[:, 3:4] + 20).all()
    assert turns.max() <= 41 + silence


def test_without_early_recalls_the_silence_runs_from_the_registration() -> None:
    """Then every fact returns in turn 1 + silence_turns."""
    workload = EstablishSilenceResurface(establish_recalls=0, resurface_recalls=1)
    assert workload.block(range(50)).touch_turn.tolist() == [1, 101] * 150


def test_a_session_too_short_for_the_phases_is_refused() -> None:
    """1 + 20 + 100 + 20 turns are needed."""
    (line,) = refusals(EstablishSilenceResurface, session_length=140)
    assert "session_length is 140; allowed: at least 141" in line
