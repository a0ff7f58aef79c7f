"""Intervals, against the equations that define them, printed tables and simulation."""

import math
import statistics
from itertools import pairwise, product
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from vecdecay.analysis import intervals
from vecdecay.analysis.intervals import (
    NORMAL_QUANTILE,
    rate_interval,
    student_interval,
    student_quantile,
)


def probability_within(quantile: float, degrees: int) -> float:
    """Integrate Student's density over ±quantile by Simpson's rule: independent of the code under test."""
    factor = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) / math.sqrt(degrees * math.pi)
    parts = 4000
    # Substituting x = sinh(u) makes heavy tails short.
    step = math.asinh(quantile) / parts

    def density(place: float) -> float:
        return math.cosh(place) * (1 + math.sinh(place) ** 2 / degrees) ** (-(degrees + 1) / 2)

    inner = math.fsum((4 if part % 2 else 2) * density(part * step) for part in range(1, parts))
    return 2 * factor * step / 3 * (density(0.0) + inner + density(parts * step))


def test_fifty_perfect_sessions_are_not_certainty() -> None:
    """50 sessions of 1.000 mean "at least 0.929", 50 of 0.000 "at most 0.071"; the outer ends are exact."""
    low, high = rate_interval(1.0, 0.0, 50)
    assert low == pytest.approx(50 / (50 + 1.959963984540054**2), abs=1e-15)
    assert f"{low:.4f}" == "0.9287"
    assert high == 1.0
    assert rate_interval(0.0, 0.0, 50) == (0.0, 1.0 - low)


@pytest.mark.parametrize("count", [1, 2, 10, 50, 1000, 10**6, 10**9])
@pytest.mark.parametrize("mean", [0.0, 1e-300, 1e-9, 0.05, 0.25, 1 / 3, 0.5, 0.911, 1 - 2**-53, 1.0])
def test_wilson_ends_solve_the_score_equation(mean: float, count: int) -> None:
    """Each end lies z standard errors, taken at that end, from the mean; the interval is in [0, 1] around it."""
    low, high = rate_interval(mean, 0.0, count)
    assert 0.0 <= low <= mean <= high <= 1.0
    assert low < high
    assert (low == 0.0) >= (mean == 0.0)
    assert (high == 1.0) >= (mean == 1.0)
    z = NORMAL_QUANTILE
    for end in (low, high):
        if 1e-12 < end < 1 - 1e-12:
            standard_error = math.sqrt(end * (1 - end) / count)
            assert abs(end - mean) == pytest.approx(z * standard_error, rel=1e-6, abs=1e-12)


def test_yes_or_no_sessions_have_the_printed_wilson_interval() -> None:
    """5 of 10 at 95 % is 0.2366 to 0.7634, as printed in textbooks, and the spread of 0 and 1 adds nothing to it."""
    low, high = rate_interval(0.5, None, 10)
    assert (round(low, 4), round(high, 4)) == (0.2366, 0.7634)


@pytest.mark.parametrize("count", [2, 3, 10, 999, 10**5])
@pytest.mark.parametrize("share", [0.001, 0.25, 0.5, 0.9])
def test_the_spread_of_zeros_and_ones_changes_nothing(count: int, share: float) -> None:
    """Where every rate is 0 or 1 the interval is Wilson's, as where the spread is not known."""
    ones = min(max(1, round(share * count)), count - 1)
    mean = ones / count
    deviation = math.sqrt(mean * (1 - mean) * count / (count - 1))
    assert rate_interval(mean, deviation, count) == rate_interval(mean, None, count)


def test_fractions_have_an_interval_from_their_own_spread() -> None:
    """0.9 with deviation 0.125 over 50 sessions is as 50 × 0.09 / 0.125² = 288 outcomes; over many, it is Student's."""
    low, high = rate_interval(0.9, 0.125, 50)
    weight = student_quantile(49) ** 2 / 288
    for end in (low, high):
        assert (end - 0.9) ** 2 == pytest.approx(weight * end * (1 - end), rel=1e-12)
    wide = rate_interval(0.9, None, 50)
    assert wide[0] < low < 0.9 < high < wide[1]
    many = rate_interval(0.9, 0.125, 10**6)
    expected = student_interval(0.9, 0.125, 10**6)
    assert expected is not None
    assert many == pytest.approx(expected, abs=1e-6)


@given(st.lists(st.integers(0, 12).map(lambda number: number / 12), min_size=1, max_size=30))
def test_the_interval_of_any_rates_lies_around_the_mean(values: list[float]) -> None:
    """Within [0, 1], never empty, the outer end exact at 0 and 1, and mirrored where every rate is."""
    count, mean = len(values), statistics.mean(values)
    deviation = statistics.stdev(values) if count > 1 else None
    low, high = rate_interval(mean, deviation, count)
    assert 0.0 <= low <= mean <= high <= 1.0
    assert low < high
    assert (low == 0.0) == (mean == 0.0)
    assert (high == 1.0) == (mean == 1.0)
    assert rate_interval(1 - mean, deviation, count) == pytest.approx((1 - high, 1 - low), abs=1e-12)


def test_the_smallest_spreads_are_survived() -> None:
    """A mean that rounds to 1, and a variance that underflows."""
    assert rate_interval(1.0, 2.0**-53, 10)[1] == 1.0
    assert rate_interval(0.5, 1e-200, 10) == (0.5, 0.5)


def coverage(mean: float, items: int, correlation: float, sessions: int, samples: int, seed: int) -> float:
    """Return how often the interval holds the mean of rates over items of which each session shares a probability."""
    generator = np.random.default_rng(seed)
    probability: float | NDArray[np.float64] = mean
    if correlation:
        size = (1 - correlation) / correlation
        probability = generator.beta(mean * size, (1 - mean) * size, size=(samples, sessions))
    rates = generator.binomial(items, probability, size=(samples, sessions)) / items
    drawn = zip(rates.mean(axis=1).tolist(), rates.std(axis=1, ddof=1).tolist(), strict=True)
    intervals_of = (rate_interval(min(centre, 1.0), spread, sessions) for centre, spread in drawn)
    return statistics.mean(low <= mean <= high for low, high in intervals_of)


def coverages(sessions: int, samples: int) -> list[float]:
    """Return the coverage for few and many, independent and correlated items, and means up to nearly 1."""
    cases = product((0.3, 0.5, 0.8, 0.9, 0.95, 0.98), (2, 3, 4, 10), (0.0, 0.2, 0.5, 0.9))
    return [coverage(*case, sessions, samples, seed) for seed, case in enumerate(cases)]


@pytest.mark.parametrize(("sessions", "most"), [(10, 0.975), (20, 0.965), (50, 0.965), (200, 0.965)])
def test_the_interval_holds_the_mean_in_95_of_100_samples(sessions: int, most: float) -> None:
    """On average over workloads, by simulation, whose error is 0.3 %; 10 sessions get a little more."""
    assert 0.94 < statistics.mean(coverages(sessions, 60)) < most


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("sessions", "expected", "least"),
    [
        (5, 0.970, 0.91),
        (10, 0.963, 0.89),
        (20, 0.955, 0.88),
        (50, 0.951, 0.87),
        (200, 0.950, 0.92),
        (1000, 0.950, 0.935),
    ],
)
def test_coverage_as_documented(sessions: int, expected: float, least: float) -> None:
    """The figures of the docstring of ``rate_interval``: the average, and the workload with the least."""
    found = coverages(sessions, 4000)
    assert statistics.mean(found) == pytest.approx(expected, abs=0.003)
    assert min(found) > least


@pytest.mark.parametrize(
    ("degrees", "printed"),
    [
        (1, "12.706"), (2, "4.303"), (3, "3.182"), (4, "2.776"), (5, "2.571"), (6, "2.447"), (7, "2.365"),
        (8, "2.306"), (9, "2.262"), (10, "2.228"), (15, "2.131"), (20, "2.086"), (29, "2.045"), (30, "2.042"),
        (40, "2.021"), (49, "2.010"), (60, "2.000"), (120, "1.980"), (10**6, "1.960"),
    ],
)  # fmt: skip
def test_student_quantile_equals_the_printed_table(degrees: int, printed: str) -> None:
    """The column 0.975 of the table in every textbook, to its three digits."""
    assert f"{student_quantile(degrees):.3f}" == printed


def test_student_quantile_equals_closed_forms() -> None:
    """One, two and four degrees of freedom have closed forms; they agree to twelve digits."""
    tail = 0.05
    assert student_quantile(1) == pytest.approx(1 / math.tan(math.pi * tail / 2), rel=1e-12)
    assert student_quantile(2) == pytest.approx(0.95 * math.sqrt(2 / (tail * 1.95)), rel=1e-12)
    cosine = math.cos(math.acos(math.sqrt(tail * 1.95)) / 3) / math.sqrt(tail * 1.95)
    assert student_quantile(4) == pytest.approx(2 * math.sqrt(cosine - 1), rel=1e-12)


@pytest.mark.parametrize("degrees", [1, 2, 3, 4, 5, 9, 10, 49, 99, 100, 500, 999, 1000, 1001, 5000])
def test_student_quantile_inverts_the_density(degrees: int) -> None:
    """Student's density, integrated numerically up to the quantile, gives 0.95 back, in both branches."""
    assert probability_within(student_quantile(degrees), degrees) == pytest.approx(0.95, abs=3e-12)


def test_student_quantile_has_no_seam() -> None:
    """Where the two ways of computing it meet, the quantile falls smoothly: fourth differences vanish."""
    quantiles = [student_quantile(degrees) for degrees in range(990, 1011)]
    differences = quantiles
    for _ in range(4):
        differences = [later - earlier for earlier, later in pairwise(differences)]
    assert all(later < earlier for earlier, later in pairwise(quantiles))
    assert max(map(abs, differences)) < 2e-11


def test_the_expansion_errs_by_its_first_dropped_term(monkeypatch: pytest.MonkeyPatch) -> None:
    """All five terms are right: what is missing falls like degrees**-5, with the factor of the sixth term."""
    z = NORMAL_QUANTILE
    sixth = math.fsum([27 * z**11, 339 * z**9, 930 * z**7, -1782 * z**5, -765 * z**3, 17955 * z]) / 368640
    exact = {degrees: student_quantile(degrees) for degrees in (50, 100)}
    monkeypatch.setattr(intervals, "_LARGE_DEGREES", 1)
    missing = {
        degrees: (quantile - student_quantile.__wrapped__(degrees)) * degrees**5 for degrees, quantile in exact.items()
    }
    assert 2 * missing[100] - missing[50] == pytest.approx(sixth, rel=0.01)


def test_student_quantile_becomes_the_normal_one() -> None:
    """With a billion sessions Student's t is the normal quantile, and 1.959963984540054 at 95 %."""
    assert NormalDist().inv_cdf(0.975) == pytest.approx(NORMAL_QUANTILE, rel=1e-15)
    z = NORMAL_QUANTILE
    assert student_quantile(10**6) == pytest.approx(z + (z**3 + z) / 4e6, rel=1e-11)
    assert student_quantile(10**9) == pytest.approx(z, rel=1e-8)


def test_student_interval_of_a_known_sample() -> None:
    """The sample 1, 2, 3, 4, 5 has the mean 3 and the 95 % interval 3 ± 2.776 × 1.581 / √5 = 3 ± 1.963."""
    interval = student_interval(3.0, math.sqrt(2.5), 5)
    assert interval is not None
    assert (round(interval[0], 3), round(interval[1], 3)) == (1.037, 4.963)


def test_student_interval_of_too_few_or_equal_sessions() -> None:
    """One session has no interval; sessions without variance have a single point."""
    assert student_interval(3.0, None, 1) is None
    assert student_interval(3.0, None, 0) is None
    assert student_interval(3.0, 0.0, 100) == (3.0, 3.0)
