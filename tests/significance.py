"""P-values for tests of distributions: Pearson, Kolmogorov, independence of pairs; plain arithmetic, no library."""

import math
from collections.abc import Callable, Sequence

import numpy as np

LEAST_P = 1e-6
"""A sound generator fails one in a million tests at this level; seeds are fixed, so a test that passes stays so."""


def chi_square_p(observed: Sequence[float], expected: Sequence[float]) -> float:
    """Two-sided p-value of Pearson's statistic, by Wilson and Hilferty's cube root; cells are pooled up to 10."""
    groups, pooled = [0], 0.0
    for cell in expected:
        pooled = cell if pooled >= 10 else pooled + cell
        groups.append(groups[-1] + (pooled >= 10))
    group = np.minimum(groups[:-1], groups[-1] - 1)
    seen, wanted = (np.bincount(group, counts) for counts in (observed, expected))
    assert len(wanted) > 1, "one cell only: nothing is tested"
    freedom = len(wanted) - 1
    ratio = float(((seen - wanted) ** 2 / wanted).sum()) / freedom
    spread = 2 / (9 * freedom)
    return math.erfc(abs(ratio ** (1 / 3) - 1 + spread) / math.sqrt(2 * spread))


def even_p(numbers: np.ndarray, cells: int) -> float:
    """P-value that whole numbers are spread evenly over 0 … cells − 1; any other number makes it 0."""
    if numbers.min() < 0 or numbers.max() >= cells:
        return 0.0
    return chi_square_p(np.bincount(numbers, minlength=cells), np.full(cells, len(numbers) / cells))


def mass_p(numbers: np.ndarray, mass: Callable[[int], float]) -> float:
    """P-value that whole numbers from 0 on follow a distribution, given the chance of each; the rest is one cell."""
    chances = [mass(k) for k in range(int(numbers.max()) + 1)]
    rest = max(0.0, 1.0 - math.fsum(chances))
    expected = np.array([*chances, rest]) * len(numbers)
    return chi_square_p(np.append(np.bincount(numbers), 0), expected)


def share_p(yes: np.ndarray, share: float) -> float:
    """Two-sided p-value that outcomes are yes with this chance, by the normal distribution."""
    deviation = abs(int(yes.sum()) - len(yes) * share) / math.sqrt(len(yes) * share * (1.0 - share))
    return math.erfc(deviation / math.sqrt(2.0))


def kolmogorov_p(fractions: np.ndarray) -> float:
    """P-value that fractions are uniform: Kolmogorov's series, Stephens' correction."""
    n, values = len(fractions), np.sort(fractions)
    distance = max((np.arange(1, n + 1) / n - values).max(), (values - np.arange(n) / n).max())
    x = (math.sqrt(n) + 0.12 + 0.11 / math.sqrt(n)) * distance
    return min(1.0, 2 * sum((-1) ** (j - 1) * math.exp(-2 * (j * x) ** 2) for j in range(1, 101)))


def independent_p(first: np.ndarray, second: np.ndarray, cells: int = 8) -> float:
    """P-value that two columns of whole numbers are independent, whatever their distributions: a table of their ranks.

    Equal numbers are ranked at random, each column by fractions of its own.
    """
    fractions = np.random.default_rng(1).random((2, len(first)))
    places = [np.argsort(np.argsort(one + fraction)) for one, fraction in zip((first, second), fractions, strict=True)]
    columns = [place * cells // len(place) for place in places]
    table = np.bincount(columns[0] * cells + columns[1], minlength=cells * cells)
    expected = len(first) / cells**2
    freedom = (cells - 1) ** 2
    statistic = float(((table - expected) ** 2 / expected).sum())
    spread = 2 / (9 * freedom)
    return math.erfc(abs((statistic / freedom) ** (1 / 3) - 1 + spread) / math.sqrt(2 * spread))
