"""Playing sessions while they are generated comes to the same as generating a block and playing that."""

from collections import Counter, defaultdict

import pytest
from comparing import COMPILED, expect_same
from conftest import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from vecdecay.engines import by_published
from vecdecay.engines.kernels.published_kernel import GROUP
from vecdecay.engines.outcome import BlockOutcome
from vecdecay.engines.registry import can_stream, play_block, stream
from vecdecay.policies import Ebbinghaus, KeepAll, RecencyWindow, TablePolicy
from vecdecay.sessions import PublishedSessions

POLICIES = (Ebbinghaus(), RecencyWindow(15), KeepAll(), Ebbinghaus(eviction_threshold=0.66, baseline_stability=3.0))


def expect_the_same(workload: PublishedSessions, seeds: range | list[int], policies: tuple[TablePolicy, ...]) -> None:
    """Compare every total of every session with ==."""
    block = workload.block(seeds)
    outcomes = list(stream(workload, seeds, policies))
    assert len(outcomes) == len(policies)
    for policy, outcome in zip(policies, outcomes, strict=True):
        expect_same({"block": play_block(block, policy, "horizon"), "stream": outcome})


@pytest.mark.parametrize("count", [1, 2, 255, 256, 257, 512, 1000])
def test_any_number_of_sessions(count: int) -> None:
    """Whole groups, a group that is not full, a single session."""
    expect_the_same(PublishedSessions(), range(-3, count - 3), POLICIES)


SHAPES = (
    PublishedSessions(noise_per_turn=0),
    PublishedSessions(session_length=60, recalls_per_foundational=6),
    PublishedSessions(
        session_length=25, num_foundational=2, recalls_per_foundational=5, recall_jitter_range=(0.0, 2.0)
    ),
)


@pytest.mark.parametrize("number", [20_000, pytest.param(1_000_000, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("workload", SHAPES, ids=("full", "often cut", "nearly always cut"))
def test_many_seeds(workload: PublishedSessions, number: int) -> None:
    """Schedules that fit and schedules that are cut off, group by group."""
    step = 20_000 if COMPILED else 500
    for first in range(0, number if COMPILED else step, step):
        expect_the_same(workload, range(first, first + step), POLICIES)


@settings(max_examples=examples(60))
@given(
    st.builds(
        PublishedSessions,
        session_length=st.integers(1, 200),
        num_foundational=st.integers(1, 5),
        recalls_per_foundational=st.integers(0, 7),
        noise_per_turn=st.integers(0, 4),
        recall_jitter_range=st.sampled_from([(0.7, 1.3), (0.0, 0.5), (1.0, 1.0)]),
    ),
    st.lists(st.integers(-(2**70), 2**70), min_size=1, max_size=20),
)
def test_any_shape_and_any_seed(workload: PublishedSessions, seeds: list[int]) -> None:
    """Short sessions whose schedules break off, no recalls, no noise, seeds of several key words."""
    expect_the_same(workload, seeds, POLICIES)


def test_what_cannot_be_streamed_is_played_as_blocks() -> None:
    """Items, turns, checkpoints, other engines, huge sessions and rules of their own take the other way."""
    sessions, policies = PublishedSessions(), POLICIES[:2]
    assert can_stream(sessions, policies, "auto", "sessions", ())
    assert not can_stream(sessions, policies, "auto", "items", ())
    assert not can_stream(sessions, policies, "auto", "turns", ())
    assert not can_stream(sessions, policies, "auto", "cells", (50,))
    assert not can_stream(sessions, policies, "lockstep", "cells", ())
    assert not by_published.can_play(PublishedSessions(num_foundational=0), policies)
    assert not by_published.can_play(PublishedSessions(num_foundational=5000), policies)
    assert not by_published.can_play(sessions, (Ebbinghaus(grace_turns=3),))


@pytest.mark.parametrize("count", [1, 300, 30_000])
def test_counted_outcomes_are_those_of_the_sessions(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where only counts are kept, every different outcome is there as often as it occurred; many outcomes too."""
    slots = 512 if count == 30_000 else by_published._SLOTS
    monkeypatch.setattr(by_published, "_SLOTS", slots)
    sessions = PublishedSessions(num_foundational=4)
    policies = (*POLICIES, RecencyWindow(100), RecencyWindow(20))
    counted: list[dict[tuple[str, ...], Counter[tuple[int, ...]]]] = [defaultdict(Counter) for _ in policies]
    for place, found in by_published.count(sessions, range(count), policies):
        for row, often in zip(columns_of(found.outcome, found.names), found.times.tolist(), strict=True):
            counted[place][found.names][row] += often
    for one, outcome in zip(counted, stream(sessions, range(count), policies), strict=True):
        assert len(one) == 2
        assert one == {names: Counter(columns_of(outcome, names)) for names in one}
    if count == 30_000:
        most = max(len(every) for one in counted for every in one.values())
        assert most > 2 * slots // 3 - GROUP  # so that a table was emptied in between


def columns_of(outcome: BlockOutcome, names: tuple[str, ...]) -> list[tuple[int, ...]]:
    """Return some columns of an outcome, session by session."""
    return list(zip(*(getattr(outcome, name).tolist() for name in names), strict=True))


@settings(max_examples=examples(25))
@given(
    st.builds(
        PublishedSessions,
        session_length=st.integers(1, 160),
        num_foundational=st.integers(1, 3),
        recalls_per_foundational=st.integers(1, 6),
        recall_jitter_range=st.sampled_from([(0.7, 1.3), (0.0, 0.5), (0.0, 3.0), (1.0, 1.0)]),
    ),
    st.integers(0, 6),
    st.integers(-1, 1),
)
def test_lives_are_cut_where_no_session_has_so_long_a_gap(workload: PublishedSessions, touch: int, beside: int) -> None:
    """Windows that are the longest gap after a touch, and a turn beside it: blocks know nothing of such gaps."""
    gaps = by_published._longest_gaps(workload)
    window = max(1, int(gaps[touch % len(gaps)]) + beside)
    expect_the_same(workload, range(256 if COMPILED else 2), (RecencyWindow(window),))
