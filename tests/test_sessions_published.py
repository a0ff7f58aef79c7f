"""Tests of vecdecay.sessions.published: parameters, and the plain and the vectorised form against each other."""

import math
import random
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vecdecay.errors import InvalidInputError
from vecdecay.sessions import PublishedSessions
from vecdecay.sessions.session import FOUNDATIONAL, NOISE, RECALL, REGISTER

COUNTS: list[Any] = [-1, 2**31, 2.0, True, "3", None, math.nan, np.float64(3.0), np.bool_(True), 1j, [3]]
BAD: dict[str, list[Any]] = {
    "session_length": [0, *COUNTS],
    "num_foundational": COUNTS,
    "recalls_per_foundational": COUNTS,
    "noise_per_turn": COUNTS,
    "recall_base_offsets": [
        (), [], (-1,), (3, math.nan), (math.inf,), (2.0**31,), 3, "38", None, (True,), ("3",), [[3]],
    ],
    "recall_jitter_range": [
        (), (1.0,), (0.7, 1.0, 1.3), (-0.1, 1.0), (0.7, math.nan), (0.7, math.inf), (1.3, 0.7), 1.0, None, "01",
        (0.0, 2.0**20 + 1), (False, True),
    ],
}  # fmt: skip


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in BAD.items() for value in values])
def test_each_parameter_has_its_range(name: str, value: Any) -> None:
    """Outside its range, reversed, empty, or of another type, a parameter is refused by name, with what is allowed."""
    with pytest.raises(InvalidInputError) as caught:
        PublishedSessions(**{name: value})
    (problem,) = caught.value.problems
    assert problem.startswith(f"PublishedSessions.{name} is ")
    assert "; allowed: " in problem


def test_all_wrong_parameters_are_named_together() -> None:
    """Every parameter wrong at once gives one error with six lines in the order of the parameters."""
    with pytest.raises(InvalidInputError) as caught:
        PublishedSessions(0, -1, -1, -1, (), (1, 2, 3))
    assert [problem.split(" is ")[0].split(".")[1] for problem in caught.value.problems] == list(BAD)
    assert (
        caught.value.problems[0]
        == "PublishedSessions.session_length is 0; allowed: an integer at least 1 and at most 2147483647"
    )


def test_the_ends_of_the_ranges_are_allowed() -> None:
    """No facts, no noise, no recalls, an offset of 0 and a jitter without width are sessions too."""
    least = PublishedSessions(1, 0, 0, 0, (0,), (0.0, 0.0))
    assert least.session(5).events == ()
    assert least.block([5, 6]).sessions() == [least.session(5), least.session(6)]
    longest = PublishedSessions(session_length=2**31 - 1, noise_per_turn=0)
    assert longest.block([3]).touch_turn.tolist() == PublishedSessions().block([3]).touch_turn.tolist()


def workloads() -> st.SearchStrategy[PublishedSessions]:
    """Draw any published workload of short sessions, clamped and crowded schedules included."""
    factors = st.floats(0.0, 3.0)
    return st.builds(
        PublishedSessions,
        session_length=st.integers(1, 40),
        num_foundational=st.integers(0, 4),
        recalls_per_foundational=st.integers(0, 8),
        noise_per_turn=st.integers(0, 2),
        recall_base_offsets=st.lists(st.integers(0, 50) | st.floats(0.0, 50.0), min_size=1, max_size=6),
        recall_jitter_range=st.tuples(factors, factors).map(sorted),
    )


@given(workloads(), st.lists(st.integers() | st.integers(-(2**80), 2**80), min_size=1, max_size=5))
def test_both_forms_are_the_same_sessions(workload: PublishedSessions, seeds: list[int]) -> None:
    """Whatever the parameters and seeds, the vectorised form is the plain one, event by event."""
    assert workload.block(seeds).sessions() == [workload.session(seed) for seed in seeds]


@given(workloads(), st.integers(0, 10**6))
def test_schedules_keep_their_promises(workload: PublishedSessions, seed: int) -> None:
    """Facts are registered in turn 1 and recalled in strictly later turns, once a turn; noise fills every turn."""
    session = workload.session(seed)
    assert session.item_kinds.count(FOUNDATIONAL) == workload.num_foundational
    assert session.item_kinds.count(NOISE) == workload.noise_per_turn * workload.session_length
    for fact in session.foundational_items():
        turns = [turn for turn, kind, item in session.events if item == fact and kind == RECALL]
        assert turns == sorted(set(turns))
        assert all(2 <= turn <= workload.session_length for turn in turns)
        assert len(turns) <= workload.num_recalls()
    registered = [turn for turn, kind, item in session.events if kind == REGISTER and session.item_kinds[item] == NOISE]
    assert registered == [t for t in range(1, workload.session_length + 1) for _ in range(workload.noise_per_turn)]


def test_recalls_are_at_most_one_per_offset() -> None:
    """Asking for ten recalls with six offsets gives six."""
    assert PublishedSessions(recalls_per_foundational=10).num_recalls() == 6
    assert PublishedSessions(recalls_per_foundational=10, recall_base_offsets=(5,)).num_recalls() == 1


def test_a_jitter_without_width_still_takes_its_draw() -> None:
    """Where both ends of the jitter are equal, every fact of every seed has the same turns."""
    workload = PublishedSessions(recall_jitter_range=(1.0, 1.0))
    events = workload.session(1).events
    assert [turn for turn, kind, item in events if kind == RECALL and item == 0] == [4, 9, 21, 46]
    assert workload.session(1).events == workload.session(2).events == workload.block([3]).session(0).events


def test_offsets_are_rounded_half_to_even() -> None:
    """An offset of 2.5 without jitter falls two turns later, one of 3.5 four: as ``round`` has it."""
    for offset, turn in ((0.5, 2), (1.5, 3), (2.5, 3), (3.5, 5), (4.5, 5)):
        workload = PublishedSessions(recall_base_offsets=(offset,), recall_jitter_range=(1.0, 1.0))
        assert workload.block([1]).touch_turn[1] == turn == max(2, 1 + round(offset))


def test_blocks_may_be_made_in_several_threads() -> None:
    """Each thread has its own scratch: blocks made side by side are those made one after the other."""
    workload = PublishedSessions()
    batches = [list(range(start, start + 300)) for start in range(0, 3000, 300)]
    with ThreadPoolExecutor(4) as threads:
        together = list(threads.map(workload.block, batches))
    for seeds, block in zip(batches, together, strict=True):
        assert block.touch_turn.tolist() == workload.block(seeds).touch_turn.tolist()


def test_noise_takes_no_random_number() -> None:
    """The facts of a seed are the same whatever the noise."""
    stream = random.Random(3)
    seeds = [stream.randrange(2**40) for _ in range(20)]
    turns = [PublishedSessions(noise_per_turn=noise).block(seeds).touch_turn.tolist() for noise in (0, 1, 50)]
    assert turns[0] == turns[1] == turns[2]
