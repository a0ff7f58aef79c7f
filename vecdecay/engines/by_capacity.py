"""Plays a block under a policy with a capacity, session by session in the order of play.

Stateful policies rank what is held by their own compiled functions; table policies by a table of priorities that plain
Python fills, asking the policy at every age and recall count that is met, and no other.
"""

import dataclasses
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vecdecay.compile import ordinary_arithmetic
from vecdecay.engines.asking import priority_of
from vecdecay.engines.by_stateful import block_arguments, kernel_rules, touch_clock
from vecdecay.engines.cohorts import CohortFate, Fates
from vecdecay.engines.kernels import capacity_kernel, formulas, held
from vecdecay.engines.kernels.fields import NUM_ITEM_FIELDS, RECALL_COUNT
from vecdecay.engines.lookup import Growing, Lookup, lookup_for, relevant
from vecdecay.engines.outcome import BlockOutcome, Wanted
from vecdecay.engines.scratch import scratch
from vecdecay.engines.stateful_compiler import compiled
from vecdecay.engines.sums import NO_COUNTS, NO_GRADES, Written, outcome_of, playable_block, room_for, rows_of
from vecdecay.engines.templates import Function, capacity_player, kept_template
from vecdecay.items import Attributes
from vecdecay.policies import POLICIES
from vecdecay.policies.base import Policy, TablePolicy
from vecdecay.policies.capacity import AFTER_INSERT, BEFORE_INSERT, IN_PASS
from vecdecay.policies.stateful import StatefulPolicy, functions_of
from vecdecay.sessions.block import SessionBlock

_MOMENTS = {
    IN_PASS: capacity_kernel.IN_PASS,
    BEFORE_INSERT: capacity_kernel.BEFORE_INSERT,
    AFTER_INSERT: capacity_kernel.AFTER_INSERT,
}
_MOST_QUEUES = 16
"""With more of them, asking every head would cost more than asking every item."""
_FEWEST_AGES = 32
"""How many ages more are asked about, at least, where a table of priorities has to grow."""


def can_play(policy: Policy) -> bool:
    """Tell whether the policy decides by score or age, in a memory with a capacity."""
    return isinstance(policy, TablePolicy | StatefulPolicy) and policy.competes()


def play(block: SessionBlock, policy: Policy, wanted: Wanted, reuse: bool = False) -> BlockOutcome:
    """Return what the sessions came to. Items of cohorts compete, so they are listed."""
    if not isinstance(policy, TablePolicy | StatefulPolicy):
        raise TypeError(f"{type(policy).__name__} is neither a table policy nor a stateful one")
    block = playable_block(block, wanted, list_cohorts=True)
    fates = Fates(block, lambda cohort, length: CohortFate(cohort, 0, length))  # never asked: no cohort is left
    machine = _by_table(policy, block) if isinstance(policy, TablePolicy) else _by_functions(policy)
    return outcome_of(_play(block, policy, wanted, machine), fates, wanted, reuse)


class _Priorities(NamedTuple):
    """Tables of a policy as the kernel reads them: ``horizon``, ``width`` and ``refreshes`` as in ``formulas``.

    ``priority`` at ``start`` (row and recall, flat) + age; ``known`` (row and recall) is the first age that is missing.
    """

    horizon: NDArray[np.int64]
    width: int
    refreshes: bool
    priority: NDArray[np.float64]
    start: NDArray[np.int64]
    known: NDArray[np.int64]


class _Tables:
    """The priorities of a table policy on a block, grown where the kernel misses one."""

    def __init__(self, policy: TablePolicy, block: SessionBlock) -> None:
        self.lookup: Lookup = lookup_for(policy, block)
        self.longest = max(block.lengths, default=0) + 1
        rows = dict.fromkeys(relevant(policy, one) for one in block.attributes)
        # The table of a policy of the program is the same whatever its capacity.
        asked = policy.without_capacity() if type(policy) in POLICIES else policy
        self.ages = [_ages(asked, item, recalls + 1) for item in rows for recalls in range(self.lookup.width)]
        self.refreshes = policy.rules().touch_refreshes

    def grow(self, entry: int, age: int) -> None:
        """Ask for more ages: of this recall count, and of higher ones, which are met soon."""
        last = min(2 * age + _FEWEST_AGES, max(self.longest, age))
        recalls = entry % self.lookup.width
        for more in range(min(recalls + 8, self.lookup.width - 1 - recalls) + 1):
            self.ages[entry + more].up_to(last)

    def as_they_are(self) -> _Priorities:
        """Return what is known."""
        tables = [one.known() for one in self.ages]
        known = np.array([len(one) for one in tables], dtype=np.int64)
        start = np.cumsum(known) - known
        horizon, width = self.lookup.horizon, self.lookup.width
        return _Priorities(horizon, width, self.refreshes, np.concatenate(tables), start, known)


@lru_cache(maxsize=4096)
def _ages(policy: TablePolicy, item: Attributes, recall_count: int) -> Growing:
    return Growing(lambda age: priority_of(policy, age, recall_count, item), np.float64)


@dataclasses.dataclass(frozen=True)
class _Machine:
    """A kernel and what it is called with; ``tables`` is None where a policy has functions of its own."""

    play: Function
    parameters: Any
    threshold: float
    state_types: tuple[Any, ...]
    tables: _Tables | None = None


def _by_functions(policy: StatefulPolicy) -> _Machine:
    made = compiled(type(policy))
    return _Machine(made.capacity, policy.constants(), policy.threshold(), made.state_types)


def _by_table(policy: TablePolicy, block: SessionBlock) -> _Machine:
    tables = _Tables(policy, block)
    return _Machine(_table_player(), tables.as_they_are(), 0.5, (np.int64, np.int64), tables)


@cache
def _table_player() -> Function:
    functions: dict[str, Function] = {
        "on_register": formulas.table_register,
        "on_recall": formulas.table_recall,
        "on_refresh": formulas.table_refresh,
        "passes": formulas.table_passes,
        "facts_of": formulas.row_of,
        "ranking": capacity_kernel.ranking_by_table,
    }
    return capacity_player(functions, (np.int64, np.int64), kept_template("capacity_table"))


def _num_queues(block: SessionBlock, policy: TablePolicy | StatefulPolicy, tables: _Tables | None) -> int:
    """Return how many queues the kernel keeps: one for each row of facts, or none.

    Items that were never recalled rank by their registration where all of a row begin in the same state and no score
    rises. Tables are asked; functions are, if they are the program's, held to what they say by the tests.
    """
    if tables is not None:
        rows = len(tables.ages) // tables.lookup.width
        falls = all((np.diff(one.known()) <= 0).all() for one in tables.ages[:: tables.lookup.width])
        return rows if falls and rows <= _MOST_QUEUES else 0
    known = type(policy) in POLICIES and "never_rises_with_age" not in policy.breaks()
    alike = isinstance(policy, StatefulPolicy) and policy.turn_invariant and functions_of(type(policy)).priority is None
    rows = len(block.attributes) if block.item_attributes is not None else 1
    return rows if known and alike and block.touch_grade is None and rows <= _MOST_QUEUES else 0


def _play(block: SessionBlock, policy: TablePolicy | StatefulPolicy, wanted: Wanted, machine: _Machine) -> Written:
    written = room_for(block, wanted, has_stability=True)
    num_items, tables = len(block.item_kind), machine.tables
    facts = block_arguments(block)
    fact_row = facts["item_row"] if tables is None else tables.lookup.item_row
    missing = np.empty(2, dtype=np.int64)
    parameters, session = machine.parameters, 0
    while session < block.num_sessions:
        with ordinary_arithmetic():
            session = machine.play(
                block.session_length,
                block.item_start,
                block.touch_start,
                block.touch_turn,
                touch_clock(block, policy.rules().unit_turns),
                block.touch_kind,
                NO_GRADES if block.touch_grade is None else block.touch_grade,
                *block.by_turn,
                fact_row,
                *facts.values(),
                facts["item_tokens"] if policy.counts_tokens() else NO_COUNTS,
                policy.limit(),
                _MOMENTS[policy.evict_at],
                parameters,
                machine.threshold,
                kernel_rules(policy),
                wanted.relearn,
                tuple(scratch(f"state_{place}", num_items, kind) for place, kind in enumerate(machine.state_types)),
                scratch("capacity_slots", held.NUM_SLOTS * num_items, np.int64),
                scratch("capacity_held", int(np.diff(block.item_start).max(initial=0)), np.int32),
                scratch("capacity_counts", held.NUM_COUNTS, np.int64),
                scratch("capacity_queues", held.QUEUE_WIDTH * _num_queues(block, policy, tables), np.int64),
                missing,
                written.fields,
                written.stability,
                written.sums,
                *written.interval_arrays(),
                session,
            )
        if tables is not None and missing[0] != held.NOBODY:
            tables.grow(*missing.tolist())
            parameters = tables.as_they_are()
    if tables is not None:
        counts = rows_of(written.fields, NUM_ITEM_FIELDS, num_items)[RECALL_COUNT]
        written.stability = tables.lookup.stabilities(counts) if wanted.items else None
    elif functions_of(type(policy)).stability is None:
        written.stability = None
    return written
