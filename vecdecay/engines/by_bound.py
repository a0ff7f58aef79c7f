"""What recalls cost at least in a block, whatever the policy: the steps of ``kernels.bound_kernel``, counted."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vecdecay.engines.by_stateful import block_arguments
from vecdecay.engines.kernels.bound_kernel import (
    NUM_TOTALS,
    PINNED_HITS,
    PINNED_TOKEN_TURNS,
    PINNED_TURNS,
    cheapest_steps,
)
from vecdecay.engines.registry import play_block
from vecdecay.policies.keep_all import KeepAll
from vecdecay.sessions.block import SessionBlock


class Steps(NamedTuple):
    """Steps that make recalls hit: ``rows`` (step, 3) are their hits, turns and the tokens of the item, each row once,
    and ``times`` (step) how often they occur. ``pinned`` and ``all_kept`` are (hits, turns, token-turns): of what no
    policy drops, and of keeping everything; ``recalls`` and ``session_turns`` are those of all sessions.
    """

    rows: NDArray[np.int64]
    times: NDArray[np.int64]
    pinned: NDArray[np.int64]
    all_kept: NDArray[np.int64]
    recalls: int
    session_turns: int


def steps_of(block: SessionBlock, relearn: bool) -> Steps:
    """Return the steps of the sessions of a block; with ``relearn`` a recall that misses registers its item anew."""
    kept = play_block(block, KeepAll(), relearn=relearn)
    if any(one.attributes.pinned for one in block.cohorts):
        block = block.with_cohorts_listed()
    known = block_arguments(block)
    row = known["item_row"] if len(known["item_row"]) > 0 else np.zeros(len(block.item_kind), dtype=np.int32)
    hits, turns, tokens = np.empty((3, len(block.touch_turn)), dtype=np.int64)
    totals = np.zeros(NUM_TOTALS, dtype=np.int64)
    used = cheapest_steps(
        block.session_length, block.item_start, block.touch_start, block.touch_turn, block.touch_kind,
        known["pinned"][row], known["item_tokens"], known["item_expires"], relearn, hits, turns, tokens,
        totals,
    )  # fmt: skip
    found, times = _counted(np.stack([hits, turns, tokens], axis=1)[:used], np.ones(used, dtype=np.int64))
    recalls, misses = int(kept.recalls.sum()), int(kept.misses.sum())
    all_kept = [recalls - misses, int(kept.working_set_sum.sum()), int(kept.token_turns.sum())]
    pinned = totals[[PINNED_HITS, PINNED_TURNS, PINNED_TOKEN_TURNS]]
    return Steps(found, times, pinned, np.array(all_kept), recalls, int(block.session_length.sum()))


def merged(several: list[Steps]) -> Steps:
    """Return the steps of several blocks together."""
    rows, times = _counted(
        np.concatenate([one.rows for one in several]), np.concatenate([one.times for one in several])
    )
    pinned, all_kept = sum(one.pinned for one in several), sum(one.all_kept for one in several)
    recalls, turns = sum(one.recalls for one in several), sum(one.session_turns for one in several)
    return Steps(rows, times, np.asarray(pinned), np.asarray(all_kept), recalls, turns)


def _counted(rows: NDArray[np.int64], times: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return each row once, sorted, and how often it occurs."""
    order = np.lexsort(rows.T[::-1])
    rows, times = rows[order], times[order]
    new = np.ones(len(rows), dtype=np.bool_)
    new[1:] = np.any(rows[1:] != rows[:-1], axis=1)
    starts = np.flatnonzero(new)
    return rows[starts], np.add.reduceat(times, starts) if len(starts) > 0 else times
