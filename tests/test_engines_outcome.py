"""Tests of vecdecay.engines.outcome: shapes and types are the same, whoever fills them."""

from dataclasses import fields

import numpy as np
import pytest

from vecdecay.engines.outcome import BlockOutcome, TurnOutcomes
from vecdecay.engines.registry import play_block
from vecdecay.policies import Ebbinghaus
from vecdecay.sessions import PublishedSessions


@pytest.mark.parametrize("engine", ["horizon", "lockstep", "reference"])
def test_shapes_and_types_are_as_written(engine: str) -> None:
    """Counts per session are int64; items are int32, kinds int8, stabilities doubles; checkpoints come first."""
    block = PublishedSessions(session_length=12, noise_per_turn=1).block(range(5))
    outcome = play_block(block, Ebbinghaus(), engine, [2, 7, 40], want_items=True, want_turns=True)
    for field in fields(BlockOutcome):
        value = getattr(outcome, field.name)
        if field.name == "checkpoint_present":
            assert (value.dtype, value.shape) == (np.int32, (3, 5))
        elif field.name not in ("items", "turns", "missed") and value is not None:
            assert (value.dtype, value.shape) == (np.int64, (5,)), field.name
    assert outcome.items is not None
    assert outcome.turns is not None
    wanted = {"item_start": (np.int64, 6), "kind": (np.int8, 75), "stability": (np.float64, 75)}
    for name, value in outcome.items.columns().items():
        dtype, length = wanted.get(name, (np.int32, 75))
        assert value is not None
        assert (value.dtype, value.shape) == (dtype, (length,)), name
    for field in fields(TurnOutcomes):
        value = getattr(outcome.turns, field.name)
        dtype, length = (np.int64, 6) if field.name == "turn_start" else (np.int32, 60)
        assert (value.dtype, value.shape) == (dtype, (length,)), field.name


def test_the_counts_fit_together() -> None:
    """What was registered is present, evicted or never came back; recalls are hits and misses."""
    block = PublishedSessions(session_length=90).block(range(20))
    outcome = play_block(block, Ebbinghaus(0.66), "horizon", [90], want_items=True)
    items = outcome.items
    assert items is not None
    assert (outcome.foundational_present + outcome.foundational_evicted == outcome.foundational_items).all()
    assert (outcome.checkpoint_present[0] == outcome.foundational_present).all()
    assert int(outcome.recalls.sum()) == int(items.hits.sum() + items.misses.sum())
    assert int(outcome.misses.sum()) == int(items.misses.sum()) > 0
    assert int(outcome.items_evicted.sum()) == int((items.evicted_turn > 0).sum())
    assert (outcome.survival_minimum <= outcome.survival_maximum).all()
    assert (outcome.registrations == outcome.registered_tokens).all()
