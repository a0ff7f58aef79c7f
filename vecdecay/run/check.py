"""Recomputes a sample of sessions with the scalar reference and compares every integer with the kernels'.

The sample is bounded to some ten seconds and to the memory of a block, by what its sessions cost as scalar_cost has it.
"""

import dataclasses
import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vecdecay.engines.kernels.published_kernel import GROUP
from vecdecay.engines.memory import BYTES_PER_BLOCK
from vecdecay.engines.outcome import BlockOutcome, first_difference
from vecdecay.engines.registry import chosen_engine, play_block, stream, stream_counted
from vecdecay.errors import InvalidInputError, VecdecayError
from vecdecay.policies.base import Policy
from vecdecay.run import blocks
from vecdecay.run.blocks import streams
from vecdecay.run.plan import Cell, Plan
from vecdecay.run.play import joined_outcomes
from vecdecay.run.scalar_cost import ScalarCost, scalar_cost, table_seconds
from vecdecay.sessions.block import SessionBlock
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.mersenne import Seeds
from vecdecay.sessions.source import Source

SESSIONS_TO_CHECK = 100
_SECONDS_TO_CHECK = 10.0
_BYTES_TO_CHECK = BYTES_PER_BLOCK
_MOST_SIDE_BY_SIDE = 4  # policies that a session is streamed under together, where one of them is compared
_MOST_VALUES_SHOWN = 8


class MismatchError(VecdecayError):
    """A kernel and the scalar reference disagree: nothing that this program printed can be trusted."""


@dataclasses.dataclass(frozen=True)
class Candidate:
    """A session that might be checked: its cell, its place in the list of seeds, and what that takes.

    ``table_seconds`` come once for all sessions of a policy on a workload: the tables that the kernel looks up.
    """

    cell: Cell
    position: int
    cost: ScalarCost
    table_seconds: float


def check_sample(plan: Plan, num_sessions: int = SESSIONS_TO_CHECK) -> int:
    """Compare the kernels with the scalar reference on some sessions of the sweep; return how many were compared.

    The sample is spread over cells and seeds and is the same in every run. Sessions that take too long are left out.
    Cells that cannot be played at all are passed over: the run will say why.

    Raises:
        MismatchError: names the cell, the seed and the first quantity that differs.
    """
    return sum(compare_with_scalar(plan, one.cell, one.position) for one in affordable(candidates(plan, num_sessions)))


def candidates(plan: Plan, num_sessions: int = SESSIONS_TO_CHECK) -> list[Candidate]:
    """Return the sessions of the sample, whatever they cost, in the order of cells and seeds; nothing is generated."""
    found = []
    for number, position in _sample(plan, num_sessions):
        try:
            cell = plan.cell(number)
        except InvalidInputError:
            continue
        if chosen_engine(plan.spec.engine, cell.policy) == "reference":
            continue
        cost = scalar_cost(cell.workload, cell.policy, int(plan.spec.seeds[position]))
        found.append(Candidate(cell, position, cost, table_seconds(cell.workload, cell.policy)))
    return found


def affordable(sample: Sequence[Candidate]) -> list[Candidate]:
    """Return those of a sample that are checked, in its order.

    Where not all can be, those that can are spread over the sample, and over its policies first.
    """
    places = list(range(len(sample)))
    random.Random(len(sample)).shuffle(places)
    met: Counter[int] = Counter()
    turns_of = []
    for place in places:
        policy = sample[place].cell.policy_index
        turns_of.append((met[policy], place))
        met[policy] += 1
    taken, spent = [], 0.0
    with_tables: set[tuple[Policy, Source]] = set()
    for _, place in sorted(turns_of, key=lambda entry: entry[0]):
        one = sample[place]
        tables_of = one.cell.policy, one.cell.workload
        seconds = one.cost.seconds + (0.0 if tables_of in with_tables else one.table_seconds)
        if one.cost.memory_bytes <= _BYTES_TO_CHECK and spent + seconds <= _SECONDS_TO_CHECK:
            spent += seconds
            taken.append(place)
            with_tables.add(tables_of)
    return [sample[place] for place in sorted(taken)]


def why_unchecked(plan: Plan) -> str | None:
    """Return in words why no session of a sweep was checked; None where there is nothing to compare."""
    sample = candidates(plan)
    if affordable(sample):
        return "no session checked against the scalar engine: none of the sample could be played"
    if not sample:
        return None
    least = min(sample, key=lambda one: one.cost.seconds + one.table_seconds)
    seconds = math.ceil(least.cost.seconds + least.table_seconds)
    needed = f"about {seconds:,} s and {math.ceil(least.cost.memory_bytes / 1e6):,} MB"
    return f"no session checked against the scalar engine: one would take {needed}; vecdecay verify --sample 1 does it"


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
    try:
        block = cell.workload.block(seeds)
        relearn = cell.workload.relearns
        fast = play_block(block, cell.policy, spec.engine, spec.checkpoints, True, want_turns, relearn=relearn)
        as_run = play_block(
            block,
            cell.policy,
            spec.engine,
            spec.checkpoints,
            spec.detail == "items",
            want_turns,
            reuse=True,
            relearn=relearn,
        )
    except Exception:
        return False
    scalar = scalar_block(cell.workload, int(seeds[0]))
    slow = play_block(scalar, cell.policy, "reference", spec.checkpoints, True, want_turns, relearn=relearn)
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
        counted = _counted(cell.workload, group, policies)
    except Exception:
        return None  # the run then plays block by block
    wrong = first_difference(_rows(streamed, np.array([position - first])), slow, shared_only=True)
    if wrong:
        return f"streamed, {wrong}"
    if spec.detail != "cells" or len(spec.seeds) <= blocks.BLOCK_MULTIPLE:
        return None
    wrong = first_difference(_in_order(counted), _in_order(streamed))
    return f"counted with the {len(group)} sessions around it, {wrong}" if wrong else None


def _policies_of_point(plan: Plan, cell: Cell) -> list[Policy]:
    """Return the policies that a run plays on the same sessions; the cell's own alone where others cannot be made."""
    first = cell.point * plan.num_policies
    try:
        cells = [plan.cell(number) for number in range(first, first + plan.num_policies)]
    except InvalidInputError:
        return [cell.policy]
    return list(dict.fromkeys(one.policy for one in cells))


def _counted(workload: Source, seeds: Seeds, policies: Sequence[Policy]) -> BlockOutcome:
    """Return the counted outcomes of the last of the policies, each as often as it occurred."""
    counted = [found for place, found in stream_counted(workload, seeds, policies) if place == len(policies) - 1]
    return joined_outcomes([_rows(outcome, np.repeat(np.arange(len(times)), times)) for outcome, times in counted])


def _rows(outcome: BlockOutcome, places: NDArray[np.int64]) -> BlockOutcome:
    """Return the sessions at some places of an outcome that holds totals alone."""
    fields: dict[str, Any] = {name: values[..., places] for name, values in _arrays(outcome)}
    return BlockOutcome(**fields)


def _in_order(outcome: BlockOutcome) -> BlockOutcome:
    """Return the same sessions in an order that depends on their totals alone."""
    return _rows(outcome, np.lexsort([values for _, values in _arrays(outcome) if values.ndim == 1]))


def _arrays(outcome: BlockOutcome) -> list[tuple[str, NDArray[Any]]]:
    return [(name, values) for name, values in outcome.columns().items() if values is not None]


def scalar_block(workload: Source, seed: int) -> SessionBlock:
    """Return a block of one session from the workload's plain definition, not from its fast generator."""
    return block_of([workload.session(seed)])
