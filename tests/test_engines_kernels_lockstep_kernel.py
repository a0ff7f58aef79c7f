"""The lockstep kernel: tiles of sessions, and formulas in place."""

import math

import numpy as np

from vecdecay.engines.kernels.lockstep_kernel import TILE
from vecdecay.engines.outcome import first_difference
from vecdecay.engines.registry import play_block
from vecdecay.policies import Ebbinghaus, RecencyWindow
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.session import FOUNDATIONAL, NOISE, RECALL, REGISTER, Session


def one_session(length: int, gap: int) -> Session:
    """Return a session whose foundational item is recalled once, ``gap`` turns after its registration."""
    events = [(1, REGISTER, 0), (1, REGISTER, 1)]
    if 1 + gap <= length:
        events.append((1 + gap, RECALL, 0))
    return Session(length, (FOUNDATIONAL, NOISE), tuple(events))


def test_a_session_does_not_notice_its_tile() -> None:
    """Sessions of many lengths, more than fit a tile: each comes to what it comes to alone."""
    together = [one_session(length, gap) for length in (1, 2, 13, 14, 15, 40) for gap in range(0, 16, 3)]
    assert len(together) > 2 * TILE - 2
    for policy in (Ebbinghaus(), RecencyWindow(3)):
        outcome = play_block(block_of(together), policy, "lockstep", [1, 14], want_items=True)
        for number, session in enumerate(together):
            alone = play_block(block_of([session]), policy, "lockstep", [1, 14], want_items=True)
            for name, value in vars(alone).items():
                if isinstance(value, np.ndarray):
                    assert getattr(outcome, name)[..., number].tolist() == value[..., 0].tolist(), name


def test_the_kernel_computes_stability_itself() -> None:
    """It multiplies as recalls come and looks nothing up, so another gain is another stability, double for double."""
    session = Session(9, (FOUNDATIONAL,), ((1, REGISTER, 0), *[(2, RECALL, 0)] * 3))
    for gain in (1.0, 0.5, 0.0, 0.1):
        outcome = play_block(block_of([session]), Ebbinghaus(0.2, 8.0, gain), "lockstep", want_items=True)
        stability = 8.0
        for count in (2, 3, 4):
            stability = stability * (1.0 + gain * math.log(1.0 + count))
        assert outcome.items is not None
        assert outcome.items.stability is not None
        assert outcome.items.stability.tolist() == [stability]


def test_evictions_fall_in_the_turn_that_the_predicate_names() -> None:
    """For thresholds at, just below and just above a score, the item goes in the first turn in which it scores less."""
    session = Session(40, (FOUNDATIONAL,), ((1, REGISTER, 0),))
    for age in range(1, 30):
        score = math.exp(-age / 8.0)
        for threshold in (score, math.nextafter(score, 0.0), math.nextafter(score, 1.0)):
            first = next(a for a in range(1, 60) if math.exp(-a / 8.0) < threshold)
            for engine in ("lockstep", "horizon"):
                outcome = play_block(block_of([session]), Ebbinghaus(threshold), engine, want_items=True)
                assert outcome.items is not None
                assert outcome.items.evicted_turn.tolist() == [1 + first]


def test_a_window_is_compared_with_the_age_itself() -> None:
    """Windows at, just below and just above an integer: the item goes in the first turn whose age exceeds it."""
    session = Session(20, (FOUNDATIONAL,), ((1, REGISTER, 0),))
    for whole in (1.0, 2.0, 7.0):
        for window in (whole, math.nextafter(whole, 0.0), math.nextafter(whole, 9.0), whole + 0.5):
            first = next(age for age in range(1, 20) if age > window)
            outcomes = [
                play_block(block_of([session]), RecencyWindow(window), engine, want_items=True, want_turns=True)
                for engine in ("lockstep", "horizon")
            ]
            assert first_difference(*outcomes) == ""
            assert outcomes[0].items is not None
            assert outcomes[0].items.evicted_turn.tolist() == [1 + first]


def test_a_recall_in_the_turn_of_expiry_rescues() -> None:
    """The pass comes after the events: under a window of 3, turn 5 finds the item and turn 6 misses it."""
    for turn, hits, evicted in ((5, 1, 9), (6, 0, 5)):
        session = Session(12, (FOUNDATIONAL,), ((1, REGISTER, 0), (turn, RECALL, 0)))
        outcome = play_block(block_of([session]), RecencyWindow(3), "lockstep", want_items=True)
        assert outcome.items is not None
        assert [outcome.items.hits[0], outcome.items.misses[0], outcome.items.evicted_turn[0]] == [
            hits,
            1 - hits,
            evicted,
        ]


def test_the_last_turn_counts() -> None:
    """Evicted by the pass of the very last turn, an item is gone; one turn shorter, it is present."""
    for length, present, evicted in ((5, 0, 5), (4, 1, 0)):
        session = Session(length, (FOUNDATIONAL,), ((1, REGISTER, 0),))
        outcome = play_block(
            block_of([session]), RecencyWindow(3), "lockstep", [length], want_items=True, want_turns=True
        )
        assert outcome.items is not None
        assert outcome.turns is not None
        assert [outcome.items.present[0], outcome.items.evicted_turn[0]] == [present, evicted]
        assert outcome.checkpoint_present.tolist() == [[present]]
        assert outcome.turns.working_set.tolist() == [*[1, 1, 1, 1, 0][: length - 1], present]
