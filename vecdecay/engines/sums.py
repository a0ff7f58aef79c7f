"""From what a kernel wrote to the form in which every engine reports; where a row per turn is asked for, the intervals.

Every kernel writes the same: fields of listed items, three sums per session, stabilities where a policy has them, and
residency intervals where they are asked for.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from vecdecay.engines.cohorts import CohortFate, Fates, one_of_each_turn
from vecdecay.engines.horizon import IMMORTAL
from vecdecay.engines.kernels.fields import (
    DECAYED,
    EVICTED_TURN,
    EVICTION_REASONS,
    MISSED_REASON,
    MISSED_TURN_SHIFT,
    NUM_ITEM_FIELDS,
    REASON_SHIFT,
    RECALL,
    STATUS,
)
from vecdecay.engines.kernels.sums_kernel import NUM_TOTALS, count_at_checkpoints, spread_intervals, total_sessions
from vecdecay.engines.outcome import (
    BlockOutcome,
    ItemAttributes,
    ItemOutcomes,
    MissOutcomes,
    TurnOutcomes,
    Wanted,
)
from vecdecay.engines.scratch import scratch
from vecdecay.sessions.block import Cohort, SessionBlock

_Number = TypeVar("_Number", bound=np.generic)

NO_COUNTS = np.empty(0, dtype=np.int32)
NO_TURNS = np.empty(0, dtype=np.int64)
NO_GRADES = np.empty(0, dtype=np.int8)


def row_length(count: int) -> int:
    """Return how long a row of a kernel's array is made for ``count`` entries.

    Rows that begin a multiple of 4096 bytes apart share their places in the first-level cache, and a kernel that writes
    to all of them side by side takes twice as long; so every row begins a little later than that.
    """
    return -(-count // 1024) * 1024 + 80


def rows_of(flat: NDArray[_Number], num_rows: int, count: int) -> NDArray[_Number]:
    """Return the rows of a kernel's flat array, shape (row, count)."""
    return flat.reshape(num_rows, -1)[:, :count]


class Intervals:
    """The residency intervals of listed items, kept only where something asks for them."""

    def __init__(self, block: SessionBlock) -> None:
        self.block = block
        self.count = np.zeros(len(block.item_kind), dtype=np.int32)
        self.start = np.empty(len(block.touch_turn), dtype=np.int64)
        self.end = np.empty(len(block.touch_turn), dtype=np.int64)

    def at_checkpoints(self, checkpoints: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the foundational items present at each checkpoint, shape (checkpoint, session); -1 after the end."""
        block = self.block
        present = np.zeros(len(checkpoints) * block.num_sessions, dtype=np.int32)
        if len(checkpoints) > 0:
            arrays = (block.item_start, block.item_kind, block.touch_start, self.count, self.start, self.end)
            count_at_checkpoints(*arrays, checkpoints, present)
        shaped = present.reshape(len(checkpoints), block.num_sessions)
        shaped[checkpoints[:, None] > block.session_length[None, :]] = -1
        return shaped

    def per_turn(self, fates: Fates) -> TurnOutcomes:
        """Return the working set and the foundational items present after every turn, cohorts included."""
        block = self.block
        starts = np.zeros(block.num_sessions + 1, dtype=np.int64)
        np.cumsum(block.session_length + 2, out=starts[1:])  # with turn 0, and one after the last
        working_set = np.zeros(starts[-1], dtype=np.int32)
        present = np.zeros(starts[-1], dtype=np.int32)
        arrays = (block.item_start, block.item_kind, block.touch_start, self.count, self.start, self.end)
        spread_intervals(*arrays, starts, working_set, present)
        for length in block.lengths if block.cohorts else ():
            more = fates.working_set(length)
            at = starts[:-1][block.session_length == length]
            working_set[at[:, None] + np.arange(length + 2)] += more
        keep = np.ones(len(working_set), dtype=np.bool_)
        keep[starts[:-1]] = False
        keep[starts[1:] - 1] = False
        shorter = starts - 2 * np.arange(len(starts), dtype=np.int64)
        return TurnOutcomes(shorter, working_set[keep], present[keep])


@dataclass
class Written:
    """What a kernel writes for a block; ``stability`` (item) in turns, None where the policy has none.

    ``missed`` (touch) as in ``kernels.fields``, empty where it is not wanted.
    """

    block: SessionBlock
    fields: NDArray[np.int32]
    sums: NDArray[np.int64]
    stability: NDArray[np.float64] | None
    intervals: Intervals | None
    missed: NDArray[np.int64]

    def interval_arrays(self) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return count, start and end of the intervals, and the recalls that missed; empty where none are wanted."""
        if self.intervals is None:
            return NO_COUNTS, NO_TURNS, NO_TURNS, self.missed
        return self.intervals.count, self.intervals.start, self.intervals.end, self.missed


def misses_of(block: SessionBlock, missed: NDArray[np.int64]) -> MissOutcomes:
    """Return the recalls that missed, in the order of play; ``missed`` (touch) as in ``kernels.fields``."""
    order, touch_item = block.by_turn
    is_missed = missed[order] > 0
    touch = order[is_missed]
    first = block.touch_start[block.item_start]
    start = np.concatenate([np.zeros(1, np.int64), np.cumsum(is_missed)])[first]
    session = np.repeat(np.arange(block.num_sessions), np.diff(start))
    what = missed[touch]
    return MissOutcomes(
        start,
        block.touch_turn[touch],
        (touch_item[touch] - block.item_start[session]).astype(np.int32),
        (what >> MISSED_TURN_SHIFT).astype(np.int32),
        (what >> REASON_SHIFT & MISSED_REASON).astype(np.int32),
        touch - first[session],
    )


def room_for(block: SessionBlock, wanted: Wanted, has_stability: bool) -> Written:
    """Return the arrays that a kernel writes, with whatever this thread's last block left in them."""
    return Written(
        block,
        scratch("item_fields", NUM_ITEM_FIELDS * row_length(len(block.item_kind)), np.int32),
        np.empty(3 * block.num_sessions, dtype=np.int64),
        np.empty(len(block.item_kind)) if has_stability else None,
        Intervals(block) if wanted.intervals else None,
        np.zeros(len(block.touch_turn), dtype=np.int64) if wanted.misses else NO_TURNS,
    )


def outcome_of(written: Written, fates: Fates, wanted: Wanted, reuse: bool = False) -> BlockOutcome:
    """Sum the kernel's item fields per session, add what cohorts contribute, and give rows to what is wanted.

    With ``reuse``, items are good until this thread plays its next block.
    """
    block = written.block
    flat = np.empty(NUM_TOTALS * row_length(block.num_sessions), dtype=np.int64)
    total_sessions(block.item_start[:-1], block.item_start[1:], block.item_kind, written.fields, flat)
    (present, evicted, survival_sum, minimum, maximum, items_evicted, registrations, recalls, misses, facts) = rows_of(
        flat, NUM_TOTALS, block.num_sessions
    )
    cohorts = fates.totals()
    sums = written.sums.reshape(3, -1)
    intervals = written.intervals
    return BlockOutcome(
        session_length=block.session_length,
        foundational_items=facts,
        foundational_present=present,
        foundational_evicted=evicted,
        survival_sum=survival_sum,
        survival_minimum=minimum,
        survival_maximum=maximum,
        items_evicted=items_evicted + cohorts.items_evicted,
        working_set_sum=sums[0] + cohorts.working_set_sum,
        token_turns=sums[1] + cohorts.token_turns,
        registered_tokens=sums[2] + cohorts.registered_tokens,
        registrations=registrations + cohorts.registrations,
        recalls=recalls,
        misses=misses,
        checkpoint_present=np.empty((0, block.num_sessions), dtype=np.int32)
        if intervals is None
        else intervals.at_checkpoints(wanted.checkpoints),
        items=_items(written, fates, reuse) if wanted.items else None,
        turns=intervals.per_turn(fates) if intervals is not None and wanted.turns else None,
        missed=misses_of(block, written.missed) if wanted.misses else None,
        evicted_by_reason=_by_reason(written, cohorts.items_evicted) if wanted.relations else None,
        **(uses_of(block, written.missed > 0) if wanted.uses else {}),
    )


def uses_of(block: SessionBlock, missed: NDArray[np.bool_]) -> dict[str, Any]:
    """Return the sums over recalls of each session, by their names in BlockOutcome; ``missed`` (touch).

    A recall finds its item only if it has been held since the touch before: so many turns were of use.
    """
    recall = block.touch_kind == RECALL
    size = np.ones(len(recall), dtype=np.int64)
    if block.item_tokens is not None:
        size = np.repeat(block.item_tokens.astype(np.int64), np.diff(block.touch_start))
    gap = np.diff(block.touch_turn.astype(np.int64), prepend=0)
    first = block.touch_start[block.item_start]

    def per_session(values: NDArray[np.int64]) -> NDArray[np.int64]:
        sums: NDArray[np.int64] = np.diff(np.concatenate([np.zeros(1, np.int64), np.cumsum(values)])[first])
        return sums

    return {
        "recalled_tokens": per_session(size * recall),
        "missed_tokens": per_session(size * (recall & missed)),
        "used_item_turns": per_session(gap * (recall & ~missed)),
    }


def _by_reason(written: Written, of_cohorts: NDArray[np.int64] | int) -> NDArray[np.int64]:
    """Return how many items of each session were last evicted for each reason, shape (reason, session)."""
    block, width = written.block, len(EVICTION_REASONS) + 1
    reason = rows_of(written.fields, NUM_ITEM_FIELDS, len(block.item_kind))[STATUS] >> REASON_SHIFT
    session = np.repeat(np.arange(block.num_sessions), np.diff(block.item_start))
    counts = np.bincount(session * width + reason, minlength=block.num_sessions * width)
    evicted = np.ascontiguousarray(counts.reshape(block.num_sessions, width)[:, 1:].T)
    evicted[DECAYED - 1] += of_cohorts  # what nothing touches goes by its age
    return evicted


def _items(written: Written, fates: Fates, reuse: bool) -> ItemOutcomes:
    block = written.block
    listed = rows_of(written.fields, NUM_ITEM_FIELDS, len(block.item_kind))
    kept = listed if reuse else listed.copy()
    cohorts = fates.items()
    attributes = ItemAttributes(
        (*block.attributes, *(cohort.attributes for cohort in block.cohorts)),
        np.zeros(len(block.item_kind), dtype=np.int32) if block.item_attributes is None else block.item_attributes,
        np.empty(0, dtype=np.int32) if cohorts is None else cohorts.cohort + np.int32(len(block.attributes)),
    )
    return ItemOutcomes(block.item_start, block.item_kind, kept, written.stability, cohorts, attributes)


def playable_block(block: SessionBlock, wanted: Wanted, list_cohorts: bool = False) -> SessionBlock:
    """Return the block with its cohorts listed where a row per item or turn needs that, or a draw per item."""
    unequal = len(block.lengths) > 1 and wanted.items
    return block.with_cohorts_listed() if list_cohorts or unequal else block


def played_fate(cohort: Cohort, session_length: int, play: Callable[[SessionBlock], Written]) -> CohortFate:
    """Return what becomes of the items of a cohort, which nothing ever touches again: one of each turn is played."""
    block = one_of_each_turn(cohort, session_length)
    written = play(block)
    evicted = rows_of(written.fields, NUM_ITEM_FIELDS, len(block.item_kind))[EVICTED_TURN]
    expiries = np.where(evicted > 0, evicted, session_length + 1).tolist()
    stabilities = None if written.stability is None else tuple(written.stability.tolist())
    return CohortFate(cohort, IMMORTAL, session_length, turns_of_expiry=tuple(expiries), stabilities=stabilities)
