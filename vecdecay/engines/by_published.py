"""Plays published sessions while they are generated, where only totals per session are asked for."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vecdecay.compile import ordinary_arithmetic
from vecdecay.engines import by_horizon
from vecdecay.engines.cohorts import CohortTotals, Count
from vecdecay.engines.kernels.published_kernel import (
    EVICTED,
    GROUP,
    HITS,
    NUM_ROWS,
    RECALLS,
    SURVIVAL_SUM,
    WORKING_SET_SUM,
    play_published,
)
from vecdecay.engines.lookup import fates_for, plain_horizons
from vecdecay.engines.outcome import BlockOutcome
from vecdecay.engines.scratch import scratch
from vecdecay.policies import POLICIES
from vecdecay.policies.base import Policy, TablePolicy
from vecdecay.policies.rules import PLAIN_RULES
from vecdecay.sessions.block import SessionBlock
from vecdecay.sessions.mersenne import Seeds, seed_key_words
from vecdecay.sessions.published import PublishedSessions, lanes_state
from vecdecay.sessions.source import Source

_SLOTS = 4096
"""Different numbers of a policy that are counted at once: two tables of 64 kB."""

_MOST_TOUCHES = 4096  # a session; with more, a group no longer fits the cache, and nothing is gained
_MOST_TURNS = 2**29  # the kernel's turns are 32 bits, and it adds a session's length to one of them


def can_play(workload: Source, policies: Sequence[Policy]) -> bool:
    """Tell whether sessions and policies are of the kinds that this way of playing knows."""
    if type(workload) is not PublishedSessions or not 0 < workload.sizes().touches <= _MOST_TOUCHES:
        return False
    if workload.session_length > _MOST_TURNS:
        return False
    # A policy of one's own is looked at before it is played, which the block path does.
    return all(
        type(policy) in POLICIES and by_horizon.can_play(policy) and policy.rules() == PLAIN_RULES
        for policy in policies
    )


@lru_cache(maxsize=16)
def _first_block(workload: PublishedSessions) -> SessionBlock:
    return workload.block(range(1))


_EVERYWHERE = ("session_length", "foundational_items", "registered_tokens", "registrations")
_OF_RECALLS = ("recalls", "misses")
_OF_ITEMS = ("foundational_present", "foundational_evicted", "survival_sum", "working_set_sum", "token_turns")


class Counted(NamedTuple):
    """Outcomes of which the columns of recalls, or those that metrics need of items, occurred together so many
    ``times`` (outcome,). Counted at once, they would be many times as many.
    """

    outcome: BlockOutcome
    times: NDArray[np.int64]
    of_recalls: bool

    @property
    def names(self) -> tuple[str, ...]:
        """Return the columns that hold: those that are counted here, and those that are the same in every session."""
        return (*_EVERYWHERE, *(_OF_RECALLS if self.of_recalls else _OF_ITEMS))


class _Lookup(NamedTuple):
    """What is looked up of a policy: the horizons of items (recall,), cut where no session has so long a gap, and what
    becomes of each cohort.
    """

    horizon: NDArray[np.int32]
    cohorts: CohortTotals


@lru_cache(maxsize=4096)
def _lookup(workload: PublishedSessions, policy: TablePolicy) -> _Lookup:
    block = _first_block(workload)
    horizon = np.minimum(plain_horizons(policy, block.max_recalls), _longest_gaps(workload))
    return _Lookup(horizon.astype(np.int32), fates_for(policy, block).totals())


@lru_cache(maxsize=16)
def _longest_gaps(workload: PublishedSessions) -> NDArray[np.int64]:
    """Return how many turns may pass after the k-th touch of a fact until the next one, or the end of the session and
    the turn after it; shape (recall + 1,). With a longer life nothing changes.
    """
    low, high = workload.recall_jitter_range
    end = workload.session_length + 1
    first, last, gaps = 1, 1, []
    for offset in workload.recall_base_offsets[: workload.num_recalls()]:
        near, far = sorted(float(np.rint(offset * (low + (high - low) * draw))) for draw in (0.0, 1.0))
        last = int(min(end, max(last + 1, 1 + min(far, end))))
        gaps.append(max(1, last - first))
        first = int(min(end, max(first + 1, 1 + min(near, end))))
    return np.array([*gaps, max(1, end - first)], dtype=np.int64)


def decisive(workload: Source, policy: Policy) -> tuple[bytes, CohortTotals]:
    """Return what of a policy decides the outcomes of all sessions: where it is equal, they are.

    A threshold changes them at some values only; in between the horizons are the same, up to the end of a session.
    """
    assert isinstance(workload, PublishedSessions)
    assert isinstance(policy, TablePolicy)
    lookup = _lookup(workload, policy)
    return lookup.horizon.tobytes(), lookup.cohorts


def play(workload: Source, seeds: Seeds, policies: Sequence[Policy]) -> Iterator[BlockOutcome]:
    """Yield what the sessions of the seeds came to under each policy, equal to what playing them as a block yields."""
    player = _Player(workload, seeds, policies)
    results = np.empty(len(player.lookups) * NUM_ROWS * len(seeds), dtype=np.int64)
    player.play(0, results, None, None, None)
    for lookup, totals in zip(player.lookups, results.reshape(-1, NUM_ROWS, len(seeds)), strict=True):
        yield _outcome(player.workload, lookup, totals)


def count(workload: Source, seeds: Seeds, policies: Sequence[Policy]) -> Iterator[tuple[int, Counted]]:
    """Yield the place of a policy and how often its sessions came to what, of facts and of recalls.

    A policy comes up several times where that is too much to be counted at once. Facts are played once for policies
    that treat them alike.
    """
    player = _Player(workload, seeds, policies)
    lookups = player.lookups
    alike = {lookup.horizon.tobytes(): lookup for lookup in lookups}
    player.lookups = list(alike.values())
    rows = [list(alike).index(lookup.horizon.tobytes()) for lookup in lookups]
    num_tables = 2 * len(alike)
    times = scratch("streaming_times", num_tables * _SLOTS, np.int64)
    keys = scratch("streaming_keys", num_tables * _SLOTS, np.int64)
    first = 0
    while first < len(seeds):
        times[:] = 0
        first = player.play(first, None, keys, times, np.zeros(num_tables, dtype=np.int64))
        for place, lookup in enumerate(lookups):
            for table, of_recalls in enumerate((False, True), 2 * rows[place]):
                own = slice(table * _SLOTS, (table + 1) * _SLOTS)
                taken = np.flatnonzero(times[own])
                totals = _totals_of(player.workload, keys[own][taken], of_recalls)
                yield place, Counted(_outcome(player.workload, lookup, totals), times[own][taken], of_recalls)


def _totals_of(workload: PublishedSessions, keys: NDArray[np.int64], of_recalls: bool) -> NDArray[np.int64]:
    """Return the totals (NUM_ROWS, key) that the numbers counted by the kernel stand for."""
    totals = np.zeros((NUM_ROWS, len(keys)), dtype=np.int64)
    facts, length = workload.num_foundational, workload.session_length
    if of_recalls:
        totals[HITS], totals[RECALLS] = np.divmod(keys, facts * workload.num_recalls() + 1)
    else:
        totals[EVICTED], totals[SURVIVAL_SUM] = np.divmod(keys, facts * length + 1)
        totals[WORKING_SET_SUM] = (facts - totals[EVICTED]) * length + totals[SURVIVAL_SUM]
    return totals


class _Player:
    """The arguments of the kernel for some seeds and policies."""

    def __init__(self, workload: Source, seeds: Seeds, policies: Sequence[Policy]) -> None:
        assert isinstance(workload, PublishedSessions)
        self.workload = workload
        self.seeds = seeds
        self.lookups = [_lookup(workload, policy) for policy in policies if isinstance(policy, TablePolicy)]
        self.keys = seed_key_words(seeds)

    def play(
        self,
        first: int,
        results: NDArray[np.int64] | None,
        keys: NDArray[np.int64] | None,
        times: NDArray[np.int64] | None,
        used: NDArray[np.int64] | None,
    ) -> int:
        """Play the seeds from place ``first`` on; return the place where the kernel stopped."""
        workload = self.workload
        facts, recalls = workload.num_foundational, workload.num_recalls()
        low, high = workload.recall_jitter_range
        with ordinary_arithmetic():
            return play_published(
                *self.keys,
                first,
                len(self.seeds),
                workload.session_length,
                facts,
                np.array(workload.recall_base_offsets[:recalls], dtype=np.float64),
                low,
                high - low,
                np.concatenate([lookup.horizon for lookup in self.lookups]),
                lanes_state(),
                scratch("streaming_draws", GROUP * facts * recalls, np.float64),
                scratch("streaming_turns", GROUP * facts * recalls, np.int32),
                scratch("streaming_lives", GROUP * 2, np.int32),
                scratch("streaming_totals", GROUP * NUM_ROWS, np.int64),
                results,
                keys,
                times,
                used,
            )


def _outcome(workload: PublishedSessions, lookup: _Lookup, totals: NDArray[np.int64]) -> BlockOutcome:
    """Name the rows, and add what is the same in every session: the cohorts' part, and what was registered."""
    cohorts = lookup.cohorts
    num_sessions = totals.shape[1]
    facts = workload.num_foundational
    evicted, survival_sum, minimum, maximum, hits, working_set_sum, recalls = totals

    def everywhere(value: Count) -> NDArray[np.int64]:
        return np.full(num_sessions, value, dtype=np.int64)

    return BlockOutcome(
        session_length=everywhere(workload.session_length),
        foundational_items=everywhere(facts),
        foundational_present=facts - evicted,
        foundational_evicted=evicted,
        survival_sum=survival_sum,
        survival_minimum=minimum,
        survival_maximum=maximum,
        items_evicted=evicted + cohorts.items_evicted,
        working_set_sum=working_set_sum + cohorts.working_set_sum,
        token_turns=working_set_sum + cohorts.token_turns,
        registered_tokens=everywhere(facts + cohorts.registered_tokens),
        registrations=everywhere(facts + cohorts.registrations),
        recalls=recalls,
        misses=recalls - hits,
        checkpoint_present=np.empty((0, num_sessions), dtype=np.int32),
    )
