"""Light use throughout: every fact is needed now and then, from the first turn to the last."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from vecdecay.parameters import parameter
from vecdecay.sessions.seeded import SeededWorkload
from vecdecay.sessions.steps import Plan, process, register


@dataclass(frozen=True)
class SteadyUse(SeededWorkload):
    """Facts registered in turn 1 and recalled at random moments, at the same rate all the time (a Poisson process).

    A longer session has the shorter one as its beginning, except for importance that follows use.

    The question: does the policy keep what is in use, when a single long gap is enough to lose it for good? At
    the defaults (100,000 seeds) the foundational recall rate ends at 0.684 under Ebbinghaus, whose losses
    come before the second recall nearly all, and at 0.010 under RecencyWindow, which loses a fact in the first gap of
    more than 16 turns, whenever it comes; 12.6 and 32.3 of 44.6 recalls miss.

    >>> SteadyUse(noise_per_turn=0, num_foundational=1).session(seed=0).events[:3]
    ((1, 0, 0), (9, 1, 0), (13, 1, 0))
    """

    name: ClassVar[str] = "steady_use"
    summary: ClassVar[str] = "facts recalled at random moments, at one light rate throughout the session"
    source: ClassVar[str] = "this program"

    recalls_per_turn: float = parameter(
        0.1, at_least=0.0, at_most=100.0, unit="recalls", meaning="recalls of each item per turn, on average"
    )

    def plans(self) -> Sequence[Plan]:
        """Return: register in turn 1, then a process from turn 2 to the end."""
        recalls = process(self.recalls_per_turn, 2, self.session_length)
        return [Plan(self.num_foundational, (register(), recalls))]
