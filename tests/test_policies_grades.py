"""Touches carry grades, and FSRS, SM-2 and half-life regression read them, alike in every engine."""

import math
import random
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import fsrs
import numpy as np
import pyarrow as pa
import pytest
from conftest import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from test_engines_timing import assert_alike

import vecdecay as vd
from vecdecay.engines.registry import play_block
from vecdecay.errors import InvalidInputError
from vecdecay.policies import POLICIES
from vecdecay.policies.base import Policy
from vecdecay.policies.half_life_regression import FORMS
from vecdecay.policies.sm2 import GradedSm2
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.session import Session, session_of, session_problems
from vecdecay.testing import sessions

READERS = (vd.Fsrs6, vd.Sm2, vd.HalfLifeRegression)
QUALITY = {1: 1, 2: 3, 3: 4, 4: 5}


@dataclass(frozen=True)
class Graded(vd.StatefulPolicy):
    """A policy of one's own that doubles its half-life by good recalls only."""

    half_life: float = 3.0
    eviction_threshold: float = 0.3

    def on_register(self, turn: int, item: Any, grade: int) -> tuple[float, int]:
        """Start with more where the first use was easy."""
        return self.half_life + grade, turn

    def on_recall(self, state: Any, turn: int, grade: int) -> tuple[float, int]:
        """Read the grade."""
        return (state[0] * 2.0 if grade > 2 else 1.0), turn

    def retention(self, state: Any, turn: int) -> float:
        """Return what is left."""
        return math.exp(-(turn - state[1]) / state[0])


@st.composite
def graded_sessions(draw: st.DrawFn, grades: tuple[int, ...] = (0, 1, 2, 3, 4)) -> Session:
    """Draw a session whose events have these grades."""
    session = draw(sessions())
    count = len(session.events)
    drawn = draw(st.lists(st.sampled_from(grades), min_size=count, max_size=count))
    return replace(session, grades=tuple(drawn) if any(drawn) else ())


@pytest.mark.parametrize("policy", [*(kind() for kind in READERS), Graded(), vd.Ebbinghaus()], ids=lambda one: one.name)
@settings(max_examples=examples(12))
@given(drawn=st.lists(graded_sessions(), min_size=1, max_size=6))
def test_all_engines_read_grades_alike(policy: Policy, drawn: list[Session]) -> None:
    """One's own policies too; a policy that has no grades plays as without."""
    assert_alike(drawn, policy)
    assert block_of(drawn).sessions() == drawn


@settings(max_examples=examples(10))
@given(
    drawn=st.lists(graded_sessions((0,)), min_size=1, max_size=5), grade=st.sampled_from((1, 2, 3, 4)), data=st.data()
)
def test_one_grade_for_all_is_the_parameter(drawn: list[Session], grade: int, data: st.DataObject) -> None:
    """If all touches have one grade, it is as if the policy had it and they had none."""
    choose = st.sampled_from
    sm2 = vd.Sm2(
        recall_grade=QUALITY[grade],
        interval_ease=data.draw(choose(("before", "after"))),
        registration_graded=data.draw(st.booleans()),
        rounding=data.draw(choose(("floats", "exact"))),
    )
    answer = "wrong" if grade == 1 else "right"
    regression = vd.HalfLifeRegression(form=data.draw(choose(FORMS)), recall_answer=answer)
    graded = [replace(one, grades=(grade,) * len(one.events)) for one in drawn]
    for policy in (sm2, regression, vd.Fsrs6(recall_grade=grade, first_grade=grade)):
        own = type(policy)()
        same = {"form": regression.form} if isinstance(policy, vd.HalfLifeRegression) else {}
        if isinstance(policy, vd.Sm2):
            same = {**policy.values(), "recall_grade": own.recall_grade}  # type: ignore[attr-defined]
        found = play_block(block_of(graded), type(policy)(**same), "auto", want_items=True).items
        expected = play_block(block_of(drawn), policy, "auto", want_items=True).items
        assert found is not None
        assert expected is not None
        assert np.array_equal(found.evicted_turn, expected.evicted_turn), policy


def test_the_intervals_of_sm2_follow_each_grade() -> None:
    """Against the same repetitions in exact hundredths; a lapse gives one day, and so does the success after it."""
    stream = random.Random(5)
    for _ in range(300):
        grades = [stream.randint(1, 4) for _ in range(stream.randint(1, 12))]
        policy = GradedSm2(rounding="exact")
        state = policy.on_register(policy.constants(), 1, None, grades[0])
        repetitions, interval, ease = 0, 0, 250
        for place, grade in enumerate(grades):
            if place:
                state = policy.on_recall(policy.constants(), state, place + 1, grade)
            quality = QUALITY[grade]
            if quality < 3:  # the ease falls, as in the package that changes it after the interval
                repetitions, interval, ease = 0, 1, max(130, ease - 54)
            else:
                interval = {0: 1, 1: 6}.get(repetitions, math.ceil(interval * ease / 100 - 1e-9))
                ease = max(130, ease + (10, 0, -14)[5 - quality])
                repetitions += 1
            assert state[1] == interval
    assert GradedSm2().graded() == GradedSm2()


def test_a_review_log_is_graded_as_py_fsrs_grades_it() -> None:
    """A log with a column rating, one row a review: py-fsrs keeps the same cards, review by review."""
    stream, start = random.Random(3), datetime(2024, 1, 1, 9, tzinfo=UTC)
    scheduler = fsrs.Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)
    rows, misses = [], []
    for number in range(40):
        card, moment, lost = fsrs.Card(), start, False
        for _ in range(8):
            grade = stream.randint(1, 4)
            rows.append({"session": number, "time": moment, "item": "card", "rating": grade})
            card, _ = scheduler.review_card(card, fsrs.Rating(grade), moment)
            moment += timedelta(days=stream.choice((0, 1, 2, 5, 10, 30)), hours=stream.choice((0, 1)))
            # The pass of the hour of a review comes after it: what is gone went in the hour before, or earlier.
            lost = scheduler.get_card_retrievability(card, moment - timedelta(hours=1)) < 0.7
            if lost:
                break
        rows.append({"session": number, "time": moment, "item": "card", "rating": 3})
        misses.append(int(lost))
    trace = vd.Trace.read(pa.Table.from_pylist(rows), turn="1h")
    assert "column rating is read as grade" in trace.notes
    found = vd.simulate(trace, vd.Fsrs6(eviction_threshold=0.7)).sessions["misses"].to_pylist()
    assert found == misses
    assert 5 < sum(found) < 40
    again, one = vd.Trace.read(trace.table()).session(3), trace.session(3)
    assert (again.events, again.grades) == (one.events, one.grades)


def test_grades_of_a_log_are_integers_or_empty() -> None:
    """An empty one, and 0, stand for none; others are refused with their rows."""
    log: dict[str, Any] = {"turn": [1, 2, 3], "item": ["x"] * 3}
    assert vd.Trace.read(pa.table({**log, "grade": [3.0, None, 4.0]})).session(0).grades == (3, 0, 4)
    assert vd.Trace.read(pa.table({**log, "grade": pa.nulls(3)})).session(0).grades == ()
    backwards = pa.table({**log, "grade": [3, 0, 4]}).take([2, 0, 1])
    assert vd.Trace.read(backwards).session(0).grades == (3, 0, 4)
    with pytest.raises(InvalidInputError) as refused:
        vd.Trace.read(pa.table({**log, "grade": [3, 5, -1]}))
    assert list(refused.value.problems) == [
        "Table: grade is 5 in rows 2, 3; allowed: 1 (again), 2 (hard), 3 (good), 4 (easy), or empty"
    ]


def test_events_of_ones_own_have_grades() -> None:
    """Through register and recall, or as the fifth entry of a tuple; others are refused."""
    events = [vd.events.register(1, "a", grade=2), vd.events.recall(4, "a", grade=1), (3, "recall", "a", None, 4)]
    session = session_of(events)
    assert (session.events, session.grades) == (((1, 0, 0), (3, 1, 0), (4, 1, 0)), (2, 4, 1))
    assert eval(repr(session), {"Session": Session, "REGISTER": 0, "RECALL": 1}) == session
    with pytest.raises(InvalidInputError) as refused:
        session_of([vd.events.recall(4, "a", grade=5)])
    line = "event 0 has the grade 5; allowed: 1 (again), 2 (hard), 3 (good), 4 (easy), or 0 for none"
    assert list(refused.value.problems) == [line]
    wrong = replace(session, grades=(7,))
    assert session_problems(wrong) == [
        "event 0 has the grade 7; allowed: 0 (none) to 4",
        "grades has 1 entries; allowed: none, or one for each event",
    ]


def test_no_other_shipped_policy_reads_grades() -> None:
    """Those that do say so."""
    kinds = {kind for kind in POLICIES if "grade" in (kind.__doc__ or "")}
    assert kinds == set(READERS)
