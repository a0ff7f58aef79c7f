"""An exact histogram of one metric over any number of sessions, in bounded memory.

Metrics of sessions take few distinct values (a recall rate over 4 recalls takes 5), and counting does not round. So
counting by the bit pattern of the float64 is both the exact and the fast way to add them up. Where a metric turns out
to take very many values, the histogram is folded into exact moments, and only the values are given up.
"""

import numpy as np
from numpy.typing import NDArray

from vecdecay.analysis.histogram_kernel import EMPTY, count_into, look_over, unpack
from vecdecay.analysis.moments import Floats, Integers, Moments, Summary, moments_of
from vecdecay.errors import InvalidInputError, VecdecayError

DEFAULT_MAX_DISTINCT = 2**17

_ONCE_EACH = np.zeros(0, dtype=np.int64)  # stands for counts that are all 1
_NO_VALUES = np.zeros(0)
_EMPTY_KEYS = np.full(64, EMPTY, dtype=np.int64)
_SPACIOUS_SLOTS = 2**13


class _Table:
    """Values and their counts in an open-addressed table, into which a block is counted in 3 to 5 ns per value."""

    __slots__ = ("counts", "distinct", "keys")

    def __init__(self) -> None:
        self.keys = _EMPTY_KEYS.copy()  # a third of the time of np.full
        self.counts = np.zeros(_EMPTY_KEYS.size, dtype=np.int64)
        self.distinct = 0

    def count(self, values: Floats, counts: Integers, max_distinct: int) -> int:
        """Count finite values (n,) up to the first that would be one too many; return how many were counted."""
        position = 0
        while True:
            slots = self.keys.size
            # With 1,000 values, a table a quarter full takes 5 ns per value, half full 7; a large one saves memory.
            room = min(slots // 4 if slots <= _SPACIOUS_SLOTS else slots // 2, max_distinct)
            position, self.distinct = count_into(values, counts, position, self.keys, self.counts, self.distinct, room)
            if position == values.size or self.distinct == max_distinct:
                return position
            keys, held = self.keys, self.counts
            self.keys = np.full(4 * slots, EMPTY, dtype=np.int64)
            self.counts = np.zeros(4 * slots, dtype=np.int64)
            count_into(keys.view(np.float64), held, 0, self.keys, self.counts, 0, 4 * slots)

    def ascending(self) -> tuple[Floats, Integers]:
        """Return the distinct values (distinct,) in ascending order and their counts (distinct,)."""
        values, counts = np.empty(self.distinct), np.empty(self.distinct, dtype=np.int64)
        unpack(self.keys, self.counts, values, counts)
        order = np.argsort(values)
        return values[order], counts[order]


class Histogram:
    """How often each value of one metric occurred, and how many sessions had none.

    Histograms of parts of the sessions merge into the histogram of all, whatever the order and the parts. A histogram
    belongs to one thread: give each task its own. Beyond ``max_distinct`` distinct values it keeps exact moments
    instead of the values; ``summary`` stays exact to the bit, whenever that happened. Histograms to be merged have the
    same ``max_distinct``. The default takes up to 4 MiB. −0.0 counts as 0.0.

    >>> histogram = Histogram()
    >>> histogram.add(np.array([0.5, 0.25, 0.5, 0.0]), valid=np.array([True, True, True, False]))
    >>> histogram.values_and_counts()
    (array([0.25, 0.5 ]), array([1, 2]))
    >>> histogram.summary().mean
    0.4166666666666667
    """

    __slots__ = ("_counts", "_table", "_values", "max_distinct", "moments", "null_count")

    def __init__(
        self,
        max_distinct: int = DEFAULT_MAX_DISTINCT,
        values: Floats = _NO_VALUES,
        counts: Integers = _ONCE_EACH,
        null_count: int = 0,
        moments: Moments | None = None,
    ) -> None:
        """Start empty, or with finite ``values`` (distinct,), ascending, and ``counts`` (distinct,) > 0, unchecked."""
        self.max_distinct = max_distinct
        self.null_count = null_count
        self.moments = moments  # in place of the values, once these are too many
        self._values, self._counts = values, counts
        self._table: _Table | None = None  # in place of the two arrays once something is added

    @property
    def num_sessions(self) -> int:
        """The number of sessions counted, with a value or without."""
        if self.moments is not None:
            return self.moments.count + self.null_count
        return int((self._counts if self._table is None else self._table.counts).sum()) + self.null_count

    def add(self, values: NDArray[np.generic], valid: NDArray[np.bool_] | None = None) -> None:
        """Add ``values`` (session,), in the metric's unit; where ``valid`` (session,) is False, count a null.

        Raises ``InvalidInputError``, and adds nothing, for a value that is not finite (where it is valid).
        """
        present = np.ascontiguousarray(values if valid is None else values[valid], dtype=np.float64)
        # One value throughout is common: a perfect recall rate. Looking for shorter runs was rejected: where
        # two values alternate at random, its mispredicted branch takes the time from 3 to 7 ns per value.
        if present.size and _all_same(present):
            self._add(present[:1], np.array([present.size]))
        else:
            self._add(present, _ONCE_EACH)
        self.null_count += values.size - present.size

    def add_counted(self, values: NDArray[np.generic], counts: Integers) -> None:
        """Add each of ``values`` (n,) as often as ``counts`` (n,) says, which may be 0 times.

        Raises ``InvalidInputError``, and adds nothing, for values that are not finite.
        """
        present = np.ascontiguousarray(values, dtype=np.float64)
        _all_same(present)
        self._add(present, np.ascontiguousarray(counts, dtype=np.int64))

    def add_nulls(self, null_count: int) -> None:
        """Count ``null_count`` more sessions without a value."""
        self.null_count += null_count

    def merge(self, other: "Histogram") -> None:
        """Add everything that ``other`` holds; ``other`` stays as it is."""
        self.null_count += other.null_count
        if other.moments is not None:
            self._fold(other.moments)
        elif other._table is not None:  # empty slots count 0 times, and the order does not matter here
            self._add(other._table.keys.view(np.float64), other._table.counts)
        else:
            self._add(other._values, other._counts)

    def values_and_counts(self) -> tuple[Floats, Integers]:
        """Return the distinct values (distinct,), ascending, and how often each occurred (distinct,).

        Raises ``VecdecayError`` when there were more than ``max_distinct`` distinct values.
        """
        if self.moments is not None:
            raise VecdecayError(
                f"more than {self.max_distinct} distinct values occurred: their distribution was not kept; "
                "mean, standard deviation, minimum and maximum are exact all the same"
            )
        return self._ascending()

    def summary(self) -> Summary:
        """Return count, mean, standard deviation, minimum and maximum, each correctly rounded.

        Raises ``InvalidInputError`` when the standard deviation is above the largest float64.
        """
        if self.moments is not None:
            return self.moments.summary(self.null_count)
        values, counts = self._ascending()
        if values.size == 0:
            return Summary(0, self.null_count, None, None, None, None, False)
        return moments_of(values, counts).summary(self.null_count)

    def __eq__(self, other: object) -> bool:
        """Tell whether both hold the same, however they came to it."""
        if not isinstance(other, Histogram):
            return NotImplemented
        pairs = zip(self._ascending(), other._ascending(), strict=True)
        return (self.null_count, self.moments) == (other.null_count, other.moments) and all(
            np.array_equal(mine, theirs) for mine, theirs in pairs
        )

    __hash__ = None  # type: ignore[assignment]  # a histogram changes

    def _ascending(self) -> tuple[Floats, Integers]:
        return (self._values, self._counts) if self._table is None else self._table.ascending()

    def _add(self, values: Floats, counts: Integers) -> None:
        """Add finite values (n,), ``counts`` (n,) times each, or once each if that is empty."""
        if self.moments is None:
            if self._table is None:
                self._table = _Table()
                self._table.count(self._values, self._counts, self.max_distinct)
            position = self._table.count(values, counts, self.max_distinct)
            values, counts = values[position:], counts[position:]
        if counts.size:
            values, counts = values[counts > 0], counts[counts > 0]
        if values.size:
            self._fold(moments_of(values, counts if counts.size else np.ones(values.size, dtype=np.int64)))

    def _fold(self, moments: Moments) -> None:
        """Add moments to those that take the place of the values from now on."""
        if self.moments is None:
            values, counts = self._ascending()
            if values.size:
                moments = moments_of(values, counts) + moments
            self._values, self._counts, self._table = _NO_VALUES, _ONCE_EACH, None
            self.moments = moments
        else:
            self.moments += moments


def _all_same(values: Floats) -> bool:
    """Tell whether all values are the same; ``InvalidInputError`` where one is not finite."""
    all_finite, all_same = look_over(values)
    if not all_finite:
        raise InvalidInputError([f"values contain {values[~np.isfinite(values)][0]}; allowed: finite numbers"])
    return all_same
