"""Invariants about parameters: an inert one is named, one that needs another choice is not."""

from faulty_policies import Inert, NeedsAChoice, WrongWayRound

from vecdecay.policies import Ebbinghaus, HalfLifeRegression, KeepAll, RecencyWindow
from vecdecay.testing import every_parameter_changes_some_outcome, nested_in_the_threshold


def test_inert_parameters_are_named() -> None:
    """With the values that were tried."""
    found = every_parameter_changes_some_outcome.answer(Inert()).broken
    assert found.startswith("max_stability is inert: no value changes anything; max_stability was tried with 50.0")


def test_parameters_that_need_another_choice_are_not_inert() -> None:
    """A cap under a flag that is off by default; and what only the rules look at."""
    for policy in (NeedsAChoice(), Ebbinghaus(), HalfLifeRegression(), RecencyWindow()):
        answer = every_parameter_changes_some_outcome.answer(policy)
        assert (answer.broken, answer.silent) == ("", "")


def test_thresholds_nest() -> None:
    """The example names both thresholds; without one the invariant is silent."""
    assert nested_in_the_threshold.answer(KeepAll()).silent
    assert nested_in_the_threshold.answer(Ebbinghaus()).broken == ""
    found = nested_in_the_threshold.answer(WrongWayRound()).broken
    assert found.startswith("due with eviction_threshold=")
    assert found.endswith("at recall_count=1, age=1")
