"""What policies come to along the one parameter that sets how much they hold: by the exact curve, or value by value."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vecdecay.errors import InvalidInputError
from vecdecay.policies import POLICIES
from vecdecay.policies.base import Policy
from vecdecay.policies.belady import Belady
from vecdecay.policies.system import SystemPolicy
from vecdecay.run.curve import curve
from vecdecay.run.paired import paired

FREE_PARAMETERS = (
    "eviction_threshold", "retrieval_threshold", "window_size", "time_to_live", "slack_factor", "turns_per_load",
    "capacity_items", "capacity_tokens", "short_term_tokens", "short_items", "relevance_threshold", "max_age_days",
)  # fmt: skip
"""The parameters that set how much a policy holds; the first that a policy has is its free one."""

_STEPS_OF_A_THRESHOLD = 50
_DOUBLINGS = 12
_MOST_DIGITS = 17


@dataclass(frozen=True)
class Along:
    """The settings of a policy, ascending in what they hold. Shapes (setting).

    ``hits`` are recalls that hit, ``held`` are item-turns or token-turns, over all sessions; ``values`` those of the
    free parameter ``name``, in as few digits as tell a setting apart. Without a free parameter there is one setting,
    and its value is NaN. ``exact`` says that these are all settings that differ.
    """

    policy: Policy
    name: str | None
    exact: bool
    values: NDArray[np.float64]
    hits: NDArray[np.int64]
    held: NDArray[np.int64]

    def at(self, place: int) -> Policy:
        """Return the policy with the setting at a place."""
        return self.policy if self.name is None else with_value(self.policy, self.name, float(self.values[place]))


def with_value(policy: Policy, name: str, value: float) -> Policy:
    """Return the policy with another value of a number."""
    whole = next(one.kind == "integer" for one in policy.parameters() if one.name == name)
    return type(policy).build({**policy.values(), name: int(value) if whole else value})


def free_parameter(policy: Policy) -> str | None:
    """Return the name of the parameter that sets how much a policy holds, None where it has none.

    >>> from vecdecay.policies import Ebbinghaus, KeepAll
    >>> free_parameter(Ebbinghaus()), free_parameter(KeepAll())
    ('eviction_threshold', None)
    """
    names = policy.values()
    return next((name for name in FREE_PARAMETERS if name in names), None)


def usual_policies() -> list[Policy]:
    """Return all policies at their defaults but the one that knows the future, and those that no kernel plays."""
    return [one() for one in POLICIES if one is not Belady and not issubclass(one, SystemPolicy)]


def usual_values(policy: Policy, name: str) -> list[float]:
    """Return the values that are played where one pass does not answer all: a threshold's fiftieths, or doublings.

    >>> from vecdecay.policies import Lru, Sm2
    >>> usual_values(Lru(), "capacity_items")[:6], usual_values(Sm2(), "slack_factor")[:3]
    ([1.0, 2.0, 3.0, 4.0, 6.0, 8.0], [0.03125, 0.046875, 0.0625])
    """
    one = next(one for one in policy.parameters() if one.name == name)
    if (one.above == 0.0 and one.below == 1.0) or (name == "eviction_threshold" and type(policy) not in POLICIES):
        return [place / _STEPS_OF_A_THRESHOLD for place in range(1, _STEPS_OF_A_THRESHOLD)]
    first = 1.0 if one.kind == "integer" or one.at_least == 1 else 1 / 32
    values = [first * factor * 2.0**power for power in range(_DOUBLINGS) for factor in (1.0, 1.5)]
    return [value for value in values if value == int(value)] if first == 1.0 else values


def along(source: Any, policy: Policy, size: str, seeds: Any, threads: int | None) -> Along:
    """Return the settings of a policy, every one that differs where one pass gives them, else those of usual values.

    ``size`` is "items" or "tokens".

    Raises:
        InvalidInputError: the policy cannot be played on these sessions.
    """
    name = free_parameter(policy)
    if name is None:
        return _played(source, policy, None, [math.nan], size, seeds, threads)
    try:
        found = curve(source, policy, name, seeds=seeds, threads=threads)
    except InvalidInputError:
        return _played(source, policy, name, usual_values(policy, name), size, seeds, threads)
    table = found.table
    ends = zip(table["from"].to_pylist(), table["to"].to_pylist(), strict=True)
    values = np.array([_short(*each, found.includes_to) for each in ends])
    hits = table["recalls"].to_numpy() - table["misses"].to_numpy()
    held = table["token_turns" if size == "tokens" else "working_set_sum"].to_numpy()
    return _ascending(policy, name, True, values, hits, held)


def narrowed(found: Along, place: int, source: Any, size: str, seeds: Any, threads: int | None) -> Along:
    """Return the settings with one more between two neighbours, the lower one at ``place``; the same where none is."""
    if found.exact or found.name is None or not 0 <= place < len(found.values) - 1:
        return found
    middle = _between(found, place)
    if middle is None:
        return found
    more = _played(source, found.policy, found.name, [middle], size, seeds, threads)
    columns = (np.append(getattr(found, one), getattr(more, one)) for one in ("values", "hits", "held"))
    return _ascending(found.policy, found.name, False, *columns)


def _between(found: Along, place: int) -> float | None:
    """Return a value between those of two neighbouring settings, None where there is none."""
    low, high = sorted(found.values[place : place + 2].tolist())
    whole = next(
        one.kind == "integer" or one.at_least == 1 for one in found.policy.parameters() if one.name == found.name
    )
    middle = float((low + high) // 2) if whole else _short(low, high, True)
    return middle if low < middle < high else None


def _played(
    source: Any, policy: Policy, name: str | None, values: list[float], size: str, seeds: Any, threads: int | None
) -> Along:
    policies = [policy] if name is None else [with_value(policy, name, value) for value in values]
    totals = paired(source, policies, size, seeds, threads)
    hits = np.array([totals.hits(place) for place in range(len(policies))], dtype=np.int64)
    held = np.array([totals.held(place) for place in range(len(policies))], dtype=np.int64)
    return _ascending(policy, name, name is None, np.array(values), hits, held)


def _ascending(
    policy: Policy,
    name: str | None,
    exact: bool,
    values: NDArray[np.float64],
    hits: NDArray[np.int64],
    held: NDArray[np.int64],
) -> Along:
    order = np.lexsort((hits, held))
    return Along(policy, name, exact, values[order], hits[order], held[order])


def _short(start: float, stop: float, includes_stop: bool) -> float:
    """Return the value of a step that takes the fewest digits, the end that belongs to it where that is whole.

    >>> _short(0.6199321, 0.6215999, True), _short(117.0, 118.0, False), _short(5e-324, 1.0, False)
    (0.62, 117.0, 0.5)
    """
    own = stop if includes_stop else start
    if own == math.floor(own) or start == stop:
        return own
    middle = start + (stop - start) / 2
    for digits in range(1, _MOST_DIGITS):
        value = float(f"{middle:.{digits}g}")
        if start < value < stop:
            return value
    return own
