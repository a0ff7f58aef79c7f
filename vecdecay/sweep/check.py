"""Recomputes a sample of sessions with the scalar reference and compares every integer with the kernel's."""

import dataclasses
from collections.abc import Iterator

import numpy as np

from vecdecay.engines.outcome import BlockOutcome
from vecdecay.engines.play import chosen_engine, play_block
from vecdecay.errors import VecdecayError
from vecdecay.sessions.block import SessionBlock, block_of
from vecdecay.sessions.workload import Workload
from vecdecay.sweep.plan import Cell, Plan

SESSIONS_TO_CHECK = 200
_ITEM_TURNS_TO_CHECK = 20_000_000  # what the scalar engine plays in some ten seconds


class MismatchError(VecdecayError):
    """A kernel and the scalar reference disagree: nothing that this program printed can be trusted."""


def check_sample(plan: Plan, num_sessions: int = SESSIONS_TO_CHECK) -> int:
    """Compare the kernels with the scalar reference on some sessions of the sweep; return how many were compared.

    The sample is spread over cells and seeds and is the same in every run. It is cut short for long sessions.

    Raises:
        MismatchError: names the cell, the seed and the first quantity that differs.
    """
    checked = 0
    spent = 0
    for cell, position in _sample(plan, num_sessions):
        sizes = cell.workload.sizes()
        spent += sizes.turns * min(sizes.items, 1000)
        if checked > 0 and spent > _ITEM_TURNS_TO_CHECK:
            break
        if chosen_engine(plan.spec.engine, cell.policy) == "reference":
            continue
        _compare(plan, cell, position)
        checked += 1
    return checked


def _sample(plan: Plan, num_sessions: int) -> Iterator[tuple[Cell, int]]:
    """Yield cells and positions in the list of seeds, spread evenly, all of them where there are few."""
    num_seeds = len(plan.spec.seeds)
    total = plan.num_cells * num_seeds
    wanted = min(num_sessions, total)
    for number in range(wanted):
        place = number * total // wanted
        yield plan.cell(place // num_seeds), place % num_seeds


def _compare(plan: Plan, cell: Cell, position: int) -> None:
    spec = plan.spec
    seeds = spec.seeds[position : position + 1]
    block = cell.workload.block(seeds)
    fast = play_block(block, cell.policy, spec.engine, spec.checkpoints, want_items=True)
    slow = play_block(scalar_block(cell.workload, int(seeds[0])), cell.policy, "reference", spec.checkpoints, True)
    wrong = first_difference(fast, slow)
    if wrong is not None:
        raise MismatchError(
            f"cell {cell.number} ({cell.label}), seed {seeds[0]}: {wrong}; "
            "the kernel and the scalar engine disagree, please report this"
        )


def scalar_block(workload: Workload, seed: int) -> SessionBlock:
    """Return a block of one session from the workload's plain definition, not from its fast generator."""
    return block_of([workload.session(seed)])


def first_difference(one: BlockOutcome, other: BlockOutcome) -> str | None:
    """Return the first field, in words, in which two outcomes differ in a bit; None where they are equal."""
    pairs = [(field.name, getattr(one, field.name), getattr(other, field.name)) for field in dataclasses.fields(one)]
    if one.items is not None and other.items is not None:
        pairs += [
            (field.name, getattr(one.items, field.name), getattr(other.items, field.name))
            for field in dataclasses.fields(one.items)
        ]
    for name, left, right in pairs:
        if isinstance(left, np.ndarray) and isinstance(right, np.ndarray) and not np.array_equal(left, right):
            return f"{name} is {left.tolist()} against {right.tolist()}"
    return None
