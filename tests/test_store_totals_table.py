"""The totals table: distributions to rows and back, nulls, values too many to be kept, rows out of order."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from test_analysis_distributions import outcome_of, outcomes, same

from vecdecay.analysis.distributions import CellDistributions, distributions_of, distributions_of_cells
from vecdecay.analysis.summaries import CellTallies, summarised_names
from vecdecay.analysis.tally import Tally
from vecdecay.engines.outcome import BlockOutcome
from vecdecay.store.totals_table import distributions_in, totals_schema, totals_table

CHECKPOINTS = (5, 40)
NAMES = list(summarised_names(CHECKPOINTS))


def three_cells() -> dict[int, CellDistributions]:
    """Return three cells of four sessions; in the first no fact was evicted, so that there is no survival time."""
    evicted = np.array([0, 0, 0, 0, 1, 0, 2, 0, 1, 1, 1, 1], dtype=np.int64)
    outcome = outcome_of(12, foundational_evicted=evicted, survival_sum=7 * evicted)
    return dict(zip((3, 4, 9), distributions_of_cells(outcome, 3, CHECKPOINTS), strict=True))


def folded_cell() -> CellDistributions:
    """Return a cell with more values than are kept singly."""
    tallies = CellTallies(CHECKPOINTS)
    tallies.tallies = {name: Tally(max_distinct=2) for name in tallies.tallies}
    tallies.add(outcome_of(50))
    return distributions_of(tallies)


def rows_of(table: pa.Table, cell: int, metric: str) -> list[tuple[float | None, int, str | None]]:
    """Return the rows of a cell and metric: value, count, totals."""
    return [
        (row["value"], row["count"], row["totals"])
        for row in table.to_pylist()
        if (row["cell"], row["metric"]) == (cell, metric)
    ]


@given(outcomes())
def test_distributions_become_rows_and_come_back(drawn: tuple[BlockOutcome, int]) -> None:
    """Every cell, length, value and count, to the bit."""
    outcome, count = drawn
    cells = dict(enumerate(distributions_of_cells(outcome, count, CHECKPOINTS), start=7))
    back = list(distributions_in(totals_table(cells, CHECKPOINTS), CHECKPOINTS))
    assert [number for number, _ in back] == list(cells)
    assert all(same(found, cells[number]) for number, found in back)


def test_tallies_become_rows_and_come_back() -> None:
    """The tallies of a cell are equal after the way through the table, and so are its summaries."""
    tallies = CellTallies(CHECKPOINTS)
    tallies.add(outcome_of(20))
    table = totals_table({0: distributions_of(tallies)}, CHECKPOINTS)
    ((_, found),) = distributions_in(table, CHECKPOINTS)
    assert found.tallies(CHECKPOINTS).tallies == tallies.tallies
    assert found.summaries(CHECKPOINTS) == tallies.summaries()


def test_rows_say_how_many_sessions_had_which_value() -> None:
    """Values ascend, and a null counts the sessions that have none."""
    table = totals_table(three_cells(), CHECKPOINTS)
    assert rows_of(table, 3, "survival_time") == [(None, 4, None)]
    assert rows_of(table, 4, "survival_time") == [(7.0, 2, None), (None, 2, None)]
    assert rows_of(table, 9, "survival_time") == [(7.0, 4, None)]
    assert rows_of(table, 4, "foundational_evicted") == [(0.0, 2, None), (1.0, 1, None), (2.0, 1, None)]
    assert rows_of(table, 9, "foundational_recall_rate_at_40") == [(None, 4, None)]  # after the end


def test_the_schema_is_the_documented_one() -> None:
    """Names, types, what can be null, and a meaning for every column."""
    schema = totals_schema()
    text = pa.dictionary(pa.int32(), pa.string())
    assert [(field.name, field.type, field.nullable) for field in schema] == [
        ("cell", pa.int32(), False),
        ("metric", text, False),
        ("value", pa.float64(), True),
        ("count", pa.int64(), False),
        ("totals", pa.string(), True),
    ]
    assert all(set(field.metadata) == {b"meaning"} for field in schema)
    table = totals_table(three_cells(), CHECKPOINTS)
    assert table.schema.equals(schema, check_metadata=True)
    assert table["metric"].combine_chunks().dictionary.to_pylist() == NAMES


def test_values_too_many_to_be_kept_are_totals() -> None:
    """One row with a null value, all sessions, and exact totals; beside it a cell whose values are all kept."""
    folded, exact = folded_cell(), three_cells()[4]
    table = totals_table({0: folded, 1: exact}, CHECKPOINTS)
    name = NAMES[min(folded.folded)]
    ((value, count, totals),) = rows_of(table, 0, name)
    assert (value, count) == (None, 50)
    assert totals is not None
    back = dict(distributions_in(table, CHECKPOINTS))
    assert back[0].folded == folded.folded
    assert (back[0].lengths, back[0].counts.tolist()) == (folded.lengths, folded.counts.tolist())
    assert back[0].summaries(CHECKPOINTS) == folded.summaries(CHECKPOINTS)
    assert same(back[1], exact)


def test_no_cell_is_an_empty_table() -> None:
    """With the same schema, and nothing comes back."""
    table = totals_table({}, CHECKPOINTS)
    assert (table.num_rows, table.schema.equals(totals_schema())) == (0, True)
    assert list(distributions_in(table, CHECKPOINTS)) == []


def test_cells_come_back_in_the_order_of_the_rows() -> None:
    """Cells need not ascend, but each must be in one piece."""
    cells = three_cells()
    backwards = {number: cells[number] for number in (9, 3, 4)}
    table = totals_table(backwards, CHECKPOINTS)
    assert [number for number, _ in distributions_in(table, CHECKPOINTS)] == [9, 3, 4]
    apart = pa.concat_tables([table.slice(0, 3), table.slice(table.num_rows - 3), table.slice(3, 3)])
    with pytest.raises(ValueError, match=r"^the rows of the totals are not in order$"):
        list(distributions_in(apart, CHECKPOINTS))


def test_metrics_out_of_order_or_unknown_are_refused() -> None:
    """Rows of a later metric before those of an earlier one, and metrics of another sweep."""
    table = totals_table({0: three_cells()[3]}, CHECKPOINTS)
    turned = pa.concat_tables([table.slice(table.num_rows - 1), table.slice(0, table.num_rows - 1)])
    with pytest.raises(ValueError, match=r"^the rows of the totals are not in order$"):
        list(distributions_in(turned, CHECKPOINTS))
    with pytest.raises(ValueError, match=r"^the totals are of other metrics$"):
        list(distributions_in(table, (5,)))


@pytest.mark.parametrize("values", [[0.5, 0.25], [0.5, 0.5], [float("nan"), 0.5], [0.5, float("inf")], [None, 0.5]])
def test_values_that_no_run_writes_are_refused(values: list[float | None]) -> None:
    """Values that do not ascend, are not finite, or follow a null: a kernel must never meet them."""
    table = totals_table({0: three_cells()[3]}, CHECKPOINTS)
    rest = table.filter(pa.compute.not_equal(table["metric"].cast(pa.string()), "foundational_recall_rate"))
    names = pa.array([0, 0], pa.int32())
    metric = pa.DictionaryArray.from_arrays(names, pa.array(["foundational_recall_rate"]))
    column = pa.array(values, pa.float64(), from_pandas=False)
    columns = [pa.array([0, 0], pa.int32()), metric, column, pa.array([1, 1]), pa.nulls(2, pa.string())]
    doctored = pa.concat_tables([pa.Table.from_arrays(columns, schema=table.schema), rest]).unify_dictionaries()
    with pytest.raises(ValueError, match=r"^the values of the totals are not in order$"):
        list(distributions_in(doctored, CHECKPOINTS))
