"""The rules of ``policies.rules``, compiled, and the closed form of asking in every pass."""

import numpy as np
from numpy.typing import NDArray

from vecdecay.compile import kernel
from vecdecay.policies import rules

clock = kernel(rules.clock)
first_turn = kernel(rules.first_turn)
counts = kernel(rules.counts)
next_pass = kernel(rules.next_pass)


@kernel
def evicting_turn(turn: int, anchor: int, life: int, registered: int, period: int, grace: int, unit: int) -> int:
    """Return the turn whose pass evicts an item that outlives the unit of ``anchor`` by ``life`` units.

    It is not before the grace is over, and never before ``turn``, the touch in question, although a touch may shorten
    an item's life.
    """
    earliest = max(first_turn(clock(anchor, unit) + life, unit), registered + grace, turn)
    return next_pass(earliest, period)


@kernel
def evicting_turns(
    first: int, life: int, period: int, grace: int, unit: int, never: int, turns: NDArray[np.int64]
) -> None:
    """Write :func:`evicting_turn` of items registered in ``first``, ``first`` + 1, …; ``never`` where it is later."""
    for place in range(len(turns)):
        turn = first + place
        turns[place] = min(evicting_turn(turn, turn, life, turn, period, grace, unit), never)
