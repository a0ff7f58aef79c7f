"""Tests of vecdecay.quantities: every column of a result has its record, and every record its column."""

import pytest

import vecdecay as vd
from vecdecay import quantities
from vecdecay.errors import InvalidInputError
from vecdecay.quantities import METRIC_NAMES, METRICS, SESSION_COLUMNS, TOKEN_COLUMNS, UNSIZED_TWINS, metric_named
from vecdecay.sessions import SteadyUse

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
