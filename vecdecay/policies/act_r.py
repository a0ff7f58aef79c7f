"""ACT-R's base-level learning: every use of an item adds a trace that decays as a power of its age."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from vecdecay.parameters import parameter
from vecdecay.policies.stateful import HistoryPolicy

EXACT = 0
STANDARD = 1

_YOUNGEST = 1.0  # turns


class ActRConstants(NamedTuple):
    """Decay as an exponent, the factor 1 / (1 - decay), which only STANDARD reads, and the sum that scores 1."""

    exponent: float
    approximation: int
    factor: float
    full: float


@dataclass(frozen=True)
class ActR(HistoryPolicy):
    """Score items by exp(activation), the sum over all uses of age ^ -decay, cut off at 1.

    The base-level activation is B = ln(sum of age_j ^ -decay), over the registration and every recall. ACT-R retrieves
    where B is at least the threshold, so an item is evicted where B < ``retrieval_threshold``. The program compares
    exp(B), the sum itself, with exp(retrieval_threshold), which is the same without a logarithm; that sum, at most 1,
    is the retention. Where the threshold is above 0, both are divided by exp(retrieval_threshold). ACT-R's noise on the
    activation is left out. Recent uses, many uses and uses long ago all count, and nothing of the history is lost.

    ``approximation = "standard"`` replaces the sum by n × L ^ -decay / (1 - decay): n uses spread evenly over the L
    turns since the registration. When they came does not matter then: for uses in turns 0, 10 and 20, seen in turn
    100, it gives B = -0.511 where the exact history gives -1.148. It is not at 1 right after a recall, and a recall
    that is not enough to lift the sum over the threshold does not rescue an item.

    The power of an age of 0 is infinite: in the turn of a use the retention is 1, and no threshold evicts. (What
    :meth:`activation` and the approximation count at age 0 is an age of one turn.) Another unit of time than the turn
    shifts all activations by the same amount, and so is a shift of the threshold. ACT-R's customary threshold is 0,
    which drops an item of one use at age 2; one above 0 drops it at age 1; the default here keeps it 13 turns.

    Not to be confused with: implementations whose approximation takes the time since the latest use for L (pyactr).

    Source: Anderson & Schooler (1991); Anderson & Lebiere (1998); Petrov (2006) for the approximation.

    >>> policy = ActR()
    >>> policy.life([1], limit=1000), policy.life([1, 4, 12], limit=1000)
    (13, 104)
    >>> round(policy.activation([0, 10, 20], turn=100), 3)
    -1.148
    """

    name: ClassVar[str] = "act_r"
    summary: ClassVar[str] = "every use leaves a trace that fades as a power of its age"
    formula: ClassVar[str] = "evict when ln(sum over uses of max(age, 1) ^ -decay) < retrieval_threshold"
    source: ClassVar[str] = "Anderson & Schooler (1991); Petrov (2006) for the approximation"
    turn_invariant: ClassVar[bool] = True

    retrieval_threshold: float = parameter(
        -1.25, at_least=-700.0, at_most=700.0, meaning="an item is evicted when its activation falls below this"
    )
    decay: float = parameter(0.5, above=0.0, at_most=100.0, meaning="exponent with which the trace of a use fades")
    approximation: str = parameter(
        "exact", choices=("exact", "standard"), meaning="the whole history, or number of uses and age alone"
    )

    def problems(self) -> list[str]:
        """Refuse a decay of 1 or more for the approximation, which divides by 1 - decay."""
        if self.approximation == "standard" and self.decay >= 1.0:
            return [f'ActR.decay is {self.decay}; allowed with approximation "standard": a finite number below 1']
        return []

    def breaks(self) -> tuple[str, ...]:
        """Name the invariant that the approximation does not keep: what it scores depends on the lifetime alone."""
        return ("exactly_1_at_age_0",) if self.approximation == "standard" else ()

    def constants(self) -> ActRConstants:
        """Return the exponent and what else a score needs."""
        full = math.exp(max(self.retrieval_threshold, 0.0))
        if self.approximation == "exact":
            return ActRConstants(-self.decay, EXACT, 1.0, full)
        return ActRConstants(-self.decay, STANDARD, 1.0 / (1.0 - self.decay), full)

    def threshold(self) -> float:
        """Return exp(retrieval_threshold) as a share of the sum that scores 1: the score below which an item goes."""
        return math.exp(min(self.retrieval_threshold, 0.0))

    def activation(self, touches: Sequence[int], turn: int) -> float:
        """Return the base-level activation in ``turn`` of an item touched in these turns, ascending."""
        return math.log(_trace_sum(self.constants(), touches, 0, len(touches), turn))

    @staticmethod
    def retention(parameters: ActRConstants, touches: Any, first: int, last: int, turn: int) -> float:
        """Return exp(activation) as a share of the sum that scores 1, at most 1."""
        if parameters.approximation == EXACT and touches[last - 1] == turn:
            return 1.0
        return min(1.0, _trace_sum(parameters, touches, first, last, turn) / parameters.full)


def _trace_sum(parameters: ActRConstants, touches: Any, first: int, last: int, turn: int) -> float:
    """Return the sum of the traces of ``touches[first:last]``, added from the oldest to the latest."""
    if parameters.approximation == STANDARD:
        age = max(float(turn - touches[first]), _YOUNGEST)
        uses = float(last - first)
        evenly: float = uses * parameters.factor * age**parameters.exponent
        return evenly
    total = 0.0
    for use in range(first, last):
        age = max(float(turn - touches[use]), _YOUNGEST)
        total += age**parameters.exponent
    return total
