"""Arrays that a thread uses again: the same one for the same name, never one for two threads."""

import threading

import numpy as np

from vecdecay.engines.scratch import fresh, scratch


def test_a_thread_gets_its_array_back() -> None:
    """The second block finds the memory of the first, and a smaller one a part of it."""
    first = scratch("test_again", 100, np.int64)
    first[:] = 7
    again = scratch("test_again", 50, np.int64)
    assert again.size == 50
    assert np.shares_memory(first, again)
    assert again.tolist() == [7] * 50


def test_a_larger_or_another_array_is_made_where_needed() -> None:
    """No block reads or writes past the end of what an earlier one needed, nor numbers of another kind."""
    small = scratch("test_growth", 10, np.int32)
    large = scratch("test_growth", 1000, np.int32)
    other = scratch("test_growth", 10, np.float64)
    assert (large.size, other.dtype) == (1000, np.float64)
    assert not np.shares_memory(small, large)
    assert not np.shares_memory(large, other)


def test_names_and_threads_do_not_share() -> None:
    """Two arrays of one block are two arrays, and so are those of two threads."""
    mine = scratch("test_name", 10, np.int64)
    theirs: list[np.ndarray] = []
    thread = threading.Thread(target=lambda: theirs.append(scratch("test_name", 10, np.int64)))
    thread.start()
    thread.join()
    assert not np.shares_memory(mine, theirs[0])
    assert not np.shares_memory(mine, scratch("test_other_name", 10, np.int64))


def test_fresh_arrays_are_nobody_elses() -> None:
    """What outlives a block is not overwritten by the next."""
    one, other = fresh("test_fresh", 10, np.int64), fresh("test_fresh", 10, np.int64)
    assert (one.size, one.dtype) == (10, np.int64)
    assert not np.shares_memory(one, other)
