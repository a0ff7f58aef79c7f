"""Tests of vecdecay.policies.capacity: what a capacity of any policy means, told by the scalar reference."""

import math
import random
from dataclasses import dataclass, replace
from typing import Any

import pytest

import vecdecay as vd
from vecdecay.engines.kernels.fields import CAPACITY, DECAYED, EXPIRED
from vecdecay.engines.outcome import first_difference
from vecdecay.engines.registry import play_block
from vecdecay.errors import InvalidInputError
from vecdecay.items import Attributes
from vecdecay.policies import POLICIES, CachePolicy
from vecdecay.policies.base import Policy
from vecdecay.policies.capacity import CapacityParameters
from vecdecay.policies.own import own_policy, with_capacity
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.events import FORGET, RECALL, recall, register
from vecdecay.sessions.session import FOUNDATIONAL, Session, session_of

KINDS = [kind for kind in POLICIES if issubclass(kind, CapacityParameters)]
INSERTS = ("before_insert", "after_insert")
MOMENTS = ("pass", *INSERTS)


def fates(events: list[vd.Event], policy: Policy, length: int = 20) -> list[tuple[int, int]]:
    """Return (turn of eviction, reason) of every item, (0, 0) for one that stays; both engines say the same."""
    block = block_of([session_of(events, length)])
    truth = play_block(block, policy, "reference", want_items=True)
    assert first_difference(truth, play_block(block, policy, "capacity", want_items=True)) == ""
    items = truth.items
    assert items is not None
    return list(zip(items.evicted_turn.tolist(), items.evicted_reason.tolist(), strict=True))


def registered(*turns: int, **attributes: Any) -> list[vd.Event]:
    """Return registrations of the items 0, 1, … in these turns; ``pinned`` and ``tokens`` are lists, one per item."""
    named = [{name: values[item] for name, values in attributes.items()} for item in range(len(turns))]
    return [register(turn, item, **named[item]) for item, turn in enumerate(turns)]


@dataclass(frozen=True)
class Gentle:
    """A policy as a person writes it: it knows of no capacity."""

    half_life: float = 10.0
    eviction_threshold: float = 0.01

    def retention(self, age: int, recall_count: int) -> float:
        """Return a score."""
        return float(0.5 ** (age / (self.half_life * recall_count)))


@dataclass(frozen=True)
class NewestFirst(Gentle):
    """A policy that says itself what ranks its items."""

    def priority(self, age: int, recall_count: int) -> float:
        """Return the age: the newest goes first."""
        return float(age)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_policy_takes_a_capacity(kind: type[Policy]) -> None:
    """It shows where it is set, and only there; it is in the way of no parameter of the policy's own."""
    plain, limited = kind(), kind(capacity_items=5)
    assert "capacity" not in repr(plain)
    assert set(limited.values()) - set(plain.values()) == {"capacity_items"}
    assert "capacity_items=5.0" in repr(limited)
    together = vd.simulate(vd.PublishedSessions(session_length=9), [limited, plain, vd.Lru()], seeds=[1]).cells
    assert together["capacity_items"].to_pylist() == [5.0, math.inf, math.inf]
    assert plain != limited
    assert (plain.competes(), limited.competes()) == (False, True)
    assert kind.build(limited.values()) == limited


def test_one_budget() -> None:
    """Two are refused, and one that holds nothing or parts of an item."""
    with pytest.raises(InvalidInputError, match="capacity_items is 5 and capacity_tokens is 7; allowed: one of them"):
        vd.Ebbinghaus(capacity_items=5, capacity_tokens=7)
    with pytest.raises(InvalidInputError) as caught:
        vd.KeepAll(capacity_items=0, capacity_tokens=-1, evict_at="never")
    assert len(caught.value.problems) == 3
    with pytest.raises(InvalidInputError, match="a whole number, or inf"):
        with_capacity(Gentle(), items=2.5)


@pytest.mark.parametrize("when", MOMENTS)
def test_the_lowest_score_goes_first(when: str) -> None:
    """A recall protects; what decays in the same pass makes room, so that nobody is evicted for it."""
    events = sorted([*registered(1, 2, 3), recall(4, 0), register(5, 3)])
    policy = vd.Ebbinghaus(eviction_threshold=0.01, capacity_items=3, evict_at=when)
    assert fates(events, policy, 5) == [(0, 0), (5, CAPACITY), (0, 0), (0, 0)]
    window = vd.RecencyWindow(window_size=3, capacity_items=3, evict_at=when)
    expected = (5, DECAYED) if when == "pass" else (5, CAPACITY)
    assert fates(registered(1, 3, 4, 5), window, 5) == [expected, (0, 0), (0, 0), (0, 0)]


def test_what_expires_makes_room_in_the_pass() -> None:
    """Expiry comes before capacity."""
    events = [register(1, 0, expires_turn=5), register(2, 1), register(5, 2)]
    assert fates(events, vd.KeepAll(capacity_items=2), 5) == [(5, EXPIRED), (0, 0), (0, 0)]


def test_equals_go_by_last_touch_then_registration_then_number() -> None:
    """KeepAll gives every item the same score."""
    policy = vd.KeepAll(capacity_items=2)
    assert fates([*registered(1, 1, 1)], policy, 1)[0] == (1, CAPACITY)
    later = [*registered(1, 1, 2), recall(2, 0)]
    assert [turn for turn, _ in fates(later, policy, 2)] == [0, 2, 0]
    registered_earlier = [register(1, 0), register(2, 1), recall(3, 1), recall(3, 0), register(3, 2)]
    assert [turn for turn, _ in fates(registered_earlier, policy, 3)] == [3, 0, 0]


def test_a_newborn_may_be_its_own_victim() -> None:
    """Only where room is made before it is inserted does it take the place of another."""

    def gone(when: str) -> list[int]:
        policy = with_capacity(NewestFirst(), items=2, when=when)
        return [turn for turn, _ in fates(registered(1, 2, 3), policy, 4)]

    assert gone("pass") == gone("after_insert") == [0, 0, 3]
    assert gone("before_insert") == [0, 3, 0]


@pytest.mark.parametrize("when", MOMENTS)
def test_pinned_items_count_and_stay(when: str) -> None:
    """Where they alone exceed the budget, they stay and all others go."""
    policy = vd.KeepAll(capacity_items=2, evict_at=when)
    some = registered(1, 2, 3, pinned=[True, False, False])
    assert [turn for turn, _ in fates(some, policy)] == [0, 3, 0]
    many = registered(1, 2, 3, 4, 5, pinned=[True, False, True, True, False])
    assert [turn for turn, _ in fates(many, policy)] == [0, 3, 0, 0, 5]


@pytest.mark.parametrize("when", MOMENTS)
def test_an_item_larger_than_the_budget_goes_alone(when: str) -> None:
    """So does one larger than what pinned items leave of it."""
    policy = vd.KeepAll(capacity_tokens=10, evict_at=when)
    assert [turn for turn, _ in fates(registered(1, 2, 3, tokens=[4, 5, 11]), policy)] == [0, 0, 3]
    pinned = registered(1, 2, 3, tokens=[5, 5, 6], pinned=[True, False, False])
    assert [turn for turn, _ in fates(pinned, policy)] == [0, 0, 3]


def test_a_turn_in_which_the_policy_does_not_look_has_a_pass_for_capacity() -> None:
    """A period delays decay only, and a grace protects from nothing else."""
    policy = vd.TimeToLive(capacity_items=1)
    assert [turn for turn, _ in fates(registered(1, 3, 5), policy)] == [3, 5, 0]
    graceful = vd.Ebbinghaus(grace_turns=100, capacity_items=1)
    assert [turn for turn, _ in fates(registered(1, 3), graceful)] == [3, 0]


def test_a_priority_must_be_a_number() -> None:
    """One line says which question had no answer."""

    @dataclass(frozen=True)
    class Lost(Gentle):
        def priority(self, age: int, recall_count: int) -> float:
            return math.nan

    with pytest.raises(InvalidInputError, match=r"Lost.priority\(age=0, recall_count=1\) is nan; allowed: a number"):
        fates(registered(1, 1), with_capacity(Lost(), items=1))


def test_a_policy_of_ones_own_needs_no_code() -> None:
    """It has the parameters that every policy has, and refuses a field of such a name."""
    policy = with_capacity(Gentle(), items=2)
    assert repr(policy) == "Gentle(half_life=10.0, eviction_threshold=0.01) with capacity_items=2.0"
    assert [turn for turn, _ in fates(registered(1, 2, 3), policy)] == [3, 0, 0]

    @dataclass(frozen=True)
    class Taken(Gentle):
        capacity_items: float = 3.0

    with pytest.raises(InvalidInputError, match="capacity_items is a parameter that every policy has"):
        own_policy(Taken())


def requests(seed: int, tokens: bool) -> Session:
    """Return a session of one request a turn: a recall that teaches what it misses; some requests are to forget."""
    stream = random.Random(seed)
    number = stream.randint(3, 12)
    events = tuple(
        (turn, FORGET if stream.random() < 0.05 else RECALL, min(stream.randrange(number), stream.randrange(number)))
        for turn in range(1, 61)
    )
    sizes = tuple(stream.randint(1, 5) for _ in range(number)) if tokens else ()
    pins = () if tokens else tuple(Attributes(pinned=stream.random() < 0.1) for _ in range(number))
    return Session(60, (FOUNDATIONAL,) * number, events, pins, sizes)


@pytest.mark.parametrize("tokens", [False, True])
@pytest.mark.parametrize(
    ("policy", "cache"),
    [(vd.RecencyWindow(window_size=1000), vd.Lru()), (vd.TimeToLive(time_to_live=1000), vd.Fifo())],
)
def test_an_age_alone_makes_it_a_cache(policy: Policy, cache: CachePolicy, tokens: bool) -> None:
    """A window nobody outlives is LRU, a time to live is FIFO, where both make room before an insertion."""
    block = block_of([requests(seed, tokens) for seed in range(100)])
    for capacity in (1, 2, 3, 5, 8):
        budget = {"capacity_tokens" if tokens else "capacity_items": capacity}
        ours = replace(policy, **budget, evict_at="before_insert")
        truth = play_block(block, replace(cache, **budget), want_items=True, want_turns=True, relearn=True)
        found = play_block(block, ours, want_items=True, want_turns=True, relearn=True)
        assert (truth.misses > 0).all()
        assert first_difference(truth, found) == ""


@pytest.mark.parametrize("when", MOMENTS)
def test_a_capacity_that_nothing_fills_changes_nothing(when: str) -> None:
    """One that holds all that there is gives the outcome without one."""
    block = block_of([requests(seed, tokens=False) for seed in range(50)])
    for policy in (vd.Ebbinghaus(baseline_stability=3.0), vd.Fsrs6(eviction_threshold=0.95)):
        limited = with_capacity(policy, items=12, when=when)
        truth = play_block(block, policy, want_items=True, want_turns=True, relearn=True)
        assert first_difference(truth, play_block(block, limited, want_items=True, want_turns=True, relearn=True)) == ""
        assert (truth.items_evicted > 0).any()


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_no_pass_leaves_more_than_fits(kind: type[Policy]) -> None:
    """Without pins, whenever the memory is looked at; the capacity is reached, and its evictions have their reason."""
    sessions = [replace(requests(seed, tokens=False), attributes=()) for seed in range(4)]
    for when in MOMENTS:
        policy = kind(capacity_items=2, evict_at=when)
        outcome = play_block(block_of(sessions), policy, "reference", want_items=True, want_turns=True, relearn=True)
        assert outcome.turns is not None
        assert outcome.turns.working_set.max() == 2
        assert outcome.items is not None
        assert (outcome.items.evicted_reason == CAPACITY).any()
