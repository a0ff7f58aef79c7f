"""What the scalar engines share: the store of one session, in dictionaries, and what it remembers of each item."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable
from typing import Any, NamedTuple

from vecdecay.engines.kernels.fields import CAPACITY, CASCADED, DECAYED, EXPIRED, FORGOTTEN, SUPERSEDED
from vecdecay.policies.capacity import AFTER_INSERT, BEFORE_INSERT, IN_PASS, NO_LIMIT, CapacityParameters
from vecdecay.policies.reactions import CASCADE, DELETE, HIDE, PLAIN_REACTIONS
from vecdecay.policies.rules import PLAIN_RULES, Rules, counts
from vecdecay.sessions.events import NO_GRADE, NO_TURN
from vecdecay.sessions.session import Session


class ItemState:
    """What an engine remembers of one item; ``stability`` (turns) is None where the policy has no such notion."""

    __slots__ = ("expires_turn", "last_counted", "last_touch", "recall_count", "registered_turn", "stability")

    def __init__(self, turn: int, stability: float | None, expires_turn: int = NO_TURN) -> None:
        self.registered_turn = turn
        self.last_touch = turn
        self.last_counted = turn  # the latest use that raised the recall count
        self.recall_count = 1  # the registration counts as use number one
        self.stability = stability
        self.expires_turn = expires_turn


class Budget(NamedTuple):
    """How much a memory may hold, what an item takes of it, and when it is looked at."""

    limit: int = NO_LIMIT
    size: Callable[[Hashable], int] = lambda _: 1
    evict_at: str = IN_PASS


NO_BUDGET = Budget()


def budget_for(policy: CapacityParameters, session: Session | None) -> Budget:
    """Return the capacity of a policy, on the items of a session; an item outside a session takes one token."""
    tokens = session.tokens if session is not None and policy.counts_tokens() else ()
    sizes = dict(enumerate(tokens))
    return Budget(policy.limit(), lambda item: sizes.get(item, 1), policy.evict_at)  # type: ignore[call-overload]


class Memory(ABC):
    """A memory under one policy: the store, the log of evictions, the five published methods, and ``forget``.

    A policy's engine says what a fresh item is, what a recall that counts does, and which items a pass evicts; the
    rules of :mod:`vecdecay.policies.rules` are applied here, for all kinds of policies.
    """

    def __init__(self, rules: Rules = PLAIN_RULES, pinned: Iterable[Hashable] = (), budget: Budget = NO_BUDGET) -> None:
        self.rules = rules
        self.budget = budget
        self.pinned = frozenset(pinned)
        self.memory: dict[Hashable, ItemState] = {}
        self.departed: dict[Hashable, ItemState] = {}
        self.eviction_log: dict[Hashable, int] = {}
        self.eviction_reasons: dict[Hashable, int] = {}
        self.reactions = PLAIN_REACTIONS
        self.hidden: dict[Hashable, int] = {}  # since which turn; such an item is not found, there or not
        self._may_expire = False
        self.grade = NO_GRADE  # of the event that is being applied

    def is_due(self, turn: int) -> bool:
        """Tell whether the policy looks in the pass of a turn."""
        return turn % self.rules.period_turns == 0

    @abstractmethod
    def fresh(self, item: Hashable, turn: int) -> float | None:
        """Return the stability of an item that is registered in ``turn``, None where there is no such notion."""

    @abstractmethod
    def reinforce(self, item: Hashable, state: ItemState, turn: int) -> None:
        """Do what a recall does that counts; ``state.recall_count`` is raised already."""

    @abstractmethod
    def evicting(self, turn: int) -> list[Hashable]:
        """Return the items that the pass of ``turn`` drops, in the order of the store, pins and grace left aside."""

    def priority(self, item: Hashable, turn: int) -> float:
        """Return what ranks an item of a full memory, the lowest going first; its state is not moved on."""
        raise NotImplementedError

    def advance(self, turn: int) -> None:
        """Move on what changes by itself from turn to turn; nothing, where a policy has no such state."""
        del turn

    def at_event(self, place: int) -> None:
        """Take note of which event of the session comes now; nothing, where no policy asks."""
        del place

    def register(self, item: Hashable, turn: int, expires_turn: int = NO_TURN, grade: int = NO_GRADE) -> None:
        """Put the item into memory; an item that is there already starts anew."""
        self.grade = grade
        self._may_expire = self._may_expire or expires_turn != NO_TURN
        self.hidden.pop(item, None)
        inserted = item not in self.memory
        self.memory[item] = ItemState(turn, self.fresh(item, turn), expires_turn)
        if inserted and self.budget.evict_at == BEFORE_INSERT:
            self._fit(turn, spared=(item,))
        elif inserted and self.budget.evict_at == AFTER_INSERT:
            self._fit(turn)

    def recall(self, item: Hashable, turn: int, grade: int = NO_GRADE) -> bool:
        """Use the item; return False, and change nothing, if it is not there, or hidden."""
        self.grade = grade
        state = self.memory.get(item)
        if state is None or item in self.hidden:
            return False
        if counts(turn, state.last_counted, self.rules.cooldown_turns):
            state.recall_count += 1
            self.reinforce(item, state, turn)
            state.last_counted = turn
        state.last_touch = turn
        return True

    def forget(self, item: Hashable, turn: int, reason: int = FORGOTTEN) -> bool:
        """Remove the item on request, pinned or not; return whether it was there."""
        if item not in self.memory:
            return False
        self._evict([item], turn, reason)
        return True

    def forget_copy(self, item: Hashable, turn: int) -> None:
        """React to the request to forget an item that this one was derived from."""
        if self.reactions.on_forget == CASCADE:
            self.forget(item, turn, CASCADED)

    def supersede(self, item: Hashable, turn: int) -> None:
        """React to a newer version of the item, which is about to be registered."""
        if self.reactions.on_superseded == DELETE:
            self.forget(item, turn, SUPERSEDED)
        elif self.reactions.on_superseded == HIDE:
            self.hide(item, turn)

    def hide(self, item: Hashable, turn: int) -> None:
        """Let no recall find the item until it is registered anew; it stays, where it is there, and decays."""
        self.hidden[item] = turn

    def step(self, turn: int) -> list[Hashable]:
        """Run the pass of a turn: first what the policy evicts, then what has expired, each in the order of the store.

        An item goes in the pass of its ``expires_turn``, pinned or not: in that turn it can still be found. Last comes
        what finds no room, whether or not the policy looks in this turn.
        """
        self.advance(turn)
        gone: list[Hashable] = []
        if self.is_due(turn):
            gone = self.evicting(turn)
            if gone:
                gone = self._free_to_go(gone, turn)
                self._evict(gone, turn, DECAYED)
        if self._may_expire:
            expired = [item for item, state in self.memory.items() if NO_TURN < state.expires_turn <= turn]
            self._evict(expired, turn, EXPIRED)
            gone = gone + expired
        return gone if self.budget.limit == NO_LIMIT else gone + self._fit(turn)

    def _fit(self, turn: int, spared: tuple[Hashable, ...] = ()) -> list[Hashable]:
        """Evict what is larger than what pinned items leave, then the lowest, until the rest fits; return what went."""
        limit, size, gone = self.budget.limit, self.budget.size, list[Hashable]()
        left = limit - sum(size(item) for item in self.memory if item in self.pinned)
        if sum(map(size, self.memory)) > limit:
            gone = [item for item in self.memory if item not in self.pinned and size(item) > left]
            self._evict(gone, turn, CAPACITY)
        while sum(map(size, self.memory)) > limit:
            free = [item for item in self.memory if item not in self.pinned and item not in spared]
            if not free:
                break
            victim = min(free, key=lambda item: self._rank(item, turn))
            self._evict([victim], turn, CAPACITY)
            gone.append(victim)
        return gone

    def _rank(self, item: Hashable, turn: int) -> tuple[float, int, int, Any]:
        """Return what orders the victims: of equal priorities the longest untouched goes first, and so on."""
        state = self.memory[item]
        return self.priority(item, turn), state.last_touch, state.registered_turn, item

    def lost(self, item: Hashable) -> tuple[int | None, int]:
        """Return when and why a recall last stopped finding the item: evicted, or hidden by a newer version."""
        if item in self.hidden:
            return self.hidden[item], SUPERSEDED
        return self.eviction_log.get(item), self.eviction_reasons.get(item, 0)

    def is_present(self, item: Hashable) -> bool:
        """Tell whether the item is in the working set."""
        return item in self.memory

    def working_set_size(self) -> int:
        """Return the number of items in the working set."""
        return len(self.memory)

    def _free_to_go(self, items: list[Hashable], turn: int) -> list[Hashable]:
        """Return those of the items that are neither pinned nor in their grace."""
        grace = self.rules.grace_turns
        if self.pinned:
            items = [item for item in items if item not in self.pinned]
        if grace > 0:
            items = [item for item in items if not turn - self.memory[item].registered_turn < grace]
        return items

    def _evict(self, items: list[Hashable], turn: int, reason: int) -> None:
        for item in items:
            self.departed[item] = self.memory.pop(item)
            self.eviction_log[item] = turn
            self.eviction_reasons[item] = reason
