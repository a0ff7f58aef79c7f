"""Plays a block of sessions under one policy with the engine that is asked for."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from vecdecay.engines import by_horizon, by_lockstep, by_reference, by_stateful, by_streaming
from vecdecay.engines.by_streaming import Counted
from vecdecay.engines.outcome import BlockOutcome
from vecdecay.engines.stateful_check import check_stateful
from vecdecay.engines.table_check import check_table
from vecdecay.errors import InvalidInputError
from vecdecay.policies.base import Policy
from vecdecay.sessions.block import SessionBlock
from vecdecay.sessions.mersenne import Seeds
from vecdecay.sessions.workload import Workload

ENGINES = ("auto", "horizon", "lockstep", "reference")

Player = Callable[[SessionBlock, Policy, NDArray[np.int64], bool, bool], BlockOutcome]

_PLAYERS: dict[str, Player] = {
    "horizon": by_horizon.play,
    "lockstep": by_lockstep.play,
    "stateful": by_stateful.play,
    "reference": by_reference.play,
}


def chosen_engine(engine: str, policy: Policy) -> str:
    """Return the engine that plays the policy: the one asked for, or the table kernel where the policy is a table.

    Raises:
        InvalidInputError: the table kernel is asked for, and the policy is not a table.
    """
    if engine == "horizon" and not by_horizon.can_play(policy):
        raise InvalidInputError(
            [f"engine is 'horizon', but {policy.name} has no table of horizons; allowed: auto, lockstep, reference"]
        )
    if engine != "auto":
        return engine
    return "horizon" if by_horizon.can_play(policy) else "lockstep"


def play_block(
    block: SessionBlock,
    policy: Policy,
    engine: str = "auto",
    checkpoints: Sequence[int] = (),
    want_items: bool = False,
    want_turns: bool = False,
    reuse: bool = False,
) -> BlockOutcome:
    """Return what the sessions of the block came to; all engines return the same, to the bit.

    With ``reuse``, the outcome's items are good until this thread plays its next block; that is quicker.
    """
    chosen = chosen_engine(engine, policy)
    check_table(policy, block)
    check_stateful(policy, block, compile_too=chosen != "reference")
    if chosen == "lockstep" and not by_stateful.can_play(policy):
        turns = np.array(checkpoints, dtype=np.int64)
        return by_lockstep.play(block, policy, turns, want_items, want_turns, reuse)
    player = _PLAYERS["stateful" if chosen == "lockstep" and by_stateful.can_play(policy) else chosen]
    return player(block, policy, np.array(checkpoints, dtype=np.int64), want_items, want_turns)


def can_stream(workload: Workload, policies: Sequence[Policy], engine: str, detail: str, checkpoints: object) -> bool:
    """Tell whether sessions can be played while they are generated: only totals are asked for, and all is a table."""
    asked = engine in ("auto", "horizon") and detail in ("cells", "sessions") and not checkpoints
    return asked and by_streaming.can_play(workload, policies)


def stream(workload: Workload, seeds: Seeds, policies: Sequence[Policy]) -> Iterator[BlockOutcome]:
    """Yield what the sessions came to under each policy, the same as ``play_block`` returns for each."""
    return by_streaming.play(workload, seeds, policies)


def stream_counted(workload: Workload, seeds: Seeds, policies: Sequence[Policy]) -> Iterator[tuple[int, Counted]]:
    """Yield the place of a policy, the different outcomes that its sessions came to, and how often each occurred."""
    return by_streaming.count(workload, seeds, policies)
