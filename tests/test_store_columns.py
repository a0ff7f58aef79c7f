"""Tests of vecdecay.store.columns: seeds of any size, as integers or as text."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from vecdecay.store.columns import longest_seed_text, seed_array, seeds_fit_64_bits

FITTING = [[], [0, -1], [2**63 - 1, -(2**63)], range(10), range(2**63 - 1, -(2**63) - 1, -(2**62)), np.array([1, 2])]
WIDE = [
    [2**63],
    [0, -(2**63) - 1],
    range(2**63, 2**63 + 2),
    range(0, 2**64, 2**62),
    np.array([2**63], dtype=np.uint64),
    [10**100],
]


@pytest.mark.parametrize("seeds", FITTING, ids=repr)
def test_seeds_that_fit_are_integers(seeds: Any) -> None:
    """Seeds within 64 bits are stored as they are, whatever holds them."""
    assert seeds_fit_64_bits(seeds)
    found = seed_array(seeds, pa.int64())
    assert found.type == pa.int64()
    assert found.to_pylist() == [int(seed) for seed in seeds]


@pytest.mark.parametrize("seeds", WIDE, ids=repr)
def test_seeds_that_do_not_fit_are_text(seeds: Any) -> None:
    """One seed beyond 64 bits turns the column into text, in decimal."""
    assert not seeds_fit_64_bits(seeds)
    assert seed_array(seeds, pa.string()).to_pylist() == [str(int(seed)) for seed in seeds]


def test_seeds_of_any_size_are_text() -> None:
    """To the last digit, where ``str`` gives up: 10**n + 7 is 1, zeros and 7."""
    for digits in (19, 4300, 4301, 5000, 50_000):
        seed = 10**digits + 7
        text = "1" + "0" * (digits - 1) + "7"
        assert seed_array([seed, -seed, 0], pa.string()).to_pylist() == [text, f"-{text}", "0"]


@pytest.mark.parametrize("seeds", [*FITTING, *WIDE, [10**5000, 1], [-(10**99) + 1], range(9, -(10**30), -(10**29))])
def test_no_seed_is_longer_than_the_longest(seeds: Any) -> None:
    """The bound holds the longest text, with at most three characters to spare; there is none where all fit."""
    bound = longest_seed_text(seeds)
    if seeds_fit_64_bits(seeds):
        assert bound == 0
    else:
        longest = max(map(len, seed_array(seeds, pa.string()).to_pylist()))
        assert longest <= bound <= longest + 3
