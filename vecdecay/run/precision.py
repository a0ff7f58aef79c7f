"""How many sessions an interval of a wanted width takes: a pilot tells the spread, and the spread the number.

Stein (1945), "A two-sample test for a linear hypothesis whose power is independent of the variance", Ann. Math. Stat.
16. Nothing is decided by looking at the results of the run itself, so its intervals cover what they cover otherwise.
"""

import math
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from vecdecay.analysis.cell import MetricSummary
from vecdecay.analysis.intervals import rate_interval
from vecdecay.errors import InvalidInputError
from vecdecay.parameters import brief
from vecdecay.run.execute import PARTS_AHEAD, execute
from vecdecay.run.parts import parts_of
from vecdecay.run.plan import make_plan
from vecdecay.run.progress import Progress, shown_while
from vecdecay.run.sinks import MemorySink
from vecdecay.sessions.source import Recorded
from vecdecay.sweepfile.model import SweepSpec
from vecdecay.sweepfile.seeds import MOST_SEEDS

PILOT = 1000
"""Sessions from which the spread is taken first; where many more are needed, a quarter of those tell it better."""

METRICS = ("hit_rate", "foundational_recall_rate")
_RESERVE = (
    5.0  # the variance of n rates is off by 1.5 / sqrt(n) of itself, or by 2.6 where most are 1: one standard error
)


def precision_problems(precision: object, spec: SweepSpec | None, name: str = "precision") -> list[str]:
    """Return a line per mistake in asking for a precision; ``name`` is how it was asked for."""
    problems = []
    if isinstance(precision, bool) or not isinstance(precision, int | float) or not 0.0 < precision < 0.5:
        problems.append(f"{name} {brief(precision)}; allowed: a number above 0 and below 0.5")
    if spec is not None and isinstance(spec.workload, Recorded):
        problems.append(f"{name} decides how many sessions are played; allowed where these are seeded, not recorded")
    elif spec is not None and not isinstance(spec.seeds, range):
        problems.append(f"{name} decides how many seeds are played; allowed with a count of seeds, not with a list")
    return problems


def with_precision(
    spec: SweepSpec, precision: float, threads: int, progress: Progress | None = None, name: str = "precision"
) -> SweepSpec:
    """Return the sweep with so many seeds that in every cell the 95 % intervals of METRICS are ± ``precision`` at most.

    The seeds begin where those of the sweep do; their number depends on nothing but the sweep and the precision.

    Raises:
        InvalidInputError: the precision is out of range, or the sessions of the sweep are recorded or listed.
    """
    problems = precision_problems(precision, spec, name)
    if problems:
        raise InvalidInputError(problems)
    needed = _needed(spec, PILOT, precision, threads, progress)
    if needed > 4 * PILOT:
        needed = _needed(spec, math.ceil(needed / 4), precision, threads, progress)
    if needed > MOST_SEEDS:
        raise InvalidInputError([f"{name} {precision:g} takes {needed:,} sessions; allowed: at most {MOST_SEEDS:,}"])
    return _seeded(spec, max(needed, PILOT))


def sessions_needed(summaries: Iterable[MetricSummary], precision: float) -> int:
    """Return how many sessions make the interval of each of these rates ± ``precision`` at most, with some reserve.

    >>> from vecdecay.analysis.moments import Summary
    >>> spread = Summary(1000, 0, 0.8, 0.2, 0.0, 1.0, constant=False)
    >>> sessions_needed([MetricSummary(spread, None, None)], 0.01)
    1783
    """
    most = 1.0
    for one in summaries:
        count, mean, deviation = one.summary.count, one.summary.mean, one.summary.standard_deviation
        if mean is not None:
            reserve = 1.0 + _RESERVE / math.sqrt(count)
            most = max(most, reserve * _least(mean, deviation, precision) * (count + one.summary.null_count) / count)
    return math.ceil(most)


def _least(mean: float, deviation: float | None, precision: float) -> int:
    """Return the least number of rates, of such a mean and spread, whose interval is narrow enough."""
    low, high = 1, 2
    while _half_width(mean, deviation, high) > precision:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _half_width(mean, deviation, middle) > precision else (low, middle)
    return high


def _half_width(mean: float, deviation: float | None, count: int) -> float:
    low, high = rate_interval(mean, deviation, count)
    return (high - low) / 2


def _needed(spec: SweepSpec, sessions: int, precision: float, threads: int, progress: Progress | None) -> int:
    """Return how many sessions are needed, by what so many come to."""
    plan = make_plan(replace(_seeded(spec, sessions), detail="cells"))
    sink = MemorySink(plan, progress)
    with ThreadPoolExecutor(threads) as executor, shown_while(progress, plan.num_sessions):
        execute(plan, parts_of(plan), sink, executor, ahead=PARTS_AHEAD * threads)
    return sessions_needed((result.summaries[name] for result in sink.results() for name in METRICS), precision)


def _seeded(spec: SweepSpec, sessions: int) -> SweepSpec:
    first = spec.seeds[0]
    return replace(spec, seeds=range(first, first + sessions))
