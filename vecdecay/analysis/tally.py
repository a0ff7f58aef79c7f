"""An exact tally of one metric over any number of sessions, in bounded memory.

Metrics of sessions take few distinct values (a recall rate over 4 recalls takes 5), and counting does not
round. So a histogram by the bit pattern of the float64 is both the exact and the fast way to add them up.
Where a metric turns out to take very many values, the histogram is folded into exact totals, and only the
distribution is given up. Tallies of parts of the sessions merge into the tally of all, whatever the order and
the parts.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vecdecay.analysis.exact import (
    LARGEST_COUNT,
    ONCE_EACH,
    Counts,
    Floats,
    Integers,
    RunningTotals,
    Summary,
    Totals,
    Values,
    checked_histogram,
    histogram_totals,
)
from vecdecay.analysis.tally_kernel import EMPTY, count_into, look_over, unpack
from vecdecay.errors import InvalidInputError, VecdecayError

DEFAULT_MAX_DISTINCT = 2**17
LARGEST_MAX_DISTINCT = 2**24

_EMPTY_KEYS = np.full(64, EMPTY, dtype=np.int64)
_SPACIOUS_SLOTS = 2**13


class Tally:
    """How often each value of one metric occurred, and how many sessions had none.

    A tally belongs to one thread: give each task its own and ``merge`` them. Beyond ``max_distinct`` distinct
    values it keeps exact totals instead of the histogram. ``summary`` stays exact to the bit, whenever that
    happened; only ``values_and_counts`` is no longer available. The histogram takes up to 4 MiB for the
    default ``max_distinct``, the totals 100 kB. −0.0 counts as 0.0.

    >>> tally = Tally()
    >>> tally.add(np.array([0.5, 0.25, 0.5, 0.0]), valid=np.array([True, True, True, False]))
    >>> tally.values_and_counts()
    (array([0.25, 0.5 ]), array([1, 2]))
    >>> tally.summary().mean
    0.4166666666666667
    """

    __slots__ = ("_count", "_counts", "_distinct", "_keys", "_max_distinct", "_null_count", "_running")

    def __init__(self, max_distinct: int = DEFAULT_MAX_DISTINCT) -> None:
        """Start with no sessions.

        Raises ``InvalidInputError`` when ``max_distinct`` is not a whole number from 1 to 2**24.
        """
        if type(max_distinct) is not int or not 1 <= max_distinct <= LARGEST_MAX_DISTINCT:
            allowed = f"whole numbers from 1 to {LARGEST_MAX_DISTINCT}"
            raise InvalidInputError([f"max_distinct is {max_distinct!r}; allowed: {allowed}"])
        self._max_distinct = max_distinct
        self._null_count = 0
        self._count = 0
        # The histogram, an open-addressed table: patterns of values, and how often each occurred.
        self._distinct = 0
        self._keys = _EMPTY_KEYS.copy()  # a third of the time of np.full
        self._counts = np.zeros(_EMPTY_KEYS.size, dtype=np.int64)
        # What takes its place once there are more than max_distinct values.
        self._running: RunningTotals | None = None

    @property
    def count(self) -> int:
        """How many sessions have a value."""
        return self._count

    @property
    def null_count(self) -> int:
        """How many sessions have none."""
        return self._null_count

    def add(self, values: Floats, valid: NDArray[np.bool_] | None = None) -> None:
        """Add ``values`` (session,), in the metric's unit; where ``valid`` (session,) is False, count a null.

        Raises ``InvalidInputError``, and adds nothing, for a wrong dtype or shape and for a value that is not
        finite (where it is valid).
        """
        values = _checked_array("values", values, np.float64)
        weights, count = ONCE_EACH, values.size
        if valid is not None:
            valid = _checked_array("valid", valid, np.bool_)
            if valid.shape != values.shape:
                raise InvalidInputError([f"valid has the shape {valid.shape}; expected: {values.shape}"])
            count = int(np.count_nonzero(valid))
            weights = valid.astype(np.int64) if count < values.size else ONCE_EACH
        if values.size == 0:
            return
        self._check_room_for(count)
        all_finite, all_same = look_over(values, weights)
        if not all_finite:
            wrong = ~np.isfinite(values) & (True if valid is None else valid)
            raise InvalidInputError([f"values contain {values[wrong][0]}; allowed: finite numbers"])
        self._null_count += values.size - count
        # One value throughout is common: a perfect recall rate. Looking for shorter runs was rejected: where
        # two values alternate at random, its mispredicted branch takes the time from 3 to 7 ns per value.
        if all_same:
            values, weights = values[:1], np.array([count], dtype=np.int64)
        self._add_sound(values, weights, count)

    def add_counted(self, values: Values, counts: Counts) -> None:
        """Add each of ``values`` (distinct,) as often as ``counts`` (distinct,) says.

        Raises ``InvalidInputError``, and adds nothing, for shapes that differ, values that are not finite,
        counts that are negative or add up to more than 2**63 − 1.
        """
        value_array, count_array = checked_histogram(values, counts)
        count = sum(count_array.tolist())
        self._check_room_for(count)
        self._add_sound(value_array, count_array, count)

    def add_nulls(self, null_count: int) -> None:
        """Count ``null_count`` more sessions without a value; ``InvalidInputError`` if it is negative."""
        if type(null_count) is not int or null_count < 0:
            raise InvalidInputError([f"null_count is {null_count!r}; allowed: whole numbers from 0"])
        self._null_count += null_count

    def merge(self, other: "Tally") -> None:
        """Add everything that ``other`` holds; ``other`` stays as it is.

        Raises ``InvalidInputError`` when the two differ in ``max_distinct``, for then it would depend on the
        order of merging whether the distribution is kept.
        """
        if other._max_distinct != self._max_distinct:
            sizes = f"{self._max_distinct} and {other._max_distinct}"
            raise InvalidInputError([f"the tallies have max_distinct {sizes}; expected: the same"])
        self._check_room_for(other._count)
        self._null_count += other._null_count
        if other._running is None:
            self._add_sound(other._keys.view(np.float64), other._counts, other._count)
        else:
            running = other._running
            self._fold().merge(running.totals(), running.minimum, running.maximum)
            self._count += other._count

    def values_and_counts(self) -> tuple[Floats, Integers]:
        """Return the distinct values (distinct,), ascending, and how often each occurred (distinct,).

        Raises ``VecdecayError`` when there were more than ``max_distinct`` distinct values.
        """
        if self._running is not None:
            raise VecdecayError(
                f"more than {self._max_distinct} distinct values occurred: their distribution was not kept; "
                "mean, standard deviation, minimum and maximum are exact all the same"
            )
        values, counts, *_ = self._occupied()
        order = np.argsort(values)
        return values[order], counts[order]

    def totals(self) -> Totals:
        """Return the exact sum and sum of squares of all values."""
        if self._running is not None:
            return self._running.totals()
        return histogram_totals(*self._occupied()[:2])

    def summary(self) -> Summary:
        """Return count, mean, standard deviation, minimum and maximum, each correctly rounded.

        Raises ``InvalidInputError`` when the standard deviation is above the largest float64.
        """
        if self._count == 0:
            return Summary(0, self._null_count, None, None, None, None, False)
        if self._running is not None:
            running = self._running
            minimum, maximum, totals = running.minimum, running.maximum, running.totals()
        else:
            values, counts, minimum, maximum = self._occupied()
            if minimum == maximum:
                constant = self._count > 1
                deviation = 0.0 if constant else None
                return Summary(self._count, self._null_count, minimum, deviation, minimum, maximum, constant)
            totals = histogram_totals(values, counts)
        mean, deviation = totals.mean(), totals.standard_deviation()
        return Summary(self._count, self._null_count, mean, deviation, minimum, maximum, False)

    def to_json(self) -> dict[str, Any]:
        """Return the tally as a dictionary for ``json.dumps``: exact, and the same for equal tallies.

        It holds the histogram (``values`` as hexadecimal floats, ascending, and ``counts``) or ``totals``
        (see ``Totals.to_json``), ``minimum`` and ``maximum``.
        """
        content: dict[str, Any] = {"max_distinct": self._max_distinct, "null_count": self._null_count}
        if self._running is None:
            values, counts = self.values_and_counts()
            return content | {"values": [value.hex() for value in values.tolist()], "counts": counts.tolist()}
        bounds = {"minimum": self._running.minimum.hex(), "maximum": self._running.maximum.hex()}
        return content | bounds | {"totals": self._running.totals().to_json()}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "Tally":
        """Return the tally that ``to_json`` described.

        Raises ``InvalidInputError`` when ``to_json`` cannot have written ``content``.
        """
        try:
            tally = cls(content["max_distinct"])
            tally.add_nulls(content["null_count"])
            if "totals" in content:
                tally._read_totals(content)
            else:
                values = [float.fromhex(value) for value in content["values"]]
                tally.add_counted(values, content["counts"])
            if tally.to_json() != dict(content):
                raise InvalidInputError(["its entries are not as this program writes them"])
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
            raise InvalidInputError([f"not a tally: {error!r}"]) from error
        return tally

    def __eq__(self, other: object) -> bool:
        """Tell whether both hold the same, however they came to it."""
        return isinstance(other, Tally) and self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]  # a tally changes

    def __reduce__(self) -> tuple[Callable[[Mapping[str, Any]], "Tally"], tuple[dict[str, Any]]]:
        """Pickle by content, so that equal tallies give equal bytes."""
        return Tally.from_json, (self.to_json(),)

    def __repr__(self) -> str:
        """Return the size in words, not the content."""
        kept = "exact totals" if self._running is not None else f"{self._distinct} distinct values"
        return f"<Tally of {self._count} values and {self._null_count} nulls: {kept}>"

    def _add_sound(self, values: Floats, counts: Integers, count: int) -> None:
        """Add finite values (n,), ``count`` in all; those that ``counts`` (n,) gives as 0 may be anything."""
        self._count += count
        position = 0
        while self._running is None:
            position, self._distinct = count_into(
                values, counts, position, self._keys, self._counts, self._distinct, self._room()
            )
            if position == values.size:
                return
            self._grow_or_fold()
        values = values[position:]
        if counts.size:
            occurring = counts[position:] > 0
            values, counts = values[occurring], counts[position:][occurring]
        self._running.add(values, counts)

    def _room(self) -> int:
        """Return how many distinct values may be in the table before it must grow or be folded.

        With 1,000 values, a table a quarter full takes 5 ns per value, half full 7; a large one saves memory.
        """
        slots = self._keys.size
        return min(slots // 4 if slots <= _SPACIOUS_SLOTS else slots // 2, self._max_distinct)

    def _grow_or_fold(self) -> None:
        """Move to a larger table or, where ``max_distinct`` is reached, to exact totals."""
        if self._distinct == self._max_distinct:
            self._fold()
            return
        keys, counts, slots = self._keys, self._counts, 4 * self._keys.size
        self._keys = np.full(slots, EMPTY, dtype=np.int64)
        self._counts = np.zeros(slots, dtype=np.int64)
        count_into(keys.view(np.float64), counts, 0, self._keys, self._counts, 0, slots)

    def _fold(self) -> RunningTotals:
        """Return the running totals; where there are none yet, start them with the table, and drop it."""
        if self._running is None:
            self._running = RunningTotals()
            self._running.add(*self._occupied()[:2])
            self._keys = self._counts = ONCE_EACH
            self._distinct = 0
        return self._running

    def _check_room_for(self, count: int) -> None:
        if self._count + count > LARGEST_COUNT:
            raise InvalidInputError([f"more than {LARGEST_COUNT} values in one tally"])

    def _occupied(self) -> tuple[Floats, Integers, float, float]:
        """Return values and counts (distinct,) in the order of the table, the minimum and the maximum."""
        values = np.empty(self._distinct, dtype=np.float64)
        counts = np.empty(self._distinct, dtype=np.int64)
        minimum, maximum = unpack(self._keys, self._counts, values, counts)
        return values, counts, float(minimum), float(maximum)

    def _read_totals(self, content: Mapping[str, Any]) -> None:
        totals = Totals.from_json(content["totals"])
        minimum, maximum = float.fromhex(content["minimum"]), float.fromhex(content["maximum"])
        ascending = -math.inf < minimum <= totals.mean() <= maximum < math.inf
        if totals.count <= self._max_distinct or not ascending or minimum == maximum:
            raise InvalidInputError(["count, totals, minimum and maximum contradict each other"])
        self._fold().merge(totals, minimum, maximum)
        self._count = totals.count


def _checked_array(name: str, array: Any, dtype: type) -> NDArray[Any]:
    """Return ``array`` in the one layout that the kernels are compiled for; others (read-only) are copied."""
    if not isinstance(array, np.ndarray) or array.dtype != dtype or array.ndim != 1:
        found = f"{array.dtype} {array.shape}" if isinstance(array, np.ndarray) else type(array).__name__
        raise InvalidInputError([f"{name} is {found}; expected: a NumPy array {np.dtype(dtype)} (session,)"])
    return array if array.flags.carray else array.copy()
