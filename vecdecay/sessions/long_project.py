"""A long project: facts that are needed throughout, among tool outputs whose sizes have a heavy tail."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from vecdecay.parameters import parameter
from vecdecay.sessions.seeded import SeededWorkload, redefined
from vecdecay.sessions.steps import Plan, process, register


@dataclass(frozen=True)
class LongProject(SeededWorkload):
    """Decisions and files of a project, registered in the course of it; tool outputs, looked at again or not at all.

    The foundational items come one by one, evenly over the session, and are recalled at random moments from then on.
    The noise are tool outputs: ``noise_per_turn`` on average, a third of which is looked at again within a few turns,
    and so on. Sizes are Pareto numbers of at least ``token_size`` tokens with the tail exponent 1 / ``token_spread``,
    1.25: a few outputs take most of the room. Budgets of tokens are what this is for. A longer session does not have
    the shorter one as its beginning: the items come at other turns.

    The question: what does a budget of tokens keep, where one output may take the place of a hundred facts? At the
    defaults the largest 1 % of the items hold 0.37 of all tokens. With a budget of 20,000 tokens, where misses relearn
    (400 seeds), LFU finds 0.580 of what is asked for, Ebbinghaus 0.807, LRU 0.833, GDSF, which knows the sizes, 0.887,
    and Belady's rule 0.985; at the end they keep 0.504, 0.549, 0.438, 0.756 and 0.438 of the facts.

    >>> session = LongProject(session_length=50).session(seed=0)
    >>> sorted(session.tokens)[:2], sorted(session.tokens)[-2:]
    ([100, 100], [2716, 3314])
    """

    name: ClassVar[str] = "long_project"
    summary: ClassVar[str] = "facts of a long project among tool outputs whose token sizes have a heavy tail"
    source: ClassVar[str] = "this program"

    session_length: int = redefined("session_length", 500)
    num_foundational: int = parameter(25, at_least=0, at_most=100_000, meaning="facts whose recall rate is measured")
    recalls_per_turn: float = parameter(
        0.03, at_least=0.0, at_most=100.0, unit="recalls", meaning="recalls of each fact per turn, on average"
    )
    noise_per_turn: float = redefined("noise_per_turn", 2.0, meaning="tool outputs registered per turn, on average")
    noise_process: str = redefined("noise_process", "poisson", meaning="how the number of tool outputs varies by turn")
    noise_recall_probability: float = redefined(
        "noise_recall_probability", 0.33, meaning="chance that a tool output is looked at (again) after a touch"
    )
    token_distribution: str = redefined("token_distribution", "pareto")
    token_size: int = redefined("token_size", 100)
    token_spread: float = redefined("token_spread", 0.8)

    def plans(self) -> Sequence[Plan]:
        """Return, for each fact: register at its place in the session, then a process to the end."""
        turns = [1 + item * self.session_length // self.num_foundational for item in range(self.num_foundational)]
        return [
            Plan(1, (register(turn, turn), process(self.recalls_per_turn, turn + 1, self.session_length)))
            for turn in turns
        ]
