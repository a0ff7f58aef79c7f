"""The histograms table: histograms to rows and back, nulls, values too many to be kept, rows out of order."""

import json

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from test_analysis_cell import CHECKPOINTS, folded_cell, outcome_of, outcomes

from vecdecay.analysis.cell import CellHistograms, histograms_of_cells, summarised_names
from vecdecay.analysis.histogram import Histogram
from vecdecay.engines.outcome import BlockOutcome
from vecdecay.store.histograms import histograms_in, histograms_schema, histograms_table

NAMES = list(summarised_names(CHECKPOINTS))


def three_cells() -> dict[int, CellHistograms]:
    """Return three cells of four sessions; in the first no item was evicted, so that there is no survival time."""
    evicted = np.array([0, 0, 0, 0, 1, 0, 2, 0, 1, 1, 1, 1], dtype=np.int64)
    outcome = outcome_of(12, foundational_evicted=evicted, survival_sum=7 * evicted)
    return dict(zip((3, 4, 9), histograms_of_cells(outcome, 3, CHECKPOINTS), strict=True))


def rows_of(table: pa.Table, cell: int, metric: str) -> list[tuple[float | None, int, str | None]]:
    """Return the rows of a cell and metric: value, count, moments."""
    return [
        (row["value"], row["count"], row["moments"])
        for row in table.to_pylist()
        if (row["cell"], row["metric"]) == (cell, metric)
    ]


@given(outcomes())
def test_histograms_become_rows_and_come_back(drawn: tuple[BlockOutcome, int]) -> None:
    """Every cell, value and count, however the cell was counted; a cell that is read goes on counting."""
    outcome, count = drawn
    cells = dict(enumerate(histograms_of_cells(outcome, count, CHECKPOINTS), start=7))
    whole = CellHistograms(CHECKPOINTS)
    whole.add(outcome)
    cells[3] = whole
    back = list(histograms_in(histograms_table(cells, CHECKPOINTS), CHECKPOINTS))
    assert back == list(cells.items())
    joined = CellHistograms(CHECKPOINTS)
    for number, found in back:
        assert found.summaries() == cells[number].summaries()
        if number != 3:
            joined.merge(found)
    assert joined == whole


def test_rows_say_how_many_sessions_had_which_value() -> None:
    """Values ascend, and a null counts the sessions that have none."""
    table = histograms_table(three_cells(), CHECKPOINTS)
    assert rows_of(table, 3, "survival_time") == [(None, 4, None)]
    assert rows_of(table, 4, "survival_time") == [(7.0, 2, None), (None, 2, None)]
    assert rows_of(table, 9, "survival_time") == [(7.0, 4, None)]
    assert rows_of(table, 4, "foundational_evicted") == [(0.0, 2, None), (1.0, 1, None), (2.0, 1, None)]
    assert rows_of(table, 9, "foundational_recall_rate_at_40") == [(None, 4, None)]  # after the end


def test_the_schema_is_the_documented_one() -> None:
    """Names, types, what can be null, and meaning, unit and dimensions of every column."""
    schema = histograms_schema()
    text = pa.dictionary(pa.int32(), pa.string())
    assert [(field.name, field.type, field.nullable) for field in schema] == [
        ("cell", pa.int32(), False),
        ("metric", text, False),
        ("value", pa.float64(), True),
        ("count", pa.int64(), False),
        ("moments", pa.string(), True),
    ]
    assert all(set(field.metadata) == {b"meaning", b"unit", b"dimensions"} for field in schema)
    table = histograms_table(three_cells(), CHECKPOINTS)
    assert table.schema.equals(schema, check_metadata=True)
    assert table["metric"].combine_chunks().dictionary.to_pylist() == NAMES


def test_values_too_many_to_be_kept_are_moments() -> None:
    """One row with a null value, all sessions, and exact moments; beside it a cell whose values are all kept."""
    evicted = np.arange(50) % 4  # so that some survival times are missing
    folded = folded_cell(outcome_of(50, foundational_evicted=evicted, survival_sum=evicted * evicted))
    exact = three_cells()[4]
    assert folded.histograms["survival_time"].moments is not None
    table = histograms_table({0: exact, 1: folded, 2: exact}, CHECKPOINTS)
    ((value, count, moments),) = rows_of(table, 1, "survival_time")
    assert (value, count) == (None, 50)
    assert moments is not None
    content = json.loads(moments)
    assert (content["null_count"], content["count"], content["minimum"], content["maximum"]) == (
        13, 37, (1.0).hex(), (3.0).hex()
    )  # fmt: skip
    back = dict(histograms_in(table, CHECKPOINTS))
    assert [back[0], back[2]] == [exact, exact]
    for name, histogram in folded.histograms.items():
        assert (back[1].histograms[name] == histogram) or histogram.moments is None
        assert back[1].histograms[name].moments == histogram.moments
        assert back[1].histograms[name].num_sessions == histogram.num_sessions == 50
    assert back[1].summaries() == folded.summaries()


@pytest.mark.parametrize(
    "change",
    [
        {"null_count": 1}, {"null_count": -1}, {"count": 5}, {"count": 0}, {"count": 3.0}, {"count": True}, {"more": 1},
        {"sum": "0x1"}, {"sum": 7}, {"sum": "0xzz"}, {"sum_of_squares": "0x1"}, {"minimum": "0x1.8p+0"},
        {"minimum": 0.5}, {"minimum": "nan"}, {"maximum": "inf"}, {"maximum": "0x1.0000000000000p-1"},
    ],
)  # fmt: skip
def test_damaged_moments_are_refused(change: dict[str, object]) -> None:
    """What this program cannot have written is refused in one line, not turned into a result."""
    cell = CellHistograms(CHECKPOINTS)
    for name in NAMES:
        cell.histograms[name] = Histogram(max_distinct=1)
        cell.histograms[name].add(np.array([0.5, 2.0, 3.0]))
    table = histograms_table({0: cell}, CHECKPOINTS)
    ((_, found),) = histograms_in(table, CHECKPOINTS)
    assert all(one.summary().mean == 5.5 / 3 for one in found.histograms.values())
    content = json.loads(table["moments"][0].as_py())
    texts = [json.dumps(content | change)]
    texts += [json.dumps({name: one for name, one in content.items() if name != key}) for key in content]
    for text in [*texts, "[]", "no JSON"]:
        column = pa.array([text, *table["moments"].to_pylist()[1:]], pa.string())
        with pytest.raises(ValueError, match="moments of a histogram"):
            list(histograms_in(table.set_column(4, table.schema.field(4), column), CHECKPOINTS))


def test_no_cell_is_an_empty_table() -> None:
    """With the same schema, and nothing comes back."""
    table = histograms_table({}, CHECKPOINTS)
    assert (table.num_rows, table.schema.equals(histograms_schema())) == (0, True)
    assert list(histograms_in(table, CHECKPOINTS)) == []


def test_cells_come_back_in_the_order_of_the_rows() -> None:
    """Cells need not ascend, but each must be in one piece."""
    cells = three_cells()
    backwards = {number: cells[number] for number in (9, 3, 4)}
    table = histograms_table(backwards, CHECKPOINTS)
    assert [number for number, _ in histograms_in(table, CHECKPOINTS)] == [9, 3, 4]
    apart = pa.concat_tables([table.slice(0, 3), table.slice(table.num_rows - 3), table.slice(3, 3)])
    with pytest.raises(ValueError, match=r"^the rows of the histograms are not in order$"):
        list(histograms_in(apart, CHECKPOINTS))


def test_metrics_out_of_order_missing_or_unknown_are_refused() -> None:
    """Rows of a later metric before those of an earlier one, a metric without rows, and metrics of another sweep."""
    table = histograms_table({0: three_cells()[3]}, CHECKPOINTS)
    turned = pa.concat_tables([table.slice(table.num_rows - 1), table.slice(0, table.num_rows - 1)])
    missing = table.filter(pa.compute.not_equal(table["metric"].cast(pa.string()), "misses"))
    for wrong in (turned, missing):
        with pytest.raises(ValueError, match=r"^the rows of the histograms are not in order$"):
            list(histograms_in(wrong, CHECKPOINTS))
    with pytest.raises(ValueError, match=r"^the histograms are of other metrics$"):
        list(histograms_in(table, (5,)))


@pytest.mark.parametrize("values", [[0.5, 0.25], [0.5, 0.5], [float("nan"), 0.5], [0.5, float("inf")], [None, 0.5]])
def test_values_that_no_run_writes_are_refused(values: list[float | None]) -> None:
    """Values that do not ascend, are not finite, or follow a null: a kernel must never meet them."""
    table = histograms_table({0: three_cells()[3]}, CHECKPOINTS)
    rest = table.filter(pa.compute.not_equal(table["metric"].cast(pa.string()), "foundational_recall_rate"))
    names = pa.array([0, 0], pa.int32())
    metric = pa.DictionaryArray.from_arrays(names, pa.array(["foundational_recall_rate"]))
    column = pa.array(values, pa.float64(), from_pandas=False)
    columns = [pa.array([0, 0], pa.int32()), metric, column, pa.array([1, 1]), pa.nulls(2, pa.string())]
    doctored = pa.concat_tables([pa.Table.from_arrays(columns, schema=table.schema), rest]).unify_dictionaries()
    with pytest.raises(ValueError, match=r"^the values of the histograms are not in order$"):
        list(histograms_in(doctored, CHECKPOINTS))
