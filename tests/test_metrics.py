"""Tests of vecdecay.metrics: from integer counts to metrics, by one division each."""

import statistics
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from strategies import Case, cases, table_policies

from vecdecay.engines.outcome import BlockOutcome
from vecdecay.engines.reference import engine_for, measure, run
from vecdecay.engines.registry import play_block
from vecdecay.metrics import METRIC_NAMES, columns_beside, metric_columns, session_columns
from vecdecay.policies import Ebbinghaus, KeepAll
from vecdecay.quantities import SESSION_COLUMNS, TOKEN_COLUMNS
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.session import FOUNDATIONAL, RECALL, REGISTER, Session

EMPTY = Session(4, (), ())
LOST = Session(20, (FOUNDATIONAL, FOUNDATIONAL), ((1, REGISTER, 0), (15, REGISTER, 1)))


def played(*sessions: Session, checkpoints: tuple[int, ...] = ()) -> BlockOutcome:
    """Play sessions under the published policy."""
    return play_block(block_of(sessions), Ebbinghaus(), "horizon", checkpoints)


@given(cases(table_policies()))
def test_metrics_are_those_of_the_reference(case: Case) -> None:
    """Every metric of every session equals what the scalar engine measures, and is null where that is None."""
    columns = metric_columns(play_block(block_of(case.sessions), case.policy, "horizon"))
    assert tuple(columns) == METRIC_NAMES
    for number, session in enumerate(case.sessions):
        measured = measure(run(engine_for(case.policy), session))
        for name, (values, valid) in columns.items():
            known = valid is None or bool(valid[number])
            wanted = getattr(measured, name)
            assert known == (wanted is not None)
            assert not known or values[number] == wanted, name


def test_the_worked_example() -> None:
    """A fact registered in turn 1 dies in turn 14; one of turn 15 survives: half, 13 turns, 19 of 20 turns held."""
    columns = {name: values.tolist() for name, (values, _) in metric_columns(played(LOST)).items()}
    assert columns == {
        "foundational_recall_rate": [0.5],
        "terminal_survival_rate": [0.5],
        "survival_time": [13.0],
        "foundational_evicted": [1],
        "mean_working_set": [19 / 20],
        "footprint_reduction": [1.0 - (19 / 20) / 2],
        "misses": [0],
        "hit_rate": [0.0],
        "token_turns": [19],
        "mean_working_set_tokens": [19 / 20],
        "footprint_reduction_tokens": [1.0 - (19 / 20) / 2],
    }


def test_items_of_several_sizes_are_weighed() -> None:
    """The lost fact holds 13 turns at 5 tokens, the kept one 6 turns at 2: 77 of 140 token turns, in every engine."""
    sized = replace(LOST, tokens=(5, 2))
    measured = measure(run(engine_for(Ebbinghaus()), sized))
    for engine in ("horizon", "lockstep", "reference"):
        columns = metric_columns(play_block(block_of([sized]), Ebbinghaus(), engine))
        for name, value in (
            ("token_turns", 77),
            ("mean_working_set_tokens", 77 / 20),
            ("footprint_reduction_tokens", 1.0 - (77 / 20) / 7),
            ("mean_working_set", 19 / 20),
        ):
            assert columns[name][0].tolist() == [value] == [getattr(measured, name)]


def test_the_reference_and_the_kernels_measure_the_worked_example() -> None:
    """Survival is counted from the registration, not from the last touch, by the scalar measurement and by totals."""
    session = Session(60, (FOUNDATIONAL,), ((1, REGISTER, 0), (9, RECALL, 0)))
    measured = measure(run(engine_for(Ebbinghaus()), session))
    assert [measured.survival_time, measured.survival_time_minimum] == [36.0, 36]
    for engine in ("horizon", "lockstep", "reference"):
        outcome = play_block(block_of([session]), Ebbinghaus(), engine)
        assert outcome.survival_sum.tolist() == [36]


def test_odd_corners_are_as_published() -> None:
    """Without facts the recall rate is 1.0 and the survival rate 0.0; without registrations the footprint is 0.0."""
    columns = metric_columns(played(EMPTY, LOST))
    assert columns["foundational_recall_rate"][0].tolist() == [1.0, 0.5]
    assert columns["terminal_survival_rate"][0].tolist() == [0.0, 0.5]
    assert columns["footprint_reduction"][0].tolist()[0] == 0.0
    values, valid = columns["survival_time"]
    assert valid is not None
    assert valid.tolist() == [False, True]
    assert values.tolist() == [0.0, 13.0]


def test_checkpoints_after_the_end_are_null() -> None:
    """A checkpoint that a session does not reach has neither count nor rate; one that it reaches has both."""
    columns = columns_beside(played(EMPTY, LOST, checkpoints=(4, 14)), (4, 14))
    assert list(columns) == [
        "foundational_present_at_4",
        "foundational_recall_rate_at_4",
        "foundational_present_at_14",
        "foundational_recall_rate_at_14",
    ]
    for turn, present, rate, reached in (
        (4, [0, 1], [1.0, 0.5], [True, True]),
        (14, [0, 0], [0.0, 0.0], [False, True]),
    ):
        for name, wanted in (
            (f"foundational_present_at_{turn}", present),
            (f"foundational_recall_rate_at_{turn}", rate),
        ):
            values, valid = columns[name]
            assert values.tolist() == wanted
            assert valid is not None
            assert valid.tolist() == reached


def test_every_measured_column_of_the_table_is_there() -> None:
    """The sessions table is filled from here, but for cell and seed."""
    columns = session_columns(played(LOST, checkpoints=(3,)), (3,))
    wanted = {one.name for one in SESSION_COLUMNS + TOKEN_COLUMNS} - {"cell", "seed"}
    assert wanted | {"foundational_present_at_3", "foundational_recall_rate_at_3"} == set(columns)
    assert all(len(values) == 1 for values, _ in columns.values())


@pytest.mark.parametrize("length", [3, 7, 97, 150, 1009])
def test_means_are_correctly_rounded(length: int) -> None:
    """The mean working set is what ``statistics.mean`` gives for the sizes of the turns: the nearest double."""
    session = Session(length, (FOUNDATIONAL,) * 3, tuple((min(turn, length), REGISTER, turn - 1) for turn in (1, 2, 3)))
    outcome = play_block(block_of([session]), KeepAll(), "horizon", want_turns=True)
    assert outcome.turns is not None
    sizes = outcome.turns.working_set.tolist()
    (mean,) = metric_columns(outcome)["mean_working_set"][0].tolist()
    assert mean == statistics.mean(sizes) == float(Fraction(sum(sizes), length))
    assert np.isfinite(mean)
