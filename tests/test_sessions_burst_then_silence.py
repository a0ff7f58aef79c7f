"""Tests of vecdecay.sessions.burst_then_silence: early use, then none."""

from rhythms import refusals

from vecdecay.sessions import BurstThenSilence


def test_nothing_is_touched_after_the_burst() -> None:
    """All recalls fall in the burst, which begins after turn 1 and is used to its last turn."""
    block = BurstThenSilence(burst_recalls=5, burst_turns=8).block(range(1000))
    recalls = block.touch_turn[block.touch_kind == 1]
    assert len(recalls) == 15_000
    assert set(recalls.tolist()) == set(range(2, 10))


def test_a_session_too_short_for_the_burst_is_refused() -> None:
    """The line says how many turns are needed."""
    (line,) = refusals(BurstThenSilence, session_length=20)
    assert line == ("BurstThenSilence.session_length is 20; allowed: at least 21, which registration and burst take")
