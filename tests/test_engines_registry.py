"""Tests of vecdecay.engines.registry: which engine plays, and that all are asked the same."""

import pytest
from comparing import play_everywhere

from vecdecay.engines.registry import ENGINES, chosen_engine, engine_of, play_block
from vecdecay.errors import InvalidInputError
from vecdecay.policies import Ebbinghaus, KeepAll, MemoryBank, MemoryBankAsPublished, RecencyWindow
from vecdecay.sessions import PublishedSessions
from vecdecay.sessions.session import Session
from vecdecay.sessions.source import GivenSessions


@pytest.mark.parametrize("policy", [Ebbinghaus(), RecencyWindow(), KeepAll()])
def test_auto_is_the_table(policy: Ebbinghaus) -> None:
    """A policy that is a table is played by the table kernel unless another engine is asked for."""
    assert chosen_engine("auto", policy) == "horizon"
    for engine in ("horizon", "lockstep", "reference"):
        assert chosen_engine(engine, policy) == engine
    assert ENGINES == ("auto", "horizon", "stateful", "lockstep", "cache", "capacity", "reference")
    with pytest.raises(InvalidInputError, match="engine is 'stateful', which does not play"):
        chosen_engine("stateful", policy)


def test_a_recorded_time_and_a_capacity_are_for_the_reference() -> None:
    """No kernel knows both; without either there is one, and a clock that is the turn is none."""
    timed, plain = (GivenSessions([Session(3, (), (), clock=clock)]) for clock in (((1, 5),), ()))
    full = MemoryBank(capacity_items=9)
    assert [engine_of("auto", one, timed) for one in (full, MemoryBank(), MemoryBankAsPublished())] == [
        "reference", "horizon", "lockstep",
    ]  # fmt: skip
    assert [engine_of("auto", one, plain) for one in (full, MemoryBank(), MemoryBankAsPublished())] == [
        "capacity", "horizon", "stateful",
    ]  # fmt: skip
    assert engine_of("auto", RecencyWindow(capacity_items=9), timed) == "capacity"


def test_only_what_is_wanted_is_kept() -> None:
    """Items and turns are there if and only if they were asked for; the counts do not change with it."""
    block = PublishedSessions(session_length=20).block([1, 2])
    bare = play_block(block, Ebbinghaus())
    assert bare.items is None
    assert bare.turns is None
    assert bare.checkpoint_present.shape == (0, 2)
    for engine in ("horizon", "lockstep", "reference"):
        full = play_block(block, Ebbinghaus(), engine, [3, 30], want_items=True, want_turns=True)
        assert full.items is not None
        assert full.turns is not None
        assert full.checkpoint_present.tolist() == [[3, 3], [-1, -1]]
        assert full.working_set_sum.tolist() == bare.working_set_sum.tolist()
        assert len(full.items.kind) == 2 * 63
        assert len(full.turns.working_set) == 2 * 20


def test_checkpoints_come_as_they_were_asked_for() -> None:
    """A row per checkpoint, in any order, also twice."""
    block = PublishedSessions().block([0])
    outcome = play_everywhere(block, RecencyWindow(20), [60, 10, 60, 150])
    assert outcome.checkpoint_present.tolist() == [[2], [3], [2], [0]]


def test_blocks_without_sessions_or_items() -> None:
    """Nothing played is nothing counted, in every engine and without a warning."""
    empty = play_everywhere([], Ebbinghaus(), [4])
    assert empty.session_length.tolist() == []
    assert empty.checkpoint_present.shape == (1, 0)
    lonely = play_everywhere([Session(3, (), ()), Session(1, (), ())], RecencyWindow(), [1, 2])
    assert lonely.working_set_sum.tolist() == [0, 0]
    assert lonely.checkpoint_present.tolist() == [[0, 0], [0, -1]]
