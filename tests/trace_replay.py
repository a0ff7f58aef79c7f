"""A replay of logs in plain dictionaries, which shares no line with the package: what a trace must come to.

A log is a list of rows, each a dictionary with session, turn, item and, where the log has kinds, kind (0, 1, 2).
"""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Row = dict[str, Any]
Evicts = Callable[[int, float], bool]
"""Whether an item of this age and stability goes."""


@dataclass(frozen=True)
class PlainRules:
    """The named rules, as a trace takes them."""

    on_miss: str = "nothing"
    duplicates: str = "each"
    registered_again: str = "reset"
    longest_silence: int | None = None


def sessions_of(rows: list[Row]) -> dict[Any, list[Row]]:
    """Return the rows of each session in their order."""
    found: dict[Any, list[Row]] = {}
    for row in rows:
        found.setdefault(row["session"], []).append(row)
    return found


def events_by_rules(rows: list[Row], rules: PlainRules) -> tuple[list[tuple[int, int, Any]], int]:
    """Return (turn, kind, item) of one session, the first turn being 1, and the length of the session."""
    turns = [1]
    for one, other in itertools.pairwise(rows):
        gap = other["turn"] - one["turn"]
        turns.append(turns[-1] + (gap if rules.longest_silence is None else min(gap, rules.longest_silence)))
    known: set[Any] = set()
    seen: set[Any] = set()
    events = []
    for turn, row in zip(turns, rows, strict=True):
        item = row["item"]
        kind = row["kind"] if "kind" in row else int(item in known)
        same = (turn, item, row.get("kind"))
        if rules.duplicates == "once" and same in seen:
            continue
        seen.add(same)
        if kind == 0 and item in known and rules.registered_again == "ignore":
            continue
        if kind == 0 and item in known and rules.registered_again == "reinforce":
            kind = 1
        if kind == 0:
            known.add(item)
        if kind == 2:
            known.discard(item)
        events.append((turn, kind, item))
    return events, turns[-1]


def replay(rows: list[Row], rules: PlainRules, baseline: float, gain: float, evicts: Evicts) -> dict[str, Any]:
    """Play one session turn by turn; return counts under the names of the sessions table, and what missed and why."""
    events, length = events_by_rules(rows, rules)
    memory: dict[Any, list[Any]] = {}  # item: last touch, recall count, stability, turns held since its last use
    count = {"recalls": 0, "misses": 0, "registrations": 0, "working_set_sum": 0, "dead_item_turns": 0}

    def out(item: Any) -> bool:
        count["dead_item_turns"] += memory[item][3] if item in memory else 0
        return memory.pop(item, None) is not None

    evicted: dict[Any, tuple[int, str]] = {}
    missed: list[tuple[Any, ...]] = []
    for turn in range(1, length + 1):
        for kind, item in [(kind, item) for at, kind, item in events if at == turn]:
            registers = kind == 0
            if kind == 1:
                count["recalls"] += 1
                if item in memory:
                    memory[item][1] += 1
                    memory[item][2] *= 1.0 + gain * math.log(1.0 + memory[item][1])
                    memory[item][0] = turn
                    memory[item][3] = 0
                else:
                    count["misses"] += 1
                    missed.append((turn, item, *evicted.get(item, (None, None))))
                    registers = rules.on_miss == "relearn"
            if kind == 2 and out(item):
                evicted[item] = turn, "forgotten"
            if registers:
                count["registrations"] += 1
                out(item)
                memory[item] = [turn, 1, baseline, 0]
        for item in [item for item, (last, _, stability, _) in memory.items() if evicts(turn - last, stability)]:
            out(item)
            evicted[item] = turn, "decayed"
        count["working_set_sum"] += len(memory)
        for held in memory.values():
            held[3] += 1
    there = set(memory)
    for item in there:
        out(item)
    recalled = {item for _, kind, item in events if kind == 1}
    return {
        **count,
        "missed": missed,
        "items_evicted": len(evicted),
        "foundational_items": len(recalled),
        "foundational_present": len(recalled & there),
    }
