"""Tests of vecdecay.sessions.published_kernel, with draws that no generator needs to give."""

import random
from itertools import pairwise

import numpy as np

from vecdecay.sessions.published_kernel import schedule_recalls


def scheduled(
    draws: list[list[float]], session_length: int, num_foundational: int, offsets: list[float], low: float, high: float
) -> list[list[list[int]]]:
    """Return (session, fact, touch): the turns that the kernel writes for given draws (session, draw)."""
    num_items = len(draws) * num_foundational
    touch_start = np.full(num_items + 1, -1, dtype=np.int64)
    touch_turn = np.full(num_items * (len(offsets) + 1), -1, dtype=np.int32)
    touch_kind = np.full(num_items * (len(offsets) + 1), -1, dtype=np.int8)
    touches = schedule_recalls(
        np.array(draws, dtype=np.float64).ravel(), len(draws), len(draws[0]), session_length, num_foundational,
        np.array(offsets, dtype=np.float64), low, high - low, touch_start, touch_turn, touch_kind,
    )  # fmt: skip
    assert touches == touch_start[-1]
    assert touch_turn[touches:].tolist() == [-1] * (len(touch_turn) - touches)
    items = [slice(*touch_start[item : item + 2]) for item in range(num_items)]
    assert all(touch_kind[item].tolist() == [0] + [1] * (item.stop - item.start - 1) for item in items)
    turns = [touch_turn[item].tolist() for item in items]
    return [turns[first : first + num_foundational] for first in range(0, num_items, num_foundational)]


def plain(
    draws: list[float], session_length: int, num_foundational: int, offsets: list[float], low: float, high: float
) -> list[list[int]]:
    """Return the same for one session from the rule as it is published."""
    stream = iter(draws)
    facts = []
    for _ in range(num_foundational):
        turns = [1]
        for offset in offsets:
            candidate = 1 + round(offset * (low + (high - low) * next(stream)))
            turn = max(turns[-1] + 1, min(candidate, session_length))
            if turn > session_length:
                break
            turns.append(turn)
        facts.append(turns)
    return facts


def test_given_draws_give_the_published_schedule() -> None:
    """Two thousand schedules from arbitrary draws, most of them clamped, crowded or cut short."""
    stream = random.Random(12)
    cut = crowded = 0
    for _ in range(200):
        offsets = [float(stream.randint(0, 30)) for _ in range(stream.randint(1, 6))]
        shape = (stream.randint(1, 40), stream.randint(1, 4), offsets, 0.7, 1.3)
        draws = [[stream.random() for _ in range(shape[1] * len(offsets))] for _ in range(10)]
        found = scheduled(draws, *shape)
        assert found == [plain(one, *shape) for one in draws]
        turns = [fact for session in found for fact in session]
        cut += sum(len(fact) <= len(offsets) for fact in turns)
        crowded += sum(later - earlier == 1 for fact in turns for earlier, later in pairwise(fact))
    assert cut > 1000
    assert crowded > 1000


def test_a_draw_is_consumed_by_the_recall_that_does_not_fit() -> None:
    """The first fact uses three draws, the last of them in vain; the second fact goes on with the fourth."""
    draws = [0.0, 0.0, 0.0, 0.5, 0.5, 0.5]
    found = scheduled([draws], 3, 2, [1.0, 1.0, 1.0, 1.0], 1.0, 5.0)
    assert found == [[[1, 2, 3], [1, 3]]]
    assert found == [plain(draws, 3, 2, [1.0, 1.0, 1.0, 1.0], 1.0, 5.0)]


def test_without_facts_or_offsets() -> None:
    """No facts give no touches; no offsets give the registrations alone."""
    assert scheduled([[]], 9, 2, [], 0.7, 1.3) == [[[1], [1]]]
    empty = np.zeros(0)
    starts, turns, kinds = np.full(1, -1, dtype=np.int64), np.empty(0, np.int32), np.empty(0, np.int8)
    assert schedule_recalls(empty, 4, 0, 9, 0, empty, 0.7, 0.6, starts, turns, kinds) == 0
    assert starts.tolist() == [0]
