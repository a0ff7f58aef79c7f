"""Invariants about memories with a budget, on fixed requests of items of one size; each miss brings its item back."""

import functools
import itertools
import random

from vecdecay.engines.registry import play_block
from vecdecay.policies.base import Policy
from vecdecay.policies.belady import Belady
from vecdecay.policies.cache import CachePolicy
from vecdecay.sessions.block import SessionBlock
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.events import RECALL
from vecdecay.sessions.session import FOUNDATIONAL, Session
from vecdecay.testing.invariant import HOLDS, Answer, Invariant

_NO_CACHE = Answer(silent="it is no cache policy")
_ITEMS, _LENGTH = 9, 60


@Invariant
def a_larger_capacity_never_loses_hits(policy: Policy, examples: int) -> Answer:
    """With room for one item more, no session has fewer hits: what a stack policy holds, a larger memory holds too.

    Catches orders of eviction that depend on the size of the memory, so that who pays for more of it may get less. FIFO
    is the known exception (Belady, Nelson and Shedler 1969).
    """
    if not isinstance(policy, CachePolicy):
        return _NO_CACHE
    for low, high in itertools.pairwise(range(1, _ITEMS + 1)):
        few, many = (_hits(policy.with_items(items), examples) for items in (low, high))
        for session, (less, more) in enumerate(zip(few, many, strict=True)):
            if more < less:
                asked = _requests(examples)[session]
                return Answer(f"{less} hits with {low} items, and {more} with {high}; requests: {' '.join(asked)}")
    return HOLDS


@Invariant
def belady_has_no_fewer_hits(policy: Policy, examples: int) -> Answer:
    """At no capacity does a session have more hits than under Belady's rule, which knows the future.

    Catches engines that find what they no longer hold, and budgets that hold more than they say.
    """
    if not isinstance(policy, CachePolicy):
        return _NO_CACHE
    for items in range(1, _ITEMS + 1):
        found, bound = _hits(policy.with_items(items), examples), _hits(Belady().with_items(items), examples)
        for session, (hits, most) in enumerate(zip(found, bound, strict=True)):
            if hits > most:
                asked = _requests(examples)[session]
                return Answer(f"{hits} hits with {items} items, and Belady has {most}; requests: {' '.join(asked)}")
    return HOLDS


@functools.lru_cache(maxsize=4)
def _requests(examples: int) -> list[list[str]]:
    """Return the items that are asked for in each session; low numbers more often."""
    rng = random.Random(0)
    return [
        [str(min(rng.randrange(_ITEMS), rng.randrange(_ITEMS))) for _ in range(_LENGTH)]
        for _ in range(min(100, 10 * examples))
    ]


@functools.lru_cache(maxsize=4)
def _block(examples: int) -> SessionBlock:
    kinds = (FOUNDATIONAL,) * _ITEMS
    each = [tuple((turn, RECALL, int(item)) for turn, item in enumerate(one, 1)) for one in _requests(examples)]
    return block_of([Session(_LENGTH, kinds, events) for events in each])


def _hits(policy: CachePolicy, examples: int) -> list[int]:
    outcome = play_block(_block(examples), policy, relearn=True)
    hits: list[int] = (outcome.recalls - outcome.misses).tolist()
    return hits
