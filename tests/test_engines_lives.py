"""Half-lives and lives: from the policy's own functions, and checked against a scalar engine."""

import math

import pytest
from lives_policies import Coin, Steps, Unmoved
from own_policies import Gentle

from vecdecay.engines import lives as module
from vecdecay.engines.lives import Ages, ages_after, score_at
from vecdecay.engines.reference import engine_for
from vecdecay.policies import (
    POLICIES,
    ActR,
    Ebbinghaus,
    Fsrs6,
    KeepAll,
    MemoryBankAsPublished,
    MemoryDecayCore,
    RecencyWindow,
    YourMemory,
)
from vecdecay.policies.base import TablePolicy
from vecdecay.policies.stateful import HazardPolicy, StatefulPolicy

WITH_SCORES = [one for one in POLICIES if issubclass(one, StatefulPolicy) and not issubclass(one, HazardPolicy)]
TABLE_POLICIES = [one for one in POLICIES if issubclass(one, TablePolicy)]


@pytest.mark.parametrize("recall_count", range(1, 8))
def test_the_half_life_of_the_curve_is_stability_times_ln_2(recall_count: int) -> None:
    """The closed form, to the accuracy of a float."""
    found = ages_after(Ebbinghaus(), [1] * recall_count).half
    assert found == pytest.approx(Ebbinghaus().stability(recall_count) * math.log(2), rel=1e-8)


@pytest.mark.parametrize("policy", [*TABLE_POLICIES, *WITH_SCORES], ids=lambda policy: policy.name)
def test_at_the_half_life_the_score_has_halved(policy: type[TablePolicy | StatefulPolicy]) -> None:
    """Of what it is right after the touch, which is less than 1 for some; one turn earlier it has not."""
    one = policy()
    for recall_count in (1, 2, 5):
        touches = [1] * recall_count
        half = ages_after(one, touches).half
        if half is None:
            assert policy.name in ("keep_all", "recency_window", "time_to_live", "sm2", "agent_memory_manager")
            continue
        start = score_at(one, touches, 1e-9)
        before = half - 1 if isinstance(one, StatefulPolicy) else half * (1 - 1e-9)
        assert score_at(one, touches, half) <= start / 2 * (1 + 1e-9)
        assert score_at(one, touches, before) > start / 2


def test_a_policy_that_starts_below_one_half_has_a_half_life() -> None:
    """It is not the age 0 at which its score is at most 0.5."""
    policy = YourMemory()
    assert score_at(policy, [1], 1e-9) == pytest.approx(0.5)
    half = ages_after(policy, [1]).half
    assert half is not None
    assert half > 5
    assert score_at(policy, [1], half) == pytest.approx(0.25)
    assert ages_after(Steps(first=0.4, until=7.0), [1]).half == 7


def test_a_jump_has_no_half_life() -> None:
    """A window keeps all or nothing; what never decays has none, and never goes."""
    assert ages_after(RecencyWindow(window_size=15), [1]) == Ages(None, 16)
    assert ages_after(KeepAll(), [1]) == Ages(None, None)


def test_the_published_horizons_of_the_curve() -> None:
    """At threshold 0.20, after 0 … 6 recalls."""
    lives = [ages_after(Ebbinghaus(eviction_threshold=0.20), [1] * count).gone for count in range(1, 8)]
    assert lives == [13, 28, 65, 169, 470, 1384, 4262]


def test_the_known_lives_of_fsrs_and_act_r() -> None:
    """Those that their own files state, and the defaults' lives of one use."""
    assert ages_after(Fsrs6(), [1, 4, 12, 32]).gone == 957
    assert ages_after(Fsrs6(), [1]) == Ages(half=209, gone=22)
    assert (ages_after(ActR(), [1]).gone, ages_after(ActR(), [1, 4, 12]).gone) == (13, 104)


@pytest.mark.parametrize("policy", [*WITH_SCORES, Gentle], ids=lambda policy: policy.__name__)
def test_where_the_scan_ends_makes_no_difference(policy: type[StatefulPolicy], monkeypatch: pytest.MonkeyPatch) -> None:
    """What is found by doubling and halving is what is found turn by turn; a state by turns is always scanned."""
    for touches in ([1], [1, 1], [1, 2, 3], [1, 8, 30]):
        found = ages_after(policy(), touches)
        scanned = module._ages_turn_by_turn(policy(), touches, module.DEFAULT_ATTRIBUTES)
        known = [age for age in found if age is not None and age <= module.SCANNED]
        assert known == [age for age in scanned if age is not None]
    monkeypatch.setattr(module, "SCANNED", 3)
    assert ages_after(MemoryDecayCore(), [1]) == Ages(None, None)


def test_a_score_that_is_low_at_once_and_lasts_long() -> None:
    """The age 0 is an age."""
    assert ages_after(Steps(first=0.4, until=50_000.0), [1]) == Ages(half=50_000, gone=50_000)
    assert ages_after(Steps(eviction_threshold=0.9, first=0.8, until=50_000.0), [1]) == Ages(half=50_000, gone=0)
    assert ages_after(Unmoved(eviction_threshold=0.9, first=0.8, until=50.0), [1]) == Ages(half=50, gone=0)


@pytest.mark.parametrize("strength", range(1, 8))
def test_chances_of_the_published_memory_bank(strength: int) -> None:
    """With a load a day, the chance to be there after day n is exp(-strength × n × (n + 1) / 10), in closed form."""

    def first_day(left: float) -> int:
        return next(day for day in range(1000) if math.exp(-strength * day * (day + 1) / 10) <= left)

    assert ages_after(MemoryBankAsPublished(), [1] * strength) == Ages(first_day(0.5), first_day(0.05))


def test_passes_that_do_not_run_drop_nothing() -> None:
    """At 0.9 a pass, 7 passes leave less than half and 29 less than 5 %; every tenth turn has one, the first is 10."""
    assert ages_after(Coin(), [1]) == Ages(half=6, gone=28)
    assert ages_after(Coin(period=10), [1]) == Ages(half=69, gone=289)
    assert ages_after(Coin(chance=0.3), [1]) == Ages(half=0, gone=2)


def test_the_share_that_is_left_is_what_the_scalar_engine_leaves() -> None:
    """Of two thousand items, under the engine's own draws."""
    engine = engine_for(MemoryBankAsPublished())
    for item in range(2000):
        engine.register(item, 1)
    left = []
    for turn in range(1, 8):
        engine.step(turn)
        left.append(engine.working_set_size() / 2000)
    assert ages_after(MemoryBankAsPublished(), [1]) == Ages(3, 5)
    assert left[2] > 0.5 > left[3]
    assert left[4] > 0.05 + 0.01
    assert left[5] < 0.06
