"""Policies of which every life is known beforehand."""

from dataclasses import dataclass
from typing import Any

from vecdecay.policies.stateful import HazardPolicy, StatefulPolicy


@dataclass(frozen=True)
class Steps(StatefulPolicy):
    """Its score is ``first`` up to an age, and 0 from that age on."""

    eviction_threshold: float = 0.2
    first: float = 1.0
    until: float = 5.0

    def on_register(self, turn: int) -> Any:
        """Return the turn."""
        return (turn,)

    def on_recall(self, state: Any, turn: int) -> Any:
        """Return the turn."""
        return (turn,)

    def retention(self, state: Any, turn: int) -> float:
        """Return the score."""
        return self.first if turn - state[0] < self.until else 0.0


@dataclass(frozen=True)
class Unmoved(Steps):
    """The same, by a state that moves from turn to turn."""

    def on_turn(self, state: Any, turn: int) -> Any:
        """Return the state as it is."""
        return state


@dataclass(frozen=True)
class Thrice(Steps):
    """It keeps an item only once it was used three times."""

    def on_register(self, turn: int) -> Any:
        """Return one use and its turn."""
        return 1, turn

    def on_recall(self, state: Any, turn: int) -> Any:
        """Return one use more and its turn."""
        return state[0] + 1, turn

    def retention(self, state: Any, turn: int) -> float:
        """Return the score."""
        return self.first if state[0] >= 3 and turn - state[1] < self.until else 0.0


@dataclass(frozen=True)
class Coin(HazardPolicy):
    """Every pass keeps an item with the same chance."""

    chance: float = 0.9
    period: int = 1

    def period_turns(self) -> int:
        """Return the turns between two passes."""
        return self.period

    def on_register(self, turn: int) -> Any:
        """Return nothing of interest."""
        return (0.0,)

    def on_recall(self, state: Any, turn: int) -> Any:
        """Return the state as it is."""
        return state

    def retention(self, state: Any, turn: int) -> float:
        """Return the chance to stay."""
        return self.chance

    def evicts(self, state: Any, turn: int, draw: float) -> bool:
        """Tell whether the item goes."""
        return draw > self.chance
