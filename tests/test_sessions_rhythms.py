"""Tests of vecdecay.sessions.rhythms: what a mixture can be made of."""

from vecdecay.sessions import WORKLOADS, ChangingFacts, ForgetRequests, Mixture
from vecdecay.sessions.rhythms import RHYTHMS


def test_every_workload_but_the_mixture_is_a_rhythm() -> None:
    """A new workload is listed in both places; names are unique."""
    assert set(RHYTHMS) | {Mixture, ChangingFacts, ForgetRequests} == set(WORKLOADS)
    assert len({one.name for one in WORKLOADS}) == len(WORKLOADS)


def test_every_workload_says_what_it_asks() -> None:
    """The docstring of each has its question, and the answer in figures for the two published policies."""
    for one in WORKLOADS[1:]:
        text = one.__doc__ or ""
        assert "The question:" in text
        assert "Ebbinghaus" in text
        assert "RecencyWindow" in text or "LRU" in text  # what a window comes to in a memory with a budget
        assert one.summary
        assert one.source
