"""Tests of vecdecay.metrics: from integer counts to metrics, by one division each."""

import statistics
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from strategies import Case, cases, table_policies

from vecdecay.engines.outcome import BlockOutcome
from vecdecay.engines.reference import engine_for, measure, run
from vecdecay.engines.registry import play_block
from vecdecay.errors import InvalidInputError
from vecdecay.metrics import METRIC_NAMES, columns_beside, metric_columns, session_columns
from vecdecay.policies import Ebbinghaus, KeepAll, Lru, RecencyWindow
from vecdecay.quantities import SESSION_COLUMNS, TOKEN_COLUMNS
from vecdecay.run.simulate import simulate
from vecdecay.run.sweep import sweep
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.session import FOUNDATIONAL, NOISE, RECALL, REGISTER, Session

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


SIZED = Session(
    20,
    (FOUNDATIONAL, NOISE),
    ((1, REGISTER, 0), (1, REGISTER, 1), (4, RECALL, 0), (4, RECALL, 0), (11, RECALL, 1), (19, RECALL, 0)),
    tokens=(5, 2),
)


@pytest.mark.parametrize("engine", ["horizon", "lockstep", "reference"])
def test_what_is_asked_for_is_measured(engine: str) -> None:
    """The window of six keeps item 0 for turns 1 to 10, of use to turn 4, and item 1 for turns 1 to 7, of no use."""
    window = RecencyWindow(window_size=6)
    outcome = play_block(block_of([SIZED]), window, engine, asked=("token_hit_rate", "dead_weight"))
    columns = columns_beside(outcome, ("recalls", "token_hit_rate", "dead_weight"))
    assert {name: values.tolist() for name, (values, _) in columns.items()} == {
        "recalls": [4],
        "recalled_tokens": [17],
        "missed_tokens": [7],
        "token_hit_rate": [10 / 17],
        "dead_item_turns": [14],
        "dead_weight": [14 / 17],
    }
    assert outcome.missed is None


def test_saturation_is_the_share_above_a_retention() -> None:
    """Ebbinghaus: exp(-age / 8) is above 0.95 in the turn of the touch alone; policies without retention have none."""
    result = simulate([SIZED], [KeepAll(), Ebbinghaus(), Lru(3)], metrics=["saturation"])
    assert result.cells["engine"].to_pylist() == ["reference"] * 3
    held = result.sessions["working_set_sum"].to_pylist()
    policy, counted = Ebbinghaus(), 0
    for touches in ((1, 4, 4, 19), (1, 11)):
        for turn in range(1, 21):
            before = [one for one in touches if one <= turn]
            counted += policy.retention(turn - before[-1], len(before)) > 0.95
    assert result.sessions["saturated_item_turns"].to_pylist() == [held[0], counted, None]
    assert result.cells["saturation_mean"].to_pylist() == [1.0, counted / held[1], None]
    assert 0 < counted < held[1] == held[0]  # what Ebbinghaus recalls, it finds
    with pytest.raises(InvalidInputError, match="engine is 'horizon'; allowed with saturation: auto or reference"):
        simulate([SIZED], KeepAll(), engine="horizon", metrics=["saturation"])
    with pytest.raises(InvalidInputError, match=r"metrics has 'dead_wait'; allowed .* did you mean dead_weight"):
        simulate([SIZED], KeepAll(), metrics=["dead_wait"])


def test_a_sweep_keeps_what_it_asks_for(tmp_path: Path) -> None:
    """As columns of cells and sessions, verified; else there is no such column, and the digest is another."""
    tables: dict[str, Any] = {
        "schema": 1,
        "sweep": {
            "name": "asked",
            "seeds": 40,
            "detail": "sessions",
            "metrics": ["hit_rate", "dead_weight", "recalls"],
        },
        "workload": {"kind": "uniform_recalls"},
        "policy": [{"kind": "ebbinghaus"}, {"kind": "recency_window"}],
    }
    run = sweep(tables, output=tmp_path / "run", threads=1)
    assert run.verify(everything=True).problems == []
    sessions = run.sessions.to_table()
    mean = float(sum(map(Fraction, sessions.slice(0, 40)["dead_weight"].to_pylist())) / 40)
    assert run.cells["dead_weight_mean"][0].as_py() == mean
    assert run.cells["recalls_mean"][0].as_py() == statistics.fmean(sessions.slice(0, 40)["recalls"].to_pylist())
    without = sweep({**tables, "sweep": {**tables["sweep"], "metrics": []}}, output=tmp_path / "other", threads=1)
    assert {"recalls_mean", "dead_weight_mean"}.isdisjoint(without.cells.schema.names)
    assert without.spec.digest != run.spec.digest
    assert without.cells["hit_rate_mean"].equals(run.cells["hit_rate_mean"])
