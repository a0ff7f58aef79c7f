"""The figures that were measured on the published engine: schedules, digests, tables, and what its article claims."""

import math
import random
from itertools import pairwise
from statistics import stdev

import pytest
from comparing import COMPILED
from published import events_digest, runs_digest

import vecdecay as vd
from vecdecay.engines.horizon import horizon_of
from vecdecay.policies import TablePolicy
from vecdecay.sessions.session import RECALL

HEADLINE = vd.PublishedSessions()
EBBINGHAUS = vd.Ebbinghaus(eviction_threshold=0.20, baseline_stability=8.0)
WINDOW = vd.RecencyWindow(window_size=15)

SCHEDULES = {
    0: [[5, 10, 20, 39], [4, 9, 24, 41], [4, 9, 26, 46]],
    1: [[3, 11, 24, 39], [4, 9, 23, 54], [3, 7, 25, 44]],
    49: [[3, 9, 16, 53], [4, 7, 16, 52], [3, 10, 23, 46]],
}

STABILITIES = [
    8.0,
    16.78889830934488,
    40.063253365004954,
    104.54257222609698,
    291.8577159496641,
    859.7866074962184,
    2647.6625961038308,
]
HORIZONS = {
    0.1: [19, 39, 93, 241, 673, 1980, 6097],
    0.2: [13, 28, 65, 169, 470, 1384, 4262],
    0.3: [10, 21, 49, 126, 352, 1036, 3188],
}

compiled_only = pytest.mark.skipif(not COMPILED, reason="thousands of seeds take minutes without the JIT")


def mean_recall_rate(policy: TablePolicy, num_seeds: int, sessions: vd.PublishedSessions = HEADLINE) -> float:
    """Return the mean foundational recall rate over the seeds 0, 1, 2, …"""
    result = vd.simulate(sessions, policy, range(num_seeds), detail="cells", threads=1)
    mean: float = result.cells["foundational_recall_rate_mean"][0].as_py()
    return mean


def recall_turns_in_block(sessions: vd.PublishedSessions, seeds: list[int]) -> list[list[list[int]]]:
    """Return (session, fact, recall): the recall turns that the vectorised form has."""
    block = sessions.block(seeds)
    facts = [block.touch_turn[first + 1 : last].tolist() for first, last in pairwise(block.touch_start.tolist())]
    per_session = sessions.num_foundational
    return [facts[start : start + per_session] for start in range(0, len(facts), per_session)]


def test_schedules_of_three_seeds() -> None:
    """Seeds 0, 1 and 49 recall in the published turns, in the plain and in the vectorised form."""
    assert recall_turns_in_block(HEADLINE, list(SCHEDULES)) == list(SCHEDULES.values())
    for seed, wanted in SCHEDULES.items():
        events = HEADLINE.session(seed).events
        found = [[turn for turn, kind, item in events if kind == RECALL and item == fact] for fact in range(3)]
        assert found == wanted


def test_the_number_of_draws_depends_on_the_session_length() -> None:
    """The draw that runs past the end is consumed, those after it are not: 3, 6, 11, 12 and 18 draws for seed 0."""

    class Counting(random.Random):
        draws = 0

        def random(self) -> float:
            self.draws += 1
            return super().random()

    wanted = {1: 3, 2: 6, 10: 11, 20: 12, 60: 18, 150: 18}
    for session_length, draws in wanted.items():
        sessions = vd.PublishedSessions(session_length=session_length, recalls_per_foundational=6)
        stream = Counting(0)
        turns = [sessions._recall_turns(stream) for _ in range(3)]
        assert stream.draws == draws
        assert recall_turns_in_block(sessions, [0]) == [turns]


def test_short_sessions() -> None:
    """Two turns leave one recall, in turn 2; one turn leaves none; a recall that is clamped ends its fact."""
    assert recall_turns_in_block(vd.PublishedSessions(session_length=1), [0, 7]) == [[[], [], []]] * 2
    assert recall_turns_in_block(vd.PublishedSessions(session_length=2), [0, 7]) == [[[2], [2], [2]]] * 2
    turns = recall_turns_in_block(vd.PublishedSessions(session_length=20), list(range(50)))
    assert all(fact == sorted(set(fact)) and fact[-1] <= 20 for session in turns for fact in session)
    assert any(fact[-1] == 20 for session in turns for fact in session)


def test_recall_turns_stay_in_their_published_ranges() -> None:
    """The four recalls fall in turns 3–5, 7–11, 15–27 and 33–59, and both ends occur."""
    seeds = list(range(5000 if COMPILED else 40))
    facts = [fact for session in recall_turns_in_block(HEADLINE, seeds) for fact in session]
    ranges = [(min(turns), max(turns)) for turns in zip(*facts, strict=True)]
    if COMPILED:
        assert ranges == [(3, 5), (7, 11), (15, 27), (33, 59)]
    assert all(3 <= a <= 5 and 7 <= b <= 11 and 15 <= c <= 27 and 33 <= d <= 59 for a, b, c, d in facts)


def test_events_digest() -> None:
    """The printed events of seeds 0 to 49, in the published order and under published names, have the digest."""
    wanted = "eb7a39fa883414bd17ff717c7d5f9b98699e740414e59c9153f6ea9433f37067"
    assert events_digest(HEADLINE.session(seed) for seed in range(50)) == wanted
    block = HEADLINE.block(range(50))
    assert events_digest(block.sessions()) == wanted


@pytest.mark.parametrize(
    ("policy", "wanted"),
    [
        (EBBINGHAUS, "3013aa196603e078f8ed2d694d956f02a87029c0c324da18b7643f5737d59b7f"),
        (WINDOW, "9676e2231756c7173279881bb75dca748b804ff1e3022c4d65f3fc0d8d9caa45"),
    ],
)
def test_runs_digest(policy: TablePolicy, wanted: str) -> None:
    """Eviction log, working-set sizes and recall rates of seeds 0 to 49 have the digest of the published engine."""
    assert runs_digest((HEADLINE.session(seed) for seed in range(50)), policy) == wanted


def test_stabilities_and_horizons() -> None:
    """The published table: stability after 0 to 6 recalls from 8.0, and the horizon at three thresholds."""
    assert [EBBINGHAUS.stability(1 + recalls) for recalls in range(7)] == STABILITIES
    for threshold, wanted in HORIZONS.items():
        policy = vd.Ebbinghaus(eviction_threshold=threshold)
        assert [horizon_of(policy, 1 + recalls) for recalls in range(7)] == wanted
    untouched = [horizon_of(vd.Ebbinghaus(baseline_stability=stability), 1) for stability in (2.0, 4.0, 6.0, 8.0)]
    assert untouched == [4, 7, 10, 13]
    assert [horizon_of(vd.RecencyWindow(size), 1) for size in (0.5, 1, 14.99, 15, 15.5)] == [1, 2, 15, 16, 16]


def test_stability_overflows_at_the_398th_recall() -> None:
    """From 8.0 the 398th recall makes stability infinite; the score is then exactly 1.0, for ever."""
    assert math.isfinite(EBBINGHAUS.stability(398))
    assert EBBINGHAUS.stability(399) == math.inf
    assert EBBINGHAUS.retention(2**31, 399) == 1.0
    engine = vd.reference.EbbinghausEngine()
    engine.register("rule", turn=1)
    for _ in range(398):
        engine.recall("rule", turn=1)
    assert engine.memory["rule"].stability == math.inf
    assert engine.step(turn=10**9) == []


def test_a_score_that_equals_the_threshold_survives() -> None:
    """The comparison is strict: at equality the item stays, one turn later it goes."""
    threshold = math.exp(-13 / 8.0)
    engine = vd.reference.EbbinghausEngine(eviction_threshold=threshold)
    engine.register("rule", turn=1)
    assert engine.retention("rule", turn=14) == threshold
    assert engine.step(turn=14) == []
    assert engine.step(turn=15) == ["rule"]
    assert horizon_of(vd.Ebbinghaus(eviction_threshold=threshold), 1) == 14


@pytest.mark.parametrize("engine", ["horizon", "lockstep"])
def test_headline(engine: str) -> None:
    """50 seeds: footprint reduction 0.911 and 0.898, recall 1.000 and 0.000, without any spread."""
    result = vd.simulate(HEADLINE, [EBBINGHAUS, WINDOW], range(50), engine=engine, threads=1)
    assert result.cells["footprint_reduction_mean"].to_pylist() == [0.9107284768211921, 0.8977583517292127]
    assert result.cells["footprint_reduction_standard_deviation"][0].as_py() == 0.0
    window = result.sessions["footprint_reduction"].to_pylist()[50:]
    assert result.cells["footprint_reduction_standard_deviation"][1].as_py() == stdev(window)
    assert result.cells["foundational_recall_rate_mean"].to_pylist() == [1.0, 0.0]
    assert result.cells["foundational_recall_rate_standard_deviation"].to_pylist() == [0.0, 0.0]
    assert result.cells["foundational_evicted_mean"].to_pylist() == [0.0, 3.0]


def test_half_the_gain_is_not_the_published_engine() -> None:
    """With the gain of 0.5 that one report prints, recall over the 50 seeds is 0.973 and not 1.000."""
    assert mean_recall_rate(vd.Ebbinghaus(reinforcement_gain=0.5), 50) == 146 / 150


@compiled_only
def test_windows_between_always_and_never() -> None:
    """Windows up to 90 lose everything, from 117 nothing; between them the seed decides."""
    rates = {size: mean_recall_rate(vd.RecencyWindow(size), 200) for size in (90, 100, 105, 110, 117)}
    assert {size: round(rate, 3) for size, rate in rates.items()} == {
        90: 0.0,
        100: 0.368,
        105: 0.548,
        110: 0.735,
        117: 1.0,
    }


@compiled_only
def test_recalls_needed() -> None:
    """Up to two recalls lose every fact, three and more none, over 200 seeds."""
    rates = [
        mean_recall_rate(EBBINGHAUS, 200, vd.PublishedSessions(recalls_per_foundational=recalls))
        for recalls in range(8)
    ]
    assert rates == [0.0] * 3 + [1.0] * 5


@compiled_only
def test_low_stability_is_not_dead_on_arrival() -> None:
    """A stability of 2 keeps 0.883 of the facts, 1.5 none, 2.5 and more all, over 200 seeds."""
    rates = [mean_recall_rate(vd.Ebbinghaus(baseline_stability=one), 200) for one in (1.5, 2.0, 2.5, 3.0, 4.0)]
    assert [round(rate, 3) for rate in rates] == [0.0, 0.883, 1.0, 1.0, 1.0]


@compiled_only
def test_thresholds_at_which_the_headline_breaks() -> None:
    """Of 60,000 facts all are kept up to a threshold of 0.622, 99.2 % at 0.625, 88.6 % at 0.66, none at 0.74."""
    thresholds = (0.2, 0.622, 0.6223, 0.625, 0.66, 0.74)
    rates = [mean_recall_rate(vd.Ebbinghaus(eviction_threshold=one), 20_000) for one in thresholds]
    assert [round(rate, 3) for rate in rates] == [1.0, 1.0, 1.0, 0.992, 0.886, 0.0]


def test_without_foundational_items_the_two_rates_differ() -> None:
    """A session without facts has a recall rate of 1.0 and a survival rate of 0.0, as published."""
    result = vd.simulate(vd.PublishedSessions(num_foundational=0), EBBINGHAUS, [3], checkpoints=[10])
    row = result.sessions.to_pylist()[0]
    assert (row["foundational_recall_rate"], row["terminal_survival_rate"]) == (1.0, 0.0)
    assert (row["foundational_recall_rate_at_10"], row["foundational_present_at_10"]) == (1.0, 0)
    assert row["survival_time"] is None
