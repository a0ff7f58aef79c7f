"""What the tests of stateful policies share: reachable scores, and plain against compiled functions."""

import math
from collections.abc import Iterable
from typing import Any

from comparing import COMPILED
from hypothesis import strategies as st

from vecdecay.engines.stateful_compiler import compiled
from vecdecay.policies.stateful import StatefulPolicy, functions_of

INPUTS = 100_000 if COMPILED else 2_000
"""How many arguments of a scalar function the default run tries; the thorough run tries ten times as many."""

HISTORIES = ((1,), (1, 1), (1, 2), (1, 3, 4), (1, 5, 6, 14))

TouchesOfAScore = tuple[tuple[int, ...], int]


@st.composite
def touches_and_age(draw: st.DrawFn) -> TouchesOfAScore:
    """Draw the turns of an item's touches, and an age: what is reached in a session of 30 turns."""
    return draw(st.sampled_from(HISTORIES)), draw(st.integers(0, 12))


def reachable(score: float) -> float:
    """Return the score itself where a threshold may be that, the nearest such number otherwise."""
    return min(max(score, math.ulp(0.0)), math.nextafter(1.0, 0.0))


def expect_compiled_is_plain(
    kind: type[StatefulPolicy], name: str, inputs: Iterable[tuple[Any, ...]], counted: int
) -> None:
    """Fail unless a scalar function gives the very same when compiled, on ``counted`` inputs."""
    plain = getattr(functions_of(kind), name)
    fast = getattr(compiled(kind).functions, name)
    tried = 0
    for arguments in inputs:
        expected, got = plain(*arguments), fast(*arguments)
        assert expected == got, f"{name}{arguments} is {expected!r} in Python and {got!r} compiled"
        tried += 1
    assert tried == counted
