"""95 % confidence intervals for the mean of a metric, where the unit is the session.

Sessions of one cell are independent of each other; the items and turns within a session are not. So the size
of the sample is the number of sessions, however many items each of them holds.
"""

import math
from functools import lru_cache

Interval = tuple[float, float]

LEVEL = 0.95
NORMAL_QUANTILE = 1.959963984540054  # a standard normal variable lies within ± this with probability LEVEL
# From here on the expansion is the more accurate way: its first dropped term is 1e-15.
_LARGE_DEGREES = 1000
_ROUNDING = 1e-12


def rate_interval(mean: float, standard_deviation: float | None, count: int) -> Interval:
    """Return the interval (low, high) for the mean of ``count`` > 0 per-session rates, each in [0, 1].

    Where every rate is 0 or 1, this is Wilson's score interval (Wilson 1927, "Probable inference, the law of
    succession, and statistical inference", J. Am. Stat. Assoc. 22). It is also the fallback where all rates are the
    same, for then the sample says nothing of its spread. Else it is the score interval for as many 0/1 values as would
    give the mean the variance that the rates give it, with Student's quantile (Kish 1965, "Survey Sampling", for the
    effective size of a sample; Dean and Pagano 2015, J. Surv. Stat. Methodol. 3, for its use in a score interval). For
    many sessions that is Student's interval, ``mean ± t × standard_deviation / sqrt(count)``; for few it is skewed
    towards 0.5 and never leaves [0, 1].

    ``standard_deviation`` has the divisor count − 1. The interval contains ``mean``; at a mean of 0 or 1 it is not
    empty, and its outer end is exactly 0.0 or 1.0. Measured coverage (tests/test_analysis_intervals.py; rates of 2 to
    10 correlated items, means from 0.3 to 0.98): on average 97 % for 5 sessions, 96 % for 10, 95 to 95.5 % from 20 on;
    the least is 88 %, for rates that are 1 in almost every session and far below it in a few.

    >>> low, high = rate_interval(1.0, 0.0, 50)
    >>> f"{low:.3f}", high
    ('0.929', 1.0)
    >>> low, high = rate_interval(0.9, 0.125, 50)
    >>> f"{low:.3f}", f"{high:.3f}"
    ('0.859', '0.930')
    """
    weight = NORMAL_QUANTILE * NORMAL_QUANTILE / count
    binary_variance = mean * (1.0 - mean)
    if standard_deviation and binary_variance > 0.0:
        design_effect = standard_deviation * standard_deviation / binary_variance
        # With the divisor count it is 1 where all rates are 0 or 1, and below 1 elsewhere.
        if design_effect * (count - 1) / count < 1.0 - _ROUNDING:
            weight = student_quantile(count - 1) * student_quantile(count - 1) * design_effect / count
    low = _lower_score(mean, weight)
    high = 1.0 - _lower_score(1.0 - mean, weight)  # what is 1 − rate has the mirrored interval
    return low, max(high, mean)  # 1 − (1 − mean) may round below mean


def student_interval(mean: float, standard_deviation: float | None, count: int) -> Interval | None:
    """Return the interval (low, high) around ``mean`` by Student's t, or None below two sessions.

    For metrics without bounds; ``mean``, ``standard_deviation`` (divisor count − 1) and the result are in the
    metric's own unit. Student (1908), "The probable error of a mean", Biometrika 6. Where all sessions gave
    the same value, the interval is that value: the sample says nothing of its spread (see
    ``Summary.constant``).
    """
    if standard_deviation is None:
        return None
    half_width = student_quantile(count - 1) * (standard_deviation / math.sqrt(count))
    return mean - half_width, mean + half_width


@lru_cache(maxsize=1024)
def student_quantile(degrees: int) -> float:
    """Return t: Student's variable of ``degrees`` ≥ 1 of freedom is within ±t with probability 0.95.

    The relative error is below 1e-12. Below 1,000 degrees: Newton's method on the finite series of the probability,
    which has positive terms only (Abramowitz and Stegun 1964, 26.7.3 and 26.7.4). The probability is concave in t and
    the normal quantile lies below the solution, so every step rises towards it. Above: the expansion in 1/degrees
    (26.7.5).

    >>> round(student_quantile(4), 12)
    2.776445105198
    """
    if degrees >= _LARGE_DEGREES:
        return _expanded_quantile(degrees)
    quantile, step = NORMAL_QUANTILE, 1.0
    while step > 1e-15 * quantile:  # ends also at a step back, which only rounding can ask for
        probability, slope = _probability_within(quantile, degrees)
        step = (LEVEL - probability) / slope
        quantile += step
    return quantile


def _lower_score(mean: float, weight: float) -> float:
    """Return the lower end of the score interval, where ``weight`` is z**2 / count.

    It is the smaller root of (1 + weight) x**2 − (2 mean + weight) x + mean**2, written without a difference.
    """
    half_width = math.sqrt(weight * (mean * (1.0 - mean) + weight / 4))
    return mean * (mean / (mean + weight / 2 + half_width))


def _probability_within(quantile: float, degrees: int) -> tuple[float, float]:
    """Return P(|T| <= quantile) and its derivative for Student's T with ``degrees`` of freedom."""
    squared_cosine = degrees / (degrees + quantile * quantile)
    sine = quantile / math.sqrt(degrees + quantile * quantile)
    cosine = math.sqrt(squared_cosine)
    odd = degrees % 2
    # The terms run over cos, cos**3, … for odd degrees and over 1, cos**2, … for even ones.
    term = cosine if odd else 1.0
    total = 0.0
    for power in range(1 + odd, degrees, 2):
        total += term
        term *= squared_cosine * power / (power + 1)
    # What is left in term is, up to constants, the density.
    scale = 2 / math.pi if odd else 1.0
    angle = math.atan2(quantile, math.sqrt(degrees)) if odd else 0.0
    return scale * (angle + sine * total), scale * term * cosine * math.sqrt(degrees)


def _expanded_quantile(degrees: int) -> float:
    normal, square = NORMAL_QUANTILE, NORMAL_QUANTILE * NORMAL_QUANTILE
    terms = (
        normal,
        normal * (square + 1) / 4,
        normal * ((5 * square + 16) * square + 3) / 96,
        normal * (((3 * square + 19) * square + 17) * square - 15) / 384,
        normal * ((((79 * square + 776) * square + 1482) * square - 1920) * square - 945) / 92160,
    )
    return math.fsum(term / degrees**power for power, term in enumerate(terms))
