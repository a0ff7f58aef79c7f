"""The hash table behind tallies: every value is counted once, whatever the order and however full the table is."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from vecdecay.analysis.tally import Tally
from vecdecay.analysis.tally_kernel import EMPTY, look_over

ONCE_EACH = np.zeros(0, dtype=np.int64)


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0, -2.5, 1e300, 5e-324, 3.0]), max_size=300))
def test_counts_are_those_of_a_dictionary(values: list[float]) -> None:
    """The table agrees with Python's own counting."""
    tally = Tally()
    tally.add(np.array(values, dtype=np.float64))
    distinct, counts = tally.values_and_counts()
    assert dict(zip(distinct.tolist(), counts.tolist(), strict=True)) == Counter(values)


def test_values_that_share_a_slot_are_kept_apart() -> None:
    """Thousands of neighbours, far more than slots to begin with, come out one by one."""
    values = np.nextafter(1.0, 2.0) + np.arange(5000) * np.spacing(1.0)
    tally = Tally()
    tally.add(np.concatenate([values, values[::-1]]))
    distinct, counts = tally.values_and_counts()
    assert distinct.tolist() == values.tolist()
    assert set(counts.tolist()) == {2}


def test_the_mark_of_an_empty_slot_is_no_number() -> None:
    """No value that a tally takes has the bits that stand for an empty slot."""
    assert np.isnan(np.array([EMPTY], dtype=np.int64).view(np.float64)[0])


def test_a_look_tells_infinite_values_and_equal_ones() -> None:
    """A block of one value is counted at once, one with an infinity refused."""
    assert look_over(np.array([2.0, 2.0]), ONCE_EACH) == (True, True)
    assert look_over(np.array([2.0, 2.5]), ONCE_EACH)[0]
    assert not look_over(np.array([2.0, 2.5]), ONCE_EACH)[1]
    assert not look_over(np.array([2.0, np.inf]), ONCE_EACH)[0]
