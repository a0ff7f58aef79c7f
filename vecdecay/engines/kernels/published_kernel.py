"""Generates published sessions and plays them at once, a few hundred side by side: nothing leaves the caches.

A session is a lane, as in ``mersenne_kernel``: every array has one row per recall or total and one place per lane, so
that the innermost loops run over neighbours and become vector code. Block by block, as other workloads are played,
these sessions take 480 ns under two policies, most of it waiting for memory; group by group with the kernels for
blocks 260 ns; side by side 145 ns, 75 of them for seeding the generators.

Items of these sessions are registered in turn 1 and never again, and their touches are in order. So after a miss every
recall misses, and one that hits has as many hits before it as recalls: the turn of expiry is all that has to be kept.
"""

import numpy as np
from numpy.typing import NDArray

from vecdecay.compile import kernel
from vecdecay.sessions.mersenne_kernel import fill_random_rows

_MIXER, _HALF = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)

GROUP = 256
"""Sessions generated and played together; the number of seeds that the generator advances side by side."""

NEVER = 2**31 - 1
"""The turn of a recall that a session is too short for; no item lives to see it."""

# Rows of the totals, one int64 per session each. All other totals are the same in every published session.
EVICTED = 0
SURVIVAL_SUM = 1
SURVIVAL_MINIMUM = 2
SURVIVAL_MAXIMUM = 3
HITS = 4
WORKING_SET_SUM = 5
RECALLS = 6
NUM_ROWS = 7


@kernel
def _schedule(
    draws: NDArray[np.float64],
    count: int,
    session_length: int,
    num_foundational: int,
    offsets: NDArray[np.float64],
    jitter_low: float,
    jitter_span: float,
    turns: NDArray[np.int32],
) -> bool:
    """Write the turn of every recall, (fact, recall, lane), flat; tell whether all of them fit into the session.

    ``draws`` (draw, lane), flat. Where it returns False, ``_schedule_short`` has to do the work.
    """
    lanes = np.uint64(count)
    largest = np.float64(session_length - 1)
    latest = np.int32(0)
    here = np.uint64(0)
    for _ in range(num_foundational):
        for recall in range(len(offsets)):
            offset = offsets[recall]
            for lane in range(lanes):
                distance = np.rint(offset * (jitter_low + jitter_span * draws[here + lane]))
                # Cut before the conversion: a distance may be too large for the integer.
                candidate = np.int32(1) + np.int32(distance if distance < largest else largest)
                last = turns[here - lanes + lane] if recall > 0 else np.int32(1)
                turn = np.int32(last + np.int32(1))
                turns[here + lane] = turn if turn > candidate else candidate
            here += lanes
        if len(offsets) > 0:
            for lane in range(lanes):
                latest = max(latest, turns[here - lanes + lane])
    return bool(latest <= session_length)


@kernel
def _schedule_short(
    draws: NDArray[np.float64],
    count: int,
    session_length: int,
    num_foundational: int,
    offsets: NDArray[np.float64],
    jitter_low: float,
    jitter_span: float,
    turns: NDArray[np.int32],
) -> None:
    """Write the same where schedules may run past the end of the session: NEVER for the recalls that it cuts off.

    The draw that runs past the end is consumed, those after it are left to the next fact.
    """
    num_recalls = len(offsets)
    for lane in range(count):
        draw = lane
        for fact in range(num_foundational):
            last = 1
            fits = True
            for recall in range(num_recalls):
                place = (fact * num_recalls + recall) * count + lane
                turns[place] = NEVER
                if fits:
                    candidate = 1 + np.int64(np.rint(offsets[recall] * (jitter_low + jitter_span * draws[draw])))
                    draw += count
                    turn = max(last + 1, min(candidate, session_length))
                    fits = turn <= session_length
                    if fits:
                        turns[place] = turn
                        last = turn


@kernel
def _count_recalls(turns: NDArray[np.int32], count: int, num_recalls: int, totals: NDArray[np.int64]) -> None:
    """Count the recalls of every lane that are not NEVER."""
    lanes = np.uint64(count)
    for lane in range(lanes):
        totals[np.uint64(RECALLS) * lanes + lane] = 0
    for recall in range(np.uint64(num_recalls)):
        for lane in range(lanes):
            totals[np.uint64(RECALLS) * lanes + lane] += turns[recall * lanes + lane] != NEVER


@kernel
def _live(
    turns: NDArray[np.int32],
    count: int,
    fact: int,
    horizon: NDArray[np.int32],
    row: int,
    num_recalls: int,
    expiry: NDArray[np.int32],
    hits: NDArray[np.int32],
) -> None:
    """Write the turn in which a fact is evicted, in every lane, and add its recalls that hit to ``hits``."""
    lanes = np.uint64(count)
    for lane in range(lanes):
        expiry[lane] = np.int32(1) + horizon[row]
    here = np.uint64(fact * num_recalls) * lanes
    for recall in range(num_recalls):
        life = horizon[row + recall + 1]
        for lane in range(lanes):
            turn = turns[here + lane]
            hit = turn <= expiry[lane]
            hits[lane] = np.int32(hits[lane] + np.int32(hit))
            expiry[lane] = np.int32(turn + life) if hit else expiry[lane]
        here += lanes


@kernel
def _play(
    turns: NDArray[np.int32],
    count: int,
    session_length: int,
    num_foundational: int,
    horizon: NDArray[np.int32],
    row: int,
    num_recalls: int,
    expiry: NDArray[np.int32],
    hits: NDArray[np.int32],
    totals: NDArray[np.int64],
) -> None:
    """Play all facts of a group under the policy whose horizons begin at ``row``; write all totals but RECALLS."""
    lanes = np.uint64(count)
    end = np.int32(session_length + 1)
    for place in range(np.uint64(EVICTED) * lanes, np.uint64(RECALLS) * lanes):
        totals[place] = 0
    for lane in range(lanes):
        totals[np.uint64(SURVIVAL_MINIMUM) * lanes + lane] = NEVER
        hits[lane] = 0
    for fact in range(num_foundational):
        _live(turns, count, fact, horizon, row, num_recalls, expiry, hits)
        for lane in range(lanes):
            evicted = expiry[lane] < end
            held = np.int64(min(expiry[lane], end)) - 1  # from turn 1 on
            totals[lane] += evicted
            totals[np.uint64(SURVIVAL_SUM) * lanes + lane] += held if evicted else 0
            smallest = totals[np.uint64(SURVIVAL_MINIMUM) * lanes + lane]
            totals[np.uint64(SURVIVAL_MINIMUM) * lanes + lane] = min(smallest, held if evicted else NEVER)
            largest = totals[np.uint64(SURVIVAL_MAXIMUM) * lanes + lane]
            totals[np.uint64(SURVIVAL_MAXIMUM) * lanes + lane] = max(largest, held if evicted else 0)
            totals[np.uint64(WORKING_SET_SUM) * lanes + lane] += held
    for lane in range(lanes):
        totals[np.uint64(HITS) * lanes + lane] = hits[lane]
        if totals[lane] == 0:
            totals[np.uint64(SURVIVAL_MINIMUM) * lanes + lane] = 0


@kernel
def _count(
    turns: NDArray[np.int32],
    count: int,
    session_length: int,
    num_foundational: int,
    horizon: NDArray[np.int32],
    row: int,
    num_recalls: int,
    expiry: NDArray[np.int32],
    hits: NDArray[np.int32],
    totals: NDArray[np.int64],
    keys: NDArray[np.int64],
    times: NDArray[np.int64],
    first_slot: int,
    slots: int,
    used: NDArray[np.int64],
    place: int,
) -> None:
    """Play the same, and count in two tables, one behind the other, how often each of two numbers occurs: that of the
    facts evicted and their survival, and that of hits and recalls.
    """
    lanes = np.uint64(count)
    end = np.int32(session_length + 1)
    evicted = num_foundational * session_length + 1  # no sum of survival times is that large
    for lane in range(lanes):
        hits[lane] = 0
        totals[lane] = 0
    for fact in range(num_foundational):
        _live(turns, count, fact, horizon, row, num_recalls, expiry, hits)
        for lane in range(lanes):
            totals[lane] += evicted + expiry[lane] - 1 if expiry[lane] < end else 0
    used[place] += _count_keys(totals, count, evicted * (num_foundational + 1), keys, times, first_slot, slots)
    recalls = num_foundational * num_recalls + 1
    for lane in range(lanes):
        totals[lane] = hits[lane] * recalls + totals[np.uint64(RECALLS) * lanes + lane]
    used[place + 1] += _count_keys(totals, count, recalls * recalls, keys, times, first_slot + slots, slots)


@kernel
def _count_keys(
    found: NDArray[np.int64],
    count: int,
    limit: int,
    keys: NDArray[np.int64],
    times: NDArray[np.int64],
    first_slot: int,
    slots: int,
) -> int:
    """Count numbers below ``limit`` in a hash table, by themselves where they are no more than its slots, a power of
    two; return how many new slots were taken.
    """
    first, last = np.uint64(first_slot), np.uint64(slots - 1)
    dense = limit <= slots
    taken = 0
    for lane in range(np.uint64(count)):
        key = found[lane]
        slot = np.uint64(key) if dense else (np.uint64(key) * _MIXER >> _HALF) & last
        while times[first + slot] > 0 and keys[first + slot] != key:
            slot = (slot + np.uint64(1)) & last
        if times[first + slot] == 0:
            taken += 1
            keys[first + slot] = key
        times[first + slot] += 1
    return taken


@kernel
def play_published(
    key_words: NDArray[np.uint32],
    key_start: NDArray[np.int64],
    first_session: int,
    num_sessions: int,
    session_length: int,
    num_foundational: int,
    offsets: NDArray[np.float64],
    jitter_low: float,
    jitter_span: float,
    horizon: NDArray[np.int32],
    lanes_state: NDArray[np.uint32],
    draws: NDArray[np.float64],
    turns: NDArray[np.int32],
    lives: NDArray[np.int32],
    totals: NDArray[np.int64],
    results: NDArray[np.int64] | None,
    keys: NDArray[np.int64] | None,
    times: NDArray[np.int64] | None,
    used: NDArray[np.int64] | None,
) -> int:
    """Play sessions from ``first_session`` on under every policy; return the number of the next one to be played.

    Keys as in ``fill_random``. ``offsets`` (recall) in turns; ``horizon`` (policy, recall + 1), flat, none over
    ``session_length + 1``: that is as good as for ever, and a sum of the two stays below NEVER.
    Scratch for a group: ``lanes_state``; ``draws`` and ``turns`` (fact, recall, lane); ``lives`` (2, lane); ``totals``
    (NUM_ROWS, lane).

    Written: either ``results`` (policy, NUM_ROWS, session), flat. Or, where that is None, how often each number of
    ``_count`` occurred: two hash tables per policy with ``keys`` and ``times`` (policy, 2, slot), flat; ``used``
    (policy, 2) slots are taken. It ends early, before a group that might not find room: a third of the slots stay free.
    """
    num_recalls = len(offsets)
    num_draws = num_foundational * num_recalls
    width = num_recalls + 1
    num_policies = len(horizon) // width
    for first in range(first_session, num_sessions, GROUP):
        if times is not None:
            slots = len(times) // len(used)
            for table in range(len(used)):
                if 3 * (used[table] + GROUP) > 2 * slots:
                    return first
        count = min(GROUP, num_sessions - first)
        fill_random_rows(key_words, key_start, first, count, num_draws, lanes_state, draws)
        schedule = (draws, count, session_length, num_foundational, offsets, jitter_low, jitter_span, turns)
        if not _schedule(*schedule):
            _schedule_short(*schedule)
        _count_recalls(turns, count, num_draws, totals)
        for policy in range(num_policies):
            play = (turns, count, session_length, num_foundational, horizon, policy * width, num_recalls)
            if times is not None:
                tables = (keys, times, 2 * policy * slots, slots, used, 2 * policy)
                _count(*play, lives[:GROUP], lives[GROUP:], totals, *tables)
            if results is not None:
                _play(*play, lives[:GROUP], lives[GROUP:], totals)
                for field in range(NUM_ROWS):
                    target = (policy * NUM_ROWS + field) * num_sessions + first
                    for lane in range(count):
                        results[target + lane] = totals[field * count + lane]
    return num_sessions
