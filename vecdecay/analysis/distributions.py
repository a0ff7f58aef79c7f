"""The distributions of one cell's metrics: for each, its values in ascending order and how many sessions had each.

Small cells are counted here by the hundred, all at once; large ones go through :class:`CellTallies`, block by block.
Both come to the same rows, and a summary made from them is exact.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vecdecay.analysis.exact import histogram_summary
from vecdecay.analysis.summaries import CellTallies, MetricSummary, metric_summary, summarised_names
from vecdecay.analysis.tally import Tally
from vecdecay.engines.outcome import BlockOutcome
from vecdecay.errors import InvalidInputError, VecdecayError
from vecdecay.metrics import checkpoint_columns, metric_columns

_MOST_REMEMBERED_VALUES = 64


@dataclass(frozen=True)
class CellDistributions:
    """Rows of one cell, metric by metric in the order of ``summarised_names``.

    ``lengths`` says how many rows each metric has; ``values`` (row,) ascend within a metric, a NaN at the end stands
    for the sessions without a value; ``counts`` (row,) are sessions. A metric with too many values to be kept singly
    has one row, and ``folded`` holds its tally, as :meth:`Tally.to_json` gives it, under the metric's place.
    """

    lengths: tuple[int, ...]
    values: NDArray[np.float64]
    counts: NDArray[np.int64]
    folded: Mapping[int, dict[str, Any]]

    def tallies(self, checkpoints: Sequence[int]) -> CellTallies:
        """Return the same as tallies, to which others can be added."""
        tallies = CellTallies(checkpoints)
        for place, (name, start, end) in enumerate(self._spans(list(tallies.tallies))):
            if place in self.folded:
                tallies.tallies[name] = Tally.from_json(self.folded[place])
                continue
            end, null_count = self._without_nulls(start, end)
            tallies.tallies[name].add_nulls(null_count)
            if end > start:
                tallies.tallies[name].add_counted(self.values[start:end], self.counts[start:end])
        return tallies

    def summaries(self, checkpoints: Sequence[int]) -> dict[str, MetricSummary]:
        """Return the summary of every metric, under its name."""
        names = summarised_names(checkpoints)
        if self.folded:
            return self.tallies(checkpoints).summaries()
        found = {}
        for name, start, end in self._spans(list(names)):
            end, null_count = self._without_nulls(start, end)
            values, counts = self.values[start:end], self.counts[start:end]
            if len(values) <= _MOST_REMEMBERED_VALUES:
                found[name] = _remembered(values.tobytes(), counts.tobytes(), null_count, names[name])
            else:
                found[name] = metric_summary(histogram_summary(values, counts, null_count), names[name])
        return found

    @property
    def num_sessions(self) -> int:
        """Return the number of sessions counted."""
        return int(self.counts[: self.lengths[0]].sum())

    def _spans(self, names: list[str]) -> list[tuple[str, int, int]]:
        ends = list(accumulate(self.lengths))
        return list(zip(names, [0, *ends[:-1]], ends, strict=True))

    def _without_nulls(self, start: int, end: int) -> tuple[int, int]:
        if end > start and self.values[end - 1] != self.values[end - 1]:  # a NaN
            return end - 1, int(self.counts[end - 1])
        return end, 0


@lru_cache(maxsize=4096)
def _remembered(values: bytes, counts: bytes, null_count: int, is_rate: bool) -> MetricSummary:
    """Return the summary of a short histogram; neighbours in a grid often have the very same one."""
    # Copies, because arrays over bytes are read-only, and kernels would be compiled once more for that.
    arrays = np.frombuffer(values, dtype=np.float64).copy(), np.frombuffer(counts, dtype=np.int64).copy()
    return metric_summary(histogram_summary(*arrays, null_count), is_rate)


def distributions_of(tallies: CellTallies) -> CellDistributions:
    """Return the rows of tallies."""
    lengths: list[int] = []
    values: list[NDArray[np.float64]] = []
    counts: list[NDArray[np.int64]] = []
    folded: dict[int, dict[str, Any]] = {}
    for place, tally in enumerate(tallies.tallies.values()):
        try:
            these, times = tally.values_and_counts()
        except VecdecayError:
            these, times = np.array([np.nan]), np.array([tally.count + tally.null_count])
            folded[place] = tally.to_json()
        else:
            if tally.null_count:
                these, times = np.append(these, np.nan), np.append(times, tally.null_count)
        lengths.append(len(these))
        values.append(these)
        counts.append(times)
    return CellDistributions(tuple(lengths), np.concatenate(values), np.concatenate(counts), folded)


def distributions_of_cells(
    outcome: BlockOutcome, num_cells: int, checkpoints: Sequence[int]
) -> list[CellDistributions]:
    """Return the distributions of several cells of equal size, whose sessions follow each other in one outcome.

    Sorting the values of all cells and metrics at once takes a tenth of the time of a tally for each.

    Raises:
        InvalidInputError: a value is not finite.
    """
    columns = metric_columns(outcome) | checkpoint_columns(outcome, checkpoints)
    names = list(summarised_names(checkpoints))
    per_cell = len(outcome.session_length) // num_cells
    values = np.empty((num_cells, len(names), per_cell))
    for place, name in enumerate(names):
        column, valid = columns[name]
        if not np.isfinite(column if valid is None else column[valid]).all():
            raise InvalidInputError([f"{name} has a value that is not finite"])
        spread = np.asarray(column, dtype=np.float64) + 0.0  # adding 0.0 turns -0.0 into 0.0
        values[:, place] = (spread if valid is None else np.where(valid, spread, np.nan)).reshape(num_cells, per_cell)
    values.sort(axis=-1)  # NaN, which stands for null here, comes last
    fresh = np.ones(values.shape, dtype=np.bool_)
    before, after = values[:, :, :-1], values[:, :, 1:]
    fresh[:, :, 1:] = (before != after) & ~(np.isnan(before) & np.isnan(after))
    starts = np.flatnonzero(fresh)
    counts = np.diff(starts, append=values.size)
    lengths = fresh.sum(axis=-1)
    ends = np.cumsum(lengths.sum(axis=-1)).tolist()
    kept = values.ravel()[starts]
    return [
        CellDistributions(tuple(length), kept[start:end], counts[start:end], {})
        for length, start, end in zip(lengths.tolist(), [0, *ends[:-1]], ends, strict=True)
    ]
