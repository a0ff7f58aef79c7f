"""Traces are played as a replay in plain dictionaries plays them, under every rule and in every engine."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from trace_replay import PlainRules, Row, replay, sessions_of

import vecdecay as vd
from vecdecay.errors import InvalidInputError

ENGINES = ("auto", "lockstep", "reference")
SHARED = Path(__file__).resolve().parents[2] / "shared" / "traces"


@st.composite
def logs(draw: st.DrawFn, kinds: bool | None = None) -> list[Row]:
    """Draw the rows of some sessions, each in the order of time; they begin anywhere, with turn 0 too."""
    with_kinds = draw(st.booleans()) if kinds is None else kinds
    rows: list[Row] = []
    for session in range(draw(st.integers(1, 3))):
        turn = draw(st.sampled_from((0, 1, 7, 2**31 - 400)))
        for _ in range(draw(st.integers(1, 14))):
            turn += draw(st.sampled_from((0, 0, 1, 2, 3, 5, 9, 20)))
            row = {"session": f"s{session}", "turn": turn, "item": draw(st.sampled_from("abcd"))}
            rows.append(row | ({"kind": draw(st.sampled_from((0, 1, 1, 1, 2)))} if with_kinds else {}))
    return rows


def rules() -> st.SearchStrategy[PlainRules]:
    """Draw a combination of rules."""
    return st.builds(
        PlainRules,
        st.sampled_from(("nothing", "relearn")),
        st.sampled_from(("each", "once")),
        st.sampled_from(("reset", "ignore", "reinforce")),
        st.sampled_from((None, 1, 4)),
    )


def policies() -> st.SearchStrategy[Any]:
    """Draw one of the two published policies, around thresholds that the drawn gaps meet exactly."""
    thresholds = st.builds(lambda age, stability: math.exp(-age / stability), st.integers(1, 9), st.just(4.0))
    return st.builds(vd.Ebbinghaus, thresholds, st.sampled_from((4.0, 2.0)), st.sampled_from((1.0, 0.0, 0.5))) | (
        st.builds(vd.RecencyWindow, st.sampled_from((1.0, 2.0, 3.5, 5.0, 9.0)))
    )


def played_plainly(rows: list[Row], rules: PlainRules, policy: Any) -> dict[Any, dict[str, Any]]:
    """Return what the replay counts in each session."""
    if isinstance(policy, vd.RecencyWindow):
        window = policy.window_size
        return {
            name: replay(one, rules, 1.0, 0.0, lambda age, _: age > window) for name, one in sessions_of(rows).items()
        }
    threshold, baseline, gain = policy.eviction_threshold, policy.baseline_stability, policy.reinforcement_gain
    return {
        name: replay(one, rules, baseline, gain, lambda age, s: age > 0 and math.exp(-age / s) < threshold)
        for name, one in sessions_of(rows).items()
    }


def counted(trace: vd.Trace, policy: Any, engine: str = "auto") -> dict[Any, dict[str, Any]]:
    """Return the same counts of a played trace, by the names of its sessions."""
    result = vd.simulate(trace, policy, detail="misses", engine=engine, threads=1, metrics=["dead_weight"])
    columns = (
        "recalls", "misses", "registrations", "working_set_sum", "items_evicted", "foundational_items",
        "foundational_present", "dead_item_turns",
    )  # fmt: skip
    rows: list[dict[str, Any]] = result.sessions.select(columns).to_pylist()
    names = [trace.item_names(session) for session in range(trace.num_sessions)]
    for row in rows:
        row["missed"] = []
    for one in result.misses.to_pylist():
        assert one["turns_late"] == (None if one["evicted_turn"] is None else one["turn"] - one["evicted_turn"])
        item = names[one["seed"]][one["item"]]
        rows[one["seed"]]["missed"].append((one["turn"], item, one["evicted_turn"], one["evicted_reason"]))
    return dict(zip(trace.session_names(), rows, strict=True))


AS_PUBLISHED = PlainRules()


def read(rows: list[Row], rules: PlainRules = AS_PUBLISHED) -> vd.Trace:
    """Return the rows as a trace."""
    return vd.Trace.read(pa.Table.from_pylist(rows), **vars(rules))


@given(logs(), rules(), policies())
@settings(max_examples=examples(150))
def test_a_trace_comes_to_what_the_plain_replay_says(rows: list[Row], rules: PlainRules, policy: Any) -> None:
    """Every engine agrees with dictionaries, under every combination of rules."""
    trace = read(rows, rules)
    plain = played_plainly(rows, rules, policy)
    for engine in ENGINES:
        assert counted(trace, policy, engine) == plain


def test_what_is_drawn_has_evictions_misses_and_all_rules() -> None:
    """The cases above are not empty: the drawn logs contain misses, evictions and survivors."""
    totals: dict[str, int] = {}

    @given(logs(), policies())
    @settings(max_examples=50, database=None)
    def add(rows: list[Row], policy: Any) -> None:
        for one in played_plainly(rows, PlainRules(), policy).values():
            for name, value in one.items():
                number = value if name != "missed" else sum(reason is not None for *_, reason in value)
                totals[name] = totals.get(name, 0) + number
            totals["hits"] = totals.get("hits", 0) + one["recalls"] - one["misses"]

    add()
    assert min(totals.values()) > 20, totals


@pytest.mark.parametrize("engine", ENGINES)
def test_misses_come_in_the_order_of_play(engine: str) -> None:
    """By turn, whatever the numbers of the items; a recall of what was never there has no eviction."""
    rows = [{"session": "s", "turn": turn, "item": item, "kind": 0} for turn, item in ((1, "a"), (2, "b"))]
    rows += [{"session": "s", "turn": turn, "item": item, "kind": 1} for turn, item in ((9, "b"), (9, "c"), (11, "a"))]
    played = vd.simulate(read(rows), vd.RecencyWindow(3), detail="misses", engine=engine).misses
    columns = ("turn", "item", "evicted_turn", "evicted_reason", "turns_late")
    assert [tuple(row[name] for name in columns) for row in played.to_pylist()] == [
        (9, 1, 6, "decayed", 3),
        (9, 2, None, None, None),
        (11, 0, 5, "decayed", 6),
    ]


@given(st.data(), logs(), rules(), policies())
@settings(max_examples=examples(100))
def test_rows_in_any_order_are_the_same_log_or_are_refused(
    data: Any, rows: list[Row], rules: PlainRules, policy: Any
) -> None:
    """A shuffled log gives the same result; it is refused only where one item has different events in one turn."""
    shuffled = data.draw(st.permutations(rows))
    turns = [[row["turn"] for row in one] for one in sessions_of(shuffled).values()]
    clashes = len({(r["session"], r["turn"], r["item"], r.get("kind")) for r in rows}) > len(
        {(r["session"], r["turn"], r["item"]) for r in rows}
    )
    if all(one == sorted(one) for one in turns):
        # The rows stand in the order of time, so the order inside a turn is that of the rows.
        assert counted(read(shuffled, rules), policy) == played_plainly(shuffled, rules, policy)
        return
    if clashes:
        with pytest.raises(InvalidInputError, match="allowed: sorted rows, or a column order") as caught:
            read(shuffled, rules)
        assert len(caught.value.problems) == 1
        return
    found, plain = counted(read(shuffled, rules), policy), played_plainly(rows, rules, policy)
    for one in (*found.values(), *plain.values()):
        one["missed"].sort(key=str)  # the order of different items inside a turn is not given
    assert found == plain


@given(st.data(), logs(kinds=True), policies())
@settings(max_examples=examples(50))
def test_a_column_order_makes_any_order_of_rows_the_same(data: Any, rows: list[Row], policy: Any) -> None:
    """With ``order``, nothing is refused and nothing changes, whatever happens inside a turn."""
    numbered = [row | {"order": place} for place, row in enumerate(rows)]
    shuffled = data.draw(st.permutations(numbered))
    assert counted(read(shuffled), policy) == played_plainly(rows, PlainRules(), policy)


def test_sessions_that_are_mixed_in_the_order_of_time_are_taken_apart() -> None:
    """A log by time, of sessions side by side, is in order: register and recall in one turn need no column order."""
    rows = [
        {"session": "b", "turn": 1, "item": "x", "kind": 0},
        {"session": "a", "turn": 1, "item": "x", "kind": 0},
        {"session": "b", "turn": 1, "item": "x", "kind": 1},
        {"session": "a", "turn": 3, "item": "x", "kind": 1},
    ]
    trace = read(rows)
    assert trace.session_names() == ["b", "a"]
    assert [trace.session(place).events for place in (0, 1)] == [((1, 0, 0), (1, 1, 0)), ((1, 0, 0), (3, 1, 0))]


def test_registrations_that_come_again_can_be_refused() -> None:
    """``error`` names the rows, as they stand in the log; after a forget a registration is no second one."""
    rows = [
        {"session": 1, "turn": turn, "item": "x", "kind": kind}
        for turn, kind in ((1, 0), (2, 2), (3, 0), (4, 0), (6, 1), (5, 0))
    ]
    with pytest.raises(InvalidInputError, match=r"registered again in rows 4, 6; allowed: each once"):
        read(rows, PlainRules(registered_again="error"))
    assert len(read(rows[:3], PlainRules(registered_again="error")).events.turn) == 3


def test_touches_without_kinds_count_once_per_turn() -> None:
    """Where kinds are inferred, ``once`` keeps one touch of an item in a turn."""
    rows = [{"session": 1, "turn": turn, "item": "x"} for turn in (1, 1, 1, 4, 4)]
    assert read(rows).session(0).events == ((1, 0, 0), (1, 1, 0), (1, 1, 0), (4, 1, 0), (4, 1, 0))
    once = read(rows, PlainRules(duplicates="once"))
    assert once.session(0).events == ((1, 0, 0), (4, 1, 0))
    assert "3 duplicates in a turn dropped" in once.notes


@pytest.mark.parametrize("options", [{"turn": "1h"}, {"longest_silence": 3}])
def test_last_turns_need_the_turns_of_the_log(options: dict[str, Any]) -> None:
    """``expires`` is a turn of the column turn; where turns are made anew it would mean another one."""
    log = pa.table({"turn": [1], "time": [0], "item": ["a"], "expires": [6]})
    with pytest.raises(InvalidInputError, match="expires is a turn of the column turn"):
        vd.Trace.read(log, **options)


@pytest.mark.parametrize("wrong", [-1, 2, 2**40])
def test_a_session_that_is_not_there_is_refused(wrong: int) -> None:
    """One line with what is allowed."""
    trace = read([{"session": s, "turn": 1, "item": "x"} for s in (4, 9)])
    with pytest.raises(InvalidInputError, match=f"session {wrong} is not in the trace; allowed: 0 to 1"):
        vd.simulate(trace, vd.KeepAll(), seeds=[wrong])


def test_names_are_given_back() -> None:
    """Items and sessions are numbered in the order of their first rows, and keep their names."""
    trace = read([{"session": s, "turn": 1, "item": i} for s, i in (("z", "p"), ("z", "q"), ("a", "q"))])
    assert (trace.session_names(), trace.item_names(0), trace.item_names(1)) == (["z", "a"], ["p", "q"], ["q"])
    assert repr(trace) == "Trace('Table'): 2 sessions, 3 events, 3 items"


def test_what_is_known_of_items_reaches_the_policies() -> None:
    """Sizes, attributes, last turns and what is foundational are taken from the first row of each item."""
    log = pa.table(
        {
            "session": [0, 0, 0], "turn": [5, 5, 9], "item": ["a", "b", "a"], "tokens": [30, 7, 1],
            "importance": [0.9, None, 0.1], "category": ["strategy", None, "fact"], "pinned": [True, False, False],
            "expires": [None, 6, None], "foundational": [False, True, False],
        }
    )  # fmt: skip
    trace = vd.Trace.read(log)
    session = trace.session(0)
    assert trace.has_token_sizes
    assert session.tokens == (30, 7)
    assert session.expires_turns == (0, 2)
    assert session.foundational_items() == [1]
    assert [session.attributes_of(item).importance for item in (0, 1)] == [0.9, 0.5]
    assert [session.attributes_of(item).pinned for item in (0, 1)] == [True, False]


@pytest.mark.parametrize("rules", [PlainRules(), PlainRules("relearn", "once", "reinforce", 30)])
@pytest.mark.parametrize("policy", [vd.Ebbinghaus(), vd.RecencyWindow()], ids=lambda one: one.name)
def test_recorded_traces_come_to_what_the_plain_replay_says(rules: PlainRules, policy: Any) -> None:
    """Recorded sessions, where some are at hand: every session of every trace, compared count by count."""
    paths = sorted(SHARED.glob("*.parquet"))
    if not paths:
        pytest.skip("no recorded traces are at hand")
    for path in paths:
        assert counted(vd.Trace.read(path, **vars(rules)), policy) == played_plainly(
            pq.read_table(path).to_pylist(), rules, policy
        )


def test_shapes_at_the_edges_are_played() -> None:
    """Many sessions of few items, one session of many items, a span of 10^7 turns with five events."""
    many = pa.table(
        {"session": np.repeat(np.arange(20_000), 3), "turn": np.tile([1, 2, 9], 20_000), "item": [1] * 60_000}
    )
    wide = pa.table({"session": [0] * 50_000, "turn": [1] * 50_000, "item": np.arange(50_000)})
    long = pa.table({"session": [0] * 5, "turn": [1, 2, 3, 4, 10**7], "item": [0] * 5})
    window = vd.RecencyWindow(window_size=5)
    for log, misses in ((many, 20_000), (wide, 0), (long, 1)):
        table = vd.simulate(vd.Trace.read(log), window, threads=1).sessions
        assert sum(table["misses"].to_pylist()) == misses
