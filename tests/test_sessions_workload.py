"""Tests of vecdecay.sessions.workload: what every listed workload must keep to."""

import numpy as np
import pytest

from vecdecay.sessions import WORKLOADS, Workload

SEEDS = [0, 1, -1, 2**32, 2**70, 17]


@pytest.mark.parametrize("kind", WORKLOADS)
class TestEveryWorkload:
    """What holds for each workload that is listed, with its default parameters."""

    def test_it_describes_itself(self, kind: type[Workload]) -> None:
        """Name, summary, source, and a meaning for every parameter."""
        assert all((kind.name, kind.summary, kind.source))
        assert all(one.meaning for one in kind().parameters())

    def test_both_forms_are_the_same_sessions(self, kind: type[Workload]) -> None:
        """The fast form of many seeds is the plain form of each."""
        workload = kind()
        assert workload.block(SEEDS).sessions() == [workload.session(seed) for seed in SEEDS]

    def test_a_session_depends_on_its_seed_alone(self, kind: type[Workload]) -> None:
        """Neighbours, order, and how the seeds are given do not matter."""
        workload = kind()
        wanted = workload.session(17)
        assert workload.block([17]).session(0) == wanted
        assert workload.block(np.array([3, 17, 17])).sessions()[1:] == [wanted, wanted]
        assert workload.block(range(17, 10, -7)).session(0) == wanted

    def test_different_seeds_give_different_sessions(self, kind: type[Workload]) -> None:
        """A hundred seeds give a hundred different sessions: the randomness reaches the schedule."""
        assert len({session.events for session in kind().block(range(100)).sessions()}) == 100

    def test_sizes_are_upper_bounds(self, kind: type[Workload]) -> None:
        """Memory is predicted from bounds that no session exceeds."""
        workload = kind()
        sizes = workload.sizes()
        block = workload.block(SEEDS)
        for number, session in enumerate(block.sessions()):
            assert len(session.item_kinds) <= sizes.items
            assert session.session_length <= sizes.turns
            listed = slice(block.item_start[number], block.item_start[number + 1])
            assert len(block.item_kind[listed]) <= sizes.listed_items
        assert len(block.touch_turn) <= sizes.touches * len(SEEDS)
