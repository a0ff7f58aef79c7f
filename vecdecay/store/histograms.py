"""The histograms table: for each cell and metric, how many sessions had which value.

Means and intervals are computed from it, parts of a sweep can be joined in any order, and any reader of Parquet can
recompute them. Where a metric had more distinct values than are kept, ``moments`` holds its exact sums as JSON in place
of one row per value.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from vecdecay.analysis.cell import CellHistograms, cells_from_rows, summarised_names
from vecdecay.analysis.histogram import Histogram
from vecdecay.analysis.moments import Moments
from vecdecay.quantities import HISTOGRAM_COLUMNS
from vecdecay.store.columns import field_of


@cache
def histograms_schema() -> pa.Schema:
    """Return the schema: a row per cell, metric and value; a null value counts the sessions without one."""
    fields = {one.name: field_of(one) for one in HISTOGRAM_COLUMNS}
    fields["moments"] = fields["moments"].with_type(pa.string())
    return pa.schema(fields.values())


def histograms_table(cells: Mapping[int, CellHistograms], beside: Sequence[int | str]) -> pa.Table:
    """Return the rows of several cells, in the order of the mapping."""
    names = list(summarised_names(beside))
    each = [cell.rows() for cell in cells.values()]
    lengths = np.array([rows.lengths for rows, _ in each], dtype=np.int64).reshape(len(cells), len(names))
    value = np.concatenate([np.empty(0), *(rows.values for rows, _ in each)])
    count = np.concatenate([np.empty(0, dtype=np.int64), *(rows.counts for rows, _ in each)])
    metric = np.repeat(np.tile(np.arange(len(names), dtype=np.int32), len(cells)), lengths.ravel())
    first = (np.cumsum(lengths) - lengths.ravel()).reshape(lengths.shape)
    texts = {
        first[at, place]: _moments_text(one) for at, (_, folded) in enumerate(each) for place, one in folded.items()
    }
    return pa.Table.from_arrays(
        [
            pa.array(np.repeat(np.array(list(cells), dtype=np.int32), lengths.sum(axis=1))),
            pa.DictionaryArray.from_arrays(pa.array(metric), pa.array(names, type=pa.string())),
            pa.array(value, mask=np.isnan(value)),
            pa.array(count),
            pa.array(map(texts.get, range(len(value))), pa.string()) if texts else pa.nulls(len(value), pa.string()),
        ],
        schema=histograms_schema(),
    )


def _moments_text(histogram: Histogram) -> str:
    assert histogram.moments is not None
    return json.dumps({"null_count": histogram.null_count, **histogram.moments.to_json()})


def _histogram_from(text: str, count: int) -> Histogram:
    try:
        content = json.loads(text)
        null_count = content.pop("null_count")
        histogram = Histogram(null_count=null_count, moments=Moments.from_json(content))
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
        raise ValueError(f"the moments of a histogram cannot be read: {error}") from error
    if type(null_count) is not int or null_count < 0 or histogram.num_sessions != count:
        raise ValueError(f"the moments of a histogram are not those of {count} sessions")
    return histogram


def histograms_in(table: pa.Table, beside: Sequence[int | str]) -> Iterator[tuple[int, CellHistograms]]:
    """Yield each cell of a histograms table, in the order of the rows.

    Raises:
        ValueError: the rows of a cell are not together, the metrics are not those of the sweep, in their order, the
            values of a metric do not ascend, with the null last, or its moments cannot be read; this program writes no
            such table.
    """
    table = table.combine_chunks()
    cell = table["cell"].to_numpy()
    names = list(summarised_names(beside))
    metric = _metric_places(table["metric"], names)
    if table.num_rows == 0:  # every cell of the part failed
        return
    first = np.flatnonzero(np.diff(cell, prepend=-1) != 0)
    group = np.repeat(np.arange(len(first)), np.diff(first, append=len(cell))) * len(names) + metric
    lengths = np.bincount(group, minlength=len(first) * len(names))
    if (np.diff(group) < 0).any() or len(np.unique(cell[first])) != len(first) or not lengths.all():
        raise ValueError("the rows of the histograms are not in order")
    if not _ascend(table["value"], group) or (np.array(table["count"]) < 1).any():
        raise ValueError("the values of the histograms are not in order")
    # Copies, because Arrow's own memory is read-only, and kernels would be compiled once more for that.
    value, count = np.array(table["value"].fill_null(np.nan)), np.array(table["count"])
    cells = cells_from_rows(value, count, lengths.reshape(-1, len(names)), beside)
    for row in np.flatnonzero(table["moments"].is_valid()).tolist():
        histogram = _histogram_from(table["moments"][row].as_py(), int(count[row]))
        cells[group[row] // len(names)].histograms[names[metric[row]]] = histogram
    yield from zip(cell[first].tolist(), cells, strict=True)


def _ascend(value: pa.ChunkedArray, group: NDArray[np.int64]) -> bool:
    """Tell whether values are finite and ascend within each group, with at most one null at its end."""
    null = np.array(value.is_null())
    values = np.array(value.fill_null(np.inf))
    ascending = (values[1:] > values[:-1]) | (group[1:] != group[:-1])
    return bool(np.isfinite(values[~null]).all() and ascending.all())


def _metric_places(column: pa.ChunkedArray, names: list[str]) -> NDArray[np.int64]:
    metric = column.combine_chunks()
    known = metric.dictionary.to_pylist()
    if not set(known) <= set(names):
        raise ValueError("the histograms are of other metrics")
    places = np.array([names.index(name) for name in known], dtype=np.int64)
    return places[metric.indices.to_numpy()] if len(metric) else np.empty(0, dtype=np.int64)
