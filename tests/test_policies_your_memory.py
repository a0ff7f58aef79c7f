"""Tests of vecdecay.policies.your_memory: the isolated node under its daily job."""

import math
import random

import pytest
from comparing import play_everywhere
from table_policies import NOT_NUMBERS, expect_formula, expect_refused

from vecdecay.engines.horizon import horizon_of
from vecdecay.errors import InvalidInputError
from vecdecay.items import CATEGORIES, Attributes
from vecdecay.policies import YourMemory
from vecdecay.sessions.session import FOUNDATIONAL, RECALL, REGISTER, Session

RATES = {"fact": 0.16, "assumption": 0.20, "failure": 0.35, "strategy": 0.10}

# Days to live at 0, 1 and 5 recalls, worked out from the published formula.
DAYS = {
    (0.5, "fact"): (24, 26, 32),
    (0.5, "assumption"): (20, 21, 25),
    (0.5, "failure"): (11, 12, 15),
    (0.5, "strategy"): (39, 42, 50),
    (0.9, "fact"): (65, 69, 80),
    (0.9, "assumption"): (52, 55, 64),
    (0.9, "failure"): (30, 32, 37),
    (0.9, "strategy"): (104, 110, 128),
    (1.0, "fact"): (94, 100, 116),
}


@pytest.mark.parametrize(("importance", "category"), DAYS)
def test_days_to_live(importance: float, category: str) -> None:
    """The table per importance and category at 0, 1 and 5 recalls, in days."""
    item = Attributes(importance, category)
    assert tuple(horizon_of(YourMemory(), 1 + recalls, item) for recalls in (0, 1, 5)) == DAYS[importance, category]


def test_the_rounding_decides() -> None:
    """A raw strength of 0.0499997 rounds to 0.05 and survives; 0.0499994 does not."""
    day = 20
    for raw, evicted in ((0.0499997, False), (0.0499994, True), (0.05, False)):
        rate = -math.log(raw / 0.5) / day / (1 - 0.5 * 0.8)
        policy = YourMemory(fact_rate=rate)
        assert 0.5 * math.exp(-policy.rate(Attributes()) * day) == pytest.approx(raw, abs=1e-12)
        assert policy.evicts(day, 1) == evicted
        assert policy.retention(day, 1) == (0.049999 if evicted else 0.05)


def formula(policy: YourMemory, age: int, recall_count: int, item: Attributes) -> float:
    """Return the strength in the published order of operations; recalls count from 0 there."""
    recalls = recall_count - 1
    lam = RATES[item.category] * (1 - item.importance * 0.8)
    strength = item.importance * math.exp(-lam * age) * (1 + recalls * 0.2)
    return round(min(1.0, strength), 6)


def test_the_score_is_the_formula() -> None:
    """Bit for bit, for items of every category and importance."""
    expect_formula(lambda _stream: YourMemory(), formula)
    high = YourMemory().retention(1, 30, Attributes(1.0))
    assert high == 1.0  # six-fold by its recalls, and cut


def evicted(policy: YourMemory, *items: Attributes, touches: tuple[tuple[int, int, int], ...] = ()) -> list[int]:
    """Return the turns in which items are evicted that are registered in turn 1, 0 for never, in every engine.

    Another item is registered in every turn, so that every day is active.
    """
    other = len(items)
    busy = tuple((turn, REGISTER, other) for turn in range(1, 61))
    events = sorted((*((1, REGISTER, item) for item in range(other)), *touches, *busy), key=lambda event: event[0])
    session = Session(60, (FOUNDATIONAL,) * (other + 1), tuple(events), (*items, Attributes()))
    outcome = play_everywhere([session], policy)
    assert outcome.items is not None
    return outcome.items.evicted_turn.tolist()[:-1]


def test_active_days_count_both_ends() -> None:
    """Registered on day 1, a fact of importance 0.5 is 24 days old on day 24 and goes then; by the wall, on day 25."""
    assert evicted(YourMemory(), Attributes()) == [24]
    assert evicted(YourMemory(clock="wall"), Attributes()) == [25]


def test_what_is_not_important_enough_goes_by_the_first_job() -> None:
    """An importance below 0.05 is pruned by the first job, by either clock; what a recall lifts over it is not."""
    assert evicted(YourMemory(), Attributes(0.04), Attributes(0.06)) == [1, 2]
    assert evicted(YourMemory(clock="wall"), Attributes(0.04), Attributes(0.06)) == [1, 3]
    assert evicted(YourMemory(clock="wall"), Attributes(0.045), touches=((1, RECALL, 0),)) == [2]
    assert evicted(YourMemory(turns_per_day=4), Attributes(0.04)) == [4]
    assert evicted(YourMemory(turns_per_day=4, job_period_hours=6.0), Attributes(0.04)) == [1]


def test_the_wall_clock_counts_fractions_of_days() -> None:
    """At 4 turns a day the strength falls with every turn, by fractional seconds / 86,400, from the importance on."""
    policy = YourMemory(clock="wall", turns_per_day=4, job_period_hours=6.0)
    for age in range(200):
        days = age * 21_600.0 / 86_400
        assert policy.retention(age, 3) == round(min(1.0, 0.5 * math.exp(-(0.16 * (1 - 0.5 * 0.8)) * days) * 1.4), 6)
    item = Attributes(0.9, "failure")
    first = next(age for age in range(1000) if 0.9 * math.exp(-0.35 * (1 - 0.9 * 0.8) * age / 4) < 0.0499995)
    assert horizon_of(policy, 1, item) == first == 118
    assert policy.breaks() == ("exactly_1_at_age_0",)
    assert YourMemory().breaks() == ()


def test_one_rate_for_all_categories() -> None:
    """With a single rate every category, and one that the program does not know, decays like a fact."""
    for category in (*CATEGORIES, "preference"):
        item = Attributes(0.5, category)
        assert YourMemory(single_rate=True).rate(item) == 0.16 * (1 - 0.5 * 0.8)
        assert YourMemory().rate(item) == RATES.get(category, 0.16) * (1 - 0.5 * 0.8)


def test_days_are_counted_by_their_numbers() -> None:
    """A touch in the last turn of a day makes an item as old at the end of the next day as one in the first turn."""
    policy = YourMemory(turns_per_day=2)
    item = Attributes(0.5, "failure")  # 11 days after a registration, 12 after one recall
    first, last = ((3, RECALL, 0),), ((4, RECALL, 0),)
    assert evicted(policy, item, touches=first) == evicted(policy, item, touches=last) == [2 * 13]


def test_the_job_runs_at_its_period() -> None:
    """Due on day 11, an item goes by the first job from then on: daily, every 3 or 10 days, twice a day."""
    item = Attributes(0.5, "failure")
    assert evicted(YourMemory(job_period_hours=24.0), item) == [11]
    assert evicted(YourMemory(job_period_hours=72.0), item) == [12]
    assert evicted(YourMemory(job_period_hours=240.0), item) == [20]
    assert evicted(YourMemory(turns_per_day=2, job_period_hours=12.0), item) == [21]
    assert evicted(YourMemory(turns_per_day=2, job_period_hours=24.0), item) == [22]


def test_a_job_runs_after_whole_turns() -> None:
    """A period that is no whole number of turns is refused in one line that says how many it would be."""
    for hours, turns_per_day in ((12.0, 1), (25.0, 1), (1.0, 7)):
        with pytest.raises(InvalidInputError, match=r"^YourMemory\.job_period_hours is .*; allowed: a whole number of"):
            YourMemory(job_period_hours=hours, turns_per_day=turns_per_day)


def test_a_pinned_item_stays() -> None:
    """Whatever its importance."""
    assert evicted(YourMemory(), Attributes(0.0, "failure", pinned=True), Attributes(0.0)) == [0, 1]


def test_every_category_has_its_rate() -> None:
    """The four rates are parameters, each read for its own category only."""
    for category in CATEGORIES:
        changed = YourMemory(**{f"{category}_rate": 0.5})
        for other in CATEGORIES:
            same = changed.rate(Attributes(0.5, other)) == YourMemory().rate(Attributes(0.5, other))
            assert same == (other != category)


def test_parameters_have_their_range() -> None:
    """Each is refused by name outside it."""
    expect_refused(YourMemory, "eviction_threshold", (0, 1, *NOT_NUMBERS))
    expect_refused(YourMemory, "fact_rate", (-0.1, *NOT_NUMBERS))
    expect_refused(YourMemory, "clock", ("", "Active", None, 1))
    expect_refused(YourMemory, "turns_per_day", (0, 1.5, 10**7, *NOT_NUMBERS))
    expect_refused(YourMemory, "job_period_hours", (0, -24.0, *NOT_NUMBERS))


def test_guesses_are_near_or_safe() -> None:
    """An item of no importance, and one that does not decay, have a horizon too."""
    stream = random.Random(7)
    assert horizon_of(YourMemory(), 1, Attributes(0.0)) == 1
    assert horizon_of(YourMemory(fact_rate=0.0), 1) == 2**31
    for _ in range(200):
        item = Attributes(stream.random(), stream.choice(CATEGORIES))
        count = stream.randint(1, 9)
        age = horizon_of(YourMemory(), count, item)
        assert YourMemory().evicts(age, count, item)
        assert age == 1 or not YourMemory().evicts(age - 1, count, item)
