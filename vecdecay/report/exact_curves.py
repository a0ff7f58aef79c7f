"""Pictures of exact curves: the hit rate for every value of the parameter that sets how much a policy holds."""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vecdecay.errors import InvalidInputError
from vecdecay.numerals import count, short
from vecdecay.quantities import metric_named
from vecdecay.report.study import Study
from vecdecay.report.style import (
    MUTED,
    Caption,
    axis_label,
    colour,
    dress,
    plain_numbers,
    share_limits,
)
from vecdecay.run.along import free_parameter, with_value
from vecdecay.run.curve import Curve, curve
from vecdecay.run.paired import paired
from vecdecay.run.played import CellRow

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HIT_RATE = metric_named("hit_rate")
MOST_SESSIONS = 2_000
_MOST_ITEMS = 2_000_000
_MOST_INTERVALS = 64
_MOST_MARKS = 12
_LEVELS = 1_000  # steps that are lower than this are none in a picture
_WIDE = 30.0

Floats = NDArray[np.float64]


class Exact(NamedTuple):
    """The hit rate of a cell's policy for every value of a parameter, over the first sessions of the cell.

    ``rate`` (step,) holds between ``edges`` (step + 1,), and ``value`` (step,) belongs to each step. ``low`` and
    ``high`` (step,) are the ends of the 95 % interval, NaN where one session gives none: computed at the steps
    ``places``, and between them as far from the rate as the neighbours say.
    """

    row: CellRow
    parameter: str
    sessions: int
    edges: Floats
    value: Floats
    rate: Floats
    low: Floats
    high: Floats
    places: NDArray[np.int64]


def exact_of(study: Study, row: CellRow, parameter: str | None = None) -> Exact:
    """Return the exact curve of a cell's policy on the cell's own sessions.

    ``parameter`` is a number of the policy, the one that sets how much it holds if None.

    Raises:
        InvalidInputError: one pass does not answer every value of the parameter, or the sessions recall nothing.
    """
    workload, policy, seeds = row.cell.workload, row.cell.policy, study.plan.spec.seeds
    number = max(1, min(len(seeds), MOST_SESSIONS, _MOST_ITEMS // max(1, workload.sizes().items)))
    name = parameter or free_parameter(policy)
    if name is None:
        raise InvalidInputError([f"{policy.name} has no parameter that sets how much it holds"])
    edges, value, rate = _steps(curve(workload, policy, name, seeds=seeds[:number]))
    places = np.unique(np.linspace(0, len(rate) - 1, _MOST_INTERVALS).round().astype(np.int64))
    sums = paired(workload, [with_value(policy, name, value[place]) for place in places], seeds=seeds[:number])
    estimates = [sums.hit_rate({place: Fraction(1)}) for place in range(len(places))]
    below = [math.nan if one.low is None else one.value - one.low for one in estimates]
    above = [math.nan if one.high is None else one.high - one.value for one in estimates]
    steps = np.arange(len(rate))
    low = np.maximum(0.0, rate - np.interp(steps, places, below))
    high = np.minimum(1.0, rate + np.interp(steps, places, above))
    return Exact(row, name, number, edges, value, rate, low, high, places)


def _steps(found: Curve) -> tuple[Floats, Floats, Floats]:
    """Return the edges, a value and the hit rate of each step; steps that no picture shows are joined to the last."""
    rates = found.table["hit_rate"].to_pylist()
    if None in rates:
        raise InvalidInputError(["these sessions recall nothing, so that there is no hit rate"])
    rate, start, stop = (found.table[name].to_numpy() for name in ("hit_rate", "from", "to"))
    begins = np.append(True, np.diff(np.round(rate * _LEVELS)) != 0)
    value = stop if found.includes_to else start
    return np.append(start[begins], stop[-1]), value[begins], rate[begins]


def exact_curves(study: Study, rows: Sequence[CellRow]) -> Iterator[Exact]:
    """Yield the curve of each cell that has one."""
    for row in rows:
        try:
            yield exact_of(study, row)
        except InvalidInputError:
            continue


def exact_named(study: Study, parameter: str | None) -> Exact | None:
    """Return the first curve along a parameter, ``name`` or ``label.name``, or of any; None where none has the name.

    Raises:
        InvalidInputError: one pass does not answer every value of the parameter that was named, or of any.
    """
    rows = list({row.cell.label: row for row in reversed(study.cells)}.values())[::-1]
    if parameter is None:
        for one in exact_curves(study, rows):
            return one
        raise InvalidInputError(["there is no axis to draw along, and no parameter that one pass answers"])
    label, _, name = parameter.rpartition(".")
    having = [row for row in rows if label in ("", row.cell.label) and name in row.cell.policy.values()]
    return exact_of(study, having[0], name) if having else None


def draw_exact(ax: "Axes", study: Study, exact: Exact) -> Caption:
    """Draw the hit rate for every value of a parameter with its 95 % interval, and the values that were played."""
    row, name = exact.row, exact.parameter
    described = next(one for one in row.cell.policy.parameters() if one.name == name)
    marks = _marks(study, exact)
    dress(ax, f"{name.replace('_', ' ')}{f' ({described.unit})' if described.unit else ''}", axis_label(HIT_RATE))
    inner = [*exact.edges[1:-1].tolist(), *marks]
    share = described.above == 0.0 and described.below == 1.0
    wide = not share and min(inner) > 0 and max(inner) > _WIDE * min(inner)
    low, high = (0.0, 1.0) if share else _limits(inner, wide)
    plain_numbers(ax, "x", wide)
    ax.set_xlim(low, high)
    edges, shade = np.clip(exact.edges, low, high), colour(row.cell.policy_index)
    ax.stairs(exact.rate, edges, baseline=None, color=shade, linewidth=1.5)
    ends = np.append(exact.low, exact.low[-1]), np.append(exact.high, exact.high[-1])
    if exact.sessions > 1:
        ax.fill_between(edges, *ends, step="post", color=shade, alpha=0.18, linewidth=0)
    for mark in marks:
        ax.axvline(mark, color=MUTED, linewidth=0.9, linestyle=(0, (1, 2)))
    share_limits(ax, np.concatenate([exact.rate, *ends]))
    return Caption(
        f"{row.cell.label}: hit rate for every value of {name.replace('_', ' ')}", _message(exact, len(marks))
    )


def _marks(study: Study, exact: Exact) -> list[float]:
    """Return the values of the parameter that the run played under the same name; none where they are many."""
    cells = (row.cell for row in study.cells if row.cell.label == exact.row.cell.label)
    marks = sorted({float(one.policy.values()[exact.parameter]) for one in cells})
    return marks if len(marks) <= _MOST_MARKS else marks[:: len(marks) - 1]


def _limits(values: Sequence[float], wide: bool) -> tuple[float, float]:
    low, high = min(values), max(values)
    if wide:
        return low / 1.3, high * 1.3
    room = 0.08 * ((high - low) or max(1.0, abs(high)))
    return max(min(low, 0.0), low - room), high + room


def _message(exact: Exact, marks: int) -> str:
    sessions = count(exact.sessions, "session")
    played = f"dotted: the value{'s' * (marks > 1)} of this run"
    if len(exact.rate) == 1:
        return f"no difference: {short(float(exact.rate[0]))} for every value, in {sessions}; {played}"
    if exact.sessions == 1:
        return f"one pass over one session, which gives no interval; {played}"
    some = f", at {len(exact.places)} of {len(exact.rate)} steps" if len(exact.places) < len(exact.rate) else ""
    return f"one pass over {sessions}; the band is the 95 % interval{some}; {played}"
