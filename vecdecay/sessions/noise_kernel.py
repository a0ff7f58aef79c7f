"""Noise: how many items a turn registers, and when one of them is recalled.

The item number i of a turn has the address (item = turn, event = i), whatever the other turns hold: more noise in one
place changes no other noise item.
"""

import numpy as np
from numpy.typing import NDArray

from vecdecay.accelerate import kernel
from vecdecay.sessions.philox import exponential, random_bits, uniform, uniform_pair, weighted_index

# Streams.
NOISE_COUNT = 0
NOISE_BURST = 1
NOISE_RECALL = 2

_NEXT_BLOCK = 2**16  # the upper half of the stream's word counts the recalls of an item
_MOST_RECALLS = 2**16


@kernel
def count_noise(
    key: int,
    workload: int,
    turn: int,
    burst_turns: int,
    burst_share: float,
    thresholds: NDArray[np.int64],
    guide: NDArray[np.int64],
) -> int:
    """Return how many noise items a turn registers.

    The session falls into stretches of ``burst_turns`` turns; a stretch holds noise with probability ``burst_share``.
    In a turn of such a stretch ``thresholds`` and ``guide`` (number of items), from draws.weight_table, give the chance
    of each number.
    """
    if burst_share < 1.0 and uniform(key, workload, NOISE_BURST, 0, (turn - 1) // burst_turns) >= burst_share:
        return 0
    # A table in place of the formula: 8 against 60 ns a turn.
    return int(weighted_index(random_bits(key, workload, NOISE_COUNT, 0, turn), thresholds, guide))


@kernel
def recall_gap(
    key: int,
    workload: int,
    turn: int,
    number: int,
    recall: int,
    probability: float,
    mean_gap: float,
    turns_left: int,
) -> int:
    """Return the turns from a touch of noise item ``number`` of a turn to its next recall, 0 where there is none.

    ``recall`` counts the recalls before. There is a next one with ``probability``, 1 + an exponential time of
    ``mean_gap`` turns later, unless that is more than the ``turns_left``. No arrays are handed in: a call with them took
    10 ns more.
    """
    if recall >= _MOST_RECALLS:
        return 0
    chance, fraction = uniform_pair(key, workload, NOISE_RECALL + recall * _NEXT_BLOCK, turn, number)
    if chance >= probability:
        return 0
    over = mean_gap * exponential(fraction)
    if over >= turns_left:
        return 0
    return 1 + int(over)
