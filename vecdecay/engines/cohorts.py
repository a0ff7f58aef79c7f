"""What becomes of items that nothing touches after their registration: closed forms instead of simulation.

Such items are decided by the turn of their registration and the policy's first horizon alone, so a cohort adds the same
integers to every session.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vecdecay.policies.base import PLAIN_RULES, Rules
from vecdecay.sessions.block import Cohort


@dataclass(frozen=True)
class CohortTotals:
    """What cohorts add to the totals of a session: evictions, turns held (in items, in tokens), registered tokens."""

    items_evicted: int = 0
    working_set_sum: int = 0
    token_turns: int = 0
    registered_tokens: int = 0


@dataclass(frozen=True)
class CohortFate:
    """A cohort under a policy: ``horizon`` is that of an item just registered, as in :class:`lookup.Lookup`."""

    cohort: Cohort
    horizon: int
    session_length: int
    rules: Rules = PLAIN_RULES

    def registered_turns(self) -> NDArray[np.int64]:
        """Return the turns in which the cohort registers items, shape (turn)."""
        return np.arange(self.cohort.first_turn, self.cohort.last_turn + 1, dtype=np.int64)

    def expiries(self) -> NDArray[np.int64]:
        """Return the turn whose pass evicts the items of each such turn, session_length + 1 where none does."""
        registered = self.registered_turns()
        period = self.rules.period_turns
        unit = self.rules.unit_turns
        by_policy = ((registered - 1) // unit + self.horizon) * unit + 1
        earliest = np.maximum(by_policy, registered + self.rules.grace_turns)
        expiries: NDArray[np.int64] = np.minimum(-(-earliest // period) * period, self.session_length + 1)
        return expiries

    def totals(self) -> CohortTotals:
        """Return what the cohort adds to each session, in exact integers."""
        evicted, held = self._evicted_and_held()
        count, tokens = self.cohort.count, self.cohort.tokens
        items = self.cohort.items()
        return CohortTotals(count * evicted, count * held, count * tokens * held, items * tokens)

    def _evicted_and_held(self) -> tuple[int, int]:
        """Return the turns whose items are evicted, and the turns held summed over one item of each turn."""
        if self.rules.period_turns == 1 and self.rules.unit_turns == 1:
            return self._closed_form()
        expiries = self.expiries()
        return int((expiries <= self.session_length).sum()), int((expiries - self.registered_turns()).sum())

    def _closed_form(self) -> tuple[int, int]:
        cohort, length = self.cohort, self.session_length
        horizon = max(self.horizon, self.rules.grace_turns)
        turns = cohort.last_turn - cohort.first_turn + 1
        whole = _clamp(length - horizon + 1 - cohort.first_turn + 1, turns)  # live a full horizon
        evicted = _clamp(length - horizon - cohort.first_turn + 1, turns)
        longest_rest = length - (cohort.first_turn + whole) + 1
        shortest_rest = length - cohort.last_turn + 1
        return evicted, whole * horizon + (longest_rest + shortest_rest) * (turns - whole) // 2

    def working_set(self) -> NDArray[np.int64]:
        """Return how many of the items are in the working set after each turn, shape (turn 0 … session_length + 1)."""
        size = np.zeros(self.session_length + 2, dtype=np.int64)
        registered = self.registered_turns()
        size[registered] += self.cohort.count
        np.subtract.at(size, self.expiries(), self.cohort.count)
        return np.cumsum(size)


@dataclass(frozen=True)
class PlayedFate(CohortFate):
    """The fate of a cohort whose items live the longer or shorter by the turn of their registration.

    ``turns_of_expiry`` has an entry per turn of the cohort, session_length + 1 for "never"; ``horizon`` is not read.
    """

    turns_of_expiry: tuple[int, ...] = ()

    def expiries(self) -> NDArray[np.int64]:
        """Return the turn whose pass evicts the items of each such turn, session_length + 1 where none does."""
        return np.array(self.turns_of_expiry, dtype=np.int64)

    def _closed_form(self) -> tuple[int, int]:
        expiries = self.expiries()
        return int((expiries <= self.session_length).sum()), int((expiries - self.registered_turns()).sum())


def _clamp(value: int, highest: int) -> int:
    return max(0, min(value, highest))


def cohort_totals(fates: Sequence[CohortFate]) -> CohortTotals:
    """Return what several cohorts add to each session.

    >>> cohort_totals([CohortFate(Cohort(first_turn=1, last_turn=150, count=3), horizon=13, session_length=150)])
    CohortTotals(items_evicted=411, working_set_sum=5616, token_turns=5616, registered_tokens=450)
    """
    each = [fate.totals() for fate in fates]
    return CohortTotals(
        items_evicted=sum(one.items_evicted for one in each),
        working_set_sum=sum(one.working_set_sum for one in each),
        token_turns=sum(one.token_turns for one in each),
        registered_tokens=sum(one.registered_tokens for one in each),
    )


def cohort_items(fates: Sequence[CohortFate]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return registered turn and evicted turn (0 for never) of every cohort item, shape (cohort item)."""
    registered, evicted = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    for fate in fates:
        expiries = fate.expiries()
        registered.append(np.repeat(fate.registered_turns(), fate.cohort.count))
        evicted.append(np.repeat(np.where(expiries <= fate.session_length, expiries, 0), fate.cohort.count))
    return np.concatenate(registered).astype(np.int32), np.concatenate(evicted).astype(np.int32)
