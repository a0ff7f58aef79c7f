"""From a table policy to its table of horizons, and the margin by which the table would survive another math library.

The horizon of an item is the number of turns that it outlives its last touch: touched in turn t, it is evicted by the
pass of turn t + horizon, and a recall in that very turn still finds it. The closed form that a policy offers is only
where the search starts; every entry is settled by asking the policy's own predicate on both sides of it.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vecdecay.items import DEFAULT_ATTRIBUTES, Attributes
from vecdecay.policies.base import TablePolicy

Predicate = Callable[[int], bool]

IMMORTAL = 2**31
"""The horizon of an item that outlives every session: larger than any turn."""


@dataclass(frozen=True)
class HorizonTable:
    """``horizon[k]`` (recall + 1,) int64, in turns: how long an item lives after its k-th recall.

    ``margin_ulps`` is the smallest distance, in units in the last place of the threshold, between the threshold and a
    score that decided an entry; None where no score decides. A margin of 0 means that a score equals its threshold
    exactly.
    """

    horizon: NDArray[np.int64]
    margin_ulps: float | None


def horizon_of(policy: TablePolicy, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> int:
    """Return the first age at which the policy evicts an item with this recall count, IMMORTAL if there is none.

    That is 0 where an item goes in the pass of the very turn of its touch.

    >>> from vecdecay.policies.ebbinghaus import Ebbinghaus
    >>> [horizon_of(Ebbinghaus(eviction_threshold=0.20), 1 + recalls) for recalls in range(7)]
    [13, 28, 65, 169, 470, 1384, 4262]
    """
    if item.pinned:
        return IMMORTAL

    def evicts(age: int) -> bool:
        return policy.evicts(age, recall_count, item)

    return 0 if evicts(0) else horizon_by(evicts, policy.horizon_guess(recall_count, item))


def horizon_by(evicts: Predicate, guess: float) -> int:
    """Return the first age at which a predicate holds that holds for ever after, IMMORTAL if there is none.

    Where the search starts changes nothing but its length: a guess may be wrong, infinite or NaN.
    """
    start = IMMORTAL - 1 if not guess < IMMORTAL else int(max(1.0, guess))
    return _search_down(evicts, start) if evicts(start) else _search_up(evicts, start)


def _search_down(evicts: Predicate, evicted: int) -> int:
    step, kept = 1, 0
    while evicted - step > 0:
        if not evicts(evicted - step):
            kept = evicted - step
            break
        evicted -= step
        step *= 2
    return _bisect(evicts, kept, evicted)


def _search_up(evicts: Predicate, kept: int) -> int:
    step = 1
    while not evicts(min(kept + step, IMMORTAL - 1)):
        kept += step
        step *= 2
        if kept >= IMMORTAL - 1:
            return IMMORTAL
    return _bisect(evicts, kept, min(kept + step, IMMORTAL - 1))


def _bisect(evicts: Predicate, kept: int, evicted: int) -> int:
    while evicted - kept > 1:
        middle = (kept + evicted) // 2
        if evicts(middle):
            evicted = middle
        else:
            kept = middle
    return evicted


def horizon_table(policy: TablePolicy, max_recalls: int, item: Attributes = DEFAULT_ATTRIBUTES) -> HorizonTable:
    """Return the horizons after 0 … ``max_recalls`` recalls, shape (recall + 1,).

    >>> from vecdecay.policies.recency_window import RecencyWindow
    >>> horizon_table(RecencyWindow(window_size=15), 2).horizon.tolist()
    [16, 16, 16]
    """
    found = horizons(policy, max_recalls, item)
    return HorizonTable(found, _margin(policy, found.tolist(), item))


def horizons(policy: TablePolicy, max_recalls: int, item: Attributes = DEFAULT_ATTRIBUTES) -> NDArray[np.int64]:
    """Return the table without its margin, which takes as long again."""
    return np.array([horizon_of(policy, recalls + 1, item) for recalls in range(max_recalls + 1)], dtype=np.int64)


def _margin(policy: TablePolicy, horizons: list[int], item: Attributes) -> float | None:
    threshold = policy.threshold()
    if threshold is None:
        return None
    distances = [
        abs(policy.retention(age, recalls + 1, item) - threshold) / math.ulp(threshold)
        for recalls, horizon in enumerate(horizons)
        if horizon < IMMORTAL
        for age in (horizon - 1, horizon)
        if age > 0  # no score decides at age 0
    ]
    return min(distances, default=None)
