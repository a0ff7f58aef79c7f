"""Values of axes: any one on demand, in order, all different, found again, independent of the mathematical library."""

import math
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from vecdecay.sweepfile.axes import Axis, AxisValues, IntegerRange, Linspace, Listed, Logspace

POSITIVE = st.floats(1e-300, 1e300)
COUNTS = st.integers(2, 10_000_000)


def test_values_pass_through_what_a_person_expects() -> None:
    """Numbers are taken as they are written: thirds, tenths and powers of ten come out as typed."""
    assert list(Linspace(0.1, 0.3, 3)) == [0.1, 0.2, 0.3]
    assert list(Linspace(0.0, 1.0, 11)) == [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
    assert list(Linspace(3.0, 1.0, 3)) == [3.0, 2.0, 1.0]
    assert list(Logspace(1e-3, 1e3, 7)) == [0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0]
    assert list(Logspace(8.0, 0.5, 5)) == [8.0, 4.0, 2.0, 1.0, 0.5]
    assert list(IntegerRange(-1, 6, 3)) == [-1, 2, 5]
    assert list(Linspace(0.5, 0.5, 1)) == [0.5]


def test_nothing_is_written_out() -> None:
    """The last of ten million values comes at once, and is the end as it was given."""
    for values in (Linspace(0.1, 0.7, 10**7), Logspace(0.1, 0.7, 10**7)):
        assert (values[0], values[10**7 - 1]) == (0.1, 0.7)
        assert values[0] < values[1] < values[10**7 // 2] < values[10**7 - 2] < values[10**7 - 1]
    assert IntegerRange(0, 2**53, 1)[2**53] == 2**53


@pytest.mark.parametrize("values", [Listed((1, 2)), IntegerRange(1, 2, 1), Linspace(1, 2, 2), Logspace(1, 2, 2)])
def test_there_is_nothing_outside(values: AxisValues) -> None:
    """An index beyond the ends, negative ones too, is an error."""
    for index in (-1, 2):
        with pytest.raises(IndexError):
            values[index]


@given(POSITIVE, POSITIVE, COUNTS, st.data())
def test_spaced_values_are_in_order_and_found_again(first: float, last: float, count: int, data: st.DataObject) -> None:
    """Neighbours differ in the direction of the axis, and ``find`` answers with the index of each."""
    for values in (Linspace(first, last, count), Logspace(first, last, count)):
        assume(values.distinct())
        index = data.draw(st.integers(0, count - 2))
        one, next_one = values[index], values[index + 1]
        assert one < next_one if first < last else one > next_one
        assert min(first, last) <= one <= max(first, last)
        assert values.find(one) == index
        between = one + (next_one - one) / 2
        assert between in (one, next_one) or values.find(between) is None


@given(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9), st.integers(2, 1000))
def test_linspace_is_the_exact_value_rounded_once(first: float, last: float, count: int) -> None:
    """Every value equals the fraction between the written ends, correctly rounded."""
    values = Linspace(first, last, count)
    start, end = Fraction(str(first)), Fraction(str(last))
    for index in (0, 1, count // 2, count - 1):
        assert values[index] == float(start + (end - start) * Fraction(index, count - 1))


@given(POSITIVE, POSITIVE, st.integers(3, 1000))
def test_logspace_is_near_the_formula(first: float, last: float, count: int) -> None:
    """Every value lies where the floating-point formula puts it, within the rounding of that formula."""
    index = count // 2
    share = index / (count - 1)
    expected = math.exp(math.log(first) * (1 - share) + math.log(last) * share)
    assert math.isclose(Logspace(first, last, count)[index], expected, rel_tol=1e-12)


@given(POSITIVE, st.integers(1, 50), st.integers(2, 60))
def test_values_that_would_coincide_are_recognised(first: float, ulps: int, count: int) -> None:
    """Where ``distinct`` says yes, no two of the values are equal."""
    last = first
    for _ in range(ulps):
        last = math.nextafter(last, math.inf)
    for values in (Linspace(first, last, count), Logspace(first, last, count)):
        if values.distinct():
            assert len(set(values)) == count
    assert not Linspace(first, last, 60).distinct()
    assert not Logspace(first, last, 100).distinct()


@given(st.integers(-100, 100), st.integers(0, 100), st.integers(1, 9), st.integers(-250, 250))
def test_ranges_are_pythons(first: int, width: int, step: int, wanted: int) -> None:
    """An integer range is Python's with the end included."""
    values, expected = IntegerRange(first, first + width, step), range(first, first + width + 1, step)
    assert list(values) == list(expected)
    assert len(values) == len(expected)
    assert values.find(wanted) == (expected.index(wanted) if wanted in expected else None)


@given(st.lists(st.integers(0, 5), min_size=1), st.integers(0, 6))
def test_listed_values_are_found_at_their_first_place(values: list[int], wanted: int) -> None:
    """Of equal values the first counts."""
    assert Listed(tuple(values)).find(wanted) == (values.index(wanted) if wanted in values else None)


def test_an_axis_knows_its_label_and_name() -> None:
    """The last dot divides."""
    axis = Axis("my-policy.window_size", Listed((1,)))
    assert (axis.label, axis.name) == ("my-policy", "window_size")
