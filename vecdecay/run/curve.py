"""``curve``: what a policy comes to for every value of one of its parameters, from one pass over the sessions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from vecdecay.arrow import Streamed
from vecdecay.engines.by_curve import Tally, merged, tally_block
from vecdecay.engines.keeping import INSTEAD, Keeping, parameter_named
from vecdecay.engines.kernels.curve_kernel import (
    FOUNDATIONAL,
    HITS,
    NUM_COUNTS,
    NUM_TOTALS,
    PRESENT,
    RECALLS,
    REGISTERED_TOKENS,
    REGISTRATIONS,
    SESSION_TURNS,
    TOKEN_TURNS,
    TURNS,
)
from vecdecay.engines.kernels.stack_kernel import HIT_TOKENS
from vecdecay.engines.registry import play_block
from vecdecay.engines.stack_curve import CAPACITY, STACK_POLICIES, Capacities, tally_capacities
from vecdecay.errors import InvalidInputError
from vecdecay.parameters import brief
from vecdecay.policies.base import Policy
from vecdecay.run.over_blocks import over_blocks
from vecdecay.run.simulate import checked_arguments
from vecdecay.sessions.block import SessionBlock
from vecdecay.sweepfile.model import SweepSpec

# What is added up of outcomes; the first are the totals of the kernel, in its order.
_SUMMED: tuple[str, ...] = ("recalls", "registrations", "registered_tokens", "foundational_items", "session_length")
_SUMMED += ("misses", "foundational_present", "working_set_sum", "token_turns")


@dataclass(frozen=True)
class Curve(Streamed):
    """Step functions of one parameter: between two steps nothing changes in any session.

    ``table`` has a row per step, ascending: the values ``from`` … ``to`` of the parameter for which the row holds, and
    totals over all sessions beside the ratios of these totals. ``to`` belongs to the row where ``includes_to``, else
    ``from`` does; the ends of what the parameter may be belong to theirs. ``every_value`` is False where only given
    values were played; ``from`` and ``to`` are the value then.
    """

    policy: Policy
    parameter: str
    source: str
    sessions: int
    includes_to: bool
    every_value: bool
    table: pa.Table

    def at(self, value: float) -> dict[str, Any]:
        """Return the row that holds for a value of the parameter.

        Raises:
            InvalidInputError: the parameter cannot have it, or it was not played.
        """
        start, end = self.table["from"].to_numpy(), self.table["to"].to_numpy()
        if self.every_value:
            place = int(np.searchsorted(end, value, side="left" if self.includes_to else "right"))
            place = min(place, len(end) - 1)
        else:
            place = int(np.argmax(start == value))
        if not start[place] <= value <= end[place]:
            raise InvalidInputError([f"{self.parameter} is {brief(value)}; allowed: {start[0]:g} to {end[-1]:g}"])
        row: dict[str, Any] = self.table.slice(place, 1).to_pylist()[0]
        return row

    def __repr__(self) -> str:
        what = "steps" if self.every_value else "values"
        return (
            f"Curve: {self.policy.name}.{self.parameter} on {self.sessions:,} sessions of {self.source}, "
            f"{self.table.num_rows:,} {what}"
        )


def curve(
    source: Any,
    policy: Any,
    parameter: str,
    *,
    seeds: Any = None,
    values: Sequence[float] | None = None,
    threads: int | None = None,
) -> Curve:
    """Return what a policy comes to on a source for every value of a parameter: a threshold, a window, a time to live,
    the capacity in items of LRU and of Belady's policy.

    One pass over the sessions serves all values, by the hardest pass that each item meets. Where that is not enough
    (the state of an item depends on the parameter, or a miss registers its item anew) name ``values``: each is played.

    Args:
        source: as in :func:`simulate`.
        policy: one policy; its own value of the parameter does not matter.
        parameter: the name of a number of the policy.
        seeds: as in :func:`simulate`.
        values: values of the parameter to play one by one, instead of all in one pass.
        threads: how many blocks are counted at once; as many as there are processors if None.

    Raises:
        InvalidInputError: an argument is wrong, or one pass cannot answer; one line each.

    >>> from vecdecay.policies import RecencyWindow
    >>> from vecdecay.sessions import PublishedSessions
    >>> found = curve(PublishedSessions(), RecencyWindow(), "window_size", seeds=range(50))
    >>> [found.at(window)["foundational_recall_rate"] for window in (90, 117)]
    [0.0, 1.0]
    """
    spec, threads = checked_arguments(source, policy, seeds, "sessions", "auto", None, threads)
    if len(spec.policies) > 1:
        raise InvalidInputError([f"policy is a list of {len(spec.policies)}; allowed: one policy"])
    played = spec.policies[0].policy
    if values is not None:
        parameter_named(played, parameter)
        table = _played(spec, parameter, values, threads)
        return Curve(played, parameter, spec.workload_kind, len(spec.seeds), True, False, table)
    relearns = spec.workload.relearns
    keeping: Keeping | Capacities
    if type(played) in STACK_POLICIES and parameter == CAPACITY:
        keeping = Capacities(played)
        tally = over_blocks(spec, threads, lambda block: tally_capacities(block, played, relearns), merged)
    elif relearns:
        raise InvalidInputError(
            [f"a miss registers its item anew, so that the state of an item depends on {parameter}; {INSTEAD}"]
        )
    else:
        solved = keeping = Keeping(played, parameter)
        tally = over_blocks(spec, threads, lambda block: tally_block(block, solved), merged)
    table = _table(tally, keeping, relearns)
    return Curve(played, parameter, spec.workload_kind, len(spec.seeds), not keeping.falls, True, table)


def _table(tally: Tally, keeping: Keeping | Capacities, relearns: bool) -> pa.Table:
    """Return a row per range of values in which nothing changes, as far as the parameter may have them."""
    counts = np.cumsum(tally.counts[:, ::-1], axis=1)[:, ::-1]  # of this level and all above
    lowest, highest = sorted((keeping.level_of(keeping.low), keeping.level_of(keeping.high)))
    inside = (tally.level >= lowest) & (np.append(-np.inf, tally.level[:-1]) < highest)
    stop, counts = np.minimum(tally.level, highest)[inside], counts[:, inside]
    changes = np.append(np.any(np.diff(counts, axis=1) != 0, axis=0), True)
    stop, counts = stop[changes], counts[:, changes]
    start = np.append(lowest, stop[:-1])
    if keeping.falls:
        start, stop, counts = -stop[::-1], -start[::-1], counts[:, ::-1]
    same = np.repeat(tally.totals[:, None], len(stop), axis=1)
    if relearns:  # each miss is one more registration
        same[REGISTRATIONS] += same[RECALLS] - counts[HITS]
        same[REGISTERED_TOKENS] += same[NUM_TOTALS] - counts[HIT_TOKENS]
    return _columns(start, stop, counts, same)


def _columns(
    start: NDArray[np.float64], stop: NDArray[np.float64], counts: NDArray[np.int64], totals: NDArray[np.int64]
) -> pa.Table:
    """Return totals and their ratios, one division each; see ``Curve.table``. ``counts`` and ``totals`` (…, row)."""
    recalls, foundational, turns = (totals[place].tolist() for place in (RECALLS, FOUNDATIONAL, SESSION_TURNS))
    hits, present = counts[HITS].tolist(), counts[PRESENT].tolist()
    held, tokens = counts[TURNS].tolist(), counts[TOKEN_TURNS].tolist()

    def share(of: list[int], all_of: list[int], otherwise: float | None) -> pa.Array:
        pairs = zip(of, all_of, strict=True)
        return pa.array([one / every if every else otherwise for one, every in pairs], pa.float64())

    return pa.table(
        {
            "from": pa.array(start, pa.float64()),
            "to": pa.array(stop, pa.float64()),
            "recalls": pa.array(recalls, pa.int64()),
            "misses": pa.array([every - one for one, every in zip(hits, recalls, strict=True)], pa.int64()),
            "hit_rate": share(hits, recalls, None),
            "foundational_items": pa.array(foundational, pa.int64()),
            "foundational_present": pa.array(present, pa.int64()),
            "foundational_recall_rate": share(present, foundational, 1.0),
            "registrations": pa.array(totals[REGISTRATIONS], pa.int64()),
            "registered_tokens": pa.array(totals[REGISTERED_TOKENS], pa.int64()),
            "working_set_sum": pa.array(held, pa.int64()),
            "mean_working_set": share(held, turns, None),
            "token_turns": pa.array(tokens, pa.int64()),
            "mean_working_set_tokens": share(tokens, turns, None),
        }
    )


def _added(each: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    found: NDArray[np.int64] = np.sum(np.stack(each), axis=0)
    return found


def _played(spec: SweepSpec, parameter: str, values: Sequence[float], threads: int) -> pa.Table:
    """Play the policy with each value, and add up what the sessions came to."""
    policy, relearn = spec.policies[0].policy, spec.workload.relearns
    listed = sorted(set(values))
    problems = [] if listed else [f"values is empty; allowed: one or more values of {parameter}"]
    policies: list[Policy] = []
    for value in listed:
        try:
            policies.append(type(policy).build({**policy.values(), parameter: value}))
        except InvalidInputError as error:
            problems += error.problems
    if problems:
        raise InvalidInputError(problems)

    def totals(block: SessionBlock) -> NDArray[np.int64]:
        each = [play_block(block, one, relearn=relearn) for one in policies]
        return np.array([[getattr(one, name).sum() for one in each] for name in _SUMMED], dtype=np.int64)

    sums: NDArray[np.int64] = over_blocks(spec, threads, totals, _added)
    found = dict(zip(_SUMMED, sums, strict=True))
    counts = np.zeros((NUM_COUNTS, len(listed)), dtype=np.int64)
    counts[HITS] = found["recalls"] - found["misses"]
    for place, name in ((PRESENT, "foundational_present"), (TURNS, "working_set_sum"), (TOKEN_TURNS, "token_turns")):
        counts[place] = found[name]
    ends = np.array(listed, dtype=np.float64)
    return _columns(ends, ends, counts, np.array([found[name] for name in _SUMMED[:NUM_TOTALS]]))
