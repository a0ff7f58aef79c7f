"""Importance, category, pin and size of an item, each from a stream of its own.

An item with a rhythm has the address (item = its number, event = 0); a noise item (item = the turn of its registration,
event = its number in that turn), in streams of their own.
"""

import math

import numpy as np
from numpy.typing import NDArray

from vecdecay.compile import kernel
from vecdecay.sessions.philox import (
    exponential,
    gamma,
    normal,
    random_bits,
    uniform,
    uniform_below,
    weighted_index,
)

# Streams of items that have a rhythm; those of noise items lie NOISE_STREAMS higher.
IMPORTANCE = 3
IMPORTANCE_OTHER = 4
FOLLOWS_USE = 5
CATEGORY = 6
PINNED = 7
TOKENS = 8
NOISE_STREAMS = 8

# Distributions of importance.
CONSTANT = 0
UNIFORM = 1
BETA = 2

# Distributions of sizes; 0 is CONSTANT.
LOGNORMAL = 1
PARETO = 2

LEVELS = 100  # importance is a multiple of 1 / LEVELS: one table of horizons per value stays few
CATEGORY_COUNT = 4
MOST_TOKENS = 1_000_000


@kernel
def draw_importance(
    key: int,
    workload: int,
    streams: int,
    item: int,
    event: int,
    distribution: int,
    first: float,
    second: float,
    follows_use: float,
    half_recalls: float,
    advantage: int,
    recalls: int,
) -> int:
    """Return the importance of an item, 0 … LEVELS.

    ``first`` is the value itself (CONSTANT), ``first`` and ``second`` the two shapes (BETA). With the probability
    ``|follows_use|`` importance is r / (r + ``half_recalls``) of the item's ``recalls`` r, or 1 minus that where
    ``follows_use`` is negative. ``advantage``, in levels, is added at the end, as far as the range allows.
    """
    level = _importance_level(
        key, workload, streams, item, event, distribution, first, second, follows_use, half_recalls, recalls
    )
    return max(0, min(LEVELS, level + advantage))


@kernel
def _importance_level(
    key: int,
    workload: int,
    streams: int,
    item: int,
    event: int,
    distribution: int,
    first: float,
    second: float,
    follows_use: float,
    half_recalls: float,
    recalls: int,
) -> int:
    if follows_use != 0.0 and uniform(key, workload, streams + FOLLOWS_USE, item, event) < abs(follows_use):
        share = recalls / (recalls + half_recalls)
        return int((share if follows_use > 0.0 else 1.0 - share) * LEVELS + 0.5)
    if distribution == CONSTANT:
        return int(first * LEVELS + 0.5)
    if distribution == UNIFORM:
        return int(uniform_below(LEVELS + 1, key, workload, streams + IMPORTANCE, item, event))
    one = gamma(first, key, workload, streams + IMPORTANCE, item, event)
    other = gamma(second, key, workload, streams + IMPORTANCE_OTHER, item, event)
    return int(one / (one + other) * LEVELS + 0.5)


@kernel
def draw_category(
    key: int,
    workload: int,
    streams: int,
    item: int,
    event: int,
    thresholds: NDArray[np.int64],
    guide: NDArray[np.int64],
) -> int:
    """Return the number of a category, with the chances of a table from draws.weight_table, shape (category)."""
    return int(weighted_index(random_bits(key, workload, streams + CATEGORY, item, event), thresholds, guide))


@kernel
def draw_pinned(key: int, workload: int, streams: int, item: int, event: int, share: float) -> bool:
    """Tell whether an item is pinned."""
    return bool(uniform(key, workload, streams + PINNED, item, event) < share)


@kernel
def draw_tokens(
    key: int, workload: int, streams: int, item: int, event: int, distribution: int, size: float, spread: float
) -> int:
    """Return an item's size, 1 … MOST_TOKENS: ``size`` itself, or a lognormal or Pareto number of that scale."""
    if distribution == LOGNORMAL:
        size = size * math.exp(spread * normal(uniform(key, workload, streams + TOKENS, item, event)))
    elif distribution == PARETO:
        size = size * math.exp(spread * exponential(uniform(key, workload, streams + TOKENS, item, event)))
    if size >= MOST_TOKENS:
        return MOST_TOKENS
    return max(1, int(size + 0.5))


@kernel
def draw_attributes(
    keys: NDArray[np.int64],
    workload: int,
    item_start: NDArray[np.int64],
    item_kind: NDArray[np.int8],
    touch_start: NDArray[np.int64],
    touch_turn: NDArray[np.int32],
    importance_distribution: int,
    first: float,
    second: float,
    follows_use: float,
    half_recalls: float,
    foundational_advantage: int,
    only_category: int,
    thresholds: NDArray[np.int64],
    guide: NDArray[np.int64],
    pinned_share: float,
    token_distribution: int,
    size: float,
    spread: float,
    place: NDArray[np.int32],
    item_attributes: NDArray[np.int32],
    item_tokens: NDArray[np.int32],
) -> None:
    """Write the attributes and sizes of every listed item of a block, shapes as in SessionBlock.

    ``only_category`` is the category of all items, -1 where it is drawn. ``place`` says where the combination
    (importance × CATEGORY_COUNT + category) × 2 + pinned stands in the block's list.
    ``item_attributes`` and ``item_tokens`` (item) are written; either may be empty, and is left alone then.
    """
    for session in range(len(keys)):
        key = keys[session]
        turn = 0  # of the registration of the latest noise item
        event = 0
        number = 0
        for item in range(item_start[session], item_start[session + 1]):
            recalls = touch_start[item + 1] - touch_start[item] - 1
            if item_kind[item] == 1:
                streams = 0
                advantage = foundational_advantage
                address = number
                number += 1
            else:
                streams = NOISE_STREAMS
                advantage = 0
                address = int(touch_turn[touch_start[item]])
                event = event + 1 if address == turn else 0
                turn = address
            if len(item_attributes) > 0:
                importance = draw_importance(
                    key, workload, streams, address, event, importance_distribution, first, second,
                    follows_use, half_recalls, advantage, recalls,
                )  # fmt: skip
                category = only_category
                if category < 0:
                    category = draw_category(key, workload, streams, address, event, thresholds, guide)
                pinned = False
                if pinned_share > 0.0 and streams == 0:
                    pinned = draw_pinned(key, workload, streams, address, event, pinned_share)
                item_attributes[item] = place[(importance * CATEGORY_COUNT + category) * 2 + pinned]
            if len(item_tokens) > 0:
                item_tokens[item] = draw_tokens(
                    key, workload, streams, address, event, token_distribution, size, spread
                )
