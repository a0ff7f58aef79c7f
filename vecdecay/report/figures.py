"""The figures of a report: which pictures there are of a study, in groups, each drawn and turned to SVG."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from vecdecay.policies.base import TablePolicy
from vecdecay.policies.stateful import StatefulPolicy
from vecdecay.quantities import metric_named
from vecdecay.report.answer import Answer
from vecdecay.report.cell_pictures import draw_curve, draw_heat_map, draw_pareto
from vecdecay.report.exact_curves import draw_exact, exact_curves
from vecdecay.report.item_pictures import draw_life, draw_retention, draw_survival, lost_item
from vecdecay.report.study import Study, keeps_all, mean_of, sign_of
from vecdecay.report.style import HEIGHT, WIDTH, Caption, drawing, new_figure
from vecdecay.report.svg import svg_of
from vecdecay.run.played import CellRow

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_MAPS = 12
MOST_CURVES = 8
MOST_RETENTIONS = 24
MOST_COMPARED = 6
_MOST_LIVES = 4
_MOST_STEPS_OF_A_LIFE = 20_000_000  # turns × items: the scalar engine looks at every item in every turn

Draw = Callable[["Axes"], Caption]


@dataclass(frozen=True)
class Drawn:
    """A figure: its SVG, and what it shows."""

    svg: Any
    caption: Caption


@dataclass(frozen=True)
class Group:
    """Figures under one heading."""

    id: str
    title: str
    text: str
    figures: tuple[Drawn, ...]


def groups_of(study: Study, answer: Answer) -> list[Group]:
    """Return the groups of figures that there is something to draw for."""
    if not study.rows:
        return []
    best = best_of_each(study)
    same = study.of_the_same_sessions(answer.reference or study.rows[0])
    rivals = best_of_each(same)
    compared = _to_compare(rivals, answer.reference)
    made = [
        _group("cost", "What it costs", "", _costs(study)),
        _group("curves", "Along each axis", "", _curves(study)),
        _group("exact", "Every value of a parameter", "", _exact(same, rivals)),
        _group("maps", "Over two axes", _maps_text(study), _maps(study)),
        _group("forgetting", "How each policy forgets", _retention_text(study, best), _retentions(best)),
        _group("survival", "Which items survive", _compared_text(same, rivals, compared), _survival(same, compared)),
        _group("life", "The life of a lost item", "", _life(same, compared[:_MOST_LIVES])),
    ]
    return [group for group in made if group.figures]


def best_of_each(study: Study) -> list[CellRow]:
    """Return the best cell of every policy, in the order of the policies."""
    found: dict[str, CellRow] = {}
    for row in study.cells:
        other = found.get(row.cell.label)
        if other is None or _worth(study, row) > _worth(study, other):
            found[row.cell.label] = row
    return list(found.values())


def _worth(study: Study, row: CellRow) -> float:
    mean = mean_of(row, study.metric)
    return -math.inf if math.isnan(mean) else sign_of(study.metric) * mean


def _to_compare(best: Sequence[CellRow], reference: CellRow | None) -> list[CellRow]:
    """Return few cells: the reference first, then the other policies, those that keep all last."""
    first = [row for row in best if reference is not None and row.cell.number == reference.cell.number]
    others = [row for row in best if row not in first]
    return [*first, *sorted(others, key=keeps_all)][:MOST_COMPARED]


def _group(name: str, title: str, text: str, draws: Sequence[tuple[Draw, float]]) -> Group:
    figures = []
    for number, (draw, height) in enumerate(draws):
        with drawing():
            figure = new_figure(WIDTH, height)
            caption = draw(figure.add_subplot())
            figures.append(Drawn(svg_of(figure, caption, f"{name}{number}"), caption))
    return Group(name, title, text, tuple(figures))


def _costs(study: Study) -> list[tuple[Draw, float]]:
    metrics = list(dict.fromkeys([study.metric, metric_named("hit_rate")]))
    known = [one for one in metrics if any(math.isfinite(mean_of(row, one)) for row in study.cells)]
    return [
        (lambda ax, part=part, one=one: draw_pareto(ax, part, one), HEIGHT)  # type: ignore[misc]
        for part in study.settings[:MOST_MAPS]
        for one in known
    ]


def _curves(study: Study) -> list[tuple[Draw, float]]:
    axes = [axis.parameter for axis in study.plan.spec.axes if len(axis.values) > 1][:MOST_CURVES]
    if study.plan.spec.combine == "random":
        return []
    return [(lambda ax, name=name: draw_curve(ax, study, name, study.metric), HEIGHT) for name in axes]  # type: ignore[misc]


def _exact(study: Study, best: Sequence[CellRow]) -> list[tuple[Draw, float]]:
    found = islice(exact_curves(study, best), MOST_CURVES)
    return [(lambda ax, one=one: draw_exact(ax, study, one), HEIGHT) for one in found]  # type: ignore[misc]


def _maps(study: Study) -> list[tuple[Draw, float]]:
    found: list[tuple[Draw, float]] = []
    for label, across, up, at in _panels(study):

        def draw(ax: "Axes", label: str = label, across: str = across, up: str = up, at: Any = at) -> Caption:
            return draw_heat_map(ax, study, across, up, study.metric, label, at)

        found.append((draw, HEIGHT))
    return found[:MOST_MAPS]


def _panels(study: Study) -> list[tuple[str, str, str, tuple[str, Any] | None]]:
    """Return policy, the two axes of a map, and the third with one of its values; one map per value of the third."""
    if study.plan.spec.combine != "grid":
        return []
    sizes = {axis.parameter: len(axis.values) for axis in study.plan.spec.axes}
    panels: list[tuple[str, str, str, tuple[str, Any] | None]] = []
    for entry in study.plan.spec.policies:
        axes = [name for name in study.axes_of(entry.label) if sizes[name] > 1]
        if len(axes) < 2:
            continue
        longest = sorted(axes, key=lambda name: -sizes[name])
        across, up, *rest = longest
        values = list(study.axis_texts[rest[0]]) if rest else [None]
        panels += [(entry.label, across, up, (rest[0], value) if rest else None) for value in values]
    return panels


def _maps_text(study: Study) -> str:
    left_out = len(_panels(study)) - MOST_MAPS
    return (
        f"{left_out} more are not drawn; Python draws them: run.plot.heatmap(x, y, policy=…)." if left_out > 0 else ""
    )


def _retentions(best: Sequence[CellRow]) -> list[tuple[Draw, float]]:
    """Draw the policies that have a score; a cache has none."""
    scored = [row for row in best if isinstance(row.cell.policy, TablePolicy | StatefulPolicy)]
    return [
        (lambda ax, row=row: draw_retention(ax, row.cell.policy, row.cell.label), HEIGHT)  # type: ignore[misc]
        for row in scored[:MOST_RETENTIONS]
    ]


def _retention_text(study: Study, best: Sequence[CellRow]) -> str:
    on_axes = any(study.axes_of(row.cell.label) for row in best)
    return "Each with the parameters of its best cell." if on_axes else ""


def _compared_text(study: Study, best: Sequence[CellRow], compared: Sequence[CellRow]) -> str:
    texts = [f"{len(compared)} of {len(best)} policies"] if len(compared) < len(best) else []
    texts += [study.setting_name()] if study.setting(study.rows[0]) else []
    return f"{'; '.join(texts)}." if texts else ""


def _survival(study: Study, compared: Sequence[CellRow]) -> list[tuple[Draw, float]]:
    return [(lambda ax: draw_survival(ax, study, compared), HEIGHT)]


def _life(study: Study, compared: Sequence[CellRow]) -> list[tuple[Draw, float]]:
    sizes = compared[0].cell.workload.sizes()
    if sizes.turns * sizes.items > _MOST_STEPS_OF_A_LIFE:
        return []
    found = lost_item(study, compared)
    if found is None:
        return []
    place, item = found
    return [(lambda ax: draw_life(ax, study, compared, place, item), 0.75 * len(compared) + 0.8)]
