"""``recommend``: what it recommends meets the target on unseen sessions, and it says where nothing does."""

import tomllib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import vecdecay as vd
from vecdecay.errors import InvalidInputError
from vecdecay.run.recommend import _first
from vecdecay.sweepfile.spec import load_sweep

SOURCE = vd.PublishedSessions(session_length=60, noise_per_turn=1)
SOME = (vd.Ebbinghaus(), vd.RecencyWindow(), vd.TimeToLive(), vd.KeepAll())


def hit_rate(policy: Any, seeds: range) -> float:
    """Return the hits per recall of sessions of the source."""
    table = vd.simulate(SOURCE, policy, seeds=seeds).sessions
    recalls = sum(table["recalls"].to_pylist())
    return (recalls - sum(table["misses"].to_pylist())) / recalls


def mean_tokens(policy: Any, seeds: range) -> float:
    """Return the tokens held per turn; every item has one."""
    return sum(vd.simulate(SOURCE, policy, seeds=seeds).sessions["working_set_sum"].to_pylist()) / (60 * len(seeds))


def test_the_cheapest_that_surely_meets_the_target() -> None:
    """By the lower end on either half; the next cheaper setting does not meet it on one of them."""
    found: vd.Recommendation = vd.recommend(SOURCE, SOME, target=0.9, seeds=range(300))
    assert isinstance(found.policy, vd.Ebbinghaus)
    assert repr(found).startswith("Recommendation (target 0.9, 300 sessions of published_sessions): Ebbinghaus(")
    assert found.hit_rate is not None
    assert found.hit_rate.low >= 0.9
    assert found.hit_rate.value == hit_rate(found.policy, range(1, 300, 2))
    assert found.mean_tokens.value == mean_tokens(found.policy, range(1, 300, 2))
    rows = found.table.to_pylist()
    assert next(row["policy"] for row in rows if row["qualifies"]) == "ebbinghaus"
    assert all(row["qualifies"] is (row["hit_rate_low"] >= 0.9) for row in rows)
    costs = [row["mean_tokens"] for row in rows if row["qualifies"]]
    assert costs == sorted(costs)
    assert found.runner_up is not None
    difference = mean_tokens(found.runner_up, range(1, 300, 2)) - found.mean_tokens.value
    assert found.runner_up_more_tokens.value == pytest.approx(difference)
    dearer = found.flat[0] / 2  # a lower threshold holds more than 5 % more
    assert mean_tokens(vd.Ebbinghaus(dearer), range(0, 300, 2)) > 1.05 * mean_tokens(found.policy, range(0, 300, 2))
    assert found.next_point_tokens > 0
    assert found.window_does_as_well is None
    less = vd.Ebbinghaus(found.policy.eviction_threshold + 0.03)
    assert min(hit_rate(less, range(0, 300, 2)), hit_rate(less, range(1, 300, 2))) < 0.9


def test_the_most_hits_within_a_budget() -> None:
    """By the upper end of what is held; a window that hits as much is named."""
    found = vd.recommend(SOURCE, SOME, budget=8, seeds=range(300))
    assert found.mean_tokens.high <= 8
    rates = [row["hit_rate"] for row in found.table.to_pylist() if row["qualifies"]]
    assert rates == sorted(rates, reverse=True)
    assert [row["qualifies"] for row in found.table.to_pylist()] == [True, True, True, False]
    twins = vd.recommend(SOURCE, [vd.TimeToLive(touch_refreshes=True), vd.RecencyWindow()], budget=8, seeds=range(300))
    assert type(twins.window_does_as_well) is vd.RecencyWindow


def test_nothing_is_recommended_where_nothing_qualifies() -> None:
    """Neither where the halves of few sessions say too little, nor where pinned items alone hold more."""
    found = vd.recommend(SOURCE, SOME, target=0.999, seeds=range(20))
    assert (found.policy, found.hit_rate, found.runner_up) == (None, None, None)
    assert repr(found).endswith("nothing qualifies")
    lows = [row["hit_rate_low"] for row in found.table.to_pylist()]
    assert lows[0] == max(lows) < 0.999
    assert vd.recommend(SOURCE, [vd.KeepAll()], budget=1, seeds=range(20)).policy is None
    with pytest.raises(InvalidInputError, match="nothing qualifies; there is no file"):
        found.toml()


def test_the_file_is_a_sweep_or_a_policy(tmp_path: Path) -> None:
    """With a workload it can be run; of a log it is the policy alone."""
    found = vd.recommend(SOURCE, SOME, target=0.8, seeds=range(100))
    path = tmp_path / "recommended.toml"
    path.write_text(found.toml(), "utf-8")
    spec = load_sweep(path)
    assert [entry.policy for entry in spec.policies] == [found.policy]
    assert (spec.workload, spec.seeds) == (SOURCE, range(100))
    log = pa.table({"session": [one for one in range(9) for _ in range(3)], "turn": [1, 3, 9] * 9, "item": [0] * 27})
    of_log = vd.recommend(vd.Trace.read(log), [vd.RecencyWindow()], target=0.4)
    assert tomllib.loads(of_log.toml()).keys() == {"schema", "policy"}


def test_the_first_place_is_found() -> None:
    """Also where there is none, and where nothing is to be searched."""
    for length in range(6):
        for first in range(length + 1):
            assert _first(lambda place, first=first: place >= first, 0, length - 1) == first


def test_mistakes_are_named_together() -> None:
    """Target and budget first, then policies and seeds."""
    for target, line in (({}, "exactly one"), ({"target": 1}, "target is 1"), ({"budget": 0}, "budget is 0")):
        with pytest.raises(InvalidInputError, match=line) as caught:
            vd.recommend(SOURCE, [], seeds=[1, 1], **target)
        assert len(caught.value.problems) == 3
    for answer in (vd.recommend, vd.compare):
        arguments = {"budget": 5} if answer is vd.recommend else {"at": "5 items"}
        with pytest.raises(InvalidInputError, match="these sessions recall nothing"):
            answer(vd.NeverRecalled(), SOME, seeds=range(20), **arguments)
    with pytest.raises(InvalidInputError, match="there are 7 sessions; allowed: at least 8"):
        vd.recommend(SOURCE, SOME, target=0.5, seeds=range(7))


@pytest.mark.thorough
@pytest.mark.parametrize("sessions", [30, 200])
def test_the_target_is_met_on_unseen_sessions(sessions: int) -> None:
    """In at least 95 % of 200 repeats, by the hit rate on 20,000 other sessions; most repeats recommend something."""
    known: dict[Any, float] = {}
    met = recommended = 0
    for repeat in range(200):
        seeds = range(sessions * repeat, sessions * (repeat + 1))
        policy = vd.recommend(SOURCE, SOME, target=0.9, seeds=seeds, threads=1).policy
        if policy is not None:
            known.setdefault(policy, hit_rate(policy, range(10**6, 10**6 + 20_000)))
            recommended += 1
            met += known[policy] >= 0.9
    assert recommended >= 150
    assert met >= 0.95 * recommended
