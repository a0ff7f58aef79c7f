"""What a session costs the scalar engine: a bound on its events, time and memory, known before it is generated."""

import time
import tracemalloc

import pytest

from vecdecay.engines.registry import play_block
from vecdecay.policies import POLICIES, Ebbinghaus, KeepAll, RecencyWindow
from vecdecay.policies.base import Policy, TablePolicy
from vecdecay.run.scalar_cost import (
    most_item_turns,
    most_recalls,
    num_rhythms,
    scalar_cost,
    table_entries,
    table_seconds,
)
from vecdecay.sessions import Mixture, PublishedSessions
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.workload import Workload
from vecdecay.sessions.workload_text import workload_of_text

TEXTS = [
    "published_sessions",
    "published_sessions(session_length=600, noise_per_turn=0, num_foundational=60)",
    "steady_use(recalls_per_turn=10.0, session_length=100, noise_per_turn=0)",
    "uniform_recalls(recalls_per_foundational=2000, session_length=500, noise_per_turn=0)",
    "rare_critical(noise_per_turn=8)",
    "zipf_recalls(num_foundational=800, noise_per_turn=0)",
    "periodic(session_length=2000, noise_per_turn=0, period_turns=1, period_jitter=0)",
    "never_recalled(session_length=1000, noise_law='poisson', noise_per_turn=1.0)",
    "drift(noise_per_turn=5, importance_law='uniform', pinned_share=0.5, token_law='pareto')",
    "mixture",
]
BUILT_IN = [policy() for policy in POLICIES]


def workload_of(text: str) -> Workload:
    """Return the workload of a text, a mixture included."""
    return Mixture() if text == "mixture" else workload_of_text(text)


def policies_for(text: str) -> list[Policy]:
    """Return the published policies, one that keeps all, and others on the defaults."""
    others = [policy for policy in BUILT_IN if type(policy) not in (Ebbinghaus, RecencyWindow, KeepAll)]
    return [Ebbinghaus(), RecencyWindow(), KeepAll(), *(others if text == "published_sessions" else [])]


@pytest.mark.parametrize("text", TEXTS)
def test_item_turns_and_recalls_are_bounded(text: str) -> None:
    """No session has more items in its working set, summed over turns, nor an item more recalls."""
    workload = workload_of(text)
    for policy in policies_for(text):
        for seed in range(3):
            made = workload.components[workload.component_of(seed)] if isinstance(workload, Mixture) else workload
            block = block_of([workload.session(seed)])
            played = play_block(workload.block([seed]), policy)
            assert int(played.working_set_sum[0]) <= 1.5 * most_item_turns(made, policy)  # a chance may be kind
            assert block.max_recalls - 1 <= most_recalls(workload)


@pytest.mark.parametrize("text", TEXTS)
def test_memory_is_bounded(text: str) -> None:
    """The Python objects of a session and of the scalar engine, at their peak, take no more than was said."""
    workload = workload_of(text)
    for policy in (Ebbinghaus(), BUILT_IN[-1]):
        play_block(block_of([PublishedSessions(5).session(0)]), policy, "reference", (), True)
        bound = scalar_cost(workload, policy, 3).memory_bytes
        tracemalloc.start()
        try:
            play_block(block_of([workload.session(3)]), policy, "reference", (), True)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak <= bound + 300_000
        assert bound <= 12 * peak


@pytest.mark.thorough
@pytest.mark.parametrize("text", TEXTS)
def test_time_is_of_the_right_size(text: str) -> None:
    """CPU time of sessions played by the scalar engine: no more than three times, no less than a fifteenth."""
    workload = workload_of(text)
    for policy in policies_for(text):
        expected = sum(scalar_cost(workload, policy, seed).seconds for seed in range(5))
        started = time.process_time()
        for seed in range(5):
            play_block(block_of([workload.session(seed)]), policy, "reference", (), True)
        spent = time.process_time() - started
        assert expected / 15 <= spent <= 3 * expected + 0.1, policy.name


def cost_of(text: str, policy: Policy) -> float:
    """Return the seconds of a session."""
    return scalar_cost(workload_of(text), policy, 0).seconds


def test_everything_counts() -> None:
    """Touches, items beyond a thousand, turns, sizes, and what a policy does in each turn and with each touch."""
    policy = Ebbinghaus()
    few = cost_of("steady_use(noise_per_turn=0)", policy)
    assert cost_of("steady_use(noise_per_turn=0, recalls_per_turn=100.0)", policy) > 30 * few
    thousand, many = (cost_of(f"zipf_recalls(num_foundational={n}, noise_per_turn=0)", policy) for n in (1000, 10_000))
    assert many > 8 * thousand
    assert cost_of("steady_use(noise_per_turn=0, session_length=15000)", policy) > 30 * few
    sized = "zipf_recalls(num_foundational=1000, noise_per_turn=0, token_size=7)"
    assert cost_of(sized, policy) > thousand
    by_name = {one.name: one for one in BUILT_IN}
    assert cost_of("published_sessions", KeepAll()) > 3 * cost_of("published_sessions", policy)
    busy = "steady_use(noise_per_turn=0, recalls_per_turn=10.0, session_length=2000)"
    assert cost_of(busy, by_name["act_r"]) > 5 * cost_of(busy, by_name["fsrs6"])


def test_a_mixture_costs_what_the_drawn_workload_costs() -> None:
    """The seed says which one it is."""
    mixture = Mixture(("steady_use", "steady_use(session_length=5000)"), (0.5, 0.5))
    found = {scalar_cost(mixture, Ebbinghaus(), seed).seconds for seed in range(30)}
    texts = "steady_use", "steady_use(session_length=5000)"
    assert found == {cost_of(text, Ebbinghaus()) for text in texts}
    assert num_rhythms(mixture) == 2


def test_tables_have_an_entry_per_recall_and_kind_of_item() -> None:
    """Kinds count only where the policy reads what tells them apart; what is no table has none."""
    workload: Workload = workload_of_text("uniform_recalls(recalls_per_foundational=100, importance_law='uniform')")
    by_name = {one.name: one for one in BUILT_IN}
    prune, window = by_name["importance_prune"], by_name["recency_window"]
    assert isinstance(prune, TablePolicy)
    assert isinstance(window, TablePolicy)
    assert table_entries(workload, window) == 129
    assert table_entries(workload, prune) == 101 * 129
    assert table_seconds(workload, prune) == pytest.approx(101 * table_seconds(workload, window))
    assert table_seconds(workload, by_name["fsrs6"]) == 0.0
    assert num_rhythms(PublishedSessions()) == 0


class Unplayable(TablePolicy):
    """A policy whose score cannot be computed."""

    def retention(self, age: int, recall_count: int, item: object = None) -> float:
        """Raise."""
        raise ZeroDivisionError

    def evicts(self, age: int, recall_count: int, item: object = None) -> bool:
        """Raise."""
        raise ZeroDivisionError


def test_a_policy_that_cannot_be_played_has_a_cost_all_the_same() -> None:
    """As if it kept its items; the run says why it cannot be played."""
    assert most_item_turns(PublishedSessions(), Unplayable()) == most_item_turns(PublishedSessions(), KeepAll())
