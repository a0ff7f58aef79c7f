"""Plays one session under one policy with the scalar reference, and shows what happened turn by turn."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from vecdecay.engines.asking import guarded
from vecdecay.engines.kernels.fields import EVICTION_REASONS
from vecdecay.engines.reference import ItemTrace, Trace, engine_for, run
from vecdecay.engines.registry import check_policy
from vecdecay.engines.scalar_memory import Memory
from vecdecay.errors import InvalidInputError
from vecdecay.policies.base import Policy
from vecdecay.policies.own import own_policy
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.events import RECALL, Event, EventKind
from vecdecay.sessions.session import Session, session_of, session_problems

_COLUMNS = ("registered_turn", "last_touch", "recall_count", "stability", "evicted_turn", "present", "hits", "misses")


@dataclass(frozen=True)
class PlayedSession:
    """What became of one session; prints as a table of the turns in which something happened, and one of the items.

    ``found`` says of each recall, in the order of play, whether it was a hit; ``evicted`` holds, by turn, the items
    that were evicted, on request excepted; what a newer version or a cascade removes is among them. ``reasons`` holds
    why, entry by entry, as ``EVICTION_REASONS`` has it. ``trace`` holds the state of every item at the end, and counts
    per turn.
    """

    session: Session
    policy: Policy
    trace: Trace
    found: tuple[bool, ...]
    evicted: dict[int, tuple[int, ...]]
    reasons: dict[int, tuple[str, ...]]

    @property
    def items(self) -> list[ItemTrace]:
        """Return what became of each item."""
        return self.trace.items

    def __str__(self) -> str:
        kinds = [("noise", "foundational")[item.kind] for item in self.items]
        items = [
            (number, kind, *(getattr(item, name) for name in _COLUMNS))
            for number, (kind, item) in enumerate(zip(kinds, self.items, strict=True))
        ]
        title = f"{self.policy!r}: {self.session.session_length} turns"
        turns = _table(("turn", "events", "evicted", "items held"), self._turns())
        return "\n".join([title, *turns, "", *_table(("item", "kind", *_COLUMNS), items)])

    def _turns(self) -> list[Sequence[Any]]:
        texts: dict[int, list[str]] = {turn: [] for turn in self.evicted}
        found = iter(self.found)
        for turn, kind, item in self.session.events:
            outcome = "" if kind != RECALL else " (hit)" if next(found) else " (miss)"
            texts.setdefault(turn, []).append(f"{EventKind(kind).name.lower()} {item}{outcome}")
        held = self.trace.working_set_sizes
        return [
            (turn, ", ".join(texts[turn]), ", ".join(map(str, self.evicted.get(turn, ()))), held[turn - 1])
            for turn in sorted(texts)
        ]


def play(session: Session | Iterable[Event | tuple[Any, ...]], policy: object, relearn: bool = False) -> PlayedSession:
    """Play one session, or one made from events, under one policy, in plain Python.

    With ``relearn``, a recall that misses registers its item anew, in the same turn.

    Raises:
        InvalidInputError: one line per mistake in the session, or per reason why the policy cannot be played.

    >>> from vecdecay.policies import RecencyWindow
    >>> print(play([(1, "register", "a"), (2, "register", "b"), (5, "recall", "a"), (9, "recall", "b")],
    ...            RecencyWindow(window_size=4)))
    RecencyWindow(window_size=4.0, grace_turns=0): 9 turns
    turn  events           evicted  items held
    1     register 0       -        1
    2     register 1       -        2
    5     recall 0 (hit)   -        2
    7     -                1        1
    9     recall 1 (miss)  -        1
    <BLANKLINE>
    item  kind          registered_turn  last_touch  recall_count  stability  evicted_turn  present  hits  misses
    0     foundational  1                5           2             -          -             True     1     0
    1     foundational  2                2           1             -          7             False    0     1
    """
    made = session if isinstance(session, Session) else session_of(session)
    problems = session_problems(made)
    if problems:
        raise InvalidInputError(problems)
    played = own_policy(policy)
    with guarded(played):
        check_policy(played, block_of([made]))
        recorder = _Recorder(engine_for(played, made))
        trace = run(cast(Memory, recorder), made, relearn)
    return PlayedSession(made, played, trace, tuple(recorder.found), recorder.evicted, recorder.reasons)


class _Recorder:
    """A scalar engine whose recalls and passes are recorded."""

    def __init__(self, engine: Memory) -> None:
        self._engine = engine
        self.found: list[bool] = []
        self.evicted: dict[int, tuple[int, ...]] = {}
        self.reasons: dict[int, tuple[str, ...]] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def recall(self, item: int, turn: int, *described: int) -> bool:
        """Use the item."""
        self.found.append(self._engine.recall(item, turn, *described))
        return self.found[-1]

    def step(self, turn: int) -> list[Any]:
        """Run the eviction pass of a turn."""
        gone: list[Any] = self._engine.step(turn)
        self._record(turn, gone)
        return gone

    def supersede(self, item: int, turn: int) -> None:
        """React to a newer version of the item, which may remove it."""
        self._reacting(self._engine.supersede, item, turn)

    def forget_copy(self, item: int, turn: int) -> None:
        """React to the request to forget a source of the item, which may remove it."""
        self._reacting(self._engine.forget_copy, item, turn)

    def _reacting(self, react: Callable[[int, int], None], item: int, turn: int) -> None:
        was_there = self._engine.is_present(item)
        react(item, turn)
        self._record(turn, [item] if was_there and not self._engine.is_present(item) else [])

    def register(self, item: int, turn: int, *described: int) -> None:
        """Insert the item; others may have to go for it, or it does not fit."""
        there = [*self._engine.memory, item]
        self._engine.register(item, turn, *described)
        self._record(turn, [one for one in there if not self._engine.is_present(one)])

    def _record(self, turn: int, gone: list[Any]) -> None:
        if gone:
            self.evicted[turn] = (*self.evicted.get(turn, ()), *gone)
            why = (EVICTION_REASONS[self._engine.eviction_reasons[one] - 1] for one in gone)
            self.reasons[turn] = (*self.reasons.get(turn, ()), *why)


def _table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[str]:
    """Return lines of columns as wide as their widest cell; nothing and "" are shown as "-"."""
    cells = [header, *(["-" if one in (None, "") else str(one) for one in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]
