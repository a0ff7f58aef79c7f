"""Confidence intervals for the mean of a metric, where the unit is the session.

Sessions of one cell are independent of each other; the items and turns within a session are not. So the size
of the sample is the number of sessions, however many items each of them holds.
"""

import math
from functools import lru_cache
from statistics import NormalDist

from vecdecay.errors import InvalidInputError

Interval = tuple[float, float]

# From here on the expansion is the more accurate way: at the level 0.95 its first dropped term is 1e-15.
_LARGE_DEGREES = 1000
_MAX_STEPS = 200
# The tail 1 − level is known to about 1e-16; beyond this level that is no longer enough for nine digits.
LARGEST_LEVEL = 0.999999


def wilson_interval(mean: float, count: int, level: float = 0.95) -> Interval:
    """Return the score interval (low, high) for the mean of ``count`` per-session rates in [0, 1].

    Wilson (1927), "Probable inference, the law of succession, and statistical inference", J. Am. Stat. Assoc.
    22. Made for values that are 0 or 1, it is conservative for rates: a rate in [0, 1] never has a larger
    variance than a 0/1 value of the same mean. At a mean of 0 or 1 it is not empty, and its outer end is
    exactly 0.0 or 1.0. The interval contains ``mean`` and lies within [0, 1].

    Raises ``InvalidInputError`` for a mean outside [0, 1], a count below 1, or a level outside (0, 0.999999].

    >>> low, high = wilson_interval(1.0, 50)
    >>> f"{low:.3f}", high
    ('0.929', 1.0)
    """
    problems = _level_problems(level)
    if not 0.0 <= mean <= 1.0:
        problems.append(f"mean is {mean}; allowed: 0 to 1")
    if count < 1:
        problems.append(f"count is {count}; allowed: 1 or more")
    if problems:
        raise InvalidInputError(problems)
    weight = normal_quantile(level) ** 2 / count
    low = _lower_score(mean, weight)
    high = 1.0 - _lower_score(1.0 - mean, weight)  # what is 1 − rate has the mirrored interval
    return low, max(high, mean)  # 1 − (1 − mean) may round below mean


def student_interval(mean: float, standard_deviation: float | None, count: int, level: float = 0.95) -> Interval | None:
    """Return the interval (low, high) around ``mean`` by Student's t, or None below two sessions.

    For metrics without bounds; ``mean``, ``standard_deviation`` (divisor count − 1) and the result are in the
    metric's own unit. Student (1908), "The probable error of a mean", Biometrika 6. Where all sessions gave
    the same value, the interval is that value: the sample says nothing of its spread (see
    ``Summary.constant``).

    Raises ``InvalidInputError`` for a mean or standard deviation that is not finite, a negative or (from two
    sessions on) missing standard deviation, or a level outside (0, 0.999999].
    """
    problems = _level_problems(level)
    if not math.isfinite(mean):
        problems.append(f"mean is {mean}; allowed: finite numbers")
    if count >= 2 and (standard_deviation is None or not 0.0 <= standard_deviation < math.inf):
        problems.append(f"standard_deviation is {standard_deviation}; allowed: finite numbers from 0")
    if problems:
        raise InvalidInputError(problems)
    if count < 2 or standard_deviation is None:
        return None
    half_width = student_quantile(level, count - 1) * (standard_deviation / math.sqrt(count))
    return mean - half_width, mean + half_width


def normal_quantile(level: float) -> float:
    """Return z such that a standard normal variable lies within ±z with probability ``level``."""
    return -NormalDist().inv_cdf((1.0 - level) / 2)


@lru_cache(maxsize=1024)
def student_quantile(level: float, degrees: int) -> float:
    """Return t: Student's variable of ``degrees`` of freedom is within ±t with probability ``level``.

    The relative error is below 1e-12 for levels up to 0.999, and below 1e-9 for all that are allowed. Below
    1,000 degrees: Newton's method on the finite series of the probability, which has positive terms only
    (Abramowitz and Stegun 1964, 26.7.3 and 26.7.4). The probability is concave in t and the normal quantile
    lies below the solution, so every step rises towards it. Above: the expansion in 1/degrees (26.7.5).

    Raises ``InvalidInputError`` for degrees below 1, or a level outside (0, 0.999999].

    >>> round(student_quantile(0.95, 4), 12)
    2.776445105198
    """
    problems = _level_problems(level)
    if degrees < 1:
        problems.append(f"degrees is {degrees}; allowed: 1 or more")
    if problems:
        raise InvalidInputError(problems)
    normal = normal_quantile(level)
    if degrees >= _LARGE_DEGREES:
        return _expanded_quantile(normal, degrees)
    quantile = normal
    for _ in range(_MAX_STEPS):
        probability, slope = _probability_within(quantile, degrees)
        step = (level - probability) / slope
        quantile += step
        if step <= 1e-15 * quantile:  # also a step back, which only rounding can ask for
            break
    return quantile


def _level_problems(level: float) -> list[str]:
    if 0.0 < level <= LARGEST_LEVEL:
        return []
    return [f"level is {level}; allowed: above 0, up to {LARGEST_LEVEL}"]


def _lower_score(mean: float, weight: float) -> float:
    """Return the lower end of Wilson's interval, where ``weight`` is z**2 / count.

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


def _expanded_quantile(normal: float, degrees: int) -> float:
    square = normal * normal
    terms = (
        normal,
        normal * (square + 1) / 4,
        normal * ((5 * square + 16) * square + 3) / 96,
        normal * (((3 * square + 19) * square + 17) * square - 15) / 384,
        normal * ((((79 * square + 776) * square + 1482) * square - 1920) * square - 945) / 92160,
    )
    return math.fsum(term / degrees**power for power, term in enumerate(terms))
