"""Tests of vecdecay.engines.reference_stateful: the meaning of a stateful policy."""

import math

import pytest
from own_policies import ALL, Coin, Gentle, Important, LastTwo

import vecdecay as vd
from vecdecay.engines.reference import engine_for
from vecdecay.engines.reference_stateful import StatefulPolicyEngine
from vecdecay.items import Attributes
from vecdecay.policies.stateful import StatefulPolicy
from vecdecay.sessions.session import Session

EVERY = (*ALL, vd.Fsrs6(0.9), vd.ActR(), vd.MemoryDecayCore(0.8), vd.MemoryBankAsPublished())


@pytest.mark.parametrize("policy", EVERY, ids=lambda policy: policy.name)
def test_the_five_methods(policy: StatefulPolicy) -> None:
    """Register, recall, step, presence and size; a recall of an absent item changes nothing and returns False."""
    engine = engine_for(policy)
    assert isinstance(engine, StatefulPolicyEngine)
    assert not engine.recall("a", 1)
    engine.register("a", 1)
    engine.register("b", 1)
    assert engine.recall("a", 2)
    assert engine.memory["a"].recall_count == 2
    assert (engine.memory["a"].registered_turn, engine.memory["a"].last_touch) == (1, 2)
    gone = [item for turn in range(3, 400) for item in engine.step(turn)]
    assert sorted(map(str, gone)) == ["a", "b"]
    assert engine.working_set_size() == 0
    assert not engine.is_present("a")
    assert not engine.recall("a", 400)
    engine.register("a", 401)
    assert engine.memory["a"].recall_count == 1
    assert engine.retention("a", 401) in (1.0, 0.6, 0.9)


@pytest.mark.parametrize("policy", EVERY, ids=lambda policy: policy.name)
def test_reading_and_stepping_twice_change_nothing(policy: StatefulPolicy) -> None:
    """A second pass in a turn evicts nothing more, reading a score changes no fate."""
    quiet, asked = engine_for(policy), engine_for(policy)
    assert isinstance(asked, StatefulPolicyEngine)
    for turn in range(1, 60):
        for engine in (quiet, asked):
            engine.register(turn, turn)
            engine.recall(turn // 2, turn)
        for item in list(asked.memory):
            assert asked.retention(item, turn) == asked.retention(item, turn)
        assert quiet.step(turn) == asked.step(turn)
        assert asked.step(turn) == []
    assert quiet.eviction_log == asked.eviction_log
    assert len(quiet.eviction_log) > 5


SCORED = [one for one in EVERY if one.breaks() == () and not isinstance(one, Coin)]


@pytest.mark.parametrize("policy", SCORED, ids=lambda policy: policy.name)
def test_passes_that_are_left_out_only_delay(policy: StatefulPolicy) -> None:
    """An item untouched is gone at a common turn whether the pass runs in each turn or in every fifth."""
    often, seldom = engine_for(policy), engine_for(policy)
    for turn in range(1, 41):
        for engine in (often, seldom):
            engine.register(turn, turn)
        often.step(turn)
        if turn % 5 == 0:
            seldom.step(turn)
            assert often.memory.keys() == seldom.memory.keys()


def test_a_recall_in_the_turn_of_expiry_rescues() -> None:
    """Events come before the pass: a touch in the very turn in which the item would go keeps it."""
    engine = StatefulPolicyEngine(Gentle())
    engine.register("rule", 1)
    assert engine.step(13) == []
    assert engine.recall("rule", 14)
    assert engine.step(14) == []
    assert engine.step(14 + 44) == []
    assert engine.step(14 + 45) == ["rule"]


def test_attributes_reach_the_policy_and_pinned_items_stay() -> None:
    """Items of a session have their own attributes; others, and sessions without any, the defaults."""
    session = Session(9, (1, 1, 1), (), (Attributes(), Attributes(1.0), Attributes(0.0, pinned=True)))
    engine = StatefulPolicyEngine(Important(), session)
    for item in (0, 1, 2, "other"):
        if item != "other":
            engine.register(item, 1)
    assert [engine.retention(item, 2) for item in (0, 1, 2)] == [0.85, 1.0, 0.7]
    assert engine.step(100) == [0]
    assert engine.is_present(2)
    alone = StatefulPolicyEngine(Important())
    alone.register("x", 1)
    assert alone.retention("x", 2) == 0.85


def test_stability_is_that_of_the_state() -> None:
    """Where a policy names a stability it is kept up to date, and frozen when the item goes."""
    engine = StatefulPolicyEngine(Important())
    engine.register("x", 1)
    assert engine.memory["x"].stability == 10.0
    engine.step(2)
    assert engine.memory["x"].stability == 8.5
    engine.step(50)
    assert engine.departed["x"].stability == pytest.approx(10.0 * 0.85**49)
    without = StatefulPolicyEngine(LastTwo())
    without.register("x", 1)
    assert without.memory["x"].stability is None


def test_a_history_begins_with_the_registration() -> None:
    """All touches since the registration are handed over, in order."""
    engine = StatefulPolicyEngine(LastTwo())
    engine.register("x", 1)
    engine.recall("x", 7)
    assert engine.retention("x", 17) == math.exp(-10 / (4 + 6))
    engine.register("x", 8)
    assert engine.retention("x", 12) == math.exp(-4 / 4)
