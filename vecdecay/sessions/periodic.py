"""At a fixed beat: the daily stand-up, the weekly report."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from vecdecay.parameters import parameter
from vecdecay.sessions.seeded import SeededWorkload
from vecdecay.sessions.session import MAX_SESSION_LENGTH
from vecdecay.sessions.steps import Plan, periodic, register


@dataclass(frozen=True)
class Periodic(SeededWorkload):
    """Facts registered in turn 1, each recalled every ``period_turns`` turns, give or take ``period_jitter``.

    The first beat falls on any of the first ``period_turns`` turns after the registration. Every recall is shifted from
    its beat by the jitter, the first one too, which never comes before the turn after the registration: at the defaults
    it comes 1 to 14 turns after it, and later gaps are 8 to 16 turns. A longer session has the shorter one as its
    beginning, except for importance that follows use.

    The question: is the period shorter than what the policy grants after each recall? At the defaults (100,000
    seeds) RecencyWindow keeps all: 1.000. It evicts at age 16, but a recall comes before the pass of its turn, so the
    longest gap, 16 turns, is just covered. Ebbinghaus, which evicts a fresh item at age 13, loses those that are first
    recalled 14 turns after their registration: 0.983.

    >>> Periodic(num_foundational=1, noise_per_turn=0, period_jitter=0).session(seed=0).events[:4]
    ((1, 0, 0), (4, 1, 0), (16, 1, 0), (28, 1, 0))
    """

    name: ClassVar[str] = "periodic"
    summary: ClassVar[str] = "facts recalled at a fixed period, give or take a jitter"
    source: ClassVar[str] = "this program"

    period_turns: int = parameter(
        12, at_least=1, at_most=MAX_SESSION_LENGTH, unit="turns", meaning="turns from one recall of a fact to its next"
    )
    period_jitter: int = parameter(
        2, at_least=0, at_most=MAX_SESSION_LENGTH, unit="turns", meaning="turns that a recall is early or late at most"
    )

    def plans(self) -> Sequence[Plan]:
        """Return: register in turn 1, then a recall per period."""
        recalls = periodic(self.period_turns, self.period_jitter, self.session_length)
        return [Plan(self.num_foundational, (register(), recalls))]

    def rhythm_problems(self) -> list[str]:
        """Refuse a jitter by which a recall could overtake the next."""
        if self.period_jitter == 0 or 2 * self.period_jitter < self.period_turns:
            return []
        where = f"Periodic.period_jitter is {self.period_jitter} and period_turns {self.period_turns}"
        return [f"{where}; allowed: a jitter below half the period"]
