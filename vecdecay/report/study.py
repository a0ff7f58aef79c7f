"""What a picture or a report is made of: the cells of a run, of an unfinished one, or of a result in memory."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from vecdecay.analysis.difference import Difference, difference_by_session
from vecdecay.errors import InvalidInputError
from vecdecay.numerals import count, distinct
from vecdecay.policies.keep_all import never_evicts
from vecdecay.quantities import Metric, metric_named
from vecdecay.run.open_run import Run
from vecdecay.run.plan import Plan
from vecdecay.run.played import CELLS_FILE, CellRow, cell_rows, rows_so_far
from vecdecay.run.simulate import SimulationResult, simulate
from vecdecay.sweepfile.model import WORKLOAD

COST = metric_named("mean_working_set")
MOST_SAMPLED = 200
_MOST_SAMPLED_ITEMS = 200_000
_MOST_PAIRED = 20_000

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Study:
    """The cells of a run or result with all that pictures and reports ask of them.

    ``rows`` are the cells that were played, in their order; ``subject`` is what they come from.
    """

    plan: Plan
    rows: tuple[CellRow, ...]
    subject: Run | SimulationResult

    @cached_property
    def metric(self) -> Metric:
        """The metric that the answer is about: of those that lead, the first that any cell has a value of."""
        names = self.plan.spec.leading
        known = (name for name in names if any(row.summaries[name].summary.count for row in self.rows))
        return metric_named(next(known, names[0]))

    @cached_property
    def cells(self) -> tuple[CellRow, ...]:
        """The distinct cells: of those that have the same policy and read the same values, the first."""
        found: dict[tuple[Any, ...], CellRow] = {}
        for row in self.rows:
            found.setdefault((row.cell.label, *self.values(row).items()), row)
        return tuple(found.values())

    def values(self, row: CellRow) -> dict[str, Any]:
        """Return the values of the axes that a cell reads, by the full names of the axes."""
        return {name: row.cell.axis_values[name] for name in self.axes_of(row.cell.label)}

    def axes_of(self, label: str) -> list[str]:
        """Return the full names of the axes that a policy or its workload reads."""
        return [axis.parameter for axis in self.plan.spec.axes if axis.label in (label, WORKLOAD)]

    def name(self, row: CellRow) -> str:
        """Return what a cell is called: its policy, and its values on the axes."""
        texts = self._texts(self.values(row))
        return row.cell.label + (f" ({', '.join(texts)})" if texts else "")

    def brief_name(self, row: CellRow) -> str:
        """Return what a cell is called in a picture: its policy, and its values without the names of the axes."""
        return " ".join([row.cell.label, *(self.axis_texts[name][value] for name, value in self.values(row).items())])

    def _texts(self, values: Mapping[str, Any]) -> list[str]:
        return [f"{short_axis(name)} {self.axis_texts[name][value]}" for name, value in values.items()]

    @cached_property
    def settings(self) -> tuple["Study", ...]:
        """The study at each setting of the workload; cells of different settings play different sessions."""
        found: dict[tuple[Any, ...], list[CellRow]] = {}
        for row in self.rows:
            found.setdefault(tuple(self.setting(row).values()), []).append(row)
        return tuple(replace(self, rows=tuple(rows)) for rows in found.values())

    def setting(self, row: CellRow) -> dict[str, Any]:
        """Return the values of the axes that the workload of a cell reads."""
        own = {axis.parameter for axis in self.plan.spec.axes if axis.label == WORKLOAD}
        return {name: value for name, value in self.values(row).items() if name in own}

    def setting_name(self) -> str:
        """Return what the setting of the workload is called that the cells share."""
        return ", ".join(self._texts(self.setting(self.rows[0])))

    def of_the_same_sessions(self, row: CellRow) -> "Study":
        """Return the study with those cells only that play the sessions of one."""
        return next(one for one in self.settings if self.setting(one.rows[0]) == self.setting(row))

    @cached_property
    def axis_texts(self) -> dict[str, dict[Any, str]]:
        """The values of each axis as text, with as few digits as tell them apart."""
        return {
            axis.parameter: distinct([row.cell.axis_values[axis.parameter] for row in self.rows])
            for axis in self.plan.spec.axes
        }

    def sentence(self) -> str:
        """Return in words what was played."""
        spec = self.plan.spec
        labels = [entry.label for entry in spec.policies]
        policies = labels[0] if len(labels) == 1 else f"each of {len(labels)} policies"
        points = f" at each of {self.plan.num_points:,} points" if self.plan.num_points > 1 else ""
        return f"{count(len(spec.seeds), 'session')} of {spec.workload_kind} under {policies}{points}"

    def paired(self, left: CellRow, right: CellRow, metric: Metric) -> Floats:
        """Return left − right of a metric, session by session (session,); sessions without a value are left out.

        Where the run did not keep its sessions, the first of them are played again, which gives the same values.
        """
        columns = self.session_values
        values = [columns(row, metric.name) for row in (left, right)]
        seeds, at_left, at_right = np.intersect1d(values[0][0], values[1][0], return_indices=True)
        del seeds
        difference = values[0][1][at_left] - values[1][1][at_right]
        return np.asarray(difference[np.isfinite(difference)], dtype=np.float64)

    def session_values(self, row: CellRow, name: str) -> tuple[NDArray[Any], Floats]:
        """Return the seeds of a cell's sessions (session,) and a metric of each (session,), NaN where it has none."""
        key = row.cell.number
        if key not in self._kept:
            self._kept[key] = self._sessions_of(row)
        table = self._kept[key]
        if name not in table.column_names:
            return np.zeros(0, dtype=np.int64), np.zeros(0)
        values = table[name].cast(pa.float64()).fill_null(math.nan)
        return table["seed"].to_numpy(zero_copy_only=False), values.to_numpy()

    @cached_property
    def _kept(self) -> dict[int, pa.Table]:
        return {}

    @property
    def keeps_sessions(self) -> bool:
        """Tell whether there is a table of all sessions."""
        return self.plan.spec.detail != "cells"

    def _sessions_of(self, row: CellRow) -> pa.Table:
        if not self.keeps_sessions:
            seeds = self.plan.spec.seeds[: min(len(self.plan.spec.seeds), _MOST_PAIRED)]
            played = simulate(row.cell.workload, row.cell.policy, seeds=seeds, detail="sessions")
            return played.sessions
        wanted = pc.field("cell") == row.cell.number
        sessions: Any = self.subject.sessions
        table = sessions.filter(wanted)
        return table if isinstance(table, pa.Table) else table.to_table()

    @property
    def num_paired(self) -> int:
        """Return how many sessions paired differences rest on, at most."""
        return len(self.plan.spec.seeds) if self.keeps_sessions else min(len(self.plan.spec.seeds), _MOST_PAIRED)

    def sample(self, rows: Sequence[CellRow]) -> tuple[int, list[pa.Table]]:
        """Play the first sessions again under some cells; return how many, and the items table of each cell."""
        seeds = self.plan.spec.seeds
        items = max(1, max(row.cell.workload.sizes().items for row in rows))
        number = max(1, min(len(seeds), MOST_SAMPLED, _MOST_SAMPLED_ITEMS // items))
        tables = [
            simulate(row.cell.workload, row.cell.policy, seeds=seeds[:number], detail="items").items for row in rows
        ]
        return number, tables


def study_of(subject: Run | SimulationResult) -> Study:
    """Return what there is to draw of a run, finished or not, or of a result.

    Raises:
        OutputError: files of the run cannot be read.
    """
    if isinstance(subject, SimulationResult):
        plan = subject.plan
        rows = [CellRow(plan.cell(one.cell), one.engine, one.num_sessions, one.summaries) for one in subject.results]
        return Study(plan, tuple(rows), subject)
    finished = (subject.folder / CELLS_FILE).exists()
    rows = list(cell_rows(subject.plan, subject.folder)) if finished else rows_so_far(subject)
    return Study(subject.plan, tuple(rows), subject)


def mean_of(row: CellRow, metric: Metric) -> float:
    """Return the mean of a metric over a cell's sessions, NaN where no session has a value."""
    mean = row.summaries[metric.name].summary.mean
    return math.nan if mean is None else mean


def difference_of(study: Study, left: CellRow, right: CellRow, metric: Metric) -> Difference | None:
    """Return left − right of a metric, paired by session; None where no session has both."""
    return difference_by_session(study.paired(left, right, metric))


def times(row: CellRow, other: CellRow, cost: Metric) -> str:
    """Return how many times as much one cell holds as another, as text; nothing where that has no sense."""
    mine, theirs = mean_of(row, cost), mean_of(other, cost)
    if row is other or not (mine > 0 and theirs > 0):
        return ""
    ratio = mine / theirs
    return f"{ratio:.1f} ×" if ratio < 99.95 else f"{ratio:,.0f} ×"


def keeps_all(row: CellRow) -> bool:
    """Tell whether a cell's policy never evicts: an upper bound, with which no policy is compared."""
    return never_evicts(row.cell.policy)


def sign_of(metric: Metric) -> float:
    """Return −1 where lower is better, else 1."""
    return -1.0 if metric.better == "lower" else 1.0


def pareto(rows: Sequence[CellRow], metric: Metric) -> list[CellRow]:
    """Return the cells that no other beats: none has at least the metric and holds fewer items, or more and no more.

    The dearest come first. Of several cells with the same two means, the first stands for all.
    """
    sign = sign_of(metric)
    known = [row for row in rows if math.isfinite(mean_of(row, metric)) and math.isfinite(mean_of(row, COST))]
    order = sorted(known, key=lambda row: (-sign * mean_of(row, metric), mean_of(row, COST), row.cell.number))
    front: list[CellRow] = []
    least = math.inf
    for row in order:
        if mean_of(row, COST) < least:
            front.append(row)
            least = mean_of(row, COST)
    return front


def short_axis(parameter: str) -> str:
    """Return the name of a parameter on an axis without its owner."""
    return parameter.rpartition(".")[2]


def require_rows(study: Study) -> None:
    """Raise InvalidInputError where nothing was played yet."""
    if not study.rows:
        raise InvalidInputError(["there is nothing to draw: no cell was played"])
