"""Compares what several engines made of the same block, field by field, with ``==``, and names the first difference."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from vecdecay.engines.kernels.item_kernel import play_table
from vecdecay.engines.outcome import BlockOutcome, first_difference
from vecdecay.engines.registry import REGISTRY, play_block
from vecdecay.policies.base import Policy
from vecdecay.sessions.block import SessionBlock
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.session import Session

COMPILED = hasattr(play_table, "py_func")
"""Whether kernels are compiled here; where NUMBA_DISABLE_JIT is set they run as plain Python, so tests draw less."""


def engines_for(policy: Policy) -> tuple[str, ...]:
    """Return every engine that can play a policy, the reference first."""
    return ("reference", *(one.name for one in REGISTRY.values() if one.is_compiled and one.can_play(policy)))


def expect_same(outcomes: Mapping[str, BlockOutcome]) -> None:
    """Fail with the first difference between the first outcome and any other."""
    (first_name, first), *others = outcomes.items()
    for name, other in others:
        found = first_difference(first, other)
        assert not found, f"{first_name} and {name} differ at {found}"


def play_everywhere(
    block: SessionBlock | Sequence[Session],
    policy: Policy,
    checkpoints: Sequence[int] = (),
    engines: Sequence[str] = (),
) -> BlockOutcome:
    """Play a block with every engine that can, or with these, every item, turn and miss included.

    Fail if any two differ, and return the outcome, misses and what is asked for excepted.
    """
    engines = engines or engines_for(policy)
    if not isinstance(block, SessionBlock):
        block = block_of(block)
    outcomes = {
        engine: play_block(block, policy, engine, checkpoints, True, True, want_misses=True, asked=("dead_weight",))
        for engine in engines
    }
    expect_same(outcomes)
    return replace(outcomes[engines[0]], missed=None, recalled_tokens=None, missed_tokens=None, used_item_turns=None)
