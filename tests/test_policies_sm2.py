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
    known = intervals(grade, ease_first, False, "exact")
    assert list(known[:12]) == decimal_intervals(grade, ease_first, 12)


def test_intervals_in_figures() -> None:
    """Perfect recalls raise the ease, grade 4 leaves it at 2.5, grade 3 lowers it towards 1.3."""
    assert intervals(5, False, False, "exact")[:6] == (1, 6, 16, 44, 124, 360)
    assert intervals(5, True, False, "exact")[:6] == (1, 6, 17, 48, 140, 420)
    assert intervals(4, False)[:5] == intervals(4, True)[:5] == (1, 6, 15, 38, 95)
    assert intervals(3, False, False)[:5] == (1, 6, 15, 34, 71)  # eases 2.36, 2.22, 2.08 from the third on


# The intervals that two packages give, printed by them: supermemo2 3.0.1 (first_review, then review) changes the ease
# after the interval, sm-2 0.3.0 (Scheduler.review_card, extra reviews left out) before it.
PACKAGES = {
    ("supermemo2", 3): (1, 6, 14, 30, 59, 107, 178, 271, 374, 487, 634, 825),
    ("supermemo2", 4): (1, 6, 15, 38, 95, 238, 595, 1488, 3720, 9300, 23250, 58125),
    ("supermemo2", 5): (1, 6, 17, 48, 140, 421, 1306, 4180, 13795, 46904, 164165, 590995),
    ("sm-2", 3): (1, 6, 13, 26, 47, 79, 121, 167, 218, 284, 370, 481),
    ("sm-2", 4): (1, 6, 15, 38, 95, 238, 595, 1488, 3720, 9300, 23250, 58125),
    ("sm-2", 5): (1, 6, 17, 50, 151, 469, 1501, 4954, 16844, 58955, 212239, 785285),
}


@pytest.mark.parametrize(("package", "grade"), PACKAGES)
def test_intervals_of_the_packages(package: str, grade: int) -> None:
    """The defaults are the intervals of supermemo2; with the ease after its change they are those of sm-2."""
    policy = Sm2(recall_grade=grade, **({"interval_ease": "after"} if package == "sm-2" else {}))
    assert tuple(policy.interval_days(count) for count in range(1, 13)) == PACKAGES[package, grade]


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
    assert [horizon_of(Sm2(), count) for count in (1, 2, 3)] == [2, 7, 18]
    assert [horizon_of(Sm2(slack_factor=2.0), count) for count in (1, 2, 3)] == [3, 13, 35]
    assert [horizon_of(Sm2(slack_factor=0.5), count) for count in (1, 2, 3)] == [1, 4, 9]
    assert [horizon_of(Sm2(turns_per_day=2.0), count) for count in (1, 2, 3)] == [3, 13, 35]
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
    expect_refused(Sm2, "rounding", ("up", None))
    expect_refused(Sm2, "registration_graded", (1, None))
