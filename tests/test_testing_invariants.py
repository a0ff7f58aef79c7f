"""Every planted fault is caught by the invariant that is made for it, and a policy without a fault breaks none."""

import pytest
from faulty_policies import FAULTS, NeedsAChoice, Sound, SoundState

from vecdecay import testing
from vecdecay.testing.invariant import BrokenInvariantError
from vecdecay.testing.invariants import INVARIANTS

CASES = [(name, policy) for name, policies in FAULTS.items() for policy in policies]


@pytest.mark.parametrize(("name", "policy"), CASES, ids=[f"{type(one).__name__}-{name}" for name, one in CASES])
def test_planted_faults_are_caught_by_name(name: str, policy: object) -> None:
    """The invariant that a fault breaks raises, and shows an example."""
    with pytest.raises(BrokenInvariantError, match=f"{name}: .+"):
        INVARIANTS[name](policy)


@pytest.mark.parametrize("policy", [Sound(), SoundState(), NeedsAChoice()], ids=lambda one: type(one).__name__)
def test_no_invariant_is_broken_without_a_fault(policy: object) -> None:
    """An invariant that a sound policy breaks would be noise."""
    for invariant in INVARIANTS.values():
        invariant(policy, examples=30)


def test_every_invariant_is_public_documented_and_has_a_planted_fault() -> None:
    """Each can be imported by its name, says what real fault it catches, and is seen to catch one."""
    for name, invariant in INVARIANTS.items():
        assert getattr(testing, name) is invariant
        assert name in testing.__all__
        assert "Catches" in (invariant.__doc__ or "")
    assert INVARIANTS.keys() - FAULTS.keys() == {"pinned_is_never_evicted"}  # see test_testing_invariants_of_passes.py
