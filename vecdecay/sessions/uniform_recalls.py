"""Recalls anywhere in the session: the rhythm under which nothing that was said once lasts until it is needed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from vecdecay.parameters import parameter
from vecdecay.sessions.seeded import SeededWorkload
from vecdecay.sessions.steps import Plan, register, spread


@dataclass(frozen=True)
class UniformRecalls(SeededWorkload):
    """Facts registered in turn 1; each recall falls in any later turn, all equally likely.

    The question: does an item survive from its registration to its first recall? Where the horizon is short
    against the session, hardly any does, and reinforcement comes too late to matter: the published author's first
    version of the benchmark was of this kind. At the defaults (100,000 seeds) the foundational recall rate ends at
    0.113 under Ebbinghaus and 0.000 under RecencyWindow; of 12 recalls 10.0 and 10.5 are misses.

    >>> UniformRecalls(noise_per_turn=0).session(seed=0).events[:3]
    ((1, 0, 0), (1, 0, 1), (1, 0, 2))
    """

    name: ClassVar[str] = "uniform_recalls"
    summary: ClassVar[str] = "recalls anywhere in the session, most of them long after a first horizon has passed"
    source: ClassVar[str] = "this program"

    recalls_per_foundational: int = parameter(
        4, at_least=0, at_most=2**20, meaning="recalls of each foundational item, in any turns from the second on"
    )

    def plans(self) -> Sequence[Plan]:
        """Return: register in turn 1, then recalls spread over all later turns."""
        return [
            Plan(self.num_foundational, (register(), spread(self.recalls_per_foundational, 2, self.session_length)))
        ]

    def rhythm_problems(self) -> list[str]:
        """Refuse recalls in a session that has no second turn."""
        return self.too_short(2, "recalls") if self.recalls_per_foundational > 0 else []
