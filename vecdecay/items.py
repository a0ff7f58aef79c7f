"""What an item is: its kind, and the attributes that a policy may know of it beside its touches."""

import hashlib
from typing import Any, NamedTuple, cast

NOISE = 0
FOUNDATIONAL = 1

CATEGORIES = ("fact", "assumption", "failure", "strategy")
"""The categories that policies of the program tell apart; the first is the default. Others are a person's own."""

LONGEST_CATEGORY = 100
"""Most characters of a category's name."""


class Attributes(NamedTuple):
    """What is known of an item from its registration on; constant over the session.

    ``importance`` is in [0, 1]; ``category`` is one of CATEGORIES, or a short name of a person's own, which a policy
    treats as its source treats unknown ones; a ``pinned`` item is never evicted by any policy.
    """

    importance: float = 0.5
    category: str = CATEGORIES[0]
    pinned: bool = False


DEFAULT_ATTRIBUTES = Attributes()


def category_number(category: str) -> int:
    """Return the number that stands for a category in scalar functions: the same in every process, for every run.

    It is the place in CATEGORIES, or, for a category of a person's own, 48 bits of a digest of its name.

    >>> category_number("strategy"), category_number("preference")
    (3, 207115375411192)
    """
    if category in CATEGORIES:
        return CATEGORIES.index(category)
    return int.from_bytes(hashlib.sha256(category.encode()).digest()[:6], "big")


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
    if not isinstance(category, str) or not category.isprintable() or not 0 < len(category) <= LONGEST_CATEGORY:
        allowed = f"{', '.join(CATEGORIES)}, or a name of your own of at most {LONGEST_CATEGORY} characters"
        problems.append(f"category is {category!r}; allowed: {allowed}")
    if not isinstance(pinned, bool):
        problems.append(f"pinned is {pinned!r}; allowed: True or False")
    return problems
