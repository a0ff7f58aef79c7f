"""Plays a block under a cache policy, session by session in the order of play."""

import numpy as np
from numpy.typing import NDArray

from vecdecay.compile import ordinary_arithmetic
from vecdecay.engines.cohorts import CohortFate, Fates
from vecdecay.engines.kernels import orders
from vecdecay.engines.kernels.cache_kernel import play_caches
from vecdecay.engines.kernels.queues import NUM_COUNTS, NUM_LINKS
from vecdecay.engines.outcome import BlockOutcome, Wanted
from vecdecay.engines.scratch import scratch
from vecdecay.engines.sums import NO_COUNTS, NO_TURNS, Written, outcome_of, playable_block, room_for
from vecdecay.policies.base import Policy
from vecdecay.policies.belady import Belady
from vecdecay.policies.cache import CachePolicy
from vecdecay.policies.fifo import Fifo
from vecdecay.policies.gdsf import Gdsf
from vecdecay.policies.lfu import FIRST_INSERTED, Lfu
from vecdecay.policies.lru import Lru
from vecdecay.policies.random_eviction import RandomEviction
from vecdecay.policies.s3_fifo import S3Fifo
from vecdecay.policies.sieve import Sieve
from vecdecay.sessions.block import SessionBlock

_KINDS: dict[type[CachePolicy], int] = {
    Lru: orders.LRU,
    Fifo: orders.FIFO,
    Sieve: orders.SIEVE,
    S3Fifo: orders.S3_FIFO,
    Lfu: orders.LFU,
    Gdsf: orders.GDSF,
    Belady: orders.BELADY,
    RandomEviction: orders.RANDOM,
}


def can_play(policy: Policy) -> bool:
    """Tell whether the policy is a cache policy."""
    return isinstance(policy, CachePolicy)


def play(block: SessionBlock, policy: Policy, wanted: Wanted, reuse: bool = False) -> BlockOutcome:
    """Return what the sessions came to under a cache policy. Items of cohorts compete, so they are listed."""
    if not isinstance(policy, CachePolicy):
        raise TypeError(f"{type(policy).__name__} is not a cache policy")
    block = playable_block(block, wanted, list_cohorts=True)
    fates = Fates(block, lambda cohort, length: CohortFate(cohort, 0, length))  # never asked: no cohort is left
    return outcome_of(_play(block, policy, wanted), fates, wanted, reuse)


def _play(block: SessionBlock, policy: CachePolicy, wanted: Wanted) -> Written:
    written = room_for(block, wanted, has_stability=False)
    order, touch_item = block.by_turn
    tokens = NO_COUNTS if block.item_tokens is None else block.item_tokens
    expires = NO_COUNTS if block.item_expires is None else block.item_expires
    numbers = _numbers(policy)
    with ordinary_arithmetic():
        play_caches(
            block.session_length,
            block.item_start,
            block.touch_start,
            block.touch_turn,
            block.touch_kind,
            order,
            touch_item,
            inverse_of(order) if numbers[orders.KIND] == orders.BELADY else NO_TURNS,
            NO_COUNTS if block.item_attributes is None else block.item_attributes,
            np.array([one.pinned for one in block.attributes], dtype=np.bool_),
            tokens if policy.counts_tokens() else NO_COUNTS,
            tokens,
            expires,
            NO_TURNS if block.seed_keys is None else block.seed_keys,
            numbers,
            wanted.relearn,
            *_order(block),
            scratch("due_items", 2 * max(block.lengths, default=0) + 2 if len(expires) > 0 else 0, np.int32),
            written.fields,
            written.sums,
            *written.interval_arrays(),
        )
    return written


def _numbers(policy: CachePolicy) -> orders.Numbers:
    kind = next(_KINDS[one] for one in type(policy).__mro__ if one in _KINDS)
    if isinstance(policy, Lfu) and policy.tie == FIRST_INSERTED:
        kind = orders.LFU_FIRST_INSERTED
    if isinstance(policy, S3Fifo):
        shares = policy.small_limit(), policy.main_limit(), policy.ghost_limit()
        return kind, policy.limit(), *shares, policy.move_threshold
    return kind, policy.limit(), 0, 0, 0, 0


def _order(block: SessionBlock) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
    """Return room for the order of the items of the largest session; see ``kernels.queues``."""
    most = int(np.diff(block.item_start).max(initial=0))
    return (
        scratch("order_links", NUM_LINKS * most, np.int32),
        scratch("order_counts", NUM_COUNTS, np.int64),
        scratch("order_heap", most, np.int32),
        scratch("order_ranks", most + 1, np.float64),
    )


def inverse_of(order: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the place of each touch in the order of play."""
    place_of = np.empty_like(order)
    place_of[order] = np.arange(len(order))
    return place_of
