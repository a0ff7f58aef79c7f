"""The streams of Python's ``random.Random(seed)``, bit for bit, for many seeds at once.

A published session is defined by what ``random.Random(seed).random()`` returns, so only the same generator
can regenerate its schedule: MT19937, seeded by ``init_by_array`` with the seed's 32-bit words as the key.

One seed is a chain of 1,247 dependent steps before its first number; many seeds are many such chains. So the
kernel advances a group of seeds ("lanes") together. Word ``i`` of each lane lies in row ``i`` of an array:
the innermost loop runs over neighbours and becomes vector code. Only words that the draws need are twisted.

Sources: Matsumoto and Nishimura (1998), "Mersenne Twister", ACM TOMACS 8(1), for recurrence and tempering;
python/cpython, ``Modules/_randommodule.c``, for the seeding, an integer seed's key and the 53-bit double.
"""

from collections.abc import Mapping, Sequence, Set
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from vecdecay.errors import InvalidInputError
from vecdecay.parameters import brief
from vecdecay.sessions.mersenne_kernel import STATE_WORDS, Doubles, KeyStarts, Words, fill_random

__all__ = ["LANES", "Seeds", "fill_random", "new_lanes_state", "random_streams", "seed_key_words"]

Seeds: TypeAlias = Sequence[int] | range | NDArray[np.integer]

# More lanes spread the cost of starting a row's loop, fewer keep the state (2.5 kB a lane) in a core's second
# cache. Measured for 12 draws: 256 lanes 84 ns a session, 192 and 384 within 3 % of it, 128 97 ns, 64 150 ns.
LANES = 256
# Vector loads across two cache lines make everything 1.5 times slower, and malloc promises 16 bytes only.
_CACHE_LINE_BYTES = 64
_MAX_REPORTED_PROBLEMS = 10


def seed_key_words(seeds: Seeds) -> tuple[Words, KeyStarts]:
    """Return the key words that CPython derives from each integer seed.

    The key is the absolute value in 32-bit words, lowest first, without leading zero words; that of 0 is one
    word 0. So a seed and its negative have one key and one stream. Ranges and integer arrays within int64 or
    uint64 take array operations (10 to 50 ns a seed), lists and larger integers a Python loop (600 ns).

    Returns:
        ``key_words``, shape (word,), all keys in turn; and ``key_start``, shape (session + 1,): the key of
        session ``s`` is ``key_words[key_start[s]:key_start[s + 1]]``.

    Raises:
        InvalidInputError: a seed is not an integer (a bool is none), or the array is not one-dimensional.

    >>> words, start = seed_key_words([5, -5, 2**32 + 7])
    >>> words.tolist(), start.tolist()
    ([5, 5, 7, 1], [0, 1, 2, 4])
    """
    if isinstance(seeds, np.ndarray) and seeds.ndim != 1:
        raise InvalidInputError([f"the array of seeds has shape {seeds.shape}; allowed: one dimension"])
    if isinstance(seeds, range):
        magnitudes = _range_magnitudes(seeds)
    elif isinstance(seeds, np.ndarray) and seeds.dtype != object:
        magnitudes = _array_magnitudes(seeds)
    else:
        seeds = _checked_integers(seeds)
        magnitudes = None
    return _keys_of_integers(seeds) if magnitudes is None else _keys_of_magnitudes(magnitudes)


def _range_magnitudes(seeds: range) -> NDArray[np.uint64] | None:
    """Return the absolute values, shape (session,), or None if the range leaves both int64 and uint64."""
    if not seeds:
        return np.empty(0, dtype=np.uint64)
    low, high = sorted((seeds[0], seeds[-1]))
    if low < -(2**63) or high >= (2**63 if low < 0 else 2**64):
        return None
    # Arithmetic modulo 2**64 is exact for both, and needs no end point that may lie one step outside.
    steps = np.arange(len(seeds), dtype=np.uint64)
    values = steps * np.uint64(seeds.step % 2**64) + np.uint64(seeds[0] % 2**64)
    return values if low >= 0 else np.abs(values.view(np.int64)).view(np.uint64)


def _array_magnitudes(seeds: NDArray[np.integer]) -> NDArray[np.uint64]:
    """Return the absolute values, shape (session,), of an array of any integer type."""
    if seeds.dtype.kind == "u":
        return seeds.astype(np.uint64)
    if seeds.dtype.kind == "i":
        # The absolute value of -2**63 wraps to itself, whose bits read as unsigned are the right 2**63.
        return np.abs(seeds.astype(np.int64)).view(np.uint64)
    raise InvalidInputError([f"the array of seeds has type {seeds.dtype}; allowed: integer types"])


def _checked_integers(seeds: Seeds) -> list[int]:
    """Return the seeds as Python integers, or name those that are none."""
    if isinstance(seeds, bytes | bytearray | memoryview | Set | Mapping):
        # Their integers are no seeds that anybody chose, or come in no order that anybody can rely on.
        raise InvalidInputError([f"seeds is {brief(seeds)}; allowed: a range, list or array of integers"])
    wrong = [
        f"seed {brief(seed)} at position {position} is not an integer"
        for position, seed in enumerate(seeds)
        if not isinstance(seed, (int, np.integer)) or isinstance(seed, bool)
    ]
    if wrong:
        raise InvalidInputError(wrong[:_MAX_REPORTED_PROBLEMS])
    return [int(seed) for seed in seeds]


def _keys_of_magnitudes(magnitudes: NDArray[np.uint64]) -> tuple[Words, KeyStarts]:
    """Return the keys of seeds below 2**64: one or two words each."""
    key_start = np.arange(len(magnitudes) + 1, dtype=np.int64)
    low = magnitudes.astype(np.uint32)
    high = (magnitudes >> np.uint64(32)).astype(np.uint32)
    has_high = high > 0
    if not has_high.any():
        return low, key_start
    key_start[1:] += np.cumsum(has_high)
    key_words = np.empty(key_start[-1], dtype=np.uint32)
    key_words[key_start[:-1]] = low
    key_words[key_start[:-1][has_high] + 1] = high[has_high]
    return key_words, key_start


def _keys_of_integers(seeds: Seeds) -> tuple[Words, KeyStarts]:
    """Return the keys of integers of any size."""
    magnitudes = [abs(int(seed)) for seed in seeds]
    lengths = [max(1, (magnitude.bit_length() + 31) // 32) for magnitude in magnitudes]
    key_bytes = b"".join(m.to_bytes(4 * n, "little") for m, n in zip(magnitudes, lengths, strict=True))
    key_start = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=key_start[1:])
    return np.frombuffer(key_bytes, dtype="<u4").astype(np.uint32), key_start


def new_lanes_state(num_lanes: int = LANES) -> Words:
    """Return scratch for one thread's calls of ``fill_random``: 4,992 bytes for each seed of a group.

    Half of it holds the generators' states. The other half is touched as far as the keys are long: one row of
    words for seeds below 2**32, all of it where keys of different lengths meet.
    """
    num_words = 2 * STATE_WORDS * num_lanes
    padded = np.empty(num_words + _CACHE_LINE_BYTES // 4, dtype=np.uint32)
    skipped_words = -padded.ctypes.data % _CACHE_LINE_BYTES // 4
    return padded[skipped_words : skipped_words + num_words]


def random_streams(seeds: Seeds, num_draws: int) -> Doubles:
    """Return ``num_draws`` values of ``random.Random(seed).random()`` of each seed, shape (session, draw).

    Raises:
        InvalidInputError: a seed is not an integer, or ``num_draws`` is below 0.

    >>> import random
    >>> generator = random.Random(-7)
    >>> random_streams([-7, 2**200], 2)[0].tolist() == [generator.random(), generator.random()]
    True
    """
    if num_draws < 0:
        raise InvalidInputError([f"num_draws is {num_draws}; allowed: 0 or more"])
    key_words, key_start = seed_key_words(seeds)
    num_sessions = len(key_start) - 1
    out = np.empty((num_sessions, num_draws), dtype=np.float64)
    lanes_state = new_lanes_state(max(1, min(LANES, num_sessions)))
    fill_random(key_words, key_start, 0, num_sessions, num_draws, lanes_state, out.reshape(-1))
    return out
