"""Counts what drawn cases really contained, from the outcome on which all engines agreed."""

import math
from collections import Counter

from strategies import Case

from vecdecay.engines.kernels.fields import DECAYED
from vecdecay.engines.outcome import BlockOutcome, ItemOutcomes
from vecdecay.policies import RecencyWindow, TablePolicy
from vecdecay.sessions.session import REGISTER

USUAL = ("evictions", "survivors", "hits", "misses", "recalled twice or more")


def count(counts: Counter[str], outcome: BlockOutcome, case: Case | None = None) -> None:
    """Add what an outcome contained, and where the case is given what its sessions did."""
    items = outcome.items
    assert items is not None
    counts["examples"] += 1
    counts["evictions"] += int((items.evicted_turn > 0).sum())
    counts["decayed"] += int((items.evicted_reason == DECAYED).sum())
    counts["survivors"] += int((items.present > 0).sum())
    counts["hits"] += int(items.hits.sum())
    counts["misses"] += int(items.misses.sum())
    counts["recalled twice or more"] += int((items.recall_count > 2).sum())
    counts["never registered"] += int((items.registered_turn == 0).sum())
    counts["evicted and present"] += int(((items.present > 0) & (items.evicted_turn > 0)).sum())
    counts["checkpoints not reached"] += int((outcome.checkpoint_present < 0).sum())
    if items.stability is not None:
        counts["infinite stabilities"] += int((items.stability == math.inf).sum())
    if case is not None:
        _count_sessions(counts, case, items)


def _count_sessions(counts: Counter[str], case: Case, items: ItemOutcomes) -> None:
    counts["several lengths together"] += len({session.session_length for session in case.sessions}) > 1
    pinned = [one.attributes_of(item).pinned for one in case.sessions for item in range(len(one.item_kinds))]
    reasons = zip(items.evicted_reason.tolist(), pinned, strict=True)
    counts["pinned and decayed"] += sum(reason == DECAYED and is_pinned for reason, is_pinned in reasons)
    for session in case.sessions:
        touched = Counter((turn, item) for turn, _, item in session.events)
        counts["touched twice in a turn"] += sum(times > 1 for times in touched.values())
        registered = Counter(item for _, kind, item in session.events if kind == REGISTER)
        counts["registered again"] += sum(times > 1 for times in registered.values())
    for last_touch, evicted, recall_count in zip(
        items.last_touch.tolist(), items.evicted_turn.tolist(), items.recall_count.tolist(), strict=True
    ):
        # The pass before the eviction looked at the item and kept it; did score and threshold meet there?
        age = evicted - 1 - last_touch
        counts["equalities"] += evicted > 0 and age >= 1 and _is_equality(case, age, recall_count)


def _is_equality(case: Case, age: int, recall_count: int) -> bool:
    """Tell whether score and threshold, or age and window, are the very same number."""
    policy = case.policy
    if isinstance(policy, RecencyWindow):
        return age == policy.window_size
    return isinstance(policy, TablePolicy) and policy.retention(age, recall_count) == policy.threshold()


def expect_in(counts: Counter[str], *wanted: str, share: float = 0.1) -> None:
    """Fail unless each wanted kind of case came up in at least this share of the examples."""
    rare = {name: counts[name] for name in wanted if counts[name] < share * counts["examples"]}
    assert not rare, f"hardly ever drawn: {rare}; drawn: {dict(counts)}"
