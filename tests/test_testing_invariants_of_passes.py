"""Invariants about passes: engines at fault are caught too, and outcomes are compared field by field."""

from dataclasses import replace

import numpy as np
from faulty_policies import OneOfTwo

from vecdecay.engines.outcome import first_difference
from vecdecay.engines.registry import play_block
from vecdecay.policies import Ebbinghaus, MemoryBankAsPublished
from vecdecay.sessions import PublishedSessions
from vecdecay.testing import stepping_less_often_only_delays
from vecdecay.testing.invariants_of_passes import row_order_does_not_matter


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
    assert "items are there in one" in first_difference(left, play_block(block, Ebbinghaus(), want_turns=True))
    right = replace(left, misses=left.misses[:1])
    assert first_difference(left, right) == f"misses is int64 {left.misses.shape} and int64 (1,)"
