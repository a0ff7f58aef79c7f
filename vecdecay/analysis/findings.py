"""The findings of a sweep, in sentences: what makes a difference, what makes none, and what could not make any.

Every sentence follows from the summaries by comparisons of exact values and of 95 % intervals. Without them, figures
such as 1.000 against 0.000 invite conclusions that the numbers do not support.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Protocol

from vecdecay.analysis.cell import MetricSummary
from vecdecay.quantities import UNSIZED_TWINS, metric_named

RATE = "foundational_recall_rate"
FOUNDATIONAL_METRICS = (RATE, "terminal_survival_rate", "survival_time", "foundational_evicted", "misses", "hit_rate")
SIZE = "mean_working_set"
COST_METRICS = (SIZE, "footprint_reduction", *UNSIZED_TWINS)

_BETTER = {RATE: "keeps more foundational items than", "hit_rate": "hits more of the recalls than"}
_OUT_OF_REACH = 0.25
_OUT_OF_REACH_AT_MOST = 0.5
_MOST_NAMED = 4
_ONLY_BY_EXCEPTIONS = "more seeds will not tell them apart unless they bring a session unlike all of these"


@dataclass(frozen=True)
class PlayedCell:
    """One policy at one point of a sweep.

    ``values`` holds the value of every axis that the cell's policy or workload reads, under the axis's full name;
    ``never_evicts`` marks a policy that keeps everything: an upper bound, with which no policy is compared.
    """

    point: int
    label: str
    values: Mapping[str, Any]
    summaries: Mapping[str, MetricSummary]
    never_evicts: bool = False

    @property
    def rate(self) -> MetricSummary:
        """The summary of the foundational recall rate."""
        return self.summaries[RATE]

    @property
    def mean_rate(self) -> float:
        """The mean foundational recall rate."""
        return self.rate.summary.mean or 0.0


def findings(cells: Iterable[PlayedCell], axes: Mapping[str, str], metric: str = RATE) -> list[str]:
    """Return the sentences, the most important first; none has a full stop.

    ``cells`` come point by point and are read once; ``axes`` maps the full name of every axis to the label of the
    policy that reads it, or to "" where the workload does. Policies are compared by ``metric``.
    """
    inert = [_Axis(name, owner) for name, owner in axes.items()]
    observers: list[_Observer] = [_OutOfReach(), _Comparison(metric), _DistinctRuns(axes), *inert, _Constants()]
    for _, group in groupby(cells, key=lambda cell: cell.point):
        together = list(group)
        for observer in observers:
            observer.add(together)
    return [line for observer in observers for line in observer.lines()]


class _Observer(Protocol):
    """Reads the cells point by point, keeps what its sentences need, and returns these at the end."""

    def add(self, cells: Sequence[PlayedCell]) -> None: ...
    def lines(self) -> list[str]: ...


def _at(points: int, of: int) -> str:
    if of == 1:
        return ""
    return " at every point" if points == of else f" at {points} of {of} points"


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _compared(labels: Sequence[str]) -> str:
    """Return the policies that evict as a part of a sentence: by name where they are few."""
    if len(labels) == 1:
        return f"{labels[0]}, the only policy compared here that evicts"
    if len(labels) > _MOST_NAMED:
        return f"all {len(labels)} policies compared here that evict"
    return f"{_listed(labels)}, the policies compared here that evict"


def _evicting(cells: Sequence[PlayedCell]) -> list[PlayedCell]:
    return [cell for cell in cells if not cell.never_evicts]


def _fingerprint(*values: Any) -> int:
    """Return a number that is the same for equal values; not their own hash, which -1 and -2 share."""
    return hash(repr(values))


class _OutOfReach:
    """Points at which the upper bound keeps everything and every policy compared that evicts keeps little.

    Whether the workload or the choice of policies and parameters is the reason cannot be told from these alone.
    """

    def __init__(self) -> None:
        self.points = self.out_of_reach = 0
        self.highest = 0.0
        self.labels: dict[str, None] = {}  # in order of appearance
        self.alike = True

    def add(self, cells: Sequence[PlayedCell]) -> None:
        self.points += 1
        evicting = _evicting(cells)
        ends = [cell.rate.high for cell in evicting if cell.rate.high is not None]
        reachable = any(cell.never_evicts and cell.rate.summary.mean == 1.0 for cell in cells)
        lost = all(cell.mean_rate <= _OUT_OF_REACH for cell in evicting)
        if reachable and lost and max(ends, default=1.0) <= _OUT_OF_REACH_AT_MOST:
            self.out_of_reach += 1
            self.highest = max(self.highest, *ends)
            self.labels.update(dict.fromkeys(cell.label for cell in evicting))
            self.alike = self.alike and len({cell.rate for cell in evicting}) == 1

    def lines(self) -> list[str]:
        if not self.out_of_reach:
            return []
        labels = list(self.labels)
        at = _at(self.out_of_reach, self.points)
        who = _compared(labels) + ("," if at and len(labels) <= _MOST_NAMED else "")
        keeps = "it keeps no" if len(labels) == 1 else "none keeps"
        alike = "; they score alike, so this is no evidence for one against another" if self.alike else ""
        return [
            f"success was out of reach of {who}{at}: {keeps} more than {self.highest:.3f} of the foundational items "
            "(upper end of the 95 % interval), while keeping everything keeps them all"
            f"{alike if len(labels) > 1 else ''}; other parameters or other policies may keep them"
        ]


class _Comparison:
    """The policies that evict: which is clearly best at which points, and which make no difference."""

    def __init__(self, metric: str) -> None:
        self._compare_by(metric)
        self.points = 0
        self.wins: Counter[str] = Counter()
        self.unclear = self.tied = 0
        self.that_evicts = ""  # not empty where the table shows a policy that does not evict
        self.last: list[PlayedCell] = []
        self.fingerprints: dict[str, dict[str, int]] = {}
        self.rates: dict[str, set[float]] = {}
        self.prices: dict[str, list[float]] = {}

    def _compare_by(self, metric: str) -> None:
        described = metric_named(metric)
        self.metric, self.words = metric, metric.replace("_", " ")
        self.sign = -1.0 if described.better == "lower" else 1.0
        self.digits = 3 if described.unit == "share" else 2

    def add(self, cells: Sequence[PlayedCell]) -> None:
        if self.points == 0 and all(cell.summaries[self.metric].summary.mean is None for cell in cells):
            self._compare_by(RATE)  # nothing is ever recalled, say
        self.points += 1
        self.last = sorted(_evicting(cells), key=lambda cell: -self.sign * self._mean(cell))
        if len(self.last) < len(cells):
            self.that_evicts = " that evicts"
        for cell in self.last:
            fingerprints = self.fingerprints.setdefault(cell.label, dict.fromkeys(cell.summaries, 0))
            for name in fingerprints:
                fingerprints[name] = _fingerprint(fingerprints[name], cell.summaries[name].summary)
            rates = self.rates.setdefault(cell.label, set())
            if len(rates) < 2:
                rates.add(self._mean(cell))
        winner = self._clear_winner()
        if winner:
            self.wins[winner] += 1
            self.prices.setdefault(winner, []).extend(_price(*self.last[:2]))
        else:
            self.unclear += 1
            self.tied += bool(self._tied())

    def lines(self) -> list[str]:
        if len(self.fingerprints) < 2:
            return []
        classes: dict[int, list[str]] = {}
        for label, fingerprints in self.fingerprints.items():
            classes.setdefault(fingerprints[self.metric], []).append(label)
        alike = [self._no_difference(labels) for labels in classes.values() if len(labels) > 1]
        if len(classes) == 1:
            return alike
        return [self._at_one_point() if self.points == 1 else self._at_several_points(), *alike]

    def _no_difference(self, labels: Sequence[str]) -> str:
        rates = self.rates[labels[0]]
        rate = f" ({min(rates):.{self.digits}f} under each)" if len(rates) == 1 else ""
        text = f"{_listed(labels)} make no difference to the {self.words}{_at(self.points, self.points)}{rate}"
        differing = [
            name
            for name in self.fingerprints[labels[0]]
            if len({self.fingerprints[label][name] for label in labels}) > 1
        ]
        foundational = [name for name in differing if name not in COST_METRICS]
        if foundational:
            return f"{text}; they differ in {_listed(foundational)}"
        same = f"{text}, nor to any other metric of the foundational items"
        return f"{same}; they differ in the size of the working set only" if differing else same

    def _at_one_point(self) -> str:
        best, second = self.last[:2]
        figures = " against ".join(f"{self._mean(one):.{self.digits}f}" for one in (best, second))
        if tied := self._tied():
            who = _listed(tied) if len(tied) <= _MOST_NAMED else f"{len(tied)} policies"
            return (
                f"no policy{self.that_evicts} is clearly best: {who} give {self._mean(best):.{self.digits}f} in every "
                f"session; {_ONLY_BY_EXCEPTIONS}"
            )
        if not self.wins:
            return (
                f"no policy{self.that_evicts} is clearly best: the 95 % intervals of {best.label} and {second.label} "
                f"overlap ({figures}); more seeds may tell them apart"
            )
        others = second.label
        if len(self.last) > 2:
            others = f"every other policy{self.that_evicts}, {others} being next"
        return (
            f"{best.label} {self._better()} {others}: {figures}, and the 95 % intervals do not overlap{self._prices()}"
        )

    def _prices(self) -> str:
        """Return what those that keep more hold, as a multiple of what the next holds."""
        told = [
            (label, " to ".join(dict.fromkeys(f"{one:.2f}" for one in (min(prices), max(prices)))))
            for label, prices in self.prices.items()
            if prices
        ]
        if not told:
            return ""
        if len(self.wins) == 1:
            return f"; it holds {told[0][1]} times as many items"
        return "; of the items that the next holds, " + _listed([f"{label} holds {text} times" for label, text in told])

    def _at_several_points(self) -> str:
        if not self.wins:
            none = f"no policy{self.that_evicts} is clearly best at any point: "
            tie = "the best give one value in every session"
            if self.tied == self.points:
                return f"{none}{tie}; {_ONLY_BY_EXCEPTIONS}"
            if self.tied:
                tie = f"{tie}{_at(self.tied, self.points)}, elsewhere the 95 % intervals overlap"
                return f"{none}{tie}; more seeds may tell them apart there"
            return f"{none}the 95 % intervals overlap; more seeds may tell them apart"
        parts = []
        for place, (label, wins) in enumerate(self.wins.most_common()):
            others = [other for other in self.fingerprints if other != label]
            than = others[0] if len(others) == 1 else f"every other policy{self.that_evicts}"
            verb = f" {self._better()} {than}" if place == 0 else ""
            parts.append(f"{label}{verb}{_at(wins, self.points)}")
        text = f"{', '.join(parts)} (95 % intervals do not overlap){self._prices()}"
        return f"{text}; no policy{self.that_evicts} is clearly best at {self.unclear}" if self.unclear else text

    def _mean(self, cell: PlayedCell) -> float:
        return cell.summaries[self.metric].summary.mean or 0.0

    def _better(self) -> str:
        return _BETTER.get(self.metric, f"is {'lower' if self.sign < 0 else 'higher'} in {self.words} than")

    def _tied(self) -> list[str]:
        """Return the labels of the best where several gave the same value in every session, else nothing."""
        best = [
            cell.label
            for cell in self.last
            if cell.summaries[self.metric].summary.constant and self._mean(cell) == self._mean(self.last[0])
        ]
        return best if len(best) > 1 else []

    def _clear_winner(self) -> str | None:
        """Return the label whose interval lies on the better side of all others, None where there is none."""
        summaries = [cell.summaries[self.metric] for cell in self.last]
        ends = [(one.low, one.high) for one in summaries if one.low is not None and one.high is not None]
        if len(ends) < 2 or len(ends) < len(summaries):
            return None
        (low, high), *others = ends
        clear = high < min(one for one, _ in others) if self.sign < 0 else low > max(one for _, one in others)
        return self.last[0].label if clear else None


def _price(best: PlayedCell, second: PlayedCell) -> list[float]:
    """Return how many times as many items the first holds, nothing where one of them is not known to hold any."""
    sizes = [one.summaries[SIZE].summary.mean for one in (best, second) if SIZE in one.summaries]
    known = [size for size in sizes if size]
    return [known[0] / known[1]] if len(known) == 2 else []


class _DistinctRuns:
    """How many different runs of each policy there are where a sweep varies the parameters of some policies."""

    def __init__(self, axes: Mapping[str, str]) -> None:
        self.needed = any(axes.values())
        self.points = 0
        self.seen: dict[str, set[int]] = {}

    def add(self, cells: Sequence[PlayedCell]) -> None:
        self.points += 1
        for cell in cells if self.needed else ():
            self.seen.setdefault(cell.label, set()).add(_fingerprint(sorted(cell.values.items())))

    def lines(self) -> list[str]:
        repeated = [(label, len(seen)) for label, seen in self.seen.items() if len(seen) < self.points]
        if not repeated:
            return []
        counts = [f"{runs} {'differs' if runs == 1 else 'differ'} for {label}" for label, runs in repeated]
        return [
            f"of these {self.points} points only {_listed(counts)}: no policy reads the parameters of another, and a "
            "repeated result is no further evidence"
        ]


class _Axis:
    """One axis: which policies' results change along it, everything else being equal."""

    def __init__(self, name: str, owner: str) -> None:
        self.name, self.owner = name, owner
        self.compared: dict[str, None] = {}  # in order of appearance
        self.moving: set[str] = set()
        self.foundational_moving: set[str] = set()
        self.first: dict[int, tuple[int, int]] = {}

    def add(self, cells: Sequence[PlayedCell]) -> None:
        for cell in cells:
            # Once two cells of a policy differ, nothing more is kept of it.
            if self.name not in cell.values or cell.label in self.moving & self.foundational_moving:
                continue
            others = sorted((name, value) for name, value in cell.values.items() if name != self.name)
            summaries = {name: one.summary for name, one in cell.summaries.items()}
            foundational = {name: one for name, one in summaries.items() if name not in COST_METRICS}
            fingerprints = _fingerprint(summaries), _fingerprint(foundational)
            first = self.first.setdefault(_fingerprint(cell.label, others), fingerprints)
            if first is fingerprints:
                continue
            self.compared[cell.label] = None
            if first[0] != fingerprints[0]:
                self.moving.add(cell.label)
            if first[1] != fingerprints[1]:
                self.foundational_moving.add(cell.label)

    def lines(self) -> list[str]:
        name = self.name.removeprefix("workload.")
        still = [label for label in self.compared if label not in self.moving]
        cheap = [label for label in self.compared if label in self.moving - self.foundational_moving]
        lines = []
        if still:
            lines.append(f"{name} changes nothing{self._whose(still)}: every metric is the same at each of its values")
        if cheap:
            lines.append(f"{name} changes no foundational result{self._whose(cheap)}, only the size of the working set")
        return lines

    def _whose(self, labels: Sequence[str]) -> str:
        if self.owner:
            return ""
        return " of any policy" if len(labels) == len(self.compared) else f" of {_listed(labels)}"


class _Constants:
    """Cells of policies that evict in which every session gave the same foundational recall rate."""

    def __init__(self) -> None:
        self.cells = self.constant = self.rows = 0

    def add(self, cells: Sequence[PlayedCell]) -> None:
        evicting = _evicting(cells)
        self.rows += len(cells)
        self.cells += len(evicting)
        self.constant += sum(cell.rate.summary.constant for cell in evicting)

    def lines(self) -> list[str]:
        if not self.constant:
            return []
        where = ""
        if self.constant < self.cells:
            # The table also has a row for the upper bound, whose variance is always zero and is not counted here.
            of = f"{self.cells} cells" if self.cells == self.rows else f"the {self.cells} cells of policies that evict"
            where = f" in {self.constant} of {of}"
        return [
            f"zero variance{where}: every session gave the same foundational recall rate; the randomness of these "
            "sessions does not reach it, and more seeds add no evidence unless they bring a session unlike all of these"
        ]
