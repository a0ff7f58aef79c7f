"""Questions to one item of a policy, whatever its kind: what it scores, and whether it is due, after given touches.

Invariants go through a fixed grid, from few touches and low ages up; so the first example is the smallest.
"""

import functools
import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from vecdecay.items import CATEGORIES, DEFAULT_ATTRIBUTES, Attributes
from vecdecay.policies.base import Policy, TablePolicy
from vecdecay.policies.stateful import HazardPolicy, StatefulPolicy, functions_of

_SPREAD = 1.4
_SMALL_AND_HIGHEST_AGE = {"table": (64, 1_000_000), "stateful": (64, 5_000), "by turn": (24, 150)}
"""Up to which age every age is asked for, and the highest. A policy that moves each state on turn by turn is asked at
low ages only: an answer takes as many calls."""

_HISTORIES = (
    (1,),
    (1, 1),
    (1, 2),
    (1, 8),
    (1, 2, 3),
    (1, 4, 12),
    (1, 1, 1, 1),
    (1, 5, 10, 20, 39),
    (7, 7, 8, 30, 31, 90),
    tuple(range(1, 21)),
)
_RECALL_COUNTS = (*range(1, 9), 12, 20, 50, 200)

ITEMS = tuple(Attributes(importance, category) for category in CATEGORIES for importance in (0.5, 0.0, 1.0))
"""The items of the grid, default ones first: a parameter may act where an importance and a category come together."""


class Probe(NamedTuple):
    """An item, the turns in which it was touched, and an age since the last touch.

    A table policy knows only how many touches there were, and counts ages as its own rules do.
    """

    touches: tuple[int, ...]
    age: int
    item: Attributes = DEFAULT_ATTRIBUTES

    def text(self, policy: Policy, recall_count: int | None = None) -> str:
        """Return the question in words; ``recall_count`` may stand for as many touches of a table policy."""
        described = ", ".join(
            f"{name}={value!r}"
            for name, value, usual in zip(Attributes._fields, self.item, DEFAULT_ATTRIBUTES, strict=True)
            if value != usual
        )
        item = f" of an item with {described}" if described else ""
        if isinstance(policy, TablePolicy):
            return f"at recall_count={recall_count or len(self.touches)}, age={self.age}{item}"
        touches = ", ".join(map(str, self.touches[:8])) + ("…" if len(self.touches) > 8 else "")
        return f"in turn {self.touches[-1] + self.age} after touches in turns {touches}{item}"


def has_score(policy: Policy) -> bool:
    """Tell whether the policy scores items one by one; a cache policy does not."""
    return isinstance(policy, TablePolicy | StatefulPolicy)


def score(policy: Policy, probe: Probe) -> float:
    """Return what the policy scores, as it reports it."""
    if isinstance(policy, TablePolicy):
        return policy.retention(probe.age, len(probe.touches), probe.item)
    if isinstance(policy, StatefulPolicy):
        return policy.score(probe.touches, probe.touches[-1] + probe.age, probe.item)
    raise TypeError(f"{type(policy).__name__} has no score")


def threshold_of(policy: Policy) -> float | None:
    """Return the score below which the policy evicts, None where it does not decide by a score."""
    if isinstance(policy, HazardPolicy) or not isinstance(policy, TablePolicy | StatefulPolicy):
        return None
    return policy.threshold()


def is_due(policy: Policy, probe: Probe) -> bool:
    """Tell whether the item is to be evicted, were a pass to run; never at age 0 of a table policy."""
    if isinstance(policy, TablePolicy):
        return policy.evicts(probe.age, len(probe.touches), probe.item)
    threshold = threshold_of(policy)
    return threshold is not None and score(policy, probe) < threshold


@functools.lru_cache(maxsize=256)
def histories(policy: Policy, item: Attributes = DEFAULT_ATTRIBUTES) -> tuple[tuple[int, ...], ...]:
    """Return the touches of the grid, few ones first; for a stateful policy those that can occur.

    What the policy has evicted before its next touch is not there to be recalled: nobody asks what its state becomes.
    """
    if isinstance(policy, StatefulPolicy):
        return tuple(touches for touches in _HISTORIES if can_occur(policy, touches, item))
    return tuple((1,) * count for count in _RECALL_COUNTS)


def can_occur(policy: StatefulPolicy, touches: Sequence[int], item: Attributes) -> bool:
    """Tell whether an item with these touches is still there at each of its recalls, were a pass to run every turn."""
    return all(
        policy.life(touches[:count], touches[count] - touches[count - 1], item) is None
        for count in range(1, len(touches))
    )


def ages(policy: Policy) -> tuple[int, ...]:
    """Return the ages of the grid, rising from 0: all small ones, and some that are spread over the rest."""
    by_turn = isinstance(policy, StatefulPolicy) and functions_of(type(policy)).on_turn is not None
    kind = "table" if isinstance(policy, TablePolicy) else "by turn" if by_turn else "stateful"
    small, last = _SMALL_AND_HIGHEST_AGE[kind]
    found = list(range(small + 1))
    while found[-1] * _SPREAD < last:
        found.append(int(found[-1] * _SPREAD))
    return (*found, last)


def items(policy: Policy) -> tuple[Attributes, ...]:
    """Return the items of the grid: one, where the policy knows nothing of an item."""
    if isinstance(policy, TablePolicy) and not policy.reads:
        return (DEFAULT_ATTRIBUTES,)
    return ITEMS


def grid(policy: Policy) -> Iterator[Probe]:
    """Yield every probe of the grid, the ages of one item and its touches one after the other."""
    for item in items(policy):
        for touches, age in itertools.product(histories(policy, item), ages(policy)):
            yield Probe(touches, age, item)


def ages_of_change(policy: Policy) -> tuple[int, ...]:
    """Return the ages up to 30 at which an item is first due, after several touches: where sessions should probe."""
    found = []
    for touches in histories(policy)[:6]:
        due = (age for age in range(1, 31) if is_due(policy, Probe(touches, age)))
        found.append(next(due, None))
    return tuple(dict.fromkeys(age for age in found if age is not None))
