"""What the kit draws can be played, and contains the cases that matter."""

from collections import Counter
from random import Random

from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

from vecdecay.engines.play import play_block
from vecdecay.parameters import Parameter
from vecdecay.policies import POLICIES, Ebbinghaus, Sm2
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.session import RECALL, REGISTER, Session, session_problems
from vecdecay.testing.probing import Probe, score
from vecdecay.testing.strategies import is_allowed, policies, published_sessions, sessions

DRAWS = settings(deadline=None, database=None, max_examples=200, derandomize=True, phases=[Phase.generate])


def drawn(strategy: st.SearchStrategy) -> list:
    """Return what is drawn."""
    found: list = []
    DRAWS(given(strategy)(lambda one: found.append(one)))()
    return found


def test_sessions_are_sound_and_varied() -> None:
    """Events are sorted and inside the session; misses, second registrations and pinned items all occur."""
    counts: Counter[str] = Counter()
    for session in drawn(sessions((13, 28))):
        assert session_problems(session) == []
        items = play_block(block_of([session]), Ebbinghaus(), want_items=True).items
        assert items is not None
        kinds = Counter((item, kind) for _, kind, item in session.events)
        counts["recalls"] += any(kind == RECALL for _, kind in kinds)
        counts["registered anew"] += any(number > 1 for (_, kind), number in kinds.items() if kind == REGISTER)
        counts["misses"] += bool(items.misses.any())
        counts["evictions"] += bool(items.evicted_turn.any())
        counts["pinned"] += any(one.pinned for one in session.attributes)
    assert all(counts[name] >= 20 for name in ("recalls", "registered anew", "misses", "evictions", "pinned")), counts


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
    assert all(0.0 <= score(one, Probe((1,), 3)) <= 1.0 for one in found)
    of_one = drawn(policies([Sm2]))
    for parameter in Sm2.parameters():
        assert len({one.values()[parameter.name] for one in of_one}) > 1, parameter.name


def test_only_values_in_range_are_drawn() -> None:
    """``is_allowed`` tells."""
    one = Parameter("x", "number", 0.5, "", above=0.0)
    assert [is_allowed(one, value) for value in (0.1, 0.0, "1", None)] == [True, False, False, False]
