"""What a policy's numbers mean in its own time: how much is left after 1, 7, 30 and 90 of its days, hours or turns."""

from typing import NamedTuple

from vecdecay.items import DEFAULT_ATTRIBUTES, Attributes
from vecdecay.policies.base import TablePolicy

UNITS = (1, 7, 30, 90)
"""The times at which survival is shown, in the policy's own unit."""


class Survival(NamedTuple):
    """How much is left of an item with this recall count at each of UNITS: a score, and whether it is kept."""

    recall_count: int
    scores: tuple[float, ...]
    kept: tuple[bool, ...]


def age_per_unit(policy: TablePolicy) -> float:
    """Return by how much an item ages in one of the policy's time units, as its methods count ages.

    >>> from vecdecay.policies.importance_prune import ImportancePrune
    >>> age_per_unit(ImportancePrune(turns_per_day=48.0))
    2.0
    """
    return policy.turns_per_unit() / policy.rules().unit_turns


def clock_text(policy: TablePolicy) -> str:
    """Return in words what the policy counts in, and how that relates to turns.

    >>> from vecdecay.policies.memory_bank import MemoryBank
    >>> clock_text(MemoryBank(turns_per_day=40.0))
    'counts in days; a day is 40 turns (turns_per_day)'
    """
    if policy.time_unit == "turn":
        return "counts in turns"
    turns = policy.turns_per_unit()
    length = f"{turns:g} {'turn' if turns == 1 else 'turns'}"
    one = "an hour" if policy.time_unit == "hour" else f"a {policy.time_unit}"
    return f"counts in {policy.time_unit}s; {one} is {length} (turns_per_day)"


def survival_table(policy: TablePolicy, max_recalls: int = 6, item: Attributes = DEFAULT_ATTRIBUTES) -> list[Survival]:
    """Return what is left after 0 … ``max_recalls`` recalls and then 1, 7, 30, 90 units without any touch.

    A decay law is a formula and takes fractions of a turn; the decision to evict is made at whole ages, so an item is
    kept at a time if it is kept at the last whole age before it.

    >>> from vecdecay.policies.ebbinghaus import Ebbinghaus
    >>> survival_table(Ebbinghaus(), max_recalls=1)[0].kept
    (True, True, False, False)
    """
    ages = [units * age_per_unit(policy) for units in UNITS]
    ages = [int(age) if age.is_integer() else age for age in ages]
    return [
        Survival(
            recall_count,
            tuple(policy.retention(age, recall_count, item) for age in ages),  # type: ignore[arg-type]
            tuple(item.pinned or not policy.evicts(int(age), recall_count, item) for age in ages),
        )
        for recall_count in range(1, max_recalls + 2)
    ]
