"""SimpleMem across sessions: old entries lose a tenth of their importance in every run of a job."""

from dataclasses import dataclass
from typing import ClassVar

from vecdecay.parameters import parameter
from vecdecay.policies.clock import days
from vecdecay.policies.rules import Rules
from vecdecay.policies.system import Held, SystemPolicy, View


@dataclass(frozen=True)
class SimpleMem(SystemPolicy):
    """In every run of the consolidation: importance × 0.9 of what is older than 90 days, then what is below 0.05 goes.

    The factor is applied once a run, whatever the time since the last one; the documentation says once for each period
    that went by. So the schedule sets the rate: 22 runs from an importance of 0.5, 29 from 1. Age counts from the
    registration; a recall does nothing. ``run_period_days`` is the time between two runs, which the source leaves to
    its caller. An entry of low importance goes in the first run, whatever its age.

    Left out: entries that are nearly the same in words are merged (embeddings); a run looks at the first 1,000 entries.
    Not to be confused with: the same repository's EvolveMem, where use makes items decay faster.

    Source: aiming-lab/SimpleMem @db80b6a7, cross/consolidation.py; licence MIT.

    >>> SimpleMem().decay_factor
    0.9
    """

    name: ClassVar[str] = "simple_mem"
    summary: ClassVar[str] = "a job in whose runs what is old loses a tenth of its importance, until it goes"
    formula: ClassVar[str] = (
        "in each run: importance *= decay_factor where older than max_age_days; evict when importance < min_importance"
    )
    source: ClassVar[str] = "aiming-lab/SimpleMem @db80b6a7, cross/consolidation.py"
    time_unit: ClassVar[str] = "day"

    max_age_days: float = parameter(90.0, at_least=0.0, unit="days", meaning="age past which an entry decays")
    decay_factor: float = parameter(0.9, above=0.0, at_most=1.0, meaning="what is left of the importance after a run")
    min_importance: float = parameter(0.05, at_least=0.0, at_most=1.0, meaning="importance below which an entry goes")
    run_period_days: int = parameter(1, at_least=1, at_most=10**6, unit="days", meaning="days from one run to the next")
    turns_per_day: int = parameter(1, at_least=1, at_most=10**6, unit="turns", meaning="turns that make a day")

    def rules(self) -> Rules:
        """Run at the end of every period."""
        return Rules(period_turns=self.run_period_days * self.turns_per_day, timed_period=True)

    def breaks(self) -> tuple[str, ...]:
        """The schedule of the job sets the rate."""
        return ("stepping_twice_changes_nothing", "stepping_less_often_only_delays")

    def on_insert(self, view: View, new: Held) -> None:
        """Note the importance."""
        new.notes = new.importance

    def on_pass(self, view: View) -> None:
        """Let old entries decay, then delete what is below the least importance."""
        for one in list(view.held.values()):
            if days(view.now - one.registered, self.turns_per_day) > self.max_age_days:
                one.notes *= self.decay_factor
            if one.notes < self.min_importance:
                view.drop(one, decayed=True)
