"""Tests of vecdecay.engines.by_lockstep: by which functions a policy is played, and that they agree."""

from dataclasses import dataclass

import pytest
from comparing import first_difference
from hypothesis import given
from strategies import Case, cases, ebbinghaus, recency_window

from vecdecay.engines import by_lockstep
from vecdecay.engines.registry import play_block
from vecdecay.items import DEFAULT_ATTRIBUTES, Attributes
from vecdecay.policies import Ebbinghaus, RecencyWindow, TablePolicy
from vecdecay.sessions.blocks import block_of


@dataclass(frozen=True)
class AsTable(TablePolicy):
    """Hides a published policy, so that its table is played instead of its formula."""

    inner: TablePolicy

    def __post_init__(self) -> None:
        """Take any policy."""

    def retention(self, age: int, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return the score of the hidden policy."""
        return self.inner.retention(age, recall_count, item)

    def evicts(self, age: int, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> bool:
        """Ask the hidden policy."""
        return self.inner.evicts(age, recall_count, item)

    def stability(self, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float | None:
        """Return the stability of the hidden policy."""
        return self.inner.stability(recall_count, item)


@given(cases(ebbinghaus() | recency_window()))
def test_formula_and_table_agree_within_the_kernel(case: Case) -> None:
    """Played by its formula or by its table, a policy comes to the same: every item, turn and checkpoint."""
    block = block_of(case.sessions)
    formula, table = (
        play_block(block, policy, "lockstep", case.checkpoints, want_items=True, want_turns=True)
        for policy in (case.policy, AsTable(case.policy))
    )
    assert first_difference(formula, table) == ""


def test_the_published_policies_are_played_by_their_formulas() -> None:
    """The lockstep kernel is no second table kernel: it looks a table up only for other table policies."""
    block = block_of([])
    for policy, name in ((Ebbinghaus(), "ebbinghaus"), (RecencyWindow(), "window"), (AsTable(Ebbinghaus()), "table")):
        lookup = by_lockstep._lookup(policy, block)
        assert (lookup is not None) == (name == "table")
        assert by_lockstep._machine(policy, lookup, None).play is by_lockstep._formula_player(name)


def test_what_is_no_table_is_refused() -> None:
    """Something that is no policy of this kind is named in the error."""
    with pytest.raises((TypeError, AttributeError)):
        play_block(block_of([]), object(), "lockstep")  # type: ignore[arg-type]
