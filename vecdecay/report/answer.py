"""The answer of a report: one sentence that says what differs, what that costs, and when nothing does."""

import math
from collections import Counter
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass

from vecdecay.analysis.difference import Difference, signed
from vecdecay.numerals import count, short
from vecdecay.quantities import Metric
from vecdecay.report.study import COST, Study, difference_of, keeps_all, mean_of, pareto, sign_of
from vecdecay.report.style import evenly
from vecdecay.run.played import CellRow

MOST_ROWS = 24


@dataclass(frozen=True)
class Compared:
    """A cell of the table, why it is there, the best cell on its sessions, and the difference to that one.

    The difference is None for the best cell itself.
    """

    row: CellRow
    why: str
    reference: CellRow | None
    difference: Difference | None


@dataclass(frozen=True)
class Answer:
    """What a report says first. ``reference`` is the cell that the others are compared with."""

    sentence: str
    reference: CellRow | None
    compared: tuple[Compared, ...]


def answer_of(study: Study) -> Answer:
    """Return the answer and the cells of the table: all where they are few, else best, worst, Pareto and bounds."""
    metric = study.metric
    known = [row for row in study.cells if math.isfinite(mean_of(row, metric))]
    if not known:
        return Answer(_nothing(study), None, tuple(Compared(row, "", None, None) for row in study.cells[:MOST_ROWS]))
    evicting = [row for row in known if not keeps_all(row)] or known
    if len(study.settings) > 1:
        return _answer_by_setting(study, known)
    front = pareto(evicting, metric)
    compared = _compared(study, _chosen(study, known, evicting, front), front[0])
    return Answer(_sentence(study, known, evicting, front, compared), front[0], compared)


def _compared(study: Study, chosen: Iterable[tuple[CellRow, str]], best: CellRow) -> tuple[Compared, ...]:
    return tuple(
        Compared(row, why, best, None if row is best else difference_of(study, row, best, study.metric))
        for row, why in chosen
    )


def _answer_by_setting(study: Study, known: Sequence[CellRow]) -> Answer:
    """Return the answer where the workload is on an axis: the best cell at each of its settings.

    Cells of different settings play different sessions, so they are compared at the same setting only.
    """
    metric = study.metric
    names = {row.cell.number for row in known}
    every: list[tuple[CellRow, list[CellRow]]] = []
    for one in study.settings:
        rows = [row for row in one.cells if row.cell.number in names]
        if rows:
            every.append((pareto([row for row in rows if not keeps_all(row)] or rows, metric)[0], rows))
    best = {winner.cell.number for winner, _ in every}
    listed = known if len(known) <= MOST_ROWS else [winner for winner, _ in every[:MOST_ROWS]]
    shown = {row.cell.number for row in listed}
    compared: list[Compared] = []
    for winner, rows in every:
        chosen = [(row, _why(row, best)) for row in rows if row.cell.number in shown]
        compared += _compared(study, chosen, winner)
    return Answer(_sentence_by_setting(study, [winner for winner, _ in every]), every[0][0], tuple(compared))


def _why(row: CellRow, best: Container[int]) -> str:
    return "best" if row.cell.number in best else "keeps all" if keeps_all(row) else ""


def _sentence_by_setting(study: Study, best: Sequence[CellRow]) -> str:
    """Return how often each policy is best, and that of policies equally good the one that holds least counts."""
    wins = Counter(row.cell.label for row in best).most_common()
    name = _name(study.metric)
    rule = "of equally good ones that which holds least counts"
    if len(wins) == 1:
        return f"{wins[0][0]} has the best {name} at each of {len(best)} settings of the workload ({rule})."
    listed = "; ".join(f"{label} at {number}" for label, number in wins)
    return f"Which policy has the best {name} depends on the workload; of {len(best)} settings, {listed} ({rule})."


def _nothing(study: Study) -> str:
    if not study.rows:
        return "There is no answer yet: no part of the run is finished."
    return f"There is no answer: no session has a value of the {_name(study.metric)}."


def _name(metric: Metric) -> str:
    return metric.name.replace("_", " ")


def _chosen(
    study: Study, known: Sequence[CellRow], evicting: Sequence[CellRow], front: Sequence[CellRow]
) -> list[tuple[CellRow, str]]:
    metric = study.metric
    worst = min(evicting, key=lambda row: (sign_of(metric) * mean_of(row, metric), -mean_of(row, COST)))
    why = {row.cell.number: "unbeaten" for row in front}
    if mean_of(worst, metric) != mean_of(front[0], metric):
        why.setdefault(worst.cell.number, "worst")
    why[front[0].cell.number] = "best"
    bounds = [row for row in known if keeps_all(row)]
    why |= {row.cell.number: "keeps all" for row in bounds} if len(evicting) < len(known) else {}
    if len(study.cells) <= MOST_ROWS:
        return [(row, why.get(row.cell.number, "")) for row in study.cells]
    listed = {row.cell.number: row for row in (*evenly(front, MOST_ROWS // 2), worst, *bounds[:2])}
    return [(row, why[number]) for number, row in listed.items()]


def _sentence(
    study: Study,
    known: Sequence[CellRow],
    evicting: Sequence[CellRow],
    front: Sequence[CellRow],
    compared: Sequence[Compared],
) -> str:
    metric, best = study.metric, front[0]
    values, costs = {mean_of(row, metric) for row in evicting}, {mean_of(row, COST) for row in evicting}
    name, at = _name(metric), _at(study, best)
    ceiling = _ceiling(known, metric, best) if len(evicting) < len(known) else ""
    if len(evicting) == 1:
        which = "policy that can evict" if ceiling else "cell"
        return f"Only one {which} was played: {study.name(best)} has {at}{ceiling}."
    if len(values) == 1 and len(costs) == 1:
        return f"Nothing differs: each of the {count(len(evicting), 'cell')} has {at}{ceiling}."
    if len(values) == 1:
        most = max(evicting, key=lambda row: mean_of(row, COST))
        return (
            f"The {name} does not differ, {short(mean_of(best, metric))} everywhere; {study.name(best)} holds "
            f"least, {mean_of(best, COST):.1f} items against {mean_of(most, COST):.1f} of {study.name(most)}{ceiling}."
        )
    rest = [one for one in compared if one.difference is not None and not keeps_all(one.row)]
    if len(front) == 1:
        return f"{study.name(best)} beats all others in both, {at}{_next_best(study, rest, metric)}{ceiling}."
    return f"{_trade(study, best, front[1], rest, metric)}{ceiling}."


def _at(study: Study, row: CellRow) -> str:
    metric = study.metric
    return f"{_name(metric)} {short(mean_of(row, metric))} for {mean_of(row, COST):.1f} items held"


def _next_best(study: Study, rest: Sequence[Compared], metric: Metric) -> str:
    if not rest:
        return ""
    other = max(rest, key=lambda one: (sign_of(metric) * mean_of(one.row, metric), -mean_of(one.row, COST)))
    held = f"{mean_of(other.row, COST):.1f} items held"
    return f"; next comes {study.name(other.row)}, {short(mean_of(other.row, metric))} for {held}{_verdict(other)}"


def _trade(study: Study, best: CellRow, other: CellRow, rest: Sequence[Compared], metric: Metric) -> str:
    found = next((one for one in rest if one.row is other), None)
    mine, theirs = mean_of(best, COST), mean_of(other, COST)
    much = f"{mine / theirs:.1f} times as much as" if theirs > 0 and mine / theirs >= 1.05 else "more than"
    return (
        f"{study.name(best)} has the best {_name(metric)}, {short(mean_of(best, metric))}, and pays for it with "
        f"{mine:.1f} items held, {much} {study.name(other)}, which has {short(mean_of(other, metric))} for "
        f"{theirs:.1f}{_verdict(found) if found else ''}"
    )


def _verdict(one: Compared) -> str:
    difference = one.difference
    if difference is None:
        return ""
    if difference.told_apart:
        return f" (difference {difference.text()})"
    if difference.mean == 0.0 and difference.low is None:
        return f" (no difference in any of {count(difference.sessions, 'session')})"
    assert difference.low is not None
    assert difference.high is not None
    return f" (no difference told apart from 0: {signed(difference.low)} to {signed(difference.high)})"


def _ceiling(known: Sequence[CellRow], metric: Metric, best: CellRow) -> str:
    bound = next(row for row in known if keeps_all(row))
    ratio = mean_of(bound, COST) / mean_of(best, COST) if mean_of(best, COST) > 0 else math.inf
    much = f", {ratio:.1f} times as many" if 1.05 <= ratio < math.inf else ""
    return f"; keeping everything has {short(mean_of(bound, metric))} and holds {mean_of(bound, COST):.1f}{much}"
