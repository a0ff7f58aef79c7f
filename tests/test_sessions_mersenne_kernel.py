"""The kernels behind ``mersenne``: the words of the generator itself, before they become doubles."""

import random

import numpy as np
import pytest

from vecdecay.sessions.mersenne import new_lanes_state, seed_key_words
from vecdecay.sessions.mersenne_kernel import STATE_WORDS, fill_random


@pytest.mark.parametrize("num_draws", [0, 1, STATE_WORDS // 2, STATE_WORDS // 2 + 1, 2 * STATE_WORDS])
def test_doubles_are_those_of_python_across_generations(num_draws: int) -> None:
    """Within the first 624 words, at their end, and beyond it."""
    words, start = seed_key_words([3, 2**40 + 1])
    out = np.full(2 * num_draws + 5, -1.0)
    fill_random(words, start, 0, 2, num_draws, new_lanes_state(8), out)
    expected = []
    for seed in (3, 2**40 + 1):
        stream = random.Random(seed)
        expected += [stream.random() for _ in range(num_draws)]
    assert out.tolist() == [*expected, *[-1.0] * 5]


def test_arguments_that_would_reach_outside_are_refused() -> None:
    """A kernel that is handed too little room says so; it does not write past the end."""
    words, start = seed_key_words([1, 2, 3])
    lanes = new_lanes_state(8)
    with pytest.raises(ValueError, match="out must hold"):
        fill_random(words, start, 0, 3, 4, lanes, np.empty(11))
    with pytest.raises(ValueError, match="keys of all the sessions"):
        fill_random(words, start, 1, 3, 4, lanes, np.empty(12))
    with pytest.raises(ValueError, match="0 or more"):
        fill_random(words, start, 0, -1, 4, lanes, np.empty(12))
