"""What becomes of items that nothing touches after their registration: closed forms instead of simulation.

All such items live exactly the first horizon of the policy, so a cohort adds the same integers to every session.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vecdecay.sessions.block import Cohort


@dataclass(frozen=True)
class CohortTotals:
    """What cohorts add to the totals of a session: evictions, and turns held summed over their items."""

    items_evicted: int
    working_set_sum: int


def cohort_totals(cohorts: tuple[Cohort, ...], horizon: int, session_length: int) -> CohortTotals:
    """Return what the cohorts add to each session, in exact integers.

    >>> cohort_totals((Cohort(first_turn=1, last_turn=150, count=3),), horizon=13, session_length=150)
    CohortTotals(items_evicted=411, working_set_sum=5616)
    """
    evicted = held = 0
    for cohort in cohorts:
        turns = cohort.last_turn - cohort.first_turn + 1
        whole = _clamp(session_length - horizon + 1 - cohort.first_turn + 1, turns)  # live a full horizon
        gone = _clamp(session_length - horizon - cohort.first_turn + 1, turns)
        longest_rest = session_length - (cohort.first_turn + whole) + 1
        shortest_rest = session_length - cohort.last_turn + 1
        rest = (longest_rest + shortest_rest) * (turns - whole) // 2
        evicted += cohort.count * gone
        held += cohort.count * (whole * horizon + rest)
    return CohortTotals(evicted, held)


def _clamp(value: int, highest: int) -> int:
    return max(0, min(value, highest))


def cohort_working_set(cohorts: tuple[Cohort, ...], horizon: int, session_length: int) -> NDArray[np.int32]:
    """Return how many cohort items are in the working set after each turn, shape (turn 0 … session_length + 1)."""
    turn = np.arange(session_length + 2, dtype=np.int64)
    size = np.zeros(session_length + 2, dtype=np.int64)
    for cohort in cohorts:
        newest = np.minimum(turn, cohort.last_turn)
        oldest = np.maximum(turn - horizon + 1, cohort.first_turn)
        size += cohort.count * np.maximum(newest - oldest + 1, 0)
    return size.astype(np.int32)


def cohort_registered_turns(cohorts: tuple[Cohort, ...]) -> NDArray[np.int32]:
    """Return the turn in which each cohort item is registered, shape (cohort item), cohort after cohort."""
    parts = [
        np.repeat(np.arange(cohort.first_turn, cohort.last_turn + 1, dtype=np.int32), cohort.count)
        for cohort in cohorts
    ]
    return np.concatenate(parts) if parts else np.empty(0, dtype=np.int32)


def cohort_per_turn(cohorts: tuple[Cohort, ...], session_length: int) -> NDArray[np.int64]:
    """Return how many cohort items are registered in each turn, shape (turn 0 … session_length)."""
    per_turn = np.zeros(session_length + 1, dtype=np.int64)
    for cohort in cohorts:
        per_turn[cohort.first_turn : cohort.last_turn + 1] += cohort.count
    return per_turn
