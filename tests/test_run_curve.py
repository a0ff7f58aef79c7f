"""``curve``: at every step, and beside it, it equals playing that very value with the scalar reference."""

import dataclasses
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import table_policies
from comparing import COMPILED
from conftest import examples
from hypothesis import Phase, given, seed, settings
from hypothesis import strategies as st

import vecdecay as vd
from vecdecay.engines.keeping import Keeping
from vecdecay.engines.registry import play_block
from vecdecay.errors import InvalidInputError
from vecdecay.items import DEFAULT_ATTRIBUTES
from vecdecay.policies.base import TablePolicy
from vecdecay.run import over_blocks
from vecdecay.run.curve import Curve, curve
from vecdecay.sessions.blocks import block_of
from vecdecay.testing import sessions

NUM_SEEDS = 40 if COMPILED else 2
SUMMED = ("recalls", "misses", "foundational_items", "foundational_present", "registrations")
SUMMED += ("registered_tokens", "working_set_sum", "token_turns")

SWEPT = {
    "recency_window": "window_size",
    "time_to_live": "time_to_live",
    **{
        name: "eviction_threshold"
        for name in table_policies.STRATEGIES
        if name not in ("recency_window", "time_to_live", "sm2", "half_life_regression", "agent_memory_manager")
    },
}


def values_beside(found: Curve, keeping: Keeping) -> list[float]:
    """Return the ends of every step and the values next to them that the parameter may have."""
    ends = {*found.table["from"].to_pylist(), *found.table["to"].to_pylist()}
    near = {keeping.beside(end, towards) for end in ends for towards in (-np.inf, np.inf)}
    return sorted(one for one in ends | near if keeping.low <= one <= keeping.high)


def expect_played(found: Curve, keeping: Keeping, block: Any, value: float, engine: str) -> None:
    """Fail unless the row of a value holds what playing the policy with that value comes to."""
    outcome = play_block(block, keeping.policy.build({**keeping.policy.values(), keeping.name: value}), engine)
    row = found.at(value)
    assert {name: row[name] for name in SUMMED} == {name: int(getattr(outcome, name).sum()) for name in SUMMED}, value


@pytest.mark.parametrize("name", SWEPT)
def test_every_step_equals_playing_it(name: str) -> None:
    """Totals of drawn sessions, with pins, sizes, requests to forget and last turns, under drawn policies."""
    met: Counter[str] = Counter()

    @seed(20261201)
    @settings(max_examples=examples(25 if COMPILED else 3), deadline=None, database=None, phases=[Phase.generate])
    @given(table_policies.STRATEGIES[name], st.lists(sessions((5, 13)), min_size=1, max_size=3))
    def agree(policy: TablePolicy, several: list[Any]) -> None:
        if "clock" in policy.values():
            policy = dataclasses.replace(policy, clock="wall")  # type: ignore[type-var]
        found = curve(several, policy, SWEPT[name], threads=1)
        keeping, block = Keeping(policy, SWEPT[name]), block_of(several)
        values = values_beside(found, keeping)
        met["steps"] += found.table.num_rows > 3
        for value in values[:: max(1, len(values) // 6)]:
            expect_played(found, keeping, block, value, "reference")
        for value in values if COMPILED else values[:: max(1, len(values) // 12)]:
            expect_played(found, keeping, block, value, "horizon")

    agree()
    assert met["steps"] >= (5 if COMPILED else 1), met


@pytest.mark.parametrize(
    "source",
    [vd.PublishedSessions(), vd.SteadyUse(), vd.Mixture(), vd.Drift(), vd.ZipfRecalls()],
    ids=lambda source: source.name,
)
def test_workloads_with_cohorts_equal_playing_them(source: Any) -> None:
    """Noise in cohorts is counted once for all sessions of a length."""
    for policy, parameter, values in (
        (vd.Ebbinghaus(), "eviction_threshold", (0.05, 0.2, 0.62, 0.9)),
        (vd.RecencyWindow(grace_turns=7), "window_size", (1, 15, 90.5, 149)),
        (vd.TimeToLive(), "time_to_live", (3, 40)),
    ):
        found = curve(source, policy, parameter, seeds=range(NUM_SEEDS))
        block, keeping = source.block(range(NUM_SEEDS)), Keeping(policy, parameter)
        for value in values if COMPILED else values[:: max(1, len(values) // 12)]:
            expect_played(found, keeping, block, value, "horizon")


def test_the_headline_shows_what_no_grid_shows() -> None:
    """All recalls of foundational items survive up to a threshold of 0.62; a window needs 117 turns."""
    by_threshold = curve(vd.PublishedSessions(), vd.Ebbinghaus(), "eviction_threshold", seeds=range(50)).table
    whole = [row["to"] for row in by_threshold.to_pylist() if row["foundational_recall_rate"] == 1.0]
    assert 0.62 <= max(whole) < 0.64
    by_window = curve(vd.PublishedSessions(), vd.RecencyWindow(), "window_size", seeds=range(50))
    assert by_window.at(90)["foundational_recall_rate"] == 0.0 < by_window.at(116)["foundational_recall_rate"] < 1.0
    assert by_window.at(117)["foundational_recall_rate"] == 1.0


def test_threads_and_blocks_change_nothing() -> None:
    """Counts are integers, whatever the sessions are cut into."""
    source, seeds = vd.PublishedSessions(), range(20_000 if COMPILED else 40)
    one = curve(source, vd.Ebbinghaus(), "eviction_threshold", seeds=seeds, threads=1).table
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(over_blocks, "sessions_per_block", lambda *_: 7 if len(seeds) < 100 else 3001)
        assert one == curve(source, vd.Ebbinghaus(), "eviction_threshold", seeds=seeds, threads=3).table


def test_threads_share_the_levels() -> None:
    """Threads that ask for the same levels at once get those that one thread gets."""
    right = Keeping(vd.Ebbinghaus(), "eviction_threshold").levels(DEFAULT_ATTRIBUTES, 2, 300).tolist()
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # so that they do meet
    try:
        for _ in range(5):
            shared = Keeping(vd.Ebbinghaus(), "eviction_threshold")
            with ThreadPoolExecutor(4) as pool:
                asked = [pool.submit(shared.levels, DEFAULT_ATTRIBUTES, 2, 300) for _ in range(4)]
            assert [one.result().tolist() for one in asked] == [right] * 4
    finally:
        sys.setswitchinterval(before)


def test_sizes_and_cooldowns_count() -> None:
    """An item of 30 tokens recalled inside and at the end of a cooldown, and one whose last turn is known."""
    events = [
        vd.events.register(1, "big", tokens=30),
        vd.events.register(1, "small", expires_turn=9),
        *(vd.events.recall(turn, "big") for turn in (3, 5, 9, 30)),
    ]
    session = vd.session_of(events, session_length=40)
    for policy in (vd.Ebbinghaus(cooldown_turns=4), vd.Ebbinghaus(cooldown_turns=2, reinforcement_gain=0.3)):
        found, keeping = curve([session], policy, "eviction_threshold"), Keeping(policy, "eviction_threshold")
        for value in values_beside(found, keeping):
            expect_played(found, keeping, block_of([session]), value, "horizon")
        assert found.table["token_turns"].to_pylist() != found.table["working_set_sum"].to_pylist()


def test_given_values_are_played() -> None:
    """Where one pass cannot answer, values are played; where it can, both agree."""
    source = vd.PublishedSessions()
    played = curve(source, vd.RecencyWindow(), "window_size", seeds=range(30), values=[5, 100, 5])
    found = curve(source, vd.RecencyWindow(), "window_size", seeds=range(30))
    assert played.table["from"].to_pylist() == [5.0, 100.0] == played.table["to"].to_pylist()
    for value in (5, 100):
        ends = {"from": 0, "to": 0}
        assert played.at(value) | ends == found.at(value) | ends
    stateful = curve(source, vd.Fsrs6(), "eviction_threshold", seeds=range(5), values=[0.5, 0.9]).table
    rows = vd.simulate(source, [vd.Fsrs6(eviction_threshold=one) for one in (0.5, 0.9)], seeds=range(5)).sessions
    sums = rows.group_by("cell").aggregate([("working_set_sum", "sum")]).sort_by("cell")
    assert stateful["working_set_sum"].to_pylist() == sums["working_set_sum_sum"].to_pylist()


def test_a_trace_that_relearns_needs_values() -> None:
    """A miss that registers its item anew makes the state depend on the parameter; given values are played."""
    log = pa.table({"session": ["a"] * 4, "turn": [1, 5, 40, 44], "item": ["x"] * 4})
    trace = vd.Trace.read(log, on_miss="relearn")
    with pytest.raises(InvalidInputError, match="name the values to play"):
        curve(trace, vd.RecencyWindow(), "window_size")
    assert curve(trace, vd.RecencyWindow(), "window_size", values=[2, 10, 50]).table["misses"].to_pylist() == [3, 1, 0]


@pytest.mark.parametrize(
    ("make", "line"),
    [
        (lambda: curve(vd.PublishedSessions(), vd.RecencyWindow(), "window", seeds=range(3)), "did you mean"),
        (lambda: curve(vd.PublishedSessions(), vd.KeepAll(), "threshold", seeds=range(3)), "it has no number"),
        (lambda: curve(vd.PublishedSessions(), vd.Ebbinghaus(), "baseline_stability", seeds=range(3)), "at age"),
        (lambda: curve(vd.PublishedSessions(), vd.RecencyWindow(), "grace_turns", seeds=range(3)), "changes when"),
        (lambda: curve(vd.PublishedSessions(), vd.ActR(), "decay", seeds=range(3)), "the state of an item decides"),
        (lambda: curve(vd.PublishedSessions(), [vd.KeepAll(), vd.ActR()], "decay", seeds=range(3)), "one policy"),
        (lambda: curve(vd.PublishedSessions(), vd.RecencyWindow(), "window_size", seeds=range(3), values=[]), "empty"),
        (
            lambda: curve(vd.PublishedSessions(), vd.RecencyWindow(), "window_size", seeds=range(3), values=[-1, -2]),
            "window_size is -2",
        ),
        (
            lambda: curve(vd.PublishedSessions(), vd.RecencyWindow(), "window_size", seeds=range(3)).at(-1),
            "window_size is -1; allowed",
        ),
    ],
)
def test_mistakes_are_lines(make: Callable[[], Any], line: str) -> None:
    """What cannot be answered is refused before anything is played, with what to do."""
    with pytest.raises(InvalidInputError, match=line):
        make()
