"""The published kernel: schedules that fit and schedules that are cut off, lanes, and where it writes."""

import random

import numpy as np
import pytest
from comparing import expect_same

from vecdecay.engines import by_published
from vecdecay.engines.kernels import published_kernel
from vecdecay.engines.kernels.published_kernel import GROUP, NEVER, NUM_ROWS
from vecdecay.engines.registry import play_block
from vecdecay.policies import Ebbinghaus, RecencyWindow
from vecdecay.sessions import PublishedSessions
from vecdecay.sessions.session import RECALL


def scheduled(workload: PublishedSessions, seeds: range) -> tuple[np.ndarray, bool]:
    """Return the turns that the kernel plans, shape (fact, recall, session), and whether all of them fit."""
    facts, recalls = workload.num_foundational, workload.num_recalls()
    streams = [random.Random(seed) for seed in seeds]
    draws = np.array([[stream.random() for stream in streams] for _ in range(facts * recalls)]).reshape(-1)
    turns = np.zeros(len(draws), dtype=np.int32)
    low, high = workload.recall_jitter_range
    offsets = np.array(workload.recall_base_offsets[:recalls])
    given = (draws, len(seeds), workload.session_length, facts, offsets, low, high - low, turns)
    fits = published_kernel._schedule(*given)
    if not fits:
        published_kernel._schedule_short(*given)
    return turns.reshape(facts, recalls, len(seeds)), fits


@pytest.mark.parametrize("length", [1, 2, 12, 46, 60, 61, 150, 10_000])
@pytest.mark.parametrize("recalls", [1, 4, 6])
def test_turns_are_those_of_the_scalar_session(length: int, recalls: int) -> None:
    """Both ways of planning, and the draws that a cut schedule leaves to the next fact."""
    workload = PublishedSessions(session_length=length, recalls_per_foundational=recalls, noise_per_turn=0)
    seeds = range(40)
    turns, _ = scheduled(workload, seeds)
    for seed in seeds:
        recalled: list[list[int]] = [[] for _ in range(workload.num_foundational)]
        for turn, event, item in workload.session(seed).events:
            if event == RECALL:
                recalled[item].append(turn)
        expected = [own + [NEVER] * (recalls - len(own)) for own in recalled]
        assert turns[:, :, seed].tolist() == expected


def test_both_ways_of_planning_occur() -> None:
    """A last recall in the last turn of all still fits; recalls that crowd against it do not."""
    turns, fits = scheduled(PublishedSessions(), range(200))
    assert fits
    latest = int(turns.max())
    assert scheduled(PublishedSessions(session_length=latest), range(200))[1]
    short, fits = scheduled(PublishedSessions(session_length=10), range(200))
    assert not fits
    assert (short == NEVER).any()


def test_offsets_too_large_for_the_integer_are_cut_before_they_are_converted() -> None:
    """The candidate is the last turn, not a number that wrapped around."""
    workload = PublishedSessions(recall_base_offsets=(2**31 - 1,), recall_jitter_range=(1.0, 2.0**20))
    turns, fits = scheduled(workload, range(8))
    assert fits
    assert (turns == 1).sum() == 0
    assert (turns[:, :1] == 150).all()


def test_totals_are_those_of_the_scalar_engine() -> None:
    """Full and cut schedules; windows met exactly, missed by one turn, ending in the last turn, longer than it all."""
    few = PublishedSessions(session_length=20, recalls_per_foundational=2, noise_per_turn=0)
    short = PublishedSessions(session_length=14, recalls_per_foundational=6, noise_per_turn=1)
    policies = (
        Ebbinghaus(),
        RecencyWindow(1),
        RecencyWindow(4),
        RecencyWindow(10),
        RecencyWindow(13),
        RecencyWindow(20),
    )
    seeds = range(12)
    for workload in (PublishedSessions(noise_per_turn=0), few, short):
        block = workload.block(seeds)
        for policy, outcome in zip(policies, by_published.play(workload, seeds, policies), strict=True):
            expect_same({"reference": play_block(block, policy, "reference"), "stream": outcome})


def test_groups_do_not_touch_each_other() -> None:
    """A session's totals are the same at the end of a group, at its beginning and alone."""
    sessions, policies = PublishedSessions(), (Ebbinghaus(), RecencyWindow(100))
    many = list(by_published.play(sessions, range(GROUP + 2), policies))
    for place in (0, GROUP - 1, GROUP, GROUP + 1):
        alone = list(by_published.play(sessions, range(place, place + 1), policies))
        for one, other in zip(many, alone, strict=True):
            assert one.survival_sum[place] == other.survival_sum[0]
            assert one.working_set_sum[place] == other.working_set_sum[0]
            assert one.foundational_present[place] == other.foundational_present[0]


def test_nothing_is_written_past_the_end() -> None:
    """The results of the last, incomplete group end where the array ends."""
    sessions = PublishedSessions()
    count = GROUP // 2 + 1
    results = np.full(NUM_ROWS * count + 100, -7, dtype=np.int64)
    by_published._Player(sessions, range(count), (RecencyWindow(15),)).play(
        0, results[: NUM_ROWS * count], None, None, None
    )
    assert (results[NUM_ROWS * count :] == -7).all()
    assert (results[: NUM_ROWS * count] != -7).all()
