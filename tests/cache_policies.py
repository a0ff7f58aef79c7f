"""What Hypothesis draws for cache policies: budgets that a short session fills, and some that none does."""

from typing import Any

from hypothesis import strategies as st

from vecdecay.policies import Belady, CachePolicy, Fifo, Gdsf, Lfu, Lru, RandomEviction, S3Fifo, Sieve

KINDS: tuple[type[CachePolicy], ...] = (Lru, Fifo, Lfu, Sieve, S3Fifo, Gdsf, RandomEviction, Belady)

_BUDGETS = st.sampled_from(
    [{"capacity_items": items} for items in (2, 1, 3, 3, 5, 12, 40)]
    + [{"capacity_tokens": tokens} for tokens in (9, 4, 14, 30)]
)
_OTHERS: dict[type[CachePolicy], dict[str, st.SearchStrategy[Any]]] = {
    Lfu: {"tie": st.sampled_from(("longest_untouched", "first_inserted"))},
    S3Fifo: {
        "small_share": st.sampled_from((0.5, 0.1, 0.3, 1.0, 0.0)),
        "ghost_share": st.sampled_from((0.9, 0.4, 2.0, 0.0)),
        "move_threshold": st.sampled_from((1, 2, 3)),
    },
}


def drawn(kind: type[CachePolicy]) -> st.SearchStrategy[CachePolicy]:
    """Draw a policy of the class with a budget in items or tokens."""
    others = st.fixed_dictionaries(_OTHERS.get(kind, {}))
    return st.builds(lambda budget, more: kind(**budget, **more), _BUDGETS, others)


STRATEGIES = {kind.name: drawn(kind) for kind in KINDS}
"""A strategy per cache policy, by the name of the policy."""
