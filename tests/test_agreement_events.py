"""Requests to forget, and expiry: every engine that plays a policy gives what the reference gives, for every policy.

Drawn sessions are given requests and last turns as data, so that they fall on touches, on passes that evict anyway, and
on items that are pinned, absent or never registered.
"""

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from conftest import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import sessions

import vecdecay as vd
from vecdecay.engines.kernels.fields import DECAYED, EXPIRED, FORGOTTEN
from vecdecay.engines.outcome import first_difference
from vecdecay.engines.registry import REGISTRY, play_block
from vecdecay.errors import InvalidInputError
from vecdecay.items import Attributes
from vecdecay.policies import POLICIES
from vecdecay.policies.base import Policy
from vecdecay.policies.rules import Rules
from vecdecay.sessions.block import Cohort
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.events import Query, forget, recall, register
from vecdecay.sessions.session import FORGET, FOUNDATIONAL, NOISE, RECALL, REGISTER, Session, session_of


@st.composite
def sessions_with_requests(draw: st.DrawFn) -> Session:
    """Draw a session in which some recalls became requests to forget, and some items expire."""
    session = draw(sessions((5, 13, 16)))
    choices = draw(st.binary(min_size=40, max_size=40))
    events = tuple(
        (turn, FORGET if kind == RECALL and choices[place % 32] % 4 == 0 else kind, item)
        for place, (turn, kind, item) in enumerate(session.events)
    )
    last_turns = tuple(
        choices[32 + item % 8] % (session.session_length + 2) if choices[item] % 2 else 0
        for item in range(len(session.item_kinds))
    )
    return replace(session, events=events, expires_turns=last_turns if any(last_turns) else ())


@pytest.mark.parametrize("kind", POLICIES, ids=lambda kind: kind.name)
@settings(max_examples=examples(15), suppress_health_check=list(HealthCheck))
@given(several=st.lists(sessions_with_requests(), min_size=4, max_size=8))
def test_every_engine_plays_requests_and_expiry_alike(kind: type[Policy], several: list[Session]) -> None:
    """Items, turns, checkpoints and totals are the same to the bit, reasons of eviction included."""
    block, policy = block_of(several), kind()
    for relearn in (False, True):
        truth = play_block(block, policy, "reference", (1, 7, 30), True, True, relearn=relearn, asked=("dead_weight",))
        for engine in REGISTRY.values():
            if engine.can_play(policy):
                wanted: dict[str, Any] = {"relearn": relearn, "asked": ("dead_weight",)}
                found = play_block(block, policy, engine.name, (1, 7, 30), True, True, **wanted)
                assert first_difference(truth, found) == "", (engine.name, relearn)


def test_the_drawn_sessions_hold_every_reason() -> None:
    """Decay, requests and expiry all occur, else the test before shows little."""
    met: Counter[int] = Counter()

    @settings(max_examples=60, database=None, suppress_health_check=list(HealthCheck))
    @given(session=sessions_with_requests())
    def count(session: Session) -> None:
        items = play_block(block_of([session]), vd.RecencyWindow(window_size=13), "reference", want_items=True).items
        assert items is not None
        met.update(items.evicted_reason.tolist())

    count()
    assert min(met[reason] for reason in (DECAYED, FORGOTTEN, EXPIRED)) >= 10, met


ENGINES = pytest.mark.parametrize("engine", ["reference", "horizon", "lockstep"])


def fate(events: list[vd.Event], policy: Policy, engine: str, length: int = 20) -> list[tuple[int, int, int, int]]:
    """Return (turn of eviction, reason, hits, misses) of every item."""
    items = play_block(block_of([session_of(events, length)]), policy, engine, want_items=True).items
    assert items is not None
    columns = (items.evicted_turn, items.evicted_reason, items.hits, items.misses)
    return list(zip(*(column.tolist() for column in columns), strict=True))


@ENGINES
def test_a_request_removes_at_once(engine: str) -> None:
    """A recall later in the very turn misses; one earlier in the turn hits; what is absent cannot be forgotten."""
    events = [register(1, 0), recall(4, 0), forget(4, 0), recall(4, 0), forget(5, 0), recall(6, 0)]
    assert fate(events, vd.KeepAll(), engine) == [(4, FORGOTTEN, 1, 2)]


@ENGINES
def test_a_forgotten_item_may_be_learnt_again(engine: str) -> None:
    """It starts anew, and keeps the entry of its eviction, as an item does that was evicted for its age."""
    events = [register(1, 0), forget(3, 0), register(5, 0), recall(7, 0)]
    assert fate(events, vd.KeepAll(), engine) == [(3, FORGOTTEN, 1, 0)]


@ENGINES
def test_a_miss_may_teach(engine: str) -> None:
    """With ``relearn`` a recall that misses registers the item, one before any registration too: the next one hits."""
    block = block_of([session_of([recall(1, 0), recall(3, 0), recall(9, 0), recall(9, 0)])])
    outcome = play_block(block, vd.RecencyWindow(window_size=4), engine, want_items=True, relearn=True)
    assert outcome.items is not None
    columns = outcome.items.hits, outcome.items.misses, outcome.items.recall_count, outcome.registrations
    assert [int(column[0]) for column in columns] == [2, 2, 2, 2]
    assert int(outcome.working_set_sum[0]) == 7 + 1


@ENGINES
def test_an_item_is_found_in_its_last_turn(engine: str) -> None:
    """The pass of ``expires_turn`` removes it: a recall in that turn hits, one a turn later misses."""
    events = [register(1, 0, expires_turn=6), recall(6, 0), recall(7, 0)]
    assert fate(events, vd.KeepAll(), engine) == [(6, EXPIRED, 1, 1)]


@ENGINES
def test_what_expired_before_it_came_goes_in_its_first_pass(engine: str) -> None:
    """A last turn that is over when the item is registered lets it be found in that turn only."""
    assert fate([register(5, 0, expires_turn=2), recall(5, 0), recall(6, 0)], vd.KeepAll(), engine) == [
        (5, EXPIRED, 1, 1)
    ]


@ENGINES
def test_decay_comes_before_expiry(engine: str) -> None:
    """Where both fall into one pass, the reason is decay."""
    window = vd.RecencyWindow(window_size=3)
    assert fate([register(1, 0, expires_turn=5)], window, engine) == [(5, DECAYED, 0, 0)]
    assert fate([register(1, 0, expires_turn=4)], window, engine) == [(4, EXPIRED, 0, 0)]


@ENGINES
def test_pins_protect_from_decay_alone(engine: str) -> None:
    """A pinned item is forgotten on request, and expires."""
    pinned = Attributes(pinned=True)
    events = [register(1, 0, attributes=pinned), register(1, 1, attributes=pinned, expires_turn=9), forget(8, 0)]
    window = vd.RecencyWindow(window_size=2)
    assert fate(events, window, engine) == [(8, FORGOTTEN, 0, 0), (9, EXPIRED, 0, 0)]


@ENGINES
def test_what_no_engine_plays_is_refused(engine: str) -> None:
    """Queries are an error, never ignored."""
    events = [register(1, 0), (2, "query", None, Query(1))]
    with pytest.raises(InvalidInputError, match="the sessions hold query events, which no engine plays yet"):
        play_block(block_of([session_of(events)]), vd.Ebbinghaus(), engine)


@pytest.mark.parametrize("kind", POLICIES, ids=lambda kind: kind.name)
def test_cohorts_in_sessions_of_unequal_length(kind: type[Policy]) -> None:
    """Totals, items and turns with cohorts are those of the same block with every item listed."""
    base = block_of([Session(length, (FOUNDATIONAL,), ((1, REGISTER, 0), (3, RECALL, 0))) for length in (9, 30, 9, 14)])
    block = replace(base, cohorts=(Cohort(2, 40, 2), Cohort(12, 13, 1, tokens=3)), touch_order=None)
    policy = kind()
    for engine in REGISTRY.values():
        if engine.can_play(policy):
            for items, turns in ((False, False), (True, False), (False, True)):
                left = play_block(block, policy, engine.name, (5, 12), items, turns)
                right = play_block(block.with_cohorts_listed(), policy, "reference", (5, 12), items, turns)
                assert first_difference(right, left) == "", engine.name


class Ruled(vd.Fsrs6):
    """FSRS under all rules at once."""

    def rules(self) -> Rules:
        """Look every third turn, count in pairs of turns, both ends included; cooldown and grace."""
        return Rules(period_turns=3, cooldown_turns=2, grace_turns=7, unit_turns=2, inclusive=True)


@settings(max_examples=examples(10), suppress_health_check=list(HealthCheck))
@given(several=st.lists(sessions_with_requests(), min_size=4, max_size=8), threshold=st.sampled_from((0.9, 0.95, 0.8)))
def test_rules_are_the_same_for_stateful_policies(several: list[Session], threshold: float) -> None:
    """Period, cooldown, grace, unit and inclusive mean the same in all engines, for a policy with a state too."""
    policy, block = Ruled(eviction_threshold=threshold), block_of(several)
    truth = play_block(block, policy, "reference", (3,), True, True)
    for engine in ("stateful", "lockstep"):
        assert first_difference(truth, play_block(block, policy, engine, (3,), True, True)) == ""


def test_rules_that_a_stateful_policy_decides_itself_are_refused() -> None:
    """A history counts every use, and on_recall decides what a recall does."""

    class Cool(vd.ActR):
        def rules(self) -> Rules:
            return Rules(cooldown_turns=2)

    class Stale(vd.Fsrs6):
        def rules(self) -> Rules:
            return Rules(touch_refreshes=False)

    block = block_of([Session(3, (NOISE,), ((1, REGISTER, 0),))])
    for policy, wanted in ((Cool(), "cooldown_turns is 2; allowed: 0"), (Stale(), "touch_refreshes is False; allowed")):
        with pytest.raises(InvalidInputError, match=wanted):
            play_block(block, policy)


def test_an_engine_ends_on_a_touch_that_it_does_not_know() -> None:
    """A block cannot hold one; a kernel that is handed one by another way ends in an error."""
    block = block_of([Session(3, (NOISE,), ((1, REGISTER, 0), (2, RECALL, 0)))])
    for engine in ("horizon", "lockstep"):
        play_block(block, vd.RecencyWindow(), engine)
    block.touch_kind[1] = 7
    for engine in ("horizon", "lockstep"):
        with pytest.raises(ValueError, match="knows no touch of this kind"):
            play_block(block, vd.RecencyWindow(), engine)
    assert np.array_equal(block.touch_kind, [0, 7])


def test_the_items_table_says_which_class_was_lost() -> None:
    """Reason, importance, category and pin are columns, for listed items and for those of cohorts, in every engine."""
    events = [
        register(1, 0, importance=0.9, category="strategy"),
        register(1, 1, pinned=True),
        register(2, 2, expires_turn=4),
        forget(3, 1),
    ]
    wanted = [
        (5, "decayed", 0.9, "strategy", False),
        (3, "forgotten", 0.5, "fact", True),
        (4, "expired", 0.5, "fact", False),
    ]
    session = session_of(events, 6)
    for engine in ("reference", "horizon", "lockstep"):
        items = vd.simulate(session, vd.RecencyWindow(window_size=3), detail="items", engine=engine).items
        names = ("evicted_turn", "evicted_reason", "importance", "category", "pinned")
        assert list(zip(*(items[name].to_pylist() for name in names), strict=True)) == wanted
    noise = vd.simulate(vd.PublishedSessions(session_length=20), vd.RecencyWindow(), range(2), detail="items").items
    assert set(noise["evicted_reason"].to_pylist()) == {"decayed", None}
    assert noise["category"].unique().to_pylist() == ["fact"]
