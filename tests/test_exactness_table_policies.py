"""Every table policy of the package, on items with attributes: reference, table kernel and lockstep kernel agree."""

import random
from collections import Counter
from dataclasses import dataclass

import pytest
from comparing import COMPILED, play_everywhere
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from strategies import Case, cases
from table_policies import STRATEGIES

from vecdecay.policies import POLICIES, TablePolicy
from vecdecay.policies.rules import Rules
from vecdecay.sessions import PublishedSessions

DRAWN = 100 if COMPILED else 20
SEEDED = 500 if COMPILED else 60
TOGETHER = 50 if COMPILED else 10

SHAPES = (
    PublishedSessions(session_length=40, num_foundational=2, recalls_per_foundational=5, noise_per_turn=1),
    PublishedSessions(session_length=25, recall_base_offsets=(1, 2, 4, 6, 9, 14), recalls_per_foundational=6),
    PublishedSessions(session_length=60, num_foundational=3, noise_per_turn=0),
)


def test_every_table_policy_is_drawn() -> None:
    """A newcomer has no test here until it has a strategy."""
    tables = {kind.name for kind in POLICIES if issubclass(kind, TablePolicy)}
    assert tables - set(STRATEGIES) == {"keep_all"}


@pytest.mark.parametrize("number", [DRAWN, pytest.param(20 * DRAWN, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("name", STRATEGIES)
def test_drawn_sessions(name: str, number: int) -> None:
    """Drawn parameters and sessions, pinned items, importance, categories and sizes: the same in every engine.

    Under ``thorough`` 2,000 examples a policy.
    """
    counts: Counter[str] = Counter()

    @settings(max_examples=number, phases=[Phase.generate, Phase.shrink], database=None)
    @given(cases(STRATEGIES[name], described=True))
    def engines_agree(case: Case) -> None:
        outcome = play_everywhere(case.sessions, case.policy, case.checkpoints)
        assert outcome.items is not None
        counts["evicted"] += int((outcome.items.evicted_turn > 0).sum())
        counts["present"] += int(outcome.items.present.sum())
        counts["hits"] += int(outcome.items.hits.sum())

    engines_agree()
    assert min(counts[kind] for kind in ("evicted", "present", "hits")) > number // 10, counts


def drawn_policies(name: str) -> list[TablePolicy]:
    """Return policies that the strategy draws, the same in every run; most live shorter than a session."""
    found: list[TablePolicy] = []

    @settings(max_examples=60, phases=[Phase.generate], database=None, derandomize=True)
    @given(STRATEGIES[name])
    def collect(policy: TablePolicy) -> None:
        if policy not in found:
            found.append(policy)

    collect()
    return found


@dataclass(frozen=True)
class Units(TablePolicy):
    """Lives that are listed by recall count, and may get shorter, under any rules, ages counted in units among them."""

    first: int = 3
    second: int = 1
    later: int = 2
    period_turns: int = 1
    touch_refreshes: bool = True
    cooldown_turns: int = 0
    grace_turns: int = 0
    unit_turns: int = 1
    inclusive: bool = False

    def life(self, recall_count: int) -> int:
        """Return the first age at which an item goes."""
        return (self.first, self.second, self.later)[min(recall_count, 3) - 1]

    def retention(self, age: int, recall_count: int) -> float:
        """Return 1.0 while the item stays."""
        return 0.0 if age >= self.life(recall_count) else 1.0

    def evicts(self, age: int, recall_count: int) -> bool:
        """Tell whether the item is too old."""
        return age >= self.life(recall_count)

    def rules(self) -> Rules:
        """Return the rules that are drawn."""
        rest = (self.cooldown_turns, self.grace_turns, self.unit_turns, self.inclusive)
        return Rules(self.period_turns, self.touch_refreshes, *rest)


_LIVES = st.integers(1, 6)
UNITS = st.builds(
    Units,
    _LIVES,
    _LIVES,
    _LIVES,
    st.integers(1, 5),
    st.booleans(),
    st.integers(0, 4),
    st.integers(0, 12),
    st.integers(1, 5),
    st.booleans(),
)


@pytest.mark.parametrize("number", [4 * DRAWN, pytest.param(40 * DRAWN, marks=pytest.mark.thorough)])
def test_drawn_rules(number: int) -> None:
    """Periods, units, grace, cooldown, ages from the registration, counted at both ends: the same in every engine."""

    @settings(max_examples=number, phases=[Phase.generate, Phase.shrink], database=None)
    @given(cases(UNITS, described=True))
    def engines_agree(case: Case) -> None:
        play_everywhere(case.sessions, case.policy, case.checkpoints)

    engines_agree()


@settings(max_examples=DRAWN, phases=[Phase.generate, Phase.shrink], database=None)
@given(UNITS, st.sampled_from(SHAPES))
def test_drawn_rules_on_cohorts(policy: Units, sessions: PublishedSessions) -> None:
    """Noise in closed form follows the same rules."""
    play_everywhere(sessions.block([1, 2]), policy, (1, 10, sessions.session_length))


@pytest.mark.parametrize("number", [SEEDED, pytest.param(10 * SEEDED, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("name", STRATEGIES)
def test_seeded_sessions(name: str, number: int) -> None:
    """Published sessions by seed, with noise in closed form: the same in every engine; 5,000 under ``thorough``."""
    stream = random.Random(name)
    policies = drawn_policies(name)
    evicted = 0
    for first in range(0, number, TOGETHER):
        sessions, policy = stream.choice(SHAPES), stream.choice(policies)
        block = sessions.block(range(first, first + TOGETHER))
        evicted += int(play_everywhere(block, policy, (1, 10, sessions.session_length)).items_evicted.sum())
    assert evicted > 0
