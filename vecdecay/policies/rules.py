"""When a policy looks, and what a touch does: one definition for all kinds of policies and for every engine.

The functions take plain integers. The scalar reference calls them as they are; ``engines.kernels.rules`` holds them
compiled.
"""

from typing import NamedTuple


class Rules(NamedTuple):
    """When a policy looks, and what a touch does; the defaults are those of the published engine.

    Attributes:
        period_turns: the pass runs in turns that are multiples of it.
        touch_refreshes: whether a recall starts the age anew; otherwise it counts from the registration. Read for table
            policies only: a stateful policy's own ``on_recall`` decides.
        cooldown_turns: a recall fewer turns than this after the last use that counted refreshes the age but does not
            raise the recall count; a stateful policy's ``on_recall`` is not called.
        grace_turns: no item is evicted fewer turns than this after its registration.
        unit_turns: time is counted in whole units of this many turns (turns 1 … unit_turns are the first unit, say a
            day), by the units' numbers, so that a new unit makes an item one older at once.
        inclusive: the unit of the touch counts too, so that ages begin with 1 and an item may be evicted in the turn
            of its last touch.
        active: only units in which the session registers or recalls something count.
        timed_period: where the policy reads the recorded time of a session, the period does so too, and the pass runs
            in the turns in which one ends.
    """

    period_turns: int = 1
    touch_refreshes: bool = True
    cooldown_turns: int = 0
    grace_turns: int = 0
    unit_turns: int = 1
    inclusive: bool = False
    active: bool = False
    timed_period: bool = False


PLAIN_RULES = Rules()


def clock(turn: int, unit_turns: int) -> int:
    """Return the number of the unit that a turn lies in, from 1.

    >>> clock(24, 24), clock(25, 24)
    (1, 2)
    """
    return turn if unit_turns == 1 else (turn - 1) // unit_turns + 1  # a division is dear in a kernel's inner loop


def first_turn(unit: int, unit_turns: int) -> int:
    """Return the first turn of a unit: the inverse of :func:`clock`.

    >>> first_turn(2, 24)
    25
    """
    return (unit - 1) * unit_turns + 1


def counts(turn: int, last_counted: int, cooldown_turns: int) -> bool:
    """Tell whether a recall raises the recall count; always, for a clock that runs backwards.

    >>> counts(5, 1, cooldown_turns=4), counts(4, 1, cooldown_turns=4)
    (True, False)
    """
    return not 0 <= turn - last_counted < cooldown_turns


def next_pass(turn: int, period_turns: int) -> int:
    """Return the first turn from ``turn`` on in which a pass runs.

    >>> next_pass(5, 4), next_pass(8, 4)
    (8, 8)
    """
    return turn if period_turns == 1 else turn + -turn % period_turns
