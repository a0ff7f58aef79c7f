"""Plays a block with the lockstep kernel: (session × item) arrays advanced together, turn by turn.

The published policies are played by their formulas, other table policies by their table.
"""

import numpy as np
from numpy.typing import NDArray

from vecdecay.compile import ordinary_arithmetic
from vecdecay.engines.cohorts import CohortFate, cohort_items, cohort_totals
from vecdecay.engines.kernels.lockstep_kernel import (
    EBBINGHAUS,
    NUM_ITEM_FIELDS,
    RECENCY_WINDOW,
    TABLE,
    play_lockstep,
    sort_by_turn,
)
from vecdecay.engines.lookup import Lookup, lookup_for
from vecdecay.engines.outcome import BlockOutcome, ItemOutcomes
from vecdecay.engines.scratch import fresh, scratch
from vecdecay.engines.totals import (
    item_outcomes,
    mark_unreached,
    outcome_from_totals,
    row_length,
    rows_of,
    turn_starts,
    without_margins,
)
from vecdecay.items import NOISE
from vecdecay.policies.base import Policy, TablePolicy
from vecdecay.policies.ebbinghaus import Ebbinghaus
from vecdecay.policies.recency_window import RecencyWindow
from vecdecay.sessions.block import SessionBlock

_NO_NUMBERS = np.empty(0, dtype=np.int32)


def play(
    block: SessionBlock,
    policy: Policy,
    checkpoints: NDArray[np.int64],
    want_items: bool,
    want_turns: bool,
    reuse: bool = False,
) -> BlockOutcome:
    """Return what the sessions came to; with ``reuse``, quicker, items are good until this thread's next call."""
    if not isinstance(policy, TablePolicy):
        raise TypeError(f"the lockstep kernel has no law for {type(policy).__name__}")
    lookup = lookup_for(policy, block)
    all_start, all_kind = _with_cohort_items(block)
    starts = turn_starts(block.session_length)
    array = scratch if reuse or not want_items else fresh
    stability = array("lockstep_stability", len(all_kind), np.float64)
    fields = array("lockstep_fields", NUM_ITEM_FIELDS * row_length(len(all_kind)), np.int32)
    working_set = scratch("lockstep_working_set", int(starts[-1]), np.int32)
    present = scratch("lockstep_present", int(starts[-1]), np.int32)
    totals = np.zeros(3 * block.num_sessions, dtype=np.int64)
    law, parameters = _law(policy, block)
    with ordinary_arithmetic():
        play_lockstep(
            block.session_length,
            block.item_start,
            block.touch_start,
            block.touch_turn,
            block.touch_kind,
            *_by_turn(block),
            _item_rows(block, lookup),
            _NO_NUMBERS if block.item_tokens is None else block.item_tokens,
            _cohort_change(lookup.fates, int(block.session_length.max(initial=0))),
            *cohort_items(lookup.fates),
            _cohort_stability(block, lookup),
            law,
            parameters,
            lookup.horizon,
            lookup.rules,
            all_start,
            all_kind,
            starts,
            stability,
            scratch("lockstep_state", 3 * len(all_kind), np.int64),
            fields,
            working_set,
            present,
            totals,
        )
    return outcome_from_totals(
        block,
        all_start[:-1],
        all_kind,
        fields,
        totals.reshape(3, -1),
        cohort_totals(lookup.fates),
        checkpoint_present=_at_checkpoints(checkpoints, block.session_length, starts, present),
        items=_items(block, lookup, law, fields, all_start, all_kind, stability) if want_items else None,
        turns=without_margins(starts, working_set, present) if want_turns else None,
    )


def _items(
    block: SessionBlock,
    lookup: Lookup,
    law: int,
    fields: NDArray[np.int32],
    all_start: NDArray[np.int64],
    all_kind: NDArray[np.int8],
    stability: NDArray[np.float64],
) -> ItemOutcomes:
    """Return the items; their stability is the kernel's own where a formula made it, else looked up."""
    shaped = rows_of(fields, NUM_ITEM_FIELDS, len(all_kind))
    known = stability if law == EBBINGHAUS else _looked_up(block, lookup, shaped[2], stability)
    return item_outcomes(all_start, all_kind, shaped, known)


def _law(policy: TablePolicy, block: SessionBlock) -> tuple[int, NDArray[np.float64]]:
    """Return the kernel's law and its parameters: threshold, baseline stability, gain and the cap on stability.

    The formulas know no pinned items; the table does.
    """
    if any(one.pinned for one in block.attributes):
        return TABLE, np.array((0.5, 1.0, 0.0, np.inf))
    if type(policy) is Ebbinghaus:
        values = (policy.eviction_threshold, policy.baseline_stability, policy.reinforcement_gain)
        return EBBINGHAUS, np.array((*values, policy.max_stability))
    if type(policy) is RecencyWindow:
        return RECENCY_WINDOW, np.array((policy.window_size, 1.0, 0.0, np.inf))
    return TABLE, np.array((0.5, 1.0, 0.0, np.inf))


def _by_turn(block: SessionBlock) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the touches in the order of turns, and the item of every touch, both of shape (touch)."""
    order = np.empty(len(block.touch_turn), dtype=np.int64)
    touch_item = np.empty(len(block.touch_turn), dtype=np.int64)
    sort_by_turn(block.session_length, block.item_start, block.touch_start, block.touch_turn, order, touch_item)
    return order, touch_item


def _item_rows(block: SessionBlock, lookup: Lookup) -> NDArray[np.int64]:
    """Return where each listed item's horizons begin, shape (item)."""
    if len(lookup.item_row) == 0:
        return np.zeros(len(block.item_kind), dtype=np.int64)
    return lookup.item_row.astype(np.int64) * lookup.width


def _cohort_change(fates: tuple[CohortFate, ...], longest: int) -> NDArray[np.int64]:
    """Return by how much cohort items change the working set in each turn, shape (turn 0 … longest + 1)."""
    sizes = np.zeros(longest + 2, dtype=np.int64)
    for fate in fates:
        sizes += fate.working_set()
    return np.diff(sizes, prepend=0)


def _cohort_stability(block: SessionBlock, lookup: Lookup) -> NDArray[np.float64]:
    """Return the stability of every cohort item, shape (cohort item)."""
    parts = [
        np.full(cohort.items(), stability)
        for cohort, stability in zip(block.cohorts, lookup.newborn_stability, strict=True)
    ]
    return np.concatenate([np.empty(0), *parts])


def _looked_up(
    block: SessionBlock,
    lookup: Lookup,
    recall_count: NDArray[np.int32],
    kernel_stability: NDArray[np.float64],
) -> NDArray[np.float64] | None:
    """Return the stabilities under the law TABLE: listed items looked up, cohort items as the kernel wrote them."""
    listed = np.arange(len(block.item_kind)) + block.cohort_items * np.repeat(
        np.arange(block.num_sessions), np.diff(block.item_start)
    )
    row = lookup.item_row if len(lookup.item_row) > 0 else 0
    known = lookup.stabilities(row, recall_count[listed])
    if known is None:
        return None
    kernel_stability[listed] = known
    return kernel_stability


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
