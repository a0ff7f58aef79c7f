"""``front``: every setting is what playing it comes to, and dominated is what another one dominates."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vecdecay as vd
from vecdecay.errors import InvalidInputError
from vecdecay.run.along import along, free_parameter, usual_policies, usual_values, with_value
from vecdecay.run.front import dominated
from vecdecay.run.paired import paired

SOURCE = vd.PublishedSessions(session_length=60, noise_per_turn=1)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=12))
def test_dominated_is_what_another_point_dominates(points: list[tuple[int, int]]) -> None:
    """Compared pair by pair."""
    points = sorted(points, key=lambda one: (one[1], -one[0]))
    hits, held = (np.array(column) for column in zip(*points, strict=True))
    by_pair = [
        any(more >= hit and less <= cost and (more, less) != (hit, cost) for more, less in points)
        for hit, cost in points
    ]
    assert dominated(hits, held).tolist() == by_pair


@pytest.mark.parametrize("size", ["items", "tokens"])
def test_every_setting_is_what_playing_it_comes_to(size: str) -> None:
    """The few digits of a value are inside its step, whichever end belongs to it."""
    for policy in (vd.Ebbinghaus(), vd.RecencyWindow(), vd.TimeToLive(), vd.Lru(), vd.KeepAll()):
        found = along(SOURCE, policy, size, range(30), 1)
        assert (np.diff(found.held) >= 0).all()
        places = range(0, len(found.held), max(1, len(found.held) // 15))
        sums = paired(SOURCE, [found.at(place) for place in places], size, range(30), 1)
        assert [sums.hits(one) for one in range(len(places))] == found.hits[list(places)].tolist()
        assert [sums.held(one) for one in range(len(places))] == found.held[list(places)].tolist()


def test_the_front_rises_and_names_its_policies() -> None:
    """More is held for more hits only; the share of the best never exceeds 1; all rows stay in the table."""
    policies = [vd.Ebbinghaus(), vd.RecencyWindow(), vd.KeepAll()]
    found: vd.Front = vd.front(SOURCE, policies, seeds=range(50))
    efficient = found.efficient
    assert 0 < efficient.num_rows < found.table.num_rows
    points = sorted(set(zip(efficient["held"].to_pylist(), efficient["hits"].to_pylist(), strict=True)))
    assert (np.diff(np.array(points), axis=0) > 0).all()
    assert efficient["hit_rate"].to_pylist()[-1] == 1.0
    assert all(share is None or 0 <= share <= 1 for share in found.table["share_of_best"].to_pylist())
    kept = [row for row in found.table.to_pylist() if row["policy"] == "keep_all"]
    assert [(row["parameter"], row["value"], row["dominated"]) for row in kept] == [(None, None, True)]
    assert found.table == vd.front(SOURCE, policies, seeds=range(50), threads=3).table
    with pytest.raises(InvalidInputError) as caught:
        vd.front(SOURCE, [], size="bytes", seeds=[1, 1])
    assert len(caught.value.problems) == 3


def test_usual_values_can_be_played() -> None:
    """Of every policy that an agent can use; what knows the future is none of them."""
    policies = usual_policies()
    assert {"keep_all", "lru"} < {one.name for one in policies}
    assert "belady" not in {one.name for one in policies}
    for policy in policies:
        name = free_parameter(policy)
        for value in usual_values(policy, name) if name is not None else ():
            assert with_value(policy, name, value).values()[name] == value
