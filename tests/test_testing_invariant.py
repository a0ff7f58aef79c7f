"""An invariant is called as an assertion: it returns, or raises with an example; what cannot be played is refused."""

import math

import pytest
from faulty_policies import FromAge1, Sound

from vecdecay.errors import InvalidInputError
from vecdecay.policies import KeepAll
from vecdecay.testing import BrokenInvariantError, exactly_1_at_age_0, nested_in_the_threshold
from vecdecay.testing.drawing import NoHypothesisError
from vecdecay.testing.invariant import HOLDS, Answer, Invariant


def test_an_invariant_returns_or_raises() -> None:
    """The message names the invariant and shows the smallest example."""
    assert exactly_1_at_age_0(Sound()) is None
    with pytest.raises(
        BrokenInvariantError, match=r"^exactly_1_at_age_0: the score is 0\.87\d* at age 0, at recall_count=1"
    ):
        exactly_1_at_age_0(FromAge1())


def test_an_invariant_that_says_nothing_of_a_policy_returns() -> None:
    """And its answer says why."""
    assert nested_in_the_threshold(KeepAll()) is None
    assert nested_in_the_threshold.answer(KeepAll()) == Answer(silent="no parameter of it is a threshold")
    assert exactly_1_at_age_0.answer(KeepAll()) == HOLDS


def test_what_is_no_policy_is_refused() -> None:
    """A class instead of an instance, or anything else, is a mistake of the caller's and no broken invariant."""
    for given in (Sound, 3):
        with pytest.raises(InvalidInputError):
            exactly_1_at_age_0(given)


def test_what_a_policy_raises_breaks_the_invariant_that_asked() -> None:
    """But the kit's own inability to draw is passed on."""

    def fails(policy: object, examples: int) -> Answer:
        return Answer(broken=str(math.sqrt(-1.0)))

    def cannot(policy: object, examples: int) -> Answer:
        raise NoHypothesisError("no")

    assert Invariant(fails).answer(Sound()).broken.startswith("raised ValueError: ")
    with pytest.raises(NoHypothesisError):
        Invariant(cannot).answer(Sound())
    assert repr(Invariant(fails)) == "<invariant fails>"
