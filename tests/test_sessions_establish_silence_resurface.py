"""Tests of vecdecay.sessions.establish_silence_resurface: the dry spell."""

import pytest
from rhythms import refusals

from vecdecay.sessions import EstablishSilenceResurface


@pytest.mark.parametrize("silence", [1, 40, 100])
def test_the_silence_is_exact(silence: int) -> None:
    """From the latest early touch to the return; early recalls and late ones stay within their turns."""
    workload = EstablishSilenceResurface(silence_turns=silence, establish_recalls=2, resurface_recalls=4)
    turns = workload.block(range(500)).touch_turn.reshape(-1, 7)
    assert (turns[:, 1:3] >= 2).all()
    assert (turns[:, 1:3] <= 21).all()
    assert (turns[:, 3] - turns[:, 2] == silence).all()
    assert (turns[:, 4:] > turns[:, 3:4]).all()
    assert (turns[:, 4:] <= turns[:, 3:4] + 20).all()
    assert turns.max() <= 41 + silence


def test_without_early_recalls_the_silence_runs_from_the_registration() -> None:
    """Then every fact returns in turn 1 + silence_turns."""
    workload = EstablishSilenceResurface(establish_recalls=0, resurface_recalls=1)
    assert workload.block(range(50)).touch_turn.tolist() == [1, 101] * 150


def test_a_session_too_short_for_the_phases_is_refused() -> None:
    """1 + 20 + 100 + 20 turns are needed."""
    (line,) = refusals(EstablishSilenceResurface, session_length=140)
    assert "session_length is 140; allowed: at least 141" in line
