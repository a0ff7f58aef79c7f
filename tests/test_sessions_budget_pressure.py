"""Tests of vecdecay.sessions.budget_pressure: more is needed than fits, and some of it more often."""

import math
from collections import Counter

from rhythms import refusals

import vecdecay as vd
from vecdecay.sessions.session import RECALL, REGISTER


def test_all_are_needed_and_some_more_often() -> None:
    """60 items come in within 20 turns; the first 15 are recalled four times as often as the others."""
    recalls: Counter[int] = Counter()
    for seed in range(20):
        session = vd.BudgetPressure(noise_per_turn=0).session(seed)
        registered = {item: turn for turn, kind, item in session.events if kind == REGISTER}
        assert set(registered) == set(range(60))
        assert set(registered.values()) <= set(range(1, 21))
        recalls.update(item for _, kind, item in session.events if kind == RECALL)
    urgent, others = (sum(recalls[item] for item in some) / len(some) for some in (range(15), range(15, 60)))
    assert 3.6 < urgent / others < 4.4
    assert min(recalls.values()) > 0


def test_a_budget_has_to_choose() -> None:
    """Below 60 items hits are lost, to Belady too; who counts uses finds more than who looks at the latest."""
    sessions = vd.relearning(vd.BudgetPressure())
    policies = [kind(capacity_items=15) for kind in (vd.Lru, vd.Lfu, vd.Belady)]
    lru, lfu, belady = vd.simulate(sessions, policies, seeds=range(30)).cells["hit_rate_mean"].to_pylist()
    assert lru + 0.1 < lfu < belady - 0.1 < 0.8


def test_wrong_parameters_are_named_together() -> None:
    """A rate, a factor, and a session that ends before the items are there."""
    assert len(refusals(vd.BudgetPressure, recalls_per_turn=math.nan, urgent_factor=-1.0)) == 2
    (line,) = refusals(vd.BudgetPressure, session_length=19)
    assert line.startswith("BudgetPressure.session_length is 19; allowed: at least 20, which the registrations")
