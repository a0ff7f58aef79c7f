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

GROUP = 256
"""Sessions generated and played together; the number of seeds that the generator advances side by side."""


@kernel
def play_published(
    key_words: NDArray[np.uint32],
    key_start: NDArray[np.int64],
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
    results: NDArray[np.int64],
) -> None:
    """Play every session under every policy.

    Keys as in ``fill_random``. ``session_length`` (session), ``item_start`` (session + 1) and ``item_kind`` (item)
    describe a group of GROUP sessions, all alike; ``offsets`` (recall) in turns; ``horizon`` (policy, recall + 1),
    flat.
    ``lanes_state`` … ``totals`` are scratch for a group, their sizes those that the kernels ask for. Written:
    ``results`` (policy, total, session), flat: the rows of ``total_sessions``, then the three of ``play_horizon``.
    """
    num_foundational = len(item_kind) // GROUP
    draws_per_session = num_foundational * len(offsets)
    width = len(offsets) + 1
    num_policies = len(horizon) // width
    rows = NUM_TOTALS + 3
    for first in range(0, num_sessions, GROUP):
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
            stride = len(totals) // NUM_TOTALS
            for row in range(rows):
                target = (policy * rows + row) * num_sessions + first
                if row < NUM_TOTALS:
                    for session in range(count):
                        results[target + session] = totals[row * stride + session]
                else:
                    for session in range(count):
                        results[target + session] = sums[(row - NUM_TOTALS) * count + session]
