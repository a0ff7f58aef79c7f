"""The scalar reference for stateful policies: it asks the policy's plain functions for every item in every turn."""

from collections.abc import Hashable
from typing import Any

from vecdecay.engines.kernels.stateful_kernel import HAZARD_STREAM, POLICY_WORKLOAD
from vecdecay.engines.scalar_memory import ItemState, Memory, budget_for
from vecdecay.engines.timing import scalar_timing
from vecdecay.items import DEFAULT_ATTRIBUTES
from vecdecay.policies.stateful import Function, HistoryPolicy, StatefulPolicy, functions_of, item_facts
from vecdecay.sessions.draws import plain
from vecdecay.sessions.philox import uniform
from vecdecay.sessions.session import Session

_uniform = plain(uniform)


class StatefulPolicyEngine(Memory):
    """Plays any stateful policy. It knows no expiry of its own, no kernel and nothing compiled.

    >>> from vecdecay.policies.fsrs6 import Fsrs6
    >>> engine = StatefulPolicyEngine(Fsrs6(eviction_threshold=0.7))
    >>> engine.register("rule", turn=1)
    >>> engine.step(turn=22), engine.step(turn=23)
    ([], ['rule'])
    """

    def __init__(self, policy: StatefulPolicy, session: Session | None = None) -> None:
        every = session.attributes if session is not None else ()
        self.timing = scalar_timing(policy, session)
        played = self.timing.policy
        pinned = (item for item, attributes in enumerate(every) if attributes.pinned)
        super().__init__(played.rules(), pinned, budget_for(played, session))
        self.policy = played
        self.functions = functions_of(type(played))
        self.parameters = played.constants()
        self.threshold = played.threshold()
        self.session = session
        self.states: dict[Hashable, Any] = {}
        self.clocks: dict[Hashable, int] = {}  # the turn up to which an item's state was moved on
        self.touches: dict[Hashable, list[int]] = {}

    def fresh(self, item: Hashable, turn: int) -> float | None:
        """Return the stability of the state that the policy begins with."""
        known = self.session is not None and isinstance(item, int)
        attributes = self.session.attributes_of(item) if known else DEFAULT_ATTRIBUTES  # type: ignore[union-attr,arg-type]
        self.touches[item] = [self._clock(turn)]
        self.clocks[item] = turn
        state = self.functions.on_register(self.parameters, self._clock(turn), item_facts(attributes), self.grade)
        return self._become(item, state)

    def reinforce(self, item: Hashable, state: ItemState, turn: int) -> None:
        """Ask the policy what a recall makes of the state, moved on to its turn."""
        self._move_on(item, turn)
        changed = self.functions.on_recall(self.parameters, self.states[item], self._clock(turn), self.grade)
        state.stability = self._become(item, changed)
        self.touches[item].append(self._clock(turn))

    def retention(self, item: Hashable, turn: int) -> float:
        """Return the item's score in ``turn``, to which its state is moved on."""
        self._move_on(item, turn)
        return self._asked(self.functions.retention, item, self.states[item], turn)

    def priority(self, item: Hashable, turn: int) -> float:
        """Return the item's score in ``turn``, or what the policy ranks it by; its state stays as it is."""
        return self._asked(self.functions.priority or self.functions.retention, item, self._ahead(item, turn), turn)

    def _asked(self, function: Function, item: Hashable, state: Any, turn: int) -> float:
        now = self._clock(turn) + self.rules.inclusive
        if isinstance(self.policy, HistoryPolicy):
            touches = self.touches[item]
            return float(function(self.parameters, touches, 0, len(touches), now))
        return float(function(self.parameters, state, now))

    def evicting(self, turn: int) -> list[Hashable]:
        """Return the items whose score is strictly below the threshold; a hazard policy draws."""
        return [item for item in self.memory if self._evicts(item, turn)]

    def _evicts(self, item: Hashable, turn: int) -> bool:
        if self.functions.evicts is None:
            return self.retention(item, turn) < self.threshold
        key = 0 if self.session is None else self.session.seed_key
        number = item if isinstance(item, int) else 0
        draw = _uniform(key, POLICY_WORKLOAD, HAZARD_STREAM, number, turn)
        now = self._clock(turn) + self.rules.inclusive
        return bool(self.functions.evicts(self.parameters, self.states[item], now, draw))

    def is_due(self, turn: int) -> bool:
        """Tell whether the policy looks in the pass of a turn."""
        return self.timing.is_due(turn)

    def advance(self, turn: int) -> None:
        """Move the state of every item on to ``turn``."""
        if self.functions.on_turn is not None:
            for item in self.memory:
                self._move_on(item, turn)

    def _clock(self, turn: int) -> int:
        return self.timing.now(turn)

    def _move_on(self, item: Hashable, turn: int) -> None:
        if self.functions.on_turn is not None and self.clocks[item] < turn:
            self.memory[item].stability = self._become(item, self._ahead(item, turn))
            self.clocks[item] = turn

    def _ahead(self, item: Hashable, turn: int) -> Any:
        """Return the state of an item as it is in ``turn``."""
        state = self.states[item]
        if self.functions.on_turn is not None:
            for now in range(self.clocks[item] + 1, turn + 1):
                state = self.functions.on_turn(self.parameters, state, self._clock(now))
        return state

    def _become(self, item: Hashable, state: Any) -> float | None:
        self.states[item] = state
        if self.functions.stability is None:
            return None
        return float(self.functions.stability(self.parameters, state))
