"""What tests of workloads share: workloads as Hypothesis draws them, and the comparisons that all of them must pass."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from comparing import COMPILED, play_everywhere
from conftest import THOROUGH
from hypothesis import given, settings
from hypothesis import strategies as st

from vecdecay.errors import InvalidInputError
from vecdecay.items import Attributes
from vecdecay.policies import Ebbinghaus, KeepAll, RecencyWindow
from vecdecay.sessions import WORKLOADS, Workload
from vecdecay.sessions.block import SessionBlock
from vecdecay.sessions.seeded import SeededWorkload
from vecdecay.sessions.session import FOUNDATIONAL, Event, Session

SEEDED: tuple[type[SeededWorkload], ...] = tuple(one for one in WORKLOADS if issubclass(one, SeededWorkload))

POLICIES = (Ebbinghaus(), Ebbinghaus(0.4, 3.0), RecencyWindow(6), KeepAll())
"""Short lives too, so that items of short sessions die."""

SEEDS_PER_EXAMPLE = 20
EXAMPLES = (1000 if THOROUGH else 100) if COMPILED else 5
"""Examples per workload: with their seeds 20,000 sessions in the thorough run, a tenth of that otherwise."""

Values = dict[str, Any]


@st.composite
def noise_values(draw: st.DrawFn) -> Values:
    """Draw noise of any law, little enough for the plain generator."""
    law = draw(st.sampled_from(("constant", "poisson", "bursty")))
    whole = st.sampled_from((0, 1, 2)).map(float)
    values: Values = {"noise_law": law, "noise_per_turn": draw(whole if law == "constant" else whole | st.just(0.7))}
    if law == "bursty":
        values |= {
            "noise_burst_turns": draw(st.integers(1, 7)),
            "noise_burst_share": draw(st.sampled_from((0.2, 0.5, 1.0))),
        }
    if draw(st.booleans()):
        values |= {
            "noise_recall_probability": draw(st.sampled_from((0.3, 0.8))),
            "noise_recall_gap": draw(st.sampled_from((0.0, 2.0, 30.0))),
        }
    return values


@st.composite
def attribute_values(draw: st.DrawFn) -> Values:
    """Draw what items are like; one time in two they are all alike."""
    if draw(st.booleans()):
        return {}
    return {
        "importance_law": draw(st.sampled_from(("constant", "uniform", "beta"))),
        "importance_mean": draw(st.sampled_from((0.5, 0.25, 0.07))),
        "importance_concentration": draw(st.sampled_from((4.0, 20.0))),
        "importance_follows_use": draw(st.sampled_from((0.0, 0.5, 1.0, -1.0))),
        "importance_advantage": draw(st.sampled_from((0.0, 0.3, -0.9))),
        "category_weights": draw(st.sampled_from(((1.0, 0.0, 0.0, 0.0), (0.25, 0.25, 0.0, 0.5), (0.0, 0.0, 1.0, 0.0)))),
        "pinned_share": draw(st.sampled_from((0.0, 0.4, 1.0))),
        "token_law": draw(st.sampled_from(("constant", "lognormal", "pareto"))),
        "token_size": draw(st.sampled_from((1, 7, 900_000))),
        "token_spread": draw(st.sampled_from((0.0, 0.8, 3.0))),
    }


@st.composite
def seeded_workloads(
    draw: st.DrawFn, described: type[SeededWorkload], rhythm: st.SearchStrategy[Values]
) -> SeededWorkload:
    """Draw a workload; ``rhythm`` draws its own parameters, and may draw the length and the number of items."""
    shape = {"session_length": draw(st.integers(1, 40)), "num_foundational": draw(st.sampled_from((2, 1, 0, 4)))}
    return described(**{**shape, **draw(noise_values()), **draw(attribute_values()), **draw(rhythm)})


seeds = st.integers(-50, 2**40) | st.sampled_from((-(2**63), 2**63 - 1, 2**63, -(2**90), 2**64))


def expect_same_sessions(workload: Workload, some: Sequence[int]) -> SessionBlock:
    """Fail unless the plain and the vectorised generator make the same sessions, in every field; return the block."""
    block = workload.block(some)
    for index, seed in enumerate(some):
        assert block.session(index) == workload.session(seed), f"{workload!r} differs at seed {seed}"
    sizes = workload.sizes()
    recalls = np.diff(block.touch_start) - 1
    assert recalls.max(initial=0) <= block.max_recalls
    assert np.diff(block.item_start).max(initial=0) <= sizes.listed_items
    assert block.cohort_items + np.diff(block.item_start).max(initial=0) <= sizes.items
    assert np.diff(block.touch_start[block.item_start]).max(initial=0) <= sizes.touches
    return block


def expect_sound(session: Session) -> None:
    """Fail unless every item is registered once, before its recalls, and events lie inside the session, in order."""
    turns = [turn for turn, _, _ in session.events]
    assert turns == sorted(turns)
    assert all(1 <= turn <= session.session_length for turn in turns)
    kinds: list[list[int]] = [[] for _ in session.item_kinds]
    for _, kind, item in session.events:
        kinds[item].append(kind)
    assert all(one == [0] + [1] * (len(one) - 1) for one in kinds)


def exactness_test(strategy: st.SearchStrategy[Workload]) -> Callable[[], None]:
    """Return a test that draws workloads and seeds, and compares generators and engines."""

    @settings(max_examples=EXAMPLES)
    @given(strategy, st.lists(seeds, min_size=2, max_size=2, unique=True))
    def test(workload: Workload, ends: list[int]) -> None:
        """The plain and the vectorised generator agree on every field, reference and kernels on every outcome."""
        first = ends[0] % 2**62
        some = [*range(first, first + SEEDS_PER_EXAMPLE - 2), *ends]
        block = expect_same_sessions(workload, some)
        expect_sound(block.session(0))
        few = workload.block(some[-3:])
        play_everywhere(few, POLICIES[first % len(POLICIES)], (1, 7, 50))

    return test


def foundational_events(session: Session) -> list[Event]:
    """Return what happens to the foundational items."""
    return [event for event in session.events if session.item_kinds[event[2]] == FOUNDATIONAL]


def expect_noise_changes_nothing_else(workload: SeededWorkload, some: Sequence[int]) -> None:
    """Fail if any noise parameter changes a foundational touch, or what a foundational item is like."""
    values = workload.values()
    others: list[Values] = [
        {"noise_per_turn": 0.0},
        {"noise_per_turn": 2.0, "noise_law": "constant"},
        {"noise_per_turn": 1.3, "noise_law": "poisson"},
        {"noise_per_turn": 1.3, "noise_law": "bursty", "noise_burst_turns": 3, "noise_burst_share": 0.3},
        {"noise_per_turn": 1.0, "noise_recall_probability": 0.5, "noise_recall_gap": 3.0},
    ]
    changed = [type(workload)(**(values | other)) for other in others]
    for seed in some:
        session = workload.session(seed)
        number = len(session.foundational_items())
        kept = _foundational(session, number)
        for other in changed:
            assert _foundational(other.session(seed), number) == kept


def _foundational(session: Session, number: int) -> tuple[list[Event], list[Attributes], tuple[int, ...]]:
    attributes = [session.attributes_of(item) for item in range(number)]
    return foundational_events(session), attributes, session.tokens[:number] or (1,) * number


def expect_prefix(workload: SeededWorkload, longer: SeededWorkload, some: Sequence[int]) -> None:
    """Fail unless the session of ``workload`` is the beginning of that of ``longer``."""
    for seed in some:
        short, long = workload.session(seed), longer.session(seed)
        events = tuple(event for event in long.events if event[0] <= workload.session_length)
        assert events == short.events
        assert long.item_kinds[: len(short.item_kinds)] == short.item_kinds


def expect_distinct(workload: Workload, number: int = 300) -> None:
    """Fail if two seeds, of either sign, give the same session."""
    some = [*range(number), *range(-number, 0)]
    sessions = {(session.events, session.item_kinds) for session in workload.block(some).sessions()}
    assert len(sessions) == len(some)


def refusals(described: type[Workload], **values: Any) -> list[str]:
    """Return the lines with which a workload refuses its parameters."""
    with pytest.raises(InvalidInputError) as caught:
        described(**values)
    return list(caught.value.problems)
