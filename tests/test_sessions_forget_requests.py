"""Tests of vecdecay.sessions.forget_requests: six types of requests, their controls, and the five checks."""

from dataclasses import replace

import pytest
from relations import reacting

import vecdecay as vd
from vecdecay.engines.played import play
from vecdecay.policies.base import Policy
from vecdecay.sessions.forget_requests import ASKED_AGAIN, CHECKED, REQUESTS, STORED
from vecdecay.sessions.session import FORGET, FOUNDATIONAL, RECALL


def checks(workload: vd.ForgetRequests, seed: int, policy: Policy) -> tuple[bool, ...]:
    """Return whether all was stored, removed, the neighbours kept, all re-learnable, and nothing leaked."""
    session = workload.session(seed)
    played = play(session, policy)
    recalls = [(turn, item) for turn, kind, item in session.events if kind == RECALL]
    hit = {(turn, item): found for (turn, item), found in zip(recalls, played.found, strict=True)}
    targets = workload.targets(seed)
    neighbours = [item for item, kind in enumerate(session.item_kinds) if kind == FOUNDATIONAL]
    return (
        all(found for (turn, _), found in hit.items() if turn == STORED),
        not any(hit[CHECKED, one] for one in targets),
        all(hit[CHECKED, one] for one in neighbours),
        all(hit[ASKED_AGAIN, one] for one in targets),
        played.trace.forbidden_hits == 0,
    )


@pytest.mark.parametrize("request_type", REQUESTS)
def test_deleting_by_name_leaves_derived_copies(request_type: str) -> None:
    """Four of the five checks hold where a request removes its item alone; nothing leaks only with a cascade."""
    workload = vd.ForgetRequests(request=request_type)
    for seed in range(6):
        assert checks(workload, seed, vd.KeepAll()) == (True, True, True, True, False)
        assert checks(workload, seed, reacting(vd.KeepAll(), on_forget="cascade")) == (True,) * 5


def test_a_control_is_the_same_session_without_the_request() -> None:
    """What was to be forgotten is then still there."""
    for seed in range(12):
        workload = vd.ForgetRequests()
        session, control = workload.session(seed), replace(workload, control=True).session(seed)
        named = {item for _, kind, item in session.events if kind == FORGET}
        assert named == set(workload.targets(seed))
        assert set(control.events) < set(session.events)
        assert not checks(replace(workload, control=True), seed, vd.KeepAll())[1]


def test_every_type_occurs_and_names_what_it_says() -> None:
    """By numbers of facts and summaries."""
    workload = vd.ForgetRequests()
    sizes = {one: {len(replace(workload, request=one).targets(seed)) for seed in range(30)} for one in REQUESTS}
    assert sizes == {
        "factual": {1}, "compositional": {2}, "semantic": {4}, "inferential": {2}, "temporal": {4}, "replacement": {1},
    }  # fmt: skip
    assert {workload.request_of(seed) for seed in range(60)} == set(REQUESTS)
