"""Tests of vecdecay.policies.clock."""

import pytest
from table_policies import NOT_NUMBERS, expect_refused

from vecdecay.policies import MemoryBank
from vecdecay.policies.clock import days, hours, seconds


def test_one_turn_is_one_unit_by_default() -> None:
    """Days at one turn a day, hours at 24 and seconds at 1440 × 60 are the turns themselves, exactly."""
    for age in (0, 1, 2, 7, 111, 10**6, 2**31):
        assert days(age, 1.0) == age
        assert hours(age, 24.0) == age
        assert seconds(age, 86_400.0) == age


def test_units_are_consistent() -> None:
    """Forty turns a day: sixty turns are a day and a half, 36 hours, 129,600 seconds."""
    assert (days(60, 40.0), hours(60, 40.0), seconds(60, 40.0)) == (1.5, 36.0, 129_600.0)


def test_the_clock_is_a_parameter_with_a_range() -> None:
    """No turn a day, or an infinite number of them, is refused."""
    expect_refused(MemoryBank, "turns_per_day", (0, -1.0, 1e-7, 1e10, *NOT_NUMBERS))


@pytest.mark.parametrize("turns_per_day", [1e-6, 1e9])
def test_the_ends_of_the_range_work(turns_per_day: float) -> None:
    """The slowest and the fastest clock give scores, not errors."""
    policy = MemoryBank(turns_per_day=turns_per_day)
    assert 0.0 <= policy.retention(2**31, 1) <= policy.retention(1, 1) <= 1.0
