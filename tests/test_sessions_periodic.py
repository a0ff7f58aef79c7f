"""Tests of vecdecay.sessions.periodic: recalls at a fixed beat."""

from itertools import pairwise

import numpy as np
from rhythms import refusals

from vecdecay.sessions import Periodic


def test_recalls_keep_the_beat() -> None:
    """Without jitter all gaps are the period, the first one 1 to the period; with jitter they differ by twice it."""
    for jitter in (0, 3):
        block = Periodic(period_turns=10, period_jitter=jitter, num_foundational=1).block(range(500))
        for session in block.sessions():
            turns = [turn for turn, _, item in session.events if item == 0]
            assert 2 <= turns[1] <= 11 + jitter
            assert all(abs(after - before - 10) <= 2 * jitter for before, after in pairwise(turns[1:]))
            assert turns[-1] > 150 - 10 - 2 * jitter
    gaps = np.diff(block.touch_turn)[block.touch_kind[1:] == 1]
    assert {4, 16} <= set(gaps.tolist())


def test_a_jitter_that_could_swap_recalls_is_refused() -> None:
    """Half a period or more; but no jitter at all is well with a period of 1."""
    (line,) = refusals(Periodic, period_turns=6, period_jitter=3)
    assert line == "Periodic.period_jitter is 3 and period_turns 6; allowed: a jitter below half the period"
    every_turn = Periodic(period_turns=1, period_jitter=0, session_length=9, num_foundational=1)
    assert every_turn.block([1]).touch_turn.tolist() == [*range(1, 10)]
