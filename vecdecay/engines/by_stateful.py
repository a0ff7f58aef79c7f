"""Plays a block under a stateful policy with the policy's own kernel; this is the lockstep engine for such policies."""

import time
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from vecdecay.engines.by_horizon import Intervals
from vecdecay.engines.cohorts import CohortFate, PlayedFate, cohort_totals
from vecdecay.engines.horizon import IMMORTAL
from vecdecay.engines.kernels.stateful_kernel import EVICTED_TURN, NUM_ITEM_FIELDS
from vecdecay.engines.outcome import BlockOutcome
from vecdecay.engines.scratch import scratch
from vecdecay.engines.stateful_compiler import compiled
from vecdecay.engines.totals import item_outcomes, outcome_from_totals, row_length, rows_of
from vecdecay.policies.base import Policy
from vecdecay.policies.stateful import HazardPolicy, StatefulPolicy, functions_of, item_facts
from vecdecay.sessions.block import Cohort, SessionBlock
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.session import NOISE, REGISTER, Session

_NO_NUMBERS = np.empty(0, dtype=np.int32)
_NO_KEYS = np.empty(0, dtype=np.int64)

_prepared: set[object] = set()


def can_play(policy: Policy) -> bool:
    """Tell whether the policy is a stateful one."""
    return isinstance(policy, StatefulPolicy)


def prepare(policy: StatefulPolicy) -> float:
    """Make the machine code that plays the policy, and return the seconds that it took; 0.0 where it is there already.

    Playing does so too, without telling: this is for programs that show how long compiling took.
    """
    if compiled(type(policy)).play in _prepared:
        return 0.0
    started = time.perf_counter()
    _play(block_of([Session(1, (NOISE,), ())]), policy, False)
    _prepared.add(compiled(type(policy)).play)
    return time.perf_counter() - started


def play(
    block: SessionBlock,
    policy: Policy,
    checkpoints: NDArray[np.int64],
    want_items: bool,
    want_turns: bool,
) -> BlockOutcome:
    """Return what the sessions came to under a stateful policy."""
    if not isinstance(policy, StatefulPolicy):
        raise TypeError(f"{type(policy).__name__} is not a stateful policy")
    if want_items or isinstance(policy, HazardPolicy):
        block = block.with_cohorts_listed()  # each item has a row, or a chance, of its own
    fates = tuple(_fate(policy, cohort, int(block.session_length[0])) for cohort in block.cohorts)
    played = _play(block, policy, want_turns or len(checkpoints) > 0)
    items = None
    if want_items:
        rows = rows_of(played.fields, NUM_ITEM_FIELDS, len(block.item_kind)).copy()
        items = item_outcomes(block.item_start, block.item_kind, rows, played.stability)
    return outcome_from_totals(
        block,
        block.item_start[:-1],
        block.item_kind,
        played.fields,
        played.sums,
        cohort_totals(fates),
        checkpoint_present=np.empty((0, block.num_sessions), dtype=np.int32)
        if played.intervals is None
        else played.intervals.at_checkpoints(checkpoints),
        items=items,
        turns=played.intervals.per_turn(fates) if played.intervals is not None and want_turns else None,
    )


@dataclass(frozen=True)
class _Played:
    """What the kernel wrote: item fields, sums (3, session), stabilities (item) where there are any, intervals."""

    fields: NDArray[np.int32]
    sums: NDArray[np.int64]
    stability: NDArray[np.float64] | None
    intervals: Intervals | None


def _play(block: SessionBlock, policy: StatefulPolicy, want_intervals: bool) -> _Played:
    fields = scratch("item_fields", NUM_ITEM_FIELDS * row_length(len(block.item_kind)), np.int32)
    stability = np.empty(len(block.item_kind))
    sums = np.empty(3 * block.num_sessions, dtype=np.int64)
    intervals = Intervals(block) if want_intervals else None
    facts = [item_facts(one) for one in block.attributes]
    compiled(type(policy)).play(
        block.session_length,
        block.item_start,
        block.touch_start,
        block.touch_turn,
        block.touch_kind,
        _NO_NUMBERS if block.item_attributes is None else block.item_attributes,
        np.array([one.importance for one in facts], dtype=np.float64),
        np.array([one.category for one in facts], dtype=np.int64),
        np.array([one.pinned for one in block.attributes], dtype=np.bool_),
        _NO_NUMBERS if block.item_tokens is None else block.item_tokens,
        _NO_KEYS if block.seed_keys is None else block.seed_keys,
        policy.constants(),
        policy.threshold(),
        policy.period_turns() if isinstance(policy, HazardPolicy) else 1,
        fields,
        stability,
        sums,
        _NO_NUMBERS if intervals is None else intervals.count,
        _NO_KEYS if intervals is None else intervals.start,
        _NO_KEYS if intervals is None else intervals.end,
    )
    has_stability = functions_of(type(policy)).stability is not None
    return _Played(fields, sums.reshape(3, -1), stability if has_stability else None, intervals)


@lru_cache(maxsize=256)
def _fate(policy: StatefulPolicy, cohort: Cohort, session_length: int) -> CohortFate:
    """Return what becomes of the items of a cohort, which nothing ever touches again: one of each turn is played."""
    turns = np.arange(cohort.first_turn, cohort.last_turn + 1, dtype=np.int32)
    if policy.turn_invariant:
        turns = np.ones(1, dtype=np.int32)
    ones = np.arange(len(turns) + 1, dtype=np.int64)
    block = SessionBlock(
        session_length=np.array([session_length], dtype=np.int64),
        item_start=ones[[0, -1]],
        item_kind=np.zeros(len(turns), dtype=np.int8),
        touch_start=ones,
        touch_turn=turns,
        touch_kind=np.full(len(turns), REGISTER, dtype=np.int8),
        max_recalls=0,
        attributes=(cohort.attributes,),
    )
    evicted = rows_of(_play(block, policy, False).fields, NUM_ITEM_FIELDS, len(turns))[EVICTED_TURN]
    if policy.turn_invariant:
        return CohortFate(cohort, int(evicted[0]) - 1 if evicted[0] > 0 else IMMORTAL, session_length)
    expiries = np.where(evicted > 0, evicted, session_length + 1).tolist()
    return PlayedFate(cohort, IMMORTAL, session_length, turns_of_expiry=tuple(expiries))
