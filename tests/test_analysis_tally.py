"""The tally, against Python's ``Counter`` and ``statistics`` on the values spelled out."""

import json
import math
import os
import pickle
import random
import statistics
import subprocess
import sys
import tracemalloc
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from vecdecay.analysis.exact import Summary
from vecdecay.analysis.tally import DEFAULT_MAX_DISTINCT, Tally
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


def tally_of(batch: Batch, max_distinct: int = DEFAULT_MAX_DISTINCT) -> Tally:
    """Return a tally to which the whole batch was added at once."""
    tally = Tally(max_distinct)
    tally.add(*arrays(batch))
    return tally


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
    """Added at once, batch by batch, value by value or merged in any order: the same tally, equal to Python's."""
    together = [value for batch in drawn for value in batch]
    at_once = tally_of(together, max_distinct)
    by_batch = Tally(max_distinct)
    for batch in drawn:
        by_batch.add(*arrays(batch, hidden=math.inf))
    shuffled = list(together)
    generator.shuffle(shuffled)
    by_value = Tally(max_distinct)
    for value in shuffled:
        by_value.add(*arrays([value]))
    parts = [tally_of(batch, max_distinct) for batch in drawn]
    generator.shuffle(parts)
    merged = Tally(max_distinct)
    for part in parts:
        merged.merge(part)
    assert at_once.summary() == expected_summary(together)
    texts = {json.dumps(tally.to_json()) for tally in (at_once, by_batch, by_value, merged)}
    assert len(texts) == 1
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
    tally = Tally()
    for part in np.array_split(drawn, 7):
        tally.add(part)
    expected_values, expected_counts = np.unique(drawn + 0.0, return_counts=True)
    found_values, found_counts = tally.values_and_counts()
    assert found_values.tolist() == expected_values.tolist()
    assert found_counts.tolist() == expected_counts.tolist()


def test_folding_changes_no_bit_of_the_summary() -> None:
    """Past the default limit only the distribution is lost; at the limit it is still there."""
    values = np.random.default_rng(3).normal(size=DEFAULT_MAX_DISTINCT + 1)
    tally = Tally()
    tally.add(values[:-1])
    assert tally.summary() == expected_summary(values[:-1].tolist())
    tally.add(values[-1:])
    with pytest.raises(VecdecayError, match="more than 131072 distinct values"):
        tally.values_and_counts()
    assert tally.summary() == expected_summary(values.tolist())
    assert tally.totals().mean() == tally.summary().mean
    tally.add(values[:10])
    assert tally.summary() == expected_summary(values.tolist() + values[:10].tolist())


def test_memory_is_bounded() -> None:
    """A metric with a new value in every session keeps 32 bytes of each while it may, then 100 kB."""
    generator = np.random.default_rng(4)
    limit = 2**13
    values = generator.random(limit)
    Tally(1).add(values)  # everything is compiled now
    tracemalloc.start()
    try:
        tally = Tally(limit)
        tally.add(values)
        kept, peak = tracemalloc.get_traced_memory()
        assert kept < 33 * limit
        assert peak < 45 * limit
        tally.add(np.array([2.0]))
        for _ in range(20):
            tally.add(generator.random(1000))
            tally.summary()
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert tally.count == limit + 20_001
    assert kept < 110_000


@pytest.mark.parametrize("max_distinct", [1, 2, 15, 16, 17, 64, 65, 1000])
def test_the_distribution_is_kept_up_to_the_limit(max_distinct: int) -> None:
    """Exactly ``max_distinct`` values are kept, and one more ends it."""
    tally = Tally(max_distinct)
    tally.add(np.arange(max_distinct) / 8)
    assert tally.values_and_counts()[0].tolist() == (np.arange(max_distinct) / 8).tolist()
    tally.add(np.arange(max_distinct) / 8)
    assert tally.values_and_counts()[1].tolist() == [2] * max_distinct
    tally.add(np.array([-1.0]))
    with pytest.raises(VecdecayError, match=f"more than {max_distinct} distinct"):
        tally.values_and_counts()


@pytest.mark.parametrize("max_distinct", [10, DEFAULT_MAX_DISTINCT])
@pytest.mark.parametrize("wrong", [math.nan, -math.nan, math.inf, -math.inf])
def test_values_that_are_not_finite_are_refused_whole(wrong: float, max_distinct: int) -> None:
    """NaN and infinities anywhere in a block are named, and nothing of the block is counted."""
    tally = Tally(max_distinct)
    tally.add(np.arange(20.0))
    before = tally.to_json()
    for place in (0, 7, 15):
        values = np.arange(16.0)
        values[place] = wrong
        for valid in (None, np.arange(16) != (place + 1) % 16):
            with pytest.raises(InvalidInputError, match=r"values contain -?(nan|inf)"):
                tally.add(values, valid)
        with pytest.raises(InvalidInputError, match=r"values contain -?(nan|inf)"):
            tally.add_counted(values, np.arange(16))
        assert tally.to_json() == before
        tally.add(values, np.zeros(16, dtype=np.bool_))  # nobody sees it under a null
        before["null_count"] += 16
        assert tally.to_json() == before


def test_any_layout_of_memory_is_accepted() -> None:
    """Read-only and strided arrays give what plain ones give, and no array is changed."""
    values, valid = np.arange(20) / 4, np.arange(20) % 3 > 0
    expected, strided, read_only = Tally(), Tally(), Tally()
    expected.add(values[::2].copy(), valid[::2].copy())
    strided.add(values[::2], valid[::2])
    frozen, frozen_valid = values[::2].copy(), valid[::2].copy()
    frozen.flags.writeable = frozen_valid.flags.writeable = False
    read_only.add(frozen, frozen_valid)
    assert expected.count == 6
    assert strided == read_only == expected
    assert values.tolist() == (np.arange(20) / 4).tolist()


@pytest.mark.parametrize(
    ("values", "valid", "message"),
    [
        ([0.5], None, "values is list"), (np.array([1]), None, "values is int64"),
        (np.array([1.0], np.float32), None, "values is float32"), (np.array([[1.0]]), None, r"float64 \(1, 1\)"),
        (np.zeros(1), np.array([1]), "valid is int64"), (np.zeros(1), np.array([True] * 2), r"shape \(2,\)"),
    ],
)  # fmt: skip
def test_wrong_arrays_are_refused(values: Any, valid: Any, message: str) -> None:
    """Types that would be rounded and shapes that do not match are named."""
    tally = Tally()
    with pytest.raises(InvalidInputError, match=message):
        tally.add(values, valid)
    assert tally.count == tally.null_count == 0


@pytest.mark.parametrize("max_distinct", [0, -1, 2**24 + 1, 1.0, True, None])
def test_max_distinct_out_of_range_is_refused(max_distinct: Any) -> None:
    """The bound on memory is a whole number in a stated range."""
    with pytest.raises(InvalidInputError, match="max_distinct is"):
        Tally(max_distinct)


def test_counted_values_are_added_like_spelled_out_ones() -> None:
    """``add_counted`` adds each value as often as told, also 0 times, before and after folding."""
    values, counts = [0.5, -0.0, 0.0, 3.25, 9.0], [4, 2, 1, 3, 0]
    spelled_out: Batch = [value for value, count in zip(values, counts, strict=True) for _ in range(count)]
    for max_distinct in (2, 3, 100):
        tally = Tally(max_distinct)
        tally.add_counted(values, counts)
        tally.add_counted(values, counts)
        tally.add_counted([], [])
        assert tally == tally_of(spelled_out * 2, max_distinct)
        assert tally.summary() == expected_summary(spelled_out * 2)
    tally.add_nulls(5)
    assert tally.summary().null_count == 5
    with pytest.raises(InvalidInputError, match="null_count is -1"):
        tally.add_nulls(-1)


@pytest.mark.parametrize("max_distinct", [2, 100])
def test_a_tally_merged_with_itself_is_doubled(max_distinct: int) -> None:
    """Merging leaves the other tally as it is, and works even with the tally itself."""
    batch: Batch = [0.5, 0.25, 7.0, None]
    tally = tally_of(batch, max_distinct)
    other = tally_of(batch, max_distinct)
    tally.merge(tally)
    assert tally == tally_of(batch * 2, max_distinct)
    tally.merge(other)
    assert tally == tally_of(batch * 3, max_distinct)
    assert other == tally_of(batch, max_distinct)
    assert tally != other
    assert other != "a tally"


def test_tallies_of_different_bounds_do_not_merge() -> None:
    """Otherwise the order of merging would decide whether the distribution is kept."""
    tally = Tally(10)
    with pytest.raises(InvalidInputError, match="max_distinct 10 and 20"):
        tally.merge(Tally(20))


def test_counts_stay_below_the_largest_integer() -> None:
    """Counts that int64 cannot hold are refused before anything is added, by every way in."""
    tally = Tally()
    tally.add_counted([0.5, 1.0], [2**62, 2**62 - 1])
    assert tally.summary().mean == pytest.approx(0.75, rel=1e-15)
    before = tally.to_json()
    for call in (
        lambda: tally.add(np.array([0.5])),
        lambda: tally.add_counted([0.5], [1]),
        lambda: tally.merge(tally_of([0.5])),
    ):
        with pytest.raises(InvalidInputError, match="more than 9223372036854775807 values"):
            call()
        assert tally.to_json() == before


@pytest.mark.parametrize("max_distinct", [2, 100])
@pytest.mark.parametrize("batch", [[], [None], [0.5], [0.1, 0.1, None], [0.1, 1e150, -SMALLEST, -0.0, 3.0]])
def test_json_and_pickle_keep_everything(batch: Batch, max_distinct: int) -> None:
    """A tally read back is the same tally and goes on counting."""
    tally = tally_of(batch, max_distinct)
    through_text = Tally.from_json(json.loads(json.dumps(tally.to_json(), allow_nan=False)))
    through_pickle = pickle.loads(pickle.dumps(tally))
    for again in (through_text, through_pickle):
        assert again == tally
        assert again.summary() == tally.summary()
        assert repr(again) == repr(tally)
        again.add(np.array([2.0, 5.0]))
        assert again == tally_of([*batch, 2.0, 5.0], max_distinct)


@pytest.mark.parametrize(
    ("max_distinct", "change"),
    [
        (100, {"values": ["0x1.0p+0"]}), (100, {"values": ["nan", "0x1.0000000000000p+1"]}),
        (100, {"values": ["0x1.0000000000000p+1", "0x1.0000000000000p-1"]}), (100, {"counts": [1, -1]}),
        (100, {"counts": [1, 0]}), (100, {"counts": [1, 1.5]}), (100, {"counts": [1, 2**70]}),
        (100, {"null_count": -1}), (100, {"null_count": 0.5}), (100, {"max_distinct": 1}), (100, {"more": 1}),
        (1, {"minimum": "0x1.8p+0"}), (1, {"maximum": "inf"}), (1, {"minimum": 0.5}), (1, {"totals": {}}),
        (1, {"max_distinct": 5}),
    ],
)  # fmt: skip
def test_damaged_json_is_refused(max_distinct: int, change: dict[str, Any]) -> None:
    """What ``to_json`` cannot have written is refused with one line, not turned into a result."""
    content = tally_of([0.5, 2.0], max_distinct).to_json()
    assert Tally.from_json(content).count == 2
    with pytest.raises(InvalidInputError, match="not a tally"):
        Tally.from_json(content | change)
    for key in content:
        with pytest.raises(InvalidInputError, match="not a tally"):
            Tally.from_json({name: entry for name, entry in content.items() if name != key})


def test_damaged_totals_are_refused() -> None:
    """A total moved out of the range of the values does not become a mean."""
    content = tally_of([0.5, 2.0, 3.0], 1).to_json()
    totals = content["totals"]
    for change in ({"total": "0xff"}, {"count": 1}, {"count": 2**64}, {"total_of_squares": "0x1"}, {"scale": 9}):
        with pytest.raises(InvalidInputError, match="not a tally"):
            Tally.from_json(content | {"totals": totals | change})


@pytest.mark.parametrize("max_distinct", [50, DEFAULT_MAX_DISTINCT])
def test_threads_do_not_change_the_result(max_distinct: int) -> None:
    """Tallies filled by 1, 2 or 4 threads, of blocks of any size, merge into one and the same."""
    generator = np.random.default_rng(5)
    values = generator.integers(0, 200, 40_000) / 150
    valid = generator.random(40_000) < 0.9

    def play(first: int, size: int) -> Tally:
        tally = Tally(max_distinct)
        tally.add(values[first : first + size], valid[first : first + size])
        return tally

    texts = set()
    for threads, size in ((1, 40_000), (2, 4096), (4, 777)):
        with ThreadPoolExecutor(threads) as pool:
            parts = list(pool.map(lambda first, size=size: play(first, size), range(0, 40_000, size)))
        merged = Tally(max_distinct)
        for part in reversed(parts):
            merged.merge(part)
        texts.add(json.dumps(merged.to_json()))
    assert len(texts) == 1
    assert merged.summary() == expected_summary(
        [value if there else None for value, there in zip(values.tolist(), valid.tolist(), strict=True)]
    )


def test_a_constant_column_is_flagged() -> None:
    """Zero variance over at least two sessions is flagged; one session is no evidence of it."""
    assert Tally().summary().constant is False
    assert tally_of([1.0]).summary().constant is False
    assert tally_of([1.0, 1.0, None]).summary() == Summary(2, 1, 1.0, 0.0, 1.0, 1.0, True)
    assert tally_of([0.0, -0.0]).summary().constant is True
    assert tally_of([1.0, math.nextafter(1.0, 2.0)]).summary().constant is False


def test_plain_python_counts_the_same() -> None:
    """Without the compiler, and with every warning an error, kernels compute the same text."""
    program = (
        "import json, numpy as np; from vecdecay.analysis.tally import Tally\n"
        "values = np.random.default_rng(6).integers(-90, 90, 700) / 7\n"
        "for bound in (20, 1000):\n"
        "    tally = Tally(bound)\n"
        "    for part in np.array_split(values, 3): tally.add(part, part != 1.0)\n"
        "    tally.merge(tally); tally.add_counted([1e300, 5e-324], [2, 10**9])\n"
        "    print(json.dumps(tally.to_json()), tally.summary())\n"
    )
    outputs = []
    for disabled in ("0", "1"):
        environment = os.environ | {"NUMBA_DISABLE_JIT": disabled, "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-W", "error", "-c", program]
        outputs.append(subprocess.check_output(command, env=environment, text=True))
    assert outputs[0] == outputs[1]
    assert outputs[0].count("Summary(count=") == 2


@pytest.mark.thorough
def test_large_tallies_equal_statistics() -> None:
    """A million values of each kind, from constant to all distinct, give what ``statistics`` gives."""
    generator = np.random.default_rng(7)
    for distinct in (1, 2, 10, 1000, 100_000, 10**9):
        values = generator.integers(0, distinct, 10**6) / 997.0
        merged = Tally()
        for part in np.array_split(values, 37):
            tally = Tally()
            tally.add(part)
            merged.merge(tally)
        assert merged.summary() == expected_summary(values.tolist())
