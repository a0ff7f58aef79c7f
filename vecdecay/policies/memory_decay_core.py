"""memory-decay-core: two scores and a stability that all decay tick by tick, and a recall that adds a little."""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from vecdecay.items import DEFAULT_ATTRIBUTES, category_number
from vecdecay.parameters import parameter
from vecdecay.policies.stateful import ItemFacts, StatefulPolicy

FACT = category_number("fact")

_PROGRAM_IMPORTANCE = DEFAULT_ATTRIBUTES.importance
_SOURCE_IMPORTANCE = 0.7

_RETRIEVAL_BOOST = 0.10
_STORAGE_SHARE = 0.25
_STABILITY_GAIN = 0.2
_STABILITY_DECAY = 0.01
_SMALLEST_FACTOR = 1e-9


class MemoryDecayCoreConstants(NamedTuple):
    """Flags instead of names, and the rate of either type of item."""

    power_law: bool
    by_storage: bool
    fact_rate: float
    other_rate: float
    ticks_per_turn: int
    as_an_episode: bool


State = tuple[float, float, float, float, float]
"""Retrieval score, storage score, stability (no unit, 0 to 1), importance, rate of the item's type."""


@dataclass(frozen=True)
class MemoryDecayCore(StatefulPolicy):
    """Multiply an item's score by a factor at every tick; a recall adds 0.10 and slows the decay for a while.

    An item carries a retrieval score and a storage score, both from 1, and a stability from 0. At each tick both
    scores are multiplied by exp(-rate / f), f = (1 + 0.5 × importance) × (1 + 0.8 × stability); then the stability
    loses one percent. A recall adds 0.10 to the retrieval score, 0.025 to the storage score and 0.2 × (1 - stability)
    to the stability. The tick is iterated as published: a closed form is another number in floats. A tick is an hour in
    the published server; here a turn is ``ticks_per_turn`` of them. They fall between two turns, so an item is
    undecayed in the turn of its registration.

    Users of the source should know: the decay that it calls ``power_law`` multiplies by
    1 / (1 + rate / f), a constant ratio. It is as geometric as the exponential one, has no long tail, and forgets
    four times faster (0.9398 a tick against 0.9841 for a fresh fact of importance 0.5). A recall does not bring a
    score back to 1, and one that comes late may not lift it over the threshold.

    Facts have a rate of their own, every other category the other one. In the source, an item without a type is
    an episode of importance 0.7. Here, an item with the program's default attributes, a fact of importance 0.5, counts
    as such an episode, unless ``default_item = "fact"`` takes it as it is.

    The source deletes nothing: the threshold is this program's, and so is the choice of the ``score`` that it is held
    against.

    Source: memory-decay/memory-decay-core, src/memory_decay/decay.py and memory_store.py.

    >>> facts = [MemoryDecayCore(decay_formula=decay, default_item="fact") for decay in ("exponential", "power_law")]
    >>> [round(policy.score([1], turn=2), 4) for policy in facts], [policy.life([1], limit=1000) for policy in facts]
    ([0.9841, 0.9398], [101, 26])
    >>> MemoryDecayCore().life([1], limit=1000), MemoryDecayCore(decay_formula="power_law").life([1], limit=1000)
    (63, 19)
    """

    name: ClassVar[str] = "memory_decay_core"
    summary: ClassVar[str] = "scores decay tick by tick, a recall adds a little to them"
    formula: ClassVar[str] = (
        "evict when score < eviction_threshold; each tick: score *= exp(-rate / f) or 1 / (1 + rate / f), "
        "f = (1 + 0.5 × importance) × (1 + 0.8 × stability), stability *= 0.99; "
        "at a recall: score += 0.10, stability += 0.2 × (1 - stability)"
    )
    source: ClassVar[str] = "memory-decay/memory-decay-core, src/memory_decay/decay.py, memory_store.py"
    turn_invariant: ClassVar[bool] = True
    time_unit: ClassVar[str] = "tick"

    eviction_threshold: float = parameter(
        0.20, above=0.0, below=1.0, meaning="an item is evicted when its score falls below this"
    )
    decay_formula: str = parameter(
        "exponential",
        choices=("exponential", "power_law"),
        meaning="what the source calls the decay; both are geometric",
    )
    score_held: str = parameter(
        "retrieval",
        choices=("retrieval", "storage"),
        meaning="which of an item's two scores the threshold is held against",
    )
    ticks_per_turn: int = parameter(
        1, at_least=1, at_most=1_000_000, unit="ticks", meaning="ticks, hours in the source's server, that make a turn"
    )

    default_item: str = parameter(
        "episode",
        choices=("episode", "fact"),
        meaning="an item with default attributes is an episode of importance 0.7, as in the source, or as it is",
    )

    def constants(self) -> MemoryDecayCoreConstants:
        """Return the published rates per tick of the formula, and flags."""
        power_law = self.decay_formula == "power_law"
        fact_rate, other_rate = (0.08, 0.12) if power_law else (0.02, 0.035)
        by_storage, as_an_episode = self.score_held == "storage", self.default_item == "episode"
        return MemoryDecayCoreConstants(
            power_law, by_storage, fact_rate, other_rate, self.ticks_per_turn, as_an_episode
        )

    def turns_per_unit(self) -> float:
        """Return the turns of a tick."""
        return 1.0 / self.ticks_per_turn

    def breaks(self) -> tuple[str, ...]:
        """Name the invariant that the source does not keep: a recall leaves a score below 1."""
        return ("exactly_1_at_age_0",)

    @staticmethod
    def on_register(parameters: MemoryDecayCoreConstants, turn: int, item: ItemFacts) -> State:
        """Return full scores, no stability, and what the item's decay depends on."""
        if item.category != FACT:
            return 1.0, 1.0, 0.0, item.importance, parameters.other_rate
        if parameters.as_an_episode and item.importance == _PROGRAM_IMPORTANCE:
            return 1.0, 1.0, 0.0, _SOURCE_IMPORTANCE, parameters.other_rate
        return 1.0, 1.0, 0.0, item.importance, parameters.fact_rate

    @staticmethod
    def on_recall(parameters: MemoryDecayCoreConstants, state: State, turn: int) -> State:
        """Return scores and stability raised by a recall."""
        retrieval, storage, stability, importance, rate = state
        gain = _STABILITY_GAIN * max(1.0 - stability, 0.0)
        return (
            min(retrieval + _RETRIEVAL_BOOST, 1.0),
            min(storage + _RETRIEVAL_BOOST * _STORAGE_SHARE, 1.0),
            min(stability + gain, 1.0),
            importance,
            rate,
        )

    @staticmethod
    def on_turn(parameters: MemoryDecayCoreConstants, state: State, turn: int) -> State:
        """Return scores and stability after the ticks that lead to the next turn."""
        retrieval, storage, stability, importance, rate = state
        for _ in range(parameters.ticks_per_turn):
            factor = max((1.0 + 0.5 * importance) * (1.0 + 0.8 * stability), _SMALLEST_FACTOR)
            retrieval = _decayed(parameters, retrieval, rate, factor)
            storage = _decayed(parameters, storage, rate, factor)
            stability = min(stability * (1.0 - _STABILITY_DECAY), 1.0)
        return retrieval, storage, stability, importance, rate

    @staticmethod
    def retention(parameters: MemoryDecayCoreConstants, state: State, turn: int) -> float:
        """Return the score that the threshold is held against."""
        return state[1] if parameters.by_storage else state[0]


def _decayed(parameters: MemoryDecayCoreConstants, score: float, rate: float, factor: float) -> float:
    if parameters.power_law:
        return min(max(score / (1.0 + rate / factor), 0.0), 1.0)
    return min(max(score * math.exp(-(rate / factor)), 0.0), 1.0)
