"""Tests of vecdecay.engines.by_horizon: what is played, and where the items of cohorts go."""

import numpy as np
import pytest

from vecdecay.engines.by_horizon import can_play
from vecdecay.engines.registry import play_block
from vecdecay.policies import Ebbinghaus, KeepAll, RecencyWindow
from vecdecay.sessions import PublishedSessions


def test_it_plays_tables_only() -> None:
    """Every published policy is a table; something else is not."""
    assert all(can_play(policy) for policy in (Ebbinghaus(), RecencyWindow(), KeepAll()))
    assert not can_play(object())  # type: ignore[arg-type]


def test_cohort_items_follow_the_listed_ones_of_their_session() -> None:
    """Kind, state and order of every item are those of the session written out."""
    workload = PublishedSessions(session_length=20, num_foundational=2, noise_per_turn=3)
    outcome = play_block(workload.block([5, 6]), Ebbinghaus(), "horizon", want_items=True)
    items = outcome.items
    assert items is not None
    assert items.item_start.tolist() == [0, 62, 124]
    for number in range(2):
        mine = slice(62 * number, 62 * (number + 1))
        assert items.kind[mine].tolist() == [1, 1] + [0] * 60
        noise = slice(62 * number + 2, 62 * (number + 1))
        registered = [turn for turn in range(1, 21) for _ in range(3)]
        assert items.registered_turn[noise].tolist() == registered == items.last_touch[noise].tolist()
        assert items.evicted_turn[noise].tolist() == [turn + 13 if turn + 13 <= 20 else 0 for turn in registered]
        assert items.present[noise].tolist() == [int(turn + 13 > 20) for turn in registered]
        assert set(items.recall_count[noise].tolist()) == {1}
        assert items.stability is not None
        assert set(items.stability[noise].tolist()) == {8.0}


@pytest.mark.parametrize("policy", [Ebbinghaus(), RecencyWindow(3), KeepAll()])
def test_turns_hold_listed_items_and_cohorts(policy: Ebbinghaus) -> None:
    """The size after a turn is the number of items that were registered by then and not evicted yet."""
    block = PublishedSessions(session_length=30, noise_per_turn=2).block([8])
    outcome = play_block(block, policy, "horizon", want_items=True, want_turns=True)
    items, turns = outcome.items, outcome.turns
    assert items is not None
    assert turns is not None
    end = np.where(items.evicted_turn > 0, items.evicted_turn, 31)
    sizes = [int(((items.registered_turn <= turn) & (turn < end)).sum()) for turn in range(1, 31)]
    assert turns.working_set.tolist() == sizes
    assert outcome.working_set_sum.tolist() == [sum(sizes)]
