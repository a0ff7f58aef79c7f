"""The running totals of one cell: an exact tally per metric, summarised at the end."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from vecdecay.analysis.exact import Summary
from vecdecay.analysis.intervals import student_interval, wilson_interval
from vecdecay.analysis.tally import Tally
from vecdecay.engines.outcome import BlockOutcome
from vecdecay.metrics import Column, checkpoint_columns, metric_columns
from vecdecay.quantities import METRIC_NAMES, METRICS, UNSIZED_TWINS


@dataclass(frozen=True)
class MetricSummary:
    """A metric over the sessions of a cell: exact moments, and the 95 % interval of the mean or None."""

    summary: Summary
    low: float | None
    high: float | None


def rate_at(turn: int) -> str:
    """Return the name under which the recall rate at a checkpoint is summarised."""
    return f"foundational_recall_rate_at_{turn}"


_TWINS = {name: twin for name, twin in UNSIZED_TWINS.items() if twin in METRIC_NAMES}


@lru_cache(maxsize=64)
def _names(checkpoints: tuple[int, ...]) -> Mapping[str, bool]:
    names = {metric.name: metric.interval == "rate" for metric in METRICS}
    return MappingProxyType(names | {rate_at(turn): True for turn in checkpoints})


def summarised_names(checkpoints: Sequence[int] = ()) -> Mapping[str, bool]:
    """Return what is summarised per cell, in order: the metrics, then the recall rates; and whether each is a rate."""
    return _names(tuple(checkpoints))


class CellTallies:
    """Exact tallies of every metric, and of the recall rate at every checkpoint, over the sessions of one cell."""

    def __init__(self, checkpoints: Sequence[int] = ()) -> None:
        self.checkpoints = tuple(checkpoints)
        self._tallies: dict[str, Tally] = {name: Tally() for name in summarised_names(self.checkpoints)}
        # Metrics in tokens are counted with their twins as long as every item met has the size 1: published sessions
        # are the million-fold case, and two tallies more took 4 % of their time.
        self._shared = set(_TWINS)

    @property
    def tallies(self) -> dict[str, Tally]:
        """The tally of each name, one apart from the other."""
        self._part()
        return self._tallies

    @tallies.setter
    def tallies(self, tallies: dict[str, Tally]) -> None:
        """Count in these from now on."""
        self._tallies = tallies
        self._shared.clear()

    def _part(self) -> None:
        """Give metrics in tokens tallies of their own."""
        for name in self._shared:
            self._tallies[name].merge(self._tallies[_TWINS[name]])
        self._shared.clear()

    def add(self, outcome: BlockOutcome, columns: Mapping[str, Column] | None = None) -> None:
        """Count the sessions of a block; ``columns`` spares the work where the metrics are there already."""
        if columns is None:
            columns = metric_columns(outcome) | checkpoint_columns(outcome, self.checkpoints)
        if any(columns[name][0] is not columns[twin][0] for name, twin in _TWINS.items()):
            self._part()
        for name, tally in self._tallies.items():
            if name not in self._shared:
                values, valid = columns[name]
                tally.add(values.astype(np.float64, copy=False), valid)

    def add_counted(self, outcome: BlockOutcome, times: NDArray[np.int64]) -> None:
        """Count sessions of which only the different outcomes are given: each occurred as often as ``times`` says."""
        columns = metric_columns(outcome) | checkpoint_columns(outcome, self.checkpoints)
        if any(columns[name][0] is not columns[twin][0] for name, twin in _TWINS.items()):
            self._part()
        for name, tally in self._tallies.items():
            if name not in self._shared:
                values, valid = columns[name]
                where = np.ones(len(times), dtype=np.bool_) if valid is None else valid
                tally.add_counted(values[where].astype(np.float64), times[where])
                tally.add_nulls(int(times[~where].sum()))

    def merge(self, other: "CellTallies") -> None:
        """Count the sessions that another task has counted."""
        if self._shared != other._shared:
            self._part()
            other._part()
        for name, tally in self._tallies.items():
            if name not in self._shared:
                tally.merge(other._tallies[name])

    @property
    def num_sessions(self) -> int:
        """Return the number of sessions counted."""
        tally = self._tallies[METRICS[0].name]
        return tally.count + tally.null_count

    def summaries(self) -> dict[str, MetricSummary]:
        """Return the summary of every metric, under its name."""
        is_rate = summarised_names(self.checkpoints)
        return {name: metric_summary(tally.summary(), is_rate[name]) for name, tally in self.tallies.items()}

    def to_json(self) -> dict[str, Any]:
        """Return the tallies as a dictionary for ``json.dumps``, exact."""
        return {name: tally.to_json() for name, tally in self.tallies.items()}

    @classmethod
    def from_json(cls, content: Mapping[str, Any], checkpoints: Iterable[int]) -> Self:
        """Return the tallies that ``to_json`` wrote."""
        tallies = cls(tuple(checkpoints))
        for name in tallies.tallies:
            tallies.tallies[name] = Tally.from_json(content[name])
        return tallies


def metric_summary(summary: Summary, is_rate: bool) -> MetricSummary:
    """Return the summary with the interval that suits it: Wilson's for rates, Student's for all else."""
    if summary.mean is None:
        return MetricSummary(summary, None, None)
    if is_rate:
        low, high = wilson_interval(summary.mean, summary.count)
        return MetricSummary(summary, low, high)
    if summary.standard_deviation is None:
        return MetricSummary(summary, None, None)
    interval = student_interval(summary.mean, summary.standard_deviation, summary.count)
    return MetricSummary(summary, *(interval or (None, None)))
