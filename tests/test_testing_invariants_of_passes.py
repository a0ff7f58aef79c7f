"""Invariants about passes: engines at fault are caught too, and outcomes are compared field by field."""

from typing import Any

import numpy as np
import pytest
from faulty_policies import OneOfTwo, Sound, SoundState

from vecdecay.engines.play import play_block
from vecdecay.engines.scalar_memory import Memory
from vecdecay.policies import Ebbinghaus, MemoryBankAsPublished
from vecdecay.sessions import PublishedSessions
from vecdecay.testing import BrokenInvariantError, pinned_is_never_evicted, stepping_less_often_only_delays
from vecdecay.testing.invariants_of_passes import first_difference, row_order_does_not_matter


@pytest.mark.parametrize("policy", [Sound(), SoundState(), Ebbinghaus()], ids=lambda one: type(one).__name__)
def test_lost_pins_are_caught(policy: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that forgets the pins is named by the invariant about them."""
    original = Memory.evict

    def evict(self: Memory, items: list[Any], turn: int) -> list[Any]:
        self.pinned = frozenset()
        return original(self, items, turn)

    pinned_is_never_evicted(policy, examples=20)
    monkeypatch.setattr(Memory, "evict", evict)
    with pytest.raises(
        BrokenInvariantError, match=r"pinned item 0 is evicted in turn \d+ \(engine reference\); \d+ turns; turn 1: "
    ):
        pinned_is_never_evicted(policy)


def test_random_drops_are_not_asked_to_be_independent_of_the_schedule() -> None:
    """The invariant says so, and does not pass them."""
    assert "at random" in stepping_less_often_only_delays.answer(MemoryBankAsPublished()).silent


def test_examples_show_the_session() -> None:
    """Length and touches, so that it can be played again by hand."""
    found = row_order_does_not_matter.answer(OneOfTwo()).broken
    assert " turns; turn 1: " in found or " turns; turn 2: " in found


def test_outcomes_are_compared_in_every_field() -> None:
    """A difference in any array is found, however small, and where it is."""
    block = PublishedSessions().block([0, 1])
    left = play_block(block, Ebbinghaus(), want_items=True, want_turns=True)
    right = play_block(block, Ebbinghaus(), want_items=True, want_turns=True)
    assert first_difference(left, right) == ""
    for part, name in ((right, "misses"), (right.items, "evicted_turn"), (right.items, "stability")):
        values = getattr(part, name)
        kept = values[1].item()
        values[1] = kept + 1 if values.dtype != np.float64 else np.nextafter(kept, np.inf)
        assert f"{name}[1] is " in first_difference(left, right)
        values[1] = kept
    assert first_difference(left, right) == ""
    assert "items is there in one" in first_difference(left, play_block(block, Ebbinghaus(), want_turns=True))
    assert "shape" in first_difference(np.zeros(2), np.zeros(3))
