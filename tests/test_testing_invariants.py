"""Every planted fault is caught by the branch of the invariant that is made for it; sound policies keep them all."""

import pytest
from faulty_policies import (
    Above1,
    AboveForSome,
    ActiveOfEveryKind,
    AnotherScore,
    Below1AfterUse,
    CrowdedHistory,
    Drifting,
    Forgotten,
    FromAge1,
    Inert,
    InertOfEveryKind,
    InvertedExponent,
    KeptBelow,
    LateRise,
    LongHistory,
    LostInTheLongRun,
    NeedsAChoice,
    NeedsTheItem,
    NegativeState,
    NotANumber,
    OneOfTwo,
    OnlyOnSundays,
    Overflowing,
    OverflowingInOneTurn,
    OverflowingState,
    OverflowingTurnByTurn,
    PassesWear,
    ReadingWears,
    RisingState,
    SecondThreshold,
    ShorterLife,
    ShortLived,
    SneakingThreshold,
    Sound,
    SoundHistory,
    SoundState,
    StateFromAge1,
    WrongWayRound,
)

from vecdecay import testing
from vecdecay.policies import Fifo
from vecdecay.testing.invariant import BrokenInvariantError
from vecdecay.testing.invariants import INVARIANTS

SOUND = (Sound(), SoundState(), SoundHistory(), NeedsAChoice(), ActiveOfEveryKind(), NeedsTheItem(), ShortLived())
"""Policies that keep every invariant."""

FAULTS = (
    ("retention_is_from_0_to_1", Above1(), "the score is 1.04", "at recall_count=2, age=1; remedy: divide the score"),
    ("retention_is_from_0_to_1", NotANumber(), "the score is nan at recall_count=200, age=1"),
    ("retention_is_from_0_to_1", AboveForSome(), "of an item with importance=1.0, category='failure'"),
    ("retention_is_from_0_to_1", NegativeState(), "the score is -", "after touches in turns 1"),
    ("never_rises_with_age", Drifting(), "at recall_count=1, age="),
    ("never_rises_with_age", LateRise(), "at age 2", "to 0.5 at recall_count=1, age=3"),
    ("never_rises_with_age", RisingState(), "to 0.9 in turn 10 after touches in turns 1"),
    ("a_recall_never_shortens_life", InvertedExponent(), "at recall_count=2, age=1"),
    ("a_recall_never_shortens_life", ShorterLife(), "after touches in turns 1, 2"),
    ("exactly_1_at_age_0", FromAge1(), "the score is 0.87"),
    ("exactly_1_at_age_0", StateFromAge1(), "in turn 1 after touches in turns 1"),
    ("exactly_1_at_age_0", Below1AfterUse(), "at recall_count=3, age=0"),
    ("exactly_1_at_age_0", AboveForSome(), "of an item with importance=1.0, category='failure'"),
    ("finite_after_a_million_recalls", Overflowing(), "raised OverflowError"),
    ("finite_after_a_million_recalls", NotANumber(), "recall_count=1000001, age=1"),
    ("finite_after_a_million_recalls", LostInTheLongRun(), "age=10000"),
    ("finite_after_a_million_recalls", OverflowingState(), "nan", "all in one turn"),
    ("finite_after_a_million_recalls", OverflowingInOneTurn(), "nan", "all in one turn"),
    ("finite_after_a_million_recalls", OverflowingTurnByTurn(), "nan", "one in each turn"),
    ("finite_after_a_million_recalls", CrowdedHistory(), "nan", "all in one turn"),
    ("finite_after_a_million_recalls", LongHistory(), "nan", "one in each turn"),
    ("reading_a_score_changes_nothing", ReadingWears(), ", and then "),
    ("reading_a_score_changes_nothing", OneOfTwo(), "where scores were read before"),
    ("stepping_twice_changes_nothing", PassesWear(), "where every turn has two passes"),
    ("stepping_less_often_only_delays", OnlyOnSundays(), "a pass in every turn or 2"),
    ("row_order_does_not_matter", OneOfTwo(), "with the rows reversed"),
    ("nested_in_the_threshold", WrongWayRound(), "due with eviction_threshold=", "at recall_count=1, age=1"),
    ("nested_in_the_threshold", SneakingThreshold(), "due with eviction_threshold=", "after touches in turns 1"),
    ("nested_in_the_threshold", SecondThreshold(), "due with drop_threshold="),
    ("evicted_is_below_the_threshold", WrongWayRound(), "the item is evicted with a score of "),
    ("evicted_is_below_the_threshold", AnotherScore(), "evicted with a score of 0.5, threshold 0.5"),
    ("evicted_is_below_the_threshold", KeptBelow(), "kept with a score of 0.1"),
    ("every_parameter_changes_some_outcome", Inert(), "max_stability is inert", "max_stability was tried with 50.0"),
    ("every_parameter_changes_some_outcome", InertOfEveryKind(), "flag, whole, weights, mode are inert"),
    ("a_larger_capacity_never_loses_hits", Fifo(), "41 hits with 4 items, and 40 with 5; requests: 1 0 1 2"),
    ("vectorised_equals_reference", OnlyOnSundays(), "cannot be played: OnlyOnSundays.evicts(age=3, recall_count=1)"),
)
"""Invariants, policies that break them, and what the example must say: by it one sees which branch found the fault."""


@pytest.mark.parametrize("case", FAULTS, ids=lambda case: f"{type(case[1]).__name__}-{case[0]}")
def test_planted_faults_are_caught_by_name(case: tuple) -> None:
    """The invariant that a fault breaks raises, and the example says where the fault shows."""
    name, policy, *texts = case
    with pytest.raises(BrokenInvariantError, match=f"^{name}: .+") as caught:
        INVARIANTS[name](policy)
    assert all(text in str(caught.value) for text in texts), str(caught.value)


@pytest.mark.parametrize("policy", SOUND, ids=lambda one: type(one).__name__)
def test_no_invariant_is_broken_without_a_fault(policy: object) -> None:
    """An invariant that a sound policy breaks would be noise."""
    for invariant in INVARIANTS.values():
        invariant(policy, examples=10)


def test_an_error_of_the_policy_is_reported_once() -> None:
    """A missing import is one mistake, not fifteen."""
    report = testing.check_policy(Forgotten(), examples=5)
    (violation,) = report.violations
    assert violation.text.startswith("raised NameError: name 'maths' is not defined")
    unasked = [one for one in report.results if one.verdict == "not asked"]
    assert len(unasked) >= 8
    assert {one.text for one in unasked} == {f"the same error as in {violation.invariant}"}


def test_every_invariant_is_public_and_documented() -> None:
    """Each can be imported by its name, and says what real fault it catches."""
    for name, invariant in INVARIANTS.items():
        assert getattr(testing, name) is invariant
        assert name in testing.__all__
        assert "Catches" in (invariant.__doc__ or "")
