"""Half-lives and worked examples: from the policy's own predicate, and checked against a scalar engine."""

import math
import re

import pytest

from vecdecay.commands.policy_facts import example_lines, half_life, horizon_lines
from vecdecay.engines.horizon import IMMORTAL
from vecdecay.engines.reference import EbbinghausEngine
from vecdecay.policies import POLICIES, Ebbinghaus, KeepAll, RecencyWindow
from vecdecay.policies.base import TablePolicy

TABLE_POLICIES = [policy for policy in POLICIES if issubclass(policy, TablePolicy)]


@pytest.mark.parametrize("recall_count", range(1, 8))
def test_the_half_life_of_the_curve_is_stability_times_ln_2(recall_count: int) -> None:
    """The closed form, to the accuracy of a float, and the first whole age above it."""
    exact, whole = half_life(Ebbinghaus(), recall_count)
    closed = Ebbinghaus().stability(recall_count) * math.log(2)
    assert exact == pytest.approx(closed, rel=1e-14)
    assert whole == math.ceil(closed)


@pytest.mark.parametrize("policy", TABLE_POLICIES, ids=lambda policy: policy.name)
def test_the_first_whole_age_is_the_first(policy: type[TablePolicy]) -> None:
    """Retention is at most 0.5 there and above it one turn earlier, for every policy."""
    one = policy()
    for recall_count in (1, 2, 5):
        _, whole = half_life(one, recall_count)
        if whole < IMMORTAL:
            assert one.retention(whole, recall_count) <= 0.5
            assert whole == 1 or one.retention(whole - 1, recall_count) > 0.5


def test_a_jump_has_no_half_life() -> None:
    """A window keeps all or nothing; what never decays has not even a first age."""
    assert half_life(RecencyWindow(window_size=15), 1) == (None, 16)
    assert half_life(KeepAll(), 1) == (None, IMMORTAL)
    assert horizon_lines(KeepAll()) == []


def test_the_horizon_table_of_the_curve() -> None:
    """The published stabilities and horizons at threshold 0.20."""
    rows = [line.split() for line in horizon_lines(Ebbinghaus(eviction_threshold=0.20)) if line.strip()[:1].isdigit()]
    assert [(row[0], row[1], row[4]) for row in rows] == [
        ("0", "8.00", "13"),
        ("1", "16.79", "28"),
        ("2", "40.06", "65"),
        ("3", "104.54", "169"),
        ("4", "291.86", "470"),
        ("5", "859.79", "1384"),
        ("6", "2647.66", "4262"),
    ]


@pytest.mark.parametrize("threshold", [0.05, 0.2, 0.5, 0.9])
def test_the_example_is_what_the_scalar_engine_does(threshold: float) -> None:
    """The turns of the example, played: there, gone; and rescued by a recall in the very turn, gone later."""
    text = " ".join(" ".join(example_lines(Ebbinghaus(eviction_threshold=threshold))).split())
    kept, gone, rescued, end = (
        int(turn) for turn in re.findall(r"turn (\d+)", text.removeprefix("An item registered in turn 1"))
    )
    assert gone == kept + 1 == rescued
    assert evicted_turn(threshold, recalls=()) == gone
    assert evicted_turn(threshold, recalls=(rescued,)) == end


def evicted_turn(threshold: float, recalls: tuple[int, ...]) -> int:
    """Return the turn in which the scalar engine evicts an item registered in turn 1."""
    engine = EbbinghausEngine(eviction_threshold=threshold)
    engine.register("item", 1)
    for turn in range(1, 10_000):
        if turn in recalls:
            engine.recall("item", turn)
        if engine.step(turn):
            return turn
    raise AssertionError("never evicted")


def test_no_example_is_made_up_for_what_never_evicts() -> None:
    """The upper bound is there in every later turn."""
    assert example_lines(KeepAll()) == ["  An item registered in turn 1 is there in every later turn."]


@pytest.mark.parametrize("policy", TABLE_POLICIES, ids=lambda policy: policy.name)
def test_every_policy_can_be_told(policy: type[TablePolicy]) -> None:
    """Table and example exist for all, within 80 columns."""
    lines = [*horizon_lines(policy()), *example_lines(policy())]
    assert lines
    assert max(map(len, lines)) <= 80
