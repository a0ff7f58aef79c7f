"""Tests of vecdecay.engines.by_cache and of the reference: the rules of cache policies, and that both are the same."""

import random
from collections import Counter
from dataclasses import replace

import pytest
from cache_policies import KINDS
from comparing import COMPILED
from conftest import THOROUGH_FACTOR

import vecdecay as vd
from vecdecay.engines.kernels.fields import CAPACITY, EVICTION_REASONS, EXPIRED, FORGOTTEN
from vecdecay.engines.outcome import BlockOutcome, first_difference
from vecdecay.engines.registry import chosen_engine, play_block
from vecdecay.errors import InvalidInputError
from vecdecay.items import Attributes
from vecdecay.policies import CachePolicy
from vecdecay.sessions.block import Cohort
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.events import FORGET, RECALL, REGISTER
from vecdecay.sessions.session import FOUNDATIONAL, NOISE, Session

BOTH = ("reference", "cache")
ROUNDS = 120 if COMPILED else 12


def played(session: Session, policy: CachePolicy, relearn: bool = False) -> BlockOutcome:
    """Return what both engines make of a session; fail where they differ."""
    block = block_of([session])
    left, right = (play_block(block, policy, one, (1, 4), True, True, relearn=relearn) for one in BOTH)
    assert first_difference(left, right) == ""
    return right


def hits(requests: str, policy: CachePolicy) -> str:
    """Return the requests that hit, where each is a recall and a miss inserts."""
    letters = sorted(set(requests))
    events = tuple((turn, RECALL, letters.index(letter)) for turn, letter in enumerate(requests, 1))
    outcome = played(Session(len(requests), (FOUNDATIONAL,) * len(letters), events), policy, relearn=True)
    assert outcome.items is not None
    return "".join(f"{letter}{count}" for letter, count in zip(letters, outcome.items.hits.tolist(), strict=True))


def drawn_session(rng: random.Random) -> Session:
    """Draw a session in which items compete: every kind of event, pins, sizes from 0, last turns."""
    items, length = rng.randint(1, 14), rng.randint(1, 40)
    every = [
        (rng.randint(1, length), rng.choice((REGISTER, REGISTER, RECALL, RECALL, RECALL, RECALL, FORGET)))
        for _ in range(rng.randint(0, 90))
    ]
    events = [(turn, kind, rng.randrange(items)) for turn, kind in sorted(every, key=lambda one: one[0])]
    pinned = rng.random() < 0.6
    attributes = tuple(Attributes(pinned=rng.random() < 0.15) for _ in range(items)) if pinned else ()
    tokens = tuple(rng.choice((0, 1, 2, 3, 5, 9, 30)) for _ in range(items)) if rng.random() < 0.7 else ()
    last = tuple(rng.choice((0, 0, rng.randint(1, length))) for _ in range(items)) if rng.random() < 0.5 else ()
    kinds = tuple(rng.choice((NOISE, FOUNDATIONAL)) for _ in range(items))
    return Session(length, kinds, tuple(events), attributes, tokens, rng.getrandbits(40), last if any(last) else ())


def drawn_policy(kind: type[CachePolicy], rng: random.Random) -> CachePolicy:
    """Draw a policy of the class, with a budget or none."""
    budget = rng.choice(
        ({"capacity_items": rng.choice((1, 2, 3, 4, 6, 10))}, {"capacity_tokens": rng.choice((1, 5, 8, 13, 40))}, {})
    )
    if kind is vd.Lfu:
        return vd.Lfu(**budget, tie=rng.choice(("longest_untouched", "first_inserted")))
    if kind is vd.S3Fifo:
        shares = {"small_share": rng.choice((0.1, 0.3, 0.5)), "ghost_share": rng.choice((0.9, 0.2, 2.0))}
        return vd.S3Fifo(**budget, **shares, move_threshold=rng.choice((1, 2, 3)))
    return kind(**budget)


@pytest.mark.parametrize("factor", [1, pytest.param(THOROUGH_FACTOR, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("kind", KINDS)
def test_the_kernel_is_the_reference(kind: type[CachePolicy], factor: int) -> None:
    """Every field, total, turn and checkpoint of drawn sessions, with and without registration on a miss."""
    rng, reasons = random.Random(f"{kind.name} {factor}"), Counter[int]()
    for _ in range(factor * ROUNDS):
        block = block_of([drawn_session(rng) for _ in range(rng.randint(1, 4))])
        policy = drawn_policy(kind, rng)
        for relearn in (False, True):
            left, right = (play_block(block, policy, one, (1, 5, 20), True, True, relearn=relearn) for one in BOTH)
            assert first_difference(left, right) == "", (policy, relearn)
            assert right.items is not None
            reasons.update(right.items.evicted_reason.tolist())
    assert min(reasons[one] for one in (CAPACITY, FORGOTTEN, EXPIRED)) > factor * ROUNDS / 4


@pytest.mark.parametrize("kind", KINDS)
def test_without_a_budget_nothing_goes(kind: type[CachePolicy]) -> None:
    """An infinite memory is one that keeps all; items of cohorts compete like all others, and are listed for it."""
    block = vd.PublishedSessions(session_length=40).block(range(3))
    kept, cached = (play_block(block, one, "auto", (9, 40), True, True) for one in (vd.KeepAll(), kind()))
    assert first_difference(kept, cached) == ""
    small = play_block(block, kind(capacity_items=5), "auto", want_turns=True)
    assert small.turns is not None
    assert small.turns.working_set.max() == 5
    listed = play_block(block.with_cohorts_listed(), kind(capacity_items=5), "reference", want_turns=True)
    assert first_difference(small, listed) == ""
    assert block.cohorts
    assert chosen_engine("auto", kind()) == "cache"


@pytest.mark.parametrize(
    ("policy", "wanted"),
    [
        (vd.Lru(capacity_items=3), "a4b0c0d0e0"),
        (vd.Fifo(capacity_items=3), "a3b0c0d0e0"),
        (vd.Sieve(capacity_items=3), "a4b0c0d0e0"),
        (vd.Lfu(capacity_items=3), "a4b0c0d0e0"),
        (vd.Belady(capacity_items=3), "a4b1c0d0e0"),
    ],
)
def test_worked_by_hand(policy: CachePolicy, wanted: str) -> None:
    """Requests that were followed with pencil and paper."""
    assert hits("aabacadaebc", policy) == wanted


def test_ties_of_lfu() -> None:
    """All have two touches: the longest untouched is b, the first inserted a."""
    assert hits("abcbcadab", vd.Lfu(capacity_items=3)) == "a2b1c1d0"
    assert hits("abcbcadab", vd.Lfu(capacity_items=3, tie="first_inserted")) == "a1b2c1d0"


def session_of(*events: vd.Event, length: int | None = None) -> Session:
    """Return a session of events."""
    return vd.session_of(events, length)


def fates(session: Session, policy: CachePolicy) -> list[tuple[int, str]]:
    """Return when each item went, and why."""
    items = played(session, policy).items
    assert items is not None
    why = [("", *EVICTION_REASONS)[one] for one in items.evicted_reason.tolist()]
    return list(zip(items.evicted_turn.tolist(), why, strict=True))


@pytest.mark.parametrize("kind", KINDS)
def test_pins_stay_and_what_never_fits_goes_alone(kind: type[CachePolicy]) -> None:
    """Pins count and are never victims; beside them too large an item goes at once, and nothing else for it."""
    register = vd.events.register
    pinned = [register(1, "a", tokens=4, pinned=True), register(2, "b", tokens=2), register(3, "c", tokens=7)]
    assert fates(session_of(*pinned), kind(capacity_tokens=10)) == [(0, ""), (0, ""), (3, "capacity")]
    over = [*pinned, register(4, "d", tokens=7, pinned=True), register(5, "e", tokens=0)]
    wanted = [(0, ""), (4, "capacity"), (3, "capacity"), (0, ""), (5, "capacity")]
    assert fates(session_of(*over), kind(capacity_tokens=10)) == wanted


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_forgotten_or_expires_leaves_its_place(kind: type[CachePolicy]) -> None:
    """Nothing has to go for the next one."""
    register = vd.events.register
    events = [register(1, "a"), register(1, "b", expires_turn=3), vd.events.forget(2, "a"), register(2, "c")]
    assert fates(session_of(*events, register(4, "d")), kind(capacity_items=2))[2:] == [(0, ""), (0, "")]


def test_a_registration_of_what_is_there_is_a_touch() -> None:
    """LRU keeps it, FIFO does not."""
    register = vd.events.register
    session = session_of(register(1, "a"), register(2, "b"), register(3, "a"), register(4, "c"))
    assert fates(session, vd.Lru(capacity_items=2))[:2] == [(0, ""), (4, "capacity")]
    assert fates(session, vd.Fifo(capacity_items=2))[:2] == [(4, "capacity"), (0, "")]


def test_the_ghost_of_s3_fifo() -> None:
    """What comes back goes to the main queue; unless somebody asked to forget it."""
    policy = vd.S3Fifo(capacity_items=4, small_share=0.5, ghost_share=1.0)
    turns = list(enumerate("abcdea", 1))
    events = [vd.events.register(turn, letter) for turn, letter in turns]
    more = [vd.events.register(turn, letter) for turn, letter in enumerate("fgh", 7)]
    assert fates(session_of(*events, *more), policy)[0] == (5, "capacity")
    forgotten = [*events[:-1], vd.events.forget(5, "a"), events[-1], *more]
    assert fates(session_of(*forgotten), policy)[0] == (8, "capacity")


def test_draws_belong_to_the_seed() -> None:
    """The same sessions give the same victims, whatever is played beside them; other seeds other ones."""
    workload, policy = vd.PublishedSessions(session_length=30), vd.RandomEviction(capacity_items=9)
    both = vd.simulate(workload, policy, seeds=[4, 5], detail="items").items
    alone = vd.simulate(workload, policy, seeds=[5], detail="items").items
    assert both.slice(len(alone)).to_pylist() == alone.to_pylist()
    gone = both["evicted_turn"].to_pylist()
    assert gone[: len(alone)] != gone[len(alone) :]


def test_cohorts_of_another_size_compete() -> None:
    """Noise that a cohort describes takes its tokens, and drives out what is listed."""
    block = block_of([Session(9, (FOUNDATIONAL,), ((1, REGISTER, 0), (9, RECALL, 0)))])
    crowded = replace(block, cohorts=(Cohort(2, 5, 1, tokens=4),), touch_order=None)
    assert play_block(crowded, vd.Lru(capacity_tokens=17)).misses.tolist() == [0]
    assert play_block(crowded, vd.Lru(capacity_tokens=16)).misses.tolist() == [1]


def test_an_engine_for_others_refuses() -> None:
    """Each engine plays its own kind of policy."""
    for engine, policy in (("cache", vd.Ebbinghaus()), ("lockstep", vd.Lru()), ("horizon", vd.Lru())):
        with pytest.raises(InvalidInputError, match=f"engine is '{engine}', which does not play"):
            play_block(block_of([]), policy, engine)


def test_a_session_shows_who_made_room() -> None:
    """Played one by one, a session tells who went in which turn, also for another's sake."""
    register = vd.events.register
    session = session_of(register(1, "a", expires_turn=4), register(2, "b"), register(4, "c"), register(5, "d"))
    assert vd.play(session, vd.Lru(capacity_items=3)).evicted == {4: (0,)}
    assert vd.play(session, vd.Lru(capacity_items=2)).evicted == {4: (0,), 5: (1,)}
    assert vd.play(session, vd.Lru(capacity_items=1)).evicted == {2: (0,), 4: (1,), 5: (2,)}
    again = session_of(register(1, "a"), register(2, "b"), vd.events.recall(3, "b"), vd.events.recall(3, "a"))
    assert vd.play(again, vd.Lru(capacity_items=1)).found == (True, False)
