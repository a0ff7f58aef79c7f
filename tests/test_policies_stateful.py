"""Tests of vecdecay.policies.stateful: what a policy of one's own has to say, and what is made of it."""

import math
from dataclasses import dataclass
from typing import Any

import pytest
from own_policies import ALL, Coin, Gentle, Important, LastTwo, Weekly

from vecdecay.errors import InvalidInputError
from vecdecay.items import CATEGORIES, Attributes
from vecdecay.policies.stateful import HazardPolicy, HistoryPolicy, StatefulPolicy, functions_of, item_facts


def test_a_class_that_does_not_describe_itself_is_described() -> None:
    """Name and summary come from the class; what a class says itself stays, and is not inherited."""
    assert (Gentle.name, Gentle.summary) == ("Gentle", "A late recall helps more")
    assert Weekly.name == "Weekly"
    assert Weekly.summary.startswith("An item registered in a turn")
    assert all((one.formula, one.source) for one in ALL)

    class Named(Gentle):
        name = "named"

    assert (Named.name, Named.summary) == ("named", "a policy of your own")


def test_parameters_are_the_fields() -> None:
    """The functions get the fields by name, checked as those of any policy."""
    constants = Gentle(0.3, 5).constants()
    assert constants._asdict() == {"eviction_threshold": 0.3, "first_stability": 5.0}
    assert type(constants) is type(Gentle().constants())
    with pytest.raises(InvalidInputError, match=r"Gentle\.first_stability is 'five'"):
        Gentle(0.3, "five")  # type: ignore[arg-type]


def test_methods_and_static_methods_are_functions_of_the_parameters() -> None:
    """A method's ``self`` stands for the parameters; ``on_register`` may leave out the item."""
    functions = functions_of(Gentle)
    parameters = Gentle().constants()
    facts = item_facts(Attributes())
    assert functions.on_register(parameters, 3, facts) == (8.0, 3)
    assert functions.on_recall(parameters, (8.0, 3), 7) == (14.0, 7)
    assert functions.retention(parameters, (8.0, 3), 11) == math.exp(-1.0)
    assert (functions.on_turn, functions.stability, functions.evicts) == (None, None, None)
    assert functions_of(Important).on_turn is Important.on_turn
    assert functions_of(Coin).evicts is Coin.evicts


def test_item_facts_are_numbers() -> None:
    """Importance as it is, category as its place in the list."""
    for place, category in enumerate(CATEGORIES):
        assert item_facts(Attributes(0.25, category)) == (0.25, place)


def test_score_and_life_follow_the_touches() -> None:
    """What a person can ask of any stateful policy: the score after some touches, and how long the item then lives."""
    policy = Gentle()
    assert policy.score([1], 1) == 1.0
    assert policy.score([1], 13) == math.exp(-12 / 8)
    assert policy.score([1, 5], 19) == math.exp(-14 / 14)
    assert policy.life([1], 100) == 13
    assert policy.life([1, 5], 100) == 23
    assert policy.life([1, 5], 23) is None
    other = Important()
    assert other.score([4], 6) == (1.0 * 0.85) * 0.85
    assert other.score([4, 6], 7) == (0.5 + 0.5 * 0.85 * 0.85) * 0.85
    assert other.score([4], 5, Attributes(1.0, "failure")) == 0.9
    assert other.life([4], 100) == 10
    assert LastTwo().score([2, 8], 18) == math.exp(-10 / 10)
    assert LastTwo().life([2], 100) == 7
    assert Coin().life([1], 10) is None


@dataclass(frozen=True)
class NoThreshold(Gentle):
    """A policy whose threshold is not a number."""

    eviction_threshold: str = "low"  # type: ignore[assignment]

    def values(self) -> dict[str, Any]:
        """Return nothing: the check of the fields is not what is tested here."""
        return {}

    def __post_init__(self) -> None:
        """Skip the check of the fields."""


def test_what_a_class_lacks_is_named() -> None:
    """Each missing function and each wrong list of arguments is one line that shows what it should be."""

    class Empty(StatefulPolicy):
        """Nothing at all."""

    class Odd(Gentle):
        """One function with too few arguments, one that is none."""

        on_recall = 3  # type: ignore[assignment]

        def retention(self, state: Any) -> float:  # type: ignore[override]
            """Return nothing sensible."""
            return float(state)

    class Silent(HistoryPolicy):
        """A history policy without a score."""

    class Turning(LastTwo):
        """A history policy with a state that nobody would see."""

        def on_turn(self, state: Any, turn: int) -> Any:
            """Return the state."""
            return state

    class Sure(HazardPolicy):
        """A hazard policy without a decision."""

    expected = {
        Empty: [
            "Empty has no on_register(parameters, turn, item)",
            "Empty has no on_recall(parameters, state, turn)",
            "Empty has no retention(parameters, state, turn)",
        ],
        Odd: [
            "Odd has no on_recall(parameters, state, turn)",
            "Odd.retention takes 2 arguments; allowed: (parameters, state, turn)",
        ],
        Turning: ["Turning has on_turn; allowed: none, its score comes from the touches alone"],
        Silent: ["Silent has no retention(parameters, touches, first, last, turn)"],
    }
    for kind, problems in expected.items():
        with pytest.raises(InvalidInputError) as caught:
            functions_of(kind)
        assert list(caught.value.problems) == problems
    with pytest.raises(InvalidInputError, match=r"Sure has no evicts\(parameters, state, turn, draw\)"):
        functions_of(Sure)
    with pytest.raises(InvalidInputError, match="NoThreshold has neither a field eviction_threshold"):
        NoThreshold().threshold()


def test_own_policies_break_no_invariant_by_themselves() -> None:
    """Nothing is declared broken unless a class says so; a turn is the unit of time unless a class says so."""
    for policy in ALL:
        assert policy.breaks() == ()
        assert (policy.time_unit, policy.turns_per_unit()) == ("turn", 1.0)
        assert not policy.turn_invariant
