"""Tests of vecdecay.policies.cache and its kinds: budgets, and what must hold between policies and capacities."""

import itertools
import math
import random
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from cache_policies import KINDS
from conftest import examples

import vecdecay as vd
from vecdecay.engines.registry import play_block
from vecdecay.errors import InvalidInputError
from vecdecay.policies import CachePolicy
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.events import RECALL
from vecdecay.sessions.session import FOUNDATIONAL, Session
from vecdecay.sweepfile.spec import parse_sweep

Requests = tuple[int, ...]


def hits_of(
    traces: list[Requests], policy: CachePolicy, tokens: tuple[int, ...] = (), relearn: bool = True
) -> list[int]:
    """Return the hits in each trace of requests, where each is a recall in a turn of its own."""
    block = block_of(
        [
            Session(
                len(trace),
                (FOUNDATIONAL,) * (max(trace) + 1),
                tuple((turn, RECALL, item) for turn, item in enumerate(trace, 1)),
                tokens=tokens[: max(trace) + 1],
            )
            for trace in traces
        ]
    )
    outcome = play_block(block, policy, relearn=relearn)
    hits: list[int] = (outcome.recalls - outcome.misses).tolist()
    return hits


def drawn_traces(number: int, length: int, items: int) -> list[Requests]:
    """Draw requests, low numbers more often."""
    rng = random.Random(f"{number} {length} {items}")
    return [tuple(min(rng.randrange(items), rng.randrange(items)) for _ in range(length)) for _ in range(number)]


def best_hits(trace: Requests, capacity: int, tokens: tuple[int, ...]) -> int:
    """Return the most hits of any choice of victims, all of them tried; every request that fits is inserted."""

    @cache
    def best(place: int, held: frozenset[int]) -> int:
        if place == len(trace):
            return 0
        item = trace[place]
        if item in held:
            return 1 + best(place + 1, held)
        if tokens[item] > capacity:
            return best(place + 1, held)
        return max(
            best(place + 1, frozenset((*kept, item)))
            for count in range(len(held) + 1)
            for kept in itertools.combinations(sorted(held), count)
            if sum(tokens[one] for one in kept) + tokens[item] <= capacity
        )

    return best(0, frozenset())


@pytest.mark.parametrize("kind", KINDS)
def test_one_budget(kind: type[CachePolicy]) -> None:
    """Two are refused; so is one that holds nothing. Without any it is infinite."""
    with pytest.raises(InvalidInputError, match="capacity_items is 5 and capacity_tokens is 7; allowed: one of them"):
        kind(capacity_items=5, capacity_tokens=7)
    with pytest.raises(InvalidInputError) as caught:
        kind(capacity_items=0, capacity_tokens=-1)
    assert len(caught.value.problems) == 2
    with pytest.raises(InvalidInputError) as caught:
        kind(capacity_items=2.5, capacity_tokens=3)
    assert [line.split(";")[1] for line in caught.value.problems] == [
        " allowed: a whole number, or inf",
        " allowed: one of them",
    ]
    assert kind(capacity_tokens=7).counts_tokens()
    assert not kind(capacity_items=7).counts_tokens()
    assert kind().limit() > 10**18


def test_belady_is_exact_for_items_of_one_size() -> None:
    """As many hits as the best of all choices of victims, on every trace that was drawn."""
    for capacity, items in ((1, 3), (2, 4), (3, 5), (3, 6)):
        traces = drawn_traces(60, 12, items)
        found = hits_of(traces, vd.Belady(capacity_items=capacity))
        assert found == [best_hits(trace, capacity, (1,) * items) for trace in traces]


def test_belady_is_relaxed_for_tokens_and_without_return() -> None:
    """There it is no bound: with other sizes some choice of victims has more hits, as LFU has where misses stay out."""
    tokens = (1, 2, 3, 4)
    traces = drawn_traces(60, 12, 4)
    found = hits_of(traces, vd.Belady(capacity_tokens=5), tokens)
    best = [best_hits(trace, 5, tokens) for trace in traces]
    assert all(one <= other for one, other in zip(found, best, strict=True))
    assert found != best
    # b's only recall is nearer than a's five: where what was evicted stays out, it is wrong to keep b
    events = [vd.events.register(turn, name) for turn, name in enumerate("aabc", 1)]
    events += [vd.events.recall(5, "b"), *(vd.events.recall(turn, "a") for turn in range(6, 11))]
    misses = {
        policy.name: vd.simulate(vd.session_of(events), policy).sessions["misses"].to_pylist()
        for policy in (vd.Belady(capacity_items=2), vd.Lfu(capacity_items=2))
    }
    assert misses == {"belady": [5], "lfu": [1]}


def test_no_policy_beats_belady() -> None:
    """In no trace, at no capacity, where all items have one size; and each is beaten somewhere."""
    traces = drawn_traces(examples(60), 80, 14)
    beaten = Counter[str]()
    for capacity in (1, 3, 5, 9):
        bound = hits_of(traces, vd.Belady(capacity_items=capacity))
        for kind in KINDS:
            found = hits_of(traces, kind(capacity_items=capacity))
            assert all(one <= most for one, most in zip(found, bound, strict=True)), kind
            beaten[kind.name] += sum(one < most for one, most in zip(found, bound, strict=True))
    assert {name for name, times in beaten.items() if times == 0} == {"belady"}


@pytest.mark.parametrize("relearn", [False, True])
def test_a_larger_stack_never_loses_hits(relearn: bool) -> None:
    """LRU and Belady, capacity by capacity."""
    traces = drawn_traces(examples(60), 80, 14)
    for kind in (vd.Lru, vd.Belady):
        curve = [hits_of(traces, kind(capacity_items=capacity), relearn=relearn) for capacity in range(1, 16)]
        for low, high in itertools.pairwise(curve):
            assert all(one <= other for one, other in zip(low, high, strict=True))
        assert not relearn or curve[0] != curve[-1]


def test_belady_anomaly_of_fifo() -> None:
    """The published example (Belady, Nelson and Shedler 1969): four places hit less often than three; LRU does not."""
    trace = [(1, 2, 3, 4, 1, 2, 5, 1, 2, 3, 4, 5)]
    assert [hits_of(trace, vd.Fifo(capacity_items=capacity)) for capacity in (3, 4)] == [[3], [2]]
    assert [hits_of(trace, vd.Lru(capacity_items=capacity)) for capacity in (3, 4)] == [[2], [4]]


def test_lfu_with_static_counts_is_a_stack() -> None:
    """Frequencies known beforehand, in the order of which all victims go: a larger capacity never loses hits.

    LFU itself counts since the insertion, and is none: some drawn trace shows that.
    """
    traces = drawn_traces(300, 40, 9)

    def static(trace: Requests, capacity: int) -> int:
        counts, held, hits = Counter(trace), set[int](), 0
        for item in trace:
            hits += item in held
            if item not in held and len(held) == capacity:
                held.remove(min(held, key=lambda one: (counts[one], one)))
            held.add(item)
        return hits

    for trace in traces[:60]:
        curve = [static(trace, capacity) for capacity in range(1, 10)]
        assert curve == sorted(curve)
    curves = [hits_of(traces, vd.Lfu(capacity_items=capacity)) for capacity in range(1, 10)]
    assert any(list(each) != sorted(each) for each in zip(*curves, strict=True))


def test_gdsf_prefers_small_and_used() -> None:
    """A large item goes before a small one, unless it was used so much more often; the floor rises with each victim."""
    tokens = (8, 1, 2, 2)
    assert hits_of([(0, 1, 2, 3, 1, 0)], vd.Gdsf(capacity_tokens=11), tokens) == [1]
    assert hits_of([(0, *(0,) * 9, 1, 2, 3, 1, 0)], vd.Gdsf(capacity_tokens=11), tokens) == [11]


def test_random_victims_are_even() -> None:
    """Each of four items is drawn in a quarter of 4,000 sessions, give or take five standard deviations."""
    session = [vd.events.register(turn, name) for turn, name in enumerate("abcde", 1)]
    workload = lambda seed: session  # noqa: E731, ARG005  # the draws are what differs
    items = vd.simulate(workload, vd.RandomEviction(capacity_items=4), seeds=range(4000), detail="items").items
    gone = Counter(place % 5 for place, turn in enumerate(items["evicted_turn"].to_pylist()) if turn is not None)
    assert sum(gone.values()) == 4000
    assert all(abs(gone[item] - 1000) < 5 * math.sqrt(4000 * 0.25 * 0.75) for item in range(4))


def test_in_a_sweep(tmp_path: Path) -> None:
    """Capacities lie on an axis like any parameter; the check against the scalar engine runs."""
    text = """
schema = 1
[sweep]
name = "caches"
seeds = 3
[workload]
kind = "published_sessions"
session_length = 30
[[policy]]
kind = "lru"
[[policy]]
kind = "s3_fifo"
capacity_items = 20
[[axis]]
parameter = "lru.capacity_items"
values = [5, 20]
"""
    result = vd.sweep(parse_sweep(text), output=str(tmp_path))
    rows = result.cells.to_pylist()
    assert [row["mean_working_set_maximum"] <= 20 for row in rows] == [True] * 4
    assert len({row["capacity_items"] for row in rows}) == 2
