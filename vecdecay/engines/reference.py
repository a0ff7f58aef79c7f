"""The scalar reference: one session, plain Python, dictionaries. This file is the meaning of the program.

In each turn the events of the turn are applied in order, then one eviction pass runs, then everything is measured. So a
recall in the very turn in which an item would expire still finds it, and rescues it. Every other engine of this package
must agree with this one to the last bit.
"""

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

from vecdecay.engines.reference_stateful import StatefulPolicyEngine
from vecdecay.engines.scalar_memory import Engine as Engine
from vecdecay.engines.scalar_memory import ItemState, Memory
from vecdecay.items import DEFAULT_ATTRIBUTES, FOUNDATIONAL, Attributes
from vecdecay.policies.base import Policy, TablePolicy
from vecdecay.policies.ebbinghaus import Ebbinghaus
from vecdecay.policies.recency_window import RecencyWindow
from vecdecay.policies.stateful import StatefulPolicy
from vecdecay.sessions.session import REGISTER, Session


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
        super().__init__(pinned)
        parameters = Ebbinghaus(
            eviction_threshold, baseline_stability, reinforcement_gain, max_stability, cooldown_turns, grace_turns
        )  # checks them
        self.eviction_threshold = parameters.eviction_threshold
        self.baseline_stability = parameters.baseline_stability
        self.reinforcement_gain = parameters.reinforcement_gain
        self.max_stability = parameters.max_stability
        self.cooldown_turns = parameters.cooldown_turns
        self.grace_turns = parameters.grace_turns

    def register(self, item: Hashable, turn: int) -> None:
        """Put the item into memory; an item that is there already starts anew."""
        self.memory[item] = ItemState(turn, self.baseline_stability)

    def recall(self, item: Hashable, turn: int) -> bool:
        """Use the item; return False, and change nothing, if it is not there."""
        state = self.memory.get(item)
        if state is None or state.stability is None:
            return False
        if not 0 <= turn - state.last_counted < self.cooldown_turns:
            state.recall_count += 1
            factor = 1.0 + self.reinforcement_gain * math.log(1.0 + state.recall_count)
            state.stability = min(state.stability * factor, self.max_stability)
            state.last_counted = turn
        state.last_touch = turn
        return True

    def retention(self, item: Hashable, turn: int) -> float:
        """Return the item's score in ``turn``; 1.0 at age 0 and for a clock that runs backwards."""
        return _retention(self.memory[item], turn)

    def step(self, turn: int) -> list[Hashable]:
        """Evict every item whose retention is strictly below the threshold; return them in the order of the store."""
        threshold = self.eviction_threshold
        gone = [item for item, state in self.memory.items() if _retention(state, turn) < threshold]
        if self.grace_turns > 0:
            gone = self.past_grace(gone, turn, self.grace_turns)
        return self.evict(gone, turn)


class RecencyWindowEngine(Memory):
    """Evicts what was not touched for more than ``window_size`` turns.

    Source: Emmimal/memory-decay-engine, memory_engine.py (its baseline).

    >>> engine = RecencyWindowEngine(window_size=15)
    >>> engine.register("rule", turn=1)
    >>> engine.step(turn=16), engine.step(turn=17)
    ([], ['rule'])
    """

    def __init__(self, window_size: float = 15.0, grace_turns: int = 0, pinned: Iterable[Hashable] = ()) -> None:
        super().__init__(pinned)
        parameters = RecencyWindow(window_size, grace_turns)  # checks them
        self.window_size = parameters.window_size
        self.grace_turns = parameters.grace_turns

    def register(self, item: Hashable, turn: int) -> None:
        """Put the item into memory; an item that is there already starts anew."""
        self.memory[item] = ItemState(turn, None)

    def recall(self, item: Hashable, turn: int) -> bool:
        """Use the item; return False, and change nothing, if it is not there."""
        state = self.memory.get(item)
        if state is None:
            return False
        state.recall_count += 1
        state.last_touch = turn
        return True

    def step(self, turn: int) -> list[Hashable]:
        """Evict every item whose age is strictly above the window; return them in the order of the store."""
        window = self.window_size
        gone = [item for item, state in self.memory.items() if turn - state.last_touch > window]
        if self.grace_turns > 0:
            gone = self.past_grace(gone, turn, self.grace_turns)
        return self.evict(gone, turn)


class TablePolicyEngine(Memory):
    """Plays any table policy by asking its predicate for every item in every turn. It knows no horizon table."""

    def __init__(self, policy: TablePolicy, session: Session | None = None) -> None:
        super().__init__(_pinned(session))
        self.policy = policy
        self.rules = policy.rules()
        self.session = session

    def attributes_of(self, item: Hashable) -> Attributes:
        """Return the attributes of an item of the session; the defaults where there is no session."""
        return self.session.attributes_of(item) if self.session and isinstance(item, int) else DEFAULT_ATTRIBUTES

    def register(self, item: Hashable, turn: int) -> None:
        """Put the item into memory; an item that is there already starts anew."""
        self.memory[item] = ItemState(turn, self.policy.stability(1, self.attributes_of(item)))

    def recall(self, item: Hashable, turn: int) -> bool:
        """Use the item; return False, and change nothing, if it is not there."""
        state = self.memory.get(item)
        if state is None:
            return False
        if not 0 <= turn - state.last_counted < self.rules.cooldown_turns:
            state.recall_count += 1
            state.stability = self.policy.stability(state.recall_count, self.attributes_of(item))
            state.last_counted = turn
        state.last_touch = turn
        return True

    def step(self, turn: int) -> list[Hashable]:
        """Evict every item for which the policy says so; return them in the order of the store."""
        if turn % self.rules.period_turns != 0:
            return []
        return self.evict([item for item, state in self.memory.items() if self._evicts(item, state, turn)], turn)

    def _evicts(self, item: Hashable, state: ItemState, turn: int) -> bool:
        if turn - state.registered_turn < self.rules.grace_turns:
            return False
        since = state.last_touch if self.rules.touch_refreshes else state.registered_turn
        unit = self.rules.unit_turns
        age = (turn - 1) // unit - (since - 1) // unit + self.rules.inclusive
        return age >= 0 and self.policy.evicts(age, state.recall_count, self.attributes_of(item))


def _pinned(session: Session | None) -> Iterable[int]:
    if session is None:
        return ()
    return (item for item, attributes in enumerate(session.attributes) if attributes.pinned)


def engine_for(policy: Policy, session: Session | None = None) -> Engine:
    """Return a fresh scalar engine that plays the policy on the items of a session."""
    if type(policy) is Ebbinghaus:
        return EbbinghausEngine(**policy.values(), pinned=_pinned(session))
    if type(policy) is RecencyWindow:
        return RecencyWindowEngine(**policy.values(), pinned=_pinned(session))
    if isinstance(policy, TablePolicy):
        return TablePolicyEngine(policy, session)
    if isinstance(policy, StatefulPolicy):
        return StatefulPolicyEngine(policy, session)
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
    present: bool = False
    hits: int = 0
    misses: int = 0


@dataclass
class Trace:
    """What happened in one session: per item, and per turn (entry 0 of the lists is turn 1)."""

    session_length: int
    items: list[ItemTrace]
    registrations: int = 0
    registered_tokens: int = 0
    working_set_sizes: list[int] = field(default_factory=list)
    working_set_tokens: list[int] = field(default_factory=list)
    foundational_present: list[int] = field(default_factory=list)


def run(engine: Engine, session: Session) -> Trace:
    """Play one session from its first turn to its last with a fresh engine, and return what was measured."""
    trace = Trace(session.session_length, [ItemTrace(kind) for kind in session.item_kinds])
    foundational = session.foundational_items()
    is_present = engine.is_present
    tokens = session.tokens
    by_turn: dict[int, list[tuple[int, int]]] = {}
    for turn, kind, item in session.events:
        by_turn.setdefault(turn, []).append((kind, item))
    for turn in range(1, session.session_length + 1):
        for kind, item in by_turn.get(turn, ()):
            if kind == REGISTER:
                engine.register(item, turn)
                trace.registrations += 1
                trace.registered_tokens += tokens[item] if tokens else 1
            elif engine.recall(item, turn):
                trace.items[item].hits += 1
            else:
                trace.items[item].misses += 1
        engine.step(turn)
        trace.working_set_sizes.append(engine.working_set_size())
        if tokens:
            trace.working_set_tokens.append(sum(size for item, size in enumerate(tokens) if is_present(item)))
        trace.foundational_present.append(sum(map(is_present, foundational)))
    if not tokens:
        trace.working_set_tokens = trace.working_set_sizes
    _record_items(engine, trace.items)
    return trace


def _record_items(engine: Engine, items: Iterable[ItemTrace]) -> None:
    for item, record in enumerate(items):
        record.present = engine.is_present(item)
        record.evicted_turn = engine.eviction_log.get(item)
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
        misses=sum(item.misses for item in trace.items),
        token_turns=token_turns,
        mean_working_set_tokens=mean_tokens,
        footprint_reduction_tokens=1.0 - mean_tokens / trace.registered_tokens if trace.registered_tokens else 0.0,
    )
