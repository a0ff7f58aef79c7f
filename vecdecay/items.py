"""What an item is: its kind, and the attributes that a policy may know of it beside its touches."""

from typing import NamedTuple

NOISE = 0
FOUNDATIONAL = 1

CATEGORIES = ("fact", "assumption", "failure", "strategy")
"""Categories of items, as far as any policy tells them apart; the first is the default."""


class Attributes(NamedTuple):
    """What is known of an item from its registration on; constant over the session.

    ``importance`` is in [0, 1]; ``category`` is one of CATEGORIES; a ``pinned`` item is never evicted by any policy.
    """

    importance: float = 0.5
    category: str = CATEGORIES[0]
    pinned: bool = False


DEFAULT_ATTRIBUTES = Attributes()
