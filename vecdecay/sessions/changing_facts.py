"""Facts that change: each new value supersedes the older one, and questions ask for the current one."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from vecdecay.items import FOUNDATIONAL, NOISE
from vecdecay.parameters import parameter
from vecdecay.sessions.block import SessionBlock
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.draws import plain, seed_key
from vecdecay.sessions.events import NO_TURN
from vecdecay.sessions.mersenne import Seeds
from vecdecay.sessions.philox import uniform
from vecdecay.sessions.session import RECALL, REGISTER, Session
from vecdecay.sessions.streams import WORKLOAD_IDS
from vecdecay.sessions.workload import Sizes, Workload

_CHANGES, _QUESTIONS, _CONFUSION, _TIMES = range(1, 5)  # streams


@dataclass(frozen=True)
class ChangingFacts(Workload):
    """Facts registered in turn 1 change at random turns; questions about the current value come at one rate throughout.

    A new value is a new item that supersedes the one before it. A question recalls the current value and, in a share
    ``confusion`` of the cases, the value before it too: both are about as near to the question. Foundational are the
    values that are current at the end. ``known_times`` is the share of values of which it is known since when they are
    true (their turn of registration); without, a policy that goes by event time closes nothing.

    The idea is the stale-memory test of sachitrafa/YourMemory (benchmarks/stale_memory.py, BENCHMARKS.md): five pairs
    of an outdated fact, 30 to 90 days old, and the current one, 2 to 10 days old. Published: the current one has the
    higher strength in 5 of 5 pairs, without decay in 0 of 5. The test compares strengths and runs no retrieval: of the
    same five outdated facts, three are still above the published threshold of eviction, 0.05, and are found. Nor does
    it ask: a question that finds both values touches both, so that use keeps the outdated one alive.

    The question: does forgetting by age and use keep outdated values from being found? At the defaults (1,000 seeds) a
    session has some 122 recalls. KeepAll finds an outdated value 50.1 times, Ebbinghaus 36.9 times, RecencyWindow 11.9
    times, at the price of 27.5 and 69.8 misses; the current values are there at the end in 0.793 and 0.451 of the
    cases. A policy that hides or removes what is superseded finds none, and loses nothing for it.

    >>> session = ChangingFacts(num_facts=1, changes_per_fact=1, noise_per_turn=0).session(seed=0)
    >>> session.supersedes, session.item_kinds
    ((1, -1), (1, 0))
    """

    name: ClassVar[str] = "changing_facts"
    summary: ClassVar[str] = "facts whose values change; questions find the current value, and maybe the one before it"
    source: ClassVar[str] = "after sachitrafa/YourMemory, benchmarks/stale_memory.py"
    has_relations: ClassVar[bool] = True

    session_length: int = parameter(150, at_least=2, at_most=100_000, unit="turns", meaning="turns of a session")
    num_facts: int = parameter(5, at_least=1, at_most=10_000, meaning="facts, each with one current value")
    changes_per_fact: int = parameter(2, at_least=0, at_most=10_000, meaning="how often the value of a fact changes")
    questions_per_turn: float = parameter(
        0.1, at_least=0.0, at_most=1.0, meaning="chance in each turn that a fact is asked for"
    )
    confusion: float = parameter(
        1.0, at_least=0.0, at_most=1.0, meaning="share of the questions that recall the outdated value too"
    )
    known_times: float = parameter(
        1.0, at_least=0.0, at_most=1.0, meaning="share of the values whose event time is known"
    )
    noise_per_turn: int = parameter(3, at_least=0, at_most=10_000, meaning="noise items registered in each turn")

    def session(self, seed: int) -> Session:
        """Return the session of one seed."""
        return self._made(seed, plain(uniform))

    def block(self, seeds: Seeds) -> SessionBlock:
        """Return the sessions of many seeds; their draws are the same ones, compiled."""
        return block_of([self._made(int(seed), uniform) for seed in seeds])

    def _made(self, seed: int, draw: Callable[..., float]) -> Session:
        def chance(stream: int, fact: int, number: int) -> float:
            return float(draw(key, WORKLOAD_IDS[self.name], stream, fact, number))

        key, length, facts = seed_key(seed), self.session_length, self.num_facts
        outdated = self.changes_per_fact * facts
        supersedes = [-1] * (facts + outdated)
        events: list[tuple[int, int, int]] = []
        valid = [NO_TURN] * (facts + outdated)
        for fact in range(facts):
            drawn = (chance(_CHANGES, fact, change) for change in range(self.changes_per_fact))
            turns = [1, *sorted(2 + int(share * (length - 1)) for share in drawn)]
            # The last value has the number of the fact; those before it stand behind all facts.
            values = [facts + fact * self.changes_per_fact + change for change in range(len(turns) - 1)] + [fact]
            for place, (turn, value) in enumerate(zip(turns, values, strict=True)):
                events.append((turn, REGISTER, value))
                supersedes[value] = values[place - 1] if place > 0 else -1
                if chance(_TIMES, fact, place) < self.known_times:
                    valid[value] = turn
            for turn in range(2, length + 1):
                if chance(_QUESTIONS, fact, turn) >= self.questions_per_turn:
                    continue
                place = sum(one <= turn for one in turns) - 1
                events.append((turn, RECALL, values[place]))
                if place > 0 and chance(_CONFUSION, fact, turn) < self.confusion:
                    events.append((turn, RECALL, values[place - 1]))
        noise = range(facts + outdated, facts + outdated + self.noise_per_turn * length)
        events += [(1 + number // self.noise_per_turn, REGISTER, item) for number, item in enumerate(noise)]
        return Session(
            length,
            (FOUNDATIONAL,) * facts + (NOISE,) * (outdated + len(noise)),
            tuple(sorted(events, key=lambda event: event[0])),
            seed_key=key,
            supersedes=(*supersedes, *[-1] * len(noise)) if outdated else (),
            valid_turns=(*valid, *[NO_TURN] * len(noise)) if any(valid) else (),
        )

    def sizes(self) -> Sizes:
        """Return the most that a session holds."""
        values, noise = self.num_facts * (1 + self.changes_per_fact), self.noise_per_turn * self.session_length
        touches = values + noise + 2 * self.num_facts * self.session_length
        return Sizes(values + noise, values + noise, touches, self.session_length, 0)
