"""Invariants about what the passes of a policy do to sessions, which Hypothesis draws around the ages that matter."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from vecdecay.engines.kernels.fields import DECAYED
from vecdecay.engines.reference import engine_for, run
from vecdecay.engines.reference_stateful import StatefulPolicyEngine
from vecdecay.engines.registry import play_block
from vecdecay.engines.scalar_memory import Memory
from vecdecay.policies.base import Policy, TablePolicy
from vecdecay.policies.cache import CachePolicy
from vecdecay.policies.stateful import HazardPolicy
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.events import FORGET, NO_TURN, REGISTER, EventKind
from vecdecay.sessions.session import PlayedEvent, Session
from vecdecay.testing.drawing import smallest_problem
from vecdecay.testing.invariant import Answer, Invariant
from vecdecay.testing.invariants_of_scores import NO_SCORE
from vecdecay.testing.probing import ages_of_change, has_score
from vecdecay.testing.strategies import published_sessions, sessions

_SPACINGS = (2, 3, 7)


def drawn_sessions(policy: Policy, examples: int, problem: Callable[[Session], str]) -> Answer:
    """Return the smallest session with a problem, of those drawn around the ages at which the policy decides."""
    strategy = sessions(ages_of_change(policy)) | published_sessions()
    return Answer(smallest_problem(strategy, problem, examples, _session_text))


def _session_text(session: Session) -> str:
    touches = [f"turn {turn}: {EventKind(kind).name.lower()} {item}" for turn, kind, item in session.events[:8]]
    more = f", … ({len(session.events)} touches)" if len(session.events) > 8 else ""
    return f"{session.session_length} turns; {', '.join(touches) or 'no touch'}{more}"


def _apply(engine: Memory, session: Session, events: list[PlayedEvent], turn: int) -> None:
    for _, kind, item in events:
        if kind == REGISTER:
            engine.register(item, turn, session.expires_turns[item] if session.expires_turns else NO_TURN)
        elif kind == FORGET:
            engine.forget(item, turn)
        else:
            engine.recall(item, turn)


def _by_turn(session: Session) -> list[tuple[int, list[PlayedEvent]]]:
    """Return the turns from the first to the last, each with what happens in it."""
    events: dict[int, list[PlayedEvent]] = {}
    for event in session.events:
        events.setdefault(event[0], []).append(event)
    return [(turn, events.get(turn, [])) for turn in range(1, session.session_length + 1)]


@Invariant
def reading_a_score_changes_nothing(policy: Policy, examples: int) -> Answer:
    """Asking what an item scores, twice and for every item in every turn, gives the same twice and changes no fate.

    Catches scores that refresh what they look at, as a store does that counts its own reads as use, and methods that
    keep something in a global from one call to the next.
    """
    if not has_score(policy):
        return NO_SCORE

    def problem(session: Session) -> str:
        quiet, read = engine_for(policy, session), engine_for(policy, session)
        for turn, events in _by_turn(session):
            for engine in (quiet, read):
                _apply(engine, session, events, turn)
            for item in list(read.memory):
                first, second = _read(read, policy, session, item, turn), _read(read, policy, session, item, turn)
                if first != second:
                    return f"the score of item {item} in turn {turn} is {first!r}, and then {second!r}"
            left, right = quiet.step(turn), read.step(turn)
            if left != right:
                return f"turn {turn} evicts {left}, and {right} where scores were read before"
        return ""

    return drawn_sessions(policy, examples, problem)


def _read(engine: Memory, policy: Policy, session: Session, item: Any, turn: int) -> float:
    if isinstance(engine, StatefulPolicyEngine):
        return engine.retention(item, turn)
    assert isinstance(policy, TablePolicy)
    state = engine.memory[item]
    return policy.retention(turn - state.last_touch, state.recall_count, session.attributes_of(item))


@Invariant
def stepping_twice_changes_nothing(policy: Policy, examples: int) -> Answer:
    """A second pass in the same turn evicts nothing more, and no later pass evicts anything else.

    Catches passes that wear items down by running, where a job that is started twice forgets twice as fast.
    """

    def problem(session: Session) -> str:
        once, twice = engine_for(policy, session), engine_for(policy, session)
        for turn, events in _by_turn(session):
            for engine in (once, twice):
                _apply(engine, session, events, turn)
            left, right, again = once.step(turn), twice.step(turn), twice.step(turn)
            if again:
                return f"the second pass of turn {turn} evicts {again}"
            if left != right:
                return f"turn {turn} evicts {left}, and {right} where every turn has two passes"
        return ""

    return drawn_sessions(policy, examples, problem)


@Invariant
def stepping_less_often_only_delays(policy: Policy, examples: int) -> Answer:
    """In turns that are common to both, a pass in every turn and one in every n-th have evicted the same items.

    Recalls of items that the pass in every turn has evicted are left out: seldom passes may still rescue those. Catches
    decay that is applied by the pass itself, a multiplication per run, so that the schedule of a job sets the rate.
    """
    if isinstance(policy, HazardPolicy):
        return Answer(silent="it drops items at random in each pass")
    period = policy.rules().period_turns if isinstance(policy, TablePolicy) else 1

    def problem(session: Session) -> str:
        return next((found for spacing in _SPACINGS if (found := _delayed(policy, session, spacing * period))), "")

    return drawn_sessions(policy, examples, problem)


def _delayed(policy: Policy, session: Session, spacing: int) -> str:
    often, seldom = engine_for(policy, session), engine_for(policy, session)
    for turn, events in _by_turn(session):
        for event in events:
            if event[1] == REGISTER or often.is_present(event[2]):
                _apply(often, session, [event], turn)
                _apply(seldom, session, [event], turn)
        often.step(turn)
        if turn % spacing == 0:
            seldom.step(turn)
            different = sorted(often.memory.keys() ^ seldom.memory.keys(), key=str)
            if different:
                return f"in turn {turn} items {different} depend on whether there is a pass in every turn or {spacing}"
    return ""


@Invariant
def row_order_does_not_matter(policy: Policy, examples: int) -> Answer:
    """The fate of an item is the same wherever it stands in the store, and whatever its number is.

    Catches passes that stop after so many evictions, and scores that take something over from the row before. Where a
    policy draws at random, an item's number belongs to its draw and is kept, and where items compete the order of the
    events is.
    """
    competes = policy.competes()
    # Of equals in a full memory the one with the lowest number goes.
    renumber = not isinstance(policy, HazardPolicy) and (isinstance(policy, CachePolicy) or not competes)

    def problem(session: Session) -> str:
        last = len(session.item_kinds) - 1
        number = [last - item if renumber else item for item in range(last + 1)]
        before = run(engine_for(policy, session), session).items
        other = _reversed(session, renumber, competes)
        after = run(engine_for(policy, other), other).items
        changed = [item for item, trace in enumerate(before) if trace != after[number[item]]]
        if not changed:
            return ""
        turns = before[changed[0]].evicted_turn, after[number[changed[0]]].evicted_turn
        return f"item {changed[0]} is evicted in turn {turns[0]}, and in turn {turns[1]} with the rows reversed"

    return drawn_sessions(policy, examples, problem)


def _reversed(session: Session, renumber: bool, competes: bool) -> Session:
    """Return the session with the order of items reversed in each turn, and their numbers too; each item's is kept."""
    last = len(session.item_kinds) - 1
    events = sorted(session.events, key=lambda event: (event[0], 0 if competes else -event[2]))
    if not renumber:
        return replace(session, events=tuple(events))
    return replace(
        session,
        item_kinds=session.item_kinds[::-1],
        events=tuple((turn, kind, last - item) for turn, kind, item in events),
        attributes=session.attributes[::-1],
        tokens=session.tokens[::-1],
        expires_turns=session.expires_turns[::-1],
    )


@Invariant
def pinned_is_never_evicted(policy: Policy, examples: int) -> Answer:
    """A pinned item stays till a request or its last turn, in the reference and in the engine that usually plays.

    Catches pins that are checked where items are listed but not where they are evicted, and pins that a recall or a
    second registration loses.
    """

    def problem(session: Session) -> str:
        # Every other item is pinned and, the silence after the last event being long, due long before the end.
        attributes = tuple(
            session.attributes_of(item)._replace(pinned=item % 2 == 0) for item in range(len(session.item_kinds))
        )
        longer = replace(session, session_length=session.session_length + 60, attributes=attributes)
        for engine in ("reference", "auto"):
            played = play_block(block_of([longer]), policy, engine, want_items=True).items
            assert played is not None
            reasons = enumerate(played.evicted_reason.tolist())
            gone = [item for item, reason in reasons if reason == DECAYED and attributes[item].pinned]
            if gone:
                turn = int(played.evicted_turn[gone[0]])
                return f"pinned item {gone[0]} is evicted in turn {turn} (engine {engine})"
        return ""

    return drawn_sessions(policy, examples, problem)
