"""Keys for seeds, refusals, and the plain twin: what surrounds the kernels of random draws."""

import math
import os
import subprocess
import sys

import numpy as np
import pytest

from vecdecay.errors import InvalidInputError
from vecdecay.sessions import philox
from vecdecay.sessions.draws import plain, seed_key, seed_keys, weight_table


def test_distinct_seeds_have_distinct_keys():
    """Also 7 and −7, both ends of 64 bits, and numbers far beyond."""
    edges = [2**power + step for power in (0, 31, 32, 63, 64, 65, 71, 20_000) for step in (-1, 0, 1)]
    seeds = sorted({*edges, *(-edge for edge in edges), *range(-500, 500)})
    assert len({seed_key(seed) for seed in seeds}) == len(seeds)
    assert all(seed_key(seed) == seed for seed in seeds if -(2**63) <= seed < 2**63)
    for some in (seeds, range(-3, 9, 4), range(2**63 - 2, 2**63 + 2), np.array([1, 2**64 - 1], dtype="u8")):
        assert seed_keys(some).tolist() == [seed_key(int(seed)) for seed in some]
    # The SHA-256 of the bytes 00 00 00 00 00 00 00 80 00, by an outside program (sha256sum).
    assert seed_key(2**63) % 2**64 == 0xB7E16632B656FF8D


def test_bad_input_is_refused():
    """What is no whole number is no seed; weights and exponents are above 0; all mistakes are named at once."""
    for function, arguments, words in [
        (seed_keys, ([7, 1.0],), "seed is 1.0"),
        (weight_table, ([1, -1, math.nan],), "weight 1 is -1.0.*\nweight 2 is nan"),
        (weight_table, ([0, 0],), "no weight is above 0"),
    ]:
        with pytest.raises(InvalidInputError, match=words):
            function(*arguments)


RANGES = [(0,), (-3, 9, 4), (9, -3, -4), (2**63 - 2, 2**63 + 2), (-(2**63), 2**63, 2**62), (0, 2**70, 2**69)]
ARRAYS = [np.array(v, dtype=t) for v, t in (([1, 2**32 - 1], "u4"), ([1, 2**64 - 1], "u8"), ([-5, 2**63 - 1], "i8"))]


@pytest.mark.parametrize("seeds", [*(range(*ends) for ends in RANGES), *ARRAYS, [3, np.int64(4), True]], ids=str)
def test_seeds_may_come_in_any_container(seeds):
    """Ranges, arrays of any integer type, lists and iterators give the keys of their members, as int64."""
    for keys in (seed_keys(seeds), seed_keys(iter(seeds))):
        assert keys.dtype == np.int64
        assert keys.tolist() == [seed_key(int(seed)) for seed in seeds]


JIT_OFF = """
import sys, warnings, numpy as np, vecdecay.sessions.philox as p
warnings.simplefilter("error")
for row in np.array(eval(sys.stdin.read())):
    big, half, mean = np.int64(2**32 - 1), np.float64(0.5), np.float64(20.0)
    print(p.random_bits(*row), p.uniform_below(big, *row), p.poisson(p.uniform(*row), mean), float(p.gamma(half, *row)))
"""


def test_numpy_scalars_with_the_jit_off_give_the_same_draws_without_a_warning():
    """NUMBA_DISABLE_JIT=1 plays the same arithmetic on whatever comes out of an array."""
    draw = np.random.default_rng(4)
    rows = np.column_stack([draw.integers(-(2**63), 2**63 - 1, 40), draw.integers(0, 2**16, (40, 4))]).tolist()
    command, environment = [sys.executable, "-c", JIT_OFF], os.environ | {"NUMBA_DISABLE_JIT": "1"}
    out = subprocess.run(command, input=repr(rows), env=environment, capture_output=True, text=True, check=True).stdout
    for line, row in zip(out.splitlines(), rows, strict=True):
        events = philox.poisson(philox.uniform(*row), 20.0)
        draws = philox.random_bits(*row), philox.uniform_below(2**32 - 1, *row), events, philox.gamma(0.5, *row)
        assert line.split() == [repr(value) for value in draws]


def test_plain_leaves_ordinary_functions_alone():
    """What is no kernel has no twin."""
    assert plain(math.floor) is math.floor
