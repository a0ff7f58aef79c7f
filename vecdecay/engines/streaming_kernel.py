"""Generates published sessions and plays them at once, a few hundred at a time: nothing leaves the second-level cache.

The same kernels as in ``published_kernel``, ``horizon_kernel`` and ``totals_kernel``, in another order: block by
block they take 480 ns a session under two policies, most of it waiting for memory; group by group 200 ns.
"""

import numpy as np
from numpy.typing import NDArray

from vecdecay.accelerate import kernel
from vecdecay.engines.horizon_kernel import play_horizon
from vecdecay.engines.totals_kernel import NUM_TOTALS, total_sessions
from vecdecay.sessions.mersenne_kernel import fill_random
from vecdecay.sessions.published_kernel import schedule_recalls

_MIXER, _HALF = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)

GROUP = 256
"""Sessions generated and played together; the number of seeds that the generator advances side by side."""


@kernel
def _count_rows(
    totals: NDArray[np.int64],
    sums: NDArray[np.int64],
    count: int,
    row: NDArray[np.int64],
    rows: NDArray[np.int64],
    times: NDArray[np.int64],
) -> int:
    """Count the totals of each session of a group in a hash table; return how many new slots were taken."""
    width = np.uint64(len(row))
    stride = np.uint64(len(totals) // NUM_TOTALS)
    last_slot = np.uint64(len(times) - 1)  # the number of slots is a power of two
    slot = np.uint64(0)
    taken = 0
    for session in range(np.uint64(count)):
        for field in range(np.uint64(NUM_TOTALS)):
            row[field] = totals[field * stride + session]
        for field in range(np.uint64(3)):
            row[np.uint64(NUM_TOTALS) + field] = sums[field * np.uint64(count) + session]
        if times[slot] == 0 or not _is_row(row, rows, slot * width):  # not that of the session before
            mixed = np.uint64(0)
            for field in range(width):
                mixed = (mixed ^ np.uint64(row[field])) * _MIXER
            slot = (mixed >> _HALF) & last_slot
            while times[slot] > 0 and not _is_row(row, rows, slot * width):
                slot = (slot + np.uint64(1)) & last_slot
            if times[slot] == 0:
                taken += 1
                for field in range(width):
                    rows[slot * width + field] = row[field]
        times[slot] += 1
    return taken


@kernel
def _is_row(row: NDArray[np.int64], rows: NDArray[np.int64], place: int) -> bool:
    field = np.uint64(0)
    while field < len(row) and rows[place + field] == row[field]:
        field += np.uint64(1)
    return bool(field == len(row))


@kernel
def play_published(
    key_words: NDArray[np.uint32],
    key_start: NDArray[np.int64],
    first_session: int,
    num_sessions: int,
    session_length: NDArray[np.int64],
    item_start: NDArray[np.int64],
    item_kind: NDArray[np.int8],
    offsets: NDArray[np.float64],
    jitter_low: float,
    jitter_span: float,
    horizon: NDArray[np.int64],
    lanes_state: NDArray[np.uint32],
    draws: NDArray[np.float64],
    touch_start: NDArray[np.int64],
    touch_turn: NDArray[np.int32],
    touch_kind: NDArray[np.int8],
    items: NDArray[np.int32],
    sums: NDArray[np.int64],
    totals: NDArray[np.int64],
    results: NDArray[np.int64] | None,
    rows: NDArray[np.int64] | None,
    times: NDArray[np.int64] | None,
    used: NDArray[np.int64] | None,
) -> int:
    """Play sessions from ``first_session`` on under every policy; return the number of the next one to be played.

    Keys as in ``fill_random``. ``session_length`` (session), ``item_start`` (session + 1) and ``item_kind`` (item)
    describe a group of GROUP sessions, all alike; ``offsets`` (recall) in turns; ``horizon`` (policy, recall + 1),
    flat.
    ``lanes_state`` … ``totals`` are scratch for a group, their sizes those that the kernels ask for.

    Written: either ``results`` (policy, total, session), flat: the rows of ``total_sessions``, then the three of
    ``play_horizon``. Or, where that is None, how often each row of totals occurred: a hash table per policy with
    ``times`` (policy, slot) and ``rows`` (policy, slot, total), flat; ``used`` (policy) slots are taken. It ends
    early, before a group that might not find room: a third of the slots stay free.
    """
    num_foundational = len(item_kind) // GROUP
    draws_per_session = num_foundational * len(offsets)
    width = len(offsets) + 1
    num_policies = len(horizon) // width
    width_of_row = NUM_TOTALS + 3
    one_row = np.empty(width_of_row, dtype=np.int64)
    for first in range(first_session, num_sessions, GROUP):
        if times is not None:
            slots = len(times) // num_policies
            for policy in range(num_policies):
                if 3 * (used[policy] + GROUP) > 2 * slots:
                    return first
        count = min(GROUP, num_sessions - first)
        num_items = count * num_foundational
        fill_random(key_words, key_start, first, count, draws_per_session, lanes_state, draws)
        schedule_recalls(
            draws, count, draws_per_session, session_length[0], num_foundational, offsets, jitter_low, jitter_span,
            touch_start, touch_turn, touch_kind,
        )  # fmt: skip
        for policy in range(num_policies):
            # A slice costs reference counting, here once per group and not once per session.
            play_horizon(
                session_length[:count], item_start[: count + 1], touch_start[: num_items + 1], touch_turn, touch_kind,
                None, None, horizon[policy * width : (policy + 1) * width], width, None, items, sums, None, None, None,
            )  # fmt: skip
            total_sessions(item_start[:count], item_start[1 : count + 1], item_kind, items, totals)
            if results is not None:
                stride = len(totals) // NUM_TOTALS
                for field in range(width_of_row):
                    target = (policy * width_of_row + field) * num_sessions + first
                    source = totals[field * stride :] if field < NUM_TOTALS else sums[(field - NUM_TOTALS) * count :]
                    for session in range(count):
                        results[target + session] = source[session]
            if times is not None:
                own_times = times[policy * slots : (policy + 1) * slots]
                own_rows = rows[policy * slots * width_of_row : (policy + 1) * slots * width_of_row]
                used[policy] += _count_rows(totals, sums, count, one_row, own_rows, own_times)
    return num_sessions
