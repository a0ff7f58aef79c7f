"""Formulas, compiled and plain, on a million inputs each; horizon tables against a scan of the real predicate.

A fault of one unit in the last place hardly ever reaches a session's result, so sessions alone cannot exclude it.
"""

import math
import random

import numba
import numpy as np
import pytest
from comparing import COMPILED
from conftest import THOROUGH_FACTOR
from numpy.typing import NDArray
from strategies import first_evicting_age

from vecdecay.engines.horizon import IMMORTAL, horizon_table
from vecdecay.engines.kernels import formulas
from vecdecay.engines.kernels.fields import NEVER
from vecdecay.engines.kernels.formulas import EbbinghausParameters, ebbinghaus_passes, ebbinghaus_recall, window_passes
from vecdecay.policies import Ebbinghaus, RecencyWindow
from vecdecay.policies.ebbinghaus import reinforced_stability
from vecdecay.sessions.published_kernel import schedule_recalls

MILLION = 1_000_000 if COMPILED else 3_000
TABLES = 100_000 if COMPILED else 2_000
NUMBER_OF_TABLES = [TABLES, pytest.param(THOROUGH_FACTOR * TABLES, marks=pytest.mark.thorough)]

Floats = NDArray[np.float64]


@numba.njit(nogil=True)
def _scores(age, stability, score):
    for place in range(len(age)):
        score[place] = math.exp(-age[place] / stability[place])


@numba.njit(nogil=True)
def _evictions(age, stability, threshold, evicts):
    for place in range(len(age)):
        evicts[place] = formulas._scores_below(age[place], stability[place], threshold[place])


@numba.njit(nogil=True)
def _lives(threshold, stability, limit, lives):
    """Write the turn in which an item that is touched in turn 0 goes, as the lockstep kernel's formulas have it."""
    parameters = EbbinghausParameters(1.0, 1.0, np.inf)
    rest = (lives, 0, 0, 0, 0, limit, 0, 0, 0)
    for place in range(len(threshold)):
        lives[place], _ = ebbinghaus_passes(parameters, threshold[place], (stability[place], 0, 1), *rest)


@numba.njit(nogil=True)
def _window_lives(window, limit, lives):
    rest = (lives, 0, 0, 0, 0, limit, 0, 0, 0)
    for place in range(len(window)):
        lives[place], _ = window_passes(0, window[place], (0,), *rest)


@numba.njit(nogil=True)
def _reinforced(stability, recall_count, gain, reinforced):
    """Recall one item again and again as the lockstep kernel does, its state set anew each time."""
    for place in range(len(stability)):
        parameters = EbbinghausParameters(1.0, gain[place], np.inf)
        state = ebbinghaus_recall(parameters, (stability[place], 1, recall_count[place] - 1), 1)
        reinforced[place] = state[0]


def ages_and_stabilities(number: int) -> tuple[NDArray[np.int64], Floats]:
    """Return ages (turns) and stabilities (turns): half of them where scores are neither 0 nor 1, half anywhere."""
    numbers = np.random.default_rng(1885)
    age = np.where(numbers.random(number) < 0.7, numbers.integers(1, 400, number), numbers.integers(1, 2**31, number))
    ordinary = numbers.uniform(0.1, 400.0, number)
    anywhere = np.array([float(f"1e{power}") for power in range(-300, 309)])[numbers.integers(0, 609, number)]
    stability = np.where(numbers.random(number) < 0.7, ordinary, anywhere * numbers.uniform(0.5, 1.0, number))
    stability[:4] = [math.ulp(0.0), np.finfo(np.float64).max, math.inf, 1.0]
    return age, stability


def plain_scores(age: NDArray[np.int64], stability: Floats) -> list[float]:
    """Return exp(-age / stability) as CPython computes it."""
    pairs = zip(age.tolist(), stability.tolist(), strict=True)
    return [math.exp(-one / other) for one, other in pairs]


def test_scores_compiled_and_plain() -> None:
    """A million scores, from 0.0 by underflow to 1.0 at infinite stability, are the same double in both."""
    age, stability = ages_and_stabilities(MILLION)
    plain = plain_scores(age, stability)
    score = np.empty(MILLION)
    with np.errstate(all="ignore"):
        _scores(age, stability, score)
    assert score.tolist() == plain
    assert 0.0 in plain
    assert 1.0 in plain
    assert sum(0.0 < one < 1.0 for one in plain) > 0.4 * MILLION


def test_eviction_decisions_compiled_and_plain() -> None:
    """A million decisions with the threshold at the score, one unit below or above it: strict, and the same in both."""
    age, stability = ages_and_stabilities(MILLION)
    scores = plain_scores(age, stability)
    nudges = [lambda one: one, lambda one: math.nextafter(one, 2.0), lambda one: math.nextafter(one, -1.0)]
    thresholds = [nudges[place % 3](score) for place, score in enumerate(scores)]
    evicts = np.empty(MILLION, dtype=np.bool_)
    with np.errstate(all="ignore"):
        _evictions(age, stability, np.array(thresholds), evicts)
    assert evicts.tolist() == [score < threshold for score, threshold in zip(scores, thresholds, strict=True)]
    assert 0.2 * MILLION < evicts.sum() < 0.5 * MILLION


def test_reinforcement_compiled_and_plain() -> None:
    """A million reinforcements of the lockstep kernel, overflow to infinity included, are CPython's doubles."""
    numbers = np.random.default_rng(292)
    _, stability = ages_and_stabilities(MILLION)
    recall_count = numbers.integers(2, 600, MILLION)
    gain = np.where(numbers.random(MILLION) < 0.5, 1.0, numbers.uniform(0.0, 4.0, MILLION))
    gain[4:7] = [0.0, 0.5, 1e308]
    reinforced = np.empty(MILLION)
    with np.errstate(all="ignore"):
        _reinforced(stability, recall_count, gain, reinforced)
    inputs = zip(stability.tolist(), recall_count.tolist(), gain.tolist(), strict=True)
    assert reinforced.tolist() == [one * (1.0 + factor * math.log(1.0 + count)) for one, count, factor in inputs]
    assert math.inf in reinforced


def test_stabilities_of_the_policy_and_of_repeated_recalls() -> None:
    """The policy's remembered products are those of recalling again and again, for 450 recalls from many baselines."""
    stream = random.Random(450)
    for _ in range(300 if COMPILED else 30):
        baseline, gain = math.exp(stream.uniform(-600, 600)), stream.choice((1.0, 0.5, stream.uniform(0.0, 3.0)))
        stability = baseline
        for recall_count in range(1, 451):
            if recall_count > 1:
                stability = stability * (1.0 + gain * math.log(1.0 + recall_count))
            assert reinforced_stability(baseline, gain, recall_count) == stability


@pytest.mark.parametrize("offset", [1.0, 3.0, 8.0, 45.0, 2.5, 0.7, 1e6, 2.0**31 - 1])
def test_schedule_rounding_compiled_and_plain(offset: float) -> None:
    """Offset times factor is rounded half to even, as ``round`` does; every second draw is a half or beside one."""
    number = max(8, MILLION // 8)
    numbers = np.random.default_rng(70)
    draws = numbers.random(number)
    halves = (numbers.integers(0, max(1, int(offset)), number // 2) + 0.5) / offset
    beside = numbers.integers(-1, 2, number // 2)
    draws[::2][: len(halves)] = np.where(
        beside == 0, halves, np.nextafter(halves, np.where(beside > 0, np.inf, -np.inf))
    )
    draws = draws[draws < 1.0]
    touch_start = np.empty(len(draws) + 1, dtype=np.int64)
    touch_turn = np.empty(2 * len(draws), dtype=np.int32)
    touch_kind = np.empty(2 * len(draws), dtype=np.int8)
    low, span = (0.0, 1.0) if offset != 2.5 else (0.7, 1.3 - 0.7)
    schedule_recalls(
        draws, len(draws), 1, 2**31 - 1, 1, np.array([offset]), low, span, touch_start, touch_turn, touch_kind
    )
    turns = [max(2, min(1 + round(offset * (low + span * draw)), 2**31 - 1)) for draw in draws.tolist()]
    assert touch_turn[1::2].tolist() == turns
    assert touch_start.tolist() == list(range(0, 2 * len(draws) + 1, 2))


def drawn_ebbinghaus(stream: random.Random) -> Ebbinghaus:
    """Draw a policy with short horizons; in two of three -stability × ln(threshold) is an integer ± one last place."""
    threshold = stream.choice((0.1, 0.2, 0.3, stream.uniform(0.01, 0.95), stream.uniform(0.3, 0.6)))
    target = stream.choice((stream.uniform(0.0, 12.0), float(stream.randint(1, 12)), float(stream.randint(1, 12))))
    stability = max(-target / math.log(threshold), 1e-3)
    nudged = stream.choice((stability, math.nextafter(stability, 0.0), math.nextafter(stability, math.inf)))
    return Ebbinghaus(threshold, nudged, stream.choice((1.0, 0.5, 0.1, 0.0)))


@pytest.mark.parametrize("number", NUMBER_OF_TABLES)
def test_horizon_tables_and_a_scan_of_the_predicate(number: int) -> None:
    """100,000 tables: each horizon is the first age at which the policy itself evicts, found by asking age by age."""
    stream = random.Random(number)
    closed_form_is_wrong = 0
    policies = [drawn_ebbinghaus(stream) for _ in range(number)]
    horizons = []
    for policy in policies:
        table = horizon_table(policy, max_recalls=1)
        limit = int(table.horizon[-1]) + 2
        assert table.horizon.tolist() == [first_evicting_age(policy, count, limit) for count in (1, 2)]
        horizons.append(int(table.horizon[0]))
        closed_form = math.floor(-policy.baseline_stability * math.log(policy.eviction_threshold)) + 1
        closed_form_is_wrong += closed_form != table.horizon[0]
        # A score equals the threshold exactly if and only if the margin is 0.
        scores = [
            policy.retention(int(horizon) - back, 1 + recalls)
            for recalls, horizon in enumerate(table.horizon)
            for back in (0, 1)
        ]
        assert (table.margin_ulps == 0.0) == (policy.eviction_threshold in scores)
    assert closed_form_is_wrong > number / 100
    expect_lives(policies, horizons)


def expect_lives(policies: list[Ebbinghaus], horizons: list[int]) -> None:
    """The lockstep kernel's own search finds the same horizons, up to the last turn that it is asked for."""
    threshold = np.array([policy.eviction_threshold for policy in policies])
    stability = np.array([policy.baseline_stability for policy in policies])
    for limit in (1, 6, 1000):
        lives = np.empty(len(policies), dtype=np.int64)
        _lives(threshold, stability, limit, lives)
        assert lives.tolist() == [horizon if horizon <= limit else NEVER for horizon in horizons]


def test_window_horizons_and_a_scan_of_the_predicate() -> None:
    """Windows at, just below and just above integers: the table, the lockstep search and the scan agree."""
    stream = random.Random(15)
    sizes = [0.5, 1.0, math.ulp(0.0), math.nextafter(1.0, 0.0), math.nextafter(1.0, 2.0)]
    for _ in range(TABLES // 10):
        whole = float(stream.randint(1, 30))
        sizes.append(
            stream.choice((whole, math.nextafter(whole, 0), math.nextafter(whole, 99), stream.uniform(1e-9, 30)))
        )
    horizons = []
    for size in sizes:
        policy = RecencyWindow(size)
        horizons.append(int(horizon_table(policy, 0).horizon[0]))
        assert horizons[-1] == first_evicting_age(policy, 1, 40)
    lives = np.empty(len(sizes), dtype=np.int64)
    for limit in (1, 7, 1000):
        _window_lives(np.array(sizes), limit, lives)
        assert lives.tolist() == [horizon if horizon <= limit else NEVER for horizon in horizons]


def test_horizons_at_the_end_of_time() -> None:
    """Horizons around the longest session: the last turn that fits is found, what lies beyond is immortal."""
    for last in (2**31 - 3, 2**31 - 2):
        assert horizon_table(RecencyWindow(last), 0).horizon.tolist() == [last + 1]
        assert horizon_table(RecencyWindow(last + 0.5), 0).horizon.tolist() == [last + 1]
    for size in (2.0**31 - 1, 2.0**31, 1e300):
        assert horizon_table(RecencyWindow(size), 0).horizon.tolist() == [IMMORTAL]
    for stability in (1e10, 1e300):
        assert horizon_table(Ebbinghaus(0.2, stability), 1).horizon.tolist() == [IMMORTAL] * 2
    assert horizon_table(Ebbinghaus(math.nextafter(1.0, 0.0), 1e300), 0).horizon.tolist() == [IMMORTAL]
    assert horizon_table(Ebbinghaus(0.2, 1e-300), 1).horizon.tolist() == [1, 1]
