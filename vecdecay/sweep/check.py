"""Recomputes a sample of sessions with the scalar reference and compares every integer with the kernel's."""

import dataclasses
import random
from collections.abc import Iterator

import numpy as np

from vecdecay.engines.outcome import BlockOutcome
from vecdecay.engines.play import chosen_engine, play_block
from vecdecay.errors import InvalidInputError, VecdecayError
from vecdecay.sessions.block import SessionBlock, block_of
from vecdecay.sessions.workload import Workload
from vecdecay.sweep.plan import Cell, Plan

SESSIONS_TO_CHECK = 100
_ITEM_TURNS_TO_CHECK = 20_000_000  # what the scalar engine plays in some ten seconds
_MOST_ITEM_TURNS = 5 * _ITEM_TURNS_TO_CHECK  # of a single session; a longer one is not checked at all


class MismatchError(VecdecayError):
    """A kernel and the scalar reference disagree: nothing that this program printed can be trusted."""


def check_sample(plan: Plan, num_sessions: int = SESSIONS_TO_CHECK) -> int:
    """Compare the kernels with the scalar reference on some sessions of the sweep; return how many were compared.

    The sample is spread over cells and seeds and is the same in every run. It is cut short for long sessions. Cells
    that cannot be played at all are passed over: the run will say why.

    Raises:
        MismatchError: names the cell, the seed and the first quantity that differs.
    """
    checked = 0
    spent = 0
    for number, position in _sample(plan, num_sessions):
        try:
            cell = plan.cell(number)
        except InvalidInputError:
            continue
        if chosen_engine(plan.spec.engine, cell.policy) == "reference":
            continue
        sizes = cell.workload.sizes()
        spent += sizes.turns * min(sizes.items, 1000)
        if spent > (_ITEM_TURNS_TO_CHECK if checked > 0 else _MOST_ITEM_TURNS):
            break
        checked += compare_with_scalar(plan, cell, position)
    return checked


def _sample(plan: Plan, num_sessions: int) -> Iterator[tuple[int, int]]:
    """Yield cells and places in the list of seeds: one from each stretch of equal length, all where there are few."""
    num_seeds = len(plan.spec.seeds)
    total = plan.num_cells * num_seeds
    wanted = min(num_sessions, total)
    stream = random.Random(plan.digest())  # a fixed step would meet the same seed again and again
    for number in range(wanted):
        place = stream.randrange(number * total // wanted, (number + 1) * total // wanted)
        yield divmod(place, num_seeds)


def compare_with_scalar(plan: Plan, cell: Cell, position: int) -> bool:
    """Play one session, by its place in the list of seeds, with the kernel and the scalar engine.

    Returns whether the kernel could play it.

    Raises:
        MismatchError: the two differ.
    """
    spec = plan.spec
    seeds = spec.seeds[position : position + 1]
    try:
        block = cell.workload.block(seeds)
        fast = play_block(block, cell.policy, spec.engine, spec.checkpoints, want_items=True)
    except Exception:
        return False
    slow = play_block(scalar_block(cell.workload, int(seeds[0])), cell.policy, "reference", spec.checkpoints, True)
    wrong = first_difference(fast, slow)
    if wrong is not None:
        raise MismatchError(
            f"cell {cell.number} ({cell.label}), seed {seeds[0]}: {wrong}; "
            "the kernel and the scalar engine disagree, please report this"
        )
    return True


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
        if isinstance(left, np.ndarray) != isinstance(right, np.ndarray):
            if name not in ("items", "turns"):  # these are kept where they were asked for
                return f"{name} is there in one of them only"
        elif isinstance(left, np.ndarray) and not np.array_equal(left, right):
            return f"{name} is {left.tolist()} against {right.tolist()}"
    return None
