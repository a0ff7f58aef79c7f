"""Parameters that describe themselves: one record holds type, range, unit and meaning, and everything reads it.

Policies and workloads are frozen dataclasses whose fields are made by :func:`parameter`. From the same record come the
checks at construction, the text of ``vecdecay explain``, the sweep file's schema and the columns of the result.
"""

import copy
import dataclasses
import difflib
import inspect
import math
import numbers
import operator
import os
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache, partial
from typing import Any, ClassVar, Self, cast

from vecdecay.errors import InvalidInputError

_METADATA_KEY = "vecdecay.parameter"
_NO_VALUE = object()
_NO_TEXTS = (str, Set, Mapping)  # what several values mean depends on their order
_NO_NUMBERS = (*_NO_TEXTS, bytes, bytearray, memoryview)
_LONGEST_WORD = 60
_SHORTEST_BEGINNING = 3  # letters; fewer begin too much to be a hint
_close = lru_cache(maxsize=256)(partial(difflib.get_close_matches, n=1, cutoff=0.6))  # a mistake may come 10,000 times


@dataclass(frozen=True)
class Parameter:
    """One parameter of a policy or workload: what it may be, and what it means.

    ``above`` and ``below`` are exclusive bounds, ``at_least`` and ``at_most`` inclusive ones. A bound on a parameter
    that holds several numbers applies to each of them. ``or_infinite`` allows infinity too, which TOML writes ``inf``.
    ``shared`` says that a base class gives it to many kinds: it appears in a result only where it is set.
    """

    name: str
    kind: str  # "integer", "number", "numbers", "texts", "flag" or "choice"
    default: Any
    meaning: str
    unit: str = ""
    above: float | None = None
    at_least: float | None = None
    below: float | None = None
    at_most: float | None = None
    length: int | None = None
    choices: tuple[str, ...] = ()
    or_infinite: bool = False
    shared: bool = False

    @cached_property
    def clean_default(self) -> Any:
        """Return the default if it is allowed and of the parameter's own type, else a sentinel that equals no value."""
        try:
            cleaned = self.clean(self.default)
        except (ValueError, TypeError):
            return _NO_VALUE
        # 3 in a tuple is not 3.0
        is_clean = type(cleaned) is type(self.default) and repr(cleaned) == repr(self.default)
        return self.default if is_clean else _NO_VALUE

    def allowed(self) -> str:
        """Return in words what the parameter may be."""
        if self.kind == "flag":
            return "true or false"
        if self.kind == "choice":
            return "one of " + ", ".join(self.choices)
        if self.kind == "texts":
            return "one or more texts"
        bounds = [
            word.replace("_", " ") + (f" {bound:g}" if abs(bound) < 1e6 else f" {bound:.0f}")
            for word in ("above", "at_least", "below", "at_most")
            if (bound := getattr(self, word)) is not None
        ]
        if self.kind == "integer" and self.at_most is None and self.below is None:
            bounds.append("of at most 64 bits")
        noun = {"integer": "an integer", "number": "a finite number"}.get(self.kind)
        if noun is None:
            noun = f"{self.length or 'one or more'} finite numbers, each"
        words = " ".join([noun, " and ".join(bounds)]).removesuffix(", each ").strip()
        return f"{words}, or inf" if self.or_infinite else words

    def clean(self, value: Any) -> Any:
        """Return ``value`` as the plain Python type of the parameter; raise ValueError if it is not allowed."""
        if self.kind == "flag":
            if type(value).__name__ not in ("bool", "bool_"):
                raise ValueError
            return bool(value)
        if self.kind == "choice":
            if value not in self.choices:
                raise ValueError
            return value
        if self.kind == "texts":
            if isinstance(value, _NO_TEXTS) or not isinstance(value, Iterable):
                raise ValueError
            texts = tuple(value)
            if not texts or not all(isinstance(one, str) for one in texts):
                raise ValueError
            return texts
        if self.kind == "numbers":
            if isinstance(value, _NO_NUMBERS) or not isinstance(value, Iterable):
                raise ValueError
            several = tuple(self._clean_number(one) for one in value)
            if len(several) == 0 or (self.length is not None and len(several) != self.length):
                raise ValueError
            return several
        return self._clean_number(value)

    def _clean_number(self, value: Any) -> int | float:
        wanted = numbers.Integral if self.kind == "integer" else numbers.Real
        # The usual types are not asked for their abstract class: that takes most of the time of building a policy.
        if type(value) is not (int if self.kind == "integer" else float) and (
            isinstance(value, bool) or not isinstance(value, wanted)
        ):
            raise ValueError
        try:
            number: int | float = int(operator.index(cast(Any, value))) if self.kind == "integer" else float(value)
        except OverflowError:
            raise ValueError from None
        inside = (
            (
                -(2**63) <= number < 2**63  # what a column of integers holds
                if isinstance(number, int)
                else math.isfinite(number) or (self.or_infinite and number == math.inf)
            )
            and (self.above is None or number > self.above)
            and (self.at_least is None or number >= self.at_least)
            and (self.below is None or number < self.below)
            and (self.at_most is None or number <= self.at_most)
        )
        if not inside:
            raise ValueError
        return number


def parameter(default: Any, *, meaning: str, **limits: Any) -> Any:
    """Return a dataclass field that carries its own description; ``limits`` are fields of :class:`Parameter`."""
    return dataclasses.field(default=default, metadata={_METADATA_KEY: {"meaning": meaning, **limits}})


@cache
def parameters_of(described: type["Described"], shared: bool = False) -> tuple[Parameter, ...]:
    """Return the parameters of a policy or workload class in the order of its fields: its own, or the shared ones."""
    return tuple(one for one in _all_parameters_of(cast(Any, described)) if one.shared is shared)


@cache
def _all_parameters_of(described: type["Described"]) -> tuple[Parameter, ...]:
    hints = typing.get_type_hints(described)
    found = []
    fields = dataclasses.fields(cast(Any, described)) if hasattr(described, "__dataclass_fields__") else ()
    for field in fields:
        limits = field.metadata.get(_METADATA_KEY, {"meaning": ""})
        hint = hints[field.name]
        if "choices" in limits:
            kind = "choice"
        elif hint is bool:
            kind = "flag"
        elif hint is int:
            kind = "integer"
        elif hint is float:
            kind = "number"
        elif typing.get_origin(hint) is tuple:
            kind = "texts" if typing.get_args(hint)[0] is str else "numbers"
        else:
            raise TypeError(f"{described.__name__}.{field.name}: no parameter can be of the type {hint}")
        found.append(Parameter(name=field.name, kind=kind, default=field.default, **limits))
    return tuple(found)


def brief(value: Any) -> str:
    """Return ``repr(value)``, shortened so that it fits a line of an error message.

    >>> brief(-7), brief(10**5000), brief([1, 10**5000])
    ('-7', 'an integer of 5001 digits', '[1, an integer of 5001 digits]')
    """
    if type(value) is int and abs(value) >= _LONGEST_INTEGER:
        return f"an integer of {_digits(value)} digits"
    try:
        text = repr(value)
    except ValueError:  # Python writes out no integer of more than 4,300 digits
        text = _in_parts(value)
    if text.splitlines() != [text]:
        text = " ".join(text.split())
    return text if len(text) <= 60 else text[:45] + f"… ({len(text)} characters)"


def printable(path: str | os.PathLike[str]) -> str:
    r"""Return a path, or an option, as text that keeps to one line whatever bytes it has.

    >>> printable("output/headline"), printable("two\nlines")
    ('output/headline', "'two\\nlines'")
    """
    text = os.fspath(path)
    return text if text.isprintable() else repr(text)


_LONGEST_INTEGER = 10**60


def _digits(value: int) -> int:
    """Return the number of decimal digits, without writing them."""
    fewest = 1 + int((value.bit_length() - 1) * math.log10(2))
    return fewest if abs(value) < 10**fewest else fewest + 1


def _in_parts(value: Any) -> str:
    """Return in words what cannot be written out."""
    if isinstance(value, range):
        parts = [value.start, value.stop, *([] if value.step == 1 else [value.step])]
        return f"range({', '.join(map(brief, parts))})"
    if type(value) in (list, tuple) and not any(isinstance(one, list | tuple | dict) for one in value):
        text = ", ".join(map(brief, value))
        return f"[{text}]" if type(value) is list else f"({text})"
    return f"of the type {type(value).__name__}"


def did_you_mean(word: Any, known: Iterable[str]) -> str:
    """Return ``; did you mean X?`` for the closest known word, or the only one that it begins; else nothing.

    >>> did_you_mean("evction_threshold", ["eviction_threshold", "window_size"])
    '; did you mean eviction_threshold?'
    >>> did_you_mean("evi", ["eviction_threshold", "window_size"])
    '; did you mean eviction_threshold?'
    """
    if not isinstance(word, str) or len(word) > _LONGEST_WORD:  # comparing takes time in the square of the length
        return ""
    words = tuple(known)
    close = _close(word, words)
    begun = [one for one in words if one.startswith(word)] if len(word) >= _SHORTEST_BEGINNING else []
    if close or len(begun) == 1:
        return f"; did you mean {(close or begun)[0]}?"
    return ""


class _RefusedValueUsedError(BaseException):
    """Ends a check that uses a refused value; no Exception, so that no check takes it for a failure of its own."""


def _end_the_check(*_: Any, **__: Any) -> Any:
    raise _RefusedValueUsedError


_OF_EVERY_OBJECT = {"__new__", "__init__", "__class__", "__init_subclass__", "__subclasshook__", "__doc__"}
_OPERATIONS = {name for one in (int, float, tuple, str) for name in dir(one)} - _OF_EVERY_OBJECT
Refused: Any = type("Refused", (), dict.fromkeys(_OPERATIONS, _end_the_check))
"""Class of the placeholder for a refused value: every operation of numbers, tuples and texts on it ends the check.

There is no such object in this module itself, where tools that inspect modules would find it."""

Check = Callable[[], Sequence[str]]
"""A check of a policy or workload over several of its parameters: one line per mistake."""


class Described:
    """Base of policies and workloads: a frozen dataclass whose fields are checked together at construction.

    Each field is checked by its own record. What concerns several fields is a *check over several parameters*: a method
    without arguments that returns one line per mistake. A class with one such check overrides :meth:`problems`; a class
    with several independent ones lists them in :meth:`checks`. They need not declare which fields they use: while they
    run, a field whose value is refused holds an object that ends the check at its first use. So the mistakes of single
    fields are reported together with those of all checks that use no refused field.
    """

    name: ClassVar[str]

    def __new__(cls, *_: Any, **given: Any) -> Self:
        """Refuse names that are no parameter, with the nearest one; Python's own error would not suggest it."""
        fields = getattr(cls, "__dataclass_fields__", {})
        if not given.keys() <= fields.keys():
            takes = inspect.signature(cls.__init__).parameters
            unknown = [name for name in given if name not in takes]
            if unknown and not any(one.kind is one.VAR_KEYWORD for one in takes.values()):
                raise InvalidInputError(cls._unknown(unknown))
        return super().__new__(cls)

    @classmethod
    def _unknown(cls, names: Iterable[str]) -> list[str]:
        """Return a line per name that is no parameter."""
        known = [one.name for one in cls.every_parameter()]
        return [
            f"{cls.__name__} has no parameter {brief(name)}; it has {', '.join(known) or 'none'}"
            + did_you_mean(name, known)
            for name in names
            if name not in known
        ]

    def __post_init__(self) -> None:
        """Check every field; raise one InvalidInputError that names all that are wrong."""
        # A sweep builds up to 100,000 of these, nearly all without a mistake: lines are collected in a second pass.
        for one in self.every_parameter():
            value = getattr(self, one.name)
            if value is one.clean_default:
                continue  # most parameters of most cells of a sweep, and then half the time of building a policy
            try:
                object.__setattr__(self, one.name, one.clean(value))
            except (ValueError, TypeError, _RefusedValueUsedError):
                raise InvalidInputError(self._mistakes(one.name)) from None
        for check in self.checks():
            if check():
                raise InvalidInputError(self._mistakes())

    def _mistakes(self, first_refused: str = "") -> list[str]:
        """Return a line per mistake: those of single fields, then what those checks find that use none of these."""
        found = []
        checked = copy.copy(self)
        for one in self.every_parameter():
            value = getattr(self, one.name)
            try:
                if one.name == first_refused:  # not asked again: an iterator gives its values once
                    raise ValueError
                object.__setattr__(checked, one.name, one.clean(value))
            except (ValueError, TypeError, _RefusedValueUsedError):
                object.__setattr__(checked, one.name, Refused())
                if type(value) is not Refused:
                    where = f"{type(self).__name__}.{one.name}"
                    hint = did_you_mean(value, one.choices)
                    found.append(f"{where} is {brief(value)}; allowed: {one.allowed()}{hint}")
        for check in checked.checks():
            try:
                found += check()
            except _RefusedValueUsedError:
                continue
        return found

    def checks(self) -> Sequence[Check]:
        """Return the checks over several parameters, each of which is run whatever the others find."""
        return (self.problems,)

    def problems(self) -> list[str]:
        """Return one line per mistake that concerns several parameters together; each alone is already in range."""
        return []

    @classmethod
    def may_clash(cls, names: Iterable[str] = ()) -> bool:
        """Tell whether values of these parameters, each allowed, may be refused together: by a check over several."""
        del names
        return cls.problems is not Described.problems or cls.checks is not Described.checks

    @classmethod
    def build(cls, values: Mapping[str, Any], refused: Sequence[str] = ()) -> Self:
        """Return an instance from names and values, reporting unknown names together with values out of range.

        ``refused`` names parameters whose values the caller has refused already. Then there is no instance, and the
        InvalidInputError lists the other mistakes, if any.
        """
        known = {one.name: one for one in cls.every_parameter()}
        problems = cls._unknown(values)
        given = {name: value for name, value in values.items() if name in known}
        if refused:
            given |= {name: Refused() for name in refused}
        try:
            instance = cls(**given)
        except InvalidInputError as error:
            raise InvalidInputError([*problems, *error.problems]) from None
        except _RefusedValueUsedError:  # of a class that checks its fields in its own way
            raise InvalidInputError(problems) from None
        if problems or refused:
            raise InvalidInputError(problems)
        return instance

    def varied(self, changes: Mapping[str, Any]) -> Self:
        """Return the same with other values of some parameters."""
        return type(self).build({**self.values(), **changes})

    def _repr_html_(self) -> str:
        """Return a table of the parameters for a notebook."""
        from vecdecay.numerals import html_table, plain  # which a run does without

        values, summary = self.values(), getattr(self, "summary", "")
        rows = [[one.name, plain(values[one.name]), one.unit, one.meaning] for one in self.parameters()]
        return html_table(["parameter", "value", "unit", "meaning"], rows, f"{self.name}: {summary}")

    @classmethod
    def parameters(cls) -> tuple[Parameter, ...]:
        """Return the parameters of its own, in the order of the fields."""
        return parameters_of(cast(Any, cls))

    @classmethod
    def every_parameter(cls) -> tuple[Parameter, ...]:
        """Return its own parameters, and behind them those that all kinds share."""
        return cls.parameters() + parameters_of(cast(Any, cls), shared=True)

    def own_values(self) -> dict[str, Any]:
        """Return its own parameters and their values, in the order of the fields."""
        return {one.name: getattr(self, one.name) for one in self.parameters()}

    def every_value(self) -> dict[str, Any]:
        """Return the values of all parameters, of shared ones too."""
        shared = parameters_of(cast(Any, type(self)), shared=True)
        return self.own_values() | {one.name: getattr(self, one.name) for one in shared}

    def values(self) -> dict[str, Any]:
        """Return what appears in results: its own parameters, and those shared ones that are set."""
        unset = {one.name: one.default for one in self.every_parameter() if one.shared}
        return {name: one for name, one in self.every_value().items() if name not in unset or one != unset[name]}
