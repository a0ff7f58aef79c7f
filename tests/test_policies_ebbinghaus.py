"""Tests of vecdecay.policies.ebbinghaus: parameters, the worked example, the bound on what is remembered."""

import itertools
import math
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from comparing import first_difference, play_everywhere

from vecdecay.errors import InvalidInputError
from vecdecay.policies import Ebbinghaus
from vecdecay.policies.ebbinghaus import _known_stabilities, reinforced_stability
from vecdecay.sessions import PublishedSessions
from vecdecay.sessions.session import FOUNDATIONAL, RECALL, REGISTER, Session

BAD: dict[str, list[Any]] = {
    "eviction_threshold": [
        0,
        0.0,
        -0.0,
        1,
        1.0,
        -0.2,
        1.5,
        math.nan,
        math.inf,
        -math.inf,
        True,
        "0.2",
        None,
        [0.2],
        0.2j,
    ],
    "baseline_stability": [
        0,
        0.0,
        -8.0,
        math.nan,
        math.inf,
        True,
        "8",
        None,
        np.bool_(True),
        np.float32("nan"),
        10**400,
    ],
    "reinforcement_gain": [-1, -1e-300, math.nan, math.inf, False, "1", None, (1.0,)],
}


def test_defaults_are_the_published_ones() -> None:
    """Threshold 0.20, stability 8.0, and the gain of 1.0 that the code has."""
    assert Ebbinghaus() == Ebbinghaus(eviction_threshold=0.20, baseline_stability=8.0, reinforcement_gain=1.0)


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in BAD.items() for value in values])
def test_each_parameter_has_its_range(name: str, value: Any) -> None:
    """Outside its range, or of another type, a parameter is refused by name."""
    with pytest.raises(InvalidInputError) as caught:
        Ebbinghaus(**{name: value})
    (problem,) = caught.value.problems
    assert problem.startswith(f"Ebbinghaus.{name} is ")
    assert "; allowed: a finite number " in problem


def test_all_wrong_parameters_are_named_together() -> None:
    """Three mistakes, one error, three lines."""
    with pytest.raises(InvalidInputError) as caught:
        Ebbinghaus(eviction_threshold=1, baseline_stability=math.nan, reinforcement_gain=-1)
    assert list(caught.value.problems) == [
        "Ebbinghaus.eviction_threshold is 1; allowed: a finite number above 0 and below 1",
        "Ebbinghaus.baseline_stability is nan; allowed: a finite number above 0",
        "Ebbinghaus.reinforcement_gain is -1; allowed: a finite number at least 0",
    ]


def test_the_ends_of_the_ranges_are_allowed() -> None:
    """The smallest and largest floats inside the bounds work: scores are then 0.0 or 1.0, never NaN."""
    sharp = Ebbinghaus(math.nextafter(1.0, 0.0), math.ulp(0.0), 0.0)
    assert sharp.retention(1, 1) == 0.0
    assert sharp.evicts(1, 1)
    endless = Ebbinghaus(math.ulp(0.0), 1.7976931348623157e308, 1.7976931348623157e308)
    assert endless.stability(1) == 1.7976931348623157e308
    assert endless.stability(2) == math.inf
    assert endless.retention(2**31, 2) == 1.0
    assert not endless.evicts(2**31, 2)


def test_reinforcement_one_recall_at_a_time() -> None:
    """The count starts at 1, is raised, and then used: factors 1 + ln 3, 1 + ln 4, …; no factor at a gain of 0."""
    policy = Ebbinghaus()
    assert policy.stability(1) == 8.0
    assert policy.stability(2) == 8.0 * (1.0 + math.log(3.0)) == 16.78889830934488
    assert policy.stability(3) == policy.stability(2) * (1.0 + math.log(4.0))
    assert policy.stability(5) == 291.8577159496641
    assert Ebbinghaus(reinforcement_gain=0.5).stability(2) == 8.0 * (1.0 + 0.5 * math.log(3.0))
    assert [Ebbinghaus(reinforcement_gain=0.0).stability(count) for count in (1, 2, 99)] == [8.0] * 3


def test_retention_is_one_division_and_one_exponential() -> None:
    """The score is exp(-age / stability) with a true division; exp(-age × (1 / stability)) would be another double."""
    policy = Ebbinghaus()
    scores = [policy.retention(age, 4) for age in range(1, 400)]
    assert scores == [math.exp(-age / 104.54257222609698) for age in range(1, 400)]
    assert scores != [math.exp(-age * (1.0 / 104.54257222609698)) for age in range(1, 400)]


def test_the_order_of_the_questions_does_not_matter() -> None:
    """Stabilities are remembered; asking for the hundredth first, or from several threads, gives the same values."""
    baseline = 3.14159
    late_first = [reinforced_stability(baseline, 0.77, count) for count in (100, 1, 50, 2, 100)]
    fresh = 3.14159 * 1.0
    products = [fresh]
    for count in range(2, 101):
        products.append(products[-1] * (1.0 + 0.77 * math.log(1.0 + count)))
    assert late_first == [products[99], products[0], products[49], products[1], products[99]]
    with ThreadPoolExecutor(4) as threads:
        counts = [1 + number * 37 % 300 for number in range(300)]
        found = list(threads.map(lambda count: reinforced_stability(2.718281828, 1.0, count), counts))
    assert found == [reinforced_stability(2.718281828, 1.0, count) for count in counts]


def test_the_guess_is_near() -> None:
    """The closed form that starts the search is within one turn of the horizon for the published parameters."""
    assert [math.floor(Ebbinghaus().horizon_guess(count)) for count in (1, 2, 3)] == [13, 28, 65]
    assert Ebbinghaus().threshold() == 0.20


def test_the_cap_on_stability() -> None:
    """Recalls reach it and stay there, in the score too; without a cap nothing changes; infinity is a value."""
    capped = Ebbinghaus(max_stability=50.0)
    assert [capped.stability(count) for count in (1, 2, 3, 4, 9)] == [
        8.0,
        16.78889830934488,
        40.063253365004954,
        50.0,
        50.0,
    ]
    assert capped.retention(30, 9) == math.exp(-30 / 50.0)
    assert Ebbinghaus(max_stability=math.inf) == Ebbinghaus()
    assert Ebbinghaus(max_stability=8.0).stability(5) == Ebbinghaus(reinforcement_gain=0.0).stability(5) == 8.0
    for value in (math.nan, -math.inf, 0, -1.0, True, "inf", None):
        with pytest.raises(InvalidInputError, match=r"^Ebbinghaus\.max_stability is .*above 0, or inf$"):
            Ebbinghaus(max_stability=value)
    with pytest.raises(
        InvalidInputError, match=r"^Ebbinghaus\.max_stability is 7; allowed: at least baseline_stability"
    ):
        Ebbinghaus(max_stability=7.0)


CRAMMED = Session(60, (FOUNDATIONAL,), ((1, REGISTER, 0), *((turn, RECALL, 0) for turn in (3, 4, 8, 9, 12))))


@pytest.mark.parametrize(
    ("cooldown", "counted"), [(0, 6), (1, 6), (2, 4), (3, 4), (4, 3), (5, 2), (7, 2), (8, 2), (11, 2), (12, 1)]
)
def test_the_cooldown(cooldown: int, counted: int) -> None:
    """Of recalls in turns 3, 4, 8, 9, 12 after a registration in turn 1, those late enough after the last that counted.

    A cooldown of 2 counts turns 3, 8, 12; of 3, turns 4, 8, 12; of 8, turn 9 alone. Every recall refreshes the age.
    """
    outcome = play_everywhere([CRAMMED], Ebbinghaus(cooldown_turns=cooldown))
    assert outcome.items is not None
    assert outcome.items.recall_count.tolist() == [counted]
    assert outcome.items.last_touch.tolist() == [12]
    assert outcome.items.stability is not None
    assert outcome.items.stability.tolist() == [Ebbinghaus().stability(counted)]


def test_the_grace() -> None:
    """Under a grace of 40 a newborn that was due in turn 14 goes in turn 41; a grace of 13 changes nothing."""
    never = Session(60, (FOUNDATIONAL,), ((1, REGISTER, 0),))
    for grace, turn in ((0, 14), (13, 14), (14, 15), (40, 41), (59, 60), (60, 0), (2**31 - 1, 0)):
        outcome = play_everywhere([never], Ebbinghaus(grace_turns=grace))
        assert outcome.items is not None
        assert outcome.items.evicted_turn.tolist() == [turn]


def test_limits_that_do_not_bind_change_nothing() -> None:
    """The published sessions under a cap, a cooldown and a grace too loose to matter: every field as without them."""
    sessions = PublishedSessions(session_length=60)
    block = sessions.block(range(40))
    loose = Ebbinghaus(max_stability=1e6, cooldown_turns=1, grace_turns=13)
    plain = play_everywhere(block, Ebbinghaus())
    assert first_difference(play_everywhere(block, loose), plain) == ""
    tight = play_everywhere(block, Ebbinghaus(max_stability=9.0, cooldown_turns=20, grace_turns=30))
    assert first_difference(tight, plain)


def test_stabilities_asked_one_by_one_are_worked_out_in_few_stretches() -> None:
    """A list is copied each time its length doubles, not at each recall; one that was handed out never changes."""
    key = (5.25, 0.125, math.inf)
    place, lists = _known_stabilities(*key), []
    for recall_count in range(1, 3000):
        reinforced_stability(key[0], key[1], recall_count)
        if not lists or place[0] is not lists[-1]:
            lists.append(place[0])
    assert [len(one) for one in lists] == [2**power for power in range(13)]
    assert all(longer[: len(shorter)] == shorter for shorter, longer in itertools.pairwise(lists))
