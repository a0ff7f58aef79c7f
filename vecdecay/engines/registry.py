"""The engines: what each plays, how, and what memory it takes. Nothing else asks which engine suits a policy.

A new engine is one entry in REGISTRY. All engines return the same, to the bit; that is verified by the tests for every
policy on every workload, and in each run on a sample that the scalar reference plays too.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from vecdecay.engines import by_cache, by_capacity, by_horizon, by_lockstep, by_published, by_reference, by_stateful
from vecdecay.engines.asking import guarded
from vecdecay.engines.by_published import Counted
from vecdecay.engines.memory import block_bytes
from vecdecay.engines.outcome import BlockOutcome, Wanted
from vecdecay.engines.reacting import reacted
from vecdecay.engines.stateful_check import check_stateful
from vecdecay.engines.table_check import check_table
from vecdecay.engines.timing import has_clock
from vecdecay.errors import InvalidInputError
from vecdecay.policies.base import Policy, TablePolicy
from vecdecay.policies.stateful import HistoryPolicy, StatefulPolicy
from vecdecay.policies.system import SystemPolicy
from vecdecay.sessions.block import SessionBlock
from vecdecay.sessions.mersenne import Seeds
from vecdecay.sessions.source import Source

__all__ = ["AUTO", "ENGINES", "REGISTRY", "Engine", "block_bytes", "can_stream", "chosen_engine", "engine_of"]
__all__ += ["play_block", "stream", "stream_counted"]


@dataclass(frozen=True)
class Engine:
    """One way of playing a block.

    ``can_play`` tells whether it plays a policy, ``play`` plays a block, ``is_compiled`` tells whether a policy's own
    functions must compile, ``per_item`` whether it keeps arrays for every listed item. ``work_per_second`` is about how
    many touches and items one processor plays under the policies that take longest. It decides only where sweeps are
    cut into parts, so that each takes about a second.
    """

    name: str
    summary: str
    can_play: Callable[[Policy], bool]
    play: Callable[[SessionBlock, Policy, Wanted, bool], BlockOutcome]
    work_per_second: int
    is_compiled: bool = True
    per_item: bool = False


def _one_by_one(policy: Policy) -> bool:
    """Tell whether the policy decides item by item."""
    return by_horizon.can_play(policy) or by_stateful.can_play(policy)


def _any_policy(policy: Policy) -> bool:
    return isinstance(policy, TablePolicy | StatefulPolicy | SystemPolicy) or by_cache.can_play(policy)


REGISTRY: dict[str, Engine] = {
    one.name: one
    for one in (
        Engine(
            "horizon",
            "item by item, table policies by a table of how long an item outlives its last touch",
            by_horizon.can_play,
            by_horizon.play,
            40_000_000,
        ),
        Engine(
            "stateful",
            "item by item, stateful policies by their own compiled functions",
            by_stateful.can_play,
            by_stateful.play,
            15_000_000,
        ),
        Engine(
            "lockstep",
            "turn by turn over (session × item) arrays, every policy by its own formula",
            _one_by_one,
            by_lockstep.play,
            50_000_000,
            per_item=True,
        ),
        Engine(
            "cache",
            "event by event, cache policies by their queues and heaps",
            by_cache.can_play,
            by_cache.play,
            10_000_000,
            per_item=True,
        ),
        Engine(
            "capacity",
            "event by event over what is held, policies with a capacity by what each item is worth",
            by_capacity.can_play,
            by_capacity.play,
            1_500_000,
            per_item=True,
        ),
        Engine(
            "reference",
            "session by session in plain Python: the definition that every other engine must equal",
            _any_policy,
            by_reference.play,
            60_000,
            is_compiled=False,
        ),
    )
}
"""Every engine; ``auto`` takes the first that plays the policy."""

AUTO = "auto"
ENGINES = (AUTO, *REGISTRY)
"""What ``engine`` may be."""


def chosen_engine(engine: str, policy: Policy) -> str:
    """Return the engine that plays the policy: the one asked for, or the first that can where none is.

    Raises:
        InvalidInputError: the engine that is asked for does not play such a policy.
    """
    if engine == AUTO:
        return next(one.name for one in REGISTRY.values() if one.can_play(policy))
    if not REGISTRY[engine].can_play(policy):
        others = ", ".join([AUTO, *(one.name for one in REGISTRY.values() if one.can_play(policy))])
        raise InvalidInputError([f"engine is {engine!r}, which does not play {policy.name}; allowed: {others}"])
    return engine


_WHERE_CLOCKS_ARE_READ = {"stateful": "lockstep", "capacity": "reference"}
"""The engine that plays instead of one that reads no clock but the turns; no kernel knows both a clock and a capacity.
"""


def engine_of(engine: str, policy: Policy, source: Source) -> str:
    """Return the engine that plays the policy on sessions of a source, whose recorded time it may read."""
    chosen = chosen_engine(engine, policy)
    reads = source.has_clock and policy.in_seconds() is not None
    return _WHERE_CLOCKS_ARE_READ.get(chosen, chosen) if reads else chosen


def play_block(
    block: SessionBlock,
    policy: Policy,
    engine: str = AUTO,
    checkpoints: Sequence[int] = (),
    want_items: bool = False,
    want_turns: bool = False,
    reuse: bool = False,
    relearn: bool = False,
    want_misses: bool = False,
    want_relations: bool = False,
    asked: Sequence[str] = (),
) -> BlockOutcome:
    """Return what the sessions of the block came to; all engines return the same, to the bit.

    With ``reuse``, the outcome's items are good until this thread plays its next block; that is quicker. With
    ``relearn``, a recall that misses registers its item anew. ``asked`` are names of ``quantities.ASKED_METRICS``.

    Raises:
        InvalidInputError: the engine does not play the policy, the policy cannot be played as it is, or the block holds
            events that no engine plays.
    """
    chosen, reactions = REGISTRY[chosen_engine(engine, policy)], policy.reactions()
    if block.touch_grade is not None:
        policy = policy.graded()
        chosen = chosen if chosen.can_play(policy) else REGISTRY[chosen_engine(AUTO, policy)]
    _refuse_unplayed_events(block)
    uses = "token_hit_rate" in asked or "dead_weight" in asked
    rest = relearn, want_misses or uses, want_relations, uses, "saturation" in asked
    wanted = Wanted(np.array(checkpoints, dtype=np.int64), want_items, want_turns, *rest)
    with guarded(policy):
        check_policy(policy, block, compile_too=chosen.is_compiled)
        if chosen.name in _WHERE_CLOCKS_ARE_READ and has_clock(policy, block):
            chosen = REGISTRY[_WHERE_CLOCKS_ARE_READ[chosen.name]]
        if chosen.name == "reference" or (block.carried is None and not want_relations):
            outcome = chosen.play(block, policy, wanted, reuse)
        else:
            made = reacted(block, reactions, relearn)
            outcome = chosen.play(made.block, policy, wanted._replace(misses=wanted.misses or want_relations), reuse)
            outcome = made.finished(outcome, wanted)
        return outcome if want_misses or not uses else replace(outcome, missed=None)


def check_policy(policy: Policy, block: SessionBlock, compile_too: bool = False) -> None:
    """Refuse a policy that cannot be played on a block as it is, by compiled functions with ``compile_too``.

    Raises:
        InvalidInputError: says why, with the arguments that show it.
    """
    _refuse_rules(policy)
    check_table(policy, block)
    check_stateful(policy, block, compile_too)


def _refuse_unplayed_events(block: SessionBlock) -> None:
    if block.carried is not None and block.carried.queries:
        raise InvalidInputError(
            ["the sessions hold query events, which no engine plays yet; allowed: register, recall, forget"]
        )


def _refuse_rules(policy: Policy) -> None:
    """Refuse rules that a stateful policy decides by itself."""
    rules = policy.rules()
    if isinstance(policy, StatefulPolicy) and not rules.touch_refreshes:
        raise InvalidInputError([f"{policy.name}: touch_refreshes is False; allowed: True, on_recall decides"])
    if isinstance(policy, HistoryPolicy) and rules.cooldown_turns > 0:
        raise InvalidInputError(
            [f"{policy.name}: cooldown_turns is {rules.cooldown_turns}; allowed: 0, every use counts"]
        )


def can_stream(workload: Source, policies: Sequence[Policy], engine: str, detail: str, checkpoints: object) -> bool:
    """Tell whether sessions can be played while they are generated: only totals are asked for, and all is a table."""
    asked = engine in (AUTO, "horizon") and detail in ("cells", "sessions") and not checkpoints
    return asked and by_published.can_play(workload, policies)


def decisive(workload: Source, policy: Policy) -> Hashable:
    """Return what decides the outcomes of a policy that can be streamed; policies of which it is equal are alike."""
    return by_published.decisive(workload, policy)


def stream(workload: Source, seeds: Seeds, policies: Sequence[Policy]) -> Iterator[BlockOutcome]:
    """Yield what the sessions came to under each policy, the same as ``play_block`` returns for each."""
    return by_published.play(workload, seeds, policies)


def stream_counted(workload: Source, seeds: Seeds, policies: Sequence[Policy]) -> Iterator[tuple[int, Counted]]:
    """Yield the place of a policy, the different outcomes that its sessions came to, and how often each occurred."""
    return by_published.count(workload, seeds, policies)
