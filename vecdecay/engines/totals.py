"""From the arrays that a kernel wrote to the form in which every engine reports."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from vecdecay.engines.cohorts import CohortTotals
from vecdecay.engines.kernels.sums_kernel import NUM_TOTALS, total_sessions
from vecdecay.engines.outcome import BlockOutcome, ItemOutcomes, TurnOutcomes
from vecdecay.sessions.block import SessionBlock

_Number = TypeVar("_Number", bound=np.generic)


def row_length(count: int) -> int:
    """Return how long a row of a kernel's array is made for ``count`` entries.

    Rows that begin a multiple of 4096 bytes apart share their places in the first-level cache, and a kernel that writes
    to all of them side by side takes twice as long; so every row begins a little later than that.
    """
    return -(-count // 1024) * 1024 + 80


def rows_of(flat: NDArray[_Number], num_rows: int, count: int) -> NDArray[_Number]:
    """Return the rows of a kernel's flat array, shape (row, count)."""
    return flat.reshape(num_rows, -1)[:, :count]


def outcome_from_totals(
    block: SessionBlock,
    first_item: NDArray[np.int64],
    item_kind: NDArray[np.int8],
    fields: NDArray[np.int32],
    sums: NDArray[np.int64],
    cohorts: CohortTotals,
    *,
    checkpoint_present: NDArray[np.int32],
    items: ItemOutcomes | None = None,
    turns: TurnOutcomes | None = None,
) -> BlockOutcome:
    """Sum the kernel's item fields per session and add what cohorts contribute.

    ``first_item`` (session) says where the listed items begin; ``sums`` (3, session) are those of the kernel, over
    listed items: turns held, the same in tokens, and the tokens of all registrations.
    """
    flat = np.empty(NUM_TOTALS * row_length(block.num_sessions), dtype=np.int64)
    total_sessions(first_item, first_item + np.diff(block.item_start), item_kind, fields, flat)
    (present, evicted, survival_sum, minimum, maximum, items_evicted, registrations, recalls, misses, facts) = rows_of(
        flat, NUM_TOTALS, block.num_sessions
    )
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
        registrations=registrations + block.cohort_items,
        recalls=recalls,
        misses=misses,
        checkpoint_present=checkpoint_present,
        items=items,
        turns=turns,
    )


def item_outcomes(
    item_start: NDArray[np.int64],
    kind: NDArray[np.int8],
    fields: NDArray[np.int32],
    stability: NDArray[np.float64] | None,
) -> ItemOutcomes:
    """Name the rows of a kernel's item array, shape (field, item)."""
    return ItemOutcomes(
        item_start=item_start,
        kind=kind,
        registered_turn=fields[0],
        last_touch=fields[1],
        recall_count=fields[2],
        evicted_turn=fields[3],
        hits=fields[4],
        misses=fields[5],
        present=fields[6],
        stability=stability,
    )


def turn_starts(session_length: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where each session's turns begin in a kernel's turn arrays; turn 0 and one after the last count."""
    starts = np.zeros(len(session_length) + 1, dtype=np.int64)
    np.cumsum(session_length + 2, out=starts[1:])
    return starts


def without_margins(
    starts: NDArray[np.int64], working_set: NDArray[np.int32], foundational_present: NDArray[np.int32]
) -> TurnOutcomes:
    """Drop turn 0 and the turn after the last of every session."""
    keep = np.ones(len(working_set), dtype=np.bool_)
    keep[starts[:-1]] = False
    keep[starts[1:] - 1] = False
    shorter = starts - 2 * np.arange(len(starts), dtype=np.int64)
    return TurnOutcomes(shorter, working_set[keep], foundational_present[keep])


def mark_unreached(
    checkpoint_present: NDArray[np.int32], checkpoints: NDArray[np.int64], session_length: NDArray[np.int64]
) -> NDArray[np.int32]:
    """Set the counts at checkpoints after a session's end to -1; shape (checkpoint, session)."""
    checkpoint_present[checkpoints[:, None] > session_length[None, :]] = -1
    return checkpoint_present
