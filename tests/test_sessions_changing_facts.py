"""Tests of vecdecay.sessions.changing_facts: versions of facts, questions, and the published experiment beside ours."""

from dataclasses import replace

import vecdecay as vd
from vecdecay.items import FOUNDATIONAL, Attributes
from vecdecay.policies.your_memory import YourMemory
from vecdecay.sessions.session import RECALL, REGISTER


def test_each_value_supersedes_the_one_before_and_questions_ask_for_the_current_one() -> None:
    """Replayed with a plain dictionary: who is current, who is asked for, and how often."""
    workload = vd.ChangingFacts(num_facts=3, changes_per_fact=4, confusion=0.5, noise_per_turn=2)
    asked = outdated = 0
    for seed in range(20):
        session = workload.session(seed)
        current: dict[int, int] = {}  # of each fact, by its first value
        first: dict[int, int] = {}
        for _, kind, item in session.events:
            if kind == REGISTER:
                older = session.supersedes[item]
                first[item] = item if older < 0 else first[older]
                assert older < 0 or current[first[item]] == older
                current[first[item]] = item
            elif kind == RECALL:
                is_current = current[first[item]] == item
                assert is_current or session.supersedes[current[first[item]]] == item
                asked += is_current
                outdated += not is_current
        finals = {item for item, kind in enumerate(session.item_kinds) if kind == FOUNDATIONAL}
        assert finals == {0, 1, 2}
        assert finals <= set(current.values())
    assert 0.08 < asked / (20 * 3 * 149) < 0.12
    assert 0.25 < outdated / asked < 0.55


def test_parameters_do_what_they_say() -> None:
    """Each share at 0 means none: of outdated values asked for, of known times, of changes."""
    base = vd.ChangingFacts(num_facts=2, noise_per_turn=0)
    sure = vd.simulate(replace(base, confusion=0.0), vd.KeepAll(), range(20))
    assert set(sure.sessions["stale_hits"].to_pylist()) == {0}
    assert base.session(1).valid_turns != ()
    assert replace(base, known_times=0.0).session(1).valid_turns == ()
    assert replace(base, changes_per_fact=0).session(1).supersedes == ()


def test_the_published_pairs() -> None:
    """Published: 5 of 5 current facts are stronger than the outdated ones. Of these, 3 are still there to be found."""
    pairs = [  # importance, days and recalls of the outdated fact, of the current one
        (0.8, 45, 2, 3, 1), (0.7, 60, 1, 5, 0), (0.8, 50, 3, 4, 2), (0.5, 90, 0, 10, 0), (0.9, 30, 4, 2, 6),
    ]  # fmt: skip
    stronger = found = 0
    for importance, days, uses, fresh_days, fresh_uses in pairs:
        policy, item = YourMemory(turns_per_day=1), Attributes(importance=importance)
        old, new = policy.retention(days, uses + 1, item), policy.retention(fresh_days, fresh_uses + 1, item)
        stronger += new > old
        found += old >= 0.05
    assert (stronger, found) == (5, 3)


def test_hiding_or_deleting_what_is_superseded_loses_no_current_value() -> None:
    """Then every miss is an outdated value that is not found; by event time, only values of known time are closed."""
    workload = vd.ChangingFacts(noise_per_turn=0, known_times=0.5)
    reactions = ("ignore", "hide", "delete", "by_event_time")
    policies = [vd.KeepAll(on_superseded=one) for one in reactions]
    sessions = vd.simulate(workload, policies, range(10)).sessions.to_pylist()
    stale, misses = (
        {one: sum(row[name] for row in sessions[10 * place : 10 * place + 10]) for place, one in enumerate(reactions)}
        for name in ("stale_hits", "misses")
    )
    assert (stale["hide"], stale["delete"], misses["ignore"]) == (0, 0, 0)
    assert misses["hide"] == misses["delete"] == stale["ignore"] > 100
    assert 0 < stale["by_event_time"] < stale["ignore"]
