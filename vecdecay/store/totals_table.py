"""The totals table: for each cell and metric, how many sessions had which value. Means and intervals are made from it.

It holds exact distributions, so that parts of a sweep can be joined in any order, and read by anyone. Where a metric
had more distinct values than are kept, ``totals`` holds its exact running sums as JSON instead of one row per value.
"""

import json
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa

from vecdecay.analysis.summaries import CellTallies
from vecdecay.analysis.tally import Tally
from vecdecay.errors import VecdecayError


def totals_schema() -> pa.Schema:
    """Return the schema: a row per cell, metric and value; a null value counts the sessions without one."""
    text = pa.dictionary(pa.int32(), pa.string())
    fields = [
        ("cell", pa.int32(), False, "number of the cell"),
        ("metric", text, False, "name of the metric"),
        ("value", pa.float64(), True, "value of the metric; null counts the sessions that have none"),
        ("count", pa.int64(), False, "number of sessions with this value"),
        ("totals", pa.string(), True, "exact running totals, where the values were too many to be kept singly"),
    ]
    return pa.schema(
        [pa.field(name, kind, nullable, metadata={"meaning": words}) for name, kind, nullable, words in fields]
    )


def totals_table(cells: Mapping[int, CellTallies]) -> pa.Table:
    """Return the rows of several cells, in the order of the mapping."""
    names = list(next(iter(cells.values())).tallies) if cells else []
    cell_of, metric_of, lengths = [], [], []
    values: list[np.ndarray] = []
    counts: list[np.ndarray] = []
    folded: dict[int, str] = {}
    row = 0
    for cell, cell_tallies in cells.items():
        for metric, tally in enumerate(cell_tallies.tallies.values()):
            try:
                these, times = tally.values_and_counts()
            except VecdecayError:
                these, times = np.array([np.nan]), np.array([tally.count])
                folded[row] = json.dumps(tally.to_json(), sort_keys=True)
            if tally.null_count and row not in folded:
                these, times = np.append(these, np.nan), np.append(times, tally.null_count)
            cell_of.append(cell)
            metric_of.append(metric)
            lengths.append(len(these))
            values.append(these)
            counts.append(times)
            row += len(these)
    flat = np.concatenate(values) if values else np.empty(0)
    totals = pa.nulls(row, pa.string())
    if folded:
        totals = pa.array([folded.get(number) for number in range(row)], type=pa.string())
    return pa.Table.from_arrays(
        [
            pa.array(np.repeat(np.array(cell_of, dtype=np.int32), lengths)),
            pa.DictionaryArray.from_arrays(
                pa.array(np.repeat(np.array(metric_of, dtype=np.int32), lengths)), pa.array(names, type=pa.string())
            ),
            pa.array(flat, mask=np.isnan(flat)),
            pa.array(np.concatenate(counts).astype(np.int64) if counts else np.empty(0, dtype=np.int64)),
            totals,
        ],
        schema=totals_schema(),
    )


def tallies_in(table: pa.Table, checkpoints: Sequence[int]) -> Iterator[tuple[int, CellTallies]]:
    """Yield each cell of a totals table with its tallies, in the order of the rows."""
    if table.num_rows == 0:
        return
    table = table.combine_chunks()
    cell = table["cell"].to_numpy()
    metric = table["metric"].combine_chunks()
    names = metric.dictionary.to_pylist()
    number = metric.indices.to_numpy()
    value, count = table["value"].to_numpy(), table["count"].to_numpy()
    totals = table["totals"]
    some_folded = totals.null_count < len(totals)
    starts = np.flatnonzero((np.diff(cell, prepend=cell[0] - 1) != 0) | (np.diff(number, prepend=-1) != 0))
    ends = np.append(starts[1:], len(cell))
    current: CellTallies | None = None
    current_cell = -1
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        if int(cell[start]) != current_cell or current is None:
            if current is not None:
                yield current_cell, current
            current, current_cell = CellTallies(checkpoints), int(cell[start])
        name = names[number[start]]
        text = totals[start].as_py() if some_folded else None
        if text is not None:
            current.tallies[name] = Tally.from_json(json.loads(text))
            continue
        if np.isnan(value[end - 1]):
            end -= 1
            current.tallies[name].add_nulls(int(count[end]))
        if end > start:
            current.tallies[name].add_counted(value[start:end], count[start:end])
    if current is not None:
        yield current_cell, current
