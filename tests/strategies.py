"""What Hypothesis draws: policies whose thresholds a score can meet exactly, and sessions as data that probe them.

A random gap between two touches rarely falls where a policy changes its mind. So policies are drawn first, with
thresholds that equal a reachable score, and the gaps of the sessions around the ages at which that policy evicts.
Everything shrinks towards short sessions with few, early touches under ordinary parameters.
"""

import math
import sys
from dataclasses import dataclass
from typing import Any, ClassVar

from hypothesis import strategies as st

from vecdecay.items import CATEGORIES, DEFAULT_ATTRIBUTES, Attributes
from vecdecay.parameters import parameter
from vecdecay.policies import Ebbinghaus, KeepAll, RecencyWindow, TablePolicy
from vecdecay.policies.base import Policy
from vecdecay.policies.ebbinghaus import reinforced_stability
from vecdecay.policies.rules import Rules
from vecdecay.sessions.session import Session
from vecdecay.testing.probing import ages_of_change
from vecdecay.testing.strategies import sessions

SMALLEST = math.ulp(0.0)
LARGEST = sys.float_info.max
LAST_BEFORE_1 = math.nextafter(1.0, 0.0)

EXTREME_STABILITIES = (SMALLEST, 1e-300, 1e-3, 0.1, 2.0**31, 1e16, 1e300, 1e308, LARGEST)
EXTREME_THRESHOLDS = (SMALLEST, 1e-300, 1e-9, 0.5, 1.0 - 1e-9, LAST_BEFORE_1)
EXTREME_GAINS = (0.0, SMALLEST, 0.5, 2.0, 1e300, LARGEST)


def first_evicting_age(policy: TablePolicy, recall_count: int, limit: int) -> int | None:
    """Return the first age in 1 … ``limit`` at which the policy evicts, asking age by age; None if there is none."""
    for age in range(1, limit + 1):
        if policy.evicts(age, recall_count):
            return age
    return None


@st.composite
def boundary_ebbinghaus(draw: st.DrawFn) -> Ebbinghaus:
    """Draw a threshold that the score of some age and recall count equals exactly: there an item must stay."""
    stability = draw(st.sampled_from((8.0, 2.0, 1.0, 4.0, 0.7, 3.3)) | st.floats(0.5, 12.0))
    gain = draw(st.sampled_from((1.0, 1.0, 0.5, 0.0, 0.3)))
    recall_count = draw(st.integers(1, 3))
    age = draw(st.integers(1, 12))
    score = math.exp(-age / reinforced_stability(stability, gain, recall_count))
    return Ebbinghaus(min(max(score, SMALLEST), LAST_BEFORE_1), stability, gain)


@st.composite
def exact_logarithm_ebbinghaus(draw: st.DrawFn) -> Ebbinghaus:
    """Draw -stability × ln(threshold) as an integer, give or take one last place: closed forms fail here."""
    threshold = draw(st.floats(0.01, 0.95))
    stability = -draw(st.integers(1, 12)) / math.log(threshold)
    nudged = draw(st.sampled_from((stability, math.nextafter(stability, 0.0), math.nextafter(stability, math.inf))))
    return Ebbinghaus(threshold, nudged)


def ordinary_ebbinghaus() -> st.SearchStrategy[Ebbinghaus]:
    """Draw parameters as people choose them."""
    return st.builds(
        Ebbinghaus,
        st.sampled_from((0.1, 0.2, 0.3)) | st.floats(0.01, 0.99),
        st.sampled_from((8.0, 2.0, 4.0)) | st.floats(0.2, 20.0),
        st.sampled_from((1.0, 0.5)) | st.floats(0.0, 4.0),
    )


def extreme_ebbinghaus() -> st.SearchStrategy[Ebbinghaus]:
    """Draw what is allowed but unusual: scores that underflow to 0, stabilities that overflow to infinity."""
    return st.builds(
        Ebbinghaus,
        st.sampled_from(EXTREME_THRESHOLDS) | st.floats(SMALLEST, LAST_BEFORE_1),
        st.sampled_from(EXTREME_STABILITIES) | st.floats(SMALLEST, LARGEST),
        st.sampled_from(EXTREME_GAINS) | st.just(1.0),
    )


def ebbinghaus() -> st.SearchStrategy[Ebbinghaus]:
    """Draw any allowed Ebbinghaus policy, most often one with a score right at its threshold."""
    return st.one_of(
        ordinary_ebbinghaus(),
        boundary_ebbinghaus(),
        boundary_ebbinghaus(),
        exact_logarithm_ebbinghaus(),
        extreme_ebbinghaus(),
    )


@st.composite
def _near_integers(draw: st.DrawFn) -> float:
    whole = float(draw(st.integers(1, 12)))
    return draw(st.sampled_from((whole, whole, math.nextafter(whole, 0.0), math.nextafter(whole, math.inf))))


def recency_window() -> st.SearchStrategy[RecencyWindow]:
    """Draw any allowed window: integers (an age can equal them), their neighbours, fractions and extremes."""
    sizes = (
        _near_integers()
        | st.sampled_from((1.0, 0.5, 2.5, SMALLEST, LAST_BEFORE_1, 2.0**31, 1e300, LARGEST))
        | st.floats(0.1, 20.0)
    )
    return st.builds(RecencyWindow, sizes)


def table_policies() -> st.SearchStrategy[TablePolicy]:
    """Draw any policy of this package that is described by its table of horizons."""
    return ebbinghaus() | recency_window() | st.just(KeepAll())


@dataclass(frozen=True)
class Steps(TablePolicy):
    """A table policy made of a list of horizons and any rules: what a kernel must be able to play, whoever wrote it.

    An item lives ``horizons[k]`` units after its k-th recall (the last entry serves all later ones), one more where
    its importance is above a half, two more where its category is not the default.
    """

    name: ClassVar[str] = "steps"
    summary: ClassVar[str] = "a list of horizons"
    formula: ClassVar[str] = "evict when age >= horizons[recalls]"
    source: ClassVar[str] = "the tests"
    reads: ClassVar[tuple[str, ...]] = ("importance", "category")

    horizons: tuple[float, ...] = parameter((3.0,), at_least=1, meaning="units that an item lives")
    period_turns: int = parameter(1, at_least=1, meaning="turns between two passes")
    touch_refreshes: bool = parameter(True, meaning="whether a recall starts the age anew")
    cooldown_turns: int = parameter(0, at_least=0, meaning="turns in which a further recall does not count")
    grace_turns: int = parameter(0, at_least=0, meaning="turns in which a new item is safe")
    unit_turns: int = parameter(1, at_least=1, meaning="turns in a unit of age")
    inclusive: bool = parameter(False, meaning="whether the unit of the touch counts")

    def rules(self) -> Rules:
        """Return when the policy looks and what a touch does."""
        return Rules(
            period_turns=self.period_turns,
            touch_refreshes=self.touch_refreshes,
            cooldown_turns=self.cooldown_turns,
            grace_turns=self.grace_turns,
            unit_turns=self.unit_turns,
            inclusive=self.inclusive,
        )

    def retention(self, age: int, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return 1.0 while the item stays."""
        return 0.0 if self.evicts(age, recall_count, item) else 1.0

    def evicts(self, age: int, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> bool:
        """Tell whether the item is too old."""
        horizon = self.horizons[min(recall_count, len(self.horizons)) - 1]
        horizon += (item.importance > 0.5) + 2 * (item.category != CATEGORIES[0])
        return age >= horizon

    def stability(self, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return the horizon, so that looking it up is tested too."""
        return self.horizons[min(recall_count, len(self.horizons)) - 1] + item.importance


def steps(*, plain: bool = False) -> st.SearchStrategy[Steps]:
    """Draw a table of horizons, mostly growing with use, and rules; ``plain`` says to draw the published rules only."""
    horizons = st.lists(st.integers(1, 9), min_size=1, max_size=4)
    horizons = horizons.map(sorted) | horizons
    if plain:
        return st.builds(Steps, horizons)
    return st.builds(
        Steps,
        horizons,
        period_turns=st.sampled_from((1, 1, 2, 3, 7)),
        touch_refreshes=st.booleans(),
        cooldown_turns=st.sampled_from((0, 0, 1, 2, 4)),
        grace_turns=st.sampled_from((0, 0, 1, 5, 12)),
        unit_turns=st.sampled_from((1, 1, 2, 5)),
        inclusive=st.booleans(),
    )


_CHECKPOINTS = st.binary(max_size=3)

_ATTRIBUTES = [
    Attributes(importance, category, pinned)
    for pinned in (False, False, False, False, True)
    for category in CATEGORIES
    for importance in (0.5, 0.0, 1.0)
]


def attributes() -> st.SearchStrategy[Attributes]:
    """Draw the attributes of an item; a fifth of the items are pinned."""
    return st.sampled_from(_ATTRIBUTES)


@dataclass(frozen=True)
class Case:
    """A policy, several sessions of different lengths to play together under it, and turns to look at."""

    policy: Policy
    sessions: tuple[Session, ...]
    checkpoints: tuple[int, ...]


@st.composite
def cases(draw: st.DrawFn, policies: st.SearchStrategy[Any], max_sessions: int = 4, described: bool = False) -> Case:
    """Draw a policy and sessions whose gaps fall where that policy changes its mind.

    Checkpoints are ascending and may lie after the end of some or all sessions.
    """
    policy = draw(policies)
    drawn = sessions(ages_of_change(policy), max_length=30, described=described)
    together = [draw(drawn) for _ in range(draw(st.integers(1, max_sessions)))]
    checkpoints = {1 + turn % 33 for turn in draw(_CHECKPOINTS)}
    return Case(policy, tuple(together), tuple(sorted(checkpoints)))


def cohorts(last_turn: int) -> st.SearchStrategy[tuple[int, int, int]]:
    """Draw (first turn, last turn, count) of noise registered in every turn of a range inside the session."""
    turns = st.integers(1, last_turn)
    return st.tuples(turns, turns, st.integers(0, 5)).map(lambda one: (min(one[:2]), max(one[:2]), one[2]))
