"""The pictures that Python asks for: ``result.plot.curve()`` and its like, and ``policy.plot()``. Needs Matplotlib."""

from typing import TYPE_CHECKING, Any

from vecdecay.errors import InvalidInputError
from vecdecay.policies.base import Policy
from vecdecay.quantities import Metric, metric_named
from vecdecay.report.cell_pictures import axis_named, draw_curve, draw_heat_map, draw_pareto
from vecdecay.report.exact_curves import HIT_RATE, draw_exact, exact_named
from vecdecay.report.item_pictures import draw_life, draw_retention, draw_survival, lost_item
from vecdecay.report.study import Study, require_rows, short_axis, study_of
from vecdecay.report.style import HEIGHT, WIDTH, drawing, write_caption
from vecdecay.run.open_run import Run
from vecdecay.run.played import CellRow
from vecdecay.run.simulate import SimulationResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_POLICIES_COMPARED = 6


class Plots:
    """Pictures of a result or a run. Each takes the axes ``ax`` to draw into, makes them if None, and returns them.

    Above each stands what it shows, and that nothing differs where nothing does. Without Matplotlib (extra ``report``)
    each raises VecdecayError.
    """

    def __init__(self, subject: Run | SimulationResult) -> None:
        """Take what is drawn; its cells are read once."""
        self._study: Study = study_of(subject)

    def pareto(self, metric: str | None = None, ax: "Axes | None" = None) -> "Axes":
        """Draw a metric (the hit rate if None) against the mean working set, and the cells that no other beats."""
        chosen = metric_named(metric or "hit_rate")
        with drawing():
            drawn = self._begin(ax)
            write_caption(drawn, draw_pareto(drawn, self._study, chosen))
        return drawn

    def curve(self, parameter: str | None = None, metric: str | None = None, ax: "Axes | None" = None) -> "Axes":
        """Draw a metric along an axis (the first if None) with the 95 % intervals of its means.

        Where there is no such axis, the hit rate is drawn for every value of the parameter of that name, ``name`` or
        ``label.name``; where there is no axis at all, of the first parameter that one pass answers.

        Raises:
            InvalidInputError: there is neither such an axis nor such a parameter, or one pass does not answer it.
        """
        require_rows(self._study)
        axes = [axis.parameter for axis in self._study.plan.spec.axes]
        exact = None
        if not axes or parameter not in [None, *axes, *map(short_axis, axes)]:
            exact = exact_named(self._study, parameter)
        if exact and metric not in (None, HIT_RATE.name):
            raise InvalidInputError([f"metric is {metric!r}; an exact curve shows: {HIT_RATE.name}"])
        full = "" if exact else axis_named(self._study, parameter or axes[0])
        with drawing():
            drawn = self._begin(ax)
            if exact:
                caption = draw_exact(drawn, self._study, exact)
            else:
                caption = draw_curve(drawn, self._study, full, self._metric(metric))
            write_caption(drawn, caption)
        return drawn

    def heatmap(
        self, x: str, y: str, metric: str | None = None, policy: str | None = None, ax: "Axes | None" = None
    ) -> "Axes":
        """Draw the mean of a metric over two axes for one policy, the first that reads both if None.

        Raises:
            InvalidInputError: there is no such axis or policy, or the policy does not read both axes.
        """
        for name in (x, y):
            axis_named(self._study, name)
        with drawing():
            drawn = self._begin(ax)
            write_caption(drawn, draw_heat_map(drawn, self._study, x, y, self._metric(metric), policy))
        return drawn

    def lives(self, session: int | None = None, item: int | None = None, ax: "Axes | None" = None) -> "Axes":
        """Draw the life of an item under each policy: its retention, touches, eviction, and the recalls that failed.

        ``session`` is the place of the session among the seeds, from 0; without both, the first item is drawn that was
        lost under some policy and asked for later.
        """
        require_rows(self._study)
        rows = self._compared()
        found = (session or 0, item or 0)
        if session is None and item is None:
            found = lost_item(self._study, rows) or found
        self._check_place(*found)
        with drawing():
            drawn = self._begin(ax)
            write_caption(drawn, draw_life(drawn, self._study, rows, *found))
        return drawn

    def survival(self, ax: "Axes | None" = None) -> "Axes":
        """Draw which share of the items is in memory at the end, by how much they were used, for each policy."""
        with drawing():
            drawn = self._begin(ax)
            write_caption(drawn, draw_survival(drawn, self._study, self._compared()))
        return drawn

    def _compared(self) -> tuple[CellRow, ...]:
        """Return the first cells of those that play the same sessions."""
        return self._study.of_the_same_sessions(self._study.rows[0]).cells[:MOST_POLICIES_COMPARED]

    def _metric(self, name: str | None) -> Metric:
        return self._study.metric if name is None else metric_named(name)

    def _begin(self, ax: "Axes | None") -> "Axes":
        require_rows(self._study)
        return axes_to_draw_in(ax)

    def _check_place(self, session: int, item: int) -> None:
        seeds = self._study.plan.spec.seeds
        if not 0 <= session < len(seeds):
            raise InvalidInputError([f"session is {session}; allowed: 0 to {len(seeds) - 1}"])
        number = len(self._study.cells[0].cell.workload.session(seeds[session]).item_kinds)
        if not 0 <= item < number:
            raise InvalidInputError([f"item is {item}; allowed: 0 to {number - 1}"])


def plot_policy(policy: Policy, ax: "Axes | None" = None) -> "Axes":
    """Draw the forgetting curves of a policy; see :meth:`vecdecay.policies.base.Policy.plot`."""
    with drawing():
        drawn = axes_to_draw_in(ax)
        write_caption(drawn, draw_retention(drawn, policy))
    return drawn


def axes_to_draw_in(ax: Any) -> "Axes":
    """Return the axes that were given, or new ones, which a notebook shows by itself.

    Raises:
        InvalidInputError: what was given is no Axes of Matplotlib.
    """
    from matplotlib.axes import Axes

    if ax is None:
        import matplotlib.pyplot as plt

        return plt.subplots(figsize=(1.3 * WIDTH, 1.3 * HEIGHT), layout="constrained")[1]
    if not isinstance(ax, Axes):
        raise InvalidInputError([f"ax is of the type {type(ax).__name__}; allowed: Axes of Matplotlib, or None"])
    return ax
