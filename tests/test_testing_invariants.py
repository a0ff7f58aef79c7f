"""Every planted fault is caught by the law that is made for it, and a policy without a fault breaks none."""

import pytest
from faulty_policies import FAULTS, NeedsAChoice, Sound, SoundState

from vecdecay import testing
from vecdecay.testing.invariants import INVARIANTS
from vecdecay.testing.law import BrokenLawError

CASES = [(name, policy) for name, policies in FAULTS.items() for policy in policies]


@pytest.mark.parametrize(("name", "policy"), CASES, ids=[f"{type(one).__name__}-{name}" for name, one in CASES])
def test_planted_faults_are_caught_by_name(name: str, policy: object) -> None:
    """The law that a fault breaks raises, and shows an example."""
    with pytest.raises(BrokenLawError, match=f"{name}: .+"):
        INVARIANTS[name](policy)


@pytest.mark.parametrize("policy", [Sound(), SoundState(), NeedsAChoice()], ids=lambda one: type(one).__name__)
def test_no_law_is_broken_without_a_fault(policy: object) -> None:
    """A law that a sound policy breaks would be noise."""
    for law in INVARIANTS.values():
        law(policy, examples=30)


def test_every_law_is_public_documented_and_has_a_planted_fault() -> None:
    """Each can be imported by its name, says what real fault it catches, and is seen to catch one."""
    for name, law in INVARIANTS.items():
        assert getattr(testing, name) is law
        assert name in testing.__all__
        assert "Catches" in (law.__doc__ or "")
    assert INVARIANTS.keys() - FAULTS.keys() == {"pinned_is_never_evicted"}  # see test_testing_laws_of_passes.py
