"""Tests of vecdecay.policies.keep_all: the upper bound."""

from hypothesis import given
from strategies import Case, cases, table_policies

from vecdecay.engines.registry import play_block
from vecdecay.policies import KeepAll
from vecdecay.sessions.blocks import block_of


def test_nothing_is_ever_evicted() -> None:
    """No age and no count of uses makes it evict."""
    policy = KeepAll()
    assert not any(policy.evicts(age, count) for age in (1, 10**6, 2**31, 2**62) for count in (1, 10**6))
    assert policy.retention(2**31, 1) == 1.0


@given(cases(table_policies()))
def test_no_policy_misses_fewer_recalls(case: Case) -> None:
    """A recall that misses under keeping everything is one of an item that was not registered yet: a bound for all."""
    block = block_of(case.sessions)
    bound = play_block(block, KeepAll(), "horizon")
    other = play_block(block, case.policy, "horizon")
    assert (bound.misses <= other.misses).all()
    assert (bound.working_set_sum >= other.working_set_sum).all()
    assert (bound.foundational_present >= other.foundational_present).all()
    for session, misses in zip(case.sessions, bound.misses.tolist(), strict=True):
        registered: set[int] = set()
        too_early = 0
        for _, kind, item in session.events:
            if kind == 0:
                registered.add(item)
            else:
                too_early += item not in registered
        assert misses == too_early
