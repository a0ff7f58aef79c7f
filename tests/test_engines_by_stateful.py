"""Tests of vecdecay.engines.by_stateful: policies of one's own, cohorts, pinned items, what is refused, and speed."""

import subprocess
import sys
import time
from dataclasses import replace

import pytest
from comparing import COMPILED, engines_for, expect_same, play_everywhere
from hypothesis import given, settings
from hypothesis import strategies as st
from own_policies import ALL, Gentle, Important
from strategies import attributes, cohorts, sessions

import vecdecay as vd
from vecdecay.engines import by_stateful
from vecdecay.engines.registry import chosen_engine, play_block
from vecdecay.errors import InvalidInputError
from vecdecay.items import DEFAULT_ATTRIBUTES
from vecdecay.policies.stateful import StatefulPolicy
from vecdecay.sessions.block import Cohort
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.session import Session

OWN = (vd.Fsrs6(), vd.ActR(), vd.ActR(approximation="standard"), vd.MemoryDecayCore(), vd.MemoryBankAsPublished())

PINNED = DEFAULT_ATTRIBUTES._replace(pinned=True)


@settings(max_examples=100 if COMPILED else 10)
@given(st.data(), sessions((1, 3, 8), described=True), st.sampled_from(ALL + OWN))
def test_cohorts_are_their_items(data: st.DataObject, session: Session, policy: StatefulPolicy) -> None:
    """Cohorts come to what their items come to when each is listed, in totals, turns and checkpoints."""
    one = st.tuples(cohorts(session.session_length), attributes(), st.integers(1, 4))
    given_cohorts = tuple(Cohort(*turns, *rest) for turns, *rest in data.draw(st.lists(one, max_size=3)))
    block = replace(block_of([replace(session, seed_key=data.draw(st.integers(0, 2**40)))]), cohorts=given_cohorts)
    checkpoints = (1, session.session_length)
    expect_same(
        {
            "reference": play_block(block, policy, "reference", checkpoints, want_turns=True),
            **{
                engine: play_block(block, policy, engine, checkpoints, want_turns=True)
                for engine in engines_for(policy)[1:]
            },
            "listed": play_block(block_of(block.sessions()), policy, "stateful", checkpoints, want_turns=True),
        }
    )
    play_everywhere(block, policy, checkpoints)


def test_a_block_with_its_cohorts_listed_has_the_same_sessions() -> None:
    """Listing the items of cohorts changes neither events nor numbers, kinds, attributes, sizes or seeds."""
    more = (Cohort(2, 5, 3), Cohort(1, 1, 2, PINNED, 7))
    block = replace(vd.PublishedSessions(session_length=9, noise_per_turn=2).block([3, 4, -5]), cohorts=more)
    for listed, plain in zip(block.with_cohorts_listed().sessions(), block.sessions(), strict=True):
        assert sorted(listed.events) == sorted(plain.events)
        assert replace(listed, events=()) == replace(plain, events=())
    empty = replace(block_of([]), cohorts=())
    assert empty.with_cohorts_listed() is empty


@pytest.mark.parametrize("policy", ALL + OWN, ids=lambda policy: policy.name)
def test_pinned_items_stay_and_unpinned_ones_go(policy: StatefulPolicy) -> None:
    """Under no policy a pinned item is evicted; the same item unpinned is."""
    events = ((1, 0, 0), (1, 0, 1), (2, 1, 0), (2, 1, 1))
    described = (PINNED, DEFAULT_ATTRIBUTES)
    outcome = play_everywhere([Session(900, (1, 1), events, described)], policy)
    assert outcome.items is not None
    assert outcome.items.present.tolist() == [1, 0]


def test_engines_by_name() -> None:
    """auto plays stateful policies by the stateful kernel; the table kernel refuses them in one line, unplayed."""
    assert chosen_engine("auto", Gentle()) == "stateful"
    assert chosen_engine("lockstep", Gentle()) == "lockstep"
    assert chosen_engine("reference", vd.Fsrs6()) == "reference"
    with pytest.raises(InvalidInputError, match="engine is 'horizon', which does not play fsrs6;") as caught:
        vd.simulate(vd.PublishedSessions(), vd.Fsrs6(), [1], engine="horizon")
    assert len(caught.value.problems) == 1
    with pytest.raises(TypeError, match="Ebbinghaus is not a stateful policy"):
        by_stateful.play(block_of([]), vd.Ebbinghaus(), by_stateful.NOTHING_WANTED)


def test_simulate_plays_all_kinds_together() -> None:
    """Results do not depend on threads, blocks or engine, whatever the kinds of the policies."""
    policies = [vd.Ebbinghaus(), vd.Fsrs6(), Gentle(), vd.MemoryBankAsPublished()]
    workload = vd.PublishedSessions(session_length=40, noise_per_turn=1)
    tables = [
        vd.simulate(workload, policies, range(30), threads=threads, engine=engine).sessions
        for threads, engine in ((1, "auto"), (2, "auto"), (1, "reference"))
    ]
    assert tables[0] == tables[1] == tables[2]


def test_an_empty_block_is_played() -> None:
    """No session, no item and no touch are cases, too."""
    for policy in OWN[:1] + ALL[:1]:
        assert len(play_block(block_of([]), policy).misses) == 0
        play_everywhere([Session(3, (), ()), Session(2, (1,), ())], policy, (1,))


PROGRAM = """
import vecdecay as vd
from vecdecay.engines.registry import play_block
from vecdecay.engines.stateful_compiler import compiled
policies = [vd.Fsrs6(), vd.ActR(), vd.MemoryDecayCore(), vd.MemoryBankAsPublished()]
block = vd.PublishedSessions(noise_per_turn=0).block(range(2))
for policy in policies:
    play_block(block, policy)
print([sum(compiled(type(one)).play.stats.cache_hits.values()) for one in policies])
"""


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled without the JIT")
def test_kernels_of_the_programs_own_policies_are_kept_on_disk() -> None:
    """A later process finds the machine code of every policy of the package, each its own."""
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", PROGRAM], capture_output=True, text=True, check=True
        )
    assert done.stdout == "[1, 1, 1, 1]\n"


@pytest.mark.thorough
@pytest.mark.skipif(not COMPILED, reason="nothing is fast without the JIT")
@pytest.mark.parametrize("policy", [*OWN, Gentle(), Important()], ids=lambda policy: policy.name)
def test_the_kernel_is_at_least_fifty_times_the_reference(policy: StatefulPolicy) -> None:
    """On headline sessions, one thread, the better of three tries."""
    few, many = (vd.PublishedSessions().block(range(number)) for number in (5, 1000))
    play_block(few, policy)
    seconds = {"reference": [], "stateful": []}
    for _ in range(3):
        for engine, block in (("reference", few), ("stateful", many)):
            started = time.process_time()
            play_block(block, policy, engine)
            seconds[engine].append((time.process_time() - started) / block.num_sessions)
    assert min(seconds["reference"]) > 50 * min(seconds["stateful"])
