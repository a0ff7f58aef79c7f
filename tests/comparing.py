"""Compares what several engines made of the same block, field by field, with ``==``, and names the first difference."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from vecdecay.engines.kernels.item_kernel import play_horizon
from vecdecay.engines.outcome import BlockOutcome
from vecdecay.engines.play import play_block
from vecdecay.policies.base import Policy
from vecdecay.sessions.block import SessionBlock
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.session import Session

COMPILED = hasattr(play_horizon, "py_func")
"""Whether kernels are compiled here; where NUMBA_DISABLE_JIT is set they run as plain Python, so tests draw less."""

ENGINES = ("reference", "horizon", "lockstep")


def first_difference(left: Any, right: Any, where: str = "outcome") -> str | None:
    """Return where two outcomes differ first and how, None if they are the same to the bit and in type and shape."""
    if left is None or right is None:
        return None if left is right else f"{where}: {_brief(left)} and {_brief(right)}"
    if isinstance(left, np.ndarray):
        return _array_difference(left, right, where)
    for field in fields(left):
        found = first_difference(getattr(left, field.name), getattr(right, field.name), f"{where}.{field.name}")
        if found:
            return found
    return None


def _array_difference(left: np.ndarray, right: np.ndarray, where: str) -> str | None:
    if left.dtype != right.dtype or left.shape != right.shape:
        return f"{where}: {left.dtype} {left.shape} and {right.dtype} {right.shape}"
    same = left == right  # a NaN differs from itself, and no engine may return one
    if same.all():
        return None
    different = np.argwhere(~same)
    place = tuple(different[0].tolist())
    return f"{where}{list(place)}: {left[place]!r} and {right[place]!r} ({len(different)} of {left.size} differ)"


def _brief(value: Any) -> str:
    return "None" if value is None else type(value).__name__


def expect_same(outcomes: Mapping[str, BlockOutcome]) -> None:
    """Fail with the first difference between the first outcome and any other."""
    (first_name, first), *others = outcomes.items()
    for name, other in others:
        found = first_difference(first, other)
        assert found is None, f"{first_name} and {name} differ at {found}"


def play_everywhere(
    block: SessionBlock | Sequence[Session],
    policy: Policy,
    checkpoints: Sequence[int] = (),
    engines: Sequence[str] = ENGINES,
) -> BlockOutcome:
    """Play a block with every engine, every item and turn included; fail if any two differ, and return the outcome."""
    if not isinstance(block, SessionBlock):
        block = block_of(block)
    outcomes = {
        engine: play_block(block, policy, engine, checkpoints, want_items=True, want_turns=True) for engine in engines
    }
    expect_same(outcomes)
    return outcomes[engines[0]]
