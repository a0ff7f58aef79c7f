"""The scalar reference of cache policies, the one half: which item is the next to go. Plain Python, one class each.

A memory asks its :class:`Order` whom to evict. Pinned items stand in no order: they are never victims.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable

from vecdecay.engines.kernels.orders import VICTIM_STREAM
from vecdecay.engines.kernels.passes import POLICY_WORKLOAD
from vecdecay.engines.reference_relations import taken_at
from vecdecay.policies.belady import Belady
from vecdecay.policies.cache import CachePolicy
from vecdecay.policies.fifo import Fifo
from vecdecay.policies.gdsf import SCALE, Gdsf
from vecdecay.policies.lfu import FIRST_INSERTED, Lfu
from vecdecay.policies.lru import Lru
from vecdecay.policies.random_eviction import RandomEviction
from vecdecay.policies.s3_fifo import S3Fifo
from vecdecay.policies.sieve import Sieve
from vecdecay.sessions.draws import plain
from vecdecay.sessions.events import NO_TURN, RECALL
from vecdecay.sessions.philox import uniform
from vecdecay.sessions.session import Session

_uniform = plain(uniform)

Size = Callable[[Hashable], int]
"""Returns what an item takes of the budget."""


class Order(ABC):
    """Which of the items that may go is the next to go. ``place`` numbers the events of the session."""

    def __init__(self, policy: CachePolicy, size: Size, session: Session | None) -> None:
        self.size = size
        self.session = session

    def arrive(self, item: Hashable) -> None:  # noqa: B027  # most orders need not know
        """Take note that an item will enter, before room is made for it."""

    @abstractmethod
    def enter(self, item: Hashable, place: int) -> None:
        """Take in an item that was inserted."""

    @abstractmethod
    def touch(self, item: Hashable, place: int) -> None:
        """Take note of a recall that hits, or a registration of what is there."""

    @abstractmethod
    def leave(self, item: Hashable) -> None:
        """Let go of an item that went by another reason than capacity."""

    @abstractmethod
    def evict(self) -> Hashable:
        """Let go of the next victim, and return it; there is one."""

    def forget(self, item: Hashable) -> None:  # noqa: B027  # most orders remember nobody
        """Take note that an item is to be forgotten, there or not."""


class LruOrder(Order):
    """The longest untouched first."""

    def __init__(self, policy: CachePolicy, size: Size, session: Session | None) -> None:
        super().__init__(policy, size, session)
        self.queue: list[Hashable] = []

    def enter(self, item: Hashable, place: int) -> None:
        """Go to the end."""
        self.queue.append(item)

    def touch(self, item: Hashable, place: int) -> None:
        """Go to the end again."""
        self.queue.remove(item)
        self.queue.append(item)

    def leave(self, item: Hashable) -> None:
        """Close the gap."""
        self.queue.remove(item)

    def evict(self) -> Hashable:
        """Take the first."""
        return self.queue.pop(0)


class FifoOrder(LruOrder):
    """The first inserted first."""

    def touch(self, item: Hashable, place: int) -> None:
        """Stay."""


class SieveOrder(FifoOrder):
    """The next unmarked one under the hand; ``hand`` is a place in the queue."""

    def __init__(self, policy: CachePolicy, size: Size, session: Session | None) -> None:
        super().__init__(policy, size, session)
        self.marked: set[Hashable] = set()
        self.hand = 0

    def touch(self, item: Hashable, place: int) -> None:
        """Set the mark."""
        self.marked.add(item)

    def leave(self, item: Hashable) -> None:
        """Close the gap; under the hand comes the item behind."""
        gone = self.queue.index(item)
        self.marked.discard(item)
        del self.queue[gone]
        if gone < self.hand:
            self.hand -= 1
        self._wrap()

    def evict(self) -> Hashable:
        """Clear marks until there is none."""
        while self.queue[self.hand] in self.marked:
            self.marked.remove(self.queue[self.hand])
            self.hand += 1
            self._wrap()
        victim = self.queue.pop(self.hand)
        self._wrap()
        return victim

    def _wrap(self) -> None:
        """Go back from behind the newest to the oldest."""
        if self.hand == len(self.queue):
            self.hand = 0


class S3FifoOrder(Order):
    """Two queues of (item: touches), the first inserted first, and a ghost that holds names."""

    def __init__(self, policy: S3Fifo, size: Size, session: Session | None) -> None:
        super().__init__(policy, size, session)
        self.policy = policy
        self.small: dict[Hashable, int] = {}
        self.main: dict[Hashable, int] = {}
        self.ghost: dict[Hashable, None] = {}
        self.returns = False
        self.has_evicted = False

    def arrive(self, item: Hashable) -> None:
        """Ask the ghost."""
        self.returns = item in self.ghost
        self.ghost.pop(item, None)

    def enter(self, item: Hashable, place: int) -> None:
        """Go to the end of a queue, without a touch; the small one is not filled beyond its share at first."""
        fills = not self.has_evicted and self._held(self.small) >= self.policy.small_limit()
        (self.main if self.returns or fills else self.small)[item] = 0

    def touch(self, item: Hashable, place: int) -> None:
        """Count."""
        (self.small if item in self.small else self.main)[item] += 1

    def leave(self, item: Hashable) -> None:
        """Close the gap; the ghost learns nothing."""
        self.small.pop(item, None)
        self.main.pop(item, None)

    def forget(self, item: Hashable) -> None:
        """Let the ghost forget too."""
        self.ghost.pop(item, None)

    def evict(self) -> Hashable:
        """Look in the queue that is to give, until there is a victim: the small one may move all to the main one."""
        victim, self.has_evicted = None, True
        while victim is None:
            in_main = self._held(self.main) > self.policy.main_limit() or not self.small
            victim = self._evict_main() if in_main else self._evict_small()
        return victim

    def _evict_small(self) -> Hashable | None:
        while self.small:
            item, touches = _popped_first(self.small)
            if touches < self.policy.move_threshold:
                self._remember(item)
                return item
            self.main[item] = 0
        return None

    def _evict_main(self) -> Hashable:
        item, touches = _popped_first(self.main)
        while touches > 0:
            self.main[item] = min(touches, 3) - 1
            item, touches = _popped_first(self.main)
        return item

    def _remember(self, item: Hashable) -> None:
        if self.size(item) > self.policy.ghost_limit():
            return
        while self._held(self.ghost) + self.size(item) > self.policy.ghost_limit():
            self.ghost.pop(next(iter(self.ghost)))
        self.ghost[item] = None

    def _held(self, queue: dict[Hashable, int] | dict[Hashable, None]) -> int:
        return sum(map(self.size, queue))


def _popped_first(queue: dict[Hashable, int]) -> tuple[Hashable, int]:
    item = next(iter(queue))
    return item, queue.pop(item)


class RankedOrder(Order):
    """The lowest rank first: all items are looked at. ``ranks`` holds (rank, what decides among equals)."""

    def __init__(self, policy: CachePolicy, size: Size, session: Session | None) -> None:
        super().__init__(policy, size, session)
        self.touches: dict[Hashable, int] = {}
        self.ranks: dict[Hashable, tuple[float, int]] = {}
        self.clock = 0

    def enter(self, item: Hashable, place: int) -> None:
        """Count the insertion as touch number one."""
        self.touches[item] = 0
        self.touch(item, place)

    def touch(self, item: Hashable, place: int) -> None:
        """Rank anew; among equals by the latest touch."""
        self.clock += 1
        self.touches[item] += 1
        self.ranks[item] = self.rank(item, place), self.clock

    def leave(self, item: Hashable) -> None:
        """Forget the rank."""
        del self.ranks[item], self.touches[item]

    def evict(self) -> Hashable:
        """Take the lowest."""
        victim = min(self.ranks, key=lambda item: self.ranks[item])
        self.leave(victim)
        return victim

    @abstractmethod
    def rank(self, item: Hashable, place: int) -> float:
        """Return the rank of an item that was touched in this place."""


class LfuOrder(RankedOrder):
    """The fewest touches first."""

    def __init__(self, policy: Lfu, size: Size, session: Session | None) -> None:
        super().__init__(policy, size, session)
        self.keeps_place = policy.tie == FIRST_INSERTED

    def rank(self, item: Hashable, place: int) -> float:
        """Return the touches."""
        return self.touches[item]

    def touch(self, item: Hashable, place: int) -> None:
        """Rank anew; among equals by the latest touch, or by the insertion."""
        before = self.ranks.get(item)
        super().touch(item, place)
        if before is not None and self.keeps_place:
            self.ranks[item] = self.ranks[item][0], before[1]


class GdsfOrder(RankedOrder):
    """The lowest floor + touches × scale / size first."""

    floor = 0.0

    def rank(self, item: Hashable, place: int) -> float:
        """Return the priority."""
        return self.floor + self.touches[item] * SCALE / max(self.size(item), 1)

    def evict(self) -> Hashable:
        """Raise the floor to the victim's priority."""
        self.floor = min(self.ranks.values())[0]
        return super().evict()


class BeladyOrder(RankedOrder):
    """The farthest next recall first."""

    def __init__(self, policy: CachePolicy, size: Size, session: Session | None) -> None:
        super().__init__(policy, size, session)
        self.taken = {} if session is None else taken_at(session, policy.reactions())

    def rank(self, item: Hashable, place: int) -> float:
        """Return minus the place of the item's next event, if that is a recall that can find it; else -inf."""
        session = self.session
        if session is None or not isinstance(item, int):
            return -math.inf
        turn = session.events[place][0]
        taken = self.taken
        later = (
            number
            for number in range(place + 1, len(session.events))
            if session.events[number][2] == item or item in taken.get(number, ())
        )
        at = next(later, None)
        expires = session.expires_turns[item] if session.expires_turns else NO_TURN
        if at is None or session.events[at][1] != RECALL or item in taken.get(place, ()):
            return -math.inf
        if expires != NO_TURN and session.events[at][0] > max(expires, turn):
            return -math.inf
        return -at


class RandomOrder(Order):
    """One drawn at random: the last takes the place of the one that leaves."""

    def __init__(self, policy: CachePolicy, size: Size, session: Session | None) -> None:
        super().__init__(policy, size, session)
        self.key = session.seed_key if session else 0
        self.members: list[Hashable] = []
        self.draws = 0

    def enter(self, item: Hashable, place: int) -> None:
        """Go to the end."""
        self.members.append(item)

    def touch(self, item: Hashable, place: int) -> None:
        """Do nothing."""

    def leave(self, item: Hashable) -> None:
        """Move the last one here."""
        gone, last = self.members.index(item), self.members.pop()
        if last != item:
            self.members[gone] = last

    def evict(self) -> Hashable:
        """Draw."""
        chance = _uniform(self.key, POLICY_WORKLOAD, VICTIM_STREAM, 0, self.draws)
        self.draws += 1
        victim = self.members[int(chance * len(self.members))]
        self.leave(victim)
        return victim


_ORDERS: dict[type[CachePolicy], Callable[..., Order]] = {
    Lru: LruOrder,
    Fifo: FifoOrder,
    Lfu: LfuOrder,
    Sieve: SieveOrder,
    S3Fifo: S3FifoOrder,
    Gdsf: GdsfOrder,
    RandomEviction: RandomOrder,
    Belady: BeladyOrder,
}


def order_for(policy: CachePolicy, size: Size, session: Session | None) -> Order:
    """Return the order in which items go under the policy."""
    kind = next(one for one in type(policy).__mro__ if one in _ORDERS)
    return _ORDERS[kind](policy, size, session)
