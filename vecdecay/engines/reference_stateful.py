"""The scalar reference for stateful policies: it asks the policy's plain functions for every item in every turn."""

from collections.abc import Hashable
from typing import Any

from vecdecay.engines.kernels.stateful_kernel import HAZARD_STREAM, POLICY_WORKLOAD
from vecdecay.engines.scalar_memory import ItemState, Memory
from vecdecay.items import DEFAULT_ATTRIBUTES
from vecdecay.policies.stateful import HazardPolicy, HistoryPolicy, StatefulPolicy, functions_of, item_facts
from vecdecay.sessions.draws import plain
from vecdecay.sessions.philox import uniform
from vecdecay.sessions.session import Session

_uniform = plain(uniform)


class StatefulPolicyEngine(Memory):
    """Plays any stateful policy. It knows no expiry, no kernel and nothing compiled.

    >>> from vecdecay.policies.fsrs6 import Fsrs6
    >>> engine = StatefulPolicyEngine(Fsrs6(eviction_threshold=0.7))
    >>> engine.register("rule", turn=1)
    >>> engine.step(turn=22), engine.step(turn=23)
    ([], ['rule'])
    """

    def __init__(self, policy: StatefulPolicy, session: Session | None = None) -> None:
        every = session.attributes if session is not None else ()
        super().__init__(item for item, attributes in enumerate(every) if attributes.pinned)
        self.policy = policy
        self.functions = functions_of(type(policy))
        self.parameters = policy.constants()
        self.threshold = policy.threshold()
        self.session = session
        self.states: dict[Hashable, Any] = {}
        self.clocks: dict[Hashable, int] = {}  # the turn up to which an item's state was moved on
        self.touches: dict[Hashable, list[int]] = {}

    def register(self, item: Hashable, turn: int) -> None:
        """Put the item into memory; an item that is there already starts anew."""
        known = self.session is not None and isinstance(item, int)
        attributes = self.session.attributes_of(item) if known else DEFAULT_ATTRIBUTES  # type: ignore[union-attr,arg-type]
        self.memory[item] = ItemState(turn, None)
        self.touches[item] = [turn]
        self.clocks[item] = turn
        self._become(item, self.functions.on_register(self.parameters, turn, item_facts(attributes)))

    def recall(self, item: Hashable, turn: int) -> bool:
        """Use the item; return False, and change nothing, if it is not there."""
        record = self.memory.get(item)
        if record is None:
            return False
        self._move_on(item, turn)
        self._become(item, self.functions.on_recall(self.parameters, self.states[item], turn))
        self.touches[item].append(turn)
        record.recall_count += 1
        record.last_touch = turn
        return True

    def retention(self, item: Hashable, turn: int) -> float:
        """Return the item's score in ``turn``, to which its state is moved on."""
        self._move_on(item, turn)
        if isinstance(self.policy, HistoryPolicy):
            touches = self.touches[item]
            return float(self.functions.retention(self.parameters, touches, 0, len(touches), turn))
        return float(self.functions.retention(self.parameters, self.states[item], turn))

    def step(self, turn: int) -> list[Hashable]:
        """Evict every item for which the policy says so; return them in the order of the store."""
        if isinstance(self.policy, HazardPolicy) and turn % self.policy.period_turns() != 0:
            for item in self.memory:
                self._move_on(item, turn)
            return []
        return self.evict([item for item in self.memory if self._evicts(item, turn)], turn)

    def _evicts(self, item: Hashable, turn: int) -> bool:
        if self.functions.evicts is None:
            return self.retention(item, turn) < self.threshold
        self._move_on(item, turn)
        key = 0 if self.session is None else self.session.seed_key
        number = item if isinstance(item, int) else 0
        draw = _uniform(key, POLICY_WORKLOAD, HAZARD_STREAM, number, turn)
        return bool(self.functions.evicts(self.parameters, self.states[item], turn, draw))

    def _move_on(self, item: Hashable, turn: int) -> None:
        if self.functions.on_turn is None:
            return
        while self.clocks[item] < turn:
            self.clocks[item] += 1
            self._become(item, self.functions.on_turn(self.parameters, self.states[item], self.clocks[item]))

    def _become(self, item: Hashable, state: Any) -> None:
        self.states[item] = state
        if self.functions.stability is not None:
            self.memory[item].stability = float(self.functions.stability(self.parameters, state))
