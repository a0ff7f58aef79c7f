"""The totals table: for each cell and metric, how many sessions had which value. Means and intervals are made from it.

It holds exact distributions, so that parts of a sweep can be joined in any order, and read by anyone. Where a metric
had more distinct values than are kept, ``totals`` holds its exact running sums as JSON instead of one row per value.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from vecdecay.analysis.distributions import CellDistributions
from vecdecay.analysis.summaries import summarised_names
from vecdecay.quantities import TOTALS_COLUMNS


@cache
def totals_schema() -> pa.Schema:
    """Return the schema: a row per cell, metric and value; a null value counts the sessions without one."""
    kinds = {"int32": pa.int32(), "int64": pa.int64(), "float64": pa.float64(), "string": pa.string()}
    kinds |= {"metric": pa.dictionary(pa.int32(), pa.string())}
    return pa.schema(
        [
            pa.field(one.name, kinds.get(one.name, kinds[one.dtype]), one.nullable, metadata={"meaning": one.meaning})
            for one in TOTALS_COLUMNS
        ]
    )


def totals_table(cells: Mapping[int, CellDistributions], checkpoints: Sequence[int]) -> pa.Table:
    """Return the rows of several cells, in the order of the mapping."""
    names = list(summarised_names(checkpoints))
    each = list(cells.values())
    lengths = np.array([one.lengths for one in each], dtype=np.int64).reshape(len(each), len(names))
    value = np.concatenate([np.empty(0), *(one.values for one in each)])
    count = np.concatenate([np.empty(0, dtype=np.int64), *(one.counts for one in each)])
    metric = np.repeat(np.tile(np.arange(len(names), dtype=np.int32), len(each)), lengths.ravel())
    return pa.Table.from_arrays(
        [
            pa.array(np.repeat(np.array(list(cells), dtype=np.int32), lengths.sum(axis=1))),
            pa.DictionaryArray.from_arrays(pa.array(metric), pa.array(names, type=pa.string())),
            pa.array(value, mask=np.isnan(value)),
            pa.array(count),
            _folded_texts(each, lengths),
        ],
        schema=totals_schema(),
    )


def _folded_texts(cells: Sequence[CellDistributions], lengths: np.ndarray) -> pa.Array:
    """Return the last column: null but for the metrics whose values were too many."""
    if not any(cell.folded for cell in cells):
        return pa.nulls(int(lengths.sum()), pa.string())
    texts: list[str | None] = []
    for cell in cells:
        for place, length in enumerate(cell.lengths):
            folded = cell.folded.get(place)
            texts += [None] * length if folded is None else [json.dumps(folded, sort_keys=True)]
    return pa.array(texts, type=pa.string())


def distributions_in(table: pa.Table, checkpoints: Sequence[int]) -> Iterator[tuple[int, CellDistributions]]:
    """Yield each cell of a totals table with its distributions, in the order of the rows.

    Raises:
        ValueError: the rows of a cell are not together, the metrics are not those of the sweep, in their order, or the
            values of a metric do not ascend, with the null last; no such table was written by this program.
    """
    table = table.combine_chunks()
    cell = table["cell"].to_numpy()
    names = list(summarised_names(checkpoints))
    metric = _metric_places(table["metric"], names)
    if table.num_rows == 0:  # every cell of the part failed
        return
    first = np.flatnonzero(np.diff(cell, prepend=-1) != 0)
    ends = np.append(first[1:], len(cell)).tolist()
    group = np.repeat(np.arange(len(first)), np.diff(first, append=len(cell))) * len(names) + metric
    if (np.diff(group) < 0).any() or len(np.unique(cell[first])) != len(first):
        raise ValueError("the rows of the totals are not in order")
    if not _ascend(table["value"], group) or (np.array(table["count"]) < 1).any():
        raise ValueError("the values of the totals are not in order")
    lengths = np.bincount(group, minlength=len(first) * len(names)).reshape(-1, len(names)).tolist()
    # Copies, because Arrow's own memory is read-only, and kernels would be compiled once more for that.
    value, count = np.array(table["value"].fill_null(np.nan)), np.array(table["count"])
    totals = table["totals"]
    some_folded = totals.null_count < len(totals)
    for number, start, end, length in zip(cell[first].tolist(), first.tolist(), ends, lengths, strict=True):
        texts = totals[start:end].to_pylist() if some_folded else ()
        folded = {int(metric[start + row]): json.loads(text) for row, text in enumerate(texts) if text is not None}
        yield number, CellDistributions(tuple(length), value[start:end], count[start:end], folded)


def _ascend(value: pa.ChunkedArray, group: NDArray[np.int64]) -> bool:
    """Tell whether values are finite and rise within each group, with at most one null at its end."""
    null = np.array(value.is_null())
    values = np.array(value.fill_null(np.inf))
    rising = (values[1:] > values[:-1]) | (group[1:] != group[:-1])
    return bool(np.isfinite(values[~null]).all() and rising.all())


def _metric_places(column: pa.ChunkedArray, names: list[str]) -> np.ndarray:
    metric = column.combine_chunks()
    known = metric.dictionary.to_pylist()
    if not set(known) <= set(names):
        raise ValueError("the totals are of other metrics")
    places = np.array([names.index(name) for name in known], dtype=np.int64)
    return places[metric.indices.to_numpy()] if len(metric) else np.empty(0, dtype=np.int64)
