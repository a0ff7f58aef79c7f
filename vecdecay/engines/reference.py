"""The scalar reference: one session, plain Python, dictionaries. This file is the meaning of the program.

In each turn the events of the turn are applied in order, then one eviction pass runs, then everything is measured. So a
recall in the very turn in which an item would be evicted still finds it, and rescues it. A request to forget removes
its item at once; an item that expires goes in the pass of its last turn. Every other engine must agree with this one to
the last bit.
"""

import math
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple, cast

from vecdecay.engines.asking import priority_of
from vecdecay.engines.reference_caches import CachePolicyEngine
from vecdecay.engines.reference_relations import Relations
from vecdecay.engines.reference_stateful import StatefulPolicyEngine
from vecdecay.engines.reference_systems import SystemEngine
from vecdecay.engines.scalar_memory import ItemState, Memory, budget_for
from vecdecay.engines.timing import scalar_timing
from vecdecay.errors import InvalidInputError
from vecdecay.items import DEFAULT_ATTRIBUTES, FOUNDATIONAL, Attributes
from vecdecay.policies.base import Policy, TablePolicy
from vecdecay.policies.cache import CachePolicy
from vecdecay.policies.ebbinghaus import Ebbinghaus
from vecdecay.policies.recency_window import RecencyWindow
from vecdecay.policies.stateful import StatefulPolicy
from vecdecay.policies.system import SystemPolicy
from vecdecay.quantities import SATURATED
from vecdecay.sessions.events import FORGET, NO_GRADE, NO_TURN, RECALL, REGISTER
from vecdecay.sessions.session import Session


def _retention(state: ItemState, turn: int) -> float:
    age = turn - state.last_touch
    if age <= 0 or state.stability is None:
        return 1.0
    return math.exp(-age / state.stability)


class EbbinghausEngine(Memory):
    """Retention by the forgetting curve, stability raised by use.

    Source: Emmimal/memory-decay-engine, memory_engine.py. A trap that is kept as published: an item that was evicted
    and is registered again keeps its entry in ``eviction_log``, so it can count as evicted *and* present, with a
    negative survival time.

    >>> engine = EbbinghausEngine(eviction_threshold=0.20, baseline_stability=8.0)
    >>> engine.register("rule", turn=1)
    >>> engine.recall("rule", turn=5), engine.recall("other", turn=5)
    (True, False)
    >>> engine.step(turn=32), engine.step(turn=33)
    ([], ['rule'])
    """

    def __init__(
        self,
        eviction_threshold: float = 0.20,
        baseline_stability: float = 8.0,
        reinforcement_gain: float = 1.0,
        max_stability: float = math.inf,
        cooldown_turns: int = 0,
        grace_turns: int = 0,
        pinned: Iterable[Hashable] = (),
    ) -> None:
        policy = Ebbinghaus(
            eviction_threshold, baseline_stability, reinforcement_gain, max_stability, cooldown_turns, grace_turns
        )  # checks them
        super().__init__(policy.rules(), pinned)
        self.eviction_threshold = policy.eviction_threshold
        self.baseline_stability = policy.baseline_stability
        self.reinforcement_gain = policy.reinforcement_gain
        self.max_stability = policy.max_stability

    def fresh(self, item: Hashable, turn: int) -> float:
        """Return the baseline stability."""
        return self.baseline_stability

    def reinforce(self, item: Hashable, state: ItemState, turn: int) -> None:
        """Multiply the stability by 1 + gain × ln(1 + recall_count)."""
        assert state.stability is not None
        factor = 1.0 + self.reinforcement_gain * math.log(1.0 + state.recall_count)
        state.stability = min(state.stability * factor, self.max_stability)

    def retention(self, item: Hashable, turn: int) -> float:
        """Return the item's score in ``turn``; 1.0 at age 0 and for a clock that runs backwards."""
        return _retention(self.memory[item], turn)

    def evicting(self, turn: int) -> list[Hashable]:
        """Return the items whose retention is strictly below the threshold."""
        return [item for item, state in self.memory.items() if _retention(state, turn) < self.eviction_threshold]


class RecencyWindowEngine(Memory):
    """Evicts what was not touched for more than ``window_size`` turns.

    Source: Emmimal/memory-decay-engine, memory_engine.py (its baseline).

    >>> engine = RecencyWindowEngine(window_size=15)
    >>> engine.register("rule", turn=1)
    >>> engine.step(turn=16), engine.step(turn=17)
    ([], ['rule'])
    """

    def __init__(self, window_size: float = 15.0, grace_turns: int = 0, pinned: Iterable[Hashable] = ()) -> None:
        policy = RecencyWindow(window_size, grace_turns)  # checks them
        super().__init__(policy.rules(), pinned)
        self.window_size = policy.window_size

    def fresh(self, item: Hashable, turn: int) -> None:
        """Return None: the window has no stability."""

    def reinforce(self, item: Hashable, state: ItemState, turn: int) -> None:
        """Do nothing: a recall only refreshes the age."""

    def evicting(self, turn: int) -> list[Hashable]:
        """Return the items whose age is strictly above the window."""
        return [item for item, state in self.memory.items() if turn - state.last_touch > self.window_size]


class TablePolicyEngine(Memory):
    """Plays any table policy by asking its predicate for every item in every turn. It knows no horizon table."""

    def __init__(self, policy: TablePolicy, session: Session | None = None) -> None:
        self.timing = scalar_timing(policy, session)
        self.policy = self.timing.policy
        super().__init__(self.policy.rules(), _pinned(session), budget_for(self.policy, session))
        self.session = session

    def is_due(self, turn: int) -> bool:
        """Tell whether the policy looks in the pass of a turn."""
        return self.timing.is_due(turn)

    def attributes_of(self, item: Hashable) -> Attributes:
        """Return the attributes of an item of the session; the defaults where there is no session."""
        return self.session.attributes_of(item) if self.session and isinstance(item, int) else DEFAULT_ATTRIBUTES

    def fresh(self, item: Hashable, turn: int) -> float | None:
        """Return the policy's stability of an item of one use."""
        return self.policy.stability(1, self.attributes_of(item))

    def reinforce(self, item: Hashable, state: ItemState, turn: int) -> None:
        """Look up the stability of one use more."""
        state.stability = self.policy.stability(state.recall_count, self.attributes_of(item))

    def evicting(self, turn: int) -> list[Hashable]:
        """Return the items for which the policy says so."""
        return [item for item, state in self.memory.items() if self._evicts(item, state, turn)]

    def score(self, item: Hashable, turn: int) -> float:
        """Return the policy's retention of an item that is there."""
        state = self.memory[item]
        return self.policy.retention(max(0, self._age(state, turn)), state.recall_count, self.attributes_of(item))

    def priority(self, item: Hashable, turn: int) -> float:
        """Return what the policy ranks an item by that is there."""
        state = self.memory[item]
        age = max(0, self._age(state, turn))
        return priority_of(self.policy, age, state.recall_count, self.attributes_of(item))

    def _age(self, state: ItemState, turn: int) -> int:
        """Return the age of an item, counted as the rules say."""
        since = state.last_touch if self.rules.touch_refreshes else state.registered_turn
        return self.timing.now(turn) - self.timing.now(since) + self.rules.inclusive

    def _evicts(self, item: Hashable, state: ItemState, turn: int) -> bool:
        """Ask the policy at the item's age."""
        age = self._age(state, turn)
        return age >= 0 and self.policy.evicts(age, state.recall_count, self.attributes_of(item))


def _pinned(session: Session | None) -> Iterable[int]:
    if session is None:
        return ()
    return (item for item, attributes in enumerate(session.attributes) if attributes.pinned)


Score = Callable[[int, int], float]
"""From an item and a turn to a retention."""


def score_of(engine: Memory, policy: Policy) -> Score | None:
    """Return what gives the retention of an item that an engine holds, None for policies that have none."""
    asked: Score | None = getattr(engine, "retention", None)
    if asked is not None or isinstance(policy, CachePolicy | SystemPolicy):
        return asked
    if isinstance(engine, TablePolicyEngine):
        return engine.score
    window, memory = cast(TablePolicy, policy), engine.memory  # the published one, which has an engine of its own
    return lambda item, turn: window.retention(turn - memory[item].last_touch, memory[item].recall_count)


def engine_for(policy: Policy, session: Session | None = None) -> Memory:
    """Return a fresh scalar engine that plays the policy on the items of a session."""
    engine = _engine_for(policy, session)
    engine.reactions = policy.reactions()
    return engine


def _engine_for(policy: Policy, session: Session | None) -> Memory:
    policy = policy.graded() if session is not None and session.grades else policy
    if isinstance(policy, TablePolicy) and policy.competes():
        return TablePolicyEngine(policy, session)
    if type(policy) is Ebbinghaus:
        return EbbinghausEngine(**policy.own_values(), pinned=_pinned(session))
    if type(policy) is RecencyWindow:
        return RecencyWindowEngine(**policy.own_values(), pinned=_pinned(session))
    if isinstance(policy, TablePolicy):
        return TablePolicyEngine(policy, session)
    if isinstance(policy, StatefulPolicy):
        return StatefulPolicyEngine(policy, session)
    if isinstance(policy, CachePolicy):
        return CachePolicyEngine(policy, session)
    if isinstance(policy, SystemPolicy):
        return SystemEngine(policy, session)
    raise TypeError(f"no scalar engine plays {type(policy).__name__}")


@dataclass
class ItemTrace:
    """What became of one item. A turn of None is "never"; after an eviction the state is that of the moment before."""

    kind: int
    registered_turn: int | None = None
    last_touch: int | None = None
    recall_count: int = 0
    stability: float | None = None
    evicted_turn: int | None = None
    evicted_reason: int = 0
    present: bool = False
    hits: int = 0
    misses: int = 0


class Miss(NamedTuple):
    """A recall that did not find its item, with turn and reason of the item's latest eviction, None and 0 for none."""

    turn: int
    item: int
    evicted_turn: int | None
    evicted_reason: int


@dataclass
class Trace:
    """What happened in one session: per item, per turn (entry 0 of the lists is turn 1), and per recall that missed."""

    session_length: int
    items: list[ItemTrace]
    registrations: int = 0
    registered_tokens: int = 0
    working_set_sizes: list[int] = field(default_factory=list)
    working_set_tokens: list[int] = field(default_factory=list)
    foundational_present: list[int] = field(default_factory=list)
    missed: list[Miss] = field(default_factory=list)
    stale_hits: int = 0
    forbidden_hits: int = 0
    recalled_tokens: int = 0
    missed_tokens: int = 0
    used_item_turns: int = 0
    saturated_item_turns: int = 0


def run(engine: Memory, session: Session, relearn: bool = False, score: Score | None = None) -> Trace:
    """Play one session from its first turn to its last with a fresh engine, and return what was measured.

    With ``relearn``, a recall that misses registers its item anew, as an agent does that reads a file again. ``score``
    gives the retention of an item that is held in a turn, where it is to be measured.
    """
    trace = Trace(session.session_length, [ItemTrace(kind) for kind in session.item_kinds])
    foundational = session.foundational_items()
    is_present = engine.is_present
    relations = Relations(session)
    tokens, expires = session.tokens, session.expires_turns
    by_turn: dict[int, list[tuple[int, int, int, int]]] = {}
    last_use: dict[int, int] = {}
    grades = session.grades or (NO_GRADE,) * len(session.events)
    for place, ((turn, kind, item), grade) in enumerate(zip(session.events, grades, strict=True)):
        by_turn.setdefault(turn, []).append((place, kind, item, grade))
    for turn in range(1, session.session_length + 1):
        for place, kind, item, grade in by_turn.get(turn, ()):
            engine.at_event(place)
            registers = kind == REGISTER
            if kind == RECALL:
                found = engine.recall(item, turn, grade)
                trace.items[item].hits += found
                trace.items[item].misses += not found
                trace.recalled_tokens += tokens[item] if tokens else 1
                trace.missed_tokens += (tokens[item] if tokens else 1) * (not found)
                trace.used_item_turns += turn - last_use[item] if found else 0
                if not found:
                    trace.missed.append(Miss(turn, item, *engine.lost(item)))
                trace.stale_hits += found and item in relations.outdated
                trace.forbidden_hits += found and item in relations.unwanted
                registers = relearn and not found
            elif kind == FORGET:
                engine.forget(item, turn)
                relations.after_request(engine, item, turn)
            elif kind != REGISTER:
                raise InvalidInputError([f"an event of kind {kind} in turn {turn}; the scalar engine plays 0, 1 and 2"])
            if kind == REGISTER:
                relations.before_registration(engine, item, turn)
            if registers:
                engine.register(item, turn, expires[item] if expires else NO_TURN, grade)
                trace.registrations += 1
                trace.registered_tokens += tokens[item] if tokens else 1
            if kind == REGISTER:
                relations.after_registration(engine, item, turn)
            if registers or kind == RECALL:
                last_use[item] = turn
        engine.step(turn)
        trace.working_set_sizes.append(engine.working_set_size())
        if tokens:
            trace.working_set_tokens.append(sum(size for item, size in enumerate(tokens) if is_present(item)))
        if score is not None:
            held = filter(is_present, range(len(trace.items)))
            trace.saturated_item_turns += sum(score(item, turn) > SATURATED for item in held)
        trace.foundational_present.append(sum(map(is_present, foundational)))
    if not tokens:
        trace.working_set_tokens = trace.working_set_sizes
    _record_items(engine, trace.items)
    return trace


def _record_items(engine: Memory, items: Iterable[ItemTrace]) -> None:
    for item, record in enumerate(items):
        record.present = engine.is_present(item)
        record.evicted_turn = engine.eviction_log.get(item)
        record.evicted_reason = engine.eviction_reasons.get(item, 0)
        state = engine.memory.get(item) or engine.departed.get(item)
        if state is not None:
            record.registered_turn = state.registered_turn
            record.last_touch = state.last_touch
            record.recall_count = state.recall_count
            record.stability = state.stability


@dataclass(frozen=True)
class Measurement:
    """The published metrics of one session; see ``vecdecay explain`` for each. Times are in turns."""

    foundational_recall_rate: float
    terminal_survival_rate: float
    survival_time: float | None
    survival_time_minimum: int | None
    survival_time_maximum: int | None
    foundational_evicted: int
    mean_working_set: float
    footprint_reduction: float
    misses: int
    hit_rate: float | None
    token_turns: int
    mean_working_set_tokens: float
    footprint_reduction_tokens: float


def measure(trace: Trace) -> Measurement:
    """Return the metrics of one session, each by one division of integers.

    Two odd corners are as published: without foundational items the recall rate is 1.0 and the survival rate 0.0.
    """
    foundational = [item for item in trace.items if item.kind == FOUNDATIONAL]
    present = sum(item.present for item in foundational)
    times = [
        item.evicted_turn - item.registered_turn
        for item in foundational
        if item.evicted_turn is not None and item.registered_turn is not None
    ]
    hits, misses = sum(item.hits for item in trace.items), sum(item.misses for item in trace.items)
    mean_working_set = sum(trace.working_set_sizes) / trace.session_length
    token_turns = sum(trace.working_set_tokens)
    mean_tokens = token_turns / trace.session_length
    return Measurement(
        foundational_recall_rate=present / len(foundational) if foundational else 1.0,
        terminal_survival_rate=present / len(foundational) if foundational else 0.0,
        survival_time=sum(times) / len(times) if times else None,
        survival_time_minimum=min(times, default=None),
        survival_time_maximum=max(times, default=None),
        foundational_evicted=len(times),
        mean_working_set=mean_working_set,
        footprint_reduction=1.0 - mean_working_set / trace.registrations if trace.registrations else 0.0,
        misses=misses,
        hit_rate=hits / (hits + misses) if hits + misses else None,
        token_turns=token_turns,
        mean_working_set_tokens=mean_tokens,
        footprint_reduction_tokens=1.0 - mean_tokens / trace.registered_tokens if trace.registered_tokens else 0.0,
    )
