"""The histograms of one cell: one per metric, summarised at the end."""

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vecdecay.analysis.histogram import DEFAULT_MAX_DISTINCT, Histogram
from vecdecay.analysis.intervals import rate_interval, student_interval
from vecdecay.analysis.moments import Summary
from vecdecay.engines.outcome import BlockOutcome
from vecdecay.errors import InvalidInputError
from vecdecay.metrics import RECALL_METRICS, Column, columns_beside, metric_columns
from vecdecay.quantities import METRIC_NAMES, METRICS, SUMMARY_SUFFIXES, UNSIZED_TWINS

_MOST_REMEMBERED_VALUES = 64
_TWINS = {name: twin for name, twin in UNSIZED_TWINS.items() if twin in METRIC_NAMES}
_NONE = np.zeros(0, dtype=np.int64)

_SUFFIXES = tuple(suffix for suffix, _ in SUMMARY_SUFFIXES)

Beside = tuple[int | str, ...]
"""What is measured beside the metrics of every sweep; see :func:`summarised_names`."""


@dataclass(frozen=True)
class MetricSummary:
    """A metric over the sessions of a cell: exact moments, and the 95 % interval of the mean or None."""

    summary: Summary
    low: float | None
    high: float | None

    def values(self) -> dict[str, float | int | None]:
        """Return the figures by their names, those of ``quantities.SUMMARY_SUFFIXES``."""
        one = self.summary
        figures = (one.mean, one.standard_deviation, one.minimum, one.maximum, self.low, self.high, one.count)
        return dict(zip(_SUFFIXES, figures, strict=True))


def rate_at(turn: int) -> str:
    """Return the name under which the recall rate at a checkpoint is summarised."""
    return f"foundational_recall_rate_at_{turn}"


@lru_cache(maxsize=64)
def _names(beside: Beside) -> Mapping[str, bool]:
    names = {metric.name: metric.interval == "rate" for metric in METRICS}
    more = {one: False for one in beside if isinstance(one, str)}
    return MappingProxyType(names | more | {rate_at(turn): True for turn in beside if isinstance(turn, int)})


def empty_checkpoints(checkpoints: Iterable[int], cells: Iterable[Mapping[str, MetricSummary]]) -> str:
    """Return a sentence that names the checkpoints that no session of any cell reaches; nothing where there is none.

    ``cells`` are their summaries.
    """
    unreached = dict.fromkeys(checkpoints)
    for summaries in cells if unreached else ():
        for turn in [turn for turn in unreached if summaries[rate_at(turn)].summary.count > 0]:
            del unreached[turn]
    if not unreached:
        return ""
    turns = ", ".join(map(str, unreached))
    return f"no session reaches the checkpoint{'s' * (len(unreached) > 1)} {turns}: nothing is measured there"


def summarised_names(beside: Sequence[int | str] = ()) -> Mapping[str, bool]:
    """Return what is summarised per cell, in order: the metrics, then the recall rates; and whether each is a rate.

    ``beside`` holds what not every sweep measures: the names of further metrics, and the turns of checkpoints.
    """
    return _names(tuple(beside))


class Rows(NamedTuple):
    """The histograms of a cell, metric by metric: ``values`` (row,) ascend within a metric, a NaN at its end counts the
    sessions without a value; ``counts`` (row,) are sessions; ``lengths`` are the rows of each metric, at least one.
    """

    values: NDArray[np.float64]
    counts: NDArray[np.int64]
    lengths: Sequence[int]


class CellHistograms:
    """A histogram of every metric, and of the recall rate at every checkpoint, over the sessions of one cell."""

    __slots__ = ("_histograms", "_rows", "beside")

    def __init__(self, beside: Sequence[int | str] = (), rows: Rows | None = None) -> None:
        """Start empty, or with ``rows``, which are not copied."""
        self.beside = tuple(beside)
        # Small cells by the ten thousand are written as they came: a Histogram each would take 14 us more per cell.
        self._rows = rows
        self._histograms = {} if rows else {name: Histogram() for name in summarised_names(self.beside)}
        if not rows:
            # One histogram serves both as long as every item has the size 1; two more took 4 % of a million sessions.
            self._histograms.update({name: self._histograms[twin] for name, twin in _TWINS.items()})

    @property
    def histograms(self) -> dict[str, Histogram]:
        """The histogram of every metric, in the order of ``summarised_names``, each of its own."""
        self._part(_TWINS)
        return self._histograms

    def _made(self) -> dict[str, Histogram]:
        """Return the histograms, of which those in tokens may be those of their twins."""
        if self._rows is not None:
            values, counts, lengths = self._rows
            end = 0
            for name, length in zip(summarised_names(self.beside), lengths, strict=True):
                start, end = end, end + length
                has_null = values[end - 1] != values[end - 1]  # a NaN
                last = end - 1 if has_null else end
                nulls = int(counts[last]) if has_null else 0
                self._histograms[name] = Histogram(DEFAULT_MAX_DISTINCT, values[start:last], counts[start:last], nulls)
            self._rows = None
        return self._histograms

    def rows(self) -> tuple[Rows, dict[int, Histogram]]:
        """Return the histograms as rows, and under their places those that are folded: one row with a NaN each."""
        if self._rows is not None:
            return self._rows, {}
        folded = {place: one for place, one in enumerate(self._histograms.values()) if one.moments is not None}
        pairs = []
        for one in self._histograms.values():
            kept, times = (_NONE, _NONE) if one.moments is not None else one.values_and_counts()
            nulls = one.num_sessions if one.moments is not None else one.null_count
            pairs.append((np.append(kept, np.nan), np.append(times, nulls)) if nulls else (kept, times))
        values, counts = (np.concatenate(column) for column in zip(*pairs, strict=True))
        return Rows(values, counts, [len(kept) for kept, _ in pairs]), folded

    @property
    def num_sessions(self) -> int:
        """The number of sessions counted."""
        return next(iter(self._made().values())).num_sessions

    def add(self, outcome: BlockOutcome, columns: Mapping[str, Column] | None = None) -> None:
        """Count the sessions of a block; ``columns`` spares the work where the metrics are known already."""
        if columns is None:
            columns = metric_columns(outcome) | columns_beside(outcome, self.beside)
        for name, histogram in self._to_add({name: values for name, (values, _) in columns.items()}):
            histogram.add(*columns[name])

    def add_counted(self, outcome: BlockOutcome, times: NDArray[np.int64], of_recalls: bool | None = None) -> None:
        """Count sessions given by their distinct outcomes, each of which occurred ``times`` (outcome,) times.

        With ``of_recalls`` only the metrics of recalls are counted, with False all others.
        """
        columns = metric_columns(outcome) | columns_beside(outcome, self.beside)
        if of_recalls is not None:
            columns = {name: one for name, one in columns.items() if (name in RECALL_METRICS) == of_recalls}
        for name, histogram in self._to_add({name: values for name, (values, _) in columns.items()}):
            values, valid = columns[name]
            if valid is None:
                histogram.add_counted(values, times)
            else:
                histogram.add_counted(values[valid], times[valid])
                histogram.add_nulls(int(times[~valid].sum()))

    def merge(self, other: "CellHistograms") -> None:
        """Add the sessions that another task has counted; ``other`` stays as it is."""
        for name, histogram in self._to_add(other._made()):
            histogram.merge(other._histograms[name])

    def _to_add(self, added: Mapping[str, object]) -> list[tuple[str, Histogram]]:
        """Return the histograms that ``added`` goes to, each once; metrics in tokens that differ get their own."""
        self._part(name for name, twin in _TWINS.items() if name in added and added[name] is not added[twin])
        known = {name: one for name, one in self._histograms.items() if name in added}
        return [(name, one) for name, one in known.items() if name not in _TWINS or one is not known[_TWINS[name]]]

    def _part(self, names: Iterable[str]) -> None:
        """Give metrics in tokens histograms of their own."""
        histograms = self._made()
        for name in names:
            if histograms[name] is histograms[_TWINS[name]]:
                histograms[name] = copy.deepcopy(histograms[_TWINS[name]])

    def summaries(self) -> dict[str, MetricSummary]:
        """Return the summary of every metric, under its name."""
        is_rate = summarised_names(self.beside)
        return {name: _summary(histogram, is_rate[name]) for name, histogram in self._made().items()}

    def __eq__(self, other: object) -> bool:
        """Tell whether both hold the same, however they came to it."""
        return isinstance(other, CellHistograms) and self._made() == other._made()

    __hash__ = None  # type: ignore[assignment]  # histograms change


def _summary(histogram: Histogram, is_rate: bool) -> MetricSummary:
    if histogram.moments is None:
        values, counts = histogram.values_and_counts()
        if values.size <= _MOST_REMEMBERED_VALUES:
            return _remembered(values.tobytes(), counts.tobytes(), histogram.null_count, is_rate)
    return _with_interval(histogram.summary(), is_rate)


@lru_cache(maxsize=4096)
def _remembered(values: bytes, counts: bytes, null_count: int, is_rate: bool) -> MetricSummary:
    """Return the summary of a short histogram; neighbours in a grid often have the very same one."""
    # Copies, because arrays over bytes are read-only, and kernels would be compiled once more for that.
    arrays = np.frombuffer(values, dtype=np.float64).copy(), np.frombuffer(counts, dtype=np.int64).copy()
    return _with_interval(Histogram(0, *arrays, null_count).summary(), is_rate)


def _with_interval(summary: Summary, is_rate: bool) -> MetricSummary:
    """Return the summary with the interval that suits it: a score interval for rates, Student's for all else."""
    if summary.mean is None:
        return MetricSummary(summary, None, None)
    if is_rate:
        return MetricSummary(summary, *rate_interval(summary.mean, summary.standard_deviation, summary.count))
    interval = student_interval(summary.mean, summary.standard_deviation, summary.count)
    return MetricSummary(summary, *(interval or (None, None)))


def histograms_of_cells(outcome: BlockOutcome, num_cells: int, beside: Sequence[int | str]) -> list[CellHistograms]:
    """Return the histograms of several cells of equal size, whose sessions follow each other in one outcome.

    Sorting the values of all cells and metrics at once takes a tenth of the time of counting each cell by itself.

    Raises:
        InvalidInputError: a value is not finite.
    """
    columns = metric_columns(outcome) | columns_beside(outcome, beside)
    names = list(summarised_names(beside))
    per_cell = len(outcome.session_length) // num_cells
    values = np.empty((num_cells, len(names), per_cell))
    for place, name in enumerate(names):
        column, valid = columns[name]
        if not np.isfinite(column if valid is None else column[valid]).all():
            raise InvalidInputError([f"{name} has a value that is not finite"])
        spread = np.asarray(column, dtype=np.float64) + 0.0  # adding 0.0 turns -0.0 into 0.0
        values[:, place] = (spread if valid is None else np.where(valid, spread, np.nan)).reshape(num_cells, per_cell)
    values.sort(axis=-1)  # NaN, which stands for null here, comes last
    is_first = np.ones(values.shape, dtype=np.bool_)
    before, after = values[:, :, :-1], values[:, :, 1:]
    is_first[:, :, 1:] = (before != after) & ~(np.isnan(before) & np.isnan(after))
    starts = np.flatnonzero(is_first)
    counts = np.diff(starts, append=values.size)
    return cells_from_rows(values.ravel()[starts], counts, is_first.sum(axis=-1), beside)


def cells_from_rows(
    values: NDArray[np.float64], counts: NDArray[np.int64], lengths: NDArray[np.int64], beside: Sequence[int | str]
) -> list[CellHistograms]:
    """Return the cells whose :class:`Rows` follow each other; ``lengths`` (cell, metric)."""
    ends = np.cumsum(lengths.sum(axis=-1)).tolist()
    return [
        CellHistograms(beside, Rows(values[start:end], counts[start:end], length))
        for length, start, end in zip(lengths.tolist(), [0, *ends[:-1]], ends, strict=True)
    ]
