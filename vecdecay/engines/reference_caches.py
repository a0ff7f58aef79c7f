"""The scalar reference of cache policies: a memory with a budget, that makes room before an item is inserted."""

from collections.abc import Hashable

from vecdecay.engines.kernels.fields import CAPACITY, FORGOTTEN
from vecdecay.engines.orders import order_for
from vecdecay.engines.scalar_memory import Memory
from vecdecay.policies.cache import CachePolicy
from vecdecay.sessions.events import NO_GRADE, NO_TURN
from vecdecay.sessions.session import Session


class CachePolicyEngine(Memory):
    """A memory with a budget; see :class:`vecdecay.policies.cache.CachePolicy` for the rules.

    >>> from vecdecay.policies.lru import Lru
    >>> engine = CachePolicyEngine(Lru(capacity_items=2))
    >>> for item in "abac":
    ...     engine.recall(item, turn=1) or engine.register(item, turn=1)
    True
    >>> engine.is_present("a"), engine.is_present("b"), engine.eviction_log
    (True, False, {'b': 1})
    """

    def __init__(self, policy: CachePolicy, session: Session | None = None) -> None:
        every = session.attributes if session is not None else ()
        super().__init__(policy.rules(), (item for item, attributes in enumerate(every) if attributes.pinned))
        self.limit = policy.limit()
        self.tokens = session.tokens if session and policy.counts_tokens() else ()
        self.order = order_for(policy, self.size, session)
        self.place = 0

    def size(self, item: Hashable) -> int:
        """Return what an item takes of the budget."""
        return self.tokens[item] if self.tokens else 1  # type: ignore[call-overload]

    def held(self) -> int:
        """Return how much of the budget is taken."""
        return sum(map(self.size, self.memory))

    def fresh(self, item: Hashable, turn: int) -> None:
        """Return None: there is no stability."""

    def reinforce(self, item: Hashable, state: object, turn: int) -> None:
        """Do nothing: a touch moves the item in its order only."""

    def evicting(self, turn: int) -> list[Hashable]:
        """Return nothing: nothing decays."""
        return []

    def at_event(self, place: int) -> None:
        """Take note of which event of the session comes now."""
        self.place = place

    def register(self, item: Hashable, turn: int, expires_turn: int = NO_TURN, grade: int = NO_GRADE) -> None:
        """Make room for what is not there, then insert it; what is there is touched."""
        if item in self.memory:
            super().register(item, turn, expires_turn, grade)
            self._touch(item)
            return
        fits = self._make_room(item, turn)
        super().register(item, turn, expires_turn, grade)
        if not fits:
            self._evict([item], turn, CAPACITY)
        elif item not in self.pinned:
            self.order.enter(item, self.place)

    def recall(self, item: Hashable, turn: int, grade: int = NO_GRADE) -> bool:
        """Use the item."""
        found = super().recall(item, turn, grade)
        if found:
            self._touch(item)
        return found

    def forget(self, item: Hashable, turn: int, reason: int = FORGOTTEN) -> bool:
        """Remove the item on request, from what the order remembers too."""
        self.order.forget(item)
        return super().forget(item, turn, reason)

    def _touch(self, item: Hashable) -> None:
        if item not in self.pinned:
            self.order.touch(item, self.place)

    def _make_room(self, item: Hashable, turn: int) -> bool:
        """Evict until the item fits; return False, and evict nothing, where it never can."""
        size = self.size(item)
        pinned = [one for one in self.memory if one in self.pinned]
        if item not in self.pinned:
            if size > self.limit - sum(map(self.size, pinned)):
                return False
            self.order.arrive(item)
        while self.held() + size > self.limit and len(self.memory) > len(pinned):
            self._evict([self.order.evict()], turn, CAPACITY)
        return True

    def _evict(self, items: list[Hashable], turn: int, reason: int) -> None:
        super()._evict(items, turn, reason)
        for item in items:
            if reason != CAPACITY and item not in self.pinned:
                self.order.leave(item)
