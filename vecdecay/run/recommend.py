"""``recommend``: the cheapest policy that surely meets a target, chosen on half of the sessions, confirmed on the rest.

What is chosen as the best of many on some sessions is in part the best by luck there. So the figures that are given are
those of the other half, which had no say in the choice of the policy. Along the settings of that policy, more is held
until the other half confirms it too: as what is held only grows, that is one test and not many.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import tomli_w

from vecdecay.arrow import Streamed
from vecdecay.errors import InvalidInputError
from vecdecay.own_file import kind_in_file
from vecdecay.parameters import Described, brief
from vecdecay.policies import POLICIES
from vecdecay.policies.base import Policy
from vecdecay.policies.recency_window import RecencyWindow
from vecdecay.run.along import Along, along, usual_policies
from vecdecay.run.bounds import Bounds, bounds
from vecdecay.run.paired import NO_RECALLS, RECALLS, TURNS, Estimate, Paired, paired
from vecdecay.run.simulate import checked_arguments
from vecdecay.sessions import WORKLOADS
from vecdecay.sessions.source import Recorded
from vecdecay.sweepfile.model import PolicyEntry, SweepSpec
from vecdecay.sweepfile.resolved import resolved_toml

FEWEST_SESSIONS = 8
AS_WELL, FLAT = 1.02, 1.05
POINT = Fraction(1, 100)
_ONE = Fraction(1)


class Candidate(NamedTuple):
    """A policy at the setting that the first half chose: ``place`` in ``found``, and that half's figures there."""

    found: Along
    place: int
    sums: Paired
    qualifies: bool

    @property
    def rate(self) -> Estimate:
        """The hit rate on the first half."""
        return self.sums.hit_rate({0: _ONE})

    @property
    def size(self) -> Estimate:
        """The tokens held per turn on the first half."""
        return self.sums.mean_size({0: _ONE})

    @property
    def policy(self) -> Policy:
        """The policy with its setting."""
        return self.found.at(self.place)


@dataclass(frozen=True)
class Recommendation(Streamed):
    """What to ship, and how sure that is.

    ``policy`` is None where nothing qualifies: then the first row of ``table`` is what comes closest. ``hit_rate`` and
    ``mean_tokens`` (tokens held per turn) are those of the sessions that had no part in choosing it, with 95 %
    intervals. ``table`` has a row per policy, those that qualify first, the cheapest of them first (for a budget: what
    hits most), with figures of the first half; ``share_of_best`` are its hits as a share of the most that any policy
    could have with so much held. ``flat`` are the least and the greatest value of the parameter that hold
    as much there, or up to 5 % more (for a budget: less). ``next_point_tokens`` is what one point of hit rate more
    costs, in tokens held per turn, None where none is to be had. ``window_does_as_well`` is a recency window that costs
    at most 2 % more (for a budget: hits at most 2 % less).
    """

    source: str
    sessions: int
    target: float | None
    budget: float | None
    policy: Policy | None
    hit_rate: Estimate | None
    mean_tokens: Estimate | None
    runner_up: Policy | None
    runner_up_more_tokens: Estimate | None
    flat: tuple[float, float] | None
    next_point_tokens: float | None
    window_does_as_well: Policy | None
    table: pa.Table
    spec: SweepSpec = field(repr=False, compare=False)

    def __repr__(self) -> str:
        asked = f"target {self.target:g}" if self.target is not None else f"budget {self.budget:g}"
        head = f"Recommendation ({asked}, {self.sessions:,} sessions of {self.source}): "
        if self.policy is None or self.hit_rate is None or self.mean_tokens is None:
            return f"{head}nothing qualifies"
        return f"{head}{self.policy!r}, hit rate {self.hit_rate.value:.3f} holding {self.mean_tokens.value:.2f} tokens"

    def toml(self, trace: Mapping[str, Any] | None = None) -> str:
        """Return the policy as a sweep file, for ``vecdecay run`` and for ``vecdecay replay --policy``.

        It holds the workload too; of a log what ``trace`` says (the table [trace]: ``path``, and how it is read), and
        without that the policy alone, which cannot be run.

        A policy or workload of a person's own is named by the whole path of its file.

        Raises:
            InvalidInputError: there is no policy, or it, or the workload, is defined in no file.
        """
        if self.policy is None:
            raise InvalidInputError(["nothing qualifies; there is no file to write"])
        (entry,) = self.spec.policies
        entry = replace(entry, kind=_kind_of(self.policy, POLICIES))
        spec = replace(self.spec, policies=(entry,))
        if isinstance(spec.workload, Recorded):
            tables = spec.tables()
            sweep = {name: tables["sweep"][name] for name in ("name", "detail")}
            found = {"sweep": sweep, "trace": dict(trace)} if trace is not None else {}
            return tomli_w.dumps({"schema": tables["schema"], **found, "policy": tables["policy"]}, indent=0)
        return resolved_toml(replace(spec, workload_kind=_kind_of(spec.workload, WORKLOADS)))


def _kind_of(described: Described, known: Sequence[type[Described]]) -> str:
    """Return what names a policy or workload in a sweep file."""
    kind = described.name if type(described) in known else kind_in_file(type(described))
    if kind is None:
        raise InvalidInputError(
            [f"{described.name} is defined in no file that could be named; there is no file to write"]
        )
    return kind


def recommend(
    source: Any,
    policies: Sequence[Any] | None = None,
    *,
    target: float | None = None,
    budget: float | None = None,
    seeds: Any = None,
    threads: int | None = None,
) -> Recommendation:
    """Return the policy that holds least and surely hits ``target``, or that hits most within ``budget``.

    "Surely" means by the lower end of the 95 % interval of the hit rate (of the upper end of what is held), on either
    half of the sessions. Every policy is tried at all settings of its free parameter.

    Args:
        source, seeds, threads: as in :func:`simulate`; at least 8 sessions. Every other one has no part in the choice.
        policies: those to choose from; all of the program that can be built if None.
        target: the share of the recalls that hit, between 0 and 1.
        budget: tokens held per turn on average; items, where all have the size 1.

    Raises:
        InvalidInputError: names every argument that is wrong.

    >>> from vecdecay.policies import Ebbinghaus, RecencyWindow
    >>> from vecdecay.sessions import PublishedSessions
    >>> found = recommend(PublishedSessions(), [Ebbinghaus(), RecencyWindow()], target=0.9, seeds=range(400))
    >>> found.policy.name, found.hit_rate.low >= 0.9
    ('ebbinghaus', True)
    """
    problems: list[str] = []
    if (target is None) == (budget is None):
        problems.append("target and budget: give exactly one of them")
    elif target is not None and not (isinstance(target, int | float) and 0 < target < 1):
        problems.append(f"target is {brief(target)}; allowed: a number between 0 and 1")
    elif budget is not None and not (isinstance(budget, int | float) and budget > 0):
        problems.append(f"budget is {brief(budget)}; allowed: a number of tokens above 0")
    given = usual_policies() if policies is None else policies
    try:
        spec, _ = checked_arguments(source, given, seeds, "sessions", "auto", None, threads)
    except InvalidInputError as error:
        raise InvalidInputError([*problems, *error.problems]) from None
    if len(spec.seeds) < FEWEST_SESSIONS:
        problems.append(f"there are {len(spec.seeds)} sessions; allowed: at least {FEWEST_SESSIONS}")
    if problems:
        raise InvalidInputError(problems)
    wanted = _Wanted(_decimal(target) if target is not None else None, _decimal(budget or 0), spec.workload, threads)
    halves = spec.seeds[0::2], spec.seeds[1::2]
    candidates = wanted.ordered(wanted.candidate(entry.policy, halves[0]) for entry in spec.policies)
    if candidates[0].sums.total(RECALLS) == 0:
        raise InvalidInputError([NO_RECALLS])
    confirmed = wanted.confirmed(candidates, halves[1])
    labels = {entry.policy: entry.label for entry in spec.policies}
    best = bounds(source, seeds=halves[0], size="tokens", threads=threads)
    table = pa.Table.from_pylist([_row(labels[one.found.policy], one, best) for one in candidates], _TABLE)
    head = (spec.workload_kind, len(spec.seeds), target, budget)
    if confirmed is None:
        return Recommendation(*head, None, None, None, None, None, None, None, None, table, spec)
    entry = PolicyEntry(labels[confirmed.found.policy], confirmed.policy.name, confirmed.policy)
    spec = replace(spec, name="recommended", policies=(entry,), detail="sessions")
    return wanted.answer(head, confirmed, [one for one in candidates if one.qualifies], halves[1], table, spec)


_TABLE = pa.schema(
    [
        ("policy", pa.string()), ("parameter", pa.string()), ("value", pa.float64()), ("qualifies", pa.bool_()),
        ("hit_rate", pa.float64()), ("hit_rate_low", pa.float64()), ("mean_tokens", pa.float64()),
        ("mean_tokens_high", pa.float64()), ("share_of_best", pa.float64()),
    ]
)  # fmt: skip


def _decimal(value: float) -> Fraction:
    """Return a number as it is written: 0.9 is nine tenths."""
    return Fraction(repr(float(value)))


def _row(label: str, one: Candidate, best: Bounds) -> dict[str, Any]:
    name = one.found.name
    return {
        "policy": label,
        "parameter": name,
        "value": None if name is None else float(one.found.values[one.place]),
        "qualifies": one.qualifies,
        "hit_rate": one.rate.value,
        "hit_rate_low": one.rate.low,
        "mean_tokens": one.size.value,
        "mean_tokens_high": one.size.high,
        "share_of_best": best.share(one.sums.hits(0), one.sums.held(0)),
    }


class _Wanted(NamedTuple):
    """What is asked for: a hit rate, or, where that is None, as many hits as possible within a budget."""

    target: Fraction | None
    budget: Fraction
    source: Any
    threads: int | None

    def candidate(self, policy: Policy, seeds: Any) -> Candidate:
        """Return the least setting that surely meets the target on these sessions, the greatest within the budget."""
        found = along(self.source, policy, "tokens", seeds, self.threads)
        last = len(found.held) - 1
        if self.target is not None:
            place = _first(lambda place: self._meets(found, place, seeds), 0, last)
        else:
            place = _first(lambda place: not self._meets(found, place, seeds), 0, last) - 1
        qualifies = 0 <= place <= last
        place = min(max(place, 0), last)
        return Candidate(found, place, self._figures(found, place, seeds), qualifies)

    def ordered(self, candidates: Any) -> list[Candidate]:
        """Return the candidates, the best first; those that do not qualify by how near they come."""

        def rank(one: Candidate) -> tuple[bool, float, float]:
            if self.target is not None:
                return (not one.qualifies, one.size.value if one.qualifies else -(one.rate.low or 0.0), -one.rate.value)
            return (not one.qualifies, -one.rate.value if one.qualifies else one.size.value, one.size.value)

        return sorted(candidates, key=rank)

    def confirmed(self, candidates: Sequence[Candidate], seeds: Any) -> Candidate | None:
        """Return the best candidate that these sessions confirm too, at the setting to which they move it."""
        for one in candidates:
            if not one.qualifies:
                break
            if self.target is not None:
                last = len(one.found.held) - 1
                place = _first(lambda place, one=one: self._meets(one.found, place, seeds), one.place, last)  # type: ignore[misc]
            else:
                place = _first(lambda place, one=one: not self._meets(one.found, place, seeds), 0, one.place) - 1  # type: ignore[misc]
            if 0 <= place < len(one.found.held):
                return one._replace(place=place)
        return None

    def answer(
        self,
        head: tuple[str, int, float | None, float | None],
        best: Candidate,
        candidates: Sequence[Candidate],
        seeds: Any,
        table: pa.Table,
        spec: SweepSpec,
    ) -> Recommendation:
        """Return what is said of the best candidate."""
        others = [one for one in candidates if one.found.policy != best.found.policy]
        sums = paired(self.source, [one.policy for one in (best, *others[:1])], "tokens", seeds, self.threads)
        more = sums.mean_size({1: _ONE, 0: -_ONE}) if others else None
        window = next((one for one in others if type(one.found.policy) is RecencyWindow), None)
        as_well = window is not None and self._as_well(window, best)
        return Recommendation(
            *head,
            best.policy,
            sums.hit_rate({0: _ONE}),
            sums.mean_size({0: _ONE}),
            others[0].policy if others else None,
            more,
            self._flat(best),
            _next_point(best),
            window.policy if window is not None and as_well else None,
            table,
            spec,
        )

    def _as_well(self, other: Candidate, best: Candidate) -> bool:
        """Tell whether another candidate is at most 2 % worse on the first half."""
        if self.target is None:
            return AS_WELL * int(other.found.hits[other.place]) >= int(best.found.hits[best.place])
        return int(other.found.held[other.place]) <= AS_WELL * int(best.found.held[best.place])

    def _figures(self, found: Along, place: int, seeds: Any) -> Paired:
        return paired(self.source, [found.at(place)], "tokens", seeds, self.threads)

    def _meets(self, found: Along, place: int, seeds: Any) -> bool:
        sums = self._figures(found, place, seeds)
        if self.target is not None:
            low = sums.hit_rate({0: _ONE}).low
            return low is not None and low >= self.target
        high = sums.mean_size({0: _ONE}).high
        return high is not None and high <= self.budget

    def _flat(self, best: Candidate) -> tuple[float, float] | None:
        """Return the values of settings that hold at least as much, up to 5 % more; for a budget, 5 % less."""
        found, held = best.found, best.found.held
        if found.name is None:
            return None
        own = int(held[best.place])
        low, high = (own, own * FLAT) if self.target is not None else (own / FLAT, own)
        values = found.values[(held >= low) & (held <= high)]
        return float(values.min()), float(values.max())


def _first(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Return the first place from ``low`` to ``high`` at which something holds that holds ever after, else high + 1."""
    while low <= high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle - 1
        else:
            low = middle + 1
    return low


def _next_point(best: Candidate) -> float | None:
    """Return how much more is held per turn, on the first half, where a point more of the recalls hit."""
    found, place = best.found, best.place
    wanted = int(found.hits[place]) + POINT * best.sums.total(RECALLS)
    enough = np.flatnonzero(found.hits.astype(object) >= wanted)
    if len(enough) == 0:
        return None
    return int(found.held[enough[0]] - found.held[place]) / best.sums.total(TURNS)
