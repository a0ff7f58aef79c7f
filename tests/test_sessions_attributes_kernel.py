"""Tests of vecdecay.sessions.attributes_kernel: compiled equals plain, and every draw stays at its address."""

import numpy as np
import pytest

from vecdecay.sessions import attributes_kernel as kernels
from vecdecay.sessions.draws import plain, weight_table

ADDRESSES = [
    tuple(row)
    for row in np.random.default_rng(7).integers(-(2**63), 2**63 - 1, (200, 1)).tolist()
]  # fmt: skip


@pytest.mark.parametrize("distribution", [kernels.CONSTANT, kernels.UNIFORM, kernels.BETA])
@pytest.mark.parametrize("follows", [0.0, 0.5, -1.0])
def test_compiled_importance_equals_plain(distribution: int, follows: float) -> None:
    """On keys from all over 64 bits, and always a level from 0 to 100."""
    levels = set()
    for number, (key,) in enumerate(ADDRESSES):
        arguments = (key, 5, 8, number, 3 * number, distribution, 0.7, 2.5, follows, 4.0, -20, number % 9)
        level = plain(kernels.draw_importance)(*arguments)
        assert kernels.draw_importance(*arguments) == level
        assert 0 <= level <= kernels.LEVELS
        levels.add(level)
    assert len(levels) > 1 or (distribution == kernels.CONSTANT and follows == 0.0)


@pytest.mark.parametrize("distribution", [kernels.CONSTANT, kernels.LOGNORMAL, kernels.PARETO])
@pytest.mark.parametrize(("size", "spread"), [(1.0, 0.0), (300.0, 1.0), (1e6, 10.0)])
def test_compiled_sizes_equal_plain(distribution: int, size: float, spread: float) -> None:
    """From 1 to a million tokens."""
    for number, (key,) in enumerate(ADDRESSES):
        arguments = (key, 5, 0, number, 0, distribution, size, spread)
        tokens = plain(kernels.draw_tokens)(*arguments)
        assert kernels.draw_tokens(*arguments) == tokens
        assert 1 <= tokens <= kernels.MOST_TOKENS


def test_compiled_categories_and_pins_equal_plain() -> None:
    """Each from a stream of its own."""
    table = weight_table((0.25, 0.5, 0.0, 0.25))
    for number, (key,) in enumerate(ADDRESSES):
        address = (key, 5, 8, number, 1)
        assert kernels.draw_category(*address, *table) == plain(kernels.draw_category)(*address, *table)
        assert kernels.draw_pinned(*address, 0.5) == plain(kernels.draw_pinned)(*address, 0.5)


def test_noise_and_other_items_have_draws_of_their_own() -> None:
    """The same numbers as address of a noise item and of another give unrelated sizes."""
    draws = [
        [kernels.draw_tokens(3, 1, streams, item, 0, kernels.PARETO, 1000.0, 1.0) for item in range(100)]
        for streams in (0, kernels.NOISE_STREAMS)
    ]
    assert sum(one == other for one, other in zip(*draws, strict=True)) < 5
