"""Plays a block turn by turn with the lockstep kernel, which plays every policy.

The published two are played by their formulas, other table policies by their table, stateful ones by their functions.
"""

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vecdecay.compile import ordinary_arithmetic
from vecdecay.engines.by_stateful import NOTHING_WANTED, block_arguments, kernel_rules, touch_clock
from vecdecay.engines.cohorts import CohortFate, Fates
from vecdecay.engines.kernels import clock_kernel, formulas
from vecdecay.engines.kernels.fields import NUM_ITEM_FIELDS, RECALL_COUNT
from vecdecay.engines.kernels.lockstep_kernel import NUM_SLOTS, TILE
from vecdecay.engines.lookup import Lookup, lookup_for
from vecdecay.engines.outcome import BlockOutcome, Wanted
from vecdecay.engines.scratch import fresh, scratch
from vecdecay.engines.stateful_compiler import compiled
from vecdecay.engines.sums import NO_GRADES, Written, outcome_of, playable_block, played_fate, room_for, rows_of
from vecdecay.engines.templates import Function, kept_template, lockstep_player
from vecdecay.engines.timing import Timing, has_clock, timing_of
from vecdecay.policies.base import Policy, TablePolicy
from vecdecay.policies.ebbinghaus import Ebbinghaus
from vecdecay.policies.recency_window import RecencyWindow
from vecdecay.policies.stateful import HazardPolicy, StatefulPolicy, functions_of
from vecdecay.sessions.block import Cohort, SessionBlock


class _Machine(NamedTuple):
    """A kernel, and what it is called with for a policy: parameters, threshold, types of a state's components.

    ``has_stability`` says whether the kernel itself knows the stability of an item.
    """

    play: Function
    parameters: Any
    threshold: float
    state_types: tuple[Any, ...]
    has_stability: bool


def play(block: SessionBlock, policy: Policy, wanted: Wanted, reuse: bool = False) -> BlockOutcome:
    """Return what the sessions came to.

    Where items are wanted, the (session × item) arrays of stability, last touch and turn of eviction are written out.
    """
    timed = has_clock(policy, block)
    block = playable_block(block, wanted, list_cohorts=timed or isinstance(policy, HazardPolicy))
    fates = Fates(block, lambda cohort, length: _fate(policy, cohort, length))
    timing = timing_of(policy, block) if timed else None
    outcome = outcome_of(_play(block, policy, wanted, timing), fates, wanted, reuse)
    if outcome.items is not None:
        outcome.items.write_out(scratch if reuse else fresh)
    return outcome


@lru_cache(maxsize=256)
def _fate(policy: Policy, cohort: Cohort, session_length: int) -> CohortFate:
    wanted = NOTHING_WANTED._replace(items=True)  # for the stabilities
    return played_fate(cohort, session_length, lambda block: _play(block, policy, wanted))


def _play(block: SessionBlock, policy: Policy, wanted: Wanted, timing: Timing | None = None) -> Written:
    policy = policy if timing is None else timing.policy
    lookup = _lookup(policy, block)
    machine = _machine(policy, lookup, timing)
    rules: tuple[Any, ...] = kernel_rules(policy)
    if timing is None:
        clock: NDArray[Any] = touch_clock(block, policy.rules().unit_turns)
    else:
        clock, rules = timing.touch_clock(block), _rules_on_clocks(rules, timing, lookup is not None)
    written = room_for(block, wanted, has_stability=True)
    num_items = len(block.item_kind)
    with ordinary_arithmetic():
        machine.play(
            block.session_length,
            block.item_start,
            block.touch_start,
            block.touch_turn,
            clock,
            block.touch_kind,
            NO_GRADES if block.touch_grade is None else block.touch_grade,
            *block.by_turn,
            *_arguments(block, lookup).values(),
            machine.parameters,
            machine.threshold,
            rules,
            wanted.relearn,
            tuple(scratch(f"state_{place}", num_items, kind) for place, kind in enumerate(machine.state_types)),
            scratch("lockstep_slots", NUM_SLOTS * num_items, np.int64),
            scratch("lockstep_lanes", 2 * TILE, np.int64),
            written.fields,
            written.stability,
            written.sums,
            *written.interval_arrays(),
        )
    if not machine.has_stability:
        counts = rows_of(written.fields, NUM_ITEM_FIELDS, num_items)[RECALL_COUNT]
        written.stability = lookup.stabilities(counts) if lookup is not None and wanted.items else None
    return written


def _rules_on_clocks(rules: tuple[Any, ...], timing: Timing, by_table: bool) -> tuple[Any, ...]:
    """Return the rules with the clocks of the block in the places of what counts turns; see ``clock_kernel``."""
    period, cooldown, grace, _, inclusive = rules
    due = (period, *timing.table_clocks()[1:])
    return (due if by_table else period, cooldown, grace, timing.clocks, inclusive)


def _lookup(policy: Policy, block: SessionBlock) -> Lookup | None:
    """Return the tables of a policy that has no functions of its own here."""
    if not isinstance(policy, TablePolicy) or type(policy) in (Ebbinghaus, RecencyWindow):
        return None
    return lookup_for(policy, block)


def _arguments(block: SessionBlock, lookup: Lookup | None) -> dict[str, NDArray[Any]]:
    """Return what the kernel reads of a block; by a table, an item's row is that of its horizons, pins included."""
    arguments = block_arguments(block)
    if lookup is not None:
        rows = len(lookup.horizon) // lookup.width
        arguments |= {"item_row": lookup.item_row, "pinned": np.zeros(rows, dtype=np.bool_)}
    return arguments


def _machine(policy: Policy, lookup: Lookup | None, timing: Timing | None) -> _Machine:
    if isinstance(policy, StatefulPolicy):
        made = compiled(type(policy))
        known = functions_of(type(policy)).stability is not None
        play = made.lockstep if timing is None else made.on_clock
        return _Machine(play, policy.constants(), policy.threshold(), made.state_types, known)
    if type(policy) is Ebbinghaus:
        values = (policy.baseline_stability, policy.reinforcement_gain, policy.max_stability)
        kernel_parameters = formulas.EbbinghausParameters(*values)
        return _Machine(
            _formula_player("ebbinghaus"), kernel_parameters, policy.eviction_threshold, _STATES["ebbinghaus"], True
        )
    if type(policy) is RecencyWindow:
        return _Machine(_formula_player("window"), (), float(policy.window_size), _STATES["window"], False)
    if lookup is None:
        raise TypeError(f"the lockstep kernel has no functions for {type(policy).__name__}")
    parameters = formulas.TableParameters(lookup.horizon, lookup.width, policy.rules().touch_refreshes)
    name = "table" if timing is None else "table_on_clock"
    return _Machine(_formula_player(name), parameters, 0.5, _STATES["table"], False)


_STATES: dict[str, tuple[Any, ...]] = {
    "ebbinghaus": (np.float64, np.int64, np.int64),
    "window": (np.int64,),
    "table": (np.int64, np.int64),
}

_FUNCTIONS: dict[str, dict[str, Callable[..., Any]]] = {
    "ebbinghaus": {
        "on_register": formulas.ebbinghaus_register,
        "on_recall": formulas.ebbinghaus_recall,
        "on_refresh": formulas.ebbinghaus_refresh,
        "stability": formulas.ebbinghaus_stability,
        "passes": formulas.ebbinghaus_passes,
    },
    "window": {
        "on_register": formulas.window_register,
        "on_recall": formulas.window_recall,
        "on_refresh": formulas.window_recall,
        "passes": formulas.window_passes,
    },
    "table": {
        "on_register": formulas.table_register,
        "on_recall": formulas.table_recall,
        "on_refresh": formulas.table_refresh,
        "passes": formulas.table_passes,
    },
}


_FUNCTIONS["table_on_clock"] = {
    **_FUNCTIONS["table"],
    "clock": clock_kernel.reading,
    "rules_of": clock_kernel.table_rules_on_clock,
    "passes": clock_kernel.clocked_table_passes,
}


@cache
def _formula_player(name: str) -> Function:
    functions = {**_FUNCTIONS[name], "facts_of": formulas.row_of}
    return lockstep_player(functions, _STATES[name.removesuffix("_on_clock")], kept_template(name))
