"""Tests of vecdecay.sessions.drift: items come into use and give way."""

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

from vecdecay.sessions import Drift


@st.composite
def rhythm(draw: st.DrawFn) -> Values:
    """Draw shifts that the session has room for."""
    items, in_use, shift = draw(st.integers(0, 6)), draw(st.integers(1, 4)), draw(st.integers(1, 6))
    last = 1 + max(0, items - in_use) * shift
    return {
        "num_foundational": items,
        "items_in_use": in_use,
        "turns_per_shift": shift,
        "session_length": last + draw(st.integers(0, 12)),
        "recalls_per_turn": draw(st.sampled_from((0.0, 0.2, 2.0))),
    }


test_generators_and_engines_agree = exactness_test(seeded_workloads(Drift, rhythm()))


def test_noise_changes_no_foundational_item() -> None:
    """Neither its touches nor what it is like depend on any parameter of the noise."""
    expect_noise_changes_nothing_else(Drift(importance_law="uniform", token_law="pareto"), range(8))


def test_distinct_seeds_have_distinct_sessions() -> None:
    """Also seeds that differ in their sign only."""
    expect_distinct(Drift())


def test_a_longer_session_begins_like_a_shorter_one() -> None:
    """Whatever happens in the turns of the shorter one happens in the longer one too, noise included."""
    noise = {"noise_law": "poisson", "noise_per_turn": 0.8, "noise_recall_probability": 0.4}
    for length, longer in ((140, 140 + 1), (140, 140 * 3)):
        expect_prefix(Drift(session_length=length, **noise), Drift(session_length=longer, **noise), range(20))


def test_items_are_in_use_for_their_time_only() -> None:
    """Three at a time; the oldest gives way every ten turns, and is never touched again."""
    workload = Drift(num_foundational=6, items_in_use=3, turns_per_shift=10, recalls_per_turn=2.0, session_length=60)
    first, last = [1, 1, 1, 11, 21, 31], [10, 20, 30, 40, 50, 60]
    block = workload.block(range(300))
    turns = [block.touch_turn[a:b] for a, b in zip(block.touch_start, block.touch_start[1:], strict=False)]
    for item in range(6):
        mine = [one for number, one in enumerate(turns) if number % 6 == item]
        assert {one[0] for one in mine} == {first[item]}
        assert max(one[-1] for one in mine) == last[item]
        assert min(one[1] for one in mine if len(one) > 1) == first[item] + 1


def test_more_items_than_come_into_use_are_refused() -> None:
    """Twelve items, three in use, ten turns a shift: the last begins in turn 91."""
    (line,) = refusals(Drift, session_length=90, turns_per_shift=10)
    assert line == ("Drift.session_length is 90; allowed: at least 91, which the shifts of num_foundational 12 take")
