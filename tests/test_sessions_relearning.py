"""Tests of vecdecay.sessions.relearning: workloads of which a miss registers its item anew, on every engine."""

import math
import pickle
from typing import Any

import pytest
from conftest import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from trace_replay import PlainRules, replay

import vecdecay as vd
from vecdecay.commands.show import lives
from vecdecay.engines.registry import REGISTRY
from vecdecay.errors import InvalidInputError
from vecdecay.sessions.relearning import relearning, with_on_miss
from vecdecay.sweepfile.resolved import resolved_toml
from vecdecay.sweepfile.spec import parse_sweep
from vecdecay.sweepfile.toml_text import parse_toml


def pulse(seed: int, gap: int = 20) -> list[Any]:
    """One item, two recalls after a gap, one soon after the other."""
    first = 1 + gap + seed % 3
    return [vd.events.register(1, "rule"), vd.events.recall(first, "rule"), vd.events.recall(first + 2, "rule")]


SHAPES = (
    vd.SteadyUse(session_length=60, noise_per_turn=1, noise_recall_probability=0.3),
    vd.PublishedSessions(session_length=60, noise_per_turn=1),
    vd.Mixture(workloads=("steady_use(session_length=40)", "periodic(session_length=60)"), shares=(0.5, 0.5)),
    pulse,
)


def plain(source: Any, seed: int, policy: Any) -> dict[str, Any]:
    """Return what the replay in dictionaries makes of a session; the log ends where the session does."""
    session = source.session(seed)
    rows = [{"turn": turn, "kind": kind, "item": item} for turn, kind, item in session.events]
    if rows[0]["turn"] != 1 or rows[-1]["turn"] != session.session_length:
        rows = [{"turn": 1, "kind": 2, "item": -1}, *rows, {"turn": session.session_length, "kind": 2, "item": -1}]
    if isinstance(policy, vd.RecencyWindow):
        return replay(rows, PlainRules("relearn"), 1.0, 0.0, lambda age, _: age > policy.window_size)
    values = policy.baseline_stability, policy.reinforcement_gain
    return replay(rows, PlainRules("relearn"), *values, lambda age, s: age > 0 and math.exp(-age / s) < 0.2)


@pytest.mark.parametrize("shape", range(len(SHAPES)))
@given(seed=st.integers(0, 10**6), policy=st.sampled_from((vd.Ebbinghaus(), vd.RecencyWindow(5), vd.RecencyWindow(1))))
@settings(max_examples=examples(8))
def test_every_engine_plays_what_dictionaries_say(shape: int, seed: int, policy: Any) -> None:
    """Misses, registrations and the memory that is held, where a recall that misses registers its item."""
    source = relearning(SHAPES[shape])
    expected = plain(source, seed, policy)
    for engine in [one.name for one in REGISTRY.values() if one.can_play(policy)]:
        (found,) = vd.simulate(source, policy, seeds=[seed], engine=engine, threads=1).sessions.to_pylist()
        for name in ("recalls", "misses", "registrations", "working_set_sum", "items_evicted"):
            assert found[name] == expected[name], (engine, name)


def test_misses_teach_stateful_policies_and_caches_too() -> None:
    """All engines that play a policy agree, and it hits more than where a miss does nothing."""
    steady = SHAPES[0]
    for policy in (vd.Fsrs6(eviction_threshold=0.9), vd.Lru(2)):
        tables = [
            vd.simulate(relearning(steady), policy, range(6), engine=one.name, threads=1).sessions
            for one in REGISTRY.values()
            if one.can_play(policy)
        ]
        assert len(tables) > 1
        assert all(one == tables[0] for one in tables)
        published = vd.simulate(steady, policy, range(6), threads=1).sessions
        assert sum(tables[0]["misses"].to_pylist()) < sum(published["misses"].to_pylist())


@pytest.mark.parametrize("shape", range(len(SHAPES)))
def test_only_what_a_miss_does_differs(shape: int) -> None:
    """The same sessions, another workload: unequal, with one more parameter; a copy by pickle is equal."""
    source: Any = relearning(SHAPES[shape])
    kind = type(source)
    published = kind.build({**source.values(), "on_miss": "nothing"})
    assert (source.relearns, published.relearns) == (True, False)
    assert source != published
    assert source.session(3) == published.session(3)
    assert list(source.values())[-1] == "on_miss"
    if SHAPES[shape] is not pulse:  # a function's class has no name to be found under
        again = pickle.loads(pickle.dumps(source))
        assert again == source
        assert hash(again) == hash(source)
    assert relearning(published) == source == relearning(source)


def test_traces_and_lists_of_sessions_relearn_too() -> None:
    """A copy does; what was given stays as it is."""
    import pyarrow as pa

    trace = vd.Trace.read(pa.table({"turn": [1, 9, 10], "item": ["a", "a", "a"]}))
    given_sessions = [trace.session(0)]
    window = vd.RecencyWindow(3)
    for source in (trace, given_sessions):
        assert vd.simulate(source, window).sessions["misses"].to_pylist() == [2]
        assert vd.simulate(relearning(source), window).sessions["misses"].to_pylist() == [1]
        assert vd.simulate(source, window).sessions["misses"].to_pylist() == [2]


def test_a_sweep_has_it_as_a_parameter_or_as_an_axis() -> None:
    """A key of [workload], or an axis; a file that says nothing has the workload as it was."""
    tables: dict[str, Any] = {"schema": 1, "sweep": {"name": "s", "seeds": 2}, "policy": [{"kind": "keep_all"}]}
    kind = {"kind": "steady_use"}
    assert type(parse_sweep({**tables, "workload": kind}, "s").workload) is vd.SteadyUse
    assert parse_sweep({**tables, "workload": {**kind, "on_miss": "relearn"}}, "s").workload.relearns
    axis = {"parameter": "workload.on_miss", "values": ["nothing", "relearn"]}
    spec = parse_sweep({**tables, "workload": kind, "axis": [axis]}, "s")
    assert spec.workload == with_on_miss(vd.SteadyUse)()
    assert parse_sweep(parse_toml(resolved_toml(spec), "s"), "s").digest == spec.digest
    with pytest.raises(InvalidInputError, match="on_miss: is 'relern'; allowed: one of nothing, relearn"):
        parse_sweep({**tables, "workload": {**kind, "on_miss": "relern"}}, "s")


def test_all_mistakes_are_named_at_once() -> None:
    """Those of the workload and that of on_miss; a parameter of one's own of that name is refused."""
    with pytest.raises(InvalidInputError) as caught:
        with_on_miss(vd.SteadyUse)(on_miss="x", session_length=0, sesion=1)  # type: ignore[call-arg]
    assert [line.partition(";")[0] for line in caught.value.problems] == [
        "SteadyUse has no parameter 'sesion'",
        "SteadyUse.on_miss is 'x'",
        "SteadyUse.session_length is 0",
    ]

    def own(seed: int, on_miss: int = 1) -> list[Any]:
        return pulse(seed, on_miss)

    with pytest.raises(InvalidInputError, match="own has a parameter on_miss of its own; rename it"):
        relearning(own)
    with pytest.raises(InvalidInputError):
        vd.Mixture(workloads=(relearning(vd.SteadyUse()),), shares=(1.0,))  # type: ignore[arg-type]


def test_a_drawn_item_is_there_again_after_its_miss() -> None:
    """``vecdecay show`` draws what the engine plays."""
    source = relearning(pulse)
    life = lives(source.session(0), vd.RecencyWindow(5), [0], relearn=True)[0]
    assert life.columns(1) == "+█████E·············x█R"
