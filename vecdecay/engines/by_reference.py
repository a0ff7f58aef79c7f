"""Plays a block with the scalar reference, session by session, and reports in the same form as the kernels."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vecdecay.engines.kernels.fields import EVICTION_REASONS, NUM_ITEM_FIELDS, REASON_SHIFT
from vecdecay.engines.outcome import (
    BlockOutcome,
    ItemAttributes,
    ItemOutcomes,
    MissOutcomes,
    TurnOutcomes,
    Wanted,
)
from vecdecay.engines.reference import ItemTrace, Trace, engine_for, measure, run, score_of
from vecdecay.items import DEFAULT_ATTRIBUTES, Attributes
from vecdecay.policies.base import Policy, TablePolicy
from vecdecay.policies.stateful import StatefulPolicy, functions_of
from vecdecay.sessions.block import SessionBlock
from vecdecay.sessions.session import FOUNDATIONAL, Session


def play(block: SessionBlock, policy: Policy, wanted: Wanted, reuse: bool = False) -> BlockOutcome:
    """Return what the sessions came to, each played by a fresh scalar engine."""
    del reuse
    sessions = block.sessions()
    traces = []
    for session in sessions:
        engine = engine_for(policy, session)
        traces.append(run(engine, session, wanted.relearn, score_of(engine, policy) if wanted.saturation else None))
    outcome = _outcome_of(sessions, traces, wanted, _knows_stability(policy))
    if not wanted.saturation:
        return outcome
    scored = score_of(engine_for(policy), policy) is not None
    saturated = [trace.saturated_item_turns if scored else -1 for trace in traces]
    return replace(outcome, saturated_item_turns=np.array(saturated, dtype=np.int64))


_USES = ("recalled_tokens", "missed_tokens", "used_item_turns")


def _knows_stability(policy: Policy) -> bool:
    """Tell whether the policy has the notion, which a block without a single registration would not show."""
    if isinstance(policy, StatefulPolicy):
        return functions_of(type(policy)).stability is not None
    return isinstance(policy, TablePolicy) and policy.stability(1, DEFAULT_ATTRIBUTES) is not None


def _outcome_of(
    sessions: Sequence[Session], traces: Sequence[Trace], wanted: Wanted, knows_stability: bool
) -> BlockOutcome:
    """Return the integer totals of scalar runs in the form in which every engine reports."""
    measured = [measure(trace) for trace in traces]
    foundational = [[item for item in trace.items if item.kind == FOUNDATIONAL] for trace in traces]

    def column(values: Sequence[int]) -> NDArray[np.int64]:
        return np.array(values, dtype=np.int64)

    return BlockOutcome(
        session_length=column([trace.session_length for trace in traces]),
        foundational_items=column([len(items) for items in foundational]),
        foundational_present=column([sum(item.present for item in items) for items in foundational]),
        foundational_evicted=column([one.foundational_evicted for one in measured]),
        survival_sum=column([sum(_survival_times(items)) for items in foundational]),
        survival_minimum=column([one.survival_time_minimum or 0 for one in measured]),
        survival_maximum=column([one.survival_time_maximum or 0 for one in measured]),
        items_evicted=column([sum(item.evicted_turn is not None for item in trace.items) for trace in traces]),
        working_set_sum=column([sum(trace.working_set_sizes) for trace in traces]),
        token_turns=column([sum(trace.working_set_tokens) for trace in traces]),
        registered_tokens=column([trace.registered_tokens for trace in traces]),
        registrations=column([trace.registrations for trace in traces]),
        recalls=column([sum(item.hits + item.misses for item in trace.items) for trace in traces]),
        misses=column([one.misses for one in measured]),
        checkpoint_present=_at_checkpoints(traces, wanted.checkpoints.tolist()),
        items=_item_outcomes(sessions, traces, knows_stability) if wanted.items else None,
        turns=_turn_outcomes(traces) if wanted.turns else None,
        missed=_miss_outcomes(traces) if wanted.misses else None,
        **(_relations(traces) if wanted.relations else {}),
        **({name: column([getattr(one, name) for one in traces]) for name in _USES} if wanted.uses else {}),
    )


def _survival_times(items: Sequence[ItemTrace]) -> list[int]:
    return [
        item.evicted_turn - item.registered_turn
        for item in items
        if item.evicted_turn is not None and item.registered_turn is not None
    ]


def _at_checkpoints(traces: Sequence[Trace], checkpoints: Sequence[int]) -> NDArray[np.int32]:
    rows = [
        [trace.foundational_present[turn - 1] if turn <= trace.session_length else -1 for trace in traces]
        for turn in checkpoints
    ]
    return np.array(rows, dtype=np.int32).reshape(len(checkpoints), len(traces))


def _item_outcomes(sessions: Sequence[Session], traces: Sequence[Trace], knows_stability: bool) -> ItemOutcomes:
    items = [item for trace in traces for item in trace.items]
    rows = [_fields_of(item) for item in items]
    number_of: dict[Attributes, int] = {}
    each = [one.attributes_of(item) for one in sessions for item in range(len(one.item_kinds))]
    which = np.array([number_of.setdefault(one, len(number_of)) for one in each], dtype=np.int32)
    return ItemOutcomes(
        np.cumsum([0] + [len(trace.items) for trace in traces], dtype=np.int64),
        np.array([item.kind for item in items], dtype=np.int8),
        np.ascontiguousarray(np.array(rows, dtype=np.int32).reshape(-1, NUM_ITEM_FIELDS).T),
        np.array([item.stability or 0.0 for item in items]) if knows_stability else None,
        None,
        ItemAttributes(tuple(number_of), which, np.empty(0, dtype=np.int32)),
    )


def _fields_of(item: ItemTrace) -> tuple[int, ...]:
    """Return the fields of an item as the kernels write them; see ``kernels.fields``."""
    return (
        item.registered_turn or 0,
        item.last_touch or 0,
        item.recall_count,
        item.evicted_turn or 0,
        item.hits,
        item.misses,
        item.present | item.evicted_reason << REASON_SHIFT,
        0,  # registrations are counted per session
    )


def _turn_outcomes(traces: Sequence[Trace]) -> TurnOutcomes:
    return TurnOutcomes(
        turn_start=np.cumsum([0] + [trace.session_length for trace in traces], dtype=np.int64),
        working_set=np.array([size for trace in traces for size in trace.working_set_sizes], dtype=np.int32),
        foundational_present=np.array(
            [count for trace in traces for count in trace.foundational_present], dtype=np.int32
        ),
    )


def _relations(traces: Sequence[Trace]) -> dict[str, NDArray[np.int64]]:
    reasons = range(1, len(EVICTION_REASONS) + 1)
    rows = [[sum(item.evicted_reason == one for item in trace.items) for trace in traces] for one in reasons]
    return {
        "stale_hits": np.array([trace.stale_hits for trace in traces], dtype=np.int64),
        "forbidden_hits": np.array([trace.forbidden_hits for trace in traces], dtype=np.int64),
        "evicted_by_reason": np.array(rows, dtype=np.int64).reshape(len(reasons), len(traces)),
    }


def _miss_outcomes(traces: Sequence[Trace]) -> MissOutcomes:
    rows = [(one.turn, one.item, one.evicted_turn or 0, one.evicted_reason) for trace in traces for one in trace.missed]
    return MissOutcomes(
        np.cumsum([0] + [len(trace.missed) for trace in traces], dtype=np.int64),
        *np.ascontiguousarray(np.array(rows, dtype=np.int32).reshape(-1, 4).T),
    )
