"""MT19937 as CPython seeds and reads it, for a group of seeds side by side: the kernels behind ``mersenne``."""

import numpy as np
from numpy.typing import NDArray

from vecdecay.compile import kernel

Words = NDArray[np.uint32]
KeyStarts = NDArray[np.int64]
Doubles = NDArray[np.float64]

STATE_WORDS = 624
_TWIST_DISTANCE = 397
_DRAWS_PER_GENERATION = STATE_WORDS // 2

# Vector code needs two habits in the kernels below. Indices are unsigned, because Numba tests a signed index
# for "counted from the end", and that keeps the loop scalar. Sums and products are taken exactly in 64 bits
# and cut by this mask: LLVM narrows them to 32 bits again, and without the JIT no overflow warning arises.
_MASK = np.uint64(0xFFFFFFFF)
_FIRST_MULTIPLIER, _SECOND_MULTIPLIER = np.uint64(1664525), np.uint64(1566083941)
_TOP_BIT, _LOW_BITS, _TWIST_MATRIX = np.uint32(0x80000000), np.uint32(0x7FFFFFFF), np.uint32(0x9908B0DF)
_TEMPER_B, _TEMPER_C, _MINUS_ONE = np.uint32(0x9D2C5680), np.uint32(0xEFC60000), np.uint32(0xFFFFFFFF)
# Shifts are typed as the words they shift: an untyped literal would widen the whole expression to 64 bits.
_ZERO, _ONE, _FIVE, _SIX, _SEVEN = np.uint32(0), np.uint32(1), np.uint32(5), np.uint32(6), np.uint32(7)
_ELEVEN, _FIFTEEN, _EIGHTEEN, _THIRTY = np.uint32(11), np.uint32(15), np.uint32(18), np.uint32(30)


def _common_state() -> Words:
    """Return the 624 words of ``init_genrand(19650218)``, from which the seeding of every key starts."""
    words = [19650218]
    for i in range(1, STATE_WORDS):
        words.append((1812433253 * (words[-1] ^ (words[-1] >> 30)) + i) & 0xFFFFFFFF)
    return np.array(words, dtype=np.uint32)


_COMMON_STATE = _common_state()


@kernel
def _stirred(word: np.uint32, multiplier: np.uint64) -> np.uint32:
    """Return the part of a seeding step that depends on the word before."""
    return np.uint32((np.uint64(word ^ (word >> _THIRTY)) * multiplier) & _MASK)


@kernel
def _sum(left: np.uint32, right: np.uint32) -> np.uint32:
    """Return the sum modulo 2**32."""
    return np.uint32((np.uint64(left) + np.uint64(right)) & _MASK)


@kernel
def _write_addends(
    key_words: Words, key_start: KeyStarts, first: int, num_lanes: int, lanes_state: Words, addends_at: int
) -> int:
    """Write what each seeding step adds to each lane, rows (step, lane) at ``addends_at``; return the period.

    Step ``t`` adds key word ``t % length`` and its position. Keys of one length repeat after that many rows
    (one for seeds below 2**32). Mixed lengths get all 624: ten times slower, for the group that mixes.
    """
    period: int = key_start[first + 1] - key_start[first]
    for lane in range(num_lanes):
        length = key_start[first + lane + 1] - key_start[first + lane]
        if length != period or length > STATE_WORDS:
            period = STATE_WORDS
    for lane in range(num_lanes):
        start = key_start[first + lane]
        length = key_start[first + lane + 1] - start
        position = 0
        for step in range(period):
            place = addends_at + step * num_lanes + lane
            lanes_state[place] = _sum(key_words[start + position], np.uint32(position))
            position += 1
            if position == length:
                position = 0
    return period


@kernel
def _seed_lanes(lanes_state: Words, addends_at: int, period: int, num_lanes: int) -> None:
    """Seed every lane from the addends: ``init_by_array`` for keys of at most 624 words."""
    lanes = np.uint64(num_lanes)
    addends = np.uint64(addends_at)
    last = np.uint64(STATE_WORDS - 1) * lanes
    for lane in range(lanes):
        lanes_state[lane] = _COMMON_STATE[0]
    step = 0
    for i in range(1, STATE_WORDS):
        here = np.uint64(i) * lanes
        before = here - lanes
        addend = addends + np.uint64(step) * lanes
        common = _COMMON_STATE[i]
        for lane in range(lanes):
            stirred = common ^ _stirred(lanes_state[before + lane], _FIRST_MULTIPLIER)
            lanes_state[here + lane] = _sum(stirred, lanes_state[addend + lane])
        step += 1
        if step == period:
            step = 0
    # The 624th step of the first pass wraps around: row 1 again, with the last row as the one before it.
    addend = addends + np.uint64(step) * lanes
    for lane in range(lanes):
        stirred = lanes_state[lanes + lane] ^ _stirred(lanes_state[last + lane], _FIRST_MULTIPLIER)
        lanes_state[lanes + lane] = _sum(stirred, lanes_state[addend + lane])
    for i in range(2, STATE_WORDS):
        here = np.uint64(i) * lanes
        before = here - lanes
        minus_i = np.uint32(0x100000000 - i)
        for lane in range(lanes):
            stirred = lanes_state[here + lane] ^ _stirred(lanes_state[before + lane], _SECOND_MULTIPLIER)
            lanes_state[here + lane] = _sum(stirred, minus_i)
    for lane in range(lanes):
        stirred = lanes_state[lanes + lane] ^ _stirred(lanes_state[last + lane], _SECOND_MULTIPLIER)
        lanes_state[lanes + lane] = _sum(stirred, _MINUS_ONE)
        lanes_state[lane] = _TOP_BIT


@kernel
def _seed_long_key(key_words: Words, start: int, length: int, lanes_state: Words, lane: int, num_lanes: int) -> None:
    """Seed one lane from a key of over 624 words: its first pass ends elsewhere than in the other lanes."""
    for i in range(STATE_WORDS):
        lanes_state[i * num_lanes + lane] = _COMMON_STATE[i]
    i = 0
    before = lane
    for step in range(length + STATE_WORDS - 1):
        i += 1
        if i == STATE_WORDS:
            i = 1
        here = i * num_lanes + lane
        if step < length:
            stirred = lanes_state[here] ^ _stirred(lanes_state[before], _FIRST_MULTIPLIER)
            change = _sum(key_words[start + step], np.uint32(step))
        else:
            stirred = lanes_state[here] ^ _stirred(lanes_state[before], _SECOND_MULTIPLIER)
            change = np.uint32(0x100000000 - i)
        lanes_state[here] = _sum(stirred, change)
        before = here
    lanes_state[lane] = _TOP_BIT


@kernel
def _twist_row(lanes_state: Words, here: np.uint64, following: np.uint64, far: np.uint64, lanes: np.uint64) -> None:
    """Replace one word of every lane by its successor in the next generation; places are starts of rows."""
    for lane in range(lanes):
        joined = (lanes_state[here + lane] & _TOP_BIT) | (lanes_state[following + lane] & _LOW_BITS)
        matrix = _TWIST_MATRIX if joined & _ONE else _ZERO
        lanes_state[here + lane] = lanes_state[far + lane] ^ (joined >> _ONE) ^ matrix


@kernel
def _twist(lanes_state: Words, num_words: int, num_lanes: int) -> None:
    """Bring the first ``num_words`` words (at most 624) of every lane to the next generation.

    Three stretches with a fixed distance between the rows, where one loop with a remainder would be shorter:
    in that loop LLVM's overlap test fails and scalar code runs (20 instead of 4 ns for 24 words).
    """
    lanes = np.uint64(num_lanes)
    ahead = np.uint64(_TWIST_DISTANCE) * lanes
    behind = np.uint64(STATE_WORDS - _TWIST_DISTANCE) * lanes
    for k in range(min(num_words, STATE_WORDS - _TWIST_DISTANCE)):
        here = np.uint64(k) * lanes
        _twist_row(lanes_state, here, here + lanes, here + ahead, lanes)
    for k in range(STATE_WORDS - _TWIST_DISTANCE, min(num_words, STATE_WORDS - 1)):
        here = np.uint64(k) * lanes
        _twist_row(lanes_state, here, here + lanes, here - behind, lanes)
    if num_words == STATE_WORDS:
        here = np.uint64(STATE_WORDS - 1) * lanes
        _twist_row(lanes_state, here, np.uint64(0), here - behind, lanes)


@kernel
def _tempered(word: np.uint32) -> np.uint32:
    """Return the output word for a state word."""
    word = np.uint32(word ^ (word >> _ELEVEN))
    word = np.uint32(word ^ (np.uint32(word << _SEVEN) & _TEMPER_B))
    word = np.uint32(word ^ (np.uint32(word << _FIFTEEN) & _TEMPER_C))
    return np.uint32(word ^ (word >> _EIGHTEEN))


@kernel
def _write_draw(lanes_state: Words, pair: int, num_lanes: int, out: Doubles, out_at: int) -> None:
    """Turn words ``2 * pair`` and ``2 * pair + 1`` of all lanes into doubles, side by side from ``out_at`` on."""
    lanes = np.uint64(num_lanes)
    place = np.uint64(out_at)
    high_at = np.uint64(2 * pair) * lanes
    low_at = high_at + lanes
    for lane in range(lanes):
        high = np.float64(_tempered(lanes_state[high_at + lane]) >> _FIVE)
        low = np.float64(_tempered(lanes_state[low_at + lane]) >> _SIX)
        out[place + lane] = (high * 67108864.0 + low) * (1.0 / 9007199254740992.0)


@kernel
def _start_lanes(key_words: Words, key_start: KeyStarts, first: int, num_lanes: int, lanes_state: Words) -> None:
    """Seed one lane for each session from ``first`` on."""
    addends_at = STATE_WORDS * (lanes_state.size // (2 * STATE_WORDS))
    period = _write_addends(key_words, key_start, first, num_lanes, lanes_state, addends_at)
    _seed_lanes(lanes_state, addends_at, period, num_lanes)
    for lane in range(num_lanes):
        length = key_start[first + lane + 1] - key_start[first + lane]
        if length > STATE_WORDS:
            _seed_long_key(key_words, key_start[first + lane], length, lanes_state, lane, num_lanes)


@kernel
def fill_random_rows(
    key_words: Words,
    key_start: KeyStarts,
    first_session: int,
    num_sessions: int,
    num_draws: int,
    lanes_state: Words,
    out: Doubles,
) -> None:
    """Write what ``fill_random`` writes, but transposed: draw ``d`` of session ``s`` at ``out[d * num_sessions + s]``.

    For at most as many sessions as ``lanes_state`` has lanes. Nothing is checked: for the inside of other kernels.
    """
    _start_lanes(key_words, key_start, first_session, num_sessions, lanes_state)
    for generation in range(0, num_draws, _DRAWS_PER_GENERATION):
        num_pairs = min(_DRAWS_PER_GENERATION, num_draws - generation)
        _twist(lanes_state, 2 * num_pairs, num_sessions)
        for pair in range(num_pairs):
            _write_draw(lanes_state, pair, num_sessions, out, (generation + pair) * num_sessions)


@kernel
def fill_random(
    key_words: Words,
    key_start: KeyStarts,
    first_session: int,
    num_sessions: int,
    num_draws: int,
    lanes_state: Words,
    out: Doubles,
) -> None:
    """Write the first ``num_draws`` values of ``random()`` of some sessions, equal to CPython's to the bit.

    Releases the GIL. Threads may share the keys; each needs its own ``lanes_state`` and ``out``. The result
    depends neither on the size nor the content of ``lanes_state``. Best for multiples of ``LANES`` sessions.

    Args:
        key_words: all keys, shape (word,), from ``seed_key_words``.
        key_start: where each session's key begins, shape (session + 1,).
        first_session: index into ``key_start`` of the first session to draw for.
        num_sessions: how many sessions, from ``first_session`` on.
        num_draws: values per session, 0 or more.
        lanes_state: scratch from ``new_lanes_state``; its size decides how many seeds advance together.
        out: flat, row-major (session, draw), counted from the first session asked for: draw ``d`` of session
            ``first_session + s`` goes to ``out[s * num_draws + d]``. What lies behind is left alone.

    Raises:
        ValueError: an argument is negative, or an array is too short for what is asked.
    """
    if first_session < 0 or num_sessions < 0 or num_draws < 0:
        raise ValueError("first_session, num_sessions and num_draws must be 0 or more")
    if first_session + num_sessions >= key_start.size or key_start[key_start.size - 1] > key_words.size:
        raise ValueError("key_words and key_start do not hold the keys of all the sessions asked for")
    if out.size < num_sessions * num_draws:
        raise ValueError("out must hold num_sessions * num_draws values")
    max_lanes = lanes_state.size // (2 * STATE_WORDS)
    if max_lanes == 0:
        raise ValueError("lanes_state must hold at least one lane; take it from new_lanes_state()")
    row = np.empty(max_lanes, dtype=np.float64)
    stride = np.uint64(num_draws)
    for group in range(0, num_sessions, max_lanes):
        num_lanes = min(max_lanes, num_sessions - group)
        _start_lanes(key_words, key_start, first_session + group, num_lanes, lanes_state)
        for generation in range(0, num_draws, _DRAWS_PER_GENERATION):
            num_pairs = min(_DRAWS_PER_GENERATION, num_draws - generation)
            _twist(lanes_state, 2 * num_pairs, num_lanes)
            for pair in range(num_pairs):
                _write_draw(lanes_state, pair, num_lanes, row, 0)
                # The copy is worth it: computing straight into these places takes 25 instead of 11 ns for 12 draws.
                place = np.uint64(group * num_draws + generation + pair)
                for lane in range(np.uint64(num_lanes)):
                    out[place + lane * stride] = row[lane]
