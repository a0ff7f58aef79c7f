"""Tests of vecdecay.policies.recency_window."""

import math
from typing import Any

import numpy as np
import pytest
from comparing import play_everywhere

from vecdecay.errors import InvalidInputError
from vecdecay.policies import RecencyWindow
from vecdecay.sessions.session import NOISE, RECALL, REGISTER, Session


@pytest.mark.parametrize(
    "value", [0, 0.0, -1, -0.5, math.nan, math.inf, -math.inf, True, "15", None, [15], 10**400, np.float64("inf"), 1j]
)
def test_the_window_has_its_range(value: Any) -> None:
    """A window is a finite number above 0; anything else is refused with name, value and range."""
    with pytest.raises(InvalidInputError) as caught:
        RecencyWindow(value)
    (problem,) = caught.value.problems
    assert problem.startswith("RecencyWindow.window_size is ")
    assert problem.endswith("; allowed: a finite number above 0")


def test_the_comparison_is_strict() -> None:
    """An age equal to the window stays, the next one goes; use does not matter, and a window need not be an integer."""
    for window, last in ((15, 15), (15.0, 15), (15.5, 15), (1, 1), (0.5, 0), (np.int64(3), 3)):
        policy = RecencyWindow(window)
        assert not policy.evicts(last, 1)
        assert policy.evicts(last + 1, 1)
        assert policy.evicts(last + 1, 100)
        assert [policy.retention(age, 1) for age in (last, last + 1)] == [1.0, 0.0]


def test_there_is_neither_stability_nor_threshold() -> None:
    """The decision is made on the age: there is no score that a threshold could be compared with."""
    assert RecencyWindow().stability(1) is None
    assert RecencyWindow().threshold() is None
    assert RecencyWindow().window_size == 15.0


def test_the_grace() -> None:
    """A grace longer than the window keeps newborns until it is over; a touched item is judged by its age then."""
    session = Session(40, (NOISE, NOISE), ((1, REGISTER, 0), (1, REGISTER, 1), (4, RECALL, 1)))
    for grace, turns in ((0, [7, 10]), (6, [7, 10]), (8, [9, 10]), (20, [21, 21]), (40, [0, 0])):
        outcome = play_everywhere([session], RecencyWindow(5, grace_turns=grace))
        assert outcome.items is not None
        assert outcome.items.evicted_turn.tolist() == turns
    with pytest.raises(InvalidInputError, match=r"^RecencyWindow\.grace_turns is -1; allowed: an integer at least 0"):
        RecencyWindow(5, grace_turns=-1)
