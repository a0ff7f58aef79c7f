"""What every seeded workload promises: two generators and three engines agree, noise is apart, seeds differ, sessions
that go on begin alike.

The large run of the first, 20,000 sessions per workload:
``VECDECAY_THOROUGH=1 pytest tests/test_exactness_rhythms.py -k generators_and_engines``.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest
from comparing import COMPILED, play_everywhere
from conftest import THOROUGH
from hypothesis import given, settings
from hypothesis import strategies as st
from rhythm_strategies import WORKLOAD_STRATEGIES, Values, seeds
from rhythms import SEEDED, expect_same_sessions, foundational_events

from vecdecay.items import Attributes
from vecdecay.policies import Ebbinghaus, KeepAll, RecencyWindow
from vecdecay.sessions import WORKLOADS, ChangingFacts, ForgetRequests, Mixture, PublishedSessions, Workload
from vecdecay.sessions.seeded import SeededWorkload
from vecdecay.sessions.session import PlayedEvent, Session

POLICIES = (Ebbinghaus(), Ebbinghaus(0.4, 3.0), RecencyWindow(6), KeepAll())
"""Short lives too, so that items of short sessions die; every other policy: test_exactness_rhythms_policies.py."""

SEEDS_PER_EXAMPLE = 20
EXAMPLES = (1000 if THOROUGH else 30) if COMPILED else 5
"""Examples per workload: with their seeds 20,000 sessions in the thorough run, 600 otherwise."""


class Promises(NamedTuple):
    """What the tests below need to know of one workload.

    ``distinct``: parameters under which chance decides enough that no two of 600 seeds have the same session.
    ``shorter``: the turns of a session that is to be the beginning of longer ones, None where the workload does not
    promise that; ``begun``: the parameters of both, beside the noise, where defaults do not fit so short a session.
    """

    distinct: Values
    shorter: int | None
    begun: Values | None = None


PROMISES: dict[str, Promises] = {
    "uniform_recalls": Promises({}, None),  # the recalls spread over all of the session, however long
    "steady_use": Promises({}, 20),
    "burst_then_silence": Promises({"burst_turns": 100}, 21),
    "establish_silence_resurface": Promises({}, 141),
    "never_recalled": Promises({"num_foundational": 10}, 30, {"registered_within": 25}),
    "zipf_recalls": Promises({}, 20),
    "recency_biased": Promises({}, 20),
    "periodic": Promises({"period_jitter": 5}, 20),
    "rare_critical": Promises({"noise_per_turn": 1}, 20),
    "drift": Promises({}, 140),
    "budget_pressure": Promises({"registered_within": 150}, 25),
    "long_project": Promises({"num_foundational": 3, "noise_per_turn": 1}, None),
}
"""By the name of the workload."""

BEGIN_ALIKE = [one for one in SEEDED if one.name in PROMISES and PROMISES[one.name].shorter is not None]


def name_of(described: type[Workload]) -> str:
    """Return the name of a workload, as the id of a test."""
    return described.name


every_seeded_workload = pytest.mark.parametrize("described", SEEDED, ids=name_of)


def test_every_workload_is_in_the_tables() -> None:
    """A newcomer to WORKLOADS has no test here until it is drawn; others have tests of their own."""
    assert set(WORKLOAD_STRATEGIES) == set(WORKLOADS) - {PublishedSessions, ChangingFacts, ForgetRequests}
    assert set(SEEDED) == set(WORKLOAD_STRATEGIES) - {Mixture}
    assert set(PROMISES) == {one.name for one in SEEDED}


def test_whoever_promises_a_like_beginning_is_held_to_it() -> None:
    """The docstrings that promise it are those of the workloads that are tested for it, and of no other."""
    promise = "A longer session has the shorter one as its beginning"
    promising = [one for one in WORKLOADS if promise in " ".join((one.__doc__ or "").split())]
    assert promising == BEGIN_ALIKE
    assert len(promising) >= 9


def expect_sound(session: Session) -> None:
    """Fail unless every item is registered once, before its recalls, and events lie inside the session, in order."""
    turns = [turn for turn, _, _ in session.events]
    assert turns == sorted(turns)
    assert all(1 <= turn <= session.session_length for turn in turns)
    kinds: list[list[int]] = [[] for _ in session.item_kinds]
    for _, kind, item in session.events:
        kinds[item].append(kind)
    assert all(one == [0] + [1] * (len(one) - 1) for one in kinds)


@pytest.mark.parametrize("described", WORKLOAD_STRATEGIES, ids=name_of)
@settings(max_examples=EXAMPLES)
@given(data=st.data(), ends=st.lists(seeds, min_size=2, max_size=2, unique=True))
def test_generators_and_engines_agree(described: type[Workload], data: st.DataObject, ends: list[int]) -> None:
    """The plain and the vectorised generator agree on every field, reference and kernels on every outcome."""
    workload = data.draw(WORKLOAD_STRATEGIES[described])
    first = ends[0] % 2**62
    some = [*range(first, first + SEEDS_PER_EXAMPLE - 2), *ends]
    block = expect_same_sessions(workload, some)
    expect_sound(block.session(0))
    few = workload.block(some[-3:])
    play_everywhere(few, POLICIES[first % len(POLICIES)], (1, 7, 50))


@every_seeded_workload
def test_noise_changes_no_foundational_item(described: type[SeededWorkload]) -> None:
    """Neither its touches nor what it is like depend on any parameter of the noise."""
    expect_noise_changes_nothing_else(
        described(importance_distribution="uniform", token_distribution="pareto"), range(8)
    )


def expect_noise_changes_nothing_else(workload: SeededWorkload, some: Sequence[int]) -> None:
    """Fail if any noise parameter changes a foundational touch, or what a foundational item is like."""
    values = workload.values()
    others: list[Values] = [
        {"noise_per_turn": 0.0},
        {"noise_per_turn": 2.0, "noise_process": "constant"},
        {"noise_per_turn": 1.3, "noise_process": "poisson"},
        {"noise_per_turn": 1.3, "noise_process": "bursty", "noise_burst_turns": 3, "noise_burst_share": 0.3},
        {"noise_per_turn": 1.0, "noise_recall_probability": 0.5, "noise_recall_gap": 3.0},
    ]
    changed = [type(workload)(**(values | other)) for other in others]
    for seed in some:
        session = workload.session(seed)
        number = len(session.foundational_items())
        kept = foundational(session, number)
        for other in changed:
            assert foundational(other.session(seed), number) == kept


def foundational(session: Session, number: int) -> tuple[list[PlayedEvent], list[Attributes], tuple[int, ...]]:
    """Return what happens to the foundational items, what they are like, and their sizes."""
    attributes = [session.attributes_of(item) for item in range(number)]
    return foundational_events(session), attributes, session.tokens[:number] or (1,) * number


@every_seeded_workload
def test_distinct_seeds_have_distinct_sessions(described: type[SeededWorkload]) -> None:
    """Also seeds that differ in their sign only."""
    some = [*range(300), *range(-300, 0)]
    block = described(**PROMISES[described.name].distinct).block(some)
    assert len({(session.events, session.item_kinds) for session in block.sessions()}) == len(some)


@pytest.mark.parametrize("described", BEGIN_ALIKE, ids=name_of)
def test_a_longer_session_begins_like_a_shorter_one(described: type[SeededWorkload]) -> None:
    """Whatever happens in the turns of the shorter one happens in the longer one too, noise included."""
    _, length, begun = PROMISES[described.name]
    assert length is not None
    values: dict[str, Any] = {"noise_process": "poisson", "noise_per_turn": 0.8, "noise_recall_probability": 0.4}
    values |= begun or {}
    for longer in (length + 1, 3 * length):
        expect_prefix(described(session_length=length, **values), described(session_length=longer, **values), range(20))


def expect_prefix(workload: SeededWorkload, longer: SeededWorkload, some: Sequence[int]) -> None:
    """Fail unless the session of ``workload`` is the beginning of that of ``longer``."""
    for seed in some:
        short, long = workload.session(seed), longer.session(seed)
        events = tuple(event for event in long.events if event[0] <= short.session_length)
        assert events == short.events
        assert long.item_kinds[: len(short.item_kinds)] == short.item_kinds
