"""Recomputes a sample of sessions with the scalar reference and compares every integer with the kernels'.

The sample is bounded, whatever a session holds: in memory by what a session may hold, in time by the steps that the
scalar engine takes, which the kernels' outcome tells before. No clock is asked, so that all runs compare the same.
"""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vecdecay.engines.kernels.published_kernel import GROUP
from vecdecay.engines.outcome import BlockOutcome, first_difference
from vecdecay.engines.registry import engine_of, play_block, stream, stream_counted
from vecdecay.errors import InvalidInputError, VecdecayError
from vecdecay.policies.base import Policy
from vecdecay.policies.stateful import HazardPolicy, HistoryPolicy
from vecdecay.run import blocks
from vecdecay.run.blocks import streams
from vecdecay.run.plan import Cell, Plan
from vecdecay.run.play import joined_outcomes
from vecdecay.sessions.block import SessionBlock
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.source import Source

SESSIONS_TO_CHECK = 100
STEPS_TO_CHECK = 3_000_000
"""Steps of the scalar engine: some ten seconds."""

MOST_OBJECTS = 100_000
"""Items, events and turns of a session that is checked: as Python objects they take less than 100 MB."""

_STEPS_PER_DRAW = 6  # where chance decides, a draw per item and turn takes as long as so many other steps
_MOST_SIDE_BY_SIDE = 4  # policies that a session is streamed under together, where one of them is compared


class MismatchError(VecdecayError):
    """A kernel and the scalar reference disagree: nothing that this program printed can be trusted."""


def check_sample(plan: Plan, num_sessions: int = SESSIONS_TO_CHECK) -> int:
    """Compare the kernels with the scalar reference on some sessions of the sweep; return how many were compared.

    The sample is spread over cells and seeds and is the same in every run. Sessions that would take too long are left
    out. Cells that cannot be played at all are passed over: the run will say why.

    Raises:
        MismatchError: names the cell, the seed and the first quantity that differs.
    """
    sample = sampled_sessions(plan, num_sessions)
    return sum(compare_with_scalar(plan, *sample[place]) for place in affordable(plan, sample))


def sampled_sessions(plan: Plan, num_sessions: int = SESSIONS_TO_CHECK) -> list[tuple[Cell, int]]:
    """Return cells and places in the list of seeds, whatever they cost, in their order; nothing is generated."""
    found = []
    for number, position in _sample(plan, num_sessions):
        try:
            cell = plan.cell(number)
        except InvalidInputError:
            continue
        if engine_of(plan.spec.engine, cell.policy, cell.workload) != "reference":
            found.append((cell, position))
    return found


def affordable(plan: Plan, sample: Sequence[tuple[Cell, int]]) -> list[int]:
    """Return the places of those of a sample that are checked, in its order.

    Where not all can be, those that can are spread over the sample, and over its policies first.
    """
    places = list(range(len(sample)))
    random.Random(len(sample)).shuffle(places)
    met: Counter[int] = Counter()
    turns_of = []
    for place in places:
        policy = sample[place][0].policy_index
        turns_of.append((met[policy], place))
        met[policy] += 1
    taken, spent = [], 0
    for _, place in sorted(turns_of, key=lambda entry: entry[0]):
        steps = scalar_steps(plan, *sample[place])
        if steps is not None and spent + steps <= STEPS_TO_CHECK:
            spent += steps
            taken.append(place)
    return sorted(taken)


def scalar_steps(plan: Plan, cell: Cell, position: int) -> int | None:
    """Return how many steps the scalar engine takes for a session, None where no kernel can play it.

    Of a session that has more objects than are checked it is more than all that is spent.
    """
    sizes = cell.workload.sizes()
    if sizes.items + sizes.touches + sizes.turns > MOST_OBJECTS:
        return STEPS_TO_CHECK + 1
    try:
        block = cell.workload.block(plan.spec.seeds[position : position + 1])
        outcome = play_block(block, cell.policy, plan.spec.engine, relearn=cell.workload.relearns)
    except Exception:
        return None
    touches = int(outcome.registrations[0] + outcome.recalls[0])
    item_turns = int(outcome.working_set_sum[0])
    if isinstance(cell.policy, HistoryPolicy):
        item_turns *= 1 + touches // max(1, sizes.items)  # a score is a sum over all touches before
    elif isinstance(cell.policy, HazardPolicy):
        item_turns *= _STEPS_PER_DRAW
    return sizes.items + touches + sizes.turns + item_turns


def why_unchecked(plan: Plan) -> str | None:
    """Return in words why no session of a sweep was checked; None where there is nothing to compare."""
    sample = sampled_sessions(plan)
    if not sample:
        return None
    if all(scalar_steps(plan, *one) is None for one in sample):
        return "no session checked against the scalar engine: none of the sample could be played"
    return (
        "no session checked against the scalar engine: each is too large for it to play in some ten seconds; "
        "vecdecay verify --sample 1 does it"
    )


def _sample(plan: Plan, num_sessions: int) -> Iterator[tuple[int, int]]:
    """Yield cells and places in the list of seeds: one from each stretch of equal length, all where there are few."""
    num_seeds = len(plan.spec.seeds)
    total = plan.num_cells * num_seeds
    wanted = min(num_sessions, total)
    stream_of_places = random.Random(plan.spec.digest)  # a fixed step would meet the same seed again and again
    for number in range(wanted):
        place = stream_of_places.randrange(number * total // wanted, (number + 1) * total // wanted)
        yield divmod(place, num_seeds)


def compare_with_scalar(plan: Plan, cell: Cell, position: int) -> bool:
    """Play one session, by its place in the list of seeds, in every way that a run may, and with the scalar engine.

    Returns whether the kernel could play it.

    Raises:
        MismatchError: the two differ.
    """
    spec = plan.spec
    seeds = spec.seeds[position : position + 1]
    want_turns = spec.detail == "turns"
    rest: dict[str, Any] = {
        "relearn": cell.workload.relearns,
        "want_misses": spec.detail == "misses",
        "want_relations": plan.layout.has_relations,
        "asked": spec.asked,
    }
    try:
        block = cell.workload.block(seeds)
        fast = play_block(block, cell.policy, spec.engine, spec.checkpoints, True, want_turns, **rest)
        as_run = play_block(
            block,
            cell.policy,
            spec.engine,
            spec.checkpoints,
            spec.detail == "items",
            want_turns,
            reuse=True,
            **rest,
        )
    except Exception:
        return False
    scalar = scalar_block(cell.workload, int(seeds[0]))
    slow = play_block(scalar, cell.policy, "reference", spec.checkpoints, True, want_turns, **rest)
    wrong = (
        first_difference(fast, slow)
        or first_difference(as_run, slow, shared_only=True)
        or _streaming_fault(plan, cell, position, slow)
    )
    if wrong:
        raise MismatchError(
            f"cell {cell.number} ({cell.label}), seed {seeds[0]}: {wrong}; "
            "the kernel and the scalar engine disagree, please report this"
        )
    return True


def _streaming_fault(plan: Plan, cell: Cell, position: int, slow: BlockOutcome) -> str | None:
    """Return in words how what is played while it is generated differs, where the run plays the cell in that way.

    The session is streamed in the company in which the run streams it: its group of seeds, other policies before it.
    """
    spec = plan.spec
    policies = _policies_of_point(plan, cell)
    if not streams(spec, cell.workload, policies):
        return None
    place = policies.index(cell.policy)
    policies = policies[max(0, place + 1 - _MOST_SIDE_BY_SIDE) : place + 1]
    first = position // GROUP * GROUP
    group = spec.seeds[first : first + GROUP]
    try:
        streamed = list(stream(cell.workload, group, policies))[-1]
        counted = [one for place, one in stream_counted(cell.workload, group, policies) if place == len(policies) - 1]
    except Exception:
        return None  # the run then plays block by block
    wrong = first_difference(_rows(streamed, np.array([position - first])), slow, shared_only=True)
    if wrong:
        return f"streamed, {wrong}"
    if spec.detail != "cells" or len(spec.seeds) <= blocks.BLOCK_MULTIPLE:
        return None
    for names in dict.fromkeys(one.names for one in counted):
        found = [_rows(one.outcome, np.repeat(np.arange(len(one.times)), one.times)) for one in counted]
        found = [outcome for outcome, one in zip(found, counted, strict=True) if one.names == names]
        wrong = first_difference(_in_order(joined_outcomes(found), names), _in_order(streamed, names))
        if wrong:
            return f"counted with the {len(group)} sessions around it, {wrong}"
    return None


def _policies_of_point(plan: Plan, cell: Cell) -> list[Policy]:
    """Return the policies that a run plays on the same sessions; the cell's own alone where others cannot be made."""
    first = cell.point * plan.num_policies
    try:
        cells = [plan.cell(number) for number in range(first, first + plan.num_policies)]
    except InvalidInputError:
        return [cell.policy]
    return list(dict.fromkeys(one.policy for one in cells))


def _rows(outcome: BlockOutcome, places: NDArray[np.int64]) -> BlockOutcome:
    """Return the sessions at some places of an outcome that holds totals alone."""
    fields: dict[str, Any] = {name: values[..., places] for name, values in _arrays(outcome)}
    return BlockOutcome(**fields)


def _in_order(outcome: BlockOutcome, names: Sequence[str]) -> BlockOutcome:
    """Return the same sessions with some of their totals, 0 for all others, in an order that these alone decide."""
    kept: dict[str, Any] = {
        name: values if name in names else np.zeros_like(values) for name, values in _arrays(outcome)
    }
    return _rows(BlockOutcome(**kept), np.lexsort([values for values in kept.values() if values.ndim == 1]))


def _arrays(outcome: BlockOutcome) -> list[tuple[str, NDArray[Any]]]:
    return [(name, values) for name, values in outcome.columns().items() if values is not None]


def scalar_block(workload: Source, seed: int) -> SessionBlock:
    """Return a block of one session from the workload's plain definition, not from its fast generator."""
    return block_of([workload.session(seed)])
