"""Tests of vecdecay.run.lost: where policies lost most, against counts in plain dictionaries."""

from collections import Counter
from typing import Any

import pyarrow as pa
import pytest
from conftest import examples
from hypothesis import given, settings
from test_sessions_trace import logs, played_plainly, policies, read, rules
from trace_replay import PlainRules, Row

import vecdecay as vd
from vecdecay.run.lost import lost_most
from vecdecay.run.simulate import simulate


def most_common(counts: Counter[Any]) -> list[int]:
    """Return the largest three counts."""
    return [number for _, number in counts.most_common(3)]


@given(logs(), rules(), policies())
@settings(max_examples=examples(60))
def test_counts_are_those_of_dictionaries(rows: list[Row], how: PlainRules, policy: Any) -> None:
    """Misses of what decayed, by item name and by session, the largest three; half of them are so late at most."""
    trace = read(rows, how)
    spec = simulate(trace, policy).plan.spec
    (found,) = lost_most(spec, trace, threads=1)
    items: Counter[Any] = Counter()
    sessions: Counter[Any] = Counter()
    late: list[int] = []
    misses = 0
    for session, one in played_plainly(rows, how, policy).items():
        misses += len(one["missed"])
        for turn, item, evicted, reason in one["missed"]:
            if reason == "decayed":
                items[item] += 1
                sessions[session] += 1
                late.append(turn - evicted)
    assert (found.misses, found.caused) == (misses, len(late))
    assert found.median_late == (sorted(late)[(len(late) - 1) // 2] if late else None)
    assert [number for _, number in found.items] == most_common(items)
    assert [number for _, number in found.sessions] == most_common(sessions)
    assert all(items[name] == number for name, number in found.items)
    assert all(sessions[name] == number for name, number in found.sessions)
    assert found.categories == ()


def test_categories_are_told_where_there_are_several() -> None:
    """What was forgotten on request no policy lost; the items of two sessions with one name are one item."""
    rows = [(s, t, i, k) for s in "xy" for t, i, k in ((1, "a", 0), (1, "b", 0), (2, "b", 2), (9, "a", 1), (9, "b", 1))]
    columns = dict(zip(("session", "turn", "item", "kind"), map(list, zip(*rows, strict=True)), strict=True))
    trace = vd.Trace.read(pa.table({**columns, "category": ["rule" if row[2] == "a" else "fact" for row in rows]}))
    spec = simulate(trace, [vd.RecencyWindow(3), vd.KeepAll()]).plan.spec
    window, everything = lost_most(spec, trace, threads=1)
    assert (window.misses, window.caused, window.median_late) == (4, 2, 4)
    assert (window.items, window.categories) == ((("a", 2),), (("rule", 2),))
    assert window.sessions == (("x", 1), ("y", 1))
    assert (everything.misses, everything.caused, everything.median_late, everything.items) == (2, 0, None, ())


@pytest.mark.parametrize("detail", ["sessions", "misses"])
def test_results_are_given_the_names_of_the_log(detail: str) -> None:
    """The name of the session before every row, and that of the item where there is one."""
    log = pa.table({"session": ["q", "p", "p"], "turn": [1, 1, 9], "item": ["x", "y", "y"]})
    trace = vd.Trace.read(log)
    result = simulate(trace, vd.RecencyWindow(3), detail=detail)
    named = trace.with_names(getattr(result, detail))
    assert named["session_name"].to_pylist() == (["q", "p"] if detail == "sessions" else ["p"])
    if detail == "misses":
        assert named["item_name"].to_pylist() == ["y"]


def test_a_log_of_one_long_session_is_not_taken_for_many_of_them() -> None:
    """What all sessions hold together bounds the rows, not their number times the largest."""
    log = pa.table({"session": [0] * 50 + [1, 2], "turn": [*range(1, 51), 1, 1], "item": [7] * 52})
    totals = vd.Trace.read(log).totals(3)
    assert (totals.items, totals.touches, totals.turns) == (3, 52, 52)
    assert vd.PublishedSessions().totals(3).items == 3 * vd.PublishedSessions().sizes().items
