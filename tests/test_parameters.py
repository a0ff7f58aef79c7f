"""Tests of vecdecay.parameters: one record per parameter, from which checks, messages and defaults come."""

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from vecdecay.errors import InvalidInputError
from vecdecay.parameters import Described, brief, did_you_mean, parameter


@dataclass(frozen=True)
class Everything(Described):
    """A parameter of every kind."""

    whole: int = parameter(3, at_least=1, at_most=9, meaning="a whole number")
    share: float = parameter(0.5, above=0.0, below=1.0, unit="share", meaning="a number")
    pair: tuple[float, float] = parameter((1.0, 2.0), length=2, at_least=0.0, meaning="two numbers")
    several: tuple[float, ...] = parameter((1.0,), at_most=1e9, meaning="some numbers")
    flag: bool = parameter(True, meaning="yes or no")
    colour: str = parameter("red", choices=("red", "blue"), meaning="a word")

    def problems(self) -> list[str]:
        """Refuse one combination of values that are allowed singly."""
        return ["whole is 9 and flag is false; allowed: not both"] if self.whole == 9 and not self.flag else []


GOOD: list[tuple[str, Any, Any]] = [
    ("whole", 9, 9),
    ("whole", np.int32(4), 4),
    ("whole", np.uint8(1), 1),
    ("share", np.float32(0.25), 0.25),
    ("share", Fraction(1, 3), 1 / 3),
    ("share", math.ulp(0.0), math.ulp(0.0)),
    ("pair", [0, 1], (0.0, 1.0)),
    ("pair", np.array([1.5, 2.5]), (1.5, 2.5)),
    ("several", range(3), (0.0, 1.0, 2.0)),
    ("flag", np.bool_(False), False),
    ("colour", "blue", "blue"),
]

BAD: list[tuple[str, Any]] = [
    ("whole", 0), ("whole", 10), ("whole", 2.0), ("whole", True), ("whole", np.bool_(True)), ("whole", "3"),
    ("whole", None), ("whole", math.nan), ("whole", np.float64(3.0)), ("whole", 10**400), ("whole", np.array([3])),
    ("share", 0), ("share", 1), ("share", 0.0), ("share", 1.0), ("share", -0.1), ("share", math.nan),
    ("share", math.inf), ("share", -math.inf), ("share", True), ("share", "0.5"), ("share", None), ("share", 1j),
    ("share", Decimal("0.5")), ("share", np.float64("nan")), ("share", np.bool_(True)), ("share", 10**400),
    ("share", [0.5]),
    ("pair", (1.0,)), ("pair", (1.0, 2.0, 3.0)), ("pair", (-1.0, 1.0)), ("pair", (math.nan, 1.0)), ("pair", "12"),
    ("pair", b"12"), ("pair", 1.0), ("pair", (True, False)), ("pair", None), ("pair", [[1.0, 2.0]]),
    ("several", ()), ("several", []), ("several", (1e10,)), ("several", (1.0, math.inf)), ("several", 5),
    ("flag", 1), ("flag", 0), ("flag", "true"), ("flag", None),
    ("colour", "green"), ("colour", 3), ("colour", None), ("colour", ["red"]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "given", "kept"), GOOD)
def test_what_is_allowed_becomes_plain_python(name: str, given: Any, kept: Any) -> None:
    """Whatever kind of number is given, the field holds a plain Python value of the declared type."""
    value = getattr(Everything(**{name: given}), name)
    assert value == kept
    assert type(value) is type(kept)
    assert not isinstance(value, tuple) or {type(one) for one in value} == {float}


@pytest.mark.parametrize(("name", "given"), BAD, ids=lambda one: brief(one))
def test_what_is_not_allowed_is_refused_with_name_value_and_range(name: str, given: Any) -> None:
    """The one line names the parameter, shows what was given and says what would be allowed."""
    with pytest.raises(InvalidInputError) as caught:
        Everything(**{name: given})
    (problem,) = caught.value.problems
    assert problem.startswith(f"Everything.{name} is {brief(given)}; allowed: ")


def test_all_mistakes_are_named_together() -> None:
    """Six wrong parameters give six lines, in the order of the fields."""
    with pytest.raises(InvalidInputError) as caught:
        Everything(whole=0, share=2, pair=(1,), several=(), flag=1, colour="")
    assert list(caught.value.problems) == [
        "Everything.whole is 0; allowed: an integer at least 1 and at most 9",
        "Everything.share is 2; allowed: a finite number above 0 and below 1",
        "Everything.pair is (1,); allowed: 2 finite numbers, each at least 0",
        "Everything.several is (); allowed: one or more finite numbers, each at most 1000000000",
        "Everything.flag is 1; allowed: true or false",
        "Everything.colour is ''; allowed: one of red, blue",
    ]


def test_values_that_contradict_each_other_are_refused() -> None:
    """What concerns several parameters is looked at once each of them is in range."""
    with pytest.raises(InvalidInputError, match="not both"):
        Everything(whole=9, flag=False)
    with pytest.raises(InvalidInputError) as caught:
        Everything(whole=9, flag=False, share=7)
    assert len(caught.value.problems) == 1


def test_build_reports_unknown_names_with_values_out_of_range() -> None:
    """A misspelt name and a wrong value are told together, the nearest name included."""
    assert Everything.build({"whole": 2, "colour": "blue"}) == Everything(whole=2, colour="blue")
    with pytest.raises(InvalidInputError) as caught:
        Everything.build({"hole": 2, "share": -1})
    unknown, outside = caught.value.problems
    assert unknown.startswith("Everything has no parameter 'hole'; it has whole, share, ")
    assert unknown.endswith("did you mean whole?")
    assert outside == "Everything.share is -1; allowed: a finite number above 0 and below 1"


def test_values_and_equality() -> None:
    """Values come in the order of the fields; equal parameters are equal objects with equal hashes."""
    one = Everything(whole=np.int64(3), pair=[1, 2])
    assert list(one.values()) == ["whole", "share", "pair", "several", "flag", "colour"]
    assert one == Everything()
    assert hash(one) == hash(Everything())


def test_long_values_are_shortened() -> None:
    """A value of any size fits the line of an error message; short ones are shown whole."""
    assert brief("x" * 50) == repr("x" * 50)
    shown = brief(list(range(1000)))
    assert len(shown) < 80
    assert shown.endswith("(4890 characters)")


def test_only_close_words_are_suggested() -> None:
    """A typing mistake finds the word, another word finds nothing."""
    assert did_you_mean("windw_size", ["window_size"]) == "; did you mean window_size?"
    assert did_you_mean("xyz", ["window_size"]) == ""


def test_a_field_of_an_unknown_type_is_a_programming_error() -> None:
    """A class whose field has no kind is refused at once, not when a user gives a value."""

    @dataclass(frozen=True)
    class Wrong(Described):
        names: dict[str, int]

    with pytest.raises(TypeError, match=r"Wrong\.names"):
        Wrong({})


@dataclass(frozen=True)
class Endless(Described):
    """A parameter that may be infinite, above or below."""

    limit: float = parameter(math.inf, above=0.0, or_infinite=True, meaning="a bound that need not bind")
    most: float = parameter(1.0, at_most=9.0, or_infinite=True, meaning="infinity is outside")


def test_infinity_is_allowed_where_it_is_said() -> None:
    """Positive infinity, as TOML writes ``inf``; never a negative one or NaN, and never beyond a bound."""
    assert Endless().limit == Endless(limit=math.inf).limit == math.inf
    assert Endless(limit=3).limit == 3.0
    assert Endless.parameters()[0].allowed() == "a finite number above 0, or inf"
    for value in (-math.inf, math.nan, 0.0, -1.0, "inf"):
        with pytest.raises(InvalidInputError, match=r"^Endless\.limit is .*; allowed: .* above 0, or inf$"):
            Endless(limit=value)
    with pytest.raises(InvalidInputError, match=r"^Endless\.most is inf"):
        Endless(most=math.inf)
