"""Keep everything: the upper bound of every recall rate, and of every cost."""

from dataclasses import dataclass
from typing import ClassVar

from vecdecay.items import DEFAULT_ATTRIBUTES, Attributes
from vecdecay.policies.base import Policy, TablePolicy


@dataclass(frozen=True)
class KeepAll(TablePolicy):
    """Never evict. No policy can recall more; none can have a larger footprint.

    A grace or a cooldown would change nothing, so there are none.

    >>> KeepAll().evicts(1_000_000, recall_count=1)
    False
    """

    name: ClassVar[str] = "keep_all"
    summary: ClassVar[str] = "never evicts: the upper bound of recall and of footprint"
    formula: ClassVar[str] = "never evict"
    source: ClassVar[str] = "upper bound, by definition"

    def retention(self, age: int, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return 1.0 at every age."""
        return 1.0

    def evicts(self, age: int, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> bool:
        """Return False at every age."""
        return False

    def horizon_guess(self, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return infinity."""
        return float("inf")


def never_evicts(policy: Policy) -> bool:
    """Tell whether a policy keeps everything: an upper bound, with which no other is compared."""
    return isinstance(policy, KeepAll) and not policy.competes()
