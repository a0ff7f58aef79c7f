"""Plays a block with the lockstep kernel: (session × item) arrays advanced together, turn by turn."""

import numpy as np
from numpy.typing import NDArray

from vecdecay.engines.cohorts import cohort_per_turn
from vecdecay.engines.horizon import horizon_table, stability_table
from vecdecay.engines.lockstep_kernel import (
    EBBINGHAUS,
    NUM_ITEM_FIELDS,
    RECENCY_WINDOW,
    TABLE,
    play_lockstep,
    sort_by_turn,
)
from vecdecay.engines.outcome import BlockOutcome
from vecdecay.engines.totals import (
    item_outcomes,
    mark_unreached,
    outcome_from_totals,
    row_length,
    rows_of,
    turn_starts,
    without_margins,
)
from vecdecay.policies.base import Policy, TablePolicy
from vecdecay.policies.ebbinghaus import Ebbinghaus
from vecdecay.policies.recency_window import RecencyWindow
from vecdecay.sessions.block import SessionBlock
from vecdecay.sessions.session import NOISE


def play(
    block: SessionBlock,
    policy: Policy,
    checkpoints: NDArray[np.int64],
    want_items: bool,
    want_turns: bool,
) -> BlockOutcome:
    """Return what the sessions came to: the published policies are played by their formulas, others by their table."""
    order = np.empty(len(block.touch_turn), dtype=np.int64)
    touch_item = np.empty(len(block.touch_turn), dtype=np.int64)
    sort_by_turn(block.session_length, block.item_start, block.touch_start, block.touch_turn, order, touch_item)
    all_start, all_kind = _with_cohort_items(block)
    starts = turn_starts(block.session_length)
    stability = np.zeros(len(all_kind), dtype=np.float64)
    fields = np.zeros(NUM_ITEM_FIELDS * row_length(len(all_kind)), dtype=np.int32)
    working_set = np.zeros(starts[-1], dtype=np.int32)
    present = np.zeros(starts[-1], dtype=np.int32)
    working_set_sum = np.zeros(block.num_sessions, dtype=np.int64)
    cohort_evicted = np.zeros(block.num_sessions, dtype=np.int64)
    longest = int(block.session_length.max(initial=0))
    play_lockstep(
        block.session_length,
        block.item_start,
        block.touch_start,
        block.touch_turn,
        block.touch_kind,
        order,
        touch_item,
        cohort_per_turn(block.cohorts, longest),
        *_law(policy, block.max_recalls),
        all_start,
        all_kind,
        starts,
        stability,
        np.zeros(len(all_kind), dtype=np.int32),
        fields,
        working_set,
        present,
        working_set_sum,
        cohort_evicted,
    )
    shaped = rows_of(fields, NUM_ITEM_FIELDS, len(all_kind))
    known_stability = _stability(policy, block.max_recalls, shaped[2], stability)
    return outcome_from_totals(
        block,
        all_start[:-1],
        all_kind,
        fields,
        working_set_sum,
        checkpoint_present=_at_checkpoints(checkpoints, block.session_length, starts, present),
        cohort_evicted=cohort_evicted,
        items=item_outcomes(all_start, all_kind, shaped, known_stability) if want_items else None,
        turns=without_margins(starts, working_set, present) if want_turns else None,
    )


def _law(policy: Policy, max_recalls: int) -> tuple[int, float, float, float, NDArray[np.int64]]:
    """Return the kernel's law, threshold, baseline stability, reinforcement gain and horizon table."""
    no_table = np.empty(0, dtype=np.int64)
    if isinstance(policy, Ebbinghaus):
        return (
            EBBINGHAUS,
            policy.eviction_threshold,
            policy.baseline_stability,
            policy.reinforcement_gain,
            no_table,
        )
    if isinstance(policy, RecencyWindow):
        return RECENCY_WINDOW, policy.window_size, 1.0, 0.0, no_table
    if isinstance(policy, TablePolicy):
        return TABLE, 0.5, 1.0, 0.0, horizon_table(policy, max_recalls).horizon
    raise TypeError(f"the lockstep kernel has no law for {type(policy).__name__}")


def _stability(
    policy: Policy, max_recalls: int, recall_count: NDArray[np.int32], kernel_stability: NDArray[np.float64]
) -> NDArray[np.float64] | None:
    """Return the items' stabilities: the kernel's own where it computed them, else looked up, or None."""
    if isinstance(policy, Ebbinghaus):
        return kernel_stability
    stabilities = stability_table(policy, max_recalls) if isinstance(policy, TablePolicy) else None
    if stabilities is None:
        return None
    return np.where(recall_count > 0, stabilities[np.maximum(recall_count - 1, 0)], 0.0)


def _with_cohort_items(block: SessionBlock) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
    """Return ``item_start`` and ``item_kind`` with cohort items placed behind the listed ones of each session."""
    more = block.cohort_items
    all_start = block.item_start + more * np.arange(block.num_sessions + 1, dtype=np.int64)
    all_kind = np.full(all_start[-1], NOISE, dtype=np.int8)
    session_of_item = np.repeat(np.arange(block.num_sessions), np.diff(block.item_start))
    all_kind[np.arange(len(block.item_kind)) + more * session_of_item] = block.item_kind
    return all_start, all_kind


def _at_checkpoints(
    checkpoints: NDArray[np.int64],
    session_length: NDArray[np.int64],
    starts: NDArray[np.int64],
    foundational_present: NDArray[np.int32],
) -> NDArray[np.int32]:
    """Read the foundational items present at each checkpoint, shape (checkpoint, session)."""
    reached = np.minimum(checkpoints[:, None], session_length[None, :])
    return mark_unreached(foundational_present[starts[None, :-1] + reached], checkpoints, session_length)
