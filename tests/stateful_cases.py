"""What the tests of stateful policies share: drawn and seeded sessions, and plain against compiled functions."""

import math
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from comparing import COMPILED, expect_same, play_everywhere
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from strategies import sessions

from vecdecay.engines.outcome import BlockOutcome
from vecdecay.engines.registry import play_block
from vecdecay.engines.stateful_compiler import compiled
from vecdecay.policies.stateful import StatefulPolicy, functions_of
from vecdecay.sessions import PublishedSessions

ENGINES = ("reference", "stateful", "lockstep")

DRAWN, SEEDED, INPUTS = (100, 500, 100_000) if COMPILED else (20, 100, 2_000)
"""How much the default run tries; the thorough run tries ten times as much."""

HISTORIES = ((1,), (1, 1), (1, 2), (1, 3, 4), (1, 5, 6, 14))

TouchesOfAScore = tuple[tuple[int, ...], int]


@st.composite
def touches_and_age(draw: st.DrawFn) -> TouchesOfAScore:
    """Draw the turns of an item's touches, and an age: what is reached in a session of 30 turns."""
    return draw(st.sampled_from(HISTORIES)), draw(st.integers(0, 12))


def reachable(score: float) -> float:
    """Return the score itself where a threshold may be that, the nearest such number otherwise."""
    return min(max(score, math.ulp(0.0)), math.nextafter(1.0, 0.0))


def ages_of_change(policy: StatefulPolicy) -> tuple[int, ...]:
    """Return the ages, up to 20, at which the policy changes its mind after some histories."""
    found = (policy.life(history, limit=20) for history in HISTORIES)
    return tuple(dict.fromkeys(age for age in found if age is not None))


def expect_agreement_on_drawn_sessions(policies: st.SearchStrategy[StatefulPolicy], number: int) -> Counter[str]:
    """Play drawn sessions, with attributes, sizes and seeds, in every engine; return what was drawn."""
    counts: Counter[str] = Counter()

    @settings(max_examples=number, phases=[Phase.generate, Phase.shrink], database=None)
    @given(st.data(), policies)
    def engines_agree(data: st.DataObject, policy: StatefulPolicy) -> None:
        ages = ages_of_change(policy)
        together = [data.draw(sessions(ages, described=data.draw(st.booleans()))) for _ in range(3)]
        keyed = [replace(one, seed_key=data.draw(st.integers(-(2**63), 2**63 - 1))) for one in together]
        count(counts, play_everywhere(keyed, policy, (1, 7, 30), engines=ENGINES))

    engines_agree()
    return counts


def count(counts: Counter[str], outcome: BlockOutcome) -> None:
    """Count what an outcome on which the engines agreed really contained."""
    items = outcome.items
    assert items is not None
    counts["examples"] += 1
    counts["evictions"] += int((items.evicted_turn > 0).sum())
    counts["survivors"] += int((items.present > 0).sum())
    counts["hits"] += int(items.hits.sum())
    counts["misses"] += int(items.misses.sum())
    counts["evicted and present"] += int(((items.present > 0) & (items.evicted_turn > 0)).sum())
    counts["recalled twice or more"] += int((items.recall_count > 2).sum())


def expect_in(counts: Counter[str], *wanted: str, share: float = 0.1) -> None:
    """Fail unless each wanted kind of case came up in at least this share of the examples."""
    rare = {name: counts[name] for name in wanted if counts[name] < share * counts["examples"]}
    assert not rare, f"hardly ever drawn: {rare}; drawn: {dict(counts)}"


USUAL = ("evictions", "survivors", "hits", "misses", "recalled twice or more")


def shapes(stream: random.Random) -> Iterator[PublishedSessions]:
    """Yield workloads, mostly of short sessions."""
    choose = stream.choice
    while True:
        yield PublishedSessions(
            session_length=choose((2, 5, 8, 13, 20, 30, 45, 60)),
            num_foundational=choose((1, 2, 3)),
            recalls_per_foundational=stream.randint(0, 6),
            noise_per_turn=choose((0, 1, 2)),
            recall_base_offsets=choose(((3, 8, 20, 45, 90, 150), (2.5, 4.5, 11.5), (1, 2, 3, 4, 5, 6))),
        )


def expect_agreement_on_seeded_sessions(
    policy_from: Callable[[random.Random], StatefulPolicy], number: int
) -> Counter[str]:
    """Play published sessions by seed, one in fifty of the headline shape, in every engine.

    Each block is played a second time for totals alone: its noise is then taken as a cohort.
    """
    stream = random.Random(number)
    counts: Counter[str] = Counter()
    every_shape = shapes(stream)
    while counts["sessions"] < number:
        headline = counts["sessions"] % 500 == 0
        workload = PublishedSessions() if headline else next(every_shape)
        block = workload.block([stream.randrange(-(2**70), 2**70) for _ in range(10)])
        checkpoints = sorted({1, workload.session_length})
        policy = policy_from(stream)
        outcome = play_everywhere(block, policy, checkpoints, engines=ENGINES)
        totals = {engine: play_block(block, policy, engine, checkpoints, want_turns=True) for engine in ENGINES[1:]}
        expect_same({"with items": replace(outcome, items=None), **totals})
        count(counts, outcome)
        counts["sessions"] += block.num_sessions
    return counts


def expect_compiled_is_plain(
    kind: type[StatefulPolicy], name: str, inputs: Iterable[tuple[Any, ...]], counted: int
) -> None:
    """Fail unless a scalar function gives the very same when compiled, on ``counted`` inputs."""
    plain = getattr(functions_of(kind), name)
    fast = getattr(compiled(kind).functions, name)
    tried = 0
    for arguments in inputs:
        expected, got = plain(*arguments), fast(*arguments)
        assert expected == got, f"{name}{arguments} is {expected!r} in Python and {got!r} compiled"
        tried += 1
    assert tried == counted
