"""Policies in days, hours or seconds read the recorded time of a session, and active days those of its events."""

import sys
from dataclasses import dataclass, replace

import numpy as np
import pytest
from comparing import engines_for
from conftest import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from test_sessions_clock import clocks

import vecdecay as vd
from vecdecay.engines.registry import play_block
from vecdecay.engines.timing import scalar_timing
from vecdecay.policies import POLICIES
from vecdecay.policies.base import Policy
from vecdecay.policies.rules import Rules
from vecdecay.sessions.block import Cohort
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.session import FOUNDATIONAL, RECALL, REGISTER, Session
from vecdecay.testing import sessions

TIMED = [kind for kind in POLICIES if kind().in_seconds() is not None and len(engines_for(kind())) > 1]
"""Memory systems are played by the reference alone."""
DAY = 86_400


@dataclass(frozen=True)
class Weekly(vd.TablePolicy):
    """A policy of one's own that keeps what was used within some days."""

    most_days: float = 7.0
    turns_per_day: float = 1.0
    eviction_threshold: float = 0.5

    def retention(self, age: int, recall_count: int) -> float:
        """Return 1 within these days and 0 after."""
        return 1.0 if age <= self.most_days * self.turns_per_day else 0.0


def assert_alike(drawn: list[Session], policy: Policy) -> None:
    """Compare every engine with the reference, column by column."""
    block = block_of(drawn)
    expected = play_block(block, policy, "reference", (3, 9), want_items=True, want_turns=True)
    for engine in ("auto", "lockstep"):
        found = play_block(block, policy, engine, (3, 9), want_items=True, want_turns=True)
        assert expected.items is not None
        assert found.items is not None
        assert expected.turns is not None
        assert found.turns is not None
        for name in ("items_evicted", "working_set_sum", "token_turns", "misses", "recalls", "checkpoint_present"):
            assert np.array_equal(getattr(expected, name), getattr(found, name)), (engine, name)
        assert np.array_equal(expected.items.evicted_turn, found.items.evicted_turn)
        assert np.array_equal(expected.items.evicted_reason, found.items.evicted_reason)
        assert np.array_equal(expected.turns.working_set, found.turns.working_set)
        if expected.items.stability is not None:
            assert np.array_equal(expected.items.stability, found.items.stability)


@st.composite
def timed_sessions(draw: st.DrawFn) -> Session:
    """Draw a session with a clock."""
    session = draw(sessions())
    return replace(session, clock=tuple(one for one in draw(clocks()) if one[0] <= session.session_length) or ((1, 1),))


@pytest.mark.parametrize("kind", TIMED, ids=lambda kind: kind.__name__)
@settings(max_examples=examples(6))
@given(drawn=st.lists(timed_sessions(), min_size=1, max_size=8))
def test_all_engines_read_the_recorded_time_alike(kind: type[Policy], drawn: list[Session]) -> None:
    """Of every shipped policy in days, hours or seconds; the job of YourMemory and the loads of MemoryBank too."""
    assert_alike(drawn, kind())


@settings(max_examples=examples(20))
@given(drawn=st.lists(timed_sessions(), min_size=1, max_size=6), clock=st.sampled_from(("active", "wall")))
def test_all_engines_run_a_job_alike(drawn: list[Session], clock: str) -> None:
    """With a job of six hours, by either clock, and items that live a few days."""
    assert_alike(drawn, vd.YourMemory(clock=clock, job_period_hours=6.0, turns_per_day=4, fact_rate=0.9))


@settings(max_examples=examples(20))
@given(drawn=st.lists(sessions(), min_size=1, max_size=6), unit=st.sampled_from((1, 3)))
def test_all_engines_count_active_days_alike(drawn: list[Session], unit: int) -> None:
    """Without a recorded time, by the turns of the events."""
    assert_alike(drawn, vd.YourMemory(turns_per_day=unit, job_period_hours=24.0, fact_rate=0.9))


@dataclass(frozen=True)
class Strict(Weekly):
    """Ages count from the registration, fast recalls do not count, fresh items stay; days are active ones."""

    most_days: float = 2.0
    unit: int = 2

    def rules(self) -> Rules:
        """Return rules that all bite."""
        return Rules(3, False, 2, 4, self.unit, inclusive=True, active=True)


@settings(max_examples=examples(20))
@given(drawn=st.lists(timed_sessions() | sessions(), min_size=1, max_size=1), unit=st.sampled_from((1, 3)))
def test_all_engines_keep_every_rule_on_a_clock_alike(drawn: list[Session], unit: int) -> None:
    """A table policy is played item by item on its clock, with the rules of the turn-major engine."""
    assert_alike(drawn, Strict(unit=unit))


def first_turn(session: Session, policy: Policy) -> int | None:
    """Return the turn in which item 0 is evicted."""
    items = play_block(block_of([session]), policy, "auto", want_items=True).items
    assert items is not None
    return int(items.evicted_turn[0]) or None


def test_an_item_goes_in_the_first_turn_after_its_time() -> None:
    """0.99 an hour falls below 0.2 in hour 161, whatever number of turns that is."""
    hours = (0, 0, 1, 100, 160, 161, 900)
    clock = tuple((turn, 1 + 3600 * hour) for turn, hour in enumerate(hours, 1))
    session = Session(7, (FOUNDATIONAL,), ((1, REGISTER, 0),), clock=clock)
    assert first_turn(session, vd.LangChainRecency()) == 6
    assert first_turn(replace(session, clock=()), vd.LangChainRecency()) is None


def test_a_policy_of_ones_own_with_turns_per_day_reads_it_too() -> None:
    """Seven days to the second, in a session of four turns."""
    clock = ((1, 100), (2, 100 + 7 * DAY), (3, 101 + 7 * DAY), (4, 8 * DAY))
    assert first_turn(Session(4, (1,), ((1, REGISTER, 0),), clock=clock), Weekly()) == 3


def test_silent_days_age_nothing() -> None:
    """A fact of importance 0.5 lives 24 active days: with events on every second day, 47 days."""
    other = tuple((turn, REGISTER, 1) for turn in range(1, 150, 2))
    session = Session(150, (1, 1), ((1, REGISTER, 0), *other))
    every = Session(150, (1, 1), ((1, REGISTER, 0), *((turn, REGISTER, 1) for turn in range(1, 151))))
    assert (first_turn(every, vd.YourMemory()), first_turn(session, vd.YourMemory())) == (24, 47)
    # A forget is no activity, and a recall that misses is.
    forgets = tuple((turn, 2, 1) for turn in range(2, 150))
    assert first_turn(replace(session, events=((1, REGISTER, 0), *forgets)), vd.YourMemory()) is None
    misses = tuple((turn, RECALL, 1) for turn in range(2, 150))
    assert first_turn(replace(session, events=((1, REGISTER, 0), *misses)), vd.YourMemory()) == 24


def test_a_recall_in_the_afternoon_does_not_meet_what_the_morning_took() -> None:
    """The 24th day has begun in turn 47, whose pass takes the item; the recall is on the same day."""
    other = tuple((turn, REGISTER, 1) for turn in range(1, 48))
    session = Session(48, (1, 1), ((1, REGISTER, 0), *other, (48, RECALL, 0)))
    policy = vd.YourMemory(turns_per_day=2, job_period_hours=12.0)
    assert play_block(block_of([session]), policy, "auto").misses.tolist() == [1]
    assert_alike([session], policy)


def test_no_engine_forgets_or_frees_the_clocks() -> None:
    """Kernels that count references to arrays and kernels that do not share functions: the counts stay as they were."""
    session = Session(3, (FOUNDATIONAL,), ((1, REGISTER, 0), (3, RECALL, 0)), clock=((1, 1), (3, 9 * DAY)))
    block = block_of([session])
    assert block.clocks is not None
    before = [sys.getrefcount(one) for one in block.clocks]
    for policy in (vd.YourMemory(), vd.MemoryBank(), vd.MemoryDecayCore()):
        for engine in ("lockstep", "auto") * 3:
            play_block(block, policy, engine)
    assert [sys.getrefcount(one) for one in block.clocks] == before


def test_days_are_those_of_the_calendar() -> None:
    """Registered at 23:59:59, an item is two active days old two seconds later, and the job of midnight has run."""
    strong = vd.YourMemory(fact_rate=2.0, eviction_threshold=0.1)  # gone on the second active day
    late, early = (((1, second), (2, second + 2)) for second in (DAY, DAY - 10))
    events = ((1, REGISTER, 0), (2, REGISTER, 1))
    assert first_turn(Session(2, (1, 1), events, clock=late), strong) is None  # its job ran in turn 1
    assert first_turn(Session(2, (1, 1), events, clock=early), strong) is None  # no midnight lies between
    longer = ((1, DAY - 10), (2, DAY + 1), (3, 2 * DAY))
    assert first_turn(Session(3, (1, 1), events, clock=longer), strong) == 2


def test_noise_in_every_turn_leaves_no_silent_day() -> None:
    """Then a cohort stands for it, and is not written out; a cohort that ends earlier is."""
    whole = vd.PublishedSessions(session_length=60, num_foundational=1, recalls_per_foundational=0).block(range(2))
    outcome = play_block(whole, vd.YourMemory(), "auto")
    listed = play_block(whole.with_cohorts_listed(), vd.YourMemory(), "reference")
    assert np.array_equal(outcome.working_set_sum, listed.working_set_sum)
    short = replace(whole, cohorts=(Cohort(1, 10, 3),))
    found, expected = (play_block(short, vd.YourMemory(), engine) for engine in ("auto", "reference"))
    assert found.working_set_sum.tolist() == expected.working_set_sum.tolist()
    assert found.items_evicted.tolist() == [0, 0]


def test_a_unit_counts_from_its_first_event_on() -> None:
    """A pass in the morning does not know of a recall in the evening; found by a drawn session."""
    session = Session(4, (FOUNDATIONAL,), ((1, REGISTER, 0), (2, RECALL, 0), (4, RECALL, 0)))
    timing = scalar_timing(vd.YourMemory(turns_per_day=2), session)
    assert [timing.now(turn) for turn in (1, 2, 3, 4)] == [1, 1, 1, 2]
