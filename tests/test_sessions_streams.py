"""Tests of vecdecay.sessions.streams: no two workloads, and no two uses of one, share a random number."""

import sys
from collections import Counter

import pytest
from rhythms import SEEDED

from vecdecay.sessions import (
    ChangingFacts,
    ForgetRequests,
    Mixture,
    ZipfRecalls,
    attributes_kernel,
    draws,
    mixture_kernel,
    philox,
    rhythm_kernel,
)
from vecdecay.sessions.seeded import SeededWorkload
from vecdecay.sessions.streams import WORKLOAD_IDS


def test_workload_ids_are_distinct_words() -> None:
    """One table, no id twice, none of 0 and none beyond the generator's word."""
    ids = list(WORKLOAD_IDS.values())
    assert len(set(ids)) == len(ids)
    assert all(0 < one < 2**32 for one in ids)


def test_every_workload_that_draws_has_an_id() -> None:
    """And the table has no entry that nobody uses."""
    assert set(WORKLOAD_IDS) == {one.name for one in (*SEEDED, Mixture, ChangingFacts, ForgetRequests)}
    assert all(one().workload_id == WORKLOAD_IDS[one.name] for one in SEEDED)


def test_streams_of_a_workload_are_distinct() -> None:
    """Noise, attributes of items and of noise, and the steps of a rhythm have streams of their own, below 2**16."""
    noise = [rhythm_kernel.NOISE_COUNT, rhythm_kernel.NOISE_BURST, rhythm_kernel.NOISE_RECALL]
    kernels = attributes_kernel
    own = [
        kernels.IMPORTANCE,
        kernels.IMPORTANCE_OTHER,
        kernels.FOLLOWS_USE,
        kernels.CATEGORY,
        kernels.PINNED,
        kernels.TOKENS,
    ]
    streams = noise + own + [one + kernels.NOISE_STREAMS for one in own]
    assert len(set(streams)) == len(streams)
    assert max(streams) < rhythm_kernel.FIRST_STEP_STREAM < 2**16
    assert mixture_kernel.COMPONENT >= 0


RICH = {
    "noise_process": "bursty",
    "noise_recall_probability": 0.5,
    "importance_distribution": "beta",
    "importance_follows_use": 0.5,
    "category_weights": (0.1, 0.2, 0.3, 0.4),
    "pinned_share": 0.5,
    "token_distribution": "lognormal",
}


@pytest.mark.parametrize("kind", SEEDED, ids=lambda one: one.name)
def test_no_two_draws_of_a_session_share_a_block(kind: type[SeededWorkload], monkeypatch: pytest.MonkeyPatch) -> None:
    """Each counter of the generator is asked for in one place, and once; whether a burst holds noise, in each turn."""
    places: dict[tuple[int, ...], set[str]] = {}
    times: Counter[tuple[int, ...]] = Counter()
    block = getattr(philox.philox4x32, "py_func", philox.philox4x32)

    def recorded(*words: int) -> tuple[int, int, int, int]:
        frame = sys._getframe(1)
        while frame.f_code.co_filename == philox.__file__ and frame.f_back is not None:
            frame = frame.f_back
        places.setdefault(words, set()).add(f"{frame.f_code.co_name} line {frame.f_lineno}")
        times[words] += words[2] != rhythm_kernel.NOISE_BURST
        return block(*words)

    monkeypatch.setattr(philox, "philox4x32", recorded)
    monkeypatch.setattr(draws, "_plain_globals", {})
    # With more recalls of an item the plain generator begins that item anew, in a larger list.
    fewer = {"recalls_per_turn": 0.4} if kind is ZipfRecalls else {}
    kind(session_length=150, **RICH, **fewer).session(3)
    assert len(places) > 100
    assert {words: found for words, found in places.items() if len(found) > 1} == {}
    assert [(words, places[words]) for words, number in times.items() if number > 1] == []
