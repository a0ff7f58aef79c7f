"""Published sessions by seed: the vectorised generator equals ``random.Random``, the kernels equal the reference."""

import random
from collections import Counter
from collections.abc import Iterator

import pytest
from comparing import COMPILED, expect_same, play_everywhere

from vecdecay.engines import by_published
from vecdecay.engines.registry import play_block
from vecdecay.policies import Ebbinghaus, KeepAll, RecencyWindow, TablePolicy
from vecdecay.sessions import PublishedSessions

NUMBER_OF_SESSIONS = [5000 if COMPILED else 200, pytest.param(1_000_000, marks=pytest.mark.thorough)]
HEADLINE_SHARE = 50  # one session in so many has the headline shape: it takes the reference fifteen times as long
SESSIONS_PER_SHAPE = 100 if COMPILED else 10

HEADLINE = (PublishedSessions(), Ebbinghaus(), RecencyWindow())


def shapes(stream: random.Random) -> Iterator[tuple[PublishedSessions, Ebbinghaus, RecencyWindow]]:
    """Yield workloads, mostly of short sessions, and policies under which some of their items live and some do not."""
    choose = stream.choice
    while True:
        low = stream.uniform(0.0, 1.3)
        offsets = sorted(stream.randint(0, 40) for _ in range(stream.randint(1, 6)))
        sessions = PublishedSessions(
            session_length=choose((1, 2, 3, 5, 8, 13, 20, 30, 45, 60)),
            num_foundational=choose((0, 1, 1, 2, 3)),
            recalls_per_foundational=stream.randint(0, 7),
            noise_per_turn=choose((0, 0, 0, 1, 2)),
            recall_base_offsets=choose(((3, 8, 20, 45, 90, 150), (2.5, 4.5, 11.5), tuple(offsets))),
            recall_jitter_range=choose(((0.7, 1.3), (1.0, 1.0), (low, low + stream.random()))),
        )
        ebbinghaus = Ebbinghaus(
            eviction_threshold=choose((0.1, 0.2, 0.3, stream.uniform(0.01, 0.99))),
            baseline_stability=choose((1.0, 2.0, 8.0, stream.uniform(0.2, 20.0))),
            reinforcement_gain=choose((1.0, 1.0, 0.5, 0.0)),
        )
        yield sessions, ebbinghaus, RecencyWindow(choose((1, 3, 0.5, 10, 15, stream.uniform(0.1, 30.0))))


def seeds_of(stream: random.Random, number: int) -> list[int]:
    """Draw distinct seeds of either sign, some of them longer than one key word."""
    wide = {stream.randrange(-(2**70), 2**70) for _ in range(number // 4)}
    return list(wide) + stream.sample(range(-(2**31), 2**32), number - len(wide))


def play_seeded(sessions: PublishedSessions, policies: tuple[TablePolicy, ...], seeds: list[int]) -> Counter[str]:
    """Play one block in all engines under every policy, having compared its sessions with the plain generator's."""
    counts: Counter[str] = Counter()
    block = sessions.block(seeds)
    assert block.sessions() == [sessions.session(seed) for seed in seeds]
    checkpoints = (1, 10, sessions.session_length)
    if by_published.can_play(sessions, policies):
        for policy, streamed in zip(policies, by_published.play(sessions, seeds, policies), strict=True):
            expect_same({"horizon": play_block(block, policy, "horizon"), "stream": streamed})
            counts[f"streamed under {policy.name}"] += len(seeds)
    for policy in policies:
        outcome = play_everywhere(block, policy, sorted(set(checkpoints)))
        counts[f"sessions under {policy.name}"] += len(seeds)
        counts[f"facts evicted under {policy.name}"] += int(outcome.foundational_evicted.sum())
        counts[f"facts kept under {policy.name}"] += int(outcome.foundational_present.sum())
        counts[f"misses under {policy.name}"] += int(outcome.misses.sum())
        counts[f"noise evicted under {policy.name}"] += int(
            outcome.items_evicted.sum() - outcome.foundational_evicted.sum()
        )
    return counts


@pytest.mark.parametrize("number", NUMBER_OF_SESSIONS)
def test_published_sessions_of_many_seeds(warm_kernels: None, number: int) -> None:
    """Thousands of sessions per policy: three engines agree on every item and turn, two generators on every event.

    What is played while it is generated has totals only; they are those of the table kernel.
    """
    stream = random.Random(number)
    counts: Counter[str] = Counter()
    headline = number // HEADLINE_SHARE
    for first in range(0, headline, SESSIONS_PER_SHAPE):
        together = min(SESSIONS_PER_SHAPE, headline - first)
        counts += play_seeded(HEADLINE[0], HEADLINE[1:], list(range(first, first + together)))
    every_shape = shapes(stream)
    while counts["sessions under ebbinghaus"] < number:
        sessions, *policies = next(every_shape)
        counts += play_seeded(sessions, tuple(policies), seeds_of(stream, SESSIONS_PER_SHAPE))
    for policy in ("ebbinghaus", "recency_window"):
        assert counts[f"sessions under {policy}"] >= number
        assert counts[f"streamed under {policy}"] >= number / 2  # all but those without a foundational item
        for kind in ("facts evicted", "facts kept", "misses", "noise evicted"):
            assert counts[f"{kind} under {policy}"] > number / 20, counts


@pytest.mark.parametrize("number", NUMBER_OF_SESSIONS)
def test_published_sessions_of_many_seeds_under_keep_all(warm_kernels: None, number: int) -> None:
    """The same for the upper bound: nothing is evicted, and every recall hits."""
    stream = random.Random(-number)
    counts: Counter[str] = Counter()
    for first in range(0, number // HEADLINE_SHARE, SESSIONS_PER_SHAPE):
        counts += play_seeded(HEADLINE[0], (KeepAll(),), list(range(first, first + SESSIONS_PER_SHAPE)))
    every_shape = shapes(stream)
    while counts["sessions under keep_all"] < number:
        sessions, *_ = next(every_shape)
        counts += play_seeded(sessions, (KeepAll(),), seeds_of(stream, SESSIONS_PER_SHAPE))
    assert counts["sessions under keep_all"] >= number
    assert counts["streamed under keep_all"] >= number / 2
    assert counts["facts kept under keep_all"] > number
    for kind in ("facts evicted", "misses", "noise evicted"):
        assert counts[f"{kind} under keep_all"] == 0
