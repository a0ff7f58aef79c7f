"""Tests of vecdecay.sessions.rare_critical: a few items that matter among thousands."""

import math
from collections import Counter

from rhythms import refusals

from vecdecay.sessions import RareCritical
from vecdecay.sessions.session import NOISE, RECALL


def test_few_are_critical_and_thousands_are_routine() -> None:
    """The defaults: 3 critical items, seldom recalled and more important; some 3,000 routine ones, often recalled."""
    session = RareCritical().session(4)
    routine = session.item_kinds.count(NOISE)
    assert 2500 < routine < 3500
    recalls = Counter(item < 3 for _, kind, item in session.events if kind == RECALL)
    assert recalls[True] < 40
    assert 0.8 < recalls[False] / routine < 1.2
    assert {session.attributes[item].importance for item in range(3)} == {0.9}
    assert {one.importance for one in session.attributes[3:]} == {0.5}


def test_wrong_parameters_are_named_together() -> None:
    """A rate, a chance and an advantage."""
    lines = refusals(RareCritical, recalls_per_turn=math.nan, noise_recall_probability=1.0, importance_advantage=2)
    assert len(lines) == 3
