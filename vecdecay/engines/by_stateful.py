"""Plays a block item by item under a stateful policy, with the policy's own kernel."""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vecdecay.engines.cohorts import CohortFate, Fates
from vecdecay.engines.outcome import BlockOutcome, Wanted
from vecdecay.engines.stateful_compiler import compiled
from vecdecay.engines.sums import (
    NO_COUNTS,
    NO_GRADES,
    NO_TURNS,
    Written,
    outcome_of,
    playable_block,
    played_fate,
    room_for,
)
from vecdecay.policies.base import Policy
from vecdecay.policies.rules import clock
from vecdecay.policies.stateful import HazardPolicy, StatefulPolicy, functions_of, item_facts
from vecdecay.sessions.block import Cohort, SessionBlock

NOTHING_WANTED = Wanted(NO_TURNS)


def can_play(policy: Policy) -> bool:
    """Tell whether the policy is a stateful one, and no item needs another's place."""
    return isinstance(policy, StatefulPolicy) and not policy.competes()


def play(block: SessionBlock, policy: Policy, wanted: Wanted, reuse: bool = False) -> BlockOutcome:
    """Return what the sessions came to under a stateful policy."""
    if not isinstance(policy, StatefulPolicy):
        raise TypeError(f"{type(policy).__name__} is not a stateful policy")
    block = playable_block(block, wanted, list_cohorts=isinstance(policy, HazardPolicy))
    fates = Fates(block, lambda cohort, length: _fate(policy, cohort, length))
    return outcome_of(_play(block, policy, wanted), fates, wanted, reuse)


def block_arguments(block: SessionBlock) -> dict[str, NDArray[Any]]:
    """Return what the kernels of stateful policies read of a block beside its touches, by name and in their order."""
    facts = [item_facts(one) for one in block.attributes]
    return {
        "item_row": NO_COUNTS if block.item_attributes is None else block.item_attributes,
        "importance": np.array([one.importance for one in facts], dtype=np.float64),
        "category": np.array([one.category for one in facts], dtype=np.int64),
        "pinned": np.array([one.pinned for one in block.attributes], dtype=np.bool_),
        "item_tokens": NO_COUNTS if block.item_tokens is None else block.item_tokens,
        "item_expires": NO_COUNTS if block.item_expires is None else block.item_expires,
        "seed_keys": NO_TURNS if block.seed_keys is None else block.seed_keys,
    }


def touch_clock(block: SessionBlock, unit_turns: int) -> NDArray[np.int32]:
    """Return the turns of the touches in a policy's units."""
    return block.touch_turn if unit_turns == 1 else clock(block.touch_turn, unit_turns)  # type: ignore[arg-type,return-value]


def kernel_rules(policy: Policy) -> tuple[int, int, int, int, int]:
    """Return (period, cooldown, grace, unit, inclusive), as the templates read them."""
    rules = policy.rules()
    return (
        int(rules.period_turns),
        int(rules.cooldown_turns),
        int(rules.grace_turns),
        int(rules.unit_turns),
        int(rules.inclusive),
    )


def _play(block: SessionBlock, policy: StatefulPolicy, wanted: Wanted) -> Written:
    written = room_for(block, wanted, has_stability=True)
    compiled(type(policy)).play(
        block.session_length,
        block.item_start,
        block.touch_start,
        block.touch_turn,
        touch_clock(block, policy.rules().unit_turns),
        block.touch_kind,
        NO_GRADES if block.touch_grade is None else block.touch_grade,
        *block_arguments(block).values(),
        policy.constants(),
        policy.threshold(),
        kernel_rules(policy),
        wanted.relearn,
        written.fields,
        written.stability,
        written.sums,
        *written.interval_arrays(),
    )
    if functions_of(type(policy)).stability is None:
        written.stability = None
    return written


@lru_cache(maxsize=256)
def _fate(policy: StatefulPolicy, cohort: Cohort, session_length: int) -> CohortFate:
    return played_fate(cohort, session_length, lambda block: _play(block, policy, NOTHING_WANTED))
