"""Tests of vecdecay.policies.curves: what a policy's numbers mean in its own time."""

import math

import pytest

from vecdecay.items import Attributes
from vecdecay.policies import (
    POLICIES,
    Ebbinghaus,
    GenerativeAgentsRecency,
    MemoryBank,
    RecencyWindow,
    TablePolicy,
    TieredForgettingCurve,
    YourMemory,
)
from vecdecay.policies.curves import UNITS, age_per_unit, clock_text, survival_table


def test_survival_is_the_score_after_so_many_units() -> None:
    """Turns, days at any clock, hours: the law at 1, 7, 30 and 90 of them."""
    assert survival_table(Ebbinghaus())[0].scores == tuple(math.exp(-turns / 8.0) for turns in UNITS)
    for turns_per_day in (1.0, 40.0):
        table = survival_table(MemoryBank(turns_per_day=turns_per_day))
        assert table[2].scores == tuple(math.exp(-days / 3.0) for days in UNITS)
    hours = survival_table(GenerativeAgentsRecency(turns_per_day=240.0))[5].scores
    assert hours == pytest.approx([0.995**unit for unit in UNITS], rel=1e-14)


def test_what_is_kept_is_what_the_policy_keeps() -> None:
    """A score below the threshold and a kept item do not go together; a pinned item is always kept."""
    assert [row.kept for row in survival_table(RecencyWindow(15), max_recalls=1)] == [(True, True, False, False)] * 2
    for kind in POLICIES:
        policy = kind()
        if not isinstance(policy, TablePolicy) or policy.threshold() is None:
            continue
        for row in survival_table(policy):
            for score, kept in zip(row.scores, row.kept, strict=True):
                assert kept or score < policy.threshold()
    assert survival_table(RecencyWindow(15), 0, Attributes(pinned=True))[0].kept == (True,) * 4


def test_rows_are_recall_counts() -> None:
    """One row per recall, from none on; no score rises from left to right."""
    for kind in POLICIES:
        policy = kind()
        if isinstance(policy, TablePolicy):
            table = survival_table(policy, max_recalls=4)
            assert [row.recall_count for row in table] == [1, 2, 3, 4, 5]
            assert all(list(row.scores) == sorted(row.scores, reverse=True) for row in table)


def test_ages_in_days_are_days() -> None:
    """A policy that counts ages in days already needs no turns."""
    assert age_per_unit(YourMemory(turns_per_day=48)) == 1.0
    assert survival_table(YourMemory(turns_per_day=48)) == survival_table(YourMemory())


def test_the_clock_in_words() -> None:
    """Turns need no word; days and hours say how many turns they are."""
    assert clock_text(Ebbinghaus()) == "counts in turns"
    assert clock_text(YourMemory()) == "counts in days; a day is 1 turn (turns_per_day)"
    assert clock_text(TieredForgettingCurve()) == "counts in hours; an hour is 60 turns (turns_per_day)"
