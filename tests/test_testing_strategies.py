"""What the kit draws can be played, and contains the cases that matter."""

import statistics
from collections import Counter
from random import Random

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

from vecdecay.engines.kernels.fields import EXPIRED, FORGOTTEN
from vecdecay.engines.outcome import BlockOutcome
from vecdecay.engines.registry import play_block
from vecdecay.items import DEFAULT_ATTRIBUTES
from vecdecay.parameters import Parameter
from vecdecay.policies import POLICIES, Ebbinghaus, Fsrs6, RecencyWindow, Sm2, TimeToLive
from vecdecay.policies.base import Policy
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.session import FORGET, RECALL, REGISTER, Session, session_problems
from vecdecay.testing.probing import Probe, ages_of_change, has_score, score
from vecdecay.testing.strategies import is_allowed, policies, published_sessions, sessions

DRAWS = settings(deadline=None, database=None, max_examples=200, derandomize=True, phases=[Phase.generate])


def drawn(strategy: st.SearchStrategy) -> list:
    """Return what is drawn."""
    found: list = []
    DRAWS(given(strategy)(lambda one: found.append(one)))()
    return found


SHARES = {
    "evictions": 0.5,
    "survivors": 0.4,
    "hits": 0.7,
    "misses": 0.5,
    "registered again": 0.6,
    "evicted and there again": 0.1,
    "several touches of one turn": 0.7,
    "several touches of one item in a turn": 0.5,
    "several items": 0.6,
    "pinned": 0.3,
    "importance": 0.6,
    "categories": 0.6,
    "sizes": 0.9,
    "requests to forget": 0.3,
    "forgotten": 0.2,
    "expired": 0.1,
}
"""Which share of the drawn sessions at least contains what."""


@pytest.mark.parametrize(
    "policy", [Ebbinghaus(), RecencyWindow(3.0), TimeToLive(), Fsrs6(0.9)], ids=lambda one: one.name
)
def test_sessions_are_worth_testing(policy: Policy) -> None:
    """Hardly any without an event, half of them with eight or more, and everything that can happen happens often."""
    found = drawn(sessions(ages_of_change(policy)))
    counts: Counter[str] = Counter()
    for session in found:
        assert session_problems(session) == []
        counts.update(contents(session, play_block(block_of([session]), policy, want_items=True)))
    assert counts["no event"] <= 0.02 * len(found)
    assert statistics.median(len(session.events) for session in found) >= 8
    assert len({session.session_length for session in found}) >= 20
    assert {
        name: counts[name] / len(found) for name, share in SHARES.items() if counts[name] < share * len(found)
    } == {}


def contents(session: Session, outcome: BlockOutcome) -> list[str]:
    """Return what a session contains, and what it comes to."""
    items = outcome.items
    assert items is not None
    registered = Counter(item for _, kind, item in session.events if kind == REGISTER)
    turns = Counter(turn for turn, _, _ in session.events)
    touches = Counter((turn, item) for turn, _, item in session.events)
    contained = {
        "no event": not session.events,
        "evictions": items.evicted_turn.any(),
        "survivors": items.present.any(),
        "hits": items.hits.any(),
        "misses": items.misses.any(),
        "registered again": max(registered.values(), default=0) > 1,
        "evicted and there again": ((items.evicted_turn > 0) & (items.present > 0)).any(),
        "several touches of one turn": max(turns.values(), default=0) > 1,
        "several touches of one item in a turn": max(touches.values(), default=0) > 1,
        "several items": len(session.item_kinds) > 1,
        "pinned": any(one.pinned for one in session.attributes),
        "importance": any(one.importance != DEFAULT_ATTRIBUTES.importance for one in session.attributes),
        "categories": any(one.category != DEFAULT_ATTRIBUTES.category for one in session.attributes),
        "requests to forget": any(kind == FORGET for _, kind, _ in session.events),
        "forgotten": FORGOTTEN in items.evicted_reason,
        "expired": EXPIRED in items.evicted_reason,
        "sizes": any(size != 1 for size in session.tokens),
    }
    return [name for name, there in contained.items() if there]


def test_gaps_fall_on_the_given_ages() -> None:
    """On each, and next to it, in a good part of the sessions."""
    gaps: Counter[int] = Counter()
    for session in drawn(sessions((17,), described=False)):
        assert (session.attributes, session.tokens) == ((), ())
        last: dict[int, int] = {}
        for turn, _, item in session.events:
            gaps[turn - last.get(item, turn)] += 1
            last[item] = turn
    assert all(gaps[gap] >= 10 for gap in (16, 17, 18)), gaps


def _has_recall(session: Session) -> bool:
    return any(kind == RECALL for _, kind, _ in session.events)


def test_sessions_shrink_to_small_ones() -> None:
    """The smallest session with a recall is one turn long, with one item, registered and recalled at once."""
    smallest: Session = find(sessions(), _has_recall, settings=settings(database=None), random=Random(0))
    assert smallest.events == ((1, REGISTER, 0), (1, RECALL, 0))
    assert (smallest.session_length, len(smallest.item_kinds)) == (1, 1)


def test_published_sessions_are_those_of_the_workload() -> None:
    """Several lengths, facts and noise."""
    found = drawn(published_sessions())
    assert len({one.session_length for one in found}) >= 4
    assert all(sum(one.item_kinds) in (1, 2, 3) for one in found)


def test_policies_are_of_every_class_and_can_be_asked() -> None:
    """With the defaults, and with other values for every parameter."""
    found = drawn(policies())
    assert {type(one) for one in found} == set(POLICIES)
    assert any(one != type(one)() for one in found)
    assert all(0.0 <= score(one, Probe((1,), 3)) <= 1.0 for one in found if has_score(one))
    of_one = drawn(policies([Sm2]))
    for parameter in Sm2.parameters():
        assert len({one.values()[parameter.name] for one in of_one}) > 1, parameter.name


def test_only_values_in_range_are_drawn() -> None:
    """``is_allowed`` tells."""
    one = Parameter("x", "number", 0.5, "", above=0.0)
    assert [is_allowed(one, value) for value in (0.1, 0.0, "1", None)] == [True, False, False, False]
