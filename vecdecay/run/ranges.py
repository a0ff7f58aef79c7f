"""What a sensitivity analysis varies: the numbers of a policy and of its workload, each with a range."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vecdecay.errors import InvalidInputError
from vecdecay.parameters import Parameter, brief, did_you_mean
from vecdecay.sweepfile.model import WORKLOAD

Floats = NDArray[np.float64]


class Varied(NamedTuple):
    """A parameter and the range, both ends included, in which it is varied; ``name`` is that of a sweep axis."""

    name: str
    low: float
    high: float
    whole: bool

    def values(self, drawn: Floats) -> list[float] | list[int]:
        """Return values of the parameter for numbers of [0, 1]; each integer of the range takes the same share."""
        if not self.whole:
            return (self.low + drawn * (self.high - self.low)).tolist()  # type: ignore[no-any-return]
        count = int(self.high - self.low) + 1
        return [int(self.low) + min(int(one * count), count - 1) for one in drawn.tolist()]


def varied_of(
    described: Mapping[str, Any], vary: Mapping[str, tuple[float, float]] | None, problems: list[str]
) -> tuple[tuple[Varied, ...], tuple[str, ...]]:
    """Return what is varied, and the names of the other numbers; a line for each range that cannot be."""
    known: dict[str, tuple[Parameter, Any]] = {}
    for label, one in described.items():
        short = f"{WORKLOAD}." if label == WORKLOAD else ""
        known |= {
            f"{short}{each.name}": (each, one.values()[each.name])
            for each in one.parameters()
            if each.kind in ("integer", "number")
        }
    label = next(iter(described))
    found = []
    if vary is None:
        ranges = (_usual_range(name, *each) for name, each in known.items())
        found = [one for one in ranges if one is not None and _can_be(described, one)]
    for given, ends in (vary or {}).items():
        name = given.removeprefix(f"{label}.")
        if name not in known:
            problems.append(
                f"{given} is no number that can be varied; allowed: {', '.join(known)}{did_you_mean(name, known)}"
            )
        elif (one := _given_range(name, known[name][0], ends)) is None:
            problems.append(
                f"the range of {given} is {brief(ends)}; allowed: two ascending values, {known[name][0].allowed()}"
            )
        else:
            found.append(one)
    if len(found) < 2 and not problems:
        problems.append(f"{len(found)} parameters can be varied; allowed: at least two")
    names = {one.name for one in found}
    return tuple(found), tuple(name for name in known if name not in names)


def _can_be(described: Mapping[str, Any], one: Varied) -> bool:
    """Tell whether what has the parameter can be made with both ends of its range, the others as they are."""
    owner = described[WORKLOAD] if one.name.startswith(f"{WORKLOAD}.") else next(iter(described.values()))
    try:
        for value in one.values(np.array([0.0, 1.0])):
            owner.varied({one.name.removeprefix(f"{WORKLOAD}."): value})
    except InvalidInputError:
        return False
    return True


def _usual_range(name: str, one: Parameter, value: Any) -> Varied | None:
    """Return the range from half to twice a value, halfway to a bound that lies closer; None around 0 and infinity."""
    if value == 0 or not math.isfinite(value):
        return None
    low, high = sorted((value / 2, value * 2))
    for bound in (one.above, one.at_least):
        if bound is not None and low <= bound:
            low = bound if one.at_least is not None and bound == one.at_least else (bound + value) / 2
    for bound in (one.below, one.at_most):
        if bound is not None and high >= bound:
            high = bound if one.at_most is not None and bound == one.at_most else (bound + value) / 2
    if one.kind == "integer":
        low, high = math.ceil(low), math.floor(high)
    return Varied(name, float(low), float(high), one.kind == "integer") if low < high else None


def _given_range(name: str, one: Parameter, ends: Any) -> Varied | None:
    try:
        low, high = (one.clean(int(end) if one.kind == "integer" and end == int(end) else end) for end in ends)
    except (ValueError, TypeError, OverflowError):
        return None
    return Varied(name, float(low), float(high), one.kind == "integer") if low < high < math.inf else None
