"""The life of one item of a session, as the scalar reference plays it: what happened, and its scores before passes."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

from vecdecay.engines.kernels.fields import EVICTION_REASONS
from vecdecay.engines.reference import engine_for, run, score_of
from vecdecay.engines.scalar_memory import Memory
from vecdecay.policies.base import Policy
from vecdecay.sessions.session import Session

REGISTERED, RECALLED, MISSED, FORGOTTEN, EVICTED = "registered", "recalled", "missed", "forgotten", "evicted"


class Moment(NamedTuple):
    """What happened to an item in a turn, and its stability (turns) after that; None where there is none.

    ``reason`` is that of an eviction, one of ``EVICTION_REASONS``, else "".
    """

    turn: int
    what: str
    stability: float | None = None
    reason: str = ""


@dataclass
class Life:
    """What one item went through: ``turns`` and its retention ``before`` the pass of each, while it was there.

    ``before`` is empty under a policy that scores nothing.
    """

    turns: list[int] = field(default_factory=list)
    before: list[float] = field(default_factory=list)
    moments: list[Moment] = field(default_factory=list)

    @property
    def marks(self) -> list[tuple[int, str]]:
        """Return (turn, what happened) alone."""
        return [(one.turn, one.what) for one in self.moments]


def life_of(session: Session, item: int, policy: Policy, relearn: bool) -> Life:
    """Return the life of one item of a session."""
    watched = _Watched(engine_for(policy, session), item, policy)
    run(cast(Memory, watched), session, relearn)
    return watched.life


class _Watched:
    """A scalar engine of which one item is watched."""

    def __init__(self, engine: Memory, item: int, policy: Policy) -> None:
        self._engine, self._item, self._score = engine, item, score_of(engine, policy)
        self.life = Life()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def register(self, item: int, turn: int, *rest: int) -> None:
        there = self._engine.is_present(self._item)
        self._engine.register(item, turn, *rest)
        if item == self._item:
            self._note(turn, REGISTERED)
        if (there or item == self._item) and not self._engine.is_present(self._item):
            self._gone(turn)  # another had to have its room, or it does not fit itself

    def recall(self, item: int, turn: int, *rest: int) -> bool:
        found = self._engine.recall(item, turn, *rest)
        if item == self._item:
            self._note(turn, RECALLED if found else MISSED)
        return found

    def forget(self, item: int, turn: int) -> bool:
        found = self._engine.forget(item, turn)
        if item == self._item:
            self._note(turn, FORGOTTEN)
        return found

    def step(self, turn: int) -> Any:
        if self._engine.is_present(self._item):
            self.life.turns.append(turn)
            if self._score is not None:
                self.life.before.append(self._score(self._item, turn))
        gone = self._engine.step(turn)
        if self._item in gone:
            self._gone(turn)
        return gone

    def _gone(self, turn: int) -> None:
        self._note(turn, EVICTED, EVICTION_REASONS[self._engine.eviction_reasons[self._item] - 1])

    def _note(self, turn: int, what: str, reason: str = "") -> None:
        state = self._engine.memory.get(self._item) or self._engine.departed.get(self._item)
        stability = None if state is None or what == MISSED else state.stability
        self.life.moments.append(Moment(turn, what, stability, reason))
