"""Tests of vecdecay.engines.memory: the prediction is an upper bound, and costs no memory itself."""

import tracemalloc

import pytest
from comparing import COMPILED

from vecdecay.engines.memory import block_bytes, machine_bytes
from vecdecay.engines.registry import play_block
from vecdecay.policies import Ebbinghaus, RecencyWindow
from vecdecay.sessions import PublishedSessions
from vecdecay.sessions.workload import Sizes

SHAPES = [
    PublishedSessions(),
    PublishedSessions(noise_per_turn=20),
    PublishedSessions(num_foundational=60, recalls_per_foundational=6, noise_per_turn=0),
    PublishedSessions(session_length=2000, noise_per_turn=0),
    PublishedSessions(session_length=1, num_foundational=0, noise_per_turn=0),
]


@pytest.mark.parametrize("engine", ["horizon", "lockstep"])
@pytest.mark.parametrize("wanted", [(), (True,), (False, True), (False, False, False, False, True)])
@pytest.mark.parametrize("shape", range(len(SHAPES)))
def test_a_block_takes_no_more_than_predicted(engine: str, wanted: tuple[bool, ...], shape: int) -> None:
    """The largest amount held at any moment, while a block is made and played, stays below the prediction."""
    sessions = SHAPES[shape]
    num_sessions = 500 if COMPILED else 3
    for policy in (Ebbinghaus(), RecencyWindow()):  # what is made once per process is not part of a block
        play_block(sessions.block([1]), policy, engine, (), *wanted)
    sessions.block(range(num_sessions))
    tracemalloc.start()
    try:
        block = sessions.block(range(num_sessions))
        for policy in (Ebbinghaus(), RecencyWindow()):
            play_block(block, policy, engine, (), *wanted)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    kept = [len(wanted) > place and wanted[place] for place in (0, 1, 4)]
    predicted = block_bytes(sessions.sizes(), num_sessions, engine == "lockstep", *kept)
    assert peak <= predicted + 200_000  # what an almost empty block costs


def test_predictions_grow_with_what_is_asked() -> None:
    """Sessions count linearly; items, turns and the lockstep kernel add to the sum."""
    sizes = Sizes(items=453, listed_items=3, touches=15, turns=150, draws=12)
    bare = block_bytes(sizes, 1, lockstep=False, want_items=False, want_turns=False)
    assert block_bytes(sizes, 1000, lockstep=False, want_items=False, want_turns=False) == 1000 * bare
    items = block_bytes(sizes, 1, lockstep=False, want_items=True, want_turns=False)
    turns = block_bytes(sizes, 1, lockstep=False, want_items=False, want_turns=True)
    everything = block_bytes(sizes, 1, lockstep=True, want_items=True, want_turns=True)
    assert bare < items < everything
    assert bare < turns < everything


def test_predictions_are_exact_integers_of_any_size() -> None:
    """A prediction beyond all memory is a number, not an overflow."""
    sizes = Sizes(items=10**18, listed_items=10**12, touches=10**13, turns=2**31, draws=10**12)
    assert block_bytes(sizes, 10**9, lockstep=True, want_items=True, want_turns=True) > 10**27


def test_the_machine_has_memory() -> None:
    """At least what a test run takes, and a plain integer."""
    assert type(machine_bytes()) is int
    assert machine_bytes() > 10**8
