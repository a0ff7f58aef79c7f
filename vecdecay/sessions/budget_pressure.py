"""More needed items than fit: all of them are asked for, some more often, again and again."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from vecdecay.parameters import parameter
from vecdecay.sessions.seeded import SeededWorkload
from vecdecay.sessions.session import MAX_SESSION_LENGTH
from vecdecay.sessions.steps import Plan, process, register


@dataclass(frozen=True)
class BudgetPressure(SeededWorkload):
    """Items come in over the first turns; every one is needed to the end, the first ``num_urgent`` more often.

    Each is registered in a random turn up to ``registered_within`` and recalled at random moments after that turn,
    ``recalls_per_turn`` on average, urgent ones ``urgent_factor`` times as often. Noise is never needed. A memory of a
    budget below ``num_foundational`` has to choose, and whatever it lets go is asked for again: with
    ``on_miss="relearn"`` it then comes back, as a file that is read anew. A longer session has the shorter one as its
    beginning, except for importance that follows use.

    The question: what does a budget cost when everything is needed? At the defaults, where misses relearn, a memory of
    30 items (400 seeds) finds 0.406 of what is asked for by LRU, 0.591 by Ebbinghaus, 0.636 by LFU and 0.850 by
    Belady's rule, which knows the future; one of 15 items 0.220, 0.336, 0.432 and 0.654.

    >>> session = BudgetPressure(noise_per_turn=0).session(seed=0)
    >>> len(session.item_kinds), sum(kind == 1 for _, kind, _ in session.events)
    (60, 697)
    """

    name: ClassVar[str] = "budget_pressure"
    summary: ClassVar[str] = "more needed items than a budget holds, some of them needed more often"
    source: ClassVar[str] = "this program"

    num_foundational: int = parameter(60, at_least=0, at_most=100_000, meaning="items that are needed to the end")
    num_urgent: int = parameter(15, at_least=0, at_most=100_000, unit="items", meaning="those that are needed most")
    registered_within: int = parameter(
        20, at_least=1, at_most=MAX_SESSION_LENGTH, unit="turns", meaning="turns in which the items come in"
    )
    recalls_per_turn: float = parameter(
        0.05, at_least=0.0, at_most=100.0, unit="recalls", meaning="recalls of an item per turn, on average"
    )
    urgent_factor: float = parameter(
        4.0, at_least=0.0, at_most=1000.0, meaning="how many times as often urgent items are recalled"
    )

    def plans(self) -> Sequence[Plan]:
        """Return, for urgent items and for others: register in the first turns, then a process to the end."""
        urgent = min(self.num_urgent, self.num_foundational)
        first = register(1, self.registered_within)
        return [
            Plan(number, (first, process(rate, self.registered_within + 1, self.session_length)))
            for number, rate in (
                (urgent, self.recalls_per_turn * self.urgent_factor),
                (self.num_foundational - urgent, self.recalls_per_turn),
            )
        ]

    def rhythm_problems(self) -> list[str]:
        """Refuse a session that ends before the items came in."""
        return self.too_short(self.registered_within, f"the registrations (registered_within {self.registered_within})")
