"""check_policy: built-in policies keep the invariants, but for what they declare; reports name every violation."""

import pytest
from faulty_policies import Declared, InvertedExponent, Sound, StaleDeclaration, UnknownDeclaration

from vecdecay.errors import InvalidInputError
from vecdecay.policies import POLICIES
from vecdecay.policies.base import Policy
from vecdecay.testing import INVARIANTS, check_policy
from vecdecay.testing.report import BROKEN, DECLARED, HELD, STALE


def expect_sound(kind: type[Policy], examples: int) -> None:
    """Fail unless the policy keeps every invariant, but for what it declares."""
    report = check_policy(kind(), examples)
    assert not report.violations, str(report)
    assert {one.invariant for one in report.results if one.verdict == DECLARED} == set(kind().breaks())


@pytest.mark.parametrize("kind", POLICIES, ids=lambda kind: kind.name)
def test_the_policies_of_the_program_keep_the_invariants(kind: type[Policy]) -> None:
    """Invariants that a source breaks by design are broken, all others hold."""
    expect_sound(kind, examples=10)


@pytest.mark.thorough
@pytest.mark.parametrize("kind", POLICIES, ids=lambda kind: kind.name)
def test_the_policies_of_the_program_keep_the_invariants_on_many_sessions(kind: type[Policy]) -> None:
    """The same on a thousand drawn sessions for each invariant."""
    expect_sound(kind, examples=1000)


def test_every_invariant_is_reported_once_and_in_order() -> None:
    """A sound policy has nothing to show."""
    report = check_policy(Sound(), 10)
    assert [one.invariant for one in report.results] == list(INVARIANTS)
    silent = ["a_larger_capacity_never_loses_hits", "belady_has_no_fewer_hits", "compiled_equals_plain"]
    assert [one.invariant for one in report.results if one.verdict != HELD] == silent
    assert (report.sound, report.violations, str(report)) == (True, (), "Sound: nothing is wrong")


def test_violations_are_told_with_their_examples() -> None:
    """One line each."""
    report = check_policy(InvertedExponent(), 10)
    assert not report.sound
    assert [(one.invariant, one.verdict) for one in report.violations] == [("a_recall_never_shortens_life", BROKEN)]
    assert str(report).startswith("a_recall_never_shortens_life: BROKEN: the score is ")


def test_declared_violations_are_none() -> None:
    """Where the invariant is really broken."""
    report = check_policy(Declared(), 10)
    assert report.sound
    assert [one.invariant for one in report.results if one.verdict == DECLARED] == ["a_recall_never_shortens_life"]


def test_stale_declarations_are_violations() -> None:
    """An invariant that holds, and a name that is no invariant's."""
    (stale,) = check_policy(StaleDeclaration(), 10).violations
    assert (stale.invariant, stale.verdict) == ("never_rises_with_age", STALE)
    (unknown,) = check_policy(UnknownDeclaration(), 10).violations
    assert (unknown.invariant, unknown.verdict) == ("never_rises_with_ages", STALE)
    assert unknown.text == "there is no such invariant; did you mean never_rises_with_age?"


def test_what_is_no_policy_is_refused() -> None:
    """As it is wherever a policy is given."""
    with pytest.raises(InvalidInputError, match="is a class"):
        check_policy(Sound)
