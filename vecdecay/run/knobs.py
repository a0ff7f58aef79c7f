"""Parameters of a policy that are one: what a change of the first does to the lives of items, the second undoes."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from vecdecay.engines.horizon import IMMORTAL, horizon_of
from vecdecay.errors import InvalidInputError
from vecdecay.policies.base import Policy, TablePolicy
from vecdecay.policies.ebbinghaus import Ebbinghaus
from vecdecay.run.ranges import Varied
from vecdecay.sweepfile.model import WORKLOAD

_KNOB_RECALLS = 4
_FEWEST_TURNS = 20


class Knob(NamedTuple):
    """Two parameters that are one: the policy with either pair of values gives every item the same life."""

    first: str
    second: str
    values: tuple[float, float]
    other_values: tuple[float, float]
    formula: str


def knobs_of(policy: Policy, varied: Sequence[Varied]) -> tuple[Knob, ...]:
    """Return the pairs of a policy's varied parameters that are one: a change of one is undone by the other."""
    if not isinstance(policy, TablePolicy):
        return ()
    own = [one for one in varied if not one.name.startswith(f"{WORKLOAD}.") and not one.whole]
    pairs = [(first, second) for place, first in enumerate(own) for second in own[place + 1 :]]
    found = (_knob(policy, *pair) for pair in pairs)
    return tuple(one for one in found if one is not None)


def _knob(policy: TablePolicy, first: Varied, second: Varied) -> Knob | None:
    """Return two parameters as one where both a higher and a lower value of the first are undone by the second."""
    values = policy.values()
    lives = _lives(policy)
    if lives[_KNOB_RECALLS] < _FEWEST_TURNS or lives[_KNOB_RECALLS] >= IMMORTAL:
        return None
    undone = []
    for end in (first.low, first.high):
        changed = (values[first.name] + end) / 2
        other = _undoing(policy, {first.name: changed}, second, lives[_KNOB_RECALLS])
        if other is None:
            return None
        again = _lives(_with(policy, {first.name: changed, second.name: other}))
        if changed == values[first.name] or any(abs(one - life) > 1 for one, life in zip(again, lives, strict=True)):
            return None
        if _lives(_with(policy, {first.name: changed})) == lives:  # nothing had to be undone
            return None
        undone.append((changed, other))
    formula = ""
    if isinstance(policy, Ebbinghaus) and {first.name, second.name} == {"eviction_threshold", "baseline_stability"}:
        formula = "baseline_stability × ln(1 / eviction_threshold)"
    return Knob(first.name, second.name, (values[first.name], values[second.name]), undone[1], formula)


def _lives(policy: TablePolicy) -> list[int]:
    return [horizon_of(policy, count) for count in range(1, _KNOB_RECALLS + 2)]


def _with(policy: TablePolicy, change: Mapping[str, float]) -> TablePolicy:
    return policy.varied(change)


def _undoing(policy: TablePolicy, change: Mapping[str, float], by: Varied, life: int) -> float | None:
    """Return the value of a parameter with which an item lives as long as before the change, None where none does."""

    def lived(value: float) -> int | None:
        try:
            return horizon_of(_with(policy, {**change, by.name: value}), _KNOB_RECALLS + 1)
        except InvalidInputError:
            return None

    low, high = by.low / 4, by.high * 4
    at_low, at_high = lived(low), lived(high)
    if at_low is None or at_high is None or not min(at_low, at_high) <= life <= max(at_low, at_high):
        low, high = by.low, by.high
        at_low, at_high = lived(low), lived(high)
        if at_low is None or at_high is None or not min(at_low, at_high) <= life <= max(at_low, at_high):
            return None
    ends = []
    for strictly in (False, True):  # the begin and the end of the values with this life
        left, right = low, high
        for _ in range(60):
            middle = (left + right) / 2
            found = lived(middle) or 0
            below = found < life or (strictly and found == life)
            if below == (at_low < at_high):
                left = middle
            else:
                right = middle
        ends.append((left + right) / 2)
    value = sum(ends) / 2
    return value if lived(value) == life else None
