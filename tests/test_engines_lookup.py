"""The tables that a kernel looks up: one row per combination of what the policy reads, and no other."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from vecdecay.engines.lookup import fates_for, lookup_for, relevant
from vecdecay.items import DEFAULT_ATTRIBUTES, FOUNDATIONAL, Attributes
from vecdecay.parameters import parameter
from vecdecay.policies import Ebbinghaus, KeepAll, RecencyWindow
from vecdecay.policies.base import TablePolicy
from vecdecay.sessions import PublishedSessions
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.session import RECALL, REGISTER, Session


@dataclass(frozen=True)
class ByImportance(TablePolicy):
    """Keeps an item for ten turns times its importance, for the tests."""

    name: ClassVar[str] = "by_importance"
    reads: ClassVar[tuple[str, ...]] = ("importance",)

    turns: float = parameter(10.0, above=0.0, meaning="turns at importance 1")

    def retention(self, age: int, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return 1.0 within the item's time and 0.0 after it."""
        return 0.0 if age > self.turns * item.importance else 1.0

    def evicts(self, age: int, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> bool:
        """Tell whether the item's time is over."""
        return age > self.turns * item.importance


ATTRIBUTES = (
    Attributes(importance=0.2),
    Attributes(importance=0.8),
    Attributes(importance=0.2, category="strategy"),
    Attributes(importance=0.2, pinned=True),
)
SESSION = Session(
    session_length=30,
    item_kinds=(FOUNDATIONAL,) * 4,
    events=(*((1, REGISTER, item) for item in range(4)), (3, RECALL, 1)),
    attributes=ATTRIBUTES,
)


def test_only_what_is_read_tells_items_apart() -> None:
    """Importance is kept, the category dropped; that an item is pinned always matters."""
    policy = ByImportance()
    assert relevant(policy, ATTRIBUTES[2]) == relevant(policy, ATTRIBUTES[0]) == Attributes(importance=0.2)
    assert relevant(policy, ATTRIBUTES[3]) == Attributes(importance=0.2, pinned=True)
    assert relevant(Ebbinghaus(), ATTRIBUTES[1]) == DEFAULT_ATTRIBUTES


def test_each_item_finds_the_row_of_its_attributes() -> None:
    """Items 0 and 2 share a row; the pinned one outlives every session."""
    lookup = lookup_for(ByImportance(), block_of([SESSION]))
    rows = lookup.horizon.reshape(-1, lookup.width)
    newborn = [int(rows[row][0]) for row in lookup.item_row]
    assert newborn[:3] == [3, 9, 3]
    assert newborn[3] > 2**31 - 1


def test_a_policy_that_reads_nothing_has_one_row() -> None:
    """Nothing is looked up per item where nothing depends on the item; the pinned one is the exception."""
    unpinned = Session(30, SESSION.item_kinds, SESSION.events, ATTRIBUTES[:3] + ATTRIBUTES[:1])
    lookup = lookup_for(RecencyWindow(15), block_of([unpinned]))
    assert lookup.item_row.size == 0
    assert lookup.horizon.tolist() == [16] * lookup.width
    assert lookup_for(RecencyWindow(15), block_of([SESSION])).item_row.tolist()[3] != 0


def test_stabilities_are_those_of_the_policy() -> None:
    """Item by item, 0 for an item that was never registered, None for a policy without the notion."""
    block = PublishedSessions().block(range(2))
    lookup = lookup_for(Ebbinghaus(), block)
    counts = np.array([0, 1, 2, 5], dtype=np.int32)
    stabilities = lookup.stabilities(counts)
    assert stabilities is not None
    assert stabilities.tolist() == [0.0, *(Ebbinghaus().stability(count) for count in (1, 2, 5))]
    assert lookup_for(KeepAll(), block).stabilities(counts) is None


def test_cohorts_meet_the_fate_of_their_first_horizon() -> None:
    """The noise of a published session lives as long as an item that was just registered."""
    (fate,) = fates_for(Ebbinghaus(), PublishedSessions().block(range(1))).of_length(150)
    assert (fate.horizon, fate.session_length, fate.cohort.count) == (13, 150, 3)
