"""Stateful policies as a person would write them, for the tests that play, compile and check such policies."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from vecdecay.policies.stateful import HazardPolicy, HistoryPolicy, ItemFacts, StatefulPolicy

GROWTH = 1.5


def longer(stability: float, gap: int) -> float:
    """Return a stability raised by a gap; a plain function that a policy's own function calls."""
    return stability + GROWTH * gap


@dataclass(frozen=True)
class Gentle(StatefulPolicy):
    """A late recall helps more."""

    eviction_threshold: float = 0.2
    first_stability: float = 8.0

    def on_register(self, turn: int) -> Any:
        """Return stability and the turn of the last touch."""
        return self.first_stability, turn

    def on_recall(self, state: Any, turn: int) -> Any:
        """Return a stability raised by the time since the last touch."""
        return longer(state[0], turn - state[1]), turn

    def retention(self, state: Any, turn: int) -> float:
        """Return exp(-age / stability)."""
        return math.exp(-(turn - state[1]) / state[0])


@dataclass(frozen=True)
class Weekly(Gentle):
    """An item registered in a turn that is a multiple of 7 is forgotten faster: lives depend on which turn it is."""

    def on_register(self, turn: int) -> Any:
        """Return stability and the turn of the last touch."""
        return (self.first_stability / 4 if turn % 7 == 0 else self.first_stability), turn

    def stability(self, state: Any) -> float:
        """Return the stability in turns."""
        return float(state[0])


@dataclass(frozen=True)
class Important(StatefulPolicy):
    """An item loses a share of its score in each turn, the less the more important it is; static functions."""

    eviction_threshold: float = 0.2
    rate: float = 0.3

    @staticmethod
    def on_register(parameters: Any, turn: int, item: ItemFacts) -> Any:
        """Return the full score and what is kept of it in a turn."""
        kept = 1.0 - parameters.rate * (1.0 - item.importance)
        return 1.0, (kept if item.category == 0 else kept * 0.9)

    @staticmethod
    def on_recall(parameters: Any, state: Any, turn: int) -> Any:
        """Return a score raised half the way to 1."""
        return 0.5 + 0.5 * state[0], state[1]

    @staticmethod
    def on_turn(parameters: Any, state: Any, turn: int) -> Any:
        """Return the score after another turn."""
        return state[0] * state[1], state[1]

    @staticmethod
    def retention(parameters: Any, state: Any, turn: int) -> float:
        """Return the score."""
        return float(state[0])

    @staticmethod
    def stability(parameters: Any, state: Any) -> float:
        """Return a stability that changes from turn to turn."""
        return float(state[0] * 10.0)


@dataclass(frozen=True)
class LastTwo(HistoryPolicy):
    """The score follows the gap between the last two touches."""

    eviction_threshold: float = 0.2

    def retention(self, touches: Sequence[int], first: int, last: int, turn: int) -> float:
        """Return exp(-age / (4 + gap))."""
        gap = touches[last - 1] - touches[max(first, last - 2)]
        return math.exp(-float(turn - touches[last - 1]) / (4.0 + gap))


@dataclass(frozen=True)
class Coin(HazardPolicy):
    """Every third turn an item goes with the same probability."""

    chance: float = 0.4

    def on_register(self, turn: int) -> Any:
        """Return a state that says nothing but when."""
        return (turn,)

    def on_recall(self, state: Any, turn: int) -> Any:
        """Return the same for a recall."""
        return (turn,)

    def retention(self, state: Any, turn: int) -> float:
        """Return the probability to stay."""
        return 1.0 - self.chance

    def evicts(self, state: Any, turn: int, draw: float) -> bool:
        """Tell whether the item goes."""
        return draw < self.chance

    def period_turns(self) -> int:
        """Return 3."""
        return 3


@dataclass(frozen=True)
class Rust(Coin):
    """Every second turn an item goes with a probability that grows by itself, and that a recall halves."""

    chance: float = 0.1

    def on_register(self, turn: int) -> Any:
        """Return the probability."""
        return (self.chance,)

    def on_recall(self, state: Any, turn: int) -> Any:
        """Return half of it."""
        return (state[0] / 2.0,)

    def on_turn(self, state: Any, turn: int) -> Any:
        """Return it after another turn."""
        return (state[0] + 0.05 * (1.0 - state[0]),)

    def retention(self, state: Any, turn: int) -> float:
        """Return the probability to stay."""
        return float(1.0 - state[0])

    def evicts(self, state: Any, turn: int, draw: float) -> bool:
        """Tell whether the item goes."""
        return draw < state[0]

    def stability(self, state: Any) -> float:
        """Return something that shows the last state."""
        return float(state[0])

    def period_turns(self) -> int:
        """Return 2."""
        return 2


ALL = (Gentle(), Weekly(), Important(), LastTwo(), Coin(), Rust())
