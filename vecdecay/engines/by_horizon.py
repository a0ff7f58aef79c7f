"""Plays a block with the table kernel: listed items by their touches, cohorts in closed form."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from vecdecay.engines.cohorts import (
    CohortTotals,
    cohort_registered_turns,
    cohort_totals,
    cohort_working_set,
)
from vecdecay.engines.horizon import HorizonTable, horizon_table, stability_table
from vecdecay.engines.horizon_kernel import NUM_ITEM_FIELDS, play_horizon
from vecdecay.engines.outcome import BlockOutcome, ItemOutcomes, TurnOutcomes
from vecdecay.engines.totals import (
    item_outcomes,
    mark_unreached,
    outcome_from_totals,
    row_length,
    rows_of,
    turn_starts,
    without_margins,
)
from vecdecay.engines.totals_kernel import count_at_checkpoints, place_items, spread_intervals
from vecdecay.policies.base import Policy, TablePolicy
from vecdecay.sessions.block import SessionBlock
from vecdecay.sessions.session import NOISE


def can_play(policy: Policy) -> bool:
    """Tell whether the policy is described by a table of horizons."""
    return isinstance(policy, TablePolicy)


@lru_cache(maxsize=1024)
def _cached_table(policy: TablePolicy, max_recalls: int) -> HorizonTable:
    return horizon_table(policy, max_recalls)


def play(
    block: SessionBlock,
    policy: Policy,
    checkpoints: NDArray[np.int64],
    want_items: bool,
    want_turns: bool,
) -> BlockOutcome:
    """Return what the sessions came to under a table policy."""
    if not isinstance(policy, TablePolicy):
        raise TypeError(f"{type(policy).__name__} is not described by a table of horizons")
    horizon = _cached_table(policy, block.max_recalls).horizon
    num_items = len(block.item_kind)
    intervals = _Intervals(block, needed=want_turns or len(checkpoints) > 0)
    items = np.empty(NUM_ITEM_FIELDS * row_length(num_items), dtype=np.int32)
    working_set_sum = np.empty(block.num_sessions, dtype=np.int64)
    play_horizon(
        block.session_length,
        block.item_start,
        block.touch_start,
        block.touch_turn,
        block.touch_kind,
        horizon,
        items,
        working_set_sum,
        intervals.count,
        intervals.start,
        intervals.end,
    )
    cohorts = CohortTotals(0, 0)
    if block.cohorts:
        cohorts = cohort_totals(block.cohorts, int(horizon[0]), int(block.session_length[0]))
    return outcome_from_totals(
        block,
        block.item_start[:-1],
        block.item_kind,
        items,
        working_set_sum + cohorts.working_set_sum,
        checkpoint_present=intervals.at_checkpoints(checkpoints),
        cohort_evicted=cohorts.items_evicted,
        items=_items(block, policy, items, int(horizon[0])) if want_items else None,
        turns=intervals.per_turn(int(horizon[0])) if want_turns else None,
    )


class _Intervals:
    """The stretches of turns in which listed items were in the working set, kept only where something asks for them."""

    def __init__(self, block: SessionBlock, needed: bool) -> None:
        touches = len(block.touch_turn) if needed else 0
        self.block = block
        self.count = np.zeros(len(block.item_kind) if needed else 0, dtype=np.int32)
        self.start = np.empty(touches, dtype=np.int32)
        self.end = np.empty(touches, dtype=np.int32)

    def at_checkpoints(self, checkpoints: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the foundational items present at each checkpoint, shape (checkpoint, session)."""
        block = self.block
        present = np.zeros(len(checkpoints) * block.num_sessions, dtype=np.int32)
        if len(checkpoints) > 0:
            count_at_checkpoints(
                block.item_start,
                block.item_kind,
                block.touch_start,
                self.count,
                self.start,
                self.end,
                checkpoints,
                present,
            )
        shaped = present.reshape(len(checkpoints), block.num_sessions)
        return mark_unreached(shaped, checkpoints, block.session_length)

    def per_turn(self, newborn_horizon: int) -> TurnOutcomes:
        """Return the working set and the foundational items present after every turn, cohorts included."""
        block = self.block
        starts = turn_starts(block.session_length)
        working_set = np.zeros(starts[-1], dtype=np.int32)
        present = np.zeros(starts[-1], dtype=np.int32)
        spread_intervals(
            block.item_start,
            block.item_kind,
            block.touch_start,
            self.count,
            self.start,
            self.end,
            starts,
            working_set,
            present,
        )
        if block.cohorts:
            profile = cohort_working_set(block.cohorts, newborn_horizon, int(block.session_length[0]))
            working_set += np.tile(profile, block.num_sessions)
        return without_margins(starts, working_set, present)


def _items(block: SessionBlock, policy: TablePolicy, fields: NDArray[np.int32], newborn_horizon: int) -> ItemOutcomes:
    """Return the items of the block, those of cohorts written out after the listed ones of each session."""
    listed = rows_of(fields, NUM_ITEM_FIELDS, len(block.item_kind))
    stabilities = stability_table(policy, block.max_recalls)
    if not block.cohorts:
        return item_outcomes(block.item_start, block.item_kind, listed, _looked_up(stabilities, listed[2]))
    length = int(block.session_length[0])
    registered = cohort_registered_turns(block.cohorts)
    evicted = registered.astype(np.int64) + newborn_horizon
    gone = evicted <= length
    newborn = np.zeros((NUM_ITEM_FIELDS, len(registered)), dtype=np.int32)
    newborn[0] = newborn[1] = registered
    newborn[2] = 1
    newborn[3] = np.where(gone, evicted, 0)
    newborn[6] = ~gone
    newborn[7] = 1
    item_start = block.item_start + np.arange(block.num_sessions + 1) * len(registered)
    kinds = np.full(item_start[-1], NOISE, dtype=np.int8)
    flat = np.empty(NUM_ITEM_FIELDS * row_length(len(kinds)), dtype=np.int32)
    place_items(block.item_start, block.item_kind, fields, newborn.ravel(), len(registered), kinds, flat)
    together = rows_of(flat, NUM_ITEM_FIELDS, len(kinds))
    return item_outcomes(item_start, kinds, together, _looked_up(stabilities, together[2]))


def _looked_up(stabilities: NDArray[np.float64] | None, recall_count: NDArray[np.int32]) -> NDArray[np.float64] | None:
    """Return each item's stability; an item that was never registered has none and gets 0."""
    if stabilities is None:
        return None
    return np.where(recall_count > 0, stabilities[np.maximum(recall_count - 1, 0)], 0.0)
