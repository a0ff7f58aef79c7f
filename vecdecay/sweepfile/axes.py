"""The values of an axis: listed, or a rule that gives any one of them on demand.

A rule computes value number i alone, in exact or 50-digit arithmetic on the numbers as they are written (0.1 is one
tenth), and rounds once. So values do not depend on the machine's mathematical library, and 0.1 to 0.3 goes through 0.2.
"""

import math
from abc import abstractmethod
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, fields
from decimal import Context, Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

WORKLOAD, TRACE = "workload", "trace"
"""The label of the workload in parameter names, ``workload.NAME``, and that of a log in its place."""

MOST_CELLS = 10_000_000
"""Cells of a grid; also the values of one axis."""

_DIGITS = 50


@dataclass(frozen=True)
class AxisValues:
    """An ordered family of values, number 0 first; ``form`` is its key in a sweep file."""

    form: ClassVar[str]

    @abstractmethod
    def __len__(self) -> int:
        """Return how many values there are."""

    @abstractmethod
    def _value(self, index: int) -> Any:
        """Return the value of an index that is in range."""

    @abstractmethod
    def find(self, value: Any) -> int | None:
        """Return the lowest index that holds the value, None where none does."""

    def written(self) -> dict[str, Any]:
        """Return the key and value that stand for this in a sweep file."""
        keys = {"first": "from", "last": "to"}
        return {self.form: {keys.get(one.name, one.name): getattr(self, one.name) for one in fields(self)}}

    def __getitem__(self, index: int) -> Any:
        """Return value number ``index``."""
        if not 0 <= index < len(self):
            raise IndexError(index)
        return self._value(index)

    def __iter__(self) -> Iterator[Any]:
        """Yield the values in order."""
        return map(self._value, range(len(self)))


@dataclass(frozen=True)
class Listed(AxisValues):
    """Values as they are listed, already of the parameter's type."""

    form: ClassVar[str] = "values"
    values: tuple[Any, ...]

    def __len__(self) -> int:
        return len(self.values)

    def _value(self, index: int) -> Any:
        return self.values[index]

    @cached_property
    def _lowest_index(self) -> dict[Any, int]:
        return {value: index for index, value in reversed(list(enumerate(self.values)))}

    def find(self, value: Any) -> int | None:
        """Return the lowest index that holds the value, None where none does."""
        return self._lowest_index.get(value)

    def written(self) -> dict[str, Any]:
        """Return the list under its key."""
        return {"values": list(self.values)}


@dataclass(frozen=True)
class _Monotone(AxisValues):
    """Strictly increasing or strictly decreasing values."""

    first: Any
    last: Any

    def find(self, value: Any) -> int | None:
        """Return the index that holds the value, None where none does; by halving, so that nothing is written out."""
        sign = 1 if self.first <= self.last else -1
        index = bisect_left(range(len(self)), sign * value, key=lambda place: sign * self._value(place))
        return index if index < len(self) and self._value(index) == value else None


@dataclass(frozen=True)
class IntegerRange(_Monotone):
    """The integers first, first + step, … up to and including ``last`` where a step ends there.

    >>> list(IntegerRange(10, 50, 20)), list(IntegerRange(1, 6, 2))
    ([10, 30, 50], [1, 3, 5])
    """

    form: ClassVar[str] = "range"
    first: int
    last: int
    step: int

    def __len__(self) -> int:
        return (self.last - self.first) // self.step + 1

    def _value(self, index: int) -> int:
        return self.first + index * self.step


@dataclass(frozen=True)
class _Spaced(_Monotone):
    """``count`` floats from ``first`` to ``last``, both included."""

    first: float
    last: float
    count: int

    def __len__(self) -> int:
        return self.count

    def _value(self, index: int) -> float:
        if index == 0:
            return self.first
        # An end is given as it is written, whatever the arithmetic between would round it to.
        return self.last if index == self.count - 1 else self._between(index)

    @abstractmethod
    def _between(self, index: int) -> float:
        """Return a value that is neither the first nor the last."""

    @abstractmethod
    def distinct(self) -> bool:
        """Tell whether neighbours are far enough apart to be different floats."""


@dataclass(frozen=True)
class Linspace(_Spaced):
    """Floats at equal distances.

    >>> list(Linspace(0.1, 0.3, 3))
    [0.1, 0.2, 0.3]
    """

    form: ClassVar[str] = "linspace"

    @cached_property
    def _exact(self) -> tuple[Fraction, Fraction]:
        first, last = Fraction(repr(self.first)), Fraction(repr(self.last))
        return first, (last - first) / max(self.count - 1, 1)

    def _between(self, index: int) -> float:
        first, step = self._exact
        return float(first + step * index)

    def distinct(self) -> bool:
        """Tell whether the distance is at least that of the coarsest floats among the values."""
        coarsest = math.ulp(max(abs(self.first), abs(self.last)))
        return self.count == 1 or abs(self._exact[1]) > Fraction(coarsest)


@dataclass(frozen=True)
class Logspace(_Spaced):
    """Positive floats at equal ratios.

    >>> list(Logspace(0.01, 1.0, 3))
    [0.01, 0.1, 1.0]
    """

    form: ClassVar[str] = "logspace"

    @cached_property
    def _logarithms(self) -> tuple[Decimal, Decimal]:
        context = Context(prec=_DIGITS)
        first = context.ln(Decimal(repr(self.first)))
        distance = context.subtract(context.ln(Decimal(repr(self.last))), first)
        return first, context.divide(distance, Decimal(max(self.count - 1, 1)))

    def _between(self, index: int) -> float:
        context = Context(prec=_DIGITS)
        first, step = self._logarithms
        return float(context.exp(context.add(first, context.multiply(step, Decimal(index)))))

    def distinct(self) -> bool:
        """Tell whether the ratio of neighbours differs from 1 by more than two units in the last place."""
        return self.count == 1 or abs(self._logarithms[1]) > Decimal(2) ** -51


@dataclass(frozen=True)
class Axis:
    """A parameter of a sweep that takes several values: ``LABEL.parameter``, ``workload.parameter``, ``trace.rule``."""

    parameter: str
    values: AxisValues

    @property
    def label(self) -> str:
        """The label of the policy that reads the parameter, or ``workload``, for a rule of a log too."""
        label = self.parameter.rpartition(".")[0]
        return WORKLOAD if label == TRACE else label

    @property
    def name(self) -> str:
        """The parameter's own name."""
        return self.parameter.rpartition(".")[2]
