"""``vecdecay show WORKLOAD``: one session drawn as text, items × turns, for each policy, by the scalar reference."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from vecdecay.commands.arguments import parquet_problems
from vecdecay.commands.screen import GAP, paragraph, show, width
from vecdecay.commands.sources import seeds_of_text
from vecdecay.commands.typed import text_of_policy, typed_policy, typed_workload
from vecdecay.engines.played import play
from vecdecay.errors import InvalidInputError, each_of
from vecdecay.numerals import count
from vecdecay.own_file import names_a_file
from vecdecay.policies.base import Policy
from vecdecay.sessions import WORKLOADS
from vecdecay.sessions.events import FORGET, RECALL, REGISTER
from vecdecay.sessions.sample import trace_path
from vecdecay.sessions.saved import table_of_sessions
from vecdecay.sessions.session import FOUNDATIONAL, Session
from vecdecay.sessions.source import Source
from vecdecay.sessions.trace import Trace
from vecdecay.store.parquet import write_parquet

USUAL_POLICIES = ("ebbinghaus", "recency_window")
MOST_TURNS = 100_000
MOST_EVENTS = 2_000_000

_LATER, _PRESENT, _GONE = " ", "█", "·"
_REGISTERED, _RECALLED, _MISSED, _EVICTED, _FORGOTTEN = "+", "R", "x", "E", "F"
_MARKS = {REGISTER: _REGISTERED, FORGET: _FORGOTTEN}
_EVICTIONS = {"decayed": _EVICTED, "capacity": "C", "superseded": "S", "expired": "T", "cascaded": "D"}
_WHY = {"C": "no room", "S": "superseded", "T": "its time is up", "D": "derived from what was forgotten"}
_LABEL_WIDTH = 20
# Where several things happen in one column, the first of these is drawn.
_PRECEDENCE = (_MISSED, _FORGOTTEN, _RECALLED, _REGISTERED, *_EVICTIONS.values())


@dataclass
class Life:
    """One item under one policy: whether it was there after each turn (entry 0 is turn 1), and what happened when."""

    present: list[bool]
    marks: dict[int, set[str]]

    def columns(self, turns_per_column: int) -> str:
        """Return one character per stretch of turns."""
        drawn = [
            self._column(range(first, min(first + turns_per_column, len(self.present) + 1)))
            for first in range(1, len(self.present) + 1, turns_per_column)
        ]
        return "".join(drawn).rstrip()

    def _column(self, turns: Sequence[int]) -> str:
        happened = {mark for turn in turns for mark in self.marks.get(turn, ())}
        for mark in _PRECEDENCE:
            if mark in happened:
                return mark
        if self.present[turns[-1] - 1]:
            return _PRESENT
        begun = any(turn < turns[0] for turn in self.marks)
        return _GONE if begun else _LATER


def show_command(
    name: str, seed: int, policies: Sequence[str], items: int, save: Path | None = None, seeds: str | None = None
) -> None:
    """Print the session that a workload makes of a seed, as each policy lives it; save it, or others, as a log.

    Raises InvalidInputError for a name that is no workload, a policy that is none, and sessions too large to draw.
    """
    workload, played, saved = _asked_for(name, seed, policies, items, save, seeds)
    sizes = workload.sizes()
    if sizes.turns > MOST_TURNS or sizes.touches + sizes.items > MOST_EVENTS:
        size = f"{sizes.turns} turns and up to {sizes.touches + sizes.items} events"
        raise InvalidInputError([f"a session has {size}; allowed here: {MOST_TURNS} turns, {MOST_EVENTS} events"])
    session = workload.session(seed)
    if save is not None:
        named = ((one, workload.session(int(one))) for one in saved)
        write_parquet(save, workload.table() if isinstance(workload, Trace) else table_of_sessions(named))
    chosen = chosen_items(session, items)
    show(*_opening(name, seed, session))
    if not chosen:
        show("", "There is nothing to draw: no item is ever registered.")
        return
    seen = set[str]()
    for policy in played:
        show("", *paragraph(text_of_policy(policy)))
        found = lives(session, policy, chosen, workload.relearns)
        seen.update(mark for life in found.values() for marks in life.marks.values() for mark in marks)
        show(*_picture(session, chosen, found))
    left_out = len(session.item_kinds) - len(chosen)
    show(
        "",
        *([f"{count(left_out, 'more item')} not drawn; --items draws more"] if left_out else []),
        *_legend(session, seen),
    )


def _asked_for(
    name: str, seed: int, policies: Sequence[str], items: int, save: Path | None, seeds: str | None
) -> tuple[Source, list[Policy], Sequence[Any]]:
    """Return the source, the policies, and the seeds to save."""
    problems = [] if items >= 1 else [f"--items is {items}; allowed: at least 1"]
    source, saved, *played = each_of(
        lambda: _source(name),
        lambda: [seed] if seeds is None else seeds_of_text(seeds),
        *(partial(typed_policy, one) for one in policies),
        problems=problems + parquet_problems(save, "--save"),
    )
    if seeds is not None and (save is None or isinstance(source, Trace)):
        raise InvalidInputError(["--seeds: allowed with --save, of a workload"])
    return source, played, saved


def _source(text: str) -> Source:
    kind = text.partition("(")[0].strip()
    is_log = kind not in {one.name for one in WORKLOADS} and not names_a_file(kind)
    path = trace_path(Path(text))
    return Trace.read(path) if is_log and path.is_file() else typed_workload(text)


def chosen_items(session: Session, most: int) -> list[int]:
    """Return the items to draw: foundational ones first, then noise that is recalled, then other noise."""
    recalled = {item for _, kind, item in session.events if kind == RECALL}
    order = sorted(
        range(len(session.item_kinds)),
        key=lambda item: (session.item_kinds[item] != FOUNDATIONAL, item not in recalled, item),
    )
    return sorted(order[:most])


def lives(session: Session, policy: Policy, items: Sequence[int], relearn: bool = False) -> dict[int, Life]:
    """Return what becomes of some items of a session under a policy, turn by turn.

    Raises:
        InvalidInputError: a policy of a person's own cannot be played.
    """
    played = play(session, policy, relearn)
    hits, present, found = iter(played.found), set[int](), {item: Life([], {}) for item in items}
    happened: dict[int, list[tuple[int, str]]] = {}
    for turn, kind, item in session.events:
        mark = (_RECALLED if next(hits) else _MISSED) if kind == RECALL else _MARKS[kind]
        happened.setdefault(turn, []).append((item, mark))
    for turn in range(1, session.session_length + 1):
        why = (_EVICTIONS[reason] for reason in played.reasons.get(turn, ()))
        gone = zip(played.evicted.get(turn, ()), why, strict=True)
        for item, mark in (*happened.get(turn, ()), *gone):
            if mark == _REGISTERED or (relearn and mark == _MISSED):
                present.add(item)
            elif mark in (*_EVICTIONS.values(), _FORGOTTEN):
                present.discard(item)
            if item in found:
                found[item].marks.setdefault(turn, set()).add(mark)
        for item, life in found.items():
            life.present.append(item in present)
    return found


def _opening(name: str, seed: int, session: Session) -> Iterator[str]:
    facts = len(session.foundational_items())
    recalls = sum(kind == RECALL for _, kind, _ in session.events)
    yield from paragraph(
        f"{name}, seed {seed}: {count(session.session_length, 'turn')}, "
        f"{count(facts, 'foundational item')}, {count(len(session.item_kinds) - facts, 'item')} of noise, "
        f"{count(recalls, 'recall')}."
    )


def _turns_per_column(session: Session) -> int:
    return -(-session.session_length // (width() - _LABEL_WIDTH - len(GAP)))


def _picture(session: Session, items: Sequence[int], found: dict[int, Life]) -> Iterator[str]:
    per_column = _turns_per_column(session)
    yield f"{'turn':<{_LABEL_WIDTH}}{GAP}{_scale(session.session_length, per_column)}"
    for item in items:
        kind = "foundational" if session.item_kinds[item] == FOUNDATIONAL else "noise"
        yield f"{f'item {item} {kind}':<{_LABEL_WIDTH}}{GAP}{found[item].columns(per_column)}".rstrip()


def _scale(session_length: int, per_column: int) -> str:
    """Return turns above their columns, as many as have room."""
    columns = -(-session_length // per_column)
    line = ""
    for column in range(0, columns, 10):
        turn = str(column * per_column + 1)
        if len(line) <= column and column + len(turn) <= width() - _LABEL_WIDTH - len(GAP):
            line = f"{line:<{column}}{turn} "
    return line.rstrip()


def _legend(session: Session, seen: Collection[str]) -> list[str]:
    per_column = _turns_per_column(session)
    marks = {
        _REGISTERED: "registered",
        _RECALLED: "recalled",
        _MISSED: "recall failed",
        _EVICTED: "evicted",
        **{mark: why for mark, why in _WHY.items() if mark in seen},
        _PRESENT: "in memory",
        _GONE: "gone",
    }
    if any(kind == FORGET for _, kind, _ in session.events):
        marks[_FORGOTTEN] = "forgotten"
    text = "; ".join(f"{mark}\N{NO-BREAK SPACE}{meaning}" for mark, meaning in marks.items())
    return [*paragraph(text), f"1 column = {count(per_column, 'turn')}"]
