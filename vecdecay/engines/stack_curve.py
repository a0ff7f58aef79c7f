"""Every capacity at once, for policies whose larger memories hold all that the smaller ones do."""

import numpy as np

from vecdecay.engines.by_cache import inverse_of
from vecdecay.engines.by_curve import Tally
from vecdecay.engines.keeping import INSTEAD
from vecdecay.engines.kernels.curve_kernel import NUM_TOTALS, TOKEN_TURNS, TURNS
from vecdecay.engines.kernels.fields import RECALL, REGISTER
from vecdecay.engines.kernels.stack_kernel import HIT_TOKENS, NUM_STACK_COUNTS, NUM_STATES, STEP, play_stack
from vecdecay.engines.scratch import scratch
from vecdecay.engines.sums import NO_COUNTS, NO_TURNS
from vecdecay.errors import InvalidInputError
from vecdecay.policies.base import Policy
from vecdecay.policies.belady import Belady
from vecdecay.policies.cache import CachePolicy
from vecdecay.policies.lru import Lru
from vecdecay.sessions.block import SessionBlock

STACK_POLICIES: tuple[type[Policy], ...] = (Lru, Belady)
"""Policies that :func:`tally_capacities` plays. LFU is none: its counts start anew at an eviction."""

CAPACITY = "capacity_items"

_MOST_STEPS = 2**36  # touches times items: a minute


class Capacities:
    """The capacities in items of a stack policy, as :class:`Keeping` has a parameter: what fits a smaller memory fits a
    larger one too.
    """

    falls = True

    def __init__(self, policy: Policy) -> None:
        """Take the policy; its own capacity does not matter.

        Raises:
            InvalidInputError: the policy counts tokens.
        """
        if isinstance(policy, CachePolicy) and policy.counts_tokens():
            raise InvalidInputError([f"{policy.name} has a capacity in tokens, which are no stack; {INSTEAD}"])
        self.low, self.high = 1, 2**62

    def level_of(self, value: float) -> float:
        """Return the level of a capacity."""
        return -value


def tally_capacities(block: SessionBlock, policy: Policy, relearn: bool = False) -> Tally:
    """Return what the sessions come to with ``capacity_items`` = 1 and more, in one pass; levels are -capacity.

    The same, to the bit, as playing each capacity by itself, pins, requests to forget, last turns and ``relearn`` (a
    miss registers its item anew) included: registrations are then fewer by the hits, which a further row of the counts
    gives in tokens. The time of an event and of a turn grows with the items that are there.

    Raises:
        InvalidInputError: items meet otherwise in some session, or the sessions are too large.

    Source: R. L. Mattson, J. Gecsei, D. R. Slutz, I. L. Traiger (1970), "Evaluation techniques for storage
    hierarchies", IBM Systems Journal 9(2), 78-117.

    >>> from vecdecay.engines.kernels.curve_kernel import HITS
    >>> from vecdecay.sessions.blocks import block_of
    >>> from vecdecay.sessions.session import session_of
    >>> session = session_of([(turn, "recall", item) for turn, item in enumerate("abcab", 1)])
    >>> tally = tally_capacities(block_of([session]), Lru(), relearn=True)
    >>> tally.level.tolist(), tally.counts[HITS].tolist()
    ([-3.0, -2.0, -1.0, inf], [2, 0, 0, 0])
    """
    if block.carried is not None:
        raise InvalidInputError([f"the sessions hold events that concern several items; {INSTEAD}"])
    block = block.with_cohorts_listed()
    order, touch_item = block.by_turn
    items = int(np.diff(block.item_start).max(initial=0))
    touches = int(np.diff(block.touch_start[block.item_start]).max(initial=0))
    if items * len(block.touch_turn) > _MOST_STEPS:
        raise InvalidInputError([f"a session has {items:,} items, too many to play all capacities at once; {INSTEAD}"])
    counts = np.zeros(NUM_STACK_COUNTS * (items + 1), dtype=np.int64)
    tokens = NO_COUNTS if block.item_tokens is None else block.item_tokens
    play_stack(
        block.session_length,
        block.item_start,
        block.item_kind,
        block.touch_start,
        block.touch_turn,
        block.touch_kind,
        order,
        touch_item,
        inverse_of(order) if isinstance(policy, Belady) else NO_TURNS,
        NO_COUNTS if block.item_attributes is None else block.item_attributes,
        np.array([one.pinned for one in block.attributes], dtype=np.bool_),
        tokens,
        NO_COUNTS if block.item_expires is None else block.item_expires,
        isinstance(policy, Belady),
        relearn,
        scratch("stack", items + 1 + STEP, np.int32),
        scratch("stack_state", NUM_STATES, np.int64),
        scratch("stack_key", items, np.int32),
        scratch("stack_item", 2 * touches + 1, np.int32),
        counts,
    )
    by_slot = counts.reshape(NUM_STACK_COUNTS, -1)
    if len(tokens) == 0:
        by_slot[TOKEN_TURNS] = by_slot[TURNS]
    level = np.append(-np.arange(items, 0, -1, dtype=np.float64), np.inf)
    return Tally(level, by_slot[:, ::-1], _totals(block))


def _totals(block: SessionBlock) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return the totals of the curve kernel, and the tokens of all recalls."""
    size = np.ones(len(block.item_kind), dtype=np.int64) if block.item_tokens is None else block.item_tokens
    touched = np.repeat(size, np.diff(block.touch_start))
    recalled, registered = block.touch_kind == RECALL, block.touch_kind == REGISTER
    totals = [recalled.sum(), registered.sum(), touched[registered].sum(), (block.item_kind == 1).sum()]
    totals += [block.session_length.sum(), touched[recalled].sum()]
    assert len(totals) == NUM_TOTALS + 1
    assert HIT_TOKENS == NUM_STACK_COUNTS - 1
    return np.array(totals, dtype=np.int64)
