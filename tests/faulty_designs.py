"""Policies with one trait of design each, which breaks no invariant, and of which one design note tells."""

from dataclasses import dataclass
from typing import Any

from faulty_policies import Sound, SoundState

from vecdecay.policies.base import TablePolicy
from vecdecay.policies.rules import Rules
from vecdecay.policies.stateful import HazardPolicy


@dataclass(frozen=True)
class Quiet(TablePolicy):
    """A half-life that a recall only starts anew: nothing to note."""

    half_life: float = 5.0
    eviction_threshold: float = 0.2

    def retention(self, age, recall_count):
        return 1.0 if age <= 0 else 0.5 ** (age / self.half_life)


@dataclass(frozen=True)
class Floor(Quiet):
    """A score that never falls below 0.3."""

    def retention(self, age, recall_count):
        return max(Quiet.retention(self, age, recall_count), 0.3)


@dataclass(frozen=True)
class FloorOfStrategies(Quiet):
    """The same for one category."""

    def retention(self, age, recall_count, item):
        return max(Quiet.retention(self, age, recall_count), 0.3 if item.category == "strategy" else 0.0)


@dataclass(frozen=True)
class FloorAfterTwoRecalls(Quiet):
    """The same for what was used."""

    def retention(self, age, recall_count):
        return max(Quiet.retention(self, age, recall_count), 0.3 if recall_count > 2 else 0.0)


@dataclass(frozen=True)
class FloorByTurn(SoundState):
    """The same in a state that is moved on turn by turn, by what the turn is: a second call in a turn does nothing."""

    def on_recall(self, state: Any, turn: int) -> Any:
        return self.first, turn

    def on_turn(self, state: Any, turn: int) -> Any:
        return state

    def retention(self, state: Any, turn: int) -> float:
        return max(SoundState.retention(self, state, turn), 0.3)


@dataclass(frozen=True)
class Exempt(Quiet):
    """What is important stays."""

    def retention(self, age, recall_count, item):
        return 1.0 if item.importance >= 0.65 else Quiet.retention(self, age, recall_count)


@dataclass(frozen=True)
class Unmoved(Quiet):
    """Ages count from the registration."""

    def rules(self) -> Rules:
        return Rules(touch_refreshes=False)


@dataclass(frozen=True)
class EachCallWears(SoundState):
    """The score is multiplied at each call of on_turn."""

    def on_register(self, turn: int) -> Any:
        return (1.0,)

    def on_recall(self, state: Any, turn: int) -> Any:
        return (1.0,)

    def on_turn(self, state: Any, turn: int) -> Any:
        return (state[0] * (1.0 - 0.5 / self.first),)

    def retention(self, state: Any, turn: int) -> float:
        return state[0]


@dataclass(frozen=True)
class Dice(HazardPolicy):
    """Each pass keeps an item with the same probability."""

    kept: float = 0.75

    def on_register(self, turn: int) -> Any:
        return (turn,)

    def on_recall(self, state: Any, turn: int) -> Any:
        return (turn,)

    def retention(self, state: Any, turn: int) -> float:
        return 1.0 if turn == state[0] else self.kept

    def evicts(self, state: Any, turn: int, draw: float) -> bool:
        return turn > state[0] and draw > self.kept


@dataclass(frozen=True)
class FromTheImportance(Quiet):
    """The score begins at the importance, which a score of 1.0 at an age that no pass meets hides."""

    def rules(self) -> Rules:
        return Rules(inclusive=True)

    def retention(self, age, recall_count, item):
        return 1.0 if age <= 0 else item.importance * 0.5 ** (age / self.half_life)


@dataclass(frozen=True)
class Cooled(Sound):
    """Recalls within five turns count once, so that a loop gains nothing."""

    def rules(self) -> Rules:
        return Rules(cooldown_turns=5)
