"""Tests of vecdecay.sessions.streams: no two workloads, and no two uses of one, share a random number."""

from rhythms import SEEDED

from vecdecay.sessions import Mixture, attributes_kernel, mixture_kernel, rhythm_kernel
from vecdecay.sessions.streams import WORKLOAD_IDS


def test_workload_ids_are_distinct_words() -> None:
    """One table, no id twice, none of 0 and none beyond the generator's word."""
    ids = list(WORKLOAD_IDS.values())
    assert len(set(ids)) == len(ids)
    assert all(0 < one < 2**32 for one in ids)


def test_every_workload_that_draws_has_an_id() -> None:
    """And the table has no entry that nobody uses."""
    assert set(WORKLOAD_IDS) == {one.name for one in (*SEEDED, Mixture)}
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
