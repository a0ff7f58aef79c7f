"""A long project: facts that are needed throughout, among tool outputs whose sizes have a heavy tail."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from vecdecay.parameters import parameter
from vecdecay.sessions.attributes import TOKEN_DISTRIBUTIONS
from vecdecay.sessions.attributes_kernel import MOST_TOKENS
from vecdecay.sessions.noise import PROCESSES
from vecdecay.sessions.seeded import SeededWorkload
from vecdecay.sessions.session import MAX_SESSION_LENGTH
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

    session_length: int = parameter(
        500, at_least=1, at_most=MAX_SESSION_LENGTH, unit="turns", meaning="number of turns of a session"
    )
    num_foundational: int = parameter(25, at_least=0, at_most=100_000, meaning="facts whose recall rate is measured")
    recalls_per_turn: float = parameter(
        0.03, at_least=0.0, at_most=100.0, unit="recalls", meaning="recalls of each fact per turn, on average"
    )
    noise_per_turn: float = parameter(
        2.0, at_least=0.0, at_most=10_000, unit="items", meaning="tool outputs registered per turn, on average"
    )
    noise_process: str = parameter(
        "poisson", choices=PROCESSES, meaning="how the number of tool outputs varies by turn"
    )
    noise_recall_probability: float = parameter(
        0.33, at_least=0.0, at_most=0.999, meaning="chance that a tool output is looked at (again) after a touch"
    )
    token_distribution: str = parameter(
        "pareto", choices=tuple(TOKEN_DISTRIBUTIONS), meaning="how the sizes of items are distributed"
    )
    token_size: int = parameter(
        100,
        at_least=1,
        at_most=MOST_TOKENS,
        unit="tokens",
        meaning="size of every item (constant), the median (lognormal) or the smallest size (pareto)",
    )
    token_spread: float = parameter(
        0.8, at_least=0.0, at_most=10.0, meaning="sigma of the logarithm (lognormal), or 1 / tail exponent (pareto)"
    )

    def plans(self) -> Sequence[Plan]:
        """Return, for each fact: register at its place in the session, then a process to the end."""
        turns = [1 + item * self.session_length // self.num_foundational for item in range(self.num_foundational)]
        return [
            Plan(1, (register(turn, turn), process(self.recalls_per_turn, turn + 1, self.session_length)))
            for turn in turns
        ]
