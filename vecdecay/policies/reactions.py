"""What a policy does where one event concerns several items: a newer version, a request to forget.

Whatever the policy, these rules hold. A supersession happens when the newer item is *registered by an event*: the older
one goes, where it goes, just before the newer one comes, so that its place is free. A request to forget removes its
item first, then, where they go too, the items derived from it, by their numbers. Pins protect from neither. An older
item that is registered anew is current again; a derived one that is registered anew is there again. A recall that
registers its item anew (``on_miss="relearn"``) supersedes nothing.
"""

import dataclasses
from dataclasses import dataclass
from typing import Any, NamedTuple

from vecdecay.adapted import Adapted
from vecdecay.parameters import Described, parameter

IGNORE = "ignore"
HIDE = "hide"
DELETE = "delete"
BY_EVENT_TIME = "by_event_time"
ON_SUPERSEDED = (IGNORE, HIDE, DELETE, BY_EVENT_TIME)
"""What becomes of an item when a newer version of it is registered.

``ignore``: nothing. ``hide``: it stays in memory and decays, but no recall finds it. ``delete``: it is removed, by
reason "superseded". ``by_event_time``: of the two, the one that was true earlier (``valid_turn``) is hidden, be it the
newcomer; equal or missing times hide nothing (getzep/graphiti, graphiti_core/utils/maintenance/edge_operations.py).
"""

ONLY_ITEM = "only_item"
CASCADE = "cascade"
ON_FORGET = (ONLY_ITEM, CASCADE)
"""What a request to forget removes: the item alone, or also, by reason "cascaded", all that was derived from it,
directly or by way of others (vectorize-io/hindsight, hindsight_api/engine/retain/fact_storage.py)."""


class Reactions(NamedTuple):
    """A policy's reactions; the defaults are those of the systems that have none: they delete by name, and no more."""

    on_superseded: str = IGNORE
    on_forget: str = ONLY_ITEM


PLAIN_REACTIONS = Reactions()


@dataclass(frozen=True, kw_only=True)
class ReactionParameters(Described):
    """How a policy reacts to newer versions and to requests to forget; by default as most systems do."""

    on_superseded: str = parameter(
        IGNORE,
        shared=True,
        choices=ON_SUPERSEDED,
        meaning="what becomes of an item when a newer version of it is registered",
    )
    on_forget: str = parameter(
        ONLY_ITEM,
        shared=True,
        choices=ON_FORGET,
        meaning="what a request to forget removes: the item, or also what was derived from it",
    )

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if "__repr__" not in cls.__dict__ and not issubclass(cls, Adapted):
            cls.__repr__ = ReactionParameters.__repr__  # type: ignore[method-assign]  # what is unset is not shown

    def __repr__(self) -> str:
        own = {one.name: getattr(self, one.name) for one in dataclasses.fields(self) if one.repr and not one.kw_only}
        shown = own | {name: value for name, value in self.values().items() if name not in own}
        return f"{type(self).__qualname__}({', '.join(f'{name}={value!r}' for name, value in shown.items())})"

    def reactions(self) -> Reactions:
        """Return what becomes of superseded items, and of copies of forgotten ones."""
        return Reactions(self.on_superseded, self.on_forget)


def outdated(newer_turn: int, older_turn: int) -> int:
    """Return which of two versions was true earlier, by event times (0: unknown): -1 the older, 1 the newer, else 0.

    >>> outdated(9, 4), outdated(4, 9), outdated(4, 4), outdated(9, 0)
    (-1, 1, 0, 0)
    """
    if newer_turn == 0 or older_turn == 0 or newer_turn == older_turn:
        return 0
    return -1 if older_turn < newer_turn else 1
