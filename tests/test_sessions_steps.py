"""Tests of vecdecay.sessions.steps: the rows that the kernel reads, and bounds on what they come to."""

import numpy as np
import pytest

from vecdecay.sessions.steps import (
    Plan,
    come_back,
    flat_numbers,
    most_of_poisson,
    most_touches,
    periodic,
    power_gaps,
    process,
    register,
    spread,
    spread_after,
)


def test_bounds_add_up() -> None:
    """Certain touches are added over items and steps, random ones bounded together."""
    steps = (register(), spread(4, 2, 9), come_back(3), spread_after(2, 5))
    assert most_touches([Plan(3, steps), Plan(2, (register(),))]) == 3 * 8 + 2
    both = most_touches([Plan(10, (register(), process(0.5, 2, 101)))])
    assert both == 10 + most_of_poisson(10 * 0.5 * 100)
    assert most_touches([Plan(1, (power_gaps(0.5, 0.6, 40),))]) == 40
    assert most_touches([]) == 0


@pytest.mark.parametrize("mean", [0.01, 1.0, 30.0, 1000.0])
def test_a_poisson_number_stays_below_its_bound(mean: float) -> None:
    """A million draws from NumPy's generator stay far below; without a mean there is nothing."""
    drawn = np.random.default_rng(3).poisson(mean, 1_000_000)
    assert drawn.max() < most_of_poisson(mean) - 5
    assert most_of_poisson(0.0) == 0


@pytest.mark.parametrize(("period", "jitter", "length"), [(1, 0, 9), (7, 3, 40), (5, 0, 3), (12, 2, 150)])
def test_a_period_has_room_for_its_recalls(period: int, jitter: int, length: int) -> None:
    """From any start, with every recall drawn forward as far as it goes, they fit; and hardly more would."""
    most = max(
        sum(start + number * period - jitter <= length for number in range(length + jitter + 1))
        for start in range(1, period + 1)
    )
    assert most <= periodic(period, jitter, length).certain <= most + 1


def test_rows_follow_each_other() -> None:
    """Plan after plan, step after step, four numbers each."""
    numbers = flat_numbers([Plan(1, (register(2, 5),)), Plan(1, (register(), process(0.5, 2, 9)))])
    assert numbers == [0, 2, 5, 0.0, 0, 1, 1, 0.0, 4, 0.5, 2, 9]
