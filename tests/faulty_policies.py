"""Policies with one planted fault each, as people make them, and the invariant that has to name the fault."""

import math
from dataclasses import dataclass
from typing import Any

from vecdecay.policies.base import Rules, TablePolicy
from vecdecay.policies.stateful import StatefulPolicy

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
        return math.exp(-max(turn - state[1], 0) / state[0])


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
class BackwardsClock(SoundState):
    """Above 1 where the clock runs backwards."""

    def retention(self, state: Any, turn: int) -> float:
        return math.exp(-(turn - state[1]) / state[0])


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


FAULTS = {
    "retention_is_from_0_to_1": (Above1(), NotANumber()),
    "never_rises_with_age": (Drifting(),),
    "a_recall_never_shortens_life": (InvertedExponent(), ShorterLife()),
    "exactly_1_at_age_0": (FromAge1(), BackwardsClock()),
    "finite_after_a_million_recalls": (Overflowing(), OverflowingState(), NotANumber()),
    "reading_a_score_changes_nothing": (ReadingWears(),),
    "stepping_twice_changes_nothing": (PassesWear(),),
    "stepping_less_often_only_delays": (OnlyOnSundays(),),
    "row_order_does_not_matter": (OneOfTwo(),),
    "nested_in_the_threshold": (WrongWayRound(),),
    "evicted_is_below_the_threshold": (WrongWayRound(), AnotherScore()),
    "every_parameter_changes_some_outcome": (Inert(),),
    "vectorised_equals_reference": (OnlyOnSundays(),),
}
"""The invariants, and policies that break them; of pins, no policy has a say."""
