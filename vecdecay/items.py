"""What an item is: its kind, and the attributes that a policy may know of it beside its touches."""

from typing import Any, NamedTuple, cast

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


def attribute_problems(attributes: Attributes) -> list[str]:
    """Return one line per attribute that is not as it has to be.

    >>> attribute_problems(Attributes(importance=1.5))
    ['importance is 1.5; allowed: a number from 0 to 1']
    """
    importance, category, pinned = cast(tuple[Any, Any, Any], attributes)
    problems = []
    # A NaN fails every comparison.
    if isinstance(importance, bool) or not isinstance(importance, int | float) or not 0.0 <= importance <= 1.0:
        problems.append(f"importance is {importance!r}; allowed: a number from 0 to 1")
    if category not in CATEGORIES:
        problems.append(f"category is {category!r}; allowed: {', '.join(CATEGORIES)}")
    if not isinstance(pinned, bool):
        problems.append(f"pinned is {pinned!r}; allowed: True or False")
    return problems
