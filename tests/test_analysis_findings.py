"""The sentences that a sweep deserves, and those that it does not."""

import dataclasses
import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

import pytest

from vecdecay.analysis.cell import MetricSummary
from vecdecay.analysis.findings import COST_METRICS, FOUNDATIONAL_METRICS, PlayedCell, findings
from vecdecay.analysis.intervals import rate_interval
from vecdecay.analysis.moments import Summary
from vecdecay.quantities import METRIC_NAMES

SESSIONS = 100


def summary(mean: float | None, constant: bool = True) -> Summary:
    """Return the summary of a metric; null in every session if the mean is None."""
    if mean is None:
        return Summary(0, SESSIONS, None, None, None, None, False)
    return Summary(SESSIONS, 0, mean, 0.0 if constant else 0.1, mean, mean if constant else mean + 1, constant)


def cell(
    point: int,
    label: str,
    rate: float,
    values: Mapping[str, object] | None = None,
    constant: bool = True,
    never_evicts: bool = False,
    **means: float,
) -> PlayedCell:
    """Return one policy at one point with a recall rate; other metrics are 0 unless given."""
    others = dict.fromkeys(METRIC_NAMES, 0.0) | means
    summaries = {name: MetricSummary(summary(mean), mean, mean) for name, mean in others.items()}
    for name in ("foundational_recall_rate", "terminal_survival_rate"):
        summaries[name] = MetricSummary(summary(rate, constant), *rate_interval(rate, 0.0, SESSIONS))
    return PlayedCell(point, label, values or {}, summaries, never_evicts)


def sentences(cells: Iterable[PlayedCell], axes: Mapping[str, str] | None = None, about: str = "") -> list[str]:
    """Return the findings that hold the words ``about``."""
    return [line for line in findings(cells, axes or {}) if about in line]


def test_every_metric_is_either_foundational_or_a_cost() -> None:
    """A new metric must say which it is, or the sentences on inert parameters would not look at it rightly."""
    assert sorted([*FOUNDATIONAL_METRICS, *COST_METRICS]) == sorted(METRIC_NAMES)


def test_a_winner_is_named_with_its_price() -> None:
    """How many times as much it holds as the next; a range over several points, and each of several winners."""
    one = [cell(0, "a", 0.9, mean_working_set=26.0), cell(0, "b", 0.5, mean_working_set=10.0)]
    (line,) = sentences(one, about="a keeps")
    assert line.endswith("do not overlap; it holds 2.60 times as many items")
    same = [cell(0, "a", 0.9, mean_working_set=10.0), cell(0, "b", 0.5, mean_working_set=10.0)]
    assert sentences(same, about="a keeps")[0].endswith("it holds 1.00 times as many items")
    more = [cell(1, "a", 0.9, mean_working_set=15.0), cell(1, "b", 0.5, mean_working_set=10.0)]
    axes = {"workload.x": ""}
    assert sentences([*one, *more], axes, "a keeps")[0].endswith("it holds 1.50 to 2.60 times as many items")
    lost = [cell(1, "a", 0.5, mean_working_set=15.0), cell(1, "b", 0.9, mean_working_set=30.0)]
    (line,) = sentences([*one, *lost], axes, "a keeps")
    assert line.endswith("of the items that the next holds, a holds 2.60 times and b holds 2.00 times")


def test_a_clear_winner_is_named_with_its_figures() -> None:
    """Intervals that do not overlap: the better one first, in whichever order the policies are listed."""
    winner = (
        "curve keeps more foundational items than window: 1.000 against 0.000, and the 95 % intervals do not overlap"
    )
    assert sentences([cell(0, "curve", 1.0), cell(0, "window", 0.0)], about="curve") == [winner]
    assert sentences([cell(0, "window", 0.0), cell(0, "curve", 1.0)], about="curve") == [winner]


def test_no_winner_is_named_where_intervals_overlap() -> None:
    """100 sessions cannot tell 0.52 from 0.48, and the program says that instead."""
    cells = [cell(0, "a", 0.48, constant=False), cell(0, "b", 0.52, constant=False)]
    assert sentences(cells) == [
        "no policy is clearly best: the 95 % intervals of b and a overlap (0.520 against 0.480); "
        "more seeds may tell them apart"
    ]
    above_its_end = [cell(0, "a", 0.48, constant=False), cell(0, "b", 0.60, constant=False)]
    assert above_its_end[0].rate.high < 0.60  # the mean alone lies above the other's interval
    assert sentences(above_its_end, about="no policy is clearly best")


def test_among_several_the_best_must_beat_the_next() -> None:
    """The best of three is compared with the runner-up, not with the worst."""
    three = [cell(0, "a", 0.0), cell(0, "b", 0.9), cell(0, "c", 0.5)]
    assert sentences(three, about="keeps more") == [
        "b keeps more foundational items than every other policy, c being next: 0.900 against 0.500, "
        "and the 95 % intervals do not overlap"
    ]
    close = [cell(0, "a", 0.0), cell(0, "b", 0.9), cell(0, "c", 0.88)]
    assert sentences(close, about="clearly best")


def test_the_upper_bound_is_no_rival() -> None:
    """Keeping everything is always best; that is not worth a sentence."""
    cells = [cell(0, "curve", 0.9), cell(0, "all", 1.0, never_evicts=True), cell(0, "window", 0.5)]
    (line,) = sentences(cells, about="keeps more")
    assert line.startswith("curve keeps more foundational items than window: 0.900 against 0.500")


@pytest.mark.parametrize(
    ("rates", "who"),
    [
        ((1.0, 1.0), "p0 and p1"),
        ((0.0, 1.0, 1.0, 0.5), "p1 and p2"),
        ((0.0, 0.0), "p0 and p1"),
        ((1.0,) * 5 + (0.0,), "5 policies"),
    ],
)
def test_more_seeds_are_not_advised_where_the_best_never_differ(rates: tuple[float, ...], who: str) -> None:
    """The best gave the same rate in every session: no variance from which more seeds could draw."""
    cells = [cell(0, f"p{place}", rate) for place, rate in enumerate(rates)]
    lines = sentences(cells)
    assert not any("more seeds may" in line for line in lines)
    if len(set(rates)) > 1:  # else it is enough to say that they make no difference
        assert lines[0] == (
            f"no policy is clearly best: {who} give {max(rates):.3f} in every session; "
            "more seeds will not tell them apart unless they bring a session unlike all of these"
        )


def test_equal_means_with_variance_are_no_tie() -> None:
    """Sessions that differ leave more seeds something to decide."""
    cells = [cell(0, "a", 0.5), cell(0, "b", 0.5, constant=False), cell(0, "c", 0.0)]
    assert sentences(cells, about="clearly best")[0].endswith("more seeds may tell them apart")


def test_ties_over_points_are_counted() -> None:
    """At every point, or at some while intervals overlap at the others."""
    tied = [one for point in range(2) for one in (cell(point, "a", 1.0), cell(point, "b", 1.0), cell(point, "c", 0.0))]
    assert sentences(tied, about="clearly") == [
        "no policy is clearly best at any point: the best give one value in every session; "
        "more seeds will not tell them apart unless they bring a session unlike all of these"
    ]
    other = [cell(2, "a", 0.5, constant=False), cell(2, "b", 0.51, constant=False), cell(2, "c", 0.0)]
    assert sentences([*tied, *other], about="clearly") == [
        "no policy is clearly best at any point: the best give one value in every session at 2 of 3 points, "
        "elsewhere the 95 % intervals overlap; more seeds may tell them apart there"
    ]


def test_the_best_of_those_that_evict_is_not_called_the_best_of_all() -> None:
    """Keeping everything stands in the same table and keeps more."""
    bound = cell(0, "all", 1.0, never_evicts=True)
    three = [cell(0, "a", 0.0), cell(0, "b", 0.9), cell(0, "c", 0.5)]
    (line,) = sentences([*three, bound], about="keeps more")
    assert line.startswith("b keeps more foundational items than every other policy that evicts, c being next: ")
    close = [cell(0, "a", 0.48, constant=False), cell(0, "b", 0.52, constant=False)]
    assert sentences([*close, bound], about="no policy that evicts is clearly best: ")
    points = [replace(one, point=point) for point in range(2) for one in (*three, bound)]
    assert sentences(points, about="keeps more") == [
        "b keeps more foundational items than every other policy that evicts at every point "
        "(95 % intervals do not overlap)"
    ]


def test_wins_are_counted_over_points() -> None:
    """At how many points which policy is clearly best, and at how many none is."""
    everywhere = [one for point in range(3) for one in (cell(point, "a", 1.0), cell(point, "b", 0.0))]
    assert sentences(everywhere, about="more foundational") == [
        "a keeps more foundational items than b at every point (95 % intervals do not overlap)"
    ]
    rates = [(1.0, 0.0), (0.9, 0.1), (0.1, 0.9), (0.5, 0.52)]
    mixed = [one for point, (a, b) in enumerate(rates) for one in (cell(point, "a", a), cell(point, "b", b))]
    assert sentences(mixed, about="more foundational") == [
        "a keeps more foundational items than b at 2 of 4 points, b at 1 of 4 points (95 % intervals do not overlap); "
        "no policy is clearly best at 1"
    ]
    unclear = [one for point in range(2) for one in (cell(point, "a", 0.5), cell(point, "b", 0.51))]
    assert sentences(unclear, about="clearly") == [
        "no policy is clearly best at any point: the 95 % intervals overlap; more seeds may tell them apart"
    ]


def test_policies_that_make_no_difference_are_named() -> None:
    """The same rate in every point, and what differs beside it."""
    cells = [cell(0, "a", 0.0, survival_time=13), cell(0, "b", 0.0, survival_time=16)]
    assert sentences(cells, about="make no difference") == [
        "a and b make no difference to the foundational recall rate (0.000 under each); they differ in survival_time"
    ]
    same = [one for point, rate in enumerate((0.2, 0.4)) for one in (cell(point, "a", rate), cell(point, "b", rate))]
    assert sentences(same, about="make no difference") == [
        "a and b make no difference to the foundational recall rate at every point, "
        "nor to any other metric of the foundational items"
    ]


def test_policies_that_differ_in_cost_only_are_told_apart_by_cost() -> None:
    """They keep the same and hold unequally much: neither is best, and the difference is said."""
    cells = [cell(0, "a", 0.5, constant=False, mean_working_set=4), cell(0, "b", 0.5, constant=False)]
    assert sentences(cells) == [
        "a and b make no difference to the foundational recall rate (0.500 under each), "
        "nor to any other metric of the foundational items; they differ in the size of the working set only"
    ]


@pytest.mark.parametrize(
    ("low", "clear"), [(math.nextafter(0.4, 0), False), (0.4, False), (math.nextafter(0.4, 1), True)]
)
def test_intervals_that_touch_overlap(low: float, clear: bool) -> None:
    """A shared end may be the mean of both; from one unit in the last place above it, one policy is best."""
    ends = {"a": (low, 0.6), "b": (0.2, 0.4)}
    cells = []
    for label, rate in (("a", 0.5), ("b", 0.3)):
        one = cell(0, label, rate, constant=False)
        rates = MetricSummary(one.rate.summary, *ends[label])
        cells.append(dataclasses.replace(one, summaries=dict(one.summaries) | {"foundational_recall_rate": rates}))
    assert any(line.startswith("a keeps more foundational items than b") for line in sentences(cells)) == clear
    assert bool(sentences(cells, about="intervals of a and b overlap")) != clear


def test_a_recall_rate_at_a_checkpoint_is_a_metric_too() -> None:
    """Who says that no other metric differs has looked at those as well."""
    cells = [cell(0, "a", 0.0, foundational_recall_rate_at_50=1.0), cell(0, "b", 0.0, foundational_recall_rate_at_50=0)]
    assert sentences(cells, about="make no difference") == [
        "a and b make no difference to the foundational recall rate (0.000 under each); "
        "they differ in foundational_recall_rate_at_50"
    ]


def test_a_difference_in_one_session_is_a_difference() -> None:
    """The exact summaries decide: equal means with unequal spreads are not the same."""
    cells = [cell(0, "a", 0.5), cell(0, "b", 0.5, constant=False)]
    assert sentences(cells, about="make no difference") == []


def test_two_of_three_can_make_no_difference() -> None:
    """They are named beside the winner."""
    lines = sentences([cell(0, "a", 0.0), cell(0, "b", 1.0), cell(0, "c", 0.0)])
    assert any(line.startswith("b keeps more") for line in lines)
    assert any(line.startswith("a and c make no difference") for line in lines)


def test_success_out_of_reach_is_told() -> None:
    """Of the policies compared, by name, and of no other: these cannot show what the workload allows."""
    bound = cell(0, "all", 1.0, never_evicts=True)
    high = rate_interval(0.1, 0.0, SESSIONS)[1]
    assert sentences([cell(0, "a", 0.0), cell(0, "b", 0.1), bound], about="out of reach") == [
        f"success was out of reach of a and b, the policies compared here that evict: none keeps more than {high:.3f} "
        "of the foundational items (upper end of the 95 % interval), while keeping everything keeps them all; "
        "other parameters or other policies may keep them"
    ]


def test_success_out_of_reach_of_one_policy_is_told_of_that_one() -> None:
    """A window that is too short at one of two points: the other shows that the workload does not decide."""
    cells = [
        one
        for point, rate in enumerate((0.0, 1.0))
        for one in (cell(point, "window", rate), cell(point, "all", 1.0, never_evicts=True))
    ]
    (line,) = sentences(cells, about="out of reach")
    assert line.startswith(
        "success was out of reach of window, the only policy compared here that evicts, at 1 of 2 points: "
        "it keeps no more than 0.037 of the foundational items"
    )
    assert "workload" not in line
    assert "evidence" not in line  # there is nothing to tell it apart from


def test_policies_out_of_reach_alike_are_no_evidence_against_each_other() -> None:
    """Many are counted; where all fail alike, the sweep says nothing of one against another."""
    bound = cell(0, "all", 1.0, never_evicts=True)
    (line,) = sentences([*(cell(0, f"p{place}", 0.0) for place in range(5)), bound], about="out of reach")
    assert line.startswith("success was out of reach of all 5 policies compared here that evict: none keeps more than")
    assert "; they score alike, so this is no evidence for one against another; " in line


@pytest.mark.parametrize(
    "cells",
    [
        [cell(0, "a", 0.0), cell(0, "b", 1.0), cell(0, "all", 1.0, never_evicts=True)],  # one succeeds
        [cell(0, "a", 0.0), cell(0, "b", 0.0)],  # whether success was possible is not known
        [cell(0, "a", 0.0), cell(0, "all", 0.9, never_evicts=True)],  # not even keeping everything succeeds
        [cell(0, "all", 1.0, never_evicts=True)],  # nobody tried
    ],
)
def test_success_is_not_called_out_of_reach_without_proof(cells: list[PlayedCell]) -> None:
    """It takes the upper bound at 1.0, and every other policy far from it."""
    assert sentences(cells, about="out of reach") == []


def test_an_axis_without_effect_is_named() -> None:
    """It changes nothing at all, or nothing but the cost; of any policy, or of some."""
    axes = {"workload.noise": ""}

    def swept(label: str, rates: tuple[float, float], footprints: tuple[float, float]) -> list[PlayedCell]:
        return [
            cell(point, label, rates[point], {"workload.noise": point}, footprint_reduction=footprints[point])
            for point in (0, 1)
        ]

    def by_point(*policies: list[PlayedCell]) -> list[PlayedCell]:
        return [one for point in zip(*policies, strict=True) for one in point]

    inert, cheap, moving = ((0.5, 0.5), (0.9, 0.9)), ((0.5, 0.5), (0.9, 0.8)), ((0.5, 0.6), (0.9, 0.8))
    both = by_point(swept("a", *cheap), swept("b", *cheap))
    assert sentences(both, axes, "noise") == [
        "noise changes no foundational result of any policy, only the size of the working set"
    ]
    assert sentences(by_point(swept("a", *inert), swept("b", *inert)), axes, "noise") == [
        "noise changes nothing of any policy: every metric is the same at each of its values"
    ]
    assert sentences(by_point(swept("a", *inert), swept("b", *moving)), axes, "noise") == [
        "noise changes nothing of a: every metric is the same at each of its values"
    ]
    assert sentences(by_point(swept("a", *moving), swept("b", *moving)), axes, "noise") == []


def test_only_cells_that_differ_in_one_axis_alone_are_compared() -> None:
    """Along a diagonal both axes move at once, and neither can be called inert."""
    axes = {"workload.x": "", "workload.y": ""}
    diagonal = [cell(point, "a", 0.5, {"workload.x": point, "workload.y": point}) for point in range(3)]
    assert sentences(diagonal, axes, "changes") == []
    grid = [cell(2 * x + y, "a", 0.5 + 0.1 * x, {"workload.x": x, "workload.y": y}) for x in range(2) for y in range(2)]
    assert sentences(grid, axes, "changes") == [
        "y changes nothing of any policy: every metric is the same at each of its values"
    ]


def test_runs_that_repeat_are_counted() -> None:
    """Two policies with an axis each: 2 × 3 points hold 2 and 3 different runs."""
    axes = {"a.threshold": "a", "b.window": "b"}
    cells = [
        one
        for point, (threshold, window) in enumerate((t, w) for t in (1, 2) for w in (1, 2, 3))
        for one in (cell(point, "a", 1.0, {"a.threshold": threshold}), cell(point, "b", 0.0, {"b.window": window}))
    ]
    assert sentences(cells, axes, "points only") == [
        "of these 6 points only 2 differ for a and 3 differ for b: no policy reads the parameters of another, and a "
        "repeated result is no further evidence"
    ]
    single = [one for one in cells if one.label == "a" and one.point in (0, 3)]
    assert sentences(single, {"a.threshold": "a"}, "points only") == []


def test_zero_variance_is_told() -> None:
    """Where every session gave the same rate; in how many cells, if not in all. The upper bound is no such cell."""
    (line,) = sentences([cell(0, "a", 1.0), cell(0, "b", 0.0)], about="variance")
    assert line.startswith("zero variance: every session gave the same foundational recall rate")
    cells = [cell(0, "a", 1.0), cell(0, "b", 0.5, constant=False), cell(0, "all", 1.0, never_evicts=True)]
    (line,) = sentences(cells, about="variance")
    assert line.startswith("zero variance in 1 of the 2 cells of policies that evict: ")
    (line,) = sentences(cells[:2], about="variance")
    assert line.startswith("zero variance in 1 of 2 cells: ")
    assert sentences([cell(0, "a", 0.5, constant=False)], about="variance") == []


def test_nothing_is_said_of_nothing() -> None:
    """No cells, or a single policy whose sessions differ: no sentence."""
    assert findings([], {"workload.x": ""}) == []
    assert findings([cell(0, "a", 0.5, constant=False)], {}) == []


def test_a_cell_that_failed_is_no_rival() -> None:
    """A point at which only one policy could be played has no winner."""
    cells = [cell(0, "a", 1.0), cell(0, "b", 0.0), cell(1, "a", 1.0)]
    (line,) = sentences(cells, about="keeps more")
    assert line.startswith("a keeps more foundational items than b at 1 of 2 points")


def test_policies_are_compared_by_the_metric_that_leads() -> None:
    """In its own words, the other way round where less is better, and by what is kept where nothing is recalled."""
    cells = [cell(0, "a", 0.5, hit_rate=0.75, misses=3.0), cell(0, "b", 1.0, hit_rate=0.25, misses=1.0)]
    (line,) = [line for line in findings(cells, {}, "hit_rate") if "the 95 % intervals" in line]
    assert line.startswith("a hits more of the recalls than b: 0.750 against 0.250, and")
    (line,) = [line for line in findings(cells, {}, "misses") if "the 95 % intervals" in line]
    assert line.startswith("b is lower in misses than a: 1.00 against 3.00, and")
    never = {"hit_rate": MetricSummary(summary(None), None, None)}
    silent = [replace(one, summaries={**one.summaries, **never}) for one in cells]
    assert findings(silent, {}, "hit_rate") == findings(silent, {})
    alike = [cell(0, "a", 0.5, misses=2.0), cell(0, "b", 1.0, misses=2.0)]
    assert any(
        line.startswith("a and b make no difference to the misses (2.00") for line in findings(alike, {}, "misses")
    )
