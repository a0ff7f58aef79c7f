"""Which clock a policy reads in a session: turns, the recorded time, or the units in which something happened.

A policy in days, hours or seconds reads the recorded time of a session that has one: it is played as if a turn were a
second (``Policy.in_seconds``). Where only active units count (``Rules.active``), the clock shows how many of them there
are up to a turn. The plain functions here are the scalar reference's; the rest prepares the same for kernels.
"""

from bisect import bisect_right
from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from vecdecay.engines.kernels.clock_kernel import rank_active_units
from vecdecay.policies.base import Policy
from vecdecay.policies.rules import clock
from vecdecay.sessions.block import SessionBlock
from vecdecay.sessions.clock import second_of
from vecdecay.sessions.clock_kernel import values_at
from vecdecay.sessions.events import RECALL, REGISTER
from vecdecay.sessions.session import Session

_Policy = TypeVar("_Policy", bound=Policy)


class ScalarTiming(NamedTuple, Generic[_Policy]):
    """The policy as it is played, what its clock shows in a turn, and whether the pass runs in a turn."""

    policy: _Policy
    now: Callable[[int], int]
    is_due: Callable[[int], bool]


def scalar_timing(policy: _Policy, session: Session | None) -> ScalarTiming[_Policy]:
    """Return how the scalar reference plays a policy on a session."""
    recorded = policy.in_seconds() if session is not None and session.clock else None
    played = policy if recorded is None else recorded
    rules = played.rules()

    def second(turn: int) -> int:
        return turn if session is None or recorded is None else second_of(session.clock, turn)

    def unit(turn: int) -> int:
        return clock(second(turn), rules.unit_turns)

    def is_due(turn: int) -> bool:
        if recorded is None or not rules.timed_period:
            return turn % rules.period_turns == 0
        before = second(turn - 1) if turn > 1 else 0
        return second(turn) // rules.period_turns > before // rules.period_turns

    if not rules.active or session is None:
        return ScalarTiming(played, unit, is_due)
    # A unit counts from the turn on in which something happens in it; no pass knows what is still to come.
    begun: dict[int, int] = {}
    for turn, kind, _ in session.events:
        if kind in (REGISTER, RECALL):
            begun.setdefault(unit(turn), turn)
    active = list(begun.values())
    return ScalarTiming(played, lambda turn: bisect_right(active, turn), is_due)


class Timing(NamedTuple):
    """The policy as it is played, and the clocks of a block as ``clock_kernel`` has them: the one that ages are read
    from, and the one whose periods end with a pass, where these are none of turns.
    """

    policy: Policy
    clocks: tuple[Any, ...]
    due: tuple[Any, ...] | None

    def table_clocks(self) -> tuple[Any, bool, Any]:
        """Return the clock of ages, whether passes have a clock of their own, and that one or any."""
        return self.clocks, self.due is not None, self.due or self.clocks

    def touch_clock(self, block: SessionBlock) -> NDArray[np.int64]:
        """Return what the clock shows at every touch."""
        unit, turns, values, start = self.clocks
        found = np.empty(len(block.touch_turn), dtype=np.int64)
        values_at(block.touch_turn, block.touch_start[block.item_start], turns, values, start, found)
        return found if unit == 1 else clock(found, unit)  # type: ignore[arg-type,return-value]


def has_clock(policy: Policy, block: SessionBlock) -> bool:
    """Tell whether the policy reads another clock than the turns in some session of the block."""
    if block.clocks is not None and policy.in_seconds() is not None:
        return True
    return policy.rules().active and not _active_throughout(block)


def timing_of(policy: Policy, block: SessionBlock) -> Timing:
    """Return how kernels play a policy that reads another clock; the cohorts of the block must be listed."""
    recorded = policy.in_seconds() if block.clocks is not None else None
    played = policy if recorded is None else recorded
    rules = played.rules()
    seconds: tuple[Any, ...] | None = None
    if block.clocks is not None and recorded is not None:
        seconds = (rules.unit_turns, block.clocks.turn, block.clocks.second, block.clocks.start)
    ages = seconds if not rules.active else _active(block, seconds, rules.unit_turns)
    assert ages is not None
    return Timing(played, ages, (1, *seconds[1:]) if seconds is not None and rules.timed_period else None)


def _active(block: SessionBlock, seconds: tuple[Any, ...] | None, unit: int) -> tuple[Any, ...]:
    block = block if block.given is None else block.given.with_cohorts_listed()  # a search for a hidden item counts
    most = 2 * len(block.touch_turn) + block.num_sessions
    start, turn, rank = (np.empty(size, dtype=np.int64) for size in (block.num_sessions + 1, most, most))
    first_touch = block.touch_start[block.item_start]
    arrays = (block.by_turn.order, block.touch_turn, block.touch_kind, first_touch)
    rank_active_units(*arrays, seconds, unit, start, turn, rank)
    return (1, turn, rank, start)


def _active_throughout(block: SessionBlock) -> bool:
    """Tell whether a cohort registers an item in every turn of every session."""
    last = max(block.lengths, default=1)
    return any(one.first_turn == 1 and one.last_turn >= last and one.count > 0 for one in block.cohorts)
