"""Histograms, against Python's ``Counter`` and ``statistics`` on the values spelled out."""

import copy
import math
import os
import random
import statistics
import subprocess
import sys
import tracemalloc
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from vecdecay.analysis.histogram import DEFAULT_MAX_DISTINCT, Histogram
from vecdecay.analysis.histogram_kernel import EMPTY
from vecdecay.analysis.moments import Summary
from vecdecay.errors import InvalidInputError, VecdecayError

Batch = list[float | None]

SMALLEST = math.nextafter(0.0, 1.0)
POOL = [0.0, -0.0, 1.0, 0.25, 0.1, -7.5, 1e150, -1e-150, SMALLEST, 1 / 3, math.nextafter(1.0, 2.0)]
batches = st.lists(
    st.lists(st.none() | st.sampled_from(POOL) | st.integers(0, 40).map(lambda number: number / 12), max_size=40),
    max_size=6,
)


def arrays(batch: Batch, hidden: float = math.nan) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return values and validity; under a null lies ``hidden``, which nobody may look at."""
    values = np.array([hidden if value is None else value for value in batch], dtype=np.float64)
    return values, np.array([value is not None for value in batch], dtype=np.bool_)


def histogram_of(batch: Batch, max_distinct: int = DEFAULT_MAX_DISTINCT) -> Histogram:
    """Return a histogram to which the whole batch was added at once."""
    histogram = Histogram(max_distinct)
    histogram.add(*arrays(batch))
    return histogram


def expected_summary(batch: Batch) -> Summary:
    """Return what ``statistics`` says of the batch."""
    values = [value for value in batch if value is not None]
    nulls = len(batch) - len(values)
    if not values:
        return Summary(0, nulls, None, None, None, None, False)
    deviation = statistics.stdev(values) if len(values) > 1 else None
    constant = len(values) > 1 and len(set(values)) == 1
    mean = statistics.mean(values)
    return Summary(len(values), nulls, mean, deviation, min(values), max(values), constant)


@settings(deadline=None, max_examples=300)
@given(batches, st.sampled_from([1, 2, 5, 20, DEFAULT_MAX_DISTINCT]), st.randoms(use_true_random=False))
def test_summary_equals_statistics_however_it_was_gathered(
    drawn: list[Batch], max_distinct: int, generator: random.Random
) -> None:
    """Added at once, batch by batch, value by value or merged in any order: the same histogram, equal to Python's."""
    together = [value for batch in drawn for value in batch]
    at_once = histogram_of(together, max_distinct)
    by_batch = Histogram(max_distinct)
    for batch in drawn:
        by_batch.add(*arrays(batch, hidden=math.inf))
    shuffled = list(together)
    generator.shuffle(shuffled)
    by_value = Histogram(max_distinct)
    for value in shuffled:
        by_value.add(*arrays([value]))
    parts = [histogram_of(batch, max_distinct) for batch in drawn]
    generator.shuffle(parts)
    merged = Histogram(max_distinct)
    for part in parts:
        merged.merge(part)
    assert at_once.summary() == expected_summary(together)
    assert at_once == by_batch == by_value == merged
    assert at_once.summary() == by_batch.summary() == by_value.summary() == merged.summary()

    present = Counter(value + 0.0 for value in together if value is not None)
    if len(present) > max_distinct:
        with pytest.raises(VecdecayError, match="distribution was not kept"):
            merged.values_and_counts()
    else:
        values, counts = merged.values_and_counts()
        assert values.tolist() == sorted(present)
        assert counts.tolist() == [present[value] for value in sorted(present)]
        assert not np.signbit(values[values == 0.0]).any()


@pytest.mark.parametrize(
    "values",
    [
        np.arange(5000) / 1000,
        np.arange(-2500.0, 2500.0),
        1.0 + np.arange(5000) * 2.0**-52,
        2.0 ** np.arange(-1000.0, 1000.0),
        -np.arange(5000) * SMALLEST,
        np.random.default_rng(1).normal(size=5000),
    ],
    ids=["thousandths", "integers", "neighbours", "powers", "subnormals", "normal"],
)
def test_histogram_of_many_values(values: NDArray[np.float64]) -> None:
    """Thousands of values, however alike their bits are, are told apart and counted, through every growth."""
    generator = np.random.default_rng(2)
    drawn = generator.choice(values, size=30_000)
    histogram = Histogram()
    for part in np.array_split(drawn, 7):
        histogram.add(part)
    expected_values, expected_counts = np.unique(drawn + 0.0, return_counts=True)
    found_values, found_counts = histogram.values_and_counts()
    assert found_values.tolist() == expected_values.tolist()
    assert found_counts.tolist() == expected_counts.tolist()


def test_folding_changes_no_bit_of_the_summary() -> None:
    """Past the default limit only the distribution is lost; at the limit it is still there."""
    values = np.random.default_rng(3).normal(size=DEFAULT_MAX_DISTINCT + 1)
    histogram = Histogram()
    histogram.add(values[:-1])
    assert histogram.summary() == expected_summary(values[:-1].tolist())
    histogram.add(values[-1:])
    with pytest.raises(VecdecayError, match="more than 131072 distinct values"):
        histogram.values_and_counts()
    assert histogram.summary() == expected_summary(values.tolist())
    histogram.add(values[:10])
    assert histogram.summary() == expected_summary(values.tolist() + values[:10].tolist())


def test_memory_is_bounded() -> None:
    """A metric with a new value in every session keeps 32 bytes of each while it may, then less than a kilobyte."""
    generator = np.random.default_rng(4)
    limit = 2**13
    values = generator.random(limit)
    Histogram(1).add(values)  # everything is compiled now
    tracemalloc.start()
    try:
        histogram = Histogram(limit)
        histogram.add(values)
        kept, peak = tracemalloc.get_traced_memory()
        assert kept < 33 * limit
        assert peak < 45 * limit
        histogram.add(np.array([2.0]))
        for _ in range(20):
            histogram.add(generator.random(1000))
            histogram.summary()
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert histogram.num_sessions == limit + 20_001
    assert kept < 2_000


@pytest.mark.parametrize("max_distinct", [1, 2, 15, 16, 17, 64, 65, 1000])
def test_the_distribution_is_kept_up_to_the_limit(max_distinct: int) -> None:
    """Exactly ``max_distinct`` values are kept, and one more ends it."""
    histogram = Histogram(max_distinct)
    histogram.add(np.arange(max_distinct) / 8)
    assert histogram.values_and_counts()[0].tolist() == (np.arange(max_distinct) / 8).tolist()
    histogram.add(np.arange(max_distinct) / 8)
    assert histogram.values_and_counts()[1].tolist() == [2] * max_distinct
    histogram.add(np.array([-1.0]))
    with pytest.raises(VecdecayError, match=f"more than {max_distinct} distinct"):
        histogram.values_and_counts()


@pytest.mark.parametrize("max_distinct", [10, DEFAULT_MAX_DISTINCT])
@pytest.mark.parametrize("wrong", [math.nan, -math.nan, math.inf, -math.inf])
def test_values_that_are_not_finite_are_refused_whole(wrong: float, max_distinct: int) -> None:
    """NaN and infinities anywhere in a block are named, and nothing of the block is counted."""
    histogram = Histogram(max_distinct)
    histogram.add(np.arange(20.0))
    before = copy.deepcopy(histogram)
    for place in (0, 7, 15):
        values = np.arange(16.0)
        values[place] = wrong
        for valid in (None, np.arange(16) != (place + 1) % 16):
            with pytest.raises(InvalidInputError, match=r"values contain -?(nan|inf)"):
                histogram.add(values, valid)
        with pytest.raises(InvalidInputError, match=r"values contain -?(nan|inf)"):
            histogram.add_counted(values, np.arange(16))
        assert histogram == before
        histogram.add(values, np.zeros(16, dtype=np.bool_))  # nobody sees it under a null
        before.add_nulls(16)
        assert histogram == before


def test_any_layout_of_memory_is_accepted() -> None:
    """Read-only and strided arrays give what plain ones give, and no array is changed."""
    values, valid = np.arange(20) / 4, np.arange(20) % 3 > 0
    expected, strided, read_only = Histogram(), Histogram(), Histogram()
    expected.add(values[::2].copy(), valid[::2].copy())
    strided.add(values[::2], valid[::2])
    frozen, frozen_valid = values[::2].copy(), valid[::2].copy()
    frozen.flags.writeable = frozen_valid.flags.writeable = False
    read_only.add(frozen, frozen_valid)
    assert expected.num_sessions - expected.null_count == 6
    assert strided == read_only == expected
    assert values.tolist() == (np.arange(20) / 4).tolist()


def test_counted_values_are_added_like_spelled_out_ones() -> None:
    """``add_counted`` adds each value as often as told, also 0 times, before and after folding."""
    values, counts = [0.5, -0.0, 0.0, 3.25, 9.0], [4, 2, 1, 3, 0]
    spelled_out: Batch = [value for value, count in zip(values, counts, strict=True) for _ in range(count)]
    for max_distinct in (2, 3, 100):
        histogram = Histogram(max_distinct)
        histogram.add_counted(np.array(values), np.array(counts))
        histogram.add_counted(np.array(values), np.array(counts))
        histogram.add_counted(np.zeros(0), np.zeros(0, dtype=np.int64))
        assert histogram == histogram_of(spelled_out * 2, max_distinct)
        assert histogram.summary() == expected_summary(spelled_out * 2)
    histogram.add_nulls(5)
    assert histogram.summary().null_count == 5
    assert histogram.num_sessions == len(spelled_out) * 2 + 5


@pytest.mark.parametrize("max_distinct", [2, 100])
def test_a_histogram_merged_with_itself_is_doubled(max_distinct: int) -> None:
    """Merging leaves the other histogram as it is, and works even with the histogram itself."""
    batch: Batch = [0.5, 0.25, 7.0, None]
    histogram = histogram_of(batch, max_distinct)
    other = histogram_of(batch, max_distinct)
    histogram.merge(histogram)
    assert histogram == histogram_of(batch * 2, max_distinct)
    histogram.merge(other)
    assert histogram == histogram_of(batch * 3, max_distinct)
    assert other == histogram_of(batch, max_distinct)
    assert histogram != other
    assert other != "a histogram"


@pytest.mark.parametrize("max_distinct", [50, DEFAULT_MAX_DISTINCT])
def test_threads_do_not_change_the_result(max_distinct: int) -> None:
    """Histograms filled by 1, 2 or 4 threads, of blocks of any size, merge into one and the same."""
    generator = np.random.default_rng(5)
    values = generator.integers(0, 200, 40_000) / 150
    valid = generator.random(40_000) < 0.9

    def play(first: int, size: int) -> Histogram:
        histogram = Histogram(max_distinct)
        histogram.add(values[first : first + size], valid[first : first + size])
        return histogram

    expected = histogram_of(
        [value if there else None for value, there in zip(values.tolist(), valid.tolist(), strict=True)], max_distinct
    )
    for threads, size in ((1, 40_000), (2, 4096), (4, 777)):
        with ThreadPoolExecutor(threads) as pool:
            parts = list(pool.map(lambda first, size=size: play(first, size), range(0, 40_000, size)))
        merged = Histogram(max_distinct)
        for part in reversed(parts):
            merged.merge(part)
        assert merged == expected


@pytest.mark.parametrize("values", [[0.0, -0.0, -0.0], [-0.0, 0.0, 0.0], [-0.0] * 3])
def test_minus_zero_is_zero(values: list[float]) -> None:
    """It is counted with 0.0, whichever comes first, and given back as 0.0."""
    histogram = Histogram()
    histogram.add(np.array(values))
    distinct, counts = histogram.values_and_counts()
    assert (distinct.tolist(), counts.tolist()) == ([0.0], [3])
    assert not np.signbit(distinct).any()


def test_values_that_share_a_slot_are_kept_apart() -> None:
    """Thousands of neighbours, far more than slots to begin with, come out one by one."""
    values = np.nextafter(1.0, 2.0) + np.arange(5000) * np.spacing(1.0)
    histogram = Histogram()
    histogram.add(np.concatenate([values, values[::-1]]))
    distinct, counts = histogram.values_and_counts()
    assert distinct.tolist() == values.tolist()
    assert set(counts.tolist()) == {2}


def test_the_mark_of_an_empty_slot_is_no_number() -> None:
    """No value that a histogram takes has the bits that stand for an empty slot."""
    assert np.isnan(np.array([EMPTY], dtype=np.int64).view(np.float64)[0])


@pytest.mark.parametrize("change", ["null", "value", "count", "folded"])
def test_equal_histograms_are_equal_in_everything(change: str) -> None:
    """Values, counts, nulls, and moments where the values are not kept; however they were gathered."""
    first, second = Histogram(3), Histogram(3, np.array([0.5, 2.0]), np.array([2, 1]), 1)
    first.add(np.array([0.5, 0.5, 2.0, 7.0]), np.array([True, True, True, False]))
    assert first == second
    if change == "null":
        second.add_nulls(1)
    elif change == "folded":
        for histogram in (first, second):
            histogram.add(np.array([8.0, 9.0]))
            assert histogram.moments is not None
        assert first == second
        second.add(np.array([9.0]))
    else:
        second = Histogram(
            3, np.array([0.5, 2.5 if change == "value" else 2.0]), np.array([2, 1 + (change == "count")]), 1
        )
    assert first != second
    assert first != "a histogram"


def test_a_constant_column_is_flagged() -> None:
    """Zero variance over at least two sessions is flagged; one session is no evidence of it."""
    assert Histogram().summary().constant is False
    assert histogram_of([1.0]).summary().constant is False
    assert histogram_of([1.0, 1.0, None]).summary() == Summary(2, 1, 1.0, 0.0, 1.0, 1.0, True)
    assert histogram_of([0.0, -0.0]).summary().constant is True
    assert histogram_of([1.0, math.nextafter(1.0, 2.0)]).summary().constant is False


def test_plain_python_counts_the_same() -> None:
    """Without the compiler, and with every warning an error, kernels compute the same."""
    program = (
        "import numpy as np; from vecdecay.analysis.histogram import Histogram\n"
        "values = np.random.default_rng(6).integers(-90, 90, 700) / 7\n"
        "for bound in (20, 1000):\n"
        "    histogram = Histogram(bound)\n"
        "    for part in np.array_split(values, 3): histogram.add(part, part != 1.0)\n"
        "    histogram.merge(histogram); histogram.add_counted(np.array([1e300, 5e-324]), np.array([2, 10**9]))\n"
        "    print(histogram.moments or histogram.values_and_counts(), histogram.summary())\n"
    )
    outputs = []
    for disabled in ("0", "1"):
        environment = os.environ | {"NUMBA_DISABLE_JIT": disabled, "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-W", "error", "-c", program]
        outputs.append(subprocess.check_output(command, env=environment, text=True))
    assert outputs[0] == outputs[1]
    assert outputs[0].count("Summary(count=") == 2


@pytest.mark.thorough
def test_large_histograms_equal_statistics() -> None:
    """A million values of each kind, from constant to all distinct, give what ``statistics`` gives."""
    generator = np.random.default_rng(7)
    for distinct in (1, 2, 10, 1000, 100_000, 10**9):
        values = generator.integers(0, distinct, 10**6) / 997.0
        merged = Histogram()
        for part in np.array_split(values, 37):
            histogram = Histogram()
            histogram.add(part)
            merged.merge(histogram)
        assert merged.summary() == expected_summary(values.tolist())
