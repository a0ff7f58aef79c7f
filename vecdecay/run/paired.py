"""Several policies on the same sessions: totals, intervals, and intervals of what differs between two of them.

The unit is the session. What is estimated are ratios of totals, hits to recalls or item-turns to turns, so the interval
is that of a ratio estimate (Cochran 1977, "Sampling Techniques", 6.4): Student's, of the residuals of the sessions.
Sums of squares and products are integers, and what is made of them fractions: no order and no thread changes a digit.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vecdecay.analysis.intervals import rate_interval, student_interval
from vecdecay.engines.outcome import BlockOutcome
from vecdecay.engines.registry import play_block
from vecdecay.policies.base import Policy
from vecdecay.run.over_blocks import over_blocks
from vecdecay.run.simulate import checked_arguments
from vecdecay.sessions.block import SessionBlock

# Columns beside those of the policies, which have two each: hits, and what they hold.
ONES, RECALLS, TURNS = 0, 1, 2
FIRST = 3

NO_RECALLS = "these sessions recall nothing, so that no policy hits or misses; allowed: sessions with recalls"


class Estimate(NamedTuple):
    """A ratio of totals with its 95 % interval, None where one session cannot give any."""

    value: float
    low: float | None
    high: float | None

    @property
    def covers_zero(self) -> bool:
        """Tell whether the interval covers 0, or there is none."""
        return self.low is None or self.high is None or self.low <= 0 <= self.high


Weights = dict[int, Fraction]
"""By policy (or column): how much of its totals is taken, so that settings are mixed, or policies subtracted."""


@dataclass(frozen=True)
class Paired:
    """Sums over sessions of products of columns, (column, column): 1, recalls, turns, then hits and held by policy."""

    products: NDArray[Any]

    def total(self, column: int) -> int:
        """Return the sum of a column."""
        return int(self.products[ONES, column])

    def hits(self, policy: int) -> int:
        """Return the recalls that hit."""
        return self.total(FIRST + 2 * policy)

    def held(self, policy: int) -> int:
        """Return the item-turns, or token-turns."""
        return self.total(FIRST + 2 * policy + 1)

    def hit_rate(self, weights: Weights, given_size: Weights | None = None, is_rate: bool = True) -> Estimate:
        """Return hits per recall; ``is_rate`` says that it is one from 0 to 1, and no difference of two.

        Where settings were chosen on these sessions so that a size is met, ``given_size`` says how the choice moves the
        result: by policy, hits per recall for each item per turn.
        """
        return self._estimate(_columns(weights, 0), RECALLS, _columns(given_size or {}, 1), TURNS, is_rate)

    def mean_size(self, weights: Weights, given_rate: Weights | None = None) -> Estimate:
        """Return what is held per turn; ``given_rate`` as above, items per turn for each hit per recall."""
        return self._estimate(_columns(weights, 1), TURNS, _columns(given_rate or {}, 0), RECALLS, False)

    def _estimate(self, weights: Weights, divisor: int, chosen: Weights, chosen_by: int, is_rate: bool) -> Estimate:
        count, below = self.total(ONES), self.total(divisor)
        if below == 0:
            return Estimate(math.nan, None, None)
        ratio = self._sum(weights) / below
        influence = _less(weights, divisor, ratio, below)  # of a session on the ratio
        if chosen:
            other = self.total(chosen_by)
            for column, one in _less(chosen, chosen_by, self._sum(chosen) / other, other).items():
                influence[column] = influence.get(column, Fraction(0)) + one
        squares = sum(
            (a * b * int(self.products[one, other]) for one, a in influence.items() for other, b in influence.items()),
            Fraction(0),
        )
        # The standard deviation that as many independent values would have, for the interval of their mean.
        deviation = math.sqrt(squares * count * count / (count - 1)) if count > 1 else None
        interval = rate_interval if is_rate else student_interval
        return Estimate(float(ratio), *(interval(float(ratio), deviation, count) or (None, None)))

    def _sum(self, weights: Weights) -> Fraction:
        return sum((weight * self.total(column) for column, weight in weights.items()), Fraction(0))


def _columns(weights: Weights, which: int) -> Weights:
    return {FIRST + 2 * policy + which: weight for policy, weight in weights.items()}


def _less(weights: Weights, divisor: int, ratio: Fraction, below: int) -> Weights:
    """Return the columns that make the residuals of a ratio, by its divisor's total."""
    return {**{column: weight / below for column, weight in weights.items()}, divisor: -ratio / below}


def paired(
    source: Any, policies: Sequence[Policy], size: str = "items", seeds: Any = None, threads: int | None = None
) -> Paired:
    """Play policies on the same sessions and return what their intervals are made of.

    ``size`` is "items" or "tokens".

    Raises:
        InvalidInputError: an argument is wrong, or a policy cannot be played on these sessions.
    """
    spec, workers = checked_arguments(source, list(policies), seeds, "sessions", "auto", None, threads)
    relearn = spec.workload.relearns
    played = [entry.policy for entry in spec.policies]
    return Paired(over_blocks(spec, workers, lambda block: _products(block, played, size, relearn), _added))


def _products(block: SessionBlock, policies: Sequence[Policy], size: str, relearn: bool) -> NDArray[Any]:
    columns: list[NDArray[np.int64]] = []
    known: dict[Policy, BlockOutcome] = {}  # two neighbouring settings may be the same one
    for policy in policies:
        if policy not in known:
            known[policy] = play_block(block, policy, relearn=relearn)
        outcome = known[policy]
        if not columns:
            columns = [np.ones_like(outcome.recalls), outcome.recalls, outcome.session_length]
        columns += [
            outcome.recalls - outcome.misses,
            outcome.token_turns if size == "tokens" else outcome.working_set_sum,
        ]
    each = np.stack(columns)
    largest = int(each.max(initial=0))
    if largest * largest * each.shape[1] >= 2**63:
        each = each.astype(object)
    return (each @ each.T).astype(object)


def _added(several: Sequence[NDArray[Any]]) -> NDArray[Any]:
    return np.sum(np.stack(several), axis=0)  # type: ignore[no-any-return]
