"""Tests of vecdecay.sessions.mersenne: CPython's generator and NumPy's are independent definitions."""

import os
import random
import subprocess
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from effort import PATIENCE
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from vecdecay.errors import InvalidInputError
from vecdecay.sessions.mersenne import LANES, fill_random, new_lanes_state, random_streams, seed_key_words

COMPILED = hasattr(fill_random, "py_func")
# Without the JIT one seed takes about 3 ms, so that run looks at fewer of them.
MANY_SEEDS = 20_000 if COMPILED else 60

EDGE_SEEDS = [
    0, 1, -1, 5, -5, 2**31 - 1, 2**31, -(2**31), 2**32 - 1, 2**32, 2**32 + 1, -(2**32), 2**33, 2**53,
    2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 2**64 - 1, 2**64, 2**64 + 1, -(2**64) - 1, 2**96, 2**200 - 3,
    10**100, -(10**100),
    (1 << 32 * 622) + 7, (1 << 32 * 623) + 7, (1 << 32 * 624) - 1, 1 << 32 * 624, (1 << 32 * 625) - 5,
    (1 << 32 * 699) + 12345, -(1 << 32 * 1300) - 99,
]  # fmt: skip
DRAW_COUNTS = [0, 1, 2, 12, 113, 114, 311, 312, 313, 700, 1500]


def cpython_streams(seeds: Iterable[int], num_draws: int) -> list[list[float]]:
    """Return what CPython draws: the definition, one generator per seed."""
    streams = []
    for seed in seeds:
        generator = random.Random(seed)
        streams.append([generator.random() for _ in range(num_draws)])
    return streams


def numpy_stream(key: Sequence[int], num_draws: int) -> list[float]:
    """Return what NumPy's legacy generator draws from a key: MT19937 written by other hands."""
    stream: list[float] = np.random.RandomState(list(key)).random_sample(num_draws).tolist()
    return stream


def key_of(seed: int) -> list[int]:
    """Return the key words of a seed, by repeated division."""
    rest, key = abs(seed), []
    while rest:
        rest, word = divmod(rest, 2**32)
        key.append(word)
    return key or [0]


def keys(seeds: Sequence[int] | NDArray[np.integer]) -> list[list[int]]:
    """Return the keys that the module under test finds, one list per seed."""
    words, start = seed_key_words(seeds)
    assert words.dtype == np.uint32
    assert start.dtype == np.int64
    assert start[0] == 0
    assert start[-1] == len(words)
    return [words[a:b].tolist() for a, b in pairwise(start.tolist())]


@pytest.mark.parametrize("num_draws", DRAW_COUNTS if COMPILED else [0, 1, 12])
def test_edge_seeds_equal_cpython(num_draws: int) -> None:
    """Every edge of sign, word count and twist generation gives CPython's stream, to the bit."""
    streams = random_streams(EDGE_SEEDS, num_draws)
    assert streams.shape == (len(EDGE_SEEDS), num_draws)
    assert streams.tolist() == cpython_streams(EDGE_SEEDS, num_draws)


def test_many_consecutive_seeds_equal_cpython() -> None:
    """The seeds of an ordinary sweep, 0, 1, 2, …, give CPython's streams."""
    assert random_streams(range(MANY_SEEDS), 12).tolist() == cpython_streams(range(MANY_SEEDS), 12)


@pytest.mark.parametrize("bits", [32, 33, 64, 160])
def test_scattered_seeds_equal_cpython(bits: int) -> None:
    """Seeds spread over 32, 33 (one and two words mixed), 64 and 160 bits give CPython's streams."""
    chooser = random.Random(bits)
    seeds = [chooser.getrandbits(bits) for _ in range(MANY_SEEDS // 10)]
    assert random_streams(seeds, 12).tolist() == cpython_streams(seeds, 12)


@pytest.mark.parametrize("num_words", [1, 2, 3, 300, 623, 624, 625, 700])
def test_keys_equal_numpy(num_words: int) -> None:
    """A group of keys of one length gives NumPy's stream for the list of its words, in every length class."""
    chooser = random.Random(num_words)
    seeds = [chooser.getrandbits(32 * num_words) | 1 << (32 * num_words - 1) for _ in range(5)]
    assert {len(key_of(seed)) for seed in seeds} == {num_words}
    num_draws = 400 if COMPILED else 3
    streams = random_streams(seeds, num_draws)
    assert streams.tolist() == [numpy_stream(key_of(seed), num_draws) for seed in seeds]


@settings(deadline=None, max_examples=200 if COMPILED else 5)
@given(
    seeds=st.lists(st.integers() | st.integers(-(2**70), 2**70) | st.integers(-3, 3), max_size=6),
    num_draws=st.integers(0, 700 if COMPILED else 3),
)
def test_any_integers_equal_cpython(seeds: list[int], num_draws: int) -> None:
    """Any integers in any mixture give CPython's streams, whatever the number of draws."""
    assert random_streams(seeds, num_draws).tolist() == cpython_streams(seeds, num_draws)


@settings(deadline=None)
@given(st.lists(st.integers() | st.integers(-(2**2000), 2**2000)))
def test_key_words_equal_their_definition(seeds: list[int]) -> None:
    """The key is the absolute value in 32-bit words, lowest first, without leading zeros."""
    assert keys(seeds) == [key_of(seed) for seed in seeds]


@pytest.mark.parametrize(
    "seeds",
    [
        range(0), range(7, 7), range(5), range(5, -6, -3), range(-3, 3),
        range(2**32 - 2, 2**32 + 2), range(-(2**32) - 2, -(2**32) + 2),
        range(2**63 - 2, 2**63), range(2**63 - 2, 2**63 + 2), range(2**64 - 2, 2**64),
        range(2**64 - 2, 2**64 + 2), range(-(2**63), -(2**63) + 2), range(-(2**63) - 1, -(2**63) + 2),
        range(-1, 2**63, 2**62), range(-1, 2**63 + 1, 2**63), range(-1, 2**63 + 6, 2**63 + 6),
        range(2**64 - 1, -1, -(2**61)),
        range(2**100, 2**100 + 3), range(-(2**100), 2**100, 2**99), range(3, 4, 2**200),
    ],
)  # fmt: skip
def test_ranges_have_the_keys_of_their_integers(seeds: range) -> None:
    """The array path of ranges agrees with the definition at every edge of int64 and uint64."""
    assert keys(seeds) == [key_of(seed) for seed in seeds]


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64, object])
def test_arrays_have_the_keys_of_their_integers(dtype: type) -> None:
    """Arrays of every integer type, their smallest and largest value included, have the right keys."""
    if dtype is object:
        values = np.array([-(2**70), 0, 2**64, 9], dtype=object)
    else:
        limits = np.iinfo(dtype)
        values = np.array([limits.min, limits.max, 0, 1, limits.max // 2], dtype=dtype)
    before = values.copy()
    assert keys(values) == [key_of(int(value)) for value in before]
    assert keys(values[::-2]) == [key_of(int(value)) for value in before[::-2]]
    assert values.tolist() == before.tolist()


def test_numpy_integers_in_a_list_are_integers() -> None:
    """A list may hold NumPy integers, as it comes out of indexing an array."""
    seeds: list[Any] = [np.int8(-128), np.uint64(2**64 - 1), 3]
    assert keys(seeds) == [[128], [2**32 - 1, 2**32 - 1], [3]]


@pytest.mark.parametrize(
    ("seeds", "message"),
    [
        ([1, 2.0], "seed 2.0 at position 1 is not an integer"),
        ([True], "seed True at position 0 is not an integer"),
        (["7"], "seed '7' at position 0 is not an integer"),
        ([None], "seed None at position 0 is not an integer"),
        ([10**5000, 0.5], "seed 0.5 at position 1 is not an integer"),
        ([np.ones((2, 1))], r"^seed array\(\[\[1\.\], \[1\.\]\]\) at position 0 is not an integer$"),
        (b"12", "seeds is b'12'; allowed: a range, list or array of integers"),
        (bytearray(b"12"), "seeds is bytearray"),
        (memoryview(b"12"), "seeds is <memory at"),
        ({1, 2}, r"seeds is \{1, 2\}; allowed"),
        ({1: 2}, r"seeds is \{1: 2\}; allowed"),
        (np.array([1.0]), "type float64; allowed: integer types"),
        (np.array([True]), "type bool; allowed: integer types"),
        (np.array([np.nan], dtype=object), "seed nan at position 0 is not an integer"),
        (np.zeros((2, 2), dtype=np.int64), r"shape \(2, 2\); allowed: one dimension"),
        (np.zeros((2, 2), dtype=object), r"shape \(2, 2\); allowed: one dimension"),
        (np.array(3), r"shape \(\); allowed: one dimension"),
    ],
)
def test_what_is_no_integer_is_refused(seeds: Sequence[int], message: str) -> None:
    """Nothing that is not an integer is silently converted to a seed."""
    with pytest.raises(InvalidInputError, match=message):
        seed_key_words(seeds)


def test_every_wrong_seed_is_named() -> None:
    """All mistakes are reported together, but a list of a million of them stays readable."""
    seeds: list[Any] = [0.5, 1, 2.5] + [0.5] * 100
    with pytest.raises(InvalidInputError) as caught:
        seed_key_words(seeds)
    assert caught.value.problems[:2] == (
        "seed 0.5 at position 0 is not an integer",
        "seed 2.5 at position 2 is not an integer",
    )
    assert len(caught.value.problems) == 10


def test_a_negative_number_of_draws_is_refused() -> None:
    """A negative number of draws is a mistake of the caller, not an empty result."""
    with pytest.raises(InvalidInputError, match="num_draws is -1; allowed: 0 or more"):
        random_streams([1], -1)


def mixed_seeds(count: int) -> list[int]:
    """Return seeds in groups of one word, two words, mixed lengths, and with keys of over 624 words."""
    chooser = random.Random(11)
    stretch = count // 4
    seeds = list(range(stretch))
    seeds += [2**40 + n for n in range(stretch)]
    seeds += [chooser.getrandbits(chooser.choice([8, 40, 90, 640])) for _ in range(stretch)]
    return seeds + [chooser.getrandbits(32 * chooser.choice([1, 2, 624, 625, 650])) for _ in range(count - len(seeds))]


@pytest.mark.parametrize("num_lanes", [1, 2, 3, 17, 64, 256, 300])
def test_streams_do_not_depend_on_lanes_calls_or_old_scratch(num_lanes: int) -> None:
    """Splitting the sessions over calls and groups, and what lies in the scratch, change nothing."""
    count, num_draws = (640, 40) if COMPILED else (24, 2)
    seeds = mixed_seeds(count)
    key_words, key_start = seed_key_words(seeds)
    expected = cpython_streams(seeds, num_draws)
    chooser = np.random.default_rng(num_lanes)
    lanes_state = new_lanes_state(num_lanes)
    lanes_state[:] = chooser.integers(0, 2**32, lanes_state.size, dtype=np.uint32)
    first = 0
    while first < count:
        num_sessions = min(int(chooser.integers(1, count // 2)), count - first)
        out = np.full(num_sessions * num_draws + 5, -1.0)
        fill_random(key_words, key_start, first, num_sessions, num_draws, lanes_state, out)
        assert out[:-5].reshape(num_sessions, num_draws).tolist() == expected[first : first + num_sessions]
        assert out[-5:].tolist() == [-1.0] * 5
        first += num_sessions


def test_threads_with_their_own_scratch_agree_with_one_call() -> None:
    """Threads that share the keys and own their scratch and output fill what one call fills."""
    per_call, num_calls, num_draws = (500, 12, 12) if COMPILED else (3, 4, 2)
    seeds = mixed_seeds(per_call * num_calls)
    key_words, key_start = seed_key_words(seeds)
    out = np.full((num_calls, per_call * num_draws), -1.0)

    def play(call: int) -> None:
        fill_random(key_words, key_start, call * per_call, per_call, num_draws, new_lanes_state(), out[call])

    with ThreadPoolExecutor(max_workers=4) as threads:
        list(threads.map(play, range(num_calls)))
    assert out.reshape(len(seeds), num_draws).tolist() == random_streams(seeds, num_draws).tolist()
    assert out.min() >= 0.0


def test_scratch_lies_on_a_cache_line() -> None:
    """Speed depends on it: scratch that straddles cache lines makes the kernel 1.5 times slower."""
    for num_lanes in (1, 3, 16, 100, LANES):
        kept = [new_lanes_state(num_lanes) for _ in range(5)]
        assert {scratch.ctypes.data % 64 for scratch in kept} == {0}
        assert {scratch.shape for scratch in kept} == {(2 * 624 * num_lanes,)}


def test_no_sessions_give_an_empty_table() -> None:
    """No seed at all is a table of no rows, not an error."""
    assert random_streams([], 12).shape == (0, 12)
    assert random_streams(range(0), 0).shape == (0, 0)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"first_session": -1}, "must be 0 or more"),
        ({"num_sessions": -1}, "must be 0 or more"),
        ({"num_draws": -1}, "must be 0 or more"),
        ({"first_session": 2}, "do not hold the keys"),
        ({"num_sessions": 4}, "do not hold the keys"),
        ({"key_words": np.zeros(2, dtype=np.uint32)}, "do not hold the keys"),
        ({"out": np.zeros(5)}, "out must hold"),
        ({"lanes_state": np.zeros(2 * 624 - 1, dtype=np.uint32)}, "at least one lane"),
    ],
)
def test_the_kernel_refuses_what_would_leave_its_arrays(changed: dict[str, Any], message: str) -> None:
    """A wrong count or a short array is an error, never a write outside of an array."""
    key_words, key_start = seed_key_words([1, 2, 3])
    arguments: dict[str, Any] = {
        "key_words": key_words,
        "key_start": key_start,
        "first_session": 0,
        "num_sessions": 2,
        "num_draws": 3,
        "lanes_state": new_lanes_state(2),
        "out": np.zeros(6),
    }
    with pytest.raises(ValueError, match=message):
        fill_random(*(arguments | changed).values())


WITHOUT_JIT = """
import random
from vecdecay.sessions.mersenne import fill_random, random_streams

assert not hasattr(fill_random, "py_func"), "this run is meant to be without the JIT"
for seeds, num_draws in [
    ([0, -7, 2**32 - 1], 12),
    ([2**32, 2**64 - 1], 2),
    ([1, 2**64 + 1, 2**640], 1),
    ([3], 315),
    ([2 ** (32 * 699)], 2),
    ([4], 0),
]:
    for seed, stream in zip(seeds, random_streams(seeds, num_draws).tolist(), strict=True):
        generator = random.Random(seed)
        assert stream == [generator.random() for _ in range(num_draws)], seed
print("equal")
"""


def test_plain_python_gives_the_same_without_a_warning() -> None:
    """The kernel's source, run by Python with warnings as errors, is exact: no overflow is relied on."""
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(Path(__file__).parent.parent)}
    command = [sys.executable, "-W", "error", "-c", WITHOUT_JIT]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (run.stdout, run.stderr, run.returncode) == ("equal\n", "", 0)


@pytest.mark.thorough
@pytest.mark.parametrize("first", [0, 2**32 - 500_000, 2**64 - 500_000])
def test_a_million_seeds_equal_cpython(first: int) -> None:
    """A million consecutive seeds, also across 32 and 64 bits, give CPython's streams."""
    for start in range(first, first + 1_000_000, 100_000):
        seeds = range(start, start + 100_000)
        assert random_streams(seeds, 12).tolist() == cpython_streams(seeds, 12)
