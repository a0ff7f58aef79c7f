"""Tests of vecdecay.policies.sm2."""

import math
import random
from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal

import pytest
import sm_2
import supermemo2
from table_policies import NOT_NUMBERS, expect_refused

from vecdecay.engines.horizon import horizon_of
from vecdecay.policies import Sm2
from vecdecay.policies.sm2 import MOST_DAYS, GradedSm2, intervals

NOW = datetime(2026, 1, 1, tzinfo=UTC)


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


def of_supermemo2(grades: Sequence[int]) -> list[int]:
    """Return the intervals of supermemo2, review by review; it changes the ease after the interval, and at a lapse."""
    known = supermemo2.first_review(grades[0], NOW)
    found = [known["interval"]]
    for grade in grades[1:]:
        known = supermemo2.review(grade, known["easiness"], known["interval"], known["repetitions"], NOW)
        found.append(known["interval"])
    return found


def of_sm_2(grades: Sequence[int]) -> list[int]:
    """Return those of sm-2, without its second look at a card of grade 3; it changes the ease before the interval."""
    card, found = sm_2.Card(), []
    for grade in grades:
        card.due, card.needs_extra_review = NOW, False
        card, _ = sm_2.Scheduler.review_card(card, grade, NOW)
        found.append(max(card.I, 1))  # a lapse is due at once there, and a day later here
    return found


PACKAGES = {"before": of_supermemo2, "after": of_sm_2}


@pytest.mark.parametrize("ease", PACKAGES)
@pytest.mark.parametrize("grade", range(6))
def test_intervals_of_the_packages(ease: str, grade: int) -> None:
    """The defaults are the intervals of supermemo2; with the ease after its change they are those of sm-2."""
    policy = Sm2(recall_grade=grade, interval_ease=ease)
    assert [policy.interval_days(count) for count in range(1, 13)] == PACKAGES[ease]([grade] * 12)


@pytest.mark.parametrize("ease", PACKAGES)
def test_each_repetition_has_its_own_grade(ease: str) -> None:
    """Grades from 0 to 5 in any order, the first one too: the intervals are those of the packages."""
    stream = random.Random(2)
    for _ in range(400):
        grades = [stream.choice((0, 1, 2, 3, 3, 4, 4, 5, 5)) for _ in range(stream.randint(1, 12))]
        each = [GradedSm2(recall_grade=grade, interval_ease=ease).constants() for grade in grades]
        state = GradedSm2.on_register(each[0], 1, None)
        found = [state[1]]
        for place, constants in enumerate(each[1:], 2):
            state = GradedSm2.on_recall(constants, state, place)
            found.append(state[1])
        assert found == PACKAGES[ease](grades), grades


def test_the_packages_say_what_is_written() -> None:
    """The figures of the documentation, printed by the packages themselves."""
    assert [of_supermemo2([5] * 6), of_sm_2([5] * 6)] == [[1, 6, 17, 48, 140, 421], [1, 6, 17, 50, 151, 469]]
    assert [of_supermemo2([3] * 5)[2:], of_sm_2([3] * 5)[2:]] == [[14, 30, 59], [13, 26, 47]]


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
