"""The branches of invariants that only a faulty engine shows: each engine, each spacing, the second pass, the rows."""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import pytest
from comparing import engines_for
from faulty_policies import Sound, SoundHistory, SoundState

from vecdecay.engines.kernels.fields import DECAYED
from vecdecay.engines.outcome import BlockOutcome
from vecdecay.engines.reference import TablePolicyEngine
from vecdecay.engines.reference_stateful import StatefulPolicyEngine
from vecdecay.engines.scalar_memory import Memory
from vecdecay.policies import Lru, Policy
from vecdecay.policies.rules import Rules
from vecdecay.policies.stateful import Functions, HazardPolicy, functions_of
from vecdecay.sessions.block import SessionBlock
from vecdecay.testing import (
    INVARIANTS,
    BrokenInvariantError,
    invariants_of_caches,
    invariants_of_engines,
    invariants_of_passes,
)

STEP = TablePolicyEngine.step
RETENTION = StatefulPolicyEngine.retention
PLAY = invariants_of_engines.play_block


@dataclass(frozen=True)
class EveryThird(Sound):
    """A sound policy with a pass in every third turn only."""

    def rules(self) -> Rules:
        return Rules(period_turns=3)


@dataclass(frozen=True)
class Chance(HazardPolicy):
    """A sound policy that drops items at random."""

    rate: float = 0.2

    def on_register(self, turn: int) -> Any:
        return (0.0,)

    def on_recall(self, state: Any, turn: int) -> Any:
        return state

    def retention(self, state: Any, turn: int) -> float:
        return 1.0

    def evicts(self, state: Any, turn: int, draw: float) -> bool:
        return draw < self.rate


def sleeps_after(gap: int) -> Callable[..., list[Any]]:
    """Return a pass that evicts nothing so many turns after the pass before it."""

    def step(self: Any, turn: int) -> list[Any]:
        before, self.last_pass = getattr(self, "last_pass", 0), turn
        return [] if turn - before == gap and before else STEP(self, turn)

    return step


def wears_at_once(self: Any, turn: int) -> list[Any]:
    """A second pass in a turn takes all items for a turn older."""
    again, self.turn = turn == getattr(self, "turn", None), turn
    return STEP(self, turn + again)


def wears_by_turn(self: Any, turn: int) -> list[Any]:
    """A pass makes all items a turn older whenever it runs; it shows from the next turn on."""
    known, self.passes = getattr(self, "passes", 0), getattr(self, "passes", 0) + 1
    if turn != getattr(self, "turn", None):
        self.turn, self.worn = turn, max(known - turn + 1, 0)
    return STEP(self, turn + self.worn)


def number_0_goes_early(self: Any, item: Any, state: Any, turn: int) -> bool:
    """What stands for the number of an item decides."""
    return turn - state.last_touch > (1 if item == 0 else 5)


def every_other_row(self: Any, turn: int) -> list[Any]:
    """A pass that looks at every other row."""
    self.advance(turn)
    gone = [item for item in list(self.memory)[::2] if self._evicts(item, turn)]
    self._evict(gone, turn, DECAYED)
    return gone


def reading_saves(self: Any, item: Any, turn: int) -> float:
    """A score that was looked at keeps its item."""
    self.saved = {*getattr(self, "saved", ()), item}
    return RETENTION(self, item, turn)


def unless_saved(self: Any, item: Any, turn: int) -> bool:
    """A pass that keeps what was saved."""
    return item not in getattr(self, "saved", ()) and RETENTION(self, item, turn) < self.threshold


def pins_lost(self: Any, items: list[Any], turn: int) -> list[Any]:
    """A store that evicts pinned items."""
    return items


def pins_lost_by(engine: str) -> Callable[..., BlockOutcome]:
    """Return a player that forgets which items are pinned where this engine is asked for."""

    def play(block: Any, policy: Any, asked: str, **wanted: Any) -> BlockOutcome:
        if asked == engine:
            block = replace(block, attributes=tuple(one._replace(pinned=False) for one in block.attributes))
        return PLAY(block, policy, asked, **wanted)

    return play


def wrong_in(engine: str, part: str, column: str, place: int) -> Callable[..., BlockOutcome]:
    """Return a player whose outcome is another one at one place of one column, where this engine is asked for."""

    def play(block: Any, policy: Any, asked: str, **wanted: Any) -> BlockOutcome:
        outcome = PLAY(block, policy, asked, **wanted)
        values = getattr(getattr(outcome, part) if part else outcome, column)
        if asked == engine:
            values[place] += 1
        return outcome

    return play


def off_by_one_place(name: str) -> Callable[..., Any]:
    """Return a compiler that is off by one unit in the last place in one function, for one value in four."""

    def compiled(kind: type) -> Any:
        functions = functions_of(kind)

        def wrong(*arguments: Any) -> Any:
            right = getattr(functions, name)(*arguments)
            first = right[0] if isinstance(right, tuple) else right
            if int(np.float64(first).view(np.int64)) & 3 != 1:
                return right
            moved = float(np.nextafter(first, np.inf))
            return (moved, *right[1:]) if isinstance(right, tuple) else moved

        every = {one.name: getattr(functions, one.name) for one in fields(Functions)}
        return type("Compiled", (), {"functions": Functions(**every | {name: wrong})})

    return compiled


def holds_too_much(block: SessionBlock, policy: Policy, **wanted: Any) -> BlockOutcome:
    """Give LRU a budget that it was not given."""
    return PLAY(block, policy.with_items(20) if isinstance(policy, Lru) else policy, **wanted)


TABLE, STATE = TablePolicyEngine, StatefulPolicyEngine
KIT, PASSES = invariants_of_engines, invariants_of_passes
PLAYED_BY = [(policy, engine) for policy in (Sound(), SoundState()) for engine in engines_for(policy)[1:]]
CASES = (
    *(
        ("stepping_less_often_only_delays", Sound(), [(TABLE, "step", sleeps_after(gap))], f"every turn or {gap}")
        for gap in (2, 3, 7)
    ),
    ("stepping_less_often_only_delays", EveryThird(), [(TABLE, "step", sleeps_after(6))], "every turn or 6"),
    ("stepping_twice_changes_nothing", Sound(), [(TABLE, "step", wears_at_once)], "the second pass of turn "),
    ("stepping_twice_changes_nothing", Sound(), [(TABLE, "step", wears_by_turn)], "every turn has two passes"),
    ("row_order_does_not_matter", Sound(), [(TABLE, "_evicts", number_0_goes_early)], "with the rows reversed"),
    ("row_order_does_not_matter", Chance(), [(STATE, "step", every_other_row)], "with the rows reversed"),
    (
        "reading_a_score_changes_nothing",
        SoundState(),
        [(STATE, "retention", reading_saves), (STATE, "_evicts", unless_saved)],
        "where scores were read before",
    ),
    *(
        ("pinned_is_never_evicted", policy, [(Memory, "_free_to_go", pins_lost)], "(engine reference)")
        for policy in (Sound(), SoundState())
    ),
    ("pinned_is_never_evicted", Sound(), [(PASSES, "play_block", pins_lost_by("reference"))], "(engine reference)"),
    ("pinned_is_never_evicted", Sound(), [(PASSES, "play_block", pins_lost_by("auto"))], "(engine auto)"),
    *(
        ("vectorised_equals_reference", policy, [(KIT, "play_block", wrong_in(engine, *where))], f"(engine {engine})")
        for policy, engine in (
            (Sound(), "horizon"),
            (Sound(), "lockstep"),
            (SoundState(), "lockstep"),
            (SoundState(), "stateful"),
        )
        for where in (("", "misses", 1), ("items", "evicted_turn", -1), ("turns", "working_set", -1))
    ),
    (
        "belady_has_no_fewer_hits",
        Lru(),
        [(invariants_of_caches, "play_block", holds_too_much)],
        "hits with 1 items, and",
    ),
    *(
        ("compiled_equals_plain", policy, [(KIT, "compiled", off_by_one_place(name))], f"{name}(")
        for policy, names in ((SoundState(), ("on_recall", "retention")), (SoundHistory(), ("retention",)))
        for name in names
    ),
)
"""Invariants, sound policies, what is wrong with the engine, and what the example must say."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}-{case[3]}")
def test_faulty_engines_are_caught_by_the_branch_that_sees_them(case: tuple, monkeypatch: pytest.MonkeyPatch) -> None:
    """The invariant holds for the sound engine, and names what is wrong with the other one."""
    name, policy, patches, text = case
    INVARIANTS[name](policy, examples=20)
    for owner, attribute, faulty in patches:
        monkeypatch.setattr(owner, attribute, faulty)
    with pytest.raises(BrokenInvariantError) as caught:
        INVARIANTS[name](policy)
    assert text in str(caught.value)
