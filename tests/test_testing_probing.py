"""The grid of the invariants: all small ages, some high ones, and every kind of item that a policy can tell apart."""

import pytest
from faulty_policies import Sound, SoundState

from vecdecay.items import Attributes
from vecdecay.policies import (
    Ebbinghaus,
    Fsrs6,
    ImportancePrune,
    KeepAll,
    MemoryBankAsPublished,
    MemoryDecayCore,
    RecencyWindow,
)
from vecdecay.testing.probing import (
    ITEMS,
    Probe,
    ages,
    ages_of_change,
    grid,
    histories,
    is_due,
    items,
    score,
    threshold_of,
)

EVERY = [Sound(), SoundState(), MemoryDecayCore(), Fsrs6()]


@pytest.mark.parametrize("policy", EVERY, ids=lambda one: type(one).__name__)
def test_the_grid_rises(policy) -> None:
    """Ages and numbers of touches begin small, so that a first example is a small one."""
    assert list(ages(policy)) == sorted(set(ages(policy)))
    assert set(range(25)) <= set(ages(policy))
    assert ages(policy)[-1] >= 150
    assert len(histories(policy)[0]) == 1
    assert next(grid(policy)) == Probe((1,), 0)
    assert all(list(touches) == sorted(touches) for touches in histories(policy))


def test_items_are_varied_where_a_policy_looks_at_them() -> None:
    """A table that reads nothing of an item is asked about one."""
    assert items(Ebbinghaus()) == ITEMS[:1]
    assert items(ImportancePrune()) == items(Fsrs6()) == ITEMS


def test_scores_and_decisions_are_those_of_the_policy() -> None:
    """For tables by recall count, for states by the touches themselves."""
    assert score(Ebbinghaus(), Probe((1, 1), 9)) == Ebbinghaus().retention(9, 2)
    assert score(Fsrs6(), Probe((1, 4), 9)) == Fsrs6().score((1, 4), 13)
    assert [is_due(Ebbinghaus(), Probe((1,), age)) for age in (12, 13)] == [False, True]
    life = SoundState().life((1,), 100)
    assert life is not None
    assert [is_due(SoundState(), Probe((1,), age)) for age in (life - 1, life)] == [False, True]
    assert [threshold_of(one) for one in (Ebbinghaus(), KeepAll(), MemoryBankAsPublished())] == [0.2, None, None]
    assert not is_due(MemoryBankAsPublished(), Probe((1,), 10_000))


def test_ages_of_change_are_horizons() -> None:
    """Where a policy first evicts, for several recall counts."""
    assert ages_of_change(RecencyWindow(5.0)) == (6,)
    assert ages_of_change(Ebbinghaus()) == (13, 28)
    assert ages_of_change(KeepAll()) == ()


def test_a_probe_is_told_in_words() -> None:
    """In the policy's own terms."""
    assert Probe((1, 1), 3).text(Sound()) == "at recall_count=2, age=3"
    text = Probe((1, 4), 3, Attributes(importance=0.0)).text(SoundState())
    assert text == "in turn 7 after touches in turns 1, 4 of an item with importance=0.0"
