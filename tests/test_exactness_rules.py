"""Rules of every kind on policies whose lives may get shorter with use, ages in units included: engines agree."""

from dataclasses import dataclass

import pytest
from comparing import COMPILED, play_everywhere
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from strategies import Case, cases

from vecdecay.policies import TablePolicy
from vecdecay.policies.rules import Rules
from vecdecay.sessions import PublishedSessions

DRAWN = 100 if COMPILED else 20

SHAPES = (
    PublishedSessions(session_length=40, num_foundational=2, recalls_per_foundational=5, noise_per_turn=1),
    PublishedSessions(session_length=25, recall_base_offsets=(1, 2, 4, 6, 9, 14), recalls_per_foundational=6),
    PublishedSessions(session_length=60, num_foundational=3, noise_per_turn=0),
)


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
