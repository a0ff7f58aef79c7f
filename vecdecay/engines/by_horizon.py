"""Plays a block item by item with the table kernel: listed items by their touches, cohorts in closed form."""

import numpy as np
from numpy.typing import NDArray

from vecdecay.engines.kernels.fields import NUM_ITEM_FIELDS, RECALL_COUNT
from vecdecay.engines.kernels.item_kernel import play_table
from vecdecay.engines.lookup import fates_for, lookup_for
from vecdecay.engines.outcome import BlockOutcome, Wanted
from vecdecay.engines.sums import outcome_of, playable_block, room_for, rows_of
from vecdecay.engines.timing import has_clock, timing_of
from vecdecay.policies.base import Policy, TablePolicy
from vecdecay.policies.rules import PLAIN_RULES
from vecdecay.sessions.block import SessionBlock
from vecdecay.sessions.events import NO_TURN


def can_play(policy: Policy) -> bool:
    """Tell whether the policy is described by a table of horizons, and no item needs another's place."""
    return isinstance(policy, TablePolicy) and not policy.competes()


def _plain(policy: TablePolicy) -> bool:
    return policy.rules()._replace(inclusive=False, active=False) == PLAIN_RULES


def _full(values: NDArray[np.int32] | None, default: int, number: int) -> NDArray[np.int32]:
    return np.full(number, default, dtype=np.int32) if values is None else values


def play(block: SessionBlock, policy: Policy, wanted: Wanted, reuse: bool = False) -> BlockOutcome:
    """Return what the sessions came to under a table policy."""
    if not isinstance(policy, TablePolicy):
        raise TypeError(f"{type(policy).__name__} is not described by a table of horizons")
    timed = has_clock(policy, block)
    block = playable_block(block, wanted, list_cohorts=timed)
    touch_clock, clocks = None, None
    if timed:
        timing = timing_of(policy, block)
        assert isinstance(timing.policy, TablePolicy)
        policy = timing.policy
        touch_clock, clocks = timing.touch_clock(block), timing.table_clocks()
    lookup, fates = lookup_for(policy, block), fates_for(policy, block)
    written = room_for(block, wanted, has_stability=False)
    rules = lookup.rules if timed or not _plain(policy) else None
    rows, tokens, expires = lookup.item_row if len(lookup.item_row) > 0 else None, block.item_tokens, block.item_expires
    if rules is not None or wanted.intervals:
        # Each combination of what is there is compiled on its own, which takes a second: plain totals are worth that.
        number = len(block.item_kind)
        rows, tokens, expires = _full(rows, 0, number), _full(tokens, 1, number), _full(expires, NO_TURN, number)
    play_table(
        block.session_length,
        block.item_start,
        block.touch_start,
        block.touch_turn,
        block.touch_kind,
        rows,
        tokens,
        expires,
        lookup.horizon,
        lookup.width,
        rules,
        touch_clock,
        clocks,
        wanted.relearn,
        written.fields,
        written.sums,
        *(written.interval_arrays() if wanted.intervals else (None, None, None, None)),
    )
    if wanted.items:
        counts = rows_of(written.fields, NUM_ITEM_FIELDS, len(block.item_kind))[RECALL_COUNT]
        written.stability = lookup.stabilities(counts)
    return outcome_of(written, fates, wanted, reuse)
