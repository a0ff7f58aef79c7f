"""Tests of vecdecay.parameters: one record per parameter, from which checks, messages and defaults come."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from vecdecay.errors import InvalidInputError
from vecdecay.parameters import Check, Described, Parameter, brief, did_you_mean, parameter, printable


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


def mistakes(described: type[Described], **values: Any) -> list[str]:
    """Return the lines with which a class refuses values."""
    with pytest.raises(InvalidInputError) as caught:
        described(**values)
    return list(caught.value.problems)


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
    ("pair", {1.0, 2.0}), ("pair", frozenset((1.0, 2.0))), ("pair", {1.0: 2.0, 2.0: 1.0}), ("pair", bytearray(b"12")),
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
    """What concerns several parameters is told with what is wrong singly, unless it rests on such a value."""
    clash = "whole is 9 and flag is false; allowed: not both"
    assert mistakes(Everything, whole=9, flag=False) == [clash]
    share = "Everything.share is 7; allowed: a finite number above 0 and below 1"
    assert mistakes(Everything, whole=9, flag=False, share=7) == [share, clash]
    flag = "Everything.flag is 0; allowed: true or false"
    assert mistakes(Everything, whole=9, flag=0) == [flag]
    assert mistakes(Everything, whole=9, flag=0, share=7) == [share, flag]


@dataclass(frozen=True)
class Triangle(Described):
    """Three sides and a colour; each check reads some of them, one of them through a method."""

    first: float = parameter(3.0, above=0.0, meaning="a side")
    second: float = parameter(4.0, above=0.0, meaning="a side")
    sides: tuple[float, ...] = parameter((5.0,), above=0.0, meaning="more sides")
    colour: str = parameter("red", choices=("red", "blue"), meaning="a word")

    def checks(self) -> Sequence[Check]:
        """Return three checks."""
        return (self.order, self.longest, self.painted)

    def order(self) -> list[str]:
        """Want the first two in this order."""
        return [] if self.first <= self.second else ["order"]

    def longest(self) -> list[str]:
        """Want the others to be longer than the second; whatever a check might catch, it catches."""
        try:
            return [] if self.smallest() > self.second else ["longest"]
        except Exception:
            return ["a failure of its own"]

    def smallest(self) -> float:
        """Return the shortest of the other sides."""
        return min(self.sides)

    def painted(self) -> list[str]:
        """Want red; a blue one is wrong where it is long, and only then is the length looked at."""
        return ["painted"] if self.colour == "blue" and self.first > 5.0 else []


@pytest.mark.parametrize(
    ("values", "lines"),
    [
        ({"first": 5, "sides": [4]}, ["order", "longest"]),
        ({"first": 6, "sides": [4], "colour": "blue"}, ["order", "longest", "painted"]),
        ({"first": math.nan, "sides": [4], "colour": "blue"}, ["first", "longest"]),
        ({"first": 6, "second": -1, "sides": [4], "colour": "blue"}, ["second", "painted"]),
        ({"first": 6, "sides": [], "colour": "blue"}, ["sides", "order", "painted"]),
        ({"first": 6, "sides": [4], "colour": None}, ["colour", "order", "longest"]),
        ({"first": 0, "second": "1", "sides": 3, "colour": 3}, ["first", "second", "sides", "colour"]),
        ({"first": None}, ["first"]),
    ],
)
def test_checks_speak_where_all_that_they_use_is_allowed(values: dict[str, Any], lines: list[str]) -> None:
    """Together with the mistakes of single parameters; a check that needs one of those says nothing."""
    told = [line.removeprefix("Triangle.").partition(" is ")[0] for line in mistakes(Triangle, **values)]
    assert told == lines


@pytest.mark.parametrize(
    "use",
    [
        lambda it: it < 1.0, lambda it: it >= 1.0, lambda it: it == "constant", lambda it: it != 0, lambda it: it + 1,
        lambda it: 2 - it, lambda it: 1 / it, lambda it: -it, abs, float, int, bool, round, len, list, max, hash, repr,
        math.floor, math.ceil, math.fsum, math.log, math.isfinite, np.float64(3).__mul__, lambda it: f"{it:g}",
        lambda it: [1, 2][it], lambda it: 3 in it, lambda it: it in {1: 2}, lambda it: isinstance(it, float),
        lambda it: it.real, lambda it: range(it), lambda it: [*zip(it, (1,), strict=True)], lambda it: np.sqrt(it),
    ],
)  # fmt: skip
def test_no_use_of_a_refused_value_goes_unnoticed(use: Callable[[Any], Any]) -> None:
    """Whatever a check does with it, the check ends there, and nothing else is disturbed."""

    @dataclass(frozen=True)
    class Using(Described):
        one: float = parameter(1.0, at_least=0.0, meaning="a number")
        other: float = parameter(1.0, at_least=0.0, meaning="a number")

        def problems(self) -> list[str]:
            use(self.one)
            return ["a claim that rests on it"]

    assert mistakes(Using, one=-1) == ["Using.one is -1; allowed: a finite number at least 0"]
    assert mistakes(Using, one=-1, other=-2)[1:] == ["Using.other is -2; allowed: a finite number at least 0"]


def test_an_iterator_is_read_once() -> None:
    """What it gives is kept, or refused, whatever is wrong before and after it."""
    assert Everything(several=iter([1, 2])).several == (1.0, 2.0)
    assert [line.partition(" is ")[0] for line in mistakes(Everything, several=iter([1e10, 2]))] == [
        "Everything.several"
    ]
    lines = mistakes(Everything, share=7, several=iter([1, 2]), colour="green")
    assert [line.partition(" is ")[0] for line in lines] == ["Everything.share", "Everything.colour"]
    lines = mistakes(Everything, share=7, several=iter([1e10, 2]))
    assert [line.partition(" is ")[0] for line in lines] == ["Everything.share", "Everything.several"]
    assert len(mistakes(Everything, whole=9, flag=False, several=iter([1, 2]))) == 1


def test_a_caller_may_have_refused_values_before() -> None:
    """They are passed over in silence, what rests on them too; there is no instance even if nothing else is wrong."""
    with pytest.raises(InvalidInputError) as caught:
        Triangle.build({"first": 6.0, "sides": (4.0,), "lines": 3}, refused=["second", "colour"])
    assert [line.partition(";")[0] for line in caught.value.problems] == ["Triangle has no parameter 'lines'"]
    with pytest.raises(InvalidInputError) as caught:
        Triangle.build({"first": 6.0, "sides": (-4.0,)}, refused=["colour"])
    assert list(caught.value.problems) == [
        "Triangle.sides is (-4.0,); allowed: one or more finite numbers, each above 0",
        "order",
    ]
    with pytest.raises(InvalidInputError) as caught:
        Triangle.build({}, refused=["colour"])
    assert caught.value.problems == ()


def test_a_class_tells_whether_its_values_may_clash() -> None:
    """It may where it has a check, in whichever of the two ways."""
    assert Everything.may_clash()
    assert Triangle.may_clash()
    assert not Endless.may_clash()


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


def test_integers_of_any_size_are_told_by_their_digits() -> None:
    """Python writes out no integer of more than 4,300 digits; a message must, alone and in what holds it."""
    for digits in (61, 62, 400, 4300, 4301, 5000, 100_000):
        for smallest in (10 ** (digits - 1), 10**digits - 1):
            assert brief(smallest) == brief(-smallest) == f"an integer of {digits} digits"
    assert brief(10**60 - 1) == "9" * 60
    gigantic = 10**5000
    assert brief([1, gigantic]) == "[1, an integer of 5001 digits]"
    assert brief((gigantic, "a")) == "(an integer of 5001 digits, 'a')"
    assert brief(range(gigantic)) == "range(0, an integer of 5001 digits)"
    assert brief(range(0, gigantic, 2)) == "range(0, an integer of 5001 digits, 2)"
    assert brief({1: gigantic}) == "of the type dict"
    assert brief([[gigantic]]) == "of the type list"
    with pytest.raises(InvalidInputError) as caught:
        Everything(whole=gigantic, pair=(gigantic, 1))
    assert [line.split(";")[0] for line in caught.value.problems] == [
        "Everything.whole is an integer of 5001 digits",
        "Everything.pair is (an integer of 5001 digits, 1)",
    ]


def test_values_of_several_lines_are_shown_in_one() -> None:
    """One line per mistake, though arrays and tables print over several; spaces within a line are the value's own."""
    assert brief(np.ones((2, 2))) == "array([[1., 1.], [1., 1.]])"
    assert brief(np.ones((90, 90))).isprintable()
    assert brief("a  b\n") == r"'a  b\n'"
    with pytest.raises(InvalidInputError) as caught:
        Everything(pair=np.ones((2, 2)))
    assert (
        str(caught.value)
        == "Everything.pair is array([[1., 1.], [1., 1.]]); allowed: 2 finite numbers, each at least 0"
    )


def test_only_close_words_are_suggested() -> None:
    """A typing mistake finds the word, and so does its beginning where no other word has it; else there is nothing."""
    assert did_you_mean("windw_size", ["window_size"]) == "; did you mean window_size?"
    assert did_you_mean("xyz", ["window_size"]) == ""
    assert did_you_mean("zipf", ["steady_use", "zipf_recalls"]) == "; did you mean zipf_recalls?"
    assert did_you_mean("noise", ["noise_recall_gap", "noise_recall_probability"]) == ""
    assert did_you_mean("zi", ["steady_use", "zipf_recalls"]) == ""


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


def test_no_word_is_suggested_for_what_is_long_or_no_word() -> None:
    """Comparing a long one would take time in the square of its length; a gigantic integer cannot be written."""
    assert did_you_mean("detial", ["detail"]) == "; did you mean detail?"
    assert [did_you_mean(one, ["detail"]) for one in ("xyz", "detail" * 1000, 3, 10**5000, None)] == [""] * 5


def test_names_keep_to_a_line() -> None:
    """A file's name is shown as it is unless it would break the line."""
    assert printable("sweeps/möglich.toml") == "sweeps/möglich.toml"
    assert printable("a\nb") == r"'a\nb'"


@dataclass(frozen=True)
class Unbounded(Described):
    """A parameter that any number suits."""

    free: float = parameter(0.0, meaning="any number")


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_without_bounds_a_number_is_finite_all_the_same(value: float) -> None:
    """A NaN fails no comparison, and would pass where there is none."""
    assert mistakes(Unbounded, free=value) == [f"Unbounded.free is {value}; allowed: a finite number"]


def test_an_unknown_name_alone_is_refused() -> None:
    """A misspelt parameter would otherwise keep its default in silence."""
    with pytest.raises(InvalidInputError, match="Unbounded has no parameter 'fre'; it has free; did you mean free"):
        Unbounded.build({"fre": 1.0})


@dataclass(frozen=True)
class OneInteger(Described):
    """An integer without an upper bound."""

    span: int = parameter(1, at_least=-(2**63), meaning="it is")


def test_an_integer_fits_its_column() -> None:
    """64 bits, the column of a table; more is refused before anything is played."""
    assert [OneInteger(one).span for one in (-(2**63), 2**63 - 1)] == [-(2**63), 2**63 - 1]
    with pytest.raises(InvalidInputError, match=r"^OneInteger\.span is .*; .* and of at most 64 bits$"):
        OneInteger(2**63)
    number = Parameter("a", "integer", 1, "it is")
    assert number.allowed() == "an integer of at most 64 bits"
    for one in (2**63, -(2**63) - 1):
        with pytest.raises(ValueError, match=r"^$"):
            number.clean(one)
