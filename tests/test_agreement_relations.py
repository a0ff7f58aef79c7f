"""Versions, derived copies and what becomes of them: every engine gives what the reference gives, for every policy."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from conftest import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from relations import reacting, related_sessions

import vecdecay as vd
from vecdecay.engines.kernels.fields import CASCADED, FORGOTTEN, SUPERSEDED
from vecdecay.engines.outcome import first_difference
from vecdecay.engines.played import play
from vecdecay.engines.reference import engine_for, run
from vecdecay.engines.registry import REGISTRY, play_block
from vecdecay.policies import POLICIES
from vecdecay.policies.base import Policy
from vecdecay.policies.cache import CachePolicy
from vecdecay.policies.reactions import ON_FORGET, ON_SUPERSEDED
from vecdecay.policies.system import SystemPolicy
from vecdecay.sessions.block import Cohort
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.events import Event, forget, recall, register
from vecdecay.sessions.session import FORGET, REGISTER, Session, session_of

ALL_REACTIONS = [(superseded, forgets) for superseded in ON_SUPERSEDED for forgets in ON_FORGET]


CROWDED = (
    vd.Ebbinghaus(capacity_items=2),
    vd.RecencyWindow(window_size=9, capacity_tokens=6, evict_at="before_insert"),
    vd.Sm2(capacity_items=2, evict_at="after_insert"),
)


def small(kind: type[Policy]) -> Policy:
    """Return a policy of the kind, with room for two items where it is one of a cache."""
    return kind(capacity_items=2) if issubclass(kind, CachePolicy) else kind()  # type: ignore[call-arg]


COMPILED_POLICIES = [kind for kind in POLICIES if not issubclass(kind, SystemPolicy)]
"""Systems are played by the scalar reference alone."""


@pytest.mark.parametrize("kind", [*COMPILED_POLICIES, *CROWDED], ids=lambda kind: getattr(kind, "name", repr(kind)))
@settings(max_examples=examples(5), suppress_health_check=list(HealthCheck))
@given(
    several=st.lists(related_sessions(), min_size=3, max_size=6),
    reactions=st.sampled_from(ALL_REACTIONS),
    relearn=st.booleans(),
)
def test_every_engine_reacts_alike(
    kind: type[Policy] | Policy, several: list[Session], reactions: tuple[str, str], relearn: bool
) -> None:
    """Items, turns, checkpoints and totals are the same to the bit, reasons of eviction included."""
    block, policy = block_of(several), reacting(kind if isinstance(kind, Policy) else small(kind), *reactions)
    wanted: dict[str, Any] = {
        "want_items": True,
        "want_turns": True,
        "want_misses": True,
        "want_relations": True,
        "relearn": relearn,
    }
    wanted["asked"] = ("token_hit_rate",)
    truth = play_block(block, policy, "reference", (1, 7, 30), **wanted)
    for engine in REGISTRY.values():
        if engine.can_play(policy):
            found = play_block(block, policy, engine.name, (1, 7, 30), **wanted)
            assert first_difference(truth, found) == "", (engine.name, reactions, relearn)


def test_the_drawn_sessions_hold_every_reason() -> None:
    """Requests, supersession and cascades all evict, and hits on what should not be found occur, else all is idle."""
    met: Counter[object] = Counter()

    @settings(max_examples=60, database=None, suppress_health_check=list(HealthCheck))
    @given(session=related_sessions())
    def count(session: Session) -> None:
        trace = run(engine_for(reacting(vd.KeepAll(), "delete", "cascade"), session), session)
        met.update(item.evicted_reason for item in trace.items)
        plain = run(engine_for(vd.KeepAll(), session), session)
        met.update(stale=plain.stale_hits, forbidden=plain.forbidden_hits)

    count()
    assert min(met[one] for one in (FORGOTTEN, SUPERSEDED, CASCADED, "stale", "forbidden")) >= 10, met


@pytest.mark.parametrize("reactions", ALL_REACTIONS)
def test_cohorts_behind_related_items(reactions: tuple[str, str]) -> None:
    """Items of cohorts are nobody's version or copy: with them listed or not, and by the reference, all is the same."""
    events = [register(1, 0), register(2, 1, supersedes=0, sources=(0,)), recall(3, 0), forget(4, 0), recall(5, 1)]
    base = block_of([session_of(events, 9), session_of(events, 14)])
    block = replace(base, cohorts=(Cohort(2, 9, 2),))
    policy = reacting(vd.YourMemory(turns_per_day=2), *reactions)
    truth = play_block(block.with_cohorts_listed(), policy, "reference", (5,), True, True)
    for engine in REGISTRY.values():
        if engine.can_play(policy):
            assert first_difference(truth, play_block(block, policy, engine.name, (5,), True, True)) == "", engine.name


ENGINES = pytest.mark.parametrize("engine", ["reference", "horizon", "lockstep"])


def fate(
    events: list[Event], engine: str, on_superseded: str = "ignore", on_forget: str = "only_item"
) -> list[tuple[int, int, int, int]]:
    """Return (turn of eviction, reason, hits, misses) of every item under a policy that keeps all."""
    policy = reacting(vd.KeepAll(), on_superseded, on_forget)
    items = play_block(block_of([session_of(events, 20)]), policy, engine, want_items=True).items
    assert items is not None
    columns = (items.evicted_turn, items.evicted_reason, items.hits, items.misses)
    return list(zip(*(column.tolist() for column in columns), strict=True))


CHANGED = [register(1, "Oslo"), recall(2, "Oslo"), register(4, "Rome", supersedes="Oslo"), recall(4, "Oslo")]


@ENGINES
@pytest.mark.parametrize(
    ("reaction", "old"),
    [("ignore", (0, 0, 2, 0)), ("hide", (0, 0, 1, 1)), ("delete", (4, SUPERSEDED, 1, 1))],
)
def test_a_newer_version(engine: str, reaction: str, old: tuple[int, ...]) -> None:
    """It changes nothing, hides the older one, or removes it at once; the newer one is there whatever the policy."""
    assert fate([*CHANGED, recall(6, "Rome")], engine, reaction) == [old, (0, 0, 1, 0)]


@ENGINES
def test_an_older_version_may_come_back(engine: str) -> None:
    """Registered anew, it is found again, hidden or removed as it was."""
    back = [*CHANGED, register(7, "Oslo"), recall(9, "Oslo")]
    assert fate(back, engine, "hide")[0] == (0, 0, 2, 1)
    assert fate(back, engine, "delete")[0] == (4, SUPERSEDED, 2, 1)


@ENGINES
@pytest.mark.parametrize(
    ("newer", "older", "hits"), [(9, 4, (0, 1)), (4, 9, (1, 0)), (4, 4, (1, 1)), (0, 4, (1, 1)), (4, 0, (1, 1))]
)
def test_validity_by_event_time(engine: str, newer: int, older: int, hits: tuple[int, int]) -> None:
    """The version that was true earlier is hidden, be it the newcomer; equal or missing times hide nothing."""
    events = [
        register(5, 0, valid_turn=older),
        register(7, 1, supersedes=0, valid_turn=newer),
        recall(8, 0),
        recall(8, 1),
    ]
    assert tuple(one[2] for one in fate(events, engine, "by_event_time")) == hits


COPIES = [
    register(1, "address"),
    register(2, "summary", sources=("address",)),
    register(3, "profile", sources=("summary",), pinned=True),
    register(3, "other"),
    forget(5, "address"),
    *(recall(6, one) for one in ("address", "summary", "profile", "other")),
]


@ENGINES
def test_derived_copies_go_with_their_source(engine: str) -> None:
    """Those of copies too, pinned ones too; neighbours stay. By default a request removes no more than its item."""
    gone = (5, CASCADED, 0, 1)
    assert fate(COPIES, engine, on_forget="cascade") == [(5, FORGOTTEN, 0, 1), gone, gone, (0, 0, 1, 0)]
    assert fate(COPIES, engine)[1:] == [(0, 0, 1, 0)] * 3


def test_what_should_not_be_found_is_counted() -> None:
    """The reference counts hits on outdated versions, and on copies of what was to be forgotten."""
    stale = session_of([*CHANGED, recall(8, "Oslo"), register(9, "Oslo"), recall(9, "Oslo")])
    assert run(engine_for(vd.KeepAll(), stale), stale).stale_hits == 2
    assert run(engine_for(reacting(vd.KeepAll(), "hide"), stale), stale).stale_hits == 0
    leaks = session_of([*COPIES, (8, "register", "summary"), recall(9, "summary"), recall(10, "address")])
    assert run(engine_for(vd.KeepAll(), leaks), leaks).forbidden_hits == 2
    assert run(engine_for(reacting(vd.KeepAll(), on_forget="cascade"), leaks), leaks).forbidden_hits == 0
    assert run(engine_for(vd.KeepAll(), leaks), leaks, relearn=True).forbidden_hits == 3


def test_a_forgotten_item_never_hits_before_it_comes_again() -> None:
    """Whatever the policy and its reactions; and with a cascade, nothing that was derived from it does."""

    @settings(max_examples=examples(40), suppress_health_check=list(HealthCheck))
    @given(session=related_sessions(), reaction=st.sampled_from(ON_SUPERSEDED))
    def check(session: Session, reaction: str) -> None:
        policy = reacting(vd.RecencyWindow(window_size=9), reaction, "cascade")
        assert run(engine_for(policy, session), session).forbidden_hits == 0

    check()


def test_room_is_made_before_the_newer_version_comes() -> None:
    """A full memory that removes the older version evicts nobody else."""
    events = [register(1, 0), register(2, 1), register(3, 2, supersedes=1), recall(4, 0), recall(4, 2)]
    for engine in ("reference", "cache"):
        outcome = play_block(block_of([session_of(events)]), reacting(vd.Lru(capacity_items=2), "delete"), engine)
        assert (outcome.misses[0], outcome.items_evicted[0]) == (0, 1)


def test_results_count_what_concerns_several_items_where_there_is_such() -> None:
    """Sessions with versions or copies have the counts in both tables; others have none of these columns."""
    leaks = session_of([*COPIES, register(7, "new", supersedes="other"), recall(8, "other")])
    result = vd.simulate([leaks, leaks], [vd.KeepAll(), vd.RecencyWindow(window_size=2)])
    stale, forbidden = result.sessions["stale_hits"].to_pylist(), result.sessions["forbidden_hits"].to_pylist()
    assert (stale, forbidden) == ([1, 1, 1, 1], [2, 2, 1, 1])  # the profile is pinned
    assert result.cells["evicted_forgotten_mean"].to_pylist() == [1.0, 0.0]
    assert result.cells["stale_hits_mean"].to_pylist() == [1.0, 1.0]
    reasons = [name for name in result.sessions.column_names if name.startswith("evicted_")]
    totals = [sum(row[name] for name in reasons) for row in result.sessions.to_pylist()]
    assert totals == result.sessions["items_evicted"].to_pylist()
    plain = vd.simulate(session_of([register(1, 0), recall(2, 0)]), vd.KeepAll())
    assert not {*reasons, "stale_hits", "forbidden_hits"} & {*plain.sessions.column_names, *plain.cells.column_names}


def counted_plainly(session: Session, found: tuple[bool, ...]) -> tuple[int, int]:
    """Return hits on outdated versions, and on what was to be forgotten, from the events and what recalls found."""
    results, since = iter(found), dict[int, dict[str, int]]()  # of each item the places of what happened to it last
    stale = forbidden = 0
    for place, (_, kind, item) in enumerate(session.events):
        if kind == REGISTER:
            since.setdefault(item, {})["told"] = place
            if session.supersedes and session.supersedes[item] >= 0:
                since.setdefault(session.supersedes[item], {})["superseded"] = place
        elif kind == FORGET:
            reached = {item}
            while more := {
                copy for copy, sources in enumerate(session.sources) if copy not in reached and reached & {*sources}
            }:
                reached |= more
            for one in reached:
                since.setdefault(one, {})["forgotten"] = place
        elif next(results):
            last = {"told": -1, "superseded": -2, "forgotten": -2} | since.get(item, {})
            stale += last["superseded"] > last["told"]
            forbidden += last["forgotten"] > last["told"]
    return stale, forbidden


@settings(max_examples=examples(40), suppress_health_check=list(HealthCheck))
@given(session=related_sessions(), reactions=st.sampled_from(ALL_REACTIONS))
def test_stale_and_forbidden_hits_are_those_of_plain_dictionaries(session: Session, reactions: tuple[str, str]) -> None:
    """Counted anew from the events and from which recalls hit, by other means than those of the engines."""
    policy = reacting(vd.RecencyWindow(window_size=9), *reactions)
    played = play(session, policy)
    counts = counted_plainly(session, played.found)
    assert counts == (played.trace.stale_hits, played.trace.forbidden_hits)
    outcome = play_block(block_of([session]), policy, want_relations=True)
    assert outcome.stale_hits is not None
    assert outcome.forbidden_hits is not None
    assert counts == (outcome.stale_hits[0], outcome.forbidden_hits[0])


def test_what_a_reaction_removes_is_told_turn_by_turn() -> None:
    """A played session shows the older version, and derived copies, among what was evicted in the turn."""
    assert play(CHANGED, vd.KeepAll(on_superseded="delete")).evicted == {4: (0,)}
    assert play(COPIES, vd.KeepAll(on_forget="cascade")).evicted == {5: (1, 2)}
    assert play(COPIES, vd.KeepAll()).evicted == {}
