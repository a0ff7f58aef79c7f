"""Intervals, against the equations that define them, printed tables and simulation."""

import math
import random
from itertools import pairwise
from statistics import NormalDist

import pytest

from vecdecay.analysis import intervals
from vecdecay.analysis.intervals import (
    NORMAL_QUANTILE,
    student_interval,
    student_quantile,
    wilson_interval,
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
    low, high = wilson_interval(1.0, 50)
    assert low == pytest.approx(50 / (50 + 1.959963984540054**2), abs=1e-15)
    assert f"{low:.4f}" == "0.9287"
    assert high == 1.0
    assert wilson_interval(0.0, 50) == (0.0, 1.0 - low)


@pytest.mark.parametrize("count", [1, 2, 10, 50, 1000, 10**6, 10**9])
@pytest.mark.parametrize("mean", [0.0, 1e-300, 1e-9, 0.05, 0.25, 1 / 3, 0.5, 0.911, 1 - 2**-53, 1.0])
def test_wilson_ends_solve_the_score_equation(mean: float, count: int) -> None:
    """Each end lies z standard errors, taken at that end, from the mean; the interval is in [0, 1] around it."""
    low, high = wilson_interval(mean, count)
    assert 0.0 <= low <= mean <= high <= 1.0
    assert low < high
    assert (low == 0.0) >= (mean == 0.0)
    assert (high == 1.0) >= (mean == 1.0)
    z = NORMAL_QUANTILE
    for end in (low, high):
        if 1e-12 < end < 1 - 1e-12:
            standard_error = math.sqrt(end * (1 - end) / count)
            assert abs(end - mean) == pytest.approx(z * standard_error, rel=1e-6, abs=1e-12)


def test_wilson_matches_a_printed_example() -> None:
    """5 of 10 at 95 % is 0.2366 to 0.7634, as printed in textbooks."""
    low, high = wilson_interval(0.5, 10)
    assert (round(low, 4), round(high, 4)) == (0.2366, 0.7634)


def test_wilson_narrows_with_sessions() -> None:
    """More sessions never widen the interval."""
    by_count = [wilson_interval(0.9, count) for count in (2, 5, 50, 500, 50_000)]
    for (low, high), (inner_low, inner_high) in pairwise(by_count):
        assert low < inner_low < inner_high < high


@pytest.mark.parametrize("recalls", [1, 2, 4])
@pytest.mark.parametrize(("rate", "count"), [(0.5, 30), (0.8, 50), (0.95, 200)])
def test_wilson_covers_the_true_rate(rate: float, count: int, recalls: int) -> None:
    """In 3,000 seeded experiments 95 % intervals hold the true rate about 95 % of the time, or more for rates."""
    generator = random.Random(12345)
    covered = 0
    for _ in range(3000):
        hits = sum(generator.random() < rate for _ in range(count * recalls))
        low, high = wilson_interval(hits / (count * recalls), count)
        covered += low <= rate <= high
    coverage = covered / 3000
    assert coverage > 0.935
    assert coverage < 0.972 if recalls == 1 else coverage > 0.98


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
