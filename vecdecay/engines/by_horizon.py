"""Plays a block with the table kernel: listed items by their touches, cohorts in closed form."""

import numpy as np
from numpy.typing import NDArray

from vecdecay.engines.cohorts import CohortFate, cohort_items, cohort_totals
from vecdecay.engines.kernels.item_kernel import NUM_ITEM_FIELDS, play_horizon
from vecdecay.engines.kernels.sums_kernel import count_at_checkpoints, place_items, spread_intervals
from vecdecay.engines.lookup import Lookup, lookup_for
from vecdecay.engines.outcome import BlockOutcome, ItemOutcomes, TurnOutcomes
from vecdecay.engines.scratch import scratch
from vecdecay.engines.totals import (
    item_outcomes,
    mark_unreached,
    outcome_from_totals,
    row_length,
    rows_of,
    turn_starts,
    without_margins,
)
from vecdecay.policies.base import PLAIN_RULES, Policy, TablePolicy
from vecdecay.sessions.block import SessionBlock


def can_play(policy: Policy) -> bool:
    """Tell whether the policy is described by a table of horizons."""
    return isinstance(policy, TablePolicy)


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
    lookup = lookup_for(policy, block)
    intervals = Intervals(block) if want_turns or len(checkpoints) > 0 else None
    fields = scratch("item_fields", NUM_ITEM_FIELDS * row_length(len(block.item_kind)), np.int32)
    sums = np.empty(3 * block.num_sessions, dtype=np.int64)
    play_horizon(
        block.session_length,
        block.item_start,
        block.touch_start,
        block.touch_turn,
        block.touch_kind,
        lookup.item_row if len(lookup.item_row) > 0 else None,
        block.item_tokens,
        lookup.horizon,
        lookup.width,
        None if policy.rules()._replace(inclusive=False) == PLAIN_RULES else lookup.rules,  # horizons know the rest
        fields,
        sums,
        None if intervals is None else intervals.count,
        None if intervals is None else intervals.start,
        None if intervals is None else intervals.end,
    )
    return outcome_from_totals(
        block,
        block.item_start[:-1],
        block.item_kind,
        fields,
        sums.reshape(3, -1),
        cohort_totals(lookup.fates),
        checkpoint_present=np.empty((0, block.num_sessions), dtype=np.int32)
        if intervals is None
        else intervals.at_checkpoints(checkpoints),
        items=_items(block, lookup, fields) if want_items else None,
        turns=intervals.per_turn(lookup.fates) if intervals is not None and want_turns else None,
    )


class Intervals:
    """The stretches of turns in which listed items were in the working set, kept only where something asks for them."""

    def __init__(self, block: SessionBlock) -> None:
        self.block = block
        self.count = np.zeros(len(block.item_kind), dtype=np.int32)
        self.start = np.empty(len(block.touch_turn), dtype=np.int64)
        self.end = np.empty(len(block.touch_turn), dtype=np.int64)

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

    def per_turn(self, fates: tuple[CohortFate, ...]) -> TurnOutcomes:
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
        for fate in fates:
            working_set += np.tile(fate.working_set().astype(np.int32), block.num_sessions)
        return without_margins(starts, working_set, present)


def _items(block: SessionBlock, lookup: Lookup, fields: NDArray[np.int32]) -> ItemOutcomes:
    """Return the items of the block, those of cohorts written out after the listed ones of each session."""
    listed = rows_of(fields, NUM_ITEM_FIELDS, len(block.item_kind)).copy()
    row = lookup.item_row if len(lookup.item_row) > 0 else 0
    stability = lookup.stabilities(row, listed[2])
    if not block.cohorts:
        return item_outcomes(block.item_start, block.item_kind, listed, stability)
    registered, evicted = cohort_items(lookup.fates)
    newborn = np.zeros((NUM_ITEM_FIELDS, len(registered)), dtype=np.int32)
    newborn[0] = newborn[1] = registered
    newborn[2] = newborn[7] = 1
    newborn[3] = evicted
    newborn[6] = evicted == 0
    item_start = block.item_start + np.arange(block.num_sessions + 1) * len(registered)
    kinds = np.zeros(item_start[-1], dtype=np.int8)
    flat = np.empty(NUM_ITEM_FIELDS * row_length(len(kinds)), dtype=np.int32)
    place_items(block.item_start, block.item_kind, fields, newborn.ravel(), len(registered), kinds, flat)
    together = rows_of(flat, NUM_ITEM_FIELDS, len(kinds))
    if stability is not None:
        stability = _placed_stability(block, lookup, stability, item_start)
    return item_outcomes(item_start, kinds, together, stability)


def _placed_stability(
    block: SessionBlock, lookup: Lookup, listed: NDArray[np.float64], item_start: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Place the stabilities of cohort items, which are those of a first use, behind the listed ones of each session."""
    newborn = [
        np.full(cohort.items(), stability)
        for cohort, stability in zip(block.cohorts, lookup.newborn_stability, strict=True)
    ]
    more = sum(len(one) for one in newborn)
    placed = np.empty(item_start[-1])
    sessions = np.repeat(np.arange(block.num_sessions), np.diff(block.item_start))
    placed[np.arange(len(listed)) + more * sessions] = listed
    behind = (block.item_start[1:] + more * np.arange(block.num_sessions))[:, None] + np.arange(more)[None, :]
    placed[behind] = np.concatenate(newborn)[None, :]
    return placed
