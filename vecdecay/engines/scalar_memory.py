"""What the scalar engines share: the store of one session, in dictionaries, and what it remembers of each item."""

from collections.abc import Hashable, Iterable
from typing import Protocol


class ItemState:
    """What an engine remembers of one item; ``stability`` (turns) is None where the policy has no such notion."""

    __slots__ = ("last_counted", "last_touch", "recall_count", "registered_turn", "stability")

    def __init__(self, turn: int, stability: float | None) -> None:
        self.registered_turn = turn
        self.last_touch = turn
        self.last_counted = turn  # the latest use that raised the recall count
        self.recall_count = 1  # the registration counts as use number one
        self.stability = stability


class Engine(Protocol):
    """The five published methods, and the two logs that a measurement reads."""

    eviction_log: dict[Hashable, int]
    departed: dict[Hashable, ItemState]
    memory: dict[Hashable, ItemState]

    def register(self, item: Hashable, turn: int) -> None:
        """Put the item into memory."""

    def recall(self, item: Hashable, turn: int) -> bool:
        """Use the item; return whether it was there."""

    def step(self, turn: int) -> list[Hashable]:
        """Run the eviction pass of a turn; return what was evicted."""

    def is_present(self, item: Hashable) -> bool:
        """Tell whether the item is in the working set."""

    def working_set_size(self) -> int:
        """Return the number of items in the working set."""


class Memory:
    """What every engine shares: the store, the log of evictions, and the two questions about them."""

    def __init__(self, pinned: Iterable[Hashable] = ()) -> None:
        self.pinned = frozenset(pinned)
        self.memory: dict[Hashable, ItemState] = {}
        self.eviction_log: dict[Hashable, int] = {}
        self.departed: dict[Hashable, ItemState] = {}

    def is_present(self, item: Hashable) -> bool:
        """Tell whether the item is in the working set."""
        return item in self.memory

    def working_set_size(self) -> int:
        """Return the number of items in the working set."""
        return len(self.memory)

    def evict(self, items: list[Hashable], turn: int) -> list[Hashable]:
        """Drop the items, pinned ones excepted, and log it; return those that went."""
        if self.pinned:
            items = [item for item in items if item not in self.pinned]
        for item in items:
            self.departed[item] = self.memory.pop(item)
            self.eviction_log[item] = turn
        return items

    def past_grace(self, items: list[Hashable], turn: int, grace_turns: int) -> list[Hashable]:
        """Return those of the items that were registered at least ``grace_turns`` ago."""
        return [item for item in items if turn - self.memory[item].registered_turn >= grace_turns]
