"""The capacity that every policy may have beside its own rule: a budget of items or tokens."""

import dataclasses
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

from vecdecay.parameters import Check, Described, parameter
from vecdecay.policies.reactions import ReactionParameters

NO_LIMIT = 2**62

IN_PASS, BEFORE_INSERT, AFTER_INSERT = "pass", "before_insert", "after_insert"


@dataclass(frozen=True, kw_only=True)
class CapacityParameters(ReactionParameters):
    """How much a memory may hold, whatever evicts its items otherwise; unset, any amount.

    While it holds more, the victim is the item with the lowest priority: its retention, unless the policy says
    otherwise (``priority``). Of equals it is the one longest untouched, then the one registered earliest, then the one
    with the lowest number. In a pass, what decays and what expires goes first.

    Pinned items are never victims, but count; where they alone exceed the budget they stay, and all others go. An item
    larger than what they leave goes by itself when the capacity is looked at, and nothing goes for it. A newborn may be
    the victim, except where room is made before it is inserted. A grace, which keeps new items from decay, does not
    protect from capacity. A registration of an item that is there takes no more room.
    """

    victim: ClassVar[str] = "the item of the lowest retention"
    """Who goes first in a full memory, in words."""

    capacity_items: float = parameter(
        math.inf, shared=True, at_least=1, or_infinite=True, unit="items", meaning="most items that the memory holds"
    )
    capacity_tokens: float = parameter(
        math.inf, shared=True, at_least=1, or_infinite=True, unit="tokens", meaning="most tokens that the memory holds"
    )
    evict_at: str = parameter(
        IN_PASS,
        shared=True,
        choices=(IN_PASS, BEFORE_INSERT, AFTER_INSERT),
        meaning="when a memory over its capacity evicts: in the pass of a turn, or before or after an insertion",
    )

    def competes(self) -> bool:
        """Tell whether there is a capacity."""
        return self.limit() < NO_LIMIT

    def without_capacity(self) -> Self:
        """Return the policy as it is in a memory that holds any amount."""
        return dataclasses.replace(self, capacity_items=math.inf, capacity_tokens=math.inf, evict_at=IN_PASS)

    def counts_tokens(self) -> bool:
        """Tell whether the capacity is one of tokens."""
        return self.capacity_tokens != math.inf

    def limit(self) -> int:
        """Return the capacity, in items or tokens; NO_LIMIT where it is infinite."""
        return int(min(self.capacity_items, self.capacity_tokens, NO_LIMIT))

    def checks(self) -> Sequence[Check]:
        """Return the policy's own check, and that of the capacity."""
        return (self.problems, self.capacity_problems)

    def capacity_problems(self) -> list[str]:
        """Refuse two budgets at once, and parts of an item or a token."""
        return budget_problems(type(self).__name__, self.capacity_items, self.capacity_tokens)

    @classmethod
    def may_clash(cls, names: Iterable[str] = ()) -> bool:
        """Tell whether values of these parameters may be refused together, as two budgets are."""
        over_several = cls.problems is not Described.problems or cls.checks is not CapacityParameters.checks
        return over_several or not {"capacity_items", "capacity_tokens"}.isdisjoint(names)


def budget_problems(name: str, items: float, tokens: float) -> list[str]:
    """Return one line per mistake in a budget of items or tokens; infinity stands for none."""
    budgets = {"capacity_items": items, "capacity_tokens": tokens}
    given = {one: budget for one, budget in budgets.items() if budget != math.inf}
    parts = {one: budget for one, budget in given.items() if budget % 1}
    problems = [f"{name}.{one} is {budget:g}; allowed: a whole number, or inf" for one, budget in parts.items()]
    if len(given) == 2:
        both = " and ".join(f"{one} is {budget:g}" for one, budget in given.items())
        problems.append(f"{name}.{both}; allowed: one of them")
    return problems
