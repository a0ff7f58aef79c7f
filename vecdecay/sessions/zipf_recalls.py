"""A few favourites and a long tail: which item is recalled follows Zipf's law."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from vecdecay.parameters import parameter
from vecdecay.sessions.seeded import SeededWorkload
from vecdecay.sessions.steps import Plan, process, register


@dataclass(frozen=True)
class ZipfRecalls(SeededWorkload):
    """Items registered in turn 1; each recall is of item i with a chance that falls as (i + 1) ** -``zipf_exponent``.

    Recalls come at random moments, ``recalls_per_turn`` in all on average, so every item has a process of its own whose
    rate is its share. Shares depend on ``num_foundational``; the random numbers behind them do not. A longer session
    has the shorter one as its beginning, except for importance that follows use.

    The question: does the policy keep the favourites, and how far down the tail does it reach? At the defaults
    (100,000 seeds) Ebbinghaus keeps 0.464 of the items to the end and RecencyWindow 0.100: 70 and 132 of 298
    recalls miss.

    >>> [item for _, kind, item in ZipfRecalls(noise_per_turn=0, session_length=5).session(seed=0).events if kind == 1]
    [3, 0, 7, 11, 0, 1]
    """

    name: ClassVar[str] = "zipf_recalls"
    summary: ClassVar[str] = "which item is recalled follows Zipf's law: a few favourites and a long tail"
    source: ClassVar[str] = "G. K. Zipf (1949), Human Behavior and the Principle of Least Effort"

    num_foundational: int = parameter(20, at_least=0, at_most=100_000, meaning="items whose recall rate is measured")
    recalls_per_turn: float = parameter(
        2.0,
        at_least=0.0,
        at_most=10_000.0,
        unit="recalls",
        meaning="recalls of all items together per turn, on average",
    )
    zipf_exponent: float = parameter(
        1.0, at_least=0.0, at_most=10.0, meaning="how steeply an item's share of the recalls falls with its number"
    )

    def plans(self) -> Sequence[Plan]:
        """Return, for each item: register in turn 1, then a process whose rate is its share."""
        weights = [math.exp(-self.zipf_exponent * math.log(rank)) for rank in range(1, self.num_foundational + 1)]
        total = math.fsum(weights)
        rates = [self.recalls_per_turn * weight / total for weight in weights]
        return [Plan(1, (register(), process(rate, 2, self.session_length))) for rate in rates]
