"""Tests of vecdecay.engines.horizon: tables and their margins. The large comparisons are in test_exactness_formulas."""

import math

import numpy as np
from hypothesis import given
from strategies import ebbinghaus, first_evicting_age, table_policies

from vecdecay.engines.horizon import IMMORTAL, horizon_of, horizon_table
from vecdecay.items import DEFAULT_ATTRIBUTES, Attributes
from vecdecay.policies import Ebbinghaus, KeepAll, RecencyWindow, TablePolicy
from vecdecay.sessions.session import MAX_SESSION_LENGTH


@given(table_policies())
def test_horizons_are_first_evicting_ages(policy: TablePolicy) -> None:
    """Whatever the policy, an entry is the first age at which it evicts, or lies beyond all that was scanned."""
    table = horizon_table(policy, 3).horizon
    assert table.dtype == np.int64
    assert len(table) == 4
    for recalls, horizon in enumerate(table.tolist()):
        assert horizon == horizon_of(policy, recalls + 1)
        first = first_evicting_age(policy, recalls + 1, 60)
        assert horizon == first if first is not None else horizon > 60


@given(ebbinghaus())
def test_the_predicate_turns_exactly_at_the_horizon(policy: Ebbinghaus) -> None:
    """One age before, the policy keeps; at the horizon it evicts: also for horizons of millions of turns."""
    for recall_count in (1, 2, 5, 9):
        horizon = horizon_of(policy, recall_count)
        if horizon < IMMORTAL:
            assert policy.evicts(horizon, recall_count)
        assert not policy.evicts(horizon - 1, recall_count)


def test_immortal_is_beyond_every_session() -> None:
    """An item registered in turn 1 of the longest session outlives it if and only if its horizon says so."""
    assert 1 + (IMMORTAL - 2) == MAX_SESSION_LENGTH
    assert horizon_of(KeepAll(), 1) == IMMORTAL
    assert horizon_of(RecencyWindow(float(IMMORTAL)), 1) == IMMORTAL
    assert horizon_of(RecencyWindow(float(MAX_SESSION_LENGTH - 1)), 1) == MAX_SESSION_LENGTH


def test_horizons_grow_with_use_until_they_are_immortal() -> None:
    """From 8.0 the table ends in immortality long before the stability is infinite."""
    horizon = horizon_table(Ebbinghaus(), 420).horizon.tolist()
    assert horizon == sorted(horizon)
    assert horizon[:7] == [13, 28, 65, 169, 470, 1384, 4262]
    assert horizon[-1] == IMMORTAL


class WithoutGuess(RecencyWindow):
    """A window that leaves the search to itself."""

    def horizon_guess(self, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return the first age of all."""
        return 1.0


def test_a_far_guess_finds_every_horizon() -> None:
    """From age 1 the search doubles its steps and halves them again: no horizon is jumped over."""
    for window in range(1, 200):
        assert horizon_of(WithoutGuess(window), 1) == window + 1


def test_exact_boundaries() -> None:
    """Where -stability × ln(threshold) is an integer or beside one, the closed form is wrong and the table right."""
    wrong = 0
    for threshold in (0.1, 0.2, 0.3, 0.37, 0.5, 0.77):
        for turns in range(1, 60):
            stability = -turns / math.log(threshold)
            for nudged in (stability, math.nextafter(stability, 0.0), math.nextafter(stability, math.inf)):
                policy = Ebbinghaus(threshold, nudged)
                horizon = next(age for age in range(1, 99) if math.exp(-age / nudged) < threshold)
                assert horizon_of(policy, 1) == horizon
                wrong += math.floor(-nudged * math.log(threshold)) + 1 != horizon
    assert wrong >= 30


def test_the_margin_is_the_distance_to_the_threshold() -> None:
    """In units of the threshold's last place: 0 where a score equals it, 1 one unit beside, None without scores."""
    score = math.exp(-13 / 8.0)
    assert horizon_table(Ebbinghaus(score), 0).margin_ulps == 0.0
    assert horizon_table(Ebbinghaus(math.nextafter(score, 1.0)), 0).margin_ulps == 1.0
    assert horizon_table(Ebbinghaus(math.nextafter(score, 0.0)), 0).margin_ulps == 1.0
    plain = horizon_table(Ebbinghaus(0.2), 2)
    kept, gone = math.exp(-12 / 8.0), math.exp(-13 / 8.0)
    assert plain.margin_ulps is not None
    assert 1e6 < plain.margin_ulps <= min(abs(kept - 0.2), abs(gone - 0.2)) / math.ulp(0.2)
    assert horizon_table(RecencyWindow(15), 0).margin_ulps is None
    assert horizon_table(Ebbinghaus(0.2, 1e300), 0).margin_ulps is None
