"""Clocks of sessions, compiled: what a clock shows in a turn, and the first turn in which it shows so much.

A clock is a tuple (unit, turns, values, first, last): points ``first`` … ``last`` - 1 of the arrays, read as
``sessions.clock`` says, and then in whole units. The clocks of a block have, in place of the last two, the array of
where each session's points begin.
"""

# ruff: noqa: ARG001  # all functions of one role have the same arguments, and none needs all of them
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vecdecay.compile import inlined_kernel, kernel, lean_kernel
from vecdecay.engines.kernels.fields import NEVER, RECALL, REGISTER
from vecdecay.engines.kernels.rules import clock, next_pass
from vecdecay.sessions.clock_kernel import value_at


@kernel
def reading(turn: int, at: Any) -> int:
    """Return what a clock shows in a turn, in its units."""
    unit, turns, values, first, last = at
    return clock(value_at(turn, turns, values, first, last), unit)


@kernel
def first_reading(at: Any, least: int, since: int, until: int) -> int:
    """Return the first turn from ``since`` to ``until`` in which a clock shows ``least`` or more, NEVER if none."""
    if since > until or reading(until, at) < least:
        return NEVER
    low, high = since - 1, until
    while high - low > 1:
        middle = (low + high) // 2
        if reading(middle, at) >= least:
            high = middle
        else:
            low = middle
    return high


@kernel
def first_due(at: Any, period: int, since: int, until: int) -> int:
    """Return the first turn from ``since`` to ``until`` that ends a period of the clock, NEVER if none does.

    That is one in which more whole periods have passed than in the turn before it.
    """
    passed = reading(since - 1, at) // period if since > 1 else 0
    return first_reading(at, (passed + 1) * period, since, until)


@inlined_kernel
def clock_of(clocks: Any, session: int) -> Any:
    """Return the clock of one session of a block."""
    unit, turns, values, start = clocks
    return unit, turns, values, start[session], start[session + 1]


@inlined_kernel
def rules_on_clock(rules: Any, session: int) -> Any:
    """Return the rules of a stateful policy with the clock of a session in the place of the unit."""
    period, cooldown, grace, clocks, inclusive = rules
    return period, cooldown, grace, clock_of(clocks, session), inclusive


@inlined_kernel
def table_rules_on_clock(rules: Any, session: int) -> Any:
    """Return the rules of a table policy with clocks of a session in the places of the unit and of the period."""
    (period, by_clock, due), cooldown, grace, clocks, inclusive = rules
    return (period, by_clock, clock_of(due, session)), cooldown, grace, clock_of(clocks, session), inclusive


@kernel
def evicting_turn_on_clock(at: Any, least: int, period: int, by_clock: bool, due: Any, since: int, until: int) -> int:
    """Return the turn from ``since`` to ``until`` whose pass evicts an item that is kept until a clock shows ``least``.

    ``NEVER`` if there is none. A pass runs at the end of a period of turns, or ``by_clock`` of the clock ``due``.
    """
    turn = first_reading(at, least, since, until)
    if turn == NEVER:
        return NEVER
    if by_clock:
        return first_due(due, period, turn, until)
    turn = next_pass(turn, period)
    return turn if turn <= until else NEVER


@inlined_kernel
def evicting_turn_before(after: int, clocks: Any, session: int, least: int, period: int, since: int) -> int:
    """Return :func:`evicting_turn_on_clock` of a session of a block, ``after`` if it is not before that turn."""
    at, by_clock, due = clocks
    on_clock = clock_of(at, session)
    turn = evicting_turn_on_clock(on_clock, least, period, by_clock, clock_of(due, session), since, after - 1)
    return after if turn == NEVER else turn


@kernel
def clocked_table_passes(
    parameters: Any, threshold: float, state: Any, touches: Any, first: int, last: int, since: int, earliest: int,
    until: int, rules: Any, key: int, number: int,
) -> tuple[int, Any]:  # fmt: skip
    """Look the life up, and the turn in which the clock has gone so far; see ``formulas.table_passes``."""
    period, by_clock, due = rules[0]
    least = state[1] + parameters.horizon[np.uint64(state[0])]
    return evicting_turn_on_clock(rules[3], least, period, by_clock, due, max(since, earliest), until), state


@lean_kernel
def rank_active_units(
    order: NDArray[np.int64], touch_turn: NDArray[np.int32], touch_kind: NDArray[np.int8],
    first_touch: NDArray[np.int64], clocks: Any, unit: int, start: NDArray[np.int64], turns: NDArray[np.int64],
    ranks: NDArray[np.int64],
) -> None:  # fmt: skip
    """Write, as points of clocks, how many units with a registration or recall there are up to each turn.

    ``order`` has the touches of every session in the order of their turns. ``clocks`` is None where units are of turns.
    There are at most two points a touch, and one for a session without any.
    """
    points = 0
    for session in range(len(first_touch) - 1):
        start[session] = points
        latest, rank = 0, 0
        for place in range(first_touch[session], first_touch[session + 1]):
            kind = touch_kind[order[place]]
            if kind != REGISTER and kind != RECALL:
                continue
            turn = int(touch_turn[order[place]])
            now = clock(turn, unit)
            if clocks is not None:
                now = reading(turn, clock_of(clocks, session))
            if rank > 0 and now == latest:
                continue
            # The count rises in this very turn, and not on the way to it.
            if rank > 0 and turns[points - 1] < turn - 1:
                turns[points], ranks[points] = turn - 1, rank
                points += 1
            latest, rank = now, rank + 1
            turns[points], ranks[points] = turn, rank
            points += 1
        if rank == 0:
            turns[points], ranks[points] = 1, 0
            points += 1
    start[len(first_touch) - 1] = points
