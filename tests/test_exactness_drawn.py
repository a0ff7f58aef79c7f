"""Drawn sessions: the scalar reference, the table kernel and the lockstep kernel agree in every field."""

import math
from collections import Counter

import pytest
from comparing import COMPILED, play_everywhere
from conftest import THOROUGH_FACTOR
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from strategies import Case, cases, ebbinghaus, recency_window

from vecdecay.engines.outcome import BlockOutcome
from vecdecay.policies import Ebbinghaus, KeepAll, RecencyWindow

DEFAULT = 2000 if COMPILED else 200
EXAMPLES = [DEFAULT, pytest.param(THOROUGH_FACTOR * DEFAULT, marks=pytest.mark.thorough)]


def drawn(counts: Counter[str], case: Case, outcome: BlockOutcome) -> None:
    """Count what a drawn case really contained, from the outcome on which all engines agreed."""
    items = outcome.items
    assert items is not None
    counts["examples"] += 1
    counts["sessions"] += len(case.sessions)
    counts["several lengths together"] += len({session.session_length for session in case.sessions}) > 1
    counts["evictions"] += int((items.evicted_turn > 0).sum())
    counts["survivors"] += int((items.present > 0).sum())
    counts["hits"] += int(items.hits.sum())
    counts["misses"] += int(items.misses.sum())
    counts["never registered"] += int((items.registered_turn == 0).sum())
    counts["evicted and present"] += int(((items.present > 0) & (items.evicted_turn > 0)).sum())
    counts["checkpoints not reached"] += int((outcome.checkpoint_present < 0).sum())
    for session in case.sessions:
        touched = Counter((turn, item) for turn, _, item in session.events)
        counts["touched twice in a turn"] += sum(times > 1 for times in touched.values())
        registered = Counter(item for _, kind, item in session.events if kind == 0)
        counts["registered again"] += sum(times > 1 for times in registered.values())
    if isinstance(case.policy, Ebbinghaus) and items.stability is not None:
        counts["infinite stabilities"] += int((items.stability == math.inf).sum())
    for last_touch, evicted, recall_count in zip(
        items.last_touch.tolist(), items.evicted_turn.tolist(), items.recall_count.tolist(), strict=True
    ):
        # The pass before the eviction looked at the item and kept it; did score and threshold meet there?
        age = evicted - 1 - last_touch
        counts["equalities"] += evicted > 0 and age >= 1 and is_equality(case.policy, age, recall_count)


def is_equality(policy: Ebbinghaus | RecencyWindow | KeepAll, age: int, recall_count: int) -> bool:
    """Tell whether score and threshold, or age and window, are the very same number."""
    if isinstance(policy, RecencyWindow):
        return age == policy.window_size
    return policy.retention(age, recall_count) == policy.threshold()


def play_drawn(policies: st.SearchStrategy, number: int) -> Counter[str]:
    """Draw cases, play each in all engines, fail at the first difference; return what the cases contained."""
    counts: Counter[str] = Counter()

    # Explaining a failure reruns it many times; the shrunk case and the named field say enough.
    @settings(max_examples=number, phases=[Phase.generate, Phase.shrink], database=None)
    @given(cases(policies))
    def engines_agree(case: Case) -> None:
        outcome = play_everywhere(case.sessions, case.policy, case.checkpoints)
        drawn(counts, case, outcome)

    engines_agree()
    return counts


def expect_in(counts: Counter[str], share: float, *wanted: str) -> None:
    """Fail unless each wanted kind of case came up in at least this share of the examples."""
    rare = {name: counts[name] for name in wanted if counts[name] < share * counts["examples"]}
    assert not rare, f"hardly ever drawn: {rare}; drawn: {dict(counts)}"


USUAL = ("evictions", "survivors", "hits", "misses", "touched twice in a turn", "registered again", "equalities")
UNUSUAL = ("never registered", "evicted and present", "several lengths together", "checkpoints not reached")


@pytest.mark.parametrize("number", EXAMPLES)
def test_engines_agree_on_drawn_sessions_under_ebbinghaus(warm_kernels: None, number: int) -> None:
    """2,000 drawn blocks: every column of every item, every turn and every checkpoint, in three engines."""
    counts = play_drawn(ebbinghaus(), number)
    assert counts["examples"] >= number
    expect_in(counts, 0.1, *USUAL)
    expect_in(counts, 0.02, *UNUSUAL, "infinite stabilities")


@pytest.mark.parametrize("number", EXAMPLES)
def test_engines_agree_on_drawn_sessions_under_recency_window(warm_kernels: None, number: int) -> None:
    """The same for windows: integers, their neighbours, fractions, extremes."""
    counts = play_drawn(recency_window(), number)
    assert counts["examples"] >= number
    expect_in(counts, 0.1, *USUAL)
    expect_in(counts, 0.02, *UNUSUAL)


@pytest.mark.parametrize("number", EXAMPLES)
def test_engines_agree_on_drawn_sessions_under_keep_all(warm_kernels: None, number: int) -> None:
    """The same for the policy without a formula of its own in the lockstep kernel; it never evicts."""
    counts = play_drawn(st.just(KeepAll()), number)
    assert counts["examples"] >= number
    expect_in(counts, 0.1, "survivors", "hits", "misses", "registered again")
    assert counts["evictions"] == 0
