"""The published sessions: facts registered in turn 1 and recalled at widening intervals, noise in every turn.

The random stream is CPython's ``random.Random(seed)``, draw for draw. Inside a turn the order of events is:
registrations of foundational items, recalls by fact, registrations of noise.
"""

import random
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from vecdecay.parameters import Check, parameter
from vecdecay.sessions.block import Cohort, SessionBlock
from vecdecay.sessions.draws import seed_key, seed_keys
from vecdecay.sessions.mersenne import Seeds, fill_random, new_lanes_state, seed_key_words
from vecdecay.sessions.published_kernel import schedule_recalls
from vecdecay.sessions.session import (
    FOUNDATIONAL,
    MAX_SESSION_LENGTH,
    NOISE,
    RECALL,
    REGISTER,
    PlayedEvent,
    Session,
)
from vecdecay.sessions.workload import Sizes, Workload

_scratch = threading.local()


def lanes_state() -> NDArray[np.uint32]:
    """Return this thread's scratch for the generator; a fresh megabyte for every block would cost 20 ns a session."""
    state: NDArray[np.uint32] | None = getattr(_scratch, "lanes_state", None)
    if state is None:
        state = _scratch.lanes_state = new_lanes_state()
    return state


def _draws(size: int) -> NDArray[np.float64]:
    """Return this thread's scratch for the random numbers of a block."""
    draws: NDArray[np.float64] | None = getattr(_scratch, "draws", None)
    if draws is None or len(draws) < size:
        draws = _scratch.draws = np.empty(size)
    return draws[:size]


@dataclass(frozen=True)
class PublishedSessions(Workload):
    """Established early, recalled at widening intervals, then silence, under steady noise.

    Recall i of a fact falls at turn 1 + round(offset_i × factor), the factor drawn uniformly from
    ``recall_jitter_range``; recalls of a fact strictly increase, and a recall beyond the last turn ends the fact's
    schedule. More recalls than there are offsets are not made. Defaults are those of the published benchmark. Under
    any policy that judges items singly, no metric on foundational items depends on ``noise_per_turn``: noise takes no
    random number.

    Source: Emmimal/memory-decay-engine, session_generator.py and benchmark.py.

    >>> PublishedSessions().session(seed=0).events[3:6]
    ((1, 0, 3), (1, 0, 4), (1, 0, 5))
    >>> block = PublishedSessions().block(seeds=[0, 1])
    >>> block.touch_turn[:5].tolist()
    [1, 5, 10, 20, 39]
    """

    name: ClassVar[str] = "published_sessions"
    summary: ClassVar[str] = "the published benchmark: early facts, widening recalls, noise in every turn"
    source: ClassVar[str] = "Emmimal/memory-decay-engine, session_generator.py"

    session_length: int = parameter(
        150, at_least=1, at_most=MAX_SESSION_LENGTH, unit="turns", meaning="number of turns of a session"
    )
    num_foundational: int = parameter(
        3, at_least=0, at_most=2**31 - 1, meaning="items registered in turn 1 whose recall rate is measured"
    )
    recalls_per_foundational: int = parameter(
        4, at_least=0, at_most=2**31 - 1, meaning="recalls of each foundational item, at most one per offset"
    )
    noise_per_turn: int = parameter(
        3, at_least=0, at_most=2**31 - 1, meaning="items registered in every turn and never touched again"
    )
    recall_base_offsets: tuple[float, ...] = parameter(
        (3, 8, 20, 45, 90, 150),
        at_least=0.0,
        at_most=2**31 - 1,
        unit="turns",
        meaning="turns from the registration to each recall, before jitter",
    )
    recall_jitter_range: tuple[float, float] = parameter(
        (0.7, 1.3),
        length=2,
        at_least=0.0,
        at_most=2.0**20,
        meaning="smallest and largest factor on an offset",
    )

    def checks(self) -> Sequence[Check]:
        """Return the checks of what fits a session and of the jitter."""
        return (*super().checks(), self.jitter_problems)

    def jitter_problems(self) -> list[str]:
        """Refuse a jitter range whose ends are reversed."""
        low, high = self.recall_jitter_range
        if low <= high:
            return []
        return [f"PublishedSessions.recall_jitter_range is {low, high}; allowed: the smaller factor first"]

    def num_recalls(self) -> int:
        """Return how many recalls of a fact are planned."""
        return min(self.recalls_per_foundational, len(self.recall_base_offsets))

    def session(self, seed: int) -> Session:
        """Return the session of one seed, drawn from ``random.Random(seed)``."""
        stream = random.Random(seed)
        facts = range(self.num_foundational)
        events: list[PlayedEvent] = [(1, REGISTER, fact) for fact in facts]
        for fact in facts:
            events.extend((turn, RECALL, fact) for turn in self._recall_turns(stream))
        kinds = [FOUNDATIONAL] * self.num_foundational
        for turn in range(1, self.session_length + 1):
            for _ in range(self.noise_per_turn):
                events.append((turn, REGISTER, len(kinds)))
                kinds.append(NOISE)
        events.sort(key=lambda event: event[0])
        return Session(self.session_length, tuple(kinds), tuple(events), seed_key=seed_key(seed))

    def _recall_turns(self, stream: random.Random) -> list[int]:
        turns: list[int] = []
        last = 1
        for offset in self.recall_base_offsets[: self.num_recalls()]:
            candidate = 1 + round(offset * stream.uniform(*self.recall_jitter_range))
            turn = max(last + 1, min(candidate, self.session_length))
            if turn > self.session_length:
                break  # after the draw: the stream has moved on
            turns.append(turn)
            last = turn
        return turns

    def block(self, seeds: Seeds) -> SessionBlock:
        """Return the sessions of many seeds: foundational items listed, noise as one cohort."""
        num_sessions = len(seeds)
        recalls = self.num_recalls()
        draws_per_session = self.num_foundational * recalls
        draws = _draws(num_sessions * draws_per_session)
        fill_random(*seed_key_words(seeds), 0, num_sessions, draws_per_session, lanes_state(), draws)
        num_items = num_sessions * self.num_foundational
        touch_start = np.empty(num_items + 1, dtype=np.int64)
        touch_turn = np.empty(num_items * (recalls + 1), dtype=np.int32)
        touch_kind = np.empty(num_items * (recalls + 1), dtype=np.int8)
        low, high = self.recall_jitter_range
        touches = schedule_recalls(
            draws,
            num_sessions,
            draws_per_session,
            self.session_length,
            self.num_foundational,
            np.array(self.recall_base_offsets[:recalls], dtype=np.float64),
            low,
            high - low,
            touch_start,
            touch_turn,
            touch_kind,
        )
        cohort = Cohort(first_turn=1, last_turn=self.session_length, count=self.noise_per_turn)
        return SessionBlock(
            session_length=np.full(num_sessions, self.session_length, dtype=np.int64),
            item_start=np.arange(num_sessions + 1, dtype=np.int64) * self.num_foundational,
            item_kind=np.full(num_items, FOUNDATIONAL, dtype=np.int8),
            touch_start=touch_start,
            touch_turn=touch_turn[:touches],
            touch_kind=touch_kind[:touches],
            max_recalls=recalls,
            cohorts=(cohort,) if self.noise_per_turn > 0 else (),
            seed_keys=seed_keys(seeds),
        )

    def most_items(self) -> int:
        """Return the number of items of a session."""
        return self.num_foundational + self.noise_per_turn * self.session_length

    def sizes(self) -> Sizes:
        """Return upper bounds for one session."""
        recalls = self.num_recalls()
        return Sizes(
            items=self.most_items(),
            listed_items=self.num_foundational,
            touches=self.num_foundational * (recalls + 1),
            turns=self.session_length,
            draws=self.num_foundational * recalls,
        )
