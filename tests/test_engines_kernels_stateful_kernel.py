"""Tests of vecdecay.engines.kernels.stateful_kernel: the passes between two touches, against asking in every turn."""

# ruff: noqa: ARG005  # functions of a policy have all their arguments, whatever they use
import random
import types
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
import pytest

from vecdecay.engines.kernels import passes, stateful_kernel
from vecdecay.engines.kernels.fields import NEVER
from vecdecay.engines.kernels.passes import HAZARD_STREAM, POLICY_WORKLOAD
from vecdecay.policies.rules import clock, next_pass
from vecdecay.sessions.draws import plain
from vecdecay.sessions.philox import uniform


def with_functions(template: Callable[..., Any], **functions: Callable[..., Any]) -> Callable[..., Any]:
    """Return a template as plain Python, with functions in their places."""
    names = {**vars(passes), "uniform": plain(uniform), "clock": clock, "next_pass": next_pass, **functions}
    return types.FunctionType(template.__code__, names)


class Gap(NamedTuple):
    """The passes between two touches: all after ``since`` - 1 up to ``until`` that the rules let look."""

    since: int
    earliest: int
    until: int
    rules: tuple[int, int, int, int, int]  # period, cooldown, grace, unit, inclusive

    def turns(self) -> list[int]:
        """Return the turns in which a pass may evict."""
        return [turn for turn in range(max(self.since, self.earliest), self.until + 1) if turn % self.rules[0] == 0]

    def unit(self, turn: int) -> int:
        """Return the unit in which a score is asked for."""
        return clock(turn, self.rules[3]) + self.rules[4]


def gaps(number: int) -> list[Gap]:
    """Draw gaps, empty ones and ones of a single turn among them; half of them under the plain rules."""
    stream = random.Random(number)
    drawn = []
    for _ in range(number):
        since = stream.randint(1, 40)
        until = since + stream.choice((-1, 0, 1, *[stream.randint(5, 60)] * 5))
        period, unit, inclusive = stream.choice((1, 1, 2, 7)), stream.choice((1, 1, 2, 5)), stream.choice((0, 1))
        earliest = stream.choice((1, since, stream.randint(1, 60)))
        is_plain = stream.random() < 0.5
        drawn.append(
            Gap(
                since,
                since if is_plain else earliest,
                until,
                (1, 0, 0, 1, 0) if is_plain else (period, 0, 0, unit, inclusive),
            )
        )
    return drawn


def first(turns: Iterable[int], evicts: Callable[[int], bool]) -> int:
    """Return the first turn that evicts, NEVER if none does."""
    return next((turn for turn in turns if evicts(turn)), NEVER)


def test_a_score_that_is_not_increasing() -> None:
    """Halving finds the very turn that asking turn by turn finds, whatever the shape of the decline and the rules."""
    stream = random.Random(5)
    between = with_functions(passes.passes_between, retention=lambda scores, state, turn: scores[turn])
    over_history = with_functions(
        passes.passes_over_history,
        retention=lambda scores, touches, first, last, turn: scores[turn] + 0.0 * sum(touches[first:last]),
    )
    found = []
    for gap in gaps(2000):
        scores = sorted((stream.choice((1.0, 0.5, 0.2, stream.random())) for _ in range(103)), reverse=True)
        threshold = stream.choice((scores[stream.randint(gap.since - 1, 101)], scores[gap.since], 0.2, -np.inf))
        expected = first(gap.turns(), lambda turn, g=gap, s=scores, t=threshold: s[g.unit(turn)] < t)
        rest = ([1, 2, 3], 1, 3, gap.since, gap.earliest, gap.until, gap.rules, 0, 0)
        assert between(scores, threshold, "state", *rest) == (expected, "state")
        assert over_history(scores, threshold, "state", *rest) == (expected, "state")
        found.append(expected)
    assert 200 < found.count(NEVER) < 1800


def test_a_state_that_changes_from_turn_to_turn() -> None:
    """The state is moved on before each pass but the first; it comes back as when the item went, or at the end."""
    stream = random.Random(6)
    by_turn = with_functions(
        passes.passes_by_turn,
        on_turn=lambda factor, state, turn: (*state, turn),
        retention=lambda factor, state, turn: factor ** (len(state) - 1),
    )
    gone = 0
    for gap in gaps(1000):
        factor, threshold = stream.uniform(0.5, 1.0), stream.choice((0.2, 0.7, -np.inf))
        rest = ([], 0, 0, gap.since, gap.earliest, gap.until, gap.rules, 0, 0)
        evicted, state = by_turn(factor, threshold, (0,), *rest)
        expected = first(gap.turns(), lambda turn, f=factor, g=gap, t=threshold: f ** (turn - g.since) < t)
        assert evicted == expected
        moved = range(gap.since + 1, (gap.until if expected == NEVER else expected) + 1)
        assert state == (0, *(clock(turn, gap.rules[3]) for turn in moved))
        gone += evicted != NEVER
    assert 200 < gone < 900


def test_passes_that_draw() -> None:
    """Only turns in which a pass runs draw, each at the address (seed, item, turn)."""
    asked: list[tuple[int, float]] = []

    def evicts(chance: float, state: Any, turn: int, draw: float) -> bool:
        asked.append((turn, draw))
        return draw < chance

    by_chance = with_functions(passes.passes_by_chance, evicts=evicts)
    stream = random.Random(7)
    for gap in gaps(500):
        key, number = stream.randrange(-(2**63), 2**63), stream.randrange(2**31)
        rest = ([], 0, 0, gap.since, gap.earliest, gap.until, gap.rules, key, number)
        asked.clear()
        evicted, _ = by_chance(stream.choice((0.0, 0.3)), 0.0, (), *rest)
        turns = [turn for turn in gap.turns() if evicted == NEVER or turn <= evicted]
        draws = [plain(uniform)(key, POLICY_WORKLOAD, HAZARD_STREAM, number, turn) for turn in turns]
        assert asked == [(gap.unit(turn), draw) for turn, draw in zip(turns, draws, strict=True)]
        asked.clear()
        assert by_chance(1.0, -np.inf, (), *rest) == (NEVER, ())
        assert not asked


def test_passes_that_draw_with_a_state_that_changes_from_turn_to_turn() -> None:
    """Each draw sees the state of its turn; turns without a pass, and items that are pinned, move the state on too."""
    seen: list[tuple[int, ...]] = []

    def evicts(chance: float, state: Any, turn: int, draw: float) -> bool:
        seen.append(state)
        return draw < chance

    by_chance = with_functions(
        passes.passes_by_chance_and_turn, evicts=evicts, on_turn=lambda chance, state, turn: (*state, turn)
    )
    stream = random.Random(8)
    gone = 0
    for gap in gaps(500):
        rest = ([], 0, 0, gap.since, gap.earliest, gap.until, gap.rules, stream.randrange(-(2**63), 2**63), 9)
        moved = [0, *(clock(turn, gap.rules[3]) for turn in range(gap.since + 1, gap.until + 1))]
        seen.clear()
        evicted, state = by_chance(stream.choice((0.0, 0.3)), 0.0, (0,), *rest)
        last = gap.until if evicted == NEVER else evicted
        assert state == tuple(moved[: max(0, last - gap.since) + 1])
        assert seen == [tuple(moved[: turn - gap.since + 1]) for turn in gap.turns() if turn <= last]
        gone += evicted != NEVER
        seen.clear()
        assert by_chance(1.0, -np.inf, (0,), *rest) == (NEVER, tuple(moved))
        assert not seen
    assert 50 < gone < 300


def test_no_workload_uses_the_word_of_the_policies() -> None:
    """The draws of policies and of workloads have different addresses."""
    streams = pytest.importorskip("vecdecay.sessions.streams")
    assert POLICY_WORKLOAD not in streams.WORKLOAD_IDS.values()


def test_a_template_is_never_played() -> None:
    """A name into which no function was put fails, instead of doing something else."""
    for template, names in (
        (passes, ("on_turn", "retention", "evicts")),
        (stateful_kernel, ("on_register", "on_recall", "on_refresh", "on_turn", "stability", "facts_of", "passes")),
    ):
        for name in names:
            with pytest.raises(NotImplementedError):
                getattr(template, name)(1, 2)
    assert stateful_kernel.state_as_it_is(None, (1.0, 2), 3) == (1.0, 2)
    assert stateful_kernel.no_stability(None, (1.0,)) == 0.0
