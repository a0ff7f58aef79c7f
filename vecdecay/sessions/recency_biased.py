"""The longer untouched, the less likely to return: the rhythm of recorded agents."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from vecdecay.parameters import parameter
from vecdecay.sessions.seeded import SeededWorkload
from vecdecay.sessions.steps import Plan, power_gaps, register


@dataclass(frozen=True)
class RecencyBiased(SeededWorkload):
    """Items registered in turn 1 and recalled at gaps of one turn or more that follow a power law.

    P(gap > x turns) = (1 + x / ``gap_scale``) ** -``gap_exponent``.

    So the chance of a recall falls as an item is left alone: after x turns it is about ``gap_exponent`` / (x +
    ``gap_scale``) per turn. The defaults have the shape of recorded sessions of agents: half of the gaps are one turn,
    nine in ten are at most 20, and there is a tail of hundreds. A longer session has the shorter one as its beginning,
    except for importance that follows use.

    The question: does the policy tell a pause from the end of use? At the defaults (100,000 seeds) Ebbinghaus
    keeps 0.776 of the items and misses 21 of 178 recalls; RecencyWindow, for which a pause of 16 turns is the end,
    keeps 0.004 and misses 95.

    >>> RecencyBiased(noise_per_turn=0, num_foundational=1).session(seed=2).events[:5]
    ((1, 0, 0), (2, 1, 0), (5, 1, 0), (7, 1, 0), (19, 1, 0))
    """

    name: ClassVar[str] = "recency_biased"
    summary: ClassVar[str] = "the longer an item is untouched, the less likely its recall (power law)"
    source: ClassVar[str] = "J. R. Anderson, L. J. Schooler (1991), Psychological Science 2"

    num_foundational: int = parameter(10, at_least=0, at_most=2**31 - 1, meaning="items whose recall rate is measured")
    gap_scale: float = parameter(
        0.5, at_least=1e-6, at_most=1e9, unit="turns", meaning="gap from which on the power law shows"
    )
    gap_exponent: float = parameter(
        0.64, at_least=0.1, at_most=100.0, meaning="exponent of the power law: small means a heavy tail"
    )

    def plans(self) -> Sequence[Plan]:
        """Return: register in turn 1, then gap after gap to the end."""
        recalls = power_gaps(self.gap_scale, self.gap_exponent, self.session_length)
        return [Plan(self.num_foundational, (register(), recalls))]
