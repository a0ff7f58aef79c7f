"""Tests of vecdecay.engines.stateful_check: what is refused, in one line, with the arguments that show it."""

# ruff: noqa: ARG005  # functions of a policy have all their arguments, whatever they use
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from comparing import COMPILED
from own_policies import ALL, Coin, Gentle, LastTwo

import vecdecay as vd
from vecdecay.engines.registry import play_block
from vecdecay.engines.stateful_check import check_stateful, stateful_problems
from vecdecay.errors import InvalidInputError
from vecdecay.items import Attributes
from vecdecay.policies.stateful import StatefulPolicy
from vecdecay.sessions import PublishedSessions
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.session import Session

BLOCK = block_of([Session(9, (1,), ((1, 0, 0), (3, 1, 0)))])


def bad(base: type[StatefulPolicy] = Gentle, **functions: Callable[..., Any]) -> StatefulPolicy:
    """Return a policy of a class named Bad, with some functions replaced."""
    kind: type[StatefulPolicy] = type("Bad", (base,), {"__annotations__": {}, **functions})
    return kind()


PLAIN_FAULTS = [
    (
        bad(retention=lambda self, state, turn: math.nan),
        "Bad.retention(state=(8.0, 1), turn=1) is nan; allowed: a number",
    ),
    (bad(retention=lambda self, state, turn: 1.5), "Bad.retention(state=(8.0, 1), turn=1) is 1.5; allowed: a number"),
    (bad(retention=lambda self, state, turn: -0.1), "is -0.1; allowed: a number from 0 to 1"),
    (bad(retention=lambda self, state, turn: "high"), "is 'high'; allowed: a number from 0 to 1"),
    (bad(retention=lambda self, state, turn: True), "is True; allowed: a number from 0 to 1"),
    (
        bad(retention=lambda self, state, turn: 1.0 / (turn - state[1])),
        "Bad.retention(state=(8.0, 1), turn=1) raised ZeroDivisionError: float division by zero",
    ),
    (
        bad(retention=lambda self, state, turn: min(1.0, (turn - state[1]) / 100)),
        "Bad.retention(state=(8.0, 1), turn=1) is 0.0 and in turn 2 it is 0.01; allowed: a score that is non",
    ),
    (
        bad(LastTwo, retention=lambda self, touches, first, last, turn: min(1.0, turn / 100)),
        "Bad.retention(touches=(1,), first=0, last=1, turn=1) is 0.01 and in turn 2 it is 0.02",
    ),
    (bad(on_recall=lambda self, state, turn: (1.0,)), "has 1 numbers; allowed: 2, as many as other functions return"),
    (bad(on_recall=lambda self, state, turn: state[0]), "is 8.0; allowed: a tuple of numbers"),
    (bad(on_recall=lambda self, state, turn: (math.nan, turn)), "is (nan, 1); allowed: a tuple of numbers"),
    (bad(on_register=lambda self, turn: ()), "on_register(turn=1, item=ItemFacts(importance=0.5, category=0)) is ()"),
    (bad(on_turn=lambda self, state, turn: (1.0,)), "Bad.on_turn(state=(8.0, 1), turn=2) has 1 numbers"),
    (bad(constants=lambda self: (np.float64(0.5),)), "Bad.constants()[0] is np.float64(0.5); allowed: plain numbers"),
    (bad(constants=lambda self: 1 / 0), "Bad.constants() raised ZeroDivisionError: division by zero"),
    (bad(constants=lambda self: (1.0, 2**60)), "Bad.constants()[1] is 1152921504606846976; allowed: integers up to"),
    (bad(threshold=lambda self: 1 / 0), "Bad.threshold() raised ZeroDivisionError: division by zero"),
    (bad(threshold=lambda self: 7.0), "Bad.eviction_threshold is 7.0; allowed: a number from 0 to 1"),
    (bad(threshold=lambda self: math.nan), "Bad.eviction_threshold is nan"),
    (
        bad(Coin, evicts=lambda self, state, turn, draw: draw < state[9]),
        "Bad.evicts(state=(1,), turn=1, draw=0.5) raised",
    ),
]


@pytest.mark.parametrize(("policy", "problem"), PLAIN_FAULTS, ids=[problem[:40] for _, problem in PLAIN_FAULTS])
def test_faults_are_refused_in_every_engine(policy: StatefulPolicy, problem: str) -> None:
    """One line names the function, the arguments that show the fault, and what would be allowed."""
    for engine in ("auto", "reference"):
        with pytest.raises(InvalidInputError) as caught:
            play_block(BLOCK, policy, engine)
        (line,) = caught.value.problems
        assert problem in line
        assert "\n" not in line


def test_a_fault_that_depends_on_the_item_is_found_where_such_items_are() -> None:
    """Each combination of attributes that a block holds is asked about."""

    class Picky(Gentle):
        """A policy that cannot stand unimportant items."""

        def on_register(self, turn: int, item: Any) -> Any:  # type: ignore[override]
            """Return a state, or raise."""
            return 8.0 / item.importance, turn

    assert stateful_problems(Picky(), compile_too=False) == []
    (problem,) = stateful_problems(Picky(), Attributes(importance=0.0), compile_too=False)
    assert problem.startswith("Picky.on_register(turn=1, item=ItemFacts(importance=0.0, category=0)) raised ZeroDiv")
    described = block_of([Session(9, (1,), ((1, 0, 0),), (Attributes(importance=0.0),))])
    with pytest.raises(InvalidInputError, match=r"importance=0\.0"):
        play_block(described, Picky(), "reference")


def test_a_recall_of_an_item_that_is_gone_is_not_asked_about() -> None:
    """A gain that grows without bound as the score falls is sound: no engine recalls an item below the threshold."""

    class Late(Gentle):
        """A policy whose recalls count more the later they come."""

        def on_recall(self, state: Any, turn: int) -> Any:
            """Return a stability times score ^ -0.2, which cannot be computed where the score is 0."""
            return state[0] * math.exp(-(turn - state[1]) / state[0]) ** -0.2, turn

    policy = Late(first_stability=0.01)
    assert stateful_problems(policy) == []
    assert play_block(BLOCK, policy).misses.tolist() == [1]


needs_compiler = pytest.mark.skipif(not COMPILED, reason="nothing is compiled without the JIT")
COMPILER_FAULTS = [
    (
        bad(on_recall=lambda self, state, turn: (len({1: 2.0, "a": 3}) * 1.0, turn)),
        "Bad.on_recall cannot be compiled: ",
    ),
    (
        bad(retention=lambda self, state, turn: 1.0 / math.hypot(1.0, turn - state[1])),
        "Bad.retention cannot be compiled: math.hypot is not compiled; write math.sqrt(x * x + y * y)",
    ),
    (
        bad(retention=lambda self, state, turn: float(np.exp(-(turn - state[1])))),
        "Bad.retention cannot be compiled: numpy.exp is not compiled; use math",
    ),
    (
        bad(on_recall=lambda self, state, turn: (float(sum((1, 2))), turn)),
        "Bad.on_recall cannot be compiled: sum is not compiled; add up in a loop",
    ),
    (
        bad(on_recall=lambda self, state, turn: (min(one for one in state), turn)),
        "a function or comprehension inside a function is not compiled; write a loop",
    ),
    (
        bad(on_recall=lambda self, state, turn: (1.0 * (turn << 1), turn)),
        "the operator lshift is not compiled; allowed: + - * / // % **, abs, ",
    ),
    (
        bad(on_recall=lambda self, state, turn: (1.0 * turn * 2**40 * 2**40 * 2**40, turn * 2**40 * 2**20)),
        "raised OverflowError: an integer beyond 2**52 in a compiled function; write it as a float when compiled",
    ),
]


@needs_compiler
@pytest.mark.parametrize(
    ("policy", "problem"),
    COMPILER_FAULTS,
    ids=["no numbers", "hypot", "numpy", "sum", "comprehension", "shift", "large"],
)
def test_what_cannot_be_compiled_can_be_played_by_the_reference(policy: StatefulPolicy, problem: str) -> None:
    """What the compiler refuses, or makes something else of, is one line; the scalar reference still plays it."""
    with pytest.raises(InvalidInputError) as caught:
        play_block(BLOCK, policy)
    (line,) = caught.value.problems
    assert problem in line
    assert "\n" not in line
    assert play_block(BLOCK, policy, "reference").recalls.tolist() == [1]


def test_sound_policies_and_those_of_the_package_pass() -> None:
    """Nothing is refused without a reason; policies of the package and table policies are not asked."""
    for policy in ALL:
        assert stateful_problems(policy) == []
    for policy in (vd.Fsrs6(), vd.ActR(), vd.MemoryDecayCore(), vd.MemoryBankAsPublished()):
        assert stateful_problems(policy, compile_too=False) == []
    check_stateful(vd.Ebbinghaus(), BLOCK)


@needs_compiler
def test_an_error_while_playing_is_one_line_in_every_engine() -> None:
    """What goes wrong only after many recalls, or in a method that no check asks, is refused in the same words."""

    class Squaring(Gentle):
        """A policy whose stability overflows at the tenth recall."""

        def on_recall(self, state: Any, turn: int) -> Any:
            """Return the square."""
            return state[0] ** 2, turn

    class NoRules(Gentle):
        """A policy without rules."""

        def rules(self) -> Any:
            """End the program."""
            raise SystemExit(3)

    session = Session(30, (1,), ((1, 0, 0), *((turn, 1, 0) for turn in range(2, 20))))
    lines = set()
    for engine in ("auto", "lockstep", "reference"):
        with pytest.raises(InvalidInputError) as caught:
            play_block(block_of([session]), Squaring(), engine)
        lines |= set(caught.value.problems)
        with pytest.raises(InvalidInputError, match=r"^NoRules raised SystemExit: 3 while it was played"):
            play_block(block_of([session]), NoRules(), engine)
    assert lines == {
        "Squaring raised OverflowError: (34, 'Numerical result out of range') while it was played; allowed: no error"
    }


def test_simulate_refuses_before_it_plays() -> None:
    """The error reaches the caller of ``simulate`` as it is."""
    with pytest.raises(InvalidInputError, match="is nan; allowed"):
        vd.simulate(PublishedSessions(), [vd.Ebbinghaus(), PLAIN_FAULTS[0][0]], range(3))
