"""MemoryBank as its published code runs: an inverted exponent, and a random drop each time the memory is loaded."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from vecdecay.parameters import parameter
from vecdecay.policies.clock import turns_per_day_parameter
from vecdecay.policies.stateful import HazardPolicy


class MemoryBankAsPublishedConstants(NamedTuple):
    """The clock."""

    turns_per_day: float


State = tuple[float, int]
"""Strength, which counts uses, and the turn of the last touch."""


@dataclass(frozen=True)
class MemoryBankAsPublished(HazardPolicy):
    """At every load, drop an item with probability 1 - exp(-days / 5 × strength).

    It is here so that users of the published code can see what it does; the paper's formula is MemoryBank. Three
    things differ from the paper. The strength stands in the exponent the wrong way round: every recall makes an item
    more likely to go (strength 5 at 5 days leaves 0.0067, in the paper's form 0.368). The probability is per load,
    not per day, so an agent that is started often forgets faster. And the drop is random. The published draws are
    without a seed; here the draw is a function of (seed, item, turn), so that a session can be played again.

    Strength starts at 1; a recall adds 1 and sets the date. Days are differences of calendar dates: with 24 turns per
    day, turns 1 to 24 are one date. On the date of its last touch an item is never dropped. A load happens at the end
    of every turn that is a multiple of ``turns_per_load``.

    Source: zhongwanjun/MemoryBank-SiliconFriend, memory_bank/memory_retrieval/forget_memory.py; the paper is Zhong et
    al. (2023), arXiv 2305.10250.

    >>> policy = MemoryBankAsPublished()
    >>> [round(policy.score([1] * strength, turn=6), 4) for strength in (1, 2, 5)]
    [0.3679, 0.1353, 0.0067]
    """

    name: ClassVar[str] = "memory_bank_as_published"
    summary: ClassVar[str] = "the published code: recalls weaken, items go at random at each load"
    formula: ClassVar[str] = (
        "at each load: evict when draw > exp((-days / 5) × strength), draw uniform in [0, 1); "
        "at a recall: strength += 1"
    )
    source: ClassVar[str] = "zhongwanjun/MemoryBank-SiliconFriend, memory_bank/memory_retrieval/forget_memory.py"

    time_unit: ClassVar[str] = "day"

    turns_per_load: int = parameter(
        1, at_least=1, at_most=2**31 - 1, unit="turns", meaning="turns from one load of the memory to the next"
    )
    turns_per_day: float = turns_per_day_parameter(1.0)

    def constants(self) -> MemoryBankAsPublishedConstants:
        """Return the clock."""
        return MemoryBankAsPublishedConstants(self.turns_per_day)

    def turns_per_unit(self) -> float:
        """Return the turns of a day."""
        return self.turns_per_day

    def period_turns(self) -> int:
        """Return the turns from one load to the next."""
        return self.turns_per_load

    def breaks(self) -> tuple[str, ...]:
        """Name the invariant that the source does not keep: a recall makes an item more likely to be evicted."""
        return ("a_recall_never_shortens_life",)

    @staticmethod
    def on_register(parameters: MemoryBankAsPublishedConstants, turn: int, item: Any) -> State:
        """Return strength 1."""
        return 1.0, turn

    @staticmethod
    def on_recall(parameters: MemoryBankAsPublishedConstants, state: State, turn: int) -> State:
        """Return a strength one higher, which shortens the item's life."""
        return state[0] + 1.0, turn

    @staticmethod
    def retention(parameters: MemoryBankAsPublishedConstants, state: State, turn: int) -> float:
        """Return the probability that a load in ``turn`` keeps the item."""
        return _kept(parameters, state, turn)

    @staticmethod
    def evicts(parameters: MemoryBankAsPublishedConstants, state: State, turn: int, draw: float) -> bool:
        """Tell whether the load drops the item."""
        return draw > _kept(parameters, state, turn)


def _date(parameters: MemoryBankAsPublishedConstants, turn: int) -> int:
    return math.floor((turn - 1) / parameters.turns_per_day)


def _kept(parameters: MemoryBankAsPublishedConstants, state: State, turn: int) -> float:
    days = _date(parameters, turn) - _date(parameters, state[1])
    return math.exp((-max(days, 0) / 5) * state[0])
