"""Tests of vecdecay.policies.importance_prune."""

import math
import random

from comparing import play_everywhere
from table_policies import NOT_NUMBERS, expect_formula, expect_refused

from vecdecay.engines.horizon import IMMORTAL, horizon_of
from vecdecay.items import Attributes
from vecdecay.policies import ImportancePrune
from vecdecay.sessions.session import NOISE, REGISTER, Session


def test_first_dropped_hours() -> None:
    """At strengths 1, 2, 3 and 5: hours 111, 222, 332 and 553."""
    assert [horizon_of(ImportancePrune(), strength) for strength in (1, 2, 3, 5)] == [111, 222, 332, 553]


def test_the_exemption_includes_its_bound() -> None:
    """An importance of exactly 0.8 stays for ever, the float below it does not; above 1 nothing is exempt."""
    policy = ImportancePrune()
    assert horizon_of(policy, 1, Attributes(0.8)) == IMMORTAL
    assert horizon_of(policy, 1, Attributes(math.nextafter(0.8, 0.0))) == 111
    assert horizon_of(ImportancePrune(exempt_importance=1.5), 1, Attributes(1.0)) == 111
    assert horizon_of(ImportancePrune(exempt_importance=0.0), 1, Attributes(0.0)) == IMMORTAL


def test_only_important_items_are_spared_in_a_session() -> None:
    """Three items of one age, played by every engine: only the unimportant one goes."""
    items = (Attributes(0.5), Attributes(0.9), Attributes(0.1, pinned=True))
    session = Session(200, (NOISE,) * 3, tuple((1, REGISTER, item) for item in range(3)), items)
    outcome = play_everywhere([session], ImportancePrune())
    assert outcome.items is not None
    assert outcome.items.evicted_turn.tolist() == [112, 0, 0]


def formula(policy: ImportancePrune, age: int, recall_count: int, item: Attributes) -> float:
    """Return the score as the sample computes it, from hours."""
    if item.importance >= policy.exempt_importance:
        return 1.0
    hours = age * 24.0 / policy.turns_per_day
    return math.exp(-(hours / 24) / recall_count)


def drawn(stream: random.Random) -> ImportancePrune:
    """Return a policy with any parameters."""
    return ImportancePrune(
        exempt_importance=stream.choice((0.8, 0.3, 2.0)), turns_per_day=stream.choice((24.0, 1.0, 7.3))
    )


def test_the_score_is_the_formula() -> None:
    """Bit for bit, on many parameters, ages, counts and items."""
    expect_formula(drawn, formula)


def test_parameters_have_their_range() -> None:
    """Each is refused by name outside it."""
    expect_refused(ImportancePrune, "eviction_threshold", (0, 1, *NOT_NUMBERS))
    expect_refused(ImportancePrune, "exempt_importance", (-0.1, 8, *NOT_NUMBERS))
