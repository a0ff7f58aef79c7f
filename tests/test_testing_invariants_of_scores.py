"""Invariants about scores: their examples are the smallest of the grid, on the arguments that show the fault."""

import math

import numpy as np
import pytest
from faulty_policies import Above1, Drifting, InvertedExponent, OverflowingState, ShorterLife

from vecdecay.engines.asking import is_score
from vecdecay.policies import KeepAll, MemoryBankAsPublished, RecencyWindow
from vecdecay.testing.invariants_of_scores import (
    a_recall_never_shortens_life,
    evicted_is_below_the_threshold,
    finite_after_a_million_recalls,
    never_rises_with_age,
    retention_is_from_0_to_1,
)


@pytest.mark.parametrize(("value", "expected"), [(0.0, True), (1, True), (np.float64(0.5), True), (True, False)])
def test_scores_are_numbers_from_0_to_1(value: object, expected: bool) -> None:
    """Whatever type of number they are."""
    assert is_score(value) is expected


@pytest.mark.parametrize("value", [math.nan, math.inf, -0.001, 1.0000001, "1", None])
def test_nothing_else_is_a_score(value: object) -> None:
    """NaN above all."""
    assert not is_score(value)


def test_examples_are_the_smallest_of_the_grid() -> None:
    """Few touches and low ages come first."""
    assert "at recall_count=2, age=1" in retention_is_from_0_to_1.answer(Above1()).broken
    assert "at recall_count=2, age=1" in a_recall_never_shortens_life.answer(InvertedExponent()).broken
    assert "recall_count=1, age=" in never_rises_with_age.answer(Drifting()).broken
    assert "after touches in turns 1, 2" in a_recall_never_shortens_life.answer(ShorterLife()).broken


def test_the_published_memory_bank_shortens_lives() -> None:
    """The fault that the invariant is made for."""
    found = a_recall_never_shortens_life.answer(MemoryBankAsPublished()).broken
    assert "after touches in turns 1, 1" in found


def test_a_million_recalls_are_made() -> None:
    """An overflow of the state after some hundred recalls is found."""
    assert "recalls" in finite_after_a_million_recalls.answer(OverflowingState()).broken


@pytest.mark.parametrize("policy", [KeepAll(), RecencyWindow(), MemoryBankAsPublished()], ids=lambda one: one.name)
def test_policies_without_a_threshold_have_no_score_to_decide_by(policy: object) -> None:
    """The invariant says so."""
    assert evicted_is_below_the_threshold.answer(policy).silent
