"""``compare``: policies at equal cost, or at an equal hit rate, paired by session.

Each policy is set along its free parameter so that all hold the same, or hit the same. Between two neighbouring
settings it is mixed of both, as if each session drew one of them, so that the totals are met exactly. What is said of
two policies is said of the difference in each session, never of two intervals side by side.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from vecdecay.arrow import Streamed
from vecdecay.errors import InvalidInputError
from vecdecay.parameters import brief
from vecdecay.policies.base import Policy
from vecdecay.run.along import Along, along, narrowed
from vecdecay.run.bounds import SIZES, Bounds, bounds
from vecdecay.run.paired import NO_RECALLS, RECALLS, TURNS, Estimate, Paired, Weights, paired
from vecdecay.run.simulate import checked_arguments

HIT_RATE = "hit_rate"
_ALLOWED = 'allowed: a number of items or tokens, such as "50 items" or "2000 tokens"'
_MOST_NARROWINGS = 12
_BUDGET = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(items?|tokens?)\s*")


class Target(NamedTuple):
    """What all policies are to have in common: a mean working set of so many "items" or "tokens", or a "hit_rate"."""

    value: float
    of: str

    @property
    def size(self) -> str:
        """Whether what is held is counted in items or tokens."""
        return self.of if self.of in SIZES else "items"

    def __str__(self) -> str:
        return f"a hit rate of {self.value:g}" if self.of == HIT_RATE else f"{self.value:g} {self.of}"


class Mixed(NamedTuple):
    """A policy between two neighbouring settings: ``weight`` is the share of ``high``; both are one where it is met.

    ``reached`` is False where no setting comes to the target: then the nearest stands for it.
    """

    found: Along
    low: int
    high: int
    weight: Fraction
    reached: bool


@dataclass(frozen=True)
class Comparison(Streamed):
    """Policies at a target. ``table`` has a row per policy, in the order given; ``differences`` one per pair.

    In ``table``: the two settings and the share of the higher one, what they hold per turn and their hit rate with 95 %
    intervals, and ``share_of_best``, the hits as a share of the most that any policy could have with so much held. In
    ``differences``, of policies that reach the target: the first minus the second, in hit rate at equal cost, in what
    is held per turn at an equal hit rate; ``differs`` where its 95 % interval does not cover 0. That interval allows
    for the settings having been chosen on the same sessions.
    """

    source: str
    sessions: int
    target: Target
    table: pa.Table
    differences: pa.Table

    def __repr__(self) -> str:
        names = ", ".join(self.table["policy"].to_pylist())
        return f"Comparison at {self.target}: {names} on {self.sessions:,} sessions of {self.source}"


def compare(
    source: Any,
    policies: Sequence[Any],
    *,
    at: str | None = None,
    at_hit_rate: float | None = None,
    seeds: Any = None,
    threads: int | None = None,
) -> Comparison:
    """Return how policies differ where they hold the same, or where they hit the same.

    Args:
        source, seeds, threads: as in :func:`simulate`.
        policies: one or several; the value of a policy's free parameter (its threshold, window, time to live or
            capacity) does not matter.
        at: what each is to hold on average, such as "50 items" or "2000 tokens".
        at_hit_rate: the share of the recalls that each is to hit, instead; between 0 and 1.

    Raises:
        InvalidInputError: names every argument that is wrong.

    >>> from vecdecay.policies import Ebbinghaus, RecencyWindow
    >>> from vecdecay.sessions import PublishedSessions
    >>> found = compare(PublishedSessions(), [Ebbinghaus(), RecencyWindow()], at="20 items", seeds=range(200))
    >>> [round(rate, 3) for rate in found.table["hit_rate"].to_pylist()]
    [1.0, 0.507]
    """
    problems: list[str] = []
    target = _target(at, at_hit_rate, problems)
    try:
        spec, _ = checked_arguments(source, policies, seeds, "sessions", "auto", None, threads)
    except InvalidInputError as error:
        raise InvalidInputError([*problems, *error.problems]) from None
    if problems or target is None:
        raise InvalidInputError(problems)
    best = bounds(source, seeds=seeds, size=target.size, threads=threads)
    if best.recalls == 0:
        raise InvalidInputError([NO_RECALLS])
    wanted = _total(target, best)
    entries = spec.policies
    mixed = [_mixed(one.policy, target, wanted, source, seeds, threads) for one in entries]
    played = [one.found.at(place) for one in mixed for place in (one.low, one.high)]
    sums = paired(source, played, target.size, seeds, threads)
    labels = [entry.label for entry in entries]
    rows = [_row(label, place, one, sums, best) for place, (label, one) in enumerate(zip(labels, mixed, strict=True))]
    pairs = combinations([place for place, one in enumerate(mixed) if one.reached], 2)
    differences = [_difference(labels, mixed, first, second, target, sums) for first, second in pairs]
    tables = (pa.Table.from_pylist(*one) for one in ((rows, _TABLE), (differences, _DIFFERENCES)))
    return Comparison(spec.workload_kind, len(spec.seeds), target, *tables)


_TABLE = pa.schema(
    [
        ("policy", pa.string()), ("parameter", pa.string()), ("exact", pa.bool_()), ("low", pa.float64()),
        ("high", pa.float64()), ("share_of_high", pa.float64()), ("reached", pa.bool_()), ("mean_size", pa.float64()),
        ("mean_size_low", pa.float64()), ("mean_size_high", pa.float64()), ("hit_rate", pa.float64()),
        ("hit_rate_low", pa.float64()), ("hit_rate_high", pa.float64()), ("share_of_best", pa.float64()),
    ]
)  # fmt: skip
_DIFFERENCES = pa.schema(
    [
        ("first", pa.string()), ("second", pa.string()), ("difference", pa.float64()), ("low", pa.float64()),
        ("high", pa.float64()), ("differs", pa.bool_()),
    ]
)  # fmt: skip


def _target(at: str | None, at_hit_rate: float | None, problems: list[str]) -> Target | None:
    """Return what is asked for; None, with a line, where that is nothing that can be."""
    if (at is None) == (at_hit_rate is None):
        problems.append("at and at_hit_rate: give exactly one of them")
        return None
    if at_hit_rate is not None:
        if isinstance(at_hit_rate, int | float) and 0 < at_hit_rate < 1:
            return Target(float(at_hit_rate), HIT_RATE)
        problems.append(f"at_hit_rate is {brief(at_hit_rate)}; allowed: a number between 0 and 1")
        return None
    match = _BUDGET.fullmatch(at) if isinstance(at, str) else None
    if match is None or float(match[1]) == 0:
        problems.append(f"at is {brief(at)}; {_ALLOWED}")
        return None
    return Target(float(match[1]), match[2].rstrip("s") + "s")


def _total(target: Target, best: Bounds) -> Fraction:
    """Return the target as a total over all sessions: hits, item-turns or token-turns."""
    return Fraction(repr(target.value)) * (best.recalls if target.of == HIT_RATE else best.session_turns)


def _mixed(policy: Policy, target: Target, wanted: Fraction, source: Any, seeds: Any, threads: int | None) -> Mixed:
    """Return a policy at the target, with more settings between two neighbours where not all are known."""
    found = along(source, policy, target.size, seeds, threads)
    for _ in range(_MOST_NARROWINGS):
        place = _place(found, target, wanted)
        more = narrowed(found, place - 1, source, target.size, seeds, threads)
        if more is found:
            break
        found = more
    totals = (found.hits if target.of == HIT_RATE else found.held).tolist()
    high = _place(found, target, wanted)
    if high < len(totals) and (totals[high] == wanted or high == 0):
        return Mixed(found, high, high, Fraction(0), totals[high] == wanted)
    if high == len(totals):
        return Mixed(found, high - 1, high - 1, Fraction(0), False)
    weight = (wanted - totals[high - 1]) / (totals[high] - totals[high - 1])
    return Mixed(found, high - 1, high, weight, True)


def _place(found: Along, target: Target, wanted: Fraction) -> int:
    """Return the place of the first setting that comes to the target or beyond, their number where none does."""
    totals = found.hits if target.of == HIT_RATE else found.held
    reaches = np.flatnonzero(totals.astype(object) >= wanted)
    return int(reaches[0]) if len(reaches) > 0 else len(totals)


def _weights(place: int, one: Mixed, sign: int = 1) -> Weights:
    return {2 * place: sign * (1 - one.weight), 2 * place + 1: sign * one.weight}


def _row(label: str, place: int, one: Mixed, sums: Paired, best: Bounds) -> dict[str, Any]:
    weights = _weights(place, one)
    size, rate = sums.mean_size(weights), sums.hit_rate(weights)
    hits = sum(weight * sums.hits(each) for each, weight in weights.items())
    held = sum(weight * sums.held(each) for each, weight in weights.items())
    low, high = (None if one.found.name is None else float(one.found.values[each]) for each in (one.low, one.high))
    return {
        "policy": label,
        "parameter": one.found.name,
        "exact": one.found.exact,
        "low": low,
        "high": high,
        "share_of_high": float(one.weight),
        "reached": one.reached,
        **_named("mean_size", size),
        **_named("hit_rate", rate),
        "share_of_best": best.share(hits, held),
    }


def _named(name: str, one: Estimate) -> dict[str, float | None]:
    value = None if one.value != one.value else one.value
    return {name: value, f"{name}_low": one.low, f"{name}_high": one.high}


def _difference(
    labels: Sequence[str], mixed: Sequence[Mixed], first: int, second: int, target: Target, sums: Paired
) -> dict[str, Any]:
    weights, chosen = Weights(), Weights()
    for place, sign in ((first, 1), (second, -1)):
        own = _weights(place, mixed[place], sign)
        weights |= own
        slope = _slope(mixed[place], target, sums, sums.hit_rate(_weights(place, mixed[place])))
        chosen |= {setting: -slope * weight for setting, weight in own.items() if slope}
    at_rate = target.of == HIT_RATE
    found = sums.mean_size(weights, chosen) if at_rate else sums.hit_rate(weights, chosen, is_rate=False)
    return {
        "first": labels[first],
        "second": labels[second],
        "difference": found.value,
        "low": found.low,
        "high": found.high,
        "differs": not found.covers_zero,
    }


def _slope(one: Mixed, target: Target, sums: Paired, rate: Estimate) -> Fraction:
    """Return by how much the one ratio changes with the other around the setting; 0 where there is no other setting.

    It is that of the line between settings that hit about a standard error less and more: from one setting to the next,
    both are steps, as small and as uneven as single recalls of these sessions are. That a setting meets the target
    without being mixed changes nothing: on other sessions it would be another one.
    """
    hits, held = np.maximum.accumulate(one.found.hits), one.found.held
    spread = 0.0 if rate.low is None or rate.high is None else (rate.high - rate.low) / 4
    reach = math.ceil(spread * sums.total(RECALLS))
    low = min(int(np.searchsorted(hits, int(hits[one.low]) - reach)), one.low)
    high = max(min(int(np.searchsorted(hits, int(hits[one.high]) + reach)), len(hits) - 1), one.high)
    more_hits = Fraction(int(hits[high] - hits[low]), sums.total(RECALLS))
    more_held = Fraction(int(held[high] - held[low]), sums.total(TURNS))
    if more_hits == 0 or more_held == 0:
        return Fraction(0)
    return more_held / more_hits if target.of == HIT_RATE else more_hits / more_held
