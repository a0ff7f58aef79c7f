"""Memory systems as published: queues, tiers and graphs, in which what happens to one item depends on the others."""

import dataclasses
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any

from vecdecay.policies.base import Policy
from vecdecay.policies.clock import HOURS_PER_DAY
from vecdecay.policies.reactions import ReactionParameters


@dataclass
class Held:
    """An item that a system holds, with what the system notes of it: ``tier`` and ``notes`` are the policy's own.

    Times are those of the policy's clock. ``linked`` are the items that it was derived from, and those derived from it.
    """

    item: Hashable
    tokens: int
    importance: float
    category: str
    linked: tuple[Hashable, ...]
    registered: int
    touched: int
    recalls: int = 0
    tier: int = 0
    notes: Any = None


class View:
    """What a system holds in the order of insertion, and how it lets go of it.

    ``held`` leaves pinned items out: they stand outside the queues, as a system prompt does, and never go;
    ``pinned_tokens`` is what they take. ``now`` is the policy's clock, ``summarised`` tells whether anything went for
    want of room.
    """

    def __init__(self) -> None:
        self.held: dict[Hashable, Held] = {}
        self.pinned_tokens = 0
        self.now = 0
        self.summarised = False
        self.gone: list[tuple[Hashable, bool]] = []

    def tier(self, number: int) -> list[Held]:
        """Return what is in a tier, in the order of insertion there."""
        return [one for one in self.held.values() if one.tier == number]

    def move(self, one: Held, number: int) -> None:
        """Put an item at the end of a tier."""
        self.held[one.item] = self.held.pop(one.item)
        one.tier = number

    def linked(self, one: Held) -> Iterator[Held]:
        """Yield what is held of the items that one is linked with."""
        return (self.held[other] for other in one.linked if other in self.held)

    def drop(self, one: Held, decayed: bool = False) -> None:
        """Let go of an item, for want of room unless it ``decayed``."""
        del self.held[one.item]
        self.summarised = self.summarised or not decayed
        self.gone.append((one.item, decayed))


@dataclass(frozen=True)
class SystemPolicy(ReactionParameters, Policy):
    """A policy that sees all that is held: after an insertion, at a recall that hits, and in the pass of a turn.

    What all of these have in common:

    - A registration of an item that is there writes it anew, at the end of the order, as a new message would be.
    - Pinned items stand outside; where the source counts a system prompt, they are it.
    - What leaves for a summary or an archive is evicted, by reason of capacity: a recall no longer finds it as it was.
    - In a pass the policy acts first, then goes what expires.

    No kernel plays them: the scalar reference does, some 60,000 events a second.
    """

    def competes(self) -> bool:
        """Tell that items need each other's place."""
        return True

    def turns_per_unit(self) -> float:
        """Return how many turns make an hour or a day, where the policy has a clock."""
        return float(self.values().get("turns_per_day", 1.0)) / (HOURS_PER_DAY if self.time_unit == "hour" else 1.0)

    def on_insert(self, view: View, new: Held) -> None:
        """Act on an item that was just put into ``view``, its last one."""

    def on_recall(self, view: View, found: Held) -> None:
        """Act on a recall that hits; ``touched`` and ``recalls`` of the item are raised already."""

    def on_pass(self, view: View) -> None:
        """Act at the end of a turn."""


def same_as(policy: type[Policy], name: str) -> Any:
    """Return a field that is the parameter of another policy."""
    field = next(one for one in dataclasses.fields(policy) if one.name == name)  # type: ignore[arg-type]
    return dataclasses.field(default=field.default, metadata=field.metadata)
