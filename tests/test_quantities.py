"""Tests of vecdecay.quantities: every column of a result has its record, and every record its column."""

import dataclasses
from dataclasses import dataclass
from typing import ClassVar

import pytest

import vecdecay as vd
from vecdecay import quantities
from vecdecay.errors import InvalidInputError
from vecdecay.policies import POLICIES, RecencyWindow, TablePolicy
from vecdecay.quantities import (
    METRIC_NAMES,
    METRICS,
    SESSION_COLUMNS,
    TOKEN_COLUMNS,
    UNSIZED_TWINS,
    metric_named,
)
from vecdecay.sessions import WORKLOADS, PublishedSessions, SteadyUse
from vecdecay.store.columns import Layout
from vecdecay.store.tables import TABLES as TABLES_OF_A_RUN
from vecdecay.sweepfile.combining import column_clashes

TABLES = (
    quantities.CELL_COLUMNS,
    quantities.SESSION_COLUMNS,
    quantities.TOKEN_COLUMNS,
    quantities.CHECKPOINT_COLUMNS,
    quantities.ITEM_COLUMNS,
    quantities.TURN_COLUMNS,
)


def test_records_are_complete() -> None:
    """Every record has a name of its own in its table, dimensions and a meaning in words."""
    for table in TABLES:
        names = [one.name for one in table]
        assert len(set(names)) == len(names)
        for one in table:
            assert one.dimensions[0] == "cell"
            assert len(one.meaning) >= 8


def test_every_metric_is_a_column_and_has_its_interval() -> None:
    """The sessions table holds every metric; rates, and only rates, have the interval made for rates."""
    columns = {one.name for one in SESSION_COLUMNS}
    assert set(METRIC_NAMES) <= columns | {one.name for one in TOKEN_COLUMNS}
    assert set(METRIC_NAMES) - columns == set(UNSIZED_TWINS)
    assert set(UNSIZED_TWINS.values()) <= columns
    assert {one.name for one in METRICS if one.interval == "rate"} == {
        "foundational_recall_rate",
        "terminal_survival_rate",
        "hit_rate",
    }
    assert {one.better for one in METRICS} <= {"higher", "lower", "neither"}


@pytest.mark.parametrize("detail", ["items", "turns"])
def test_records_and_results_have_the_same_columns(detail: str) -> None:
    """A result has exactly the columns of the records, in their order, checkpoints behind."""
    result = vd.simulate(vd.PublishedSessions(), vd.Ebbinghaus(), [1], detail=detail, checkpoints=[7])
    records = {"items": quantities.ITEM_COLUMNS, "turns": quantities.TURN_COLUMNS}[detail]
    assert getattr(result, detail).column_names == [one.name for one in records]
    at = [one.name.format(turn=7) for one in quantities.CHECKPOINT_COLUMNS]
    assert result.sessions.column_names == [one.name for one in SESSION_COLUMNS] + at


def test_sessions_hold_tokens_where_items_have_sizes() -> None:
    """The columns in tokens stand behind the others; where every size is 1 they would repeat them and are left out."""
    sized = vd.simulate(SteadyUse(token_size=7), vd.Ebbinghaus(), range(3)).sessions
    plain = vd.simulate(SteadyUse(), vd.Ebbinghaus(), range(3)).sessions
    assert sized.column_names == [one.name for one in SESSION_COLUMNS + TOKEN_COLUMNS]
    assert plain.column_names == [one.name for one in SESSION_COLUMNS]
    for name, twin in UNSIZED_TWINS.items():
        factor = 1 if name == "footprint_reduction_tokens" else 7
        assert sized[name].to_pylist() == pytest.approx(
            [factor * value for value in plain[twin].to_pylist()], rel=1e-15
        )


def test_a_metric_is_found_by_name_or_the_nearest_is_named() -> None:
    """An unknown metric is refused with all names and the closest one."""
    assert metric_named("misses").unit == "recalls"
    with pytest.raises(InvalidInputError, match="did you mean survival_time") as caught:
        metric_named("survival_tim")
    assert all(name in str(caught.value) for name in METRIC_NAMES)


@dataclass(frozen=True)
class Colliding(TablePolicy):
    """Its fields are columns of cells.parquet, in capitals or not, of a workload, or of another type."""

    name: ClassVar[str] = "colliding"
    cell: float = 1.0
    Engine: float = 1.0
    misses_mean: float = 1.0
    foundational_recall_rate_at_50_low: float = 1.0
    session_length: float = 1.0
    window_size: bool = True
    misses_meant: float = 1.0
    ages: float = 1.0


def test_parameters_that_cannot_be_columns_are_named() -> None:
    """Reserved names, those of a workload's parameter, and one name for two types."""
    ending = "has the name of a column of cells.parquet; rename the field"
    together = "would be one column of cells.parquet; rename one of the fields"
    assert column_clashes([RecencyWindow, Colliding], PublishedSessions) == [
        *[
            f"Colliding.{name} {ending}"
            for name in ("cell", "Engine", "misses_mean", "foundational_recall_rate_at_50_low")
        ],
        f"RecencyWindow.window_size (number) and Colliding.window_size (flag) {together}",
        f"Colliding.session_length (number) and PublishedSessions.session_length (integer) {together}",
    ]


def test_no_policy_and_workload_of_the_program_clash() -> None:
    """All of them could stand in one sweep; and what is reserved is what the table has beside parameters."""
    assert [column_clashes(POLICIES, workload) for workload in WORKLOADS] == [[]] * len(WORKLOADS)
    columns = TABLES_OF_A_RUN["cells"].schema(Layout(checkpoints=(50,))).names
    for name in columns:
        kind = dataclasses.make_dataclass(name, [(name, float, 1.0)], bases=(TablePolicy,), frozen=True)
        assert len(column_clashes([kind], None)) == 1, name


def test_a_parameter_with_the_name_of_a_column_is_refused() -> None:
    """Before anything is played: its values would take the place of the column's, or the column of another's."""

    @dataclass(frozen=True)
    class Mine:
        cell: float = 1.0
        session_length: float = 9.0
        eviction_threshold: float = 0.2

        def retention(self, age: int, recall_count: int) -> float:
            return 1.0 / (1.0 + age)

    with pytest.raises(InvalidInputError) as caught:
        vd.simulate(vd.PublishedSessions(), Mine(), seeds=range(2))
    first, second = caught.value.problems
    assert first == "Mine.cell has the name of a column of cells.parquet; rename the field"
    assert second.startswith("Mine.session_length (number) and PublishedSessions.session_length (integer) would be one")


def test_no_parameter_of_a_policy_shares_a_column_with_the_workload() -> None:
    """Not even where name and type are the same: the cell would show one of the two values for both."""
    kind = dataclasses.make_dataclass("Twin", [("noise_per_turn", int, 1)], bases=(TablePolicy,), frozen=True)
    assert len(column_clashes([kind], PublishedSessions)) == 1
    assert column_clashes([kind], None) == []
