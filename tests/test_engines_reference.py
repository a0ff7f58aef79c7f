"""Tests of vecdecay.engines.reference: the meaning of the program, rule by rule, with figures worked out by hand."""

import math
from collections.abc import Callable, Hashable
from typing import Any

import pytest

from vecdecay.engines.reference import (
    EbbinghausEngine,
    RecencyWindowEngine,
    TablePolicyEngine,
    engine_for,
    measure,
    run,
)
from vecdecay.engines.scalar_memory import Memory
from vecdecay.errors import InvalidInputError
from vecdecay.policies import Ebbinghaus, KeepAll, RecencyWindow
from vecdecay.sessions.session import FOUNDATIONAL, NOISE, RECALL, REGISTER, Session

ENGINES: list[Callable[[], Memory]] = [
    lambda: EbbinghausEngine(),
    lambda: RecencyWindowEngine(window_size=12),
    lambda: TablePolicyEngine(Ebbinghaus()),
    lambda: TablePolicyEngine(RecencyWindow(12)),
]
NAMES = ["ebbinghaus", "recency_window", "table of ebbinghaus", "table of recency_window"]

every_engine = pytest.mark.parametrize("make", ENGINES, ids=NAMES)  # each evicts an untouched item at age 13


@every_engine
def test_an_untouched_item_goes_at_its_horizon(make: Callable[[], Memory]) -> None:
    """Registered in turn 1, an item is there after the pass of turn 13 and gone after that of turn 14."""
    engine = make()
    engine.register("rule", 1)
    for turn in range(1, 14):
        assert engine.step(turn) == []
        assert engine.is_present("rule")
        assert engine.working_set_size() == 1
    assert engine.step(14) == ["rule"]
    assert not engine.is_present("rule")
    assert engine.working_set_size() == 0
    assert engine.eviction_log == {"rule": 14}
    assert engine.step(15) == []


@every_engine
def test_a_recall_in_the_turn_of_expiry_rescues(make: Callable[[], Memory]) -> None:
    """The events of a turn come before its pass: a recall in turn 14 finds the item, and it lives on."""
    engine = make()
    engine.register("rule", 1)
    assert engine.recall("rule", 14)
    assert engine.step(14) == []
    assert engine.memory["rule"].last_touch == 14
    assert engine.memory["rule"].recall_count == 2


@every_engine
def test_a_recall_of_what_is_absent_changes_nothing(make: Callable[[], Memory]) -> None:
    """It returns False, before the registration and after the eviction, and leaves no trace."""
    engine = make()
    assert not engine.recall("rule", 1)
    assert engine.memory == {}
    engine.register("rule", 2)
    engine.step(15)
    assert not engine.recall("rule", 15)
    assert engine.memory == {}
    assert engine.eviction_log == {"rule": 15}


@every_engine
def test_registering_again_forgets_the_reinforcement(make: Callable[[], Memory]) -> None:
    """A live item starts anew: count 1, baseline stability, this turn. It keeps its place in the store."""
    engine = make()
    engine.register("first", 1)
    engine.register("second", 1)
    engine.recall("first", 2)
    engine.recall("first", 3)
    engine.register("first", 5)
    state = engine.memory["first"]
    assert [state.registered_turn, state.last_touch, state.recall_count] == [5, 5, 1]
    assert state.stability in (None, 8.0)
    assert list(engine.memory) == ["first", "second"]


def test_a_reinforced_item_starts_anew() -> None:
    """Registered again, an item of stability 40 has 8 again, and goes 13 turns later."""
    engine = EbbinghausEngine()
    for act, turn in ((engine.register, 1), (engine.recall, 2), (engine.recall, 3), (engine.register, 5)):
        act("rule", turn)
    assert engine.memory["rule"].stability == 8.0
    assert [engine.step(17), engine.step(18)] == [[], ["rule"]]


@every_engine
def test_an_evicted_item_may_come_back_and_stays_in_the_log(make: Callable[[], Memory]) -> None:
    """As published: evicted at 14 and registered again at 30, an item is evicted and present, survival -16."""
    engine = make()
    engine.register("rule", 1)
    assert engine.step(14) == ["rule"]
    engine.register("rule", 30)
    assert engine.is_present("rule")
    assert engine.eviction_log == {"rule": 14}
    session = Session(35, (FOUNDATIONAL,), ((1, REGISTER, 0), (30, REGISTER, 0)))
    trace = run(make(), session)
    item = trace.items[0]
    assert [item.registered_turn, item.evicted_turn, item.present] == [30, 14, True]
    assert measure(trace).survival_time == -16.0
    assert measure(trace).foundational_recall_rate == 1.0


@every_engine
def test_a_clock_that_runs_backwards_evicts_nothing(make: Callable[[], Memory]) -> None:
    """An age of 0 or below scores 1.0, however large the step back."""
    engine = make()
    engine.register("rule", 100)
    assert [engine.step(turn) for turn in (100, 99, 1, -50)] == [[], [], [], []]
    engine.recall("rule", 90)
    assert engine.memory["rule"].last_touch == 90
    assert engine.memory["rule"].recall_count == 2


@every_engine
def test_evictions_come_in_the_order_of_the_store(make: Callable[[], Memory]) -> None:
    """What goes in one pass is returned in the order of registration, not of names."""
    engine = make()
    for item in ("c", "a", "b"):
        engine.register(item, 1)
    engine.recall("a", 10)
    engine.register("d", 1)
    assert engine.step(14) == ["c", "b", "d"]


@every_engine
def test_any_hashable_names_an_item(make: Callable[[], Memory]) -> None:
    """Numbers, tuples and None are names like any other."""
    engine = make()
    items: list[Hashable] = [None, 0, ("a", 1), frozenset()]
    for item in items:
        engine.register(item, 1)
    assert all(engine.is_present(item) for item in items)
    assert engine.working_set_size() == 4


def test_reinforcement_counts_from_one_and_raises_before_use() -> None:
    """The k-th recall multiplies by 1 + ln(k + 2), whenever it comes: four take 8.0 to 291.8577159496641."""
    engine = EbbinghausEngine(eviction_threshold=0.20, baseline_stability=8.0)
    engine.register("rule", 1)
    stability = 8.0
    for recalls, turn in enumerate((1, 1, 20, 20), start=1):
        assert engine.recall("rule", turn)
        stability = stability * (1.0 + math.log(recalls + 2.0))
        assert engine.memory["rule"].stability == stability
    assert stability == 291.8577159496641
    assert engine.memory["rule"].recall_count == 5


def test_the_gain_scales_the_logarithm() -> None:
    """A gain of 0.5 halves what the logarithm adds; 0 leaves the stability as it is."""
    for gain in (0.5, 0.0):
        engine = EbbinghausEngine(reinforcement_gain=gain)
        engine.register("rule", 1)
        engine.recall("rule", 2)
        assert engine.memory["rule"].stability == 8.0 * (1.0 + gain * math.log(3.0))


def test_the_score_is_exp_of_minus_age_over_stability() -> None:
    """One integer, one true division, one exponential; at age 0 and before it exactly 1.0."""
    engine = EbbinghausEngine(baseline_stability=7.3)
    engine.register("rule", 5)
    assert [engine.retention("rule", turn) for turn in (5, 4, -10)] == [1.0, 1.0, 1.0]
    assert [engine.retention("rule", turn) for turn in range(6, 300)] == [math.exp(-age / 7.3) for age in range(1, 295)]


def test_equality_with_threshold_or_window_survives() -> None:
    """Both comparisons are strict."""
    engine = EbbinghausEngine(eviction_threshold=math.exp(-5 / 8.0))
    engine.register("rule", 1)
    assert [engine.step(6), engine.step(7)] == [[], ["rule"]]
    above = EbbinghausEngine(eviction_threshold=math.nextafter(math.exp(-5 / 8.0), 1.0))
    above.register("rule", 1)
    assert [above.step(5), above.step(6)] == [[], ["rule"]]
    for window, last in ((5, 6), (5.0, 6), (5.5, 6), (0.5, 1)):
        recency = RecencyWindowEngine(window)
        recency.register("rule", 1)
        assert [recency.step(last), recency.step(last + 1)] == [[], ["rule"]]


@pytest.mark.parametrize(
    ("make", "arguments"),
    [
        (EbbinghausEngine, (1.0,)),
        (EbbinghausEngine, (0.2, 0.0)),
        (EbbinghausEngine, (0.2, 8.0, -1)),
        (RecencyWindowEngine, (0,)),
    ],
)
def test_parameters_are_checked(make: Callable[..., Memory], arguments: tuple[Any, ...]) -> None:
    """An engine refuses what its policy refuses."""
    with pytest.raises(InvalidInputError):
        make(*arguments)


def test_each_policy_has_its_engine() -> None:
    """The published policies have engines of their own, a table policy the general one; others are refused."""
    assert type(engine_for(Ebbinghaus(0.3, 4.0, 0.5))) is EbbinghausEngine
    assert engine_for(Ebbinghaus(0.3, 4.0, 0.5)).reinforcement_gain == 0.5  # type: ignore[attr-defined]
    assert type(engine_for(RecencyWindow(3))) is RecencyWindowEngine
    assert type(engine_for(KeepAll())) is TablePolicyEngine
    with pytest.raises(TypeError, match="no scalar engine plays object"):
        engine_for(object())  # type: ignore[arg-type]


WORKED = Session(
    16,
    (FOUNDATIONAL, NOISE, FOUNDATIONAL, NOISE),
    (
        (1, REGISTER, 0), (1, REGISTER, 1), (2, RECALL, 2), (3, REGISTER, 2), (3, RECALL, 2), (14, RECALL, 0),
        (15, RECALL, 1), (16, REGISTER, 3),
    ),
)  # fmt: skip


def test_a_whole_session_by_hand() -> None:
    """Events, pass, measurement, turn by turn: sizes, presence, hits, misses and states of a session of 16 turns."""
    trace = run(EbbinghausEngine(), WORKED)
    assert trace.working_set_sizes == [2, 2] + [3] * 11 + [2, 2, 3]
    assert trace.foundational_present == [1, 1] + [2] * 14
    assert [item.evicted_turn for item in trace.items] == [None, 14, None, None]
    assert [item.present for item in trace.items] == [True, False, True, True]
    assert [(item.hits, item.misses) for item in trace.items] == [(1, 0), (0, 1), (1, 1), (0, 0)]
    assert [item.last_touch for item in trace.items] == [14, 1, 3, 16]
    assert [item.recall_count for item in trace.items] == [2, 1, 2, 1]
    assert [item.stability for item in trace.items] == [16.78889830934488, 8.0, 16.78889830934488, 8.0]
    assert trace.registrations == 4


def test_measurements_by_hand() -> None:
    """Each metric of that session is one division of integers that can be counted on the fingers."""
    measured = measure(run(EbbinghausEngine(), WORKED))
    assert measured.foundational_recall_rate == 1.0
    assert measured.survival_time is None
    assert measured.survival_time_minimum is None
    assert measured.foundational_evicted == 0
    assert measured.misses == 2
    assert measured.mean_working_set == 44 / 16
    assert measured.footprint_reduction == 1.0 - (44 / 16) / 4
    lost = measure(run(RecencyWindowEngine(3), WORKED))
    assert lost.foundational_evicted == 2
    assert [lost.survival_time, lost.survival_time_minimum, lost.survival_time_maximum] == [4.0, 4, 4]
    assert lost.foundational_recall_rate == lost.terminal_survival_rate == 0.0
    assert lost.misses == 3


def test_an_item_that_never_occurs_has_no_state() -> None:
    """It is counted among the foundational items, and that is all that is known of it."""
    trace = run(EbbinghausEngine(), Session(3, (FOUNDATIONAL,), ()))
    item = trace.items[0]
    assert [item.registered_turn, item.last_touch, item.evicted_turn, item.stability] == [None] * 4
    assert [item.recall_count, item.present] == [0, False]
    assert measure(trace).foundational_recall_rate == 0.0
