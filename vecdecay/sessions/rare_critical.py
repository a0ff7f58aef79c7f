"""Thousands of routine items, and a few that matter and are rarely needed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from vecdecay.parameters import parameter
from vecdecay.sessions.seeded import SeededWorkload, redefined
from vecdecay.sessions.steps import Plan, process, register


@dataclass(frozen=True)
class RareCritical(SeededWorkload):
    """A few foundational items that are seldom recalled, among thousands of routine items that are recalled often.

    Routine items are the noise of the session: 20 per turn on average, every second one recalled, again and again, a
    few turns later. Foundational items are more important by ``importance_advantage``, which policies may or may not
    read. A longer session has the shorter one as its beginning, except for importance that follows use.

    The question: does frequent use crowd out what is rare and critical? At the defaults (5,000 seeds) both
    published policies treat all items alike: Ebbinghaus keeps 0.156 of the critical items and misses 0.74 of their
    recalls, RecencyWindow keeps 0.000 and misses 0.86, while of all recalls 0.072 and 0.070 miss.

    >>> session = RareCritical().session(seed=0)
    >>> len(session.item_kinds), session.attributes[0].importance, session.attributes[-1].importance
    (2924, 0.9, 0.5)
    """

    name: ClassVar[str] = "rare_critical"
    summary: ClassVar[str] = "a few critical items, rarely needed, among thousands of routine ones in frequent use"
    source: ClassVar[str] = "this program"

    recalls_per_turn: float = parameter(
        0.03, at_least=0.0, at_most=100.0, unit="recalls", meaning="recalls of each critical item per turn, on average"
    )
    noise_per_turn: float = redefined("noise_per_turn", 20.0, meaning="routine items registered per turn, on average")
    noise_process: str = redefined("noise_process", "poisson", meaning="how the number of routine items varies by turn")
    noise_recall_probability: float = redefined(
        "noise_recall_probability", 0.5, meaning="chance that a routine item is recalled (again) after a touch"
    )
    importance_advantage: float = redefined(
        "importance_advantage", 0.4, meaning="what critical items have more of importance than routine ones"
    )

    def plans(self) -> Sequence[Plan]:
        """Return: register in turn 1, then a slow process to the end."""
        recalls = process(self.recalls_per_turn, 2, self.session_length)
        return [Plan(self.num_foundational, (register(), recalls))]
