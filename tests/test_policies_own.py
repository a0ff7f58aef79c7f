"""Tests of vecdecay.policies.own: an ordinary frozen dataclass is played like a policy of the package."""

import math
from dataclasses import dataclass
from typing import Any

import pytest
from comparing import first_difference, play_everywhere

import vecdecay as vd
from vecdecay.engines.registry import play_block
from vecdecay.errors import InvalidInputError
from vecdecay.items import Attributes
from vecdecay.parameters import parameter
from vecdecay.policies import Ebbinghaus, TablePolicy
from vecdecay.policies.ebbinghaus import reinforced_stability
from vecdecay.policies.own import own_policy, own_policy_class
from vecdecay.sessions import PublishedSessions
from vecdecay.sessions.session import NOISE, REGISTER, Session

SESSIONS = PublishedSessions(session_length=60)


@dataclass(frozen=True)
class OwnCurve:
    """The published curve in ten lines.

    With more to say about it.
    """

    stability: float = 8.0
    gain: float = 1.0
    threshold: float = 0.2

    def retention(self, age, recall_count):  # noqa: D102
        return math.exp(-age / reinforced_stability(self.stability, self.gain, recall_count))


@dataclass(frozen=True)
class DerivedCurve(TablePolicy):
    """The same, derived from the base class."""

    start: float = 8.0
    eviction_threshold: float = 0.2

    def retention(self, age, recall_count):  # noqa: D102
        return math.exp(-age / reinforced_stability(self.start, 1.0, recall_count))


@dataclass(frozen=True)
class Hiding(TablePolicy):
    """A field that hides a method of the base class."""

    threshold: float = 0.2

    def retention(self, age, recall_count):  # noqa: D102
        return math.exp(-age / reinforced_stability(8.0, 1.0, recall_count))


@dataclass(frozen=True)
class ByImportance:
    """Important items live ten times as long."""

    eviction_threshold: float = 0.5

    def retention(self, age, recall_count, item):  # noqa: D102
        return 0.0 if age > (50 if item.importance > 0.7 else 5) else 1.0


@pytest.mark.parametrize("kind", [OwnCurve, DerivedCurve, Hiding])
def test_it_is_played_as_the_same_policy_of_the_package(kind: type) -> None:
    """The published curve written by hand comes to the published results, in every engine, in every count."""
    block = SESSIONS.block(range(30))
    own = play_everywhere(block, own_policy(kind()), (10, 60))
    builtin = play_block(block, Ebbinghaus(), "horizon", (10, 60), want_items=True, want_turns=True)
    assert own.items is not None
    assert builtin.items is not None
    for one in (own, builtin):
        vars(one.items)["stability"] = None  # a policy of one's own has no such notion
    assert first_difference(own, builtin) == ""


def test_simulate_takes_it_as_it_is() -> None:
    """Alone or in a list, beside policies of the package; its fields are columns, its name is its class's."""
    result = vd.simulate(SESSIONS, [OwnCurve(gain=0.5), vd.Ebbinghaus(reinforcement_gain=0.5)], seeds=range(20))
    cells = result.cells.to_pydict()
    assert cells["policy"] == cells["policy_kind"] == ["OwnCurve", "ebbinghaus"]
    assert cells["stability"] == [8.0, None]
    assert cells["gain"] == [0.5, None]
    assert cells["threshold"] == [0.2, None]
    assert cells["misses_mean"][0] == cells["misses_mean"][1]
    alone = vd.simulate(SESSIONS, OwnCurve(), seeds=range(20))
    assert alone.cells.num_rows == 1


def test_it_may_read_the_item() -> None:
    """A third argument gets importance and category; there is then one table per combination."""
    items = (Attributes(0.9), Attributes(0.1), Attributes(0.1, "failure", pinned=True))
    session = Session(60, (NOISE,) * 3, tuple((1, REGISTER, item) for item in range(3)), items)
    outcome = play_everywhere([session], own_policy(ByImportance()))
    assert outcome.items is not None
    assert outcome.items.evicted_turn.tolist() == [52, 7, 0]


def test_it_is_a_value() -> None:
    """Made twice with the same values it is equal and hashes alike; fields are parameters, with their ranges if any."""
    assert own_policy(OwnCurve()) == own_policy(OwnCurve())
    assert hash(own_policy(OwnCurve())) == hash(own_policy(OwnCurve()))
    assert own_policy(OwnCurve(gain=2.0)) != own_policy(OwnCurve())
    assert own_policy(OwnCurve()) != OwnCurve()
    kind = own_policy_class(OwnCurve)
    assert kind is own_policy_class(OwnCurve)
    assert own_policy_class(kind) is kind
    assert own_policy(own_policy(OwnCurve())) == own_policy(OwnCurve())
    assert [(one.name, one.kind, one.default) for one in kind.parameters()] == [
        ("stability", "number", 8.0),
        ("gain", "number", 1.0),
        ("threshold", "number", 0.2),
    ]
    assert (kind.name, kind.summary) == ("OwnCurve", "The published curve in ten lines")
    assert repr(own_policy(OwnCurve())).endswith("OwnCurve(stability=8.0, gain=1.0, threshold=0.2)")
    assert own_policy(OwnCurve(stability=9)).values()["stability"] == 9.0


@dataclass(frozen=True)
class Halved(Ebbinghaus):
    """A policy of the package with another stability."""

    def stability(self, recall_count, item=None):  # noqa: D102
        return super().stability(recall_count) / 2


def test_a_policy_that_is_derived_from_one_of_the_package() -> None:
    """It is itself, under its own name: no engine plays the formula of the class that it changes."""
    assert (Halved.name, DerivedCurve.name) == ("Halved", "DerivedCurve")
    block = SESSIONS.block(range(10))
    outcome = play_everywhere(block, own_policy(Halved()))
    assert outcome.items is not None
    assert outcome.items.stability is not None
    newborn = outcome.items.recall_count == 1
    assert set(outcome.items.stability[newborn].tolist()) == {4.0}
    assert outcome.working_set_sum.tolist() != play_block(block, Ebbinghaus()).working_set_sum.tolist()


def test_policies_of_the_package_pass_as_they_are() -> None:
    """And so does a class that is derived and hides nothing."""
    policy = Ebbinghaus()
    assert own_policy(policy) is policy
    derived = DerivedCurve()
    assert own_policy(derived) is derived
    assert own_policy_class(DerivedCurve) is DerivedCurve


def retention(self: Any, age: int, recall_count: int) -> float:
    """Return a score, for the classes made below."""
    return 0.5**age


def made(frozen: bool = True, **members: Any) -> type:
    """Return a dataclass called Bad with these members and their types; a member called ``hints`` adds types."""
    given = members.pop("hints", {})
    hints = given | {name: type(value) for name, value in members.items() if isinstance(value, float | str)}
    return dataclass(frozen=frozen)(type("Bad", (), {"__annotations__": hints, **members}))


WRONG: list[tuple[type, str]] = [
    (type("Bad", (), {"retention": retention, "eviction_threshold": 0.2}), "Bad is no dataclass; allowed: a frozen"),
    (made(frozen=False, retention=retention, threshold=0.2), "Bad can be changed while it is played; allowed: @data"),
    (made(threshold=0.2), "Bad has no method retention; allowed: "),
    (made(retention=0.3, threshold=0.2), "Bad has no method retention; allowed: "),
    (made(retention=retention), "Bad has no threshold; allowed: an attribute eviction_threshold"),
    (made(retention=retention, threshold=0.2, hints={"rate": float}), "Bad.rate has no default; allowed: a plain "),
    (
        made(retention=retention, threshold=0.2, formula="fast"),
        "Bad.formula is of the type str; allowed: float, int, bool",
    ),
    (
        made(retention=retention, threshold=0.2, hints={"formula": "Missing"}, formula=1),
        "Bad: the types of its fields cannot",
    ),
    (made(retention=retention, threshold=0.2, on_register=retention), "Bad has on_register and is no StatefulPolicy"),
]


@pytest.mark.parametrize(("kind", "line"), WRONG, ids=[line[:30] for _, line in WRONG])
def test_a_class_that_cannot_be_played_says_why(kind: type, line: str) -> None:
    """One line with the name of the class and what would be allowed."""
    with pytest.raises(InvalidInputError) as caught:
        own_policy_class(kind)
    assert [problem for problem in caught.value.problems if problem.startswith(line)] == [caught.value.problems[0]]
    assert "; allowed: " in caught.value.problems[0] or "cannot be read: NameError" in caught.value.problems[0]


def test_a_field_that_hides_a_method_of_the_base_class() -> None:
    """It is refused where the class overrides other methods, which could not be asked then."""

    @dataclass(frozen=True)
    class Both(TablePolicy):
        stability: float = 1.0
        eviction_threshold: float = 0.2

        def retention(self, age, recall_count):
            return 0.5**age

        def evicts(self, age, recall_count):
            return age > 3

    with pytest.raises(InvalidInputError, match=r"^Both\.stability is a field and Both has a method evicts; allowed: "):
        own_policy_class(Both)


def test_the_threshold_has_the_limits_of_a_score() -> None:
    """So that a curve over it knows its ends; what a person states is kept, and other fields have no limits."""
    own = {one.name: one.allowed() for one in own_policy_class(OwnCurve).parameters()}
    number, score = "a finite number", "a finite number at least 0 and at most 1"
    assert own == {"stability": number, "gain": number, "threshold": score}
    curve = vd.curve(SESSIONS, OwnCurve(), "threshold", seeds=range(3))
    assert curve.at(0.0)["hit_rate"] == 1.0


@pytest.mark.parametrize("threshold", [1.5, -0.1, math.nan, math.inf])
def test_a_threshold_outside_its_range(threshold: float) -> None:
    """Refused by name, under either of its names."""
    with pytest.raises(InvalidInputError, match=r"^OwnCurve\.threshold is "):
        own_policy(OwnCurve(threshold=threshold))
    with pytest.raises(InvalidInputError, match=r"^ByImportance\.eviction_threshold is "):
        own_policy(ByImportance(eviction_threshold=threshold))
    with pytest.raises(InvalidInputError, match=r"DerivedCurve\.eviction_threshold is |finite number"):
        play_block(SESSIONS.block([1]), own_policy(DerivedCurve(eviction_threshold=threshold)))


@dataclass(frozen=True)
class Strict:
    """A class with ranges, and with a check of its own."""

    half_life: float = parameter(10.0, above=0.0, meaning="half-life in turns")
    other: float = 1.0
    eviction_threshold: float = 0.2

    def __post_init__(self) -> None:
        """Refuse one value."""
        if self.other == 13.0:
            raise ValueError("13 brings bad luck")

    def retention(self, age, recall_count):  # noqa: D102
        return 0.5 ** (age / self.half_life)


def test_ranges_and_own_checks_are_kept() -> None:
    """A field made by ``parameter`` has its range; what the class itself refuses is told in one line."""
    kind = own_policy_class(Strict)
    with pytest.raises(InvalidInputError) as caught:
        kind.build({"half_life": 0.0})
    assert caught.value.problems == ("Strict.half_life is 0.0; allowed: a finite number above 0",)
    with pytest.raises(InvalidInputError, match=r"^Strict made with .* raised ValueError: 13 brings bad luck$"):
        kind.build({"other": 13.0})
    with pytest.raises(InvalidInputError, match=r"has no parameter 'halflife'.*did you mean half_life\?$"):
        kind.build({"halflife": 1.0})
    with pytest.raises(InvalidInputError, match=r"^Strict has no parameter 'nothing'$"):
        kind(nothing=1)


def test_what_simulate_says() -> None:
    """All mistakes in one error; a class in place of an instance is told apart."""
    with pytest.raises(InvalidInputError) as caught:
        vd.simulate(SESSIONS, [OwnCurve(threshold=2.0), ByImportance(eviction_threshold=-1.0)], seeds=[])
    assert [line.split(" is ")[0] for line in caught.value.problems] == [
        "policies[0]: OwnCurve.threshold",
        "policies[1]: ByImportance.eviction_threshold",
        "seeds",
    ]
    with pytest.raises(InvalidInputError, match=r"OwnCurve is a class, and OwnCurve\(\) a policy"):
        vd.simulate(SESSIONS, [OwnCurve], seeds=[1])
    with pytest.raises(InvalidInputError, match=r"^OwnCurve is a class; allowed: one of its instances, OwnCurve\(\)$"):
        own_policy(OwnCurve)
