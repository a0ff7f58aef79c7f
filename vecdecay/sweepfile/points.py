"""How axes combine to points: a point is a number, and its place on every axis follows from the file alone."""

import hashlib
import math

from vecdecay.sweepfile.model import SweepSpec


def num_points(spec: SweepSpec) -> int:
    """Return how many points there are; without axes there is one."""
    if spec.combine == "random":
        return spec.random_points
    if not spec.axes:
        return 1
    if spec.combine == "grid":
        return math.prod(len(axis.values) for axis in spec.axes)
    return len(spec.axes[0].values)


def places(spec: SweepSpec, point: int) -> tuple[int, ...]:
    """Return the index on every axis at a point; in a grid the last axis varies fastest."""
    if spec.combine == "random":
        return tuple(random_place(spec.random_seed, axis.parameter, point, len(axis.values)) for axis in spec.axes)
    if spec.combine == "grid":
        return grid_places(tuple(len(axis.values) for axis in spec.axes), point)
    return (point,) * len(spec.axes)


def grid_places(sizes: tuple[int, ...], number: int) -> tuple[int, ...]:
    """Return the digits of ``number``, the last with the lowest weight.

    >>> grid_places((3, 5), 7)
    (1, 2)
    """
    digits = []
    for size in reversed(sizes):
        number, digit = divmod(number, size)
        digits.append(digit)
    return tuple(reversed(digits))


def random_place(random_seed: int, parameter: str, point: int, size: int) -> int:
    """Return a uniform draw from 0 … size - 1 that depends on these four and on nothing else.

    So another axis, another order of axes or more points change nobody's draws. Of 2**256 values of the digest, the
    last incomplete run of ``size`` favours none noticeably.
    """
    digest = hashlib.sha256(f"{random_seed}/{parameter}/{point}".encode()).digest()
    return int.from_bytes(digest, "big") % size
