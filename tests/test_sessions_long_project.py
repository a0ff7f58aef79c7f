"""Tests of vecdecay.sessions.long_project: facts throughout, and outputs of very unequal sizes."""

import math

import numpy as np
from rhythms import refusals

import vecdecay as vd
from vecdecay.sessions.session import FOUNDATIONAL, NOISE, REGISTER


def test_facts_come_throughout_and_few_outputs_take_most_of_the_room() -> None:
    """A fact every 20 turns; some 1,000 outputs, of which the largest hundredth holds a third of the tokens."""
    session = vd.LongProject().session(3)
    facts = [
        turn for turn, kind, item in session.events if kind == REGISTER and session.item_kinds[item] == FOUNDATIONAL
    ]
    assert facts == list(range(1, 500, 20))
    assert 900 < session.item_kinds.count(NOISE) < 1100
    sizes = np.sort(vd.LongProject().block(range(30)).item_tokens)[::-1]
    assert sizes.min() >= 100
    assert 0.2 < sizes[: len(sizes) // 100].sum() / sizes.sum() < 0.6


def test_the_tail_has_its_exponent() -> None:
    """P(size > x) = (x / 100) ** -1.25, within five standard errors."""
    sizes = vd.LongProject().block(range(60)).item_tokens
    for size in (200, 1000, 5000):
        chance = (size / 100) ** -1.25
        assert abs((sizes > size).mean() - chance) < 5 * math.sqrt(chance / len(sizes))


def test_who_knows_the_sizes_finds_more() -> None:
    """At a budget of tokens GDSF keeps what is small and used; counting uses alone loses to recency."""
    sessions = vd.relearning(vd.LongProject())
    policies = [kind(capacity_tokens=20_000) for kind in (vd.Lfu, vd.Lru, vd.Gdsf, vd.Belady)]
    found = vd.simulate(sessions, policies, seeds=range(20)).cells["hit_rate_mean"].to_pylist()
    assert found == sorted(found)


def test_wrong_parameters_are_named_together() -> None:
    """A rate and a size."""
    assert len(refusals(vd.LongProject, recalls_per_turn=math.nan, token_size=0)) == 2
