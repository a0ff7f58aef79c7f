"""Cache policies: a memory with a budget, where the insertion of one item decides over all the others."""

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

from vecdecay.parameters import Check, parameter
from vecdecay.policies.base import Policy
from vecdecay.policies.capacity import NO_LIMIT as NO_LIMIT
from vecdecay.policies.capacity import budget_problems
from vecdecay.policies.reactions import ReactionParameters


@dataclass(frozen=True)
class CachePolicy(ReactionParameters, Policy):
    """A reference policy of the cache literature: nothing decays, items go because others need their place.

    What all of these have in common, whatever their victim:

    - The budget counts items or tokens: give exactly one of ``capacity_items`` and ``capacity_tokens``. Without either
      it is infinite, and nothing is evicted.
    - Room is made *before* an insertion, one victim after the other until the item fits; a miss inserts only where it
      registers its item anew (``on_miss="relearn"``).
    - A registration of an item that is there is a touch, in the policy's own order too, like a hit.
    - Pinned items are never victims, but count. Where they alone exceed the budget, they stay.
    - An item larger than what the pinned ones leave of the budget is not admitted: it goes in the turn in which it
      came, by reason of capacity, and nothing else is evicted for it.
    - An item that is forgotten or expires leaves the policy's order; its place is free.

    Source: 1a1a11a/libCacheSim, libCacheSim/cache/cache.c (``cache_get_base``), for room before an insertion.
    """

    source: ClassVar[str] = "1a1a11a/libCacheSim, libCacheSim/cache/eviction/"

    capacity_items: float = parameter(
        math.inf, at_least=1, or_infinite=True, unit="items", meaning="most items that the memory holds"
    )
    capacity_tokens: float = parameter(
        math.inf, at_least=1, or_infinite=True, unit="tokens", meaning="most tokens that the memory holds"
    )

    def checks(self) -> Sequence[Check]:
        """Return the check of the budget."""
        return (self.problems,)

    def problems(self) -> list[str]:
        """Refuse two budgets at once, and parts of an item or a token."""
        return budget_problems(type(self).__name__, self.capacity_items, self.capacity_tokens)

    def competes(self) -> bool:
        """Tell that items need each other's place, whatever the budget."""
        return True

    def with_items(self, items: int) -> Self:
        """Return the policy with a budget of so many items instead of its own."""
        return dataclasses.replace(self, capacity_items=items, capacity_tokens=math.inf)

    def counts_tokens(self) -> bool:
        """Tell whether the budget is one of tokens."""
        return self.capacity_tokens != math.inf

    def limit(self) -> int:
        """Return the budget, in items or tokens; NO_LIMIT where it is infinite."""
        return int(min(self.capacity_items, self.capacity_tokens, NO_LIMIT))
