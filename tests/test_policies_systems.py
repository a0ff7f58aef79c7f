"""Tests of the memory systems: what each formula comes to by hand, and what all of them have in common."""

import math
from dataclasses import replace
from typing import Any

import pytest
from conftest import examples
from hypothesis import HealthCheck, given, settings

import vecdecay as vd
from vecdecay.engines.kernels.fields import CAPACITY, DECAYED, EXPIRED, FORGOTTEN
from vecdecay.engines.outcome import first_difference
from vecdecay.engines.reference import ItemTrace, engine_for, run
from vecdecay.engines.reference_systems import SystemEngine
from vecdecay.engines.registry import chosen_engine, play_block
from vecdecay.items import Attributes
from vecdecay.policies import POLICIES, SystemPolicy
from vecdecay.policies.mcp_memory_service import quality_days
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.session import FORGET, RECALL, REGISTER, Session
from vecdecay.testing.strategies import sessions

SYSTEMS: list[type[SystemPolicy]] = [kind for kind in POLICIES if issubclass(kind, SystemPolicy)]


def session(turns: dict[int, str], length: int = 0, tokens: tuple[int, ...] = (), **columns: Any) -> Session:
    """Return a session of what is touched in turns: a letter registers its item at first and recalls it after that.

    ``tokens`` and the other columns hold one entry per item, in the order of the letters.
    """
    known = dict[str, int]()
    events = [
        (turn, RECALL if letter in known else REGISTER, known.setdefault(letter, len(known)))
        for turn, touched in turns.items()
        for letter in touched
    ]
    return Session(max(length, *turns), (1,) * len(known), tuple(events), tokens=tokens, **columns)


def fates(policy: SystemPolicy, played: Session) -> str:
    """Return the letters and turns of the items that go, in their order; * where one decays."""
    items = run(engine_for(policy, played), played).items
    assert all(one.evicted_reason in (0, DECAYED, CAPACITY) for one in items)
    told = [(letter, one) for letter, one in zip("abcdefghijklmnop", items, strict=False) if one.evicted_turn]
    return " ".join(f"{letter}{one.evicted_turn}{'*' * (one.evicted_reason == DECAYED)}" for letter, one in told)


def sized(tokens: tuple[int, ...], categories: str = "", pinned: str = "") -> Session:
    """Return a session that registers items of these sizes in turn 1; categories by the first letters of their names.

    ``pinned`` are the letters of items that are pinned.
    """
    letters = "abcdefghijklmnop"[: len(tokens)]
    names = {"u": "user", "t": "tool", "a": "assistant"}
    named = categories or "a" * len(tokens)
    attributes = tuple(Attributes(0.5, names[one], x in pinned) for one, x in zip(named, letters, strict=True))
    return session({1: letters}, 2, tokens, attributes=attributes)


QUEUES: list[tuple[SystemPolicy, Session, str]] = [
    # 4 + 4 + 4 reach the budget of 10, the crossing one included; what is behind is at most 10 - 3.
    (vd.LangMem(capacity_tokens=10, max_summary_tokens=3), sized((4, 4, 4, 1, 1)), "a1 b1 c1"),
    (vd.LangMem(capacity_tokens=10, max_summary_tokens=3), sized((4, 4)), ""),
    (vd.LangMem(capacity_tokens=10, max_summary_tokens=3, summarise_from_tokens=5), sized((4, 4, 4)), "a1 b1"),
    # The pinned prompt of 6 leaves 1 for the rest: one more has to go.
    (vd.LangMem(capacity_tokens=10, max_summary_tokens=3), sized((6, 4, 4, 4, 1, 1), pinned="a"), "b1 c1 d1 e1"),
    # 20 behind the prefix are never few enough, and with the last one there is no rest.
    (vd.LangMem(capacity_tokens=10, max_summary_tokens=3), sized((10, 20)), "a1 b1"),
    # Half of 12 are two of 3; the third would cross.
    (vd.MemGpt(capacity_tokens=10), sized((3, 3, 3, 3)), "a1 b1"),
    (vd.MemGpt(capacity_tokens=12), sized((3, 3, 3, 3)), ""),
    (vd.MemGpt(capacity_tokens=10), sized((3, 3, 3, 3), "aaua"), "a1 b1 c1"),
    # 0.2.0: int(0.75 × 15) = 11, but the last three stay, and so does the last of the two before them.
    (vd.MemGpt(capacity_tokens=10, evict_share=0.75, keep_last=3), sized((3, 3, 3, 3, 3)), "a1"),
    (vd.MemGpt(capacity_tokens=14, evict_share=0.75, keep_last=3), sized((3, 3, 3, 3), pinned="a"), ""),
    (vd.MemGpt(capacity_tokens=10, evict_share=0.75, keep_last=1), sized((3, 3, 3, 3, 3)), "a1 b1 c1"),
    # int(0.9 × 10) = 9 are not exceeded, then they are: shares 0.4 and 0.5 of 11 messages give cuts at 4 and at 6, half
    # to even; 5 tokens are less than 0.7 × 10.
    (vd.Letta(capacity_tokens=10), sized((1,) * 9), ""),
    (vd.Letta(capacity_tokens=10), sized((1,) * 10), "a1 b1 c1 d1 e1"),
    # Not before tool answers: the share 0.5 gets no farther than 0.4 did, 0.6 gives number 7.
    (vd.Letta(capacity_tokens=10), sized((1,) * 10, "aaaattaaaa"), "a1 b1 c1 d1 e1 f1"),
    (vd.Letta(capacity_tokens=10), sized((1,) * 10, "u" * 10), "a1 b1 c1 d1 e1 f1 g1 h1 i1 j1"),
    (vd.Letta(capacity_tokens=10), sized((1, 1, 8), pinned="b"), "a1 c1"),
    # 5 + 5 do not fit into 8: both are flushed when the segment of 9 comes, which is larger than either buffer.
    (vd.LightMem(sensory_tokens=5, short_term_tokens=8), sized((5, 5, 9, 1)), "a1 b1"),
    (vd.LightMem(sensory_tokens=5, short_term_tokens=8), sized((2, 2, 2, 2, 2)), ""),
    (vd.LightMem(sensory_tokens=5, short_term_tokens=10), sized((5, 5, 5)), ""),
]


@pytest.mark.parametrize(("policy", "played", "wanted"), QUEUES)
def test_queues_of_messages_by_hand(policy: SystemPolicy, played: Session, wanted: str) -> None:
    """What goes in turn 1, all registered there; nothing goes later."""
    assert fates(policy, played) == wanted


def test_a_summary_takes_its_place() -> None:
    """It counts against the window from the first flush on, and is the first to be summarised again."""
    played = session({1: "abcd", 2: "e", 3: "f"}, tokens=(3,) * 6)
    assert fates(vd.MemGpt(capacity_tokens=10), played) == "a1 b1 c3 d3"
    assert fates(vd.MemGpt(capacity_tokens=10, summary_tokens=2), played) == "a1 b1 c2 d3"
    flat = session({1: "abcdefghij", 2: "kl", 3: "mn"}, tokens=(1,) * 14)
    assert fates(vd.Letta(capacity_tokens=10), flat) == "a1 b1 c1 d1 e1"
    assert fates(vd.Letta(capacity_tokens=10, summary_tokens=3), flat) == "a1 b1 c1 d1 e1 f2 g2 h3 i3"


MINUTES = session({1: "abc", 2: "aaa", 3: "a", 12: "a", 13: "d", 14: "bb", 30: "e", 31: "a"}, 1500)


def test_tiers_by_hand() -> None:
    """A turn is a minute: 1,800 s are 30 turns, 600 s are 10, a day is 1,440."""
    policy = vd.AgentMemoryTiers()
    # a has three recalls when it is more than ten minutes old, in turn 12, and then has a day from its registration.
    assert fates(policy, MINUTES) == "a1441* b31* c31* d43* e60*"
    assert fates(replace(policy, short_items=2), MINUTES) == "a1 b13 c30 d43* e60*"
    important = replace(MINUTES, attributes=(Attributes(0.7),) * 5)
    assert fates(policy, important) == "b31* c31* d43* e60*"  # five recalls and an importance of 0.7: for good
    assert fates(policy, replace(MINUTES, attributes=(Attributes(0.69),) * 5)).startswith("a1441*")


def test_the_mid_tier_is_an_lru() -> None:
    """What was touched there last stays, whichever came first."""
    played = session({1: "ab", 2: "aaabbb", 13: "a", 14: "c", 15: "ccc", 25: "d"}, 26)
    assert fates(vd.AgentMemoryTiers(mid_items=2), played) == "b25"
    assert (
        fates(vd.AgentMemoryTiers(mid_items=2), replace(played, events=played.events[:8] + played.events[9:])) == "a25"
    )


def test_memory_os_by_hand() -> None:
    """One page in the short queue, two segments: the coldest by heat, or by accesses alone."""
    paper = vd.MemoryOs(short_items=1, mid_items=2, recency_seconds=600.0)
    code = vd.MemoryOsAsPublished(short_items=1, mid_items=2, recency_seconds=600.0)
    # a and b are segments when d comes and c becomes one. Heats: a 1 + e^-0.3, b 2 + e^-0.1, c 1 + 1.
    played = session({1: "a", 2: "b", 3: "c", 4: "b", 5: "d"})
    assert fates(paper, played) == "a5"
    assert fates(code, played) == "a5"
    # Both were visited, and c never: it has the fewest accesses, and is as warm as a, which cooled down and came first.
    cold = session({1: "a", 2: "b", 3: "cab", 500: "b", 501: "d"})
    assert fates(code, cold) == "c501"
    assert fates(paper, cold) == "a501"
    assert fates(replace(paper, visit_weight=2.0), cold) == "c501"


def knows_a(policy: SystemPolicy, played: Session) -> bool:
    """Tell whether the long-term memory knows the first item at the end."""
    engine = SystemEngine(policy, played)
    run(engine, played)
    return bool(engine.view.held[0].notes.known)


def test_what_memory_os_learned_is_known() -> None:
    """Hot segments are learned at an insertion, and found after their segment went; the oldest of too many are not."""
    paper = vd.MemoryOs(short_items=1, mid_items=1)
    # a has 4 visits, 1 page and a recency of nearly 1 when b comes in, colder, and goes. a is learned, counts from 0,
    # and its segment goes for c's; it is found all the same.
    played = session({1: "a", 2: "b", 3: "aaaa", 4: "c", 6: "d", 7: "a"})
    assert fates(paper, played) == "b4"
    assert run(engine_for(paper, played), played).items[0].hits == 5
    assert fates(replace(paper, promote_heat=6.0), played) == "b4 c6"  # not learned, so hotter than c
    code = vd.MemoryOsAsPublished(short_items=1, mid_items=1)
    assert fates(code, played) == "b4 c6"  # learned, but its accesses count on
    assert knows_a(paper, played)
    assert knows_a(replace(code, promote_heat=6.0), played)  # there 6 is enough, with a recency of exactly 1
    assert not knows_a(replace(code, promote_heat=6.1), played)
    second = session({1: "a", 2: "b", 3: "aaaa", 4: "c", 6: "d", 7: "cccc", 8: "e"})
    assert fates(paper, second) == "b4 d8"
    assert fates(replace(paper, long_items=1), second) == "a8 b4 d8"


WALL = vd.YourMemoryGraph(clock="wall")


def test_links_protect_for_ever() -> None:
    """Two linked items of which both have decayed keep each other; without a link they go at an age of 24 days."""
    linked = session({1: "abc"}, 200, sources=((), (0,), ()))
    assert fates(WALL, linked) == "c25*"
    # A neighbour's recall is a recall, which buys two turns, but not a touch.
    recalled = session({1: "ab", 2: "a"}, 200, sources=((), (0,)), attributes=(Attributes(0.04), Attributes(0.5)))
    assert fates(WALL, recalled) == "a28* b27*"  # b goes when nothing but a, too weak from the first, is left
    alone = replace(recalled, sources=())
    assert fates(WALL, alone) == "a1* b25*"


@settings(max_examples=examples(60), suppress_health_check=list(HealthCheck))
@given(sessions((2, 5, 24)))
def test_without_links_the_graph_is_the_isolated_node(drawn: Session) -> None:
    """To the bit: items, turns and reasons, those of the compiled engine."""
    block, wanted = block_of([drawn]), {"want_items": True, "want_turns": True}
    isolated = play_block(block, vd.YourMemory(), **wanted)
    assert first_difference(isolated, play_block(block, vd.YourMemoryGraph(), **wanted)) == ""


def test_each_run_takes_a_tenth() -> None:
    """22 runs from 0.5 and 29 from 1.0 after 90 days; less than 0.05 goes in the first run."""
    importances = (0.5, 1.0, 0.04, 0.05)
    played = session({1: "abcd", 50: "abd"}, 200, attributes=tuple(map(Attributes, importances)))
    assert fates(vd.SimpleMem(), played) == "a113* b120* c1* d92*"
    assert fates(vd.SimpleMem(run_period_days=7), played) == "c7* d98*"
    assert fates(vd.SimpleMem(turns_per_day=2, max_age_days=5.0), played) == "a54* b68* c2* d12*"


def test_relevance_by_hand() -> None:
    """Quality 0.5, without a link: exp(-days / 30) × 1.25 sinks below 0.1 on day 76; a link buys three days."""
    assert math.exp(-75 / 30) * 1.25 >= 0.1 > math.exp(-76 / 30) * 1.25
    assert math.exp(-78 / 30) * 1.1 * 1.25 >= 0.1 > math.exp(-79 / 30) * 1.1 * 1.25
    linked = session({1: "abc"}, 200, sources=((), (0,), ()))
    assert fates(vd.McpMemoryService(), linked) == "a80* b80* c77*"
    # A recall that is not old is worth 1.5 within a day, 1.2 within a week; the age goes on.
    used = session({1: "a", 75: "a"}, 200)
    assert fates(vd.McpMemoryService(), used) == "a83*"
    poor = session({1: "ab"}, 200, attributes=(Attributes(0.0), Attributes(0.25)))
    assert fates(vd.McpMemoryService(), poor) == "a32* b62*"
    assert [quality_days(one) for one in (0.0, 0.25, 0.49, 0.5, 0.7, 1.0)] == [30, 60, 88, 180, 365, 365]
    assert fates(vd.McpMemoryService(temporary=True), linked) == "a9* b9* c9*"
    hub = vd.McpMemoryService()
    assert hub.relevance(30, 99, 5, 0.5) == math.exp(-1) * 1.5 * 1.3


def test_levels_by_hand() -> None:
    """An hour, 30 days or for good, by importance; what the source's rules for promotion come to."""
    manager = vd.AgentMemoryManager()
    ages = [60, 61, 43_200, 43_201, 10**9]
    lives = [[manager.evicts(age, 20, Attributes(one)) for age in ages] for one in (0.29, 0.3, 0.69, 0.7)]
    assert lives == [[False, True, True, True, True], *[[False, False, False, True, True]] * 2, [False] * 5]
    short = vd.AgentMemoryManager(level="short")
    promoted = [(3, 0.9), (4, 0.69), (4, 0.7), (10, 0.9), (11, 0.79), (11, 0.8)]
    assert [short.life_seconds(*one) for one in promoted] == [3600.0, 3600.0, *[2_592_000.0] * 3, math.inf]


def crowded(kind: type[SystemPolicy]) -> SystemPolicy:
    """Return a system in which a few items are too many."""
    small: dict[str, dict[str, Any]] = {
        "agent_memory_tiers": {"short_items": 2, "short_seconds": 300.0},
        "lang_mem": {"capacity_tokens": 4, "max_summary_tokens": 1},
        "mem_gpt": {"capacity_tokens": 3},
        "letta": {"capacity_tokens": 4},
        "light_mem": {"sensory_tokens": 1, "short_term_tokens": 2},
        "memory_os": {"short_items": 1, "mid_items": 1},
        "memory_os_as_published": {"short_items": 1, "mid_items": 1},
        "simple_mem": {"max_age_days": 2.0, "decay_factor": 0.1},
        "mcp_memory_service": {"relevance_threshold": 1.7},
        "your_memory_graph": {"fact_rate": 2.0},
    }
    return kind(**small[kind.name])


LETTERS = session({turn: "abcdefgh"[turn - 1] for turn in range(1, 9)}, 9)


@pytest.mark.parametrize("kind", SYSTEMS, ids=lambda kind: kind.name)
def test_what_all_systems_have_in_common(kind: type[SystemPolicy]) -> None:
    """Pins stay, what is forgotten or expires leaves its place, and what comes back is found."""
    policy = crowded(kind)
    assert chosen_engine("auto", policy) == "reference"
    free = _items(policy, LETTERS)
    gone = [item for item, one in enumerate(free) if one.evicted_turn]
    assert gone, "too roomy a system shows nothing"
    pinned = replace(LETTERS, attributes=(Attributes(pinned=True),) * 8)
    assert [one.present for one in _items(policy, pinned)] == [True] * 8
    first = gone[0]
    requested = replace(LETTERS, events=_with(LETTERS, (first + 1, FORGET, first)))
    assert (_items(policy, requested)[first].evicted_turn, _items(policy, requested)[first].evicted_reason) in (
        (first + 1, FORGOTTEN),
        (first + 1, DECAYED),
    )
    expiring = _items(policy, replace(LETTERS, expires_turns=(0,) * first + (first + 1,) + (0,) * (7 - first)))[first]
    assert (expiring.evicted_turn, expiring.evicted_reason) == (first + 1, EXPIRED)
    again = _items(policy, replace(LETTERS, events=_with(LETTERS, (9, RECALL, first))), relearn=True)[first]
    assert (again.registered_turn, again.misses) == (9, 1)


def _items(policy: SystemPolicy, played: Session, relearn: bool = False) -> list[ItemTrace]:
    return run(engine_for(policy, played), played, relearn).items


def _with(played: Session, event: tuple[int, int, int]) -> tuple[tuple[int, int, int], ...]:
    return tuple(sorted((*played.events, event), key=lambda one: one[0]))


def test_a_system_reads_the_recorded_time() -> None:
    """1,800 seconds are one turn of half an hour where a log says so."""
    played = session({1: "a", 2: "b", 3: "c"}, clock=((1, 0), (2, 1799), (3, 1800)))
    assert fates(vd.AgentMemoryTiers(), played) == "a3*"


def test_a_registration_of_what_is_there_goes_to_the_end() -> None:
    """As a new message does."""
    events = tuple((turn, REGISTER, item) for turn, item in enumerate((0, 1, 0, 2), 1))
    assert fates(vd.AgentMemoryTiers(short_items=2), Session(4, (1,) * 3, events)) == "b4"
