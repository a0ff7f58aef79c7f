"""The hits of every capacity at once, for policies whose larger memories hold what the smaller ones do."""

import numpy as np
from numpy.typing import NDArray

from vecdecay.engines.by_cache import inverse_of
from vecdecay.engines.kernels.stack_kernel import NUM_STATES, STEP, play_stack
from vecdecay.engines.scratch import scratch
from vecdecay.engines.sums import NO_COUNTS, NO_TURNS
from vecdecay.errors import InvalidInputError
from vecdecay.policies.base import Policy
from vecdecay.policies.belady import Belady
from vecdecay.policies.lru import Lru
from vecdecay.sessions.block import SessionBlock

STACK_POLICIES: tuple[type[Policy], ...] = (Lru, Belady)
"""Policies that :func:`hits_by_capacity` plays. LFU is none: its counts start anew at an eviction."""


def hits_by_capacity(block: SessionBlock, policy: Policy, most: int, relearn: bool = False) -> NDArray[np.int64]:
    """Return the hits under ``policy`` with ``capacity_items`` = 1 … ``most``, in one pass; its own is not read.

    Shape (session, capacity - 1); the same, to the bit, as ``recalls - misses`` of each capacity played by itself,
    pins, requests to forget, last turns and ``relearn`` (a miss registers its item anew) included. The time of an event
    grows with ``most``, as far as that many items are there.

    Raises:
        InvalidInputError: the policy is no stack policy, or ``most`` is not at least 1.

    Source: R. L. Mattson, J. Gecsei, D. R. Slutz, I. L. Traiger (1970), "Evaluation techniques for storage
    hierarchies", IBM Systems Journal 9(2), 78-117.

    >>> from vecdecay.sessions.blocks import block_of
    >>> from vecdecay.sessions.session import session_of
    >>> session = session_of([(turn, "recall", item) for turn, item in enumerate("abcab", 1)])
    >>> hits_by_capacity(block_of([session]), Lru(), most=4, relearn=True).tolist()
    [[0, 0, 2, 2]]
    """
    problems = []
    if not isinstance(policy, STACK_POLICIES):
        allowed = ", ".join(one.name for one in STACK_POLICIES)
        problems.append(
            f"policy is {policy.name}; allowed: {allowed}, whose larger memories hold all that smaller ones do"
        )
    if most < 1:
        problems.append(f"most is {most}; allowed: an integer at least 1")
    if problems:
        raise InvalidInputError(problems)
    block = block.with_cohorts_listed()
    order, touch_item = block.by_turn
    items = int(np.diff(block.item_start).max(initial=0))
    touches = int(np.diff(block.touch_start[block.item_start]).max(initial=0))
    slots = min(most, items) + 1  # more slots than items stay empty
    hits = np.zeros(block.num_sessions * slots, dtype=np.int64)
    play_stack(
        block.session_length,
        block.item_start,
        block.touch_start,
        block.touch_turn,
        block.touch_kind,
        order,
        touch_item,
        inverse_of(order) if isinstance(policy, Belady) else NO_TURNS,
        NO_COUNTS if block.item_attributes is None else block.item_attributes,
        np.array([one.pinned for one in block.attributes], dtype=np.bool_),
        NO_COUNTS if block.item_expires is None else block.item_expires,
        isinstance(policy, Belady),
        relearn,
        scratch("stack", slots + STEP, np.int32),
        scratch("stack_state", NUM_STATES, np.int64),
        scratch("stack_key", items, np.int32),
        scratch("stack_item", 2 * touches + 1, np.int32),
        hits,
    )
    curve = np.cumsum(hits.reshape(block.num_sessions, slots)[:, 1:], axis=1)
    if slots == 1:
        return np.zeros((block.num_sessions, most), dtype=np.int64)
    return np.take(curve, np.minimum(np.arange(most), slots - 2), axis=1)
