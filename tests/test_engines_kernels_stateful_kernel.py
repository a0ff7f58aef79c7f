"""Tests of vecdecay.engines.kernels.stateful_kernel: the passes between two touches, against asking in every turn."""

# ruff: noqa: ARG005  # functions of a policy have all their arguments, whatever they use
import random
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from vecdecay.engines.kernels import item_kernel as horizon_kernel
from vecdecay.engines.kernels import stateful_kernel
from vecdecay.engines.kernels.stateful_kernel import HAZARD_STREAM, NEVER, POLICY_WORKLOAD
from vecdecay.sessions.draws import plain
from vecdecay.sessions.philox import uniform


def with_functions(template: Callable[..., Any], **functions: Callable[..., Any]) -> Callable[..., Any]:
    """Return a template as plain Python, with functions in their places."""
    names = {**vars(stateful_kernel), "uniform": plain(uniform), **functions}
    return types.FunctionType(template.__code__, names)


def stretches(number: int) -> list[tuple[int, int]]:
    """Draw stretches of passes, empty ones and ones of a single turn among them."""
    stream = random.Random(number)
    starts = [stream.randint(1, 40) for _ in range(number)]
    return [(start, start + stream.choice((-1, 0, 1, *[stream.randint(5, 60)] * 5))) for start in starts]


def first(turns: range, evicts: Callable[[int], bool]) -> int:
    """Return the first turn that evicts, NEVER if none does."""
    return next((turn for turn in turns if evicts(turn)), NEVER)


def test_a_score_that_does_not_rise() -> None:
    """Halving finds the very turn that asking turn by turn finds, whatever the shape of the decline."""
    stream = random.Random(5)
    passes = with_functions(stateful_kernel.passes_between, retention=lambda scores, state, turn: scores[turn])
    over_history = with_functions(
        stateful_kernel.passes_over_history,
        retention=lambda scores, touches, first, last, turn: scores[turn] + 0.0 * sum(touches[first:last]),
    )
    found = []
    for since, until in stretches(2000):
        scores = sorted((stream.choice((1.0, 0.5, 0.2, stream.random())) for _ in range(102)), reverse=True)
        threshold = stream.choice((scores[stream.randint(since - 1, 101)], scores[since], 0.2, -np.inf))
        expected = first(range(since, until + 1), lambda turn, s=scores, t=threshold: s[turn] < t)
        rest = ([1, 2, 3], 1, 3, since, until, 1, 0, 0)
        assert passes(scores, threshold, "state", *rest) == (expected, "state")
        assert over_history(scores, threshold, "state", *rest) == (expected, "state")
        found.append(expected)
    assert 200 < found.count(NEVER) < 1800


def test_a_state_that_changes_from_turn_to_turn() -> None:
    """The state is moved on before each pass but the first; it comes back as when the item went, or at the end."""
    stream = random.Random(6)
    passes = with_functions(
        stateful_kernel.passes_by_turn,
        on_turn=lambda factor, state, turn: (*state, turn),
        retention=lambda factor, state, turn: factor ** (len(state) - 1),
    )
    gone = 0
    for since, until in stretches(1000):
        factor, threshold = stream.uniform(0.5, 1.0), stream.choice((0.2, 0.7, -np.inf))
        evicted, state = passes(factor, threshold, (since,), [], 0, 0, since, until, 1, 0, 0)
        expected = first(range(since, until + 1), lambda turn, f=factor, s=since, t=threshold: f ** (turn - s) < t)
        assert evicted == expected
        assert state == tuple(range(since, max(since, expected or until) + 1))
        gone += evicted != NEVER
    assert 200 < gone < 900


def test_passes_that_draw() -> None:
    """Only turns that are multiples of the period draw, each at the address (seed, item, turn)."""
    asked: list[tuple[int, float]] = []

    def evicts(chance: float, state: Any, turn: int, draw: float) -> bool:
        asked.append((turn, draw))
        return draw < chance

    passes = with_functions(stateful_kernel.passes_by_chance, evicts=evicts)
    stream = random.Random(7)
    for since, until in stretches(500):
        key, number, period = stream.randrange(-(2**63), 2**63), stream.randrange(2**31), stream.choice((1, 2, 7))
        asked.clear()
        evicted, _ = passes(stream.choice((0.0, 0.3)), 0.0, (), [], 0, 0, since, until, period, key, number)
        turns = [turn for turn in range(since, until + 1) if turn % period == 0]
        assert [turn for turn, _ in asked] == [turn for turn in turns if evicted == NEVER or turn <= evicted]
        for turn, draw in asked:
            assert draw == plain(uniform)(key, POLICY_WORKLOAD, HAZARD_STREAM, number, turn)
        asked.clear()
        assert passes(1.0, -np.inf, (), [], 0, 0, since, until, period, key, number) == (NEVER, ())
        assert not asked


def test_passes_that_draw_with_a_state_that_changes_from_turn_to_turn() -> None:
    """Each draw sees the state of its turn; turns without a pass, and items that are pinned, move the state on too."""
    seen: list[tuple[int, ...]] = []

    def evicts(chance: float, state: Any, turn: int, draw: float) -> bool:
        seen.append(state)
        return draw < chance

    passes = with_functions(
        stateful_kernel.passes_by_chance_and_turn, evicts=evicts, on_turn=lambda chance, state, turn: (*state, turn)
    )
    stream = random.Random(8)
    gone = 0
    for since, until in stretches(500):
        key, number, period = stream.randrange(-(2**63), 2**63), stream.randrange(2**31), stream.choice((1, 2, 7))
        rest = ([], 0, 0, since, until, period, key, number)
        seen.clear()
        evicted, state = passes(stream.choice((0.0, 0.3)), 0.0, (since,), *rest)
        last = until if evicted == NEVER else evicted
        assert state == tuple(range(since, max(since, last) + 1))
        assert seen == [tuple(range(since, turn + 1)) for turn in range(since, last + 1) if turn % period == 0]
        gone += evicted != NEVER
        seen.clear()
        assert passes(1.0, -np.inf, (since,), *rest) == (NEVER, tuple(range(since, max(since, until) + 1)))
        assert not seen
    assert 50 < gone < 300


def test_no_workload_uses_the_word_of_the_policies() -> None:
    """The draws of policies and of workloads have different addresses."""
    streams = pytest.importorskip("vecdecay.sessions.streams")
    assert POLICY_WORKLOAD not in streams.WORKLOAD_IDS.values()


def test_a_template_is_never_played() -> None:
    """A name into which no function was put fails, instead of doing something else."""
    for name in ("on_register", "on_recall", "on_turn", "retention", "evicts", "stability", "passes"):
        with pytest.raises(NotImplementedError):
            getattr(stateful_kernel, name)(1, 2)
    assert stateful_kernel.state_as_it_is(None, (1.0, 2), 3) == (1.0, 2)
    assert stateful_kernel.no_stability(None, (1.0,)) == 0.0


def test_item_fields_are_those_of_the_table_kernel() -> None:
    """Both kernels' results go through the same totals, so their rows must mean the same."""
    names = [name for name in vars(horizon_kernel) if name.isupper() and hasattr(stateful_kernel, name)]
    assert {"EVICTED_TURN", "NUM_ITEM_FIELDS", "REGISTRATIONS"} <= set(names)
    for name in names:
        assert getattr(horizon_kernel, name) == getattr(stateful_kernel, name)
