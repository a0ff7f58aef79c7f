"""Tests of vecdecay.policies.sm2."""

import math
from decimal import Decimal

import pytest
from table_policies import NOT_NUMBERS, expect_refused

from vecdecay.engines.horizon import horizon_of
from vecdecay.policies import Sm2
from vecdecay.policies.sm2 import MOST_DAYS, intervals


def decimal_intervals(grade: int, ease_first: bool, number: int) -> list[int]:
    """Return the intervals by the published rules in decimal arithmetic, one repetition after the other."""
    change = Decimal("0.1") - (5 - grade) * (Decimal("0.08") + (5 - grade) * Decimal("0.02"))
    ease, found = Decimal("2.5"), [1]
    while len(found) < number:
        changed = max(ease + change, Decimal("1.3"))
        used = changed if ease_first else ease
        found.append(6 if len(found) == 1 else math.ceil(found[-1] * used))
        ease = changed
    return found


@pytest.mark.parametrize("grade", [3, 4, 5])
@pytest.mark.parametrize("ease_first", [False, True])
def test_intervals_of_right_answers(grade: int, ease_first: bool) -> None:
    """One day, six days, then times the ease and rounded up, exactly."""
    known = intervals(grade, ease_first)
    assert list(known[:12]) == decimal_intervals(grade, ease_first, 12)


def test_intervals_in_figures() -> None:
    """Perfect recalls raise the ease, grade 4 leaves it at 2.5, grade 3 lowers it towards 1.3."""
    assert intervals(5, False)[:6] == (1, 6, 16, 44, 124, 360)
    assert intervals(5, True)[:6] == (1, 6, 17, 48, 140, 420)
    assert intervals(4, False)[:5] == intervals(4, True)[:5] == (1, 6, 15, 38, 95)
    assert intervals(3, False)[:5] == (1, 6, 15, 34, 71)  # eases 2.36, 2.22, 2.08 from the third on


def test_exact_fractions_matter() -> None:
    """In floats an ease of 2.5 + 0.1 + … drifts, and some whole product would be rounded up by one."""
    ease, drifted = 2.5, []
    for repetition in range(12):
        drifted.append(math.ceil(10 * ease) - (25 + repetition))
        ease += 0.1
    assert set(drifted) == {0, 1}


@pytest.mark.parametrize("grade", [0, 1, 2])
def test_a_failed_recall_starts_anew(grade: int) -> None:
    """Every recall of such a grade puts the item back to one day."""
    assert [Sm2(recall_grade=grade).interval_days(count) for count in (1, 2, 3, 50)] == [1, 1, 1, 1]


def test_overdue_is_strict() -> None:
    """On the day an item is due it stays; a slack of 2 doubles its days; at two turns a day it has twice the turns."""
    assert [horizon_of(Sm2(), count) for count in (1, 2, 3)] == [2, 7, 17]
    assert [horizon_of(Sm2(slack_factor=2.0), count) for count in (1, 2, 3)] == [3, 13, 33]
    assert [horizon_of(Sm2(slack_factor=0.5), count) for count in (1, 2, 3)] == [1, 4, 9]
    assert [horizon_of(Sm2(turns_per_day=2.0), count) for count in (1, 2, 3)] == [3, 13, 33]
    assert Sm2().threshold() is None
    assert [Sm2().retention(age, 2) for age in (6, 7)] == [1.0, 0.0]


def test_a_million_recalls() -> None:
    """Intervals end at a billion days, longer than any session; nothing overflows."""
    assert Sm2().interval_days(10**6) == MOST_DAYS
    assert len(intervals(3, False)) < 100
    assert not Sm2().evicts(2**29, 10**6)


def test_parameters_have_their_range() -> None:
    """Each is refused by name outside it."""
    expect_refused(Sm2, "slack_factor", (0, -1.0, *NOT_NUMBERS))
    expect_refused(Sm2, "recall_grade", (-1, 6, 2.5, *NOT_NUMBERS))
    expect_refused(Sm2, "interval_ease", ("old", None))
