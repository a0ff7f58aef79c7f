"""From keys to the touches of a block of sessions: items by their steps, then noise by turns."""

import numpy as np
from numpy.typing import NDArray

from vecdecay.accelerate import kernel
from vecdecay.sessions.noise_kernel import count_noise, recall_gap
from vecdecay.sessions.rhythm_kernel import take_steps


@kernel
def generate_sessions(
    keys: NDArray[np.int64],
    workload: int,
    session_length: int,
    steps: NDArray[np.float64],
    step_start: NDArray[np.int64],
    item_plan: NDArray[np.int32],
    list_noise: bool,
    burst_turns: int,
    burst_share: float,
    thresholds: NDArray[np.int64],
    guide: NDArray[np.int64],
    recall_probability: float,
    mean_gap: float,
    item_start: NDArray[np.int64],
    item_kind: NDArray[np.int8],
    touch_start: NDArray[np.int64],
    touch_turn: NDArray[np.int32],
    touch_kind: NDArray[np.int8],
) -> bool:
    """Write the listed items of every session; return False where the arrays are too short for them.

    ``keys`` (session); ``steps`` (step, STEP_WIDTH), flat; ``step_start`` (plan + 1); ``item_plan`` (item of one
    session) names the plan of each item that has one. Noise is listed too where ``list_noise`` says so; the arguments
    after it are those of noise_kernel. Written: ``item_start`` (session + 1), ``item_kind`` (item), ``touch_start``
    (item + 1), ``touch_turn``, ``touch_kind`` (touch).
    """
    item = 0
    touch = 0
    item_start[0] = 0
    touch_start[0] = 0
    for session in range(len(keys)):
        key = keys[session]
        if len(item_plan) > len(item_kind) - item:
            return False
        for number in range(len(item_plan)):
            plan = item_plan[number]
            touch = take_steps(
                key, workload, number, session_length, steps, step_start[plan], step_start[plan + 1],
                touch_turn, touch_kind, touch,
            )  # fmt: skip
            if touch < 0:
                return False
            item_kind[item] = 1
            item += 1
            touch_start[item] = touch
        for turn in range(1, session_length + 1 if list_noise else 1):
            count = count_noise(key, workload, turn, burst_turns, burst_share, thresholds, guide)
            if count > len(item_kind) - item or count > len(touch_turn) - touch:
                return False
            if recall_probability == 0.0:  # written here: 3 against 12 ns an item
                for _ in range(count):
                    touch_turn[touch] = turn
                    touch_kind[touch] = 0
                    item_kind[item] = 0
                    touch += 1
                    item += 1
                    touch_start[item] = touch
                continue
            for number in range(count):
                touch_turn[touch] = turn
                touch_kind[touch] = 0
                touch += 1
                last = turn
                recall = 0
                while True:
                    gap = recall_gap(
                        key, workload, turn, number, recall, recall_probability, mean_gap, session_length - last
                    )
                    if gap == 0:
                        break
                    # Room is kept for the registrations that the turn still has to come.
                    if touch + count - number > len(touch_turn):
                        return False
                    last += gap
                    recall += 1
                    touch_turn[touch] = last
                    touch_kind[touch] = 1
                    touch += 1
                item_kind[item] = 0
                item += 1
                touch_start[item] = touch
        item_start[session + 1] = item
    return True
