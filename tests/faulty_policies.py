"""Policies with one planted fault each, as people make them, and the invariant that has to name the fault."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from vecdecay.parameters import parameter
from vecdecay.policies.base import TablePolicy
from vecdecay.policies.rules import Rules
from vecdecay.policies.stateful import HistoryPolicy, StatefulPolicy

_asked: list[int] = []
_passes: dict[int, int] = {}


@dataclass(frozen=True)
class Sound(TablePolicy):
    """A policy without a fault, from which the others are made."""

    half_life: float = 5.0
    eviction_threshold: float = 0.2

    def retention(self, age, recall_count):
        return 1.0 if age <= 0 else 0.5 ** (age / (self.half_life * recall_count))


@dataclass(frozen=True)
class SoundState(StatefulPolicy):
    """A stateful policy without a fault."""

    eviction_threshold: float = 0.2
    first: float = 4.0

    def on_register(self, turn: int) -> Any:
        return self.first, turn

    def on_recall(self, state: Any, turn: int) -> Any:
        return state[0] + 1.0, turn

    def retention(self, state: Any, turn: int) -> float:
        return math.exp(-(turn - state[1]) / state[0])


@dataclass(frozen=True)
class Above1(Sound):
    """A boost that nobody caps."""

    def retention(self, age, recall_count):
        return 1.0 if age <= 0 else 0.5 ** (age / self.half_life) * (1 + recall_count / 10)


@dataclass(frozen=True)
class NotANumber(Sound):
    """Infinity divided by infinity after some recalls."""

    def retention(self, age, recall_count):
        return 1.0 if age <= 0 else math.nan if recall_count > 100 else Sound.retention(self, age, recall_count)


@dataclass(frozen=True)
class Drifting(Sound):
    """Rounding noise as large as the steps of the curve."""

    def retention(self, age, recall_count):
        score = Sound.retention(self, age, recall_count)
        return (score + 1e4) - 1e4 + 1e-13 * (age % 2) if age > 0 else 1.0


@dataclass(frozen=True)
class InvertedExponent(Sound):
    """The strength multiplies the age."""

    def retention(self, age, recall_count):
        return 1.0 if age <= 0 else 0.5 ** (age / self.half_life * recall_count)


@dataclass(frozen=True)
class ShorterLife(SoundState):
    """A recall in the turn after another one halves the stability."""

    def on_recall(self, state: Any, turn: int) -> Any:
        return (state[0] / 2 if turn - state[1] == 1 else state[0] + 1.0), turn


@dataclass(frozen=True)
class FromAge1(Sound):
    """Below 1 at the touch itself."""

    def retention(self, age, recall_count):
        return 0.5 ** ((max(age, 0) + 1) / (self.half_life * recall_count))


@dataclass(frozen=True)
class StateFromAge1(SoundState):
    """The same in a state."""

    def retention(self, state: Any, turn: int) -> float:
        return math.exp(-(turn - state[1] + 1) / state[0])


@dataclass(frozen=True)
class Overflowing(Sound):
    """A stability that is multiplied up without an end."""

    def retention(self, age, recall_count):
        return 1.0 if age <= 0 else math.exp(-age / (self.half_life * 2.0**recall_count))


@dataclass(frozen=True)
class OverflowingState(SoundState):
    """The same in a state: infinity minus infinity."""

    def on_recall(self, state: Any, turn: int) -> Any:
        return state[0] * 3.0 - state[0], turn


@dataclass(frozen=True)
class ReadingWears(Sound):
    """Each look at a score costs a little of it."""

    def retention(self, age, recall_count):
        _asked.append(age)
        return 1.0 if age <= 0 else max(0.5 ** (age / (self.half_life * recall_count)) - len(_asked) * 1e-9, 0.0)


@dataclass(frozen=True)
class PassesWear(Sound):
    """The second decision about the same age is another one, as where the pass itself wears items down."""

    def evicts(self, age, recall_count):
        _passes[age] = _passes.get(age, 0) + 1
        return _passes[age] % 2 == 0 and age > 2


@dataclass(frozen=True)
class OnlyOnSundays(Sound):
    """Due at some ages only, so that an item is missed where the pass does not run just then."""

    def evicts(self, age, recall_count):
        return age % 5 == 3


@dataclass(frozen=True)
class OneOfTwo(Sound):
    """A pass that takes every other row."""

    def evicts(self, age, recall_count):
        _asked.append(age)
        return age > 3 and len(_asked) % 2 == 0


@dataclass(frozen=True)
class WrongWayRound(Sound):
    """A higher threshold keeps more."""

    def evicts(self, age, recall_count):
        return age > 0 and Sound.retention(self, age, recall_count) < 1.0 - self.eviction_threshold


@dataclass(frozen=True)
class AnotherScore(Sound):
    """What is reported is not what decides: at equality the item goes."""

    eviction_threshold: float = 0.5

    def evicts(self, age, recall_count):
        return age > 0 and Sound.retention(self, age, recall_count) <= self.eviction_threshold


@dataclass(frozen=True)
class Inert(Sound):
    """A parameter that is never looked at."""

    max_stability: float = 100.0


@dataclass(frozen=True)
class StaleDeclaration(Sound):
    """Says that it breaks an invariant, and keeps it."""

    def breaks(self) -> tuple[str, ...]:
        return ("never_rises_with_age",)


@dataclass(frozen=True)
class UnknownDeclaration(Sound):
    """Says that it breaks an invariant that does not exist."""

    def breaks(self) -> tuple[str, ...]:
        return ("never_rises_with_ages",)


@dataclass(frozen=True)
class Declared(InvertedExponent):
    """Breaks an invariant, and says so."""

    def breaks(self) -> tuple[str, ...]:
        return ("a_recall_never_shortens_life",)


@dataclass(frozen=True)
class NeedsAChoice(Sound):
    """A parameter that matters only where a flag is set, and one that only the rules look at."""

    capped: bool = False
    cap: float = 7.0
    period_turns: int = 1

    def rules(self) -> Rules:
        return Rules(period_turns=max(self.period_turns, 1))

    def retention(self, age, recall_count):
        stability = self.half_life * recall_count
        return 1.0 if age <= 0 else 0.5 ** (age / (min(stability, self.cap) if self.capped else stability))


@dataclass(frozen=True)
class AboveForSome(Sound):
    """Above 1 for important failures only."""

    reads: ClassVar[tuple[str, ...]] = ("importance", "category")

    def retention(self, age, recall_count, item):
        boosted = item.importance > 0.9 and item.category == "failure"
        return Sound.retention(self, age, recall_count) * (1.2 if boosted else 1.0)


@dataclass(frozen=True)
class NegativeState(SoundState):
    """A linear decay without a floor."""

    def retention(self, state: Any, turn: int) -> float:
        return 1.0 - (turn - state[1]) / (10.0 * state[0])


@dataclass(frozen=True)
class LateRise(Sound):
    """A bonus that sets in at a high age."""

    def retention(self, age, recall_count):
        return Sound.retention(self, age, recall_count) if age < 3_000 else 0.5


@dataclass(frozen=True)
class RisingState(SoundState):
    """A bonus that sets in a while after the touch."""

    def retention(self, state: Any, turn: int) -> float:
        return 0.9 if turn - state[1] == 9 else math.exp(-(turn - state[1]) / state[0])


@dataclass(frozen=True)
class Below1AfterUse(Sound):
    """Below 1 at the touch itself, from the third use on."""

    def retention(self, age, recall_count):
        return Sound.retention(self, age, recall_count) * (1.0 if recall_count < 3 else 0.99)


@dataclass(frozen=True)
class LostInTheLongRun(Sound):
    """No number, at high ages after very many recalls."""

    def retention(self, age, recall_count):
        return math.nan if age > 5_000 and recall_count > 10_000 else Sound.retention(self, age, recall_count)


@dataclass(frozen=True)
class OverflowingInOneTurn(SoundState):
    """Recalls in one turn multiply the stability."""

    def on_recall(self, state: Any, turn: int) -> Any:
        return (state[0] * 2.0 - state[0] if turn == state[1] else state[0]) * 2.0, turn


@dataclass(frozen=True)
class OverflowingTurnByTurn(SoundState):
    """Recalls in a later turn multiply the stability, and infinity minus infinity is no number."""

    def on_recall(self, state: Any, turn: int) -> Any:
        return state[0] * (3.0 if turn > state[1] else 1.0) - state[0] * (turn > state[1]), turn


@dataclass(frozen=True)
class SoundHistory(HistoryPolicy):
    """A policy over the touches themselves, without a fault."""

    eviction_threshold: float = 0.2
    scale: float = 5.0

    def retention(self, touches: Any, first: int, last: int, turn: int) -> float:
        return 1.0 / (1.0 + (turn - touches[last - 1]) / (self.scale * (last - first)))


@dataclass(frozen=True)
class CrowdedHistory(SoundHistory):
    """No number where many touches fall in one turn."""

    def retention(self, touches: Any, first: int, last: int, turn: int) -> float:
        if last - first > 1_000 and touches[first] == touches[last - 1]:
            return math.nan
        return 1.0 / (1.0 + (turn - touches[last - 1]) / (self.scale * (last - first)))


@dataclass(frozen=True)
class LongHistory(SoundHistory):
    """No number where touches span many turns."""

    def retention(self, touches: Any, first: int, last: int, turn: int) -> float:
        if touches[last - 1] - touches[first] > 10_000:
            return math.nan
        return 1.0 / (1.0 + (turn - touches[last - 1]) / (self.scale * (last - first)))


@dataclass(frozen=True)
class KeptBelow(Sound):
    """An item with a score below the threshold is kept for a while."""

    def evicts(self, age, recall_count):
        return age > 15 and Sound.retention(self, age, recall_count) < self.eviction_threshold


@dataclass(frozen=True)
class SneakingThreshold(SoundState):
    """The score grows with the square of the threshold."""

    def retention(self, state: Any, turn: int) -> float:
        age = turn - state[1]
        return (
            1.0
            if age == 0
            else min(5.0 * self.eviction_threshold * self.eviction_threshold * math.exp(-age / state[0]), 0.99)
        )


@dataclass(frozen=True)
class SecondThreshold(Sound):
    """A second threshold, whose meaning is turned round."""

    drop_threshold: float = 0.4

    def evicts(self, age, recall_count):
        return age > 0 and Sound.retention(self, age, recall_count) < 1.0 - self.drop_threshold


@dataclass(frozen=True)
class InertOfEveryKind(Sound):
    """Parameters of all kinds that are never looked at."""

    flag: bool = False
    whole: int = 3
    weights: tuple[float, ...] = (1.0, 2.0)
    mode: str = parameter("mild", choices=("mild", "steep"), meaning="nothing")


@dataclass(frozen=True)
class ActiveOfEveryKind(Sound):
    """The same parameters, all looked at; the boost only for important strategies."""

    reads: ClassVar[tuple[str, ...]] = ("importance", "category")
    flag: bool = False
    whole: int = 3
    weights: tuple[float, ...] = (1.0, 2.0)
    mode: str = parameter("mild", choices=("mild", "steep"), meaning="the base")
    boost: float = 2.0

    def retention(self, age, recall_count, item):
        stability = self.half_life * recall_count * sum(self.weights) + self.whole + 2 * self.flag
        if item.importance > 0.9 and item.category == "strategy":
            stability *= max(self.boost, 1.0)
        return (0.5 if self.mode == "mild" else 0.25) ** (age / stability)


@dataclass(frozen=True)
class NeedsTheItem(Sound):
    """A sound policy that cannot be asked without an item."""

    reads: ClassVar[tuple[str, ...]] = ("importance",)

    def retention(self, age, recall_count, item):
        return 0.5 ** (age / (self.half_life * recall_count * (0.5 + item.importance)))


@dataclass(frozen=True)
class ShortLived(SoundState):
    """A sound policy that cannot be recalled late: the score that is left would be raised to a negative power."""

    first: float = 0.05

    def on_recall(self, state: Any, turn: int) -> Any:
        return state[0] * (1.0 + 0.1 * math.exp(-(turn - state[1]) / state[0]) ** -0.2), turn


@dataclass(frozen=True)
class Forgotten(Sound):
    """A name that nobody has imported."""

    def retention(self, age, recall_count):
        return maths.exp(-age / self.half_life)  # type: ignore[name-defined]  # noqa: F821
