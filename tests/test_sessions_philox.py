"""Philox against its published answers, compiled against plain, and the distributions against their laws."""

import math
import os
import random
import subprocess
import sys
from decimal import Decimal, getcontext
from fractions import Fraction
from statistics import NormalDist

import numba
import numpy as np
import pytest

from vecdecay.errors import InvalidInputError
from vecdecay.sessions import philox
from vecdecay.sessions.philox import plain, seed_key, seed_keys, uniform

JIT = not numba.config.DISABLE_JIT
SMALL = 20_000 if JIT else 200
LARGE = 1_000_000 if JIT else 2_000
SAMPLE = 50_000 if JIT else 2_000
LEAST_P = 1e-6

# Random123, tests/kat_vectors, 4x32 (also with 7 rounds) and 4x64-10: counter, key, expected.
KNOWN_ANSWERS = """
4x32 7 00000000 00000000 00000000 00000000 00000000 00000000 5f6fb709 0d893f64 4f121f81 4f730a48
4x32 7 ffffffff ffffffff ffffffff ffffffff ffffffff ffffffff 5207ddc2 45165e59 4d8ee751 8c52f662
4x32 7 243f6a88 85a308d3 13198a2e 03707344 a4093822 299f31d0 4dfccaba 190a87f0 c47362ba b6b5242a
4x32 10 00000000 00000000 00000000 00000000 00000000 00000000 6627e8d5 e169c58d bc57ac4c 9b00dbd8
4x32 10 ffffffff ffffffff ffffffff ffffffff ffffffff ffffffff 408f276d 41c83b0e a20bc7c6 6d5451fd
4x32 10 243f6a88 85a308d3 13198a2e 03707344 a4093822 299f31d0 d16cfe09 94fdcceb 5001e420 24126ea1
4x64 10 0000000000000000 0000000000000000 0000000000000000 0000000000000000 0000000000000000 \
0000000000000000 16554d9eca36314c db20fe9d672d0fdc d7e772cee186176b 7e68b68aec7ba23b
4x64 10 ffffffffffffffff ffffffffffffffff ffffffffffffffff ffffffffffffffff ffffffffffffffff \
ffffffffffffffff 87b092c3013fe90b 438c3c67be8d0224 9cc7d7c69cd777b6 a09caebf594f0ba0
4x64 10 243f6a8885a308d3 13198a2e03707344 a4093822299f31d0 082efa98ec4e6c89 452821e638d01377 \
be5466cf34e90c6c a528f45403e61d95 38c72dbd566e9788 a5a1610e72fd18b5 57bd43b5e52b7fe6
""".strip().splitlines()

# Word size: multipliers, then steps of the key.
CONSTANTS = {
    32: ((0xD2511F53, 0xCD9E8D57), (0x9E3779B9, 0xBB67AE85)),
    64: ((0xD2E7470EE14C6C93, 0xCA5A826395121157), (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)),
}


def definition(size, counter, key, rounds):
    """Philox-4x``size``: per round two products, whose halves trade places and mix with the other words and the key."""
    (m0, m1), steps = CONSTANTS[size]
    c0, c1, c2, c3 = counter
    for turn in range(rounds):
        k0, k1 = ((k + turn * step) % 2**size for k, step in zip(key, steps, strict=True))
        (high0, low0), (high1, low1) = divmod(m0 * c0, 2**size), divmod(m1 * c2, 2**size)
        c0, c1, c2, c3 = high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0
    return [c0, c1, c2, c3]


@pytest.mark.parametrize("line", KNOWN_ANSWERS)
def test_published_known_answers(line):
    """Every published vector is met by the definition, and those of 4x32 by the kernel, compiled and plain."""
    variant, rounds, *numbers = line.split()
    words = [int(number, 16) for number in numbers]
    assert definition(int(variant[2:]), words[:4], words[4:6], int(rounds)) == words[6:]
    if variant == "4x32":
        for function in (philox.philox4x32, plain(philox.philox4x32)):
            assert list(function(*words[:6], int(rounds))) == words[6:]


def test_numpys_philox_agrees_where_it_is_the_same_variant():
    """NumPy's Philox is 4x64-10 and counts before it draws: the definition at that size gives its words."""
    draw = random.Random(5)
    for _ in range(300):
        counter, key = draw.getrandbits(256), draw.getrandbits(128)
        words = [[number >> 64 * i & (2**64 - 1) for i in range(n)] for number, n in ((counter, 4), (key, 2))]
        numpys = np.random.Philox(counter=(counter - 1) % 2**256, key=key).random_raw(4)
        assert definition(64, *words, 10) == numpys.tolist()


# Addresses are arrays (draw, 5) in this order.
AXES = ("seed", "workload", "stream", "item", "event")
LIMITS = [2**63, 2**32, 2**16, 2**32, 2**32]


@numba.njit
def word(which, key, workload, stream, item, event):
    """Return one word of an address; this is what a caller's own kernel looks like."""
    return philox.random_words(key, workload, stream, item, event)[which]


@numba.njit
def second_uniform(key, workload, stream, item, event):
    """Return the second number of a pair."""
    return philox.uniform_pair(key, workload, stream, item, event)[1]


def over_addresses(function):
    """Return a function of (addresses, *parameters) that is one compiled loop over ``function``."""

    @numba.njit
    def loop(a, out, *parameters):
        for j in range(out.size):
            i = 5 * j
            out[j] = function(*parameters, a[i], a[i + 1], a[i + 2], a[i + 3], a[i + 4])

    def run(addresses, *parameters):
        out = np.empty(len(addresses), dtype=type(function(*parameters, *addresses[0].tolist())))
        loop(addresses.ravel(), out, *parameters)
        return out

    return run


def over_fractions(function):
    """Return a function of (fractions, *parameters) that is one compiled loop over ``function``."""

    @numba.njit
    def loop(fractions, out, *parameters):
        for j in range(out.size):
            out[j] = function(fractions[j], *parameters)

    def run(fractions, *parameters):
        out = np.empty(len(fractions), dtype=type(function(0.5, *parameters)))
        loop(fractions, out, *parameters)
        return out

    return run


ON_ADDRESSES = (word, second_uniform, uniform, philox.random_bits, philox.uniform_below, philox.gamma)
WORD, SECOND, UNIFORM, BITS, BELOW, GAMMA = map(over_addresses, ON_ADDRESSES)
ON_FRACTIONS = (philox.exponential, philox.normal, philox.geometric, philox.poisson)
EXPONENTIAL, NORMAL, GEOMETRIC, POISSON = map(over_fractions, ON_FRACTIONS)


def addresses_anywhere(count, seed=1):
    """Return addresses from all over the allowed ranges, the corners among them."""
    draw = np.random.default_rng(seed)
    columns = [draw.integers(-limit if limit == 2**63 else 0, limit, count) for limit in LIMITS]
    addresses = np.stack(columns, axis=1)
    addresses[:2] = [[-(2**63), 0, 0, 0, 0], [limit - 1 for limit in LIMITS]]
    return addresses


def addresses_along(axis, base, count=SAMPLE):
    """Return ``count`` neighbouring addresses from ``base`` on that differ in one coordinate only."""
    addresses = np.tile(np.array(base, dtype=np.int64), (count, 1))
    addresses[:, AXES.index(axis)] += np.arange(count)
    return addresses


def test_the_counter_holds_the_address_and_the_key_the_seed():
    """The words are the definition's at (event, item, stream, workload); bits and fractions are cut from them."""
    addresses = addresses_anywhere(SMALL // 4)
    results = [WORD(addresses, i) for i in range(4)], BITS(addresses), UNIFORM(addresses), SECOND(addresses)
    for (key, workload, stream, item, event), words, bits, first, second in zip(
        addresses.tolist(), np.transpose(results[0]).tolist(), *(r.tolist() for r in results[1:]), strict=True
    ):
        halves = [key % 2**32, key % 2**64 >> 32]
        assert words == definition(32, [event, item, stream, workload], halves, 10)
        assert bits == (words[0] * 2**32 + words[1]) >> 2
        assert first * 2**53 == (words[0] >> 5) * 2**26 + (words[1] >> 6)
        assert second * 2**53 == (words[2] >> 5) * 2**26 + (words[3] >> 6)


@pytest.mark.parametrize("count", [SMALL, pytest.param(LARGE, marks=pytest.mark.thorough)])
@pytest.mark.parametrize(
    ("run", "function", "cases"),
    [
        (WORD, word, [(0,), (1,), (2,), (3,)]),
        (SECOND, second_uniform, [()]),
        (UNIFORM, uniform, [()]),
        (BITS, philox.random_bits, [()]),
        (BELOW, philox.uniform_below, [(1,), (6,), (2**31 + 1,), (2**32 - 1,), (2**32,)]),
        (GAMMA, philox.gamma, [(0.1,), (0.5,), (1.0,), (7.5,)]),
    ],
)
def test_compiled_draws_equal_plain_ones(run, function, cases, count):
    """What is drawn at an address is the same compiled and plain, in every bit and of Python's own types."""
    for first, parameters in enumerate(cases):
        part = addresses_anywhere(count, seed=2)[first :: len(cases)]
        expected = [plain(function)(*parameters, *row) for row in part.tolist()]
        assert run(part, *parameters).tolist() == expected
        assert {type(value) for value in expected} <= {int, float}


@pytest.mark.parametrize(
    ("run", "function", "cases"),
    [
        (EXPONENTIAL, philox.exponential, [()]),
        (NORMAL, philox.normal, [()]),
        (GEOMETRIC, philox.geometric, [(1e-9,), (0.001,), (0.3,), (0.97,), (1.0,)]),
        (POISSON, philox.poisson, [(3.0,)] * 6 + [(0.0,), (0.2,), (9.99,), (15.99,), (16.0,), (40.0,)]),
    ],
)
def test_compiled_formulas_equal_plain_ones_on_a_million_fractions(run, function, cases):
    """No last bit differs between the compiled formula and CPython's; both ends and both tails are among them."""
    fractions = np.random.default_rng(3).random(LARGE)
    tails = slice(0, LARGE // 3, 2), slice(1, LARGE // 3, 2)
    fractions[tails[0]] *= 1e-9
    fractions[tails[1]] = 1.0 - fractions[tails[1]] * 1e-9
    fractions[:3] = [0.0, 2.0**-53, 1.0 - 2.0**-53]
    for first, parameters in enumerate(cases):
        part = fractions[first :: len(cases)]
        assert run(part, *parameters).tolist() == [plain(function)(u, *parameters) for u in part.tolist()]


def test_plain_functions_reach_no_compiled_code():
    """Every function that a plain one can name is plain, in a caller's file as in the module."""
    for function in (philox.gamma, philox.uniform_below, second_uniform):
        names = plain(function).__globals__
        assert not [name for name, value in names.items() if hasattr(value, "py_func")]
    assert plain(math.floor) is math.floor


JIT_OFF = """
import sys, warnings, numpy as np, vecdecay.sessions.philox as p
warnings.simplefilter("error")
for row in np.array(eval(sys.stdin.read())):
    big, half, mean = np.int64(2**32 - 1), np.float64(0.5), np.float64(20.0)
    print(p.random_bits(*row), p.uniform_below(big, *row), p.poisson(p.uniform(*row), mean), float(p.gamma(half, *row)))
"""


def test_numpy_scalars_with_the_jit_off_give_the_same_draws_without_a_warning():
    """NUMBA_DISABLE_JIT=1 plays the same arithmetic on whatever comes out of an array."""
    addresses = addresses_anywhere(40, seed=4)
    rows, environment = repr(addresses.tolist()), os.environ | {"NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-c", JIT_OFF]
    out = subprocess.run(command, input=rows, env=environment, capture_output=True, text=True, check=True).stdout
    columns = BITS(addresses), BELOW(addresses, 2**32 - 1), POISSON(UNIFORM(addresses), 20.0), GAMMA(addresses, 0.5)
    assert [line.split() for line in out.splitlines()] == np.transpose([c.astype(str) for c in columns]).tolist()


@pytest.mark.parametrize("axis", AXES)
def test_neighbouring_addresses_are_distinct_and_order_does_not_matter(axis):
    """Neighbours differ in their words, and a draw is the same alone, in part, and backwards."""
    addresses = addresses_along(axis, (-300, 1, 2, 3, 4))
    bits = BITS(addresses)
    assert len(np.unique(bits)) == SAMPLE
    assert (BITS(addresses[::-1])[::-1] == bits).all()
    assert (BITS(addresses[7::11]) == bits[7::11]).all()


def test_distinct_seeds_have_distinct_keys():
    """Also 7 and −7, both ends of 64 bits, and numbers far beyond."""
    edges = [2**power + step for power in (0, 31, 32, 63, 64, 65, 71, 20_000) for step in (-1, 0, 1)]
    seeds = sorted({*edges, *(-edge for edge in edges), *range(-500, 500)})
    assert len({seed_key(seed) for seed in seeds}) == len(seeds)
    assert all(seed_key(seed) == seed for seed in seeds if -(2**63) <= seed < 2**63)
    # The SHA-256 of the bytes 00 00 00 00 00 00 00 80 00, by an outside program (sha256sum).
    assert seed_key(2**63) % 2**64 == 0xB7E16632B656FF8D


RANGES = [(0,), (-3, 9, 4), (9, -3, -4), (2**63 - 2, 2**63 + 2), (-(2**63), 2**63, 2**62), (0, 2**70, 2**69)]
ARRAYS = [np.array(v, dtype=t) for v, t in (([1, 2**32 - 1], "u4"), ([1, 2**64 - 1], "u8"), ([-5, 2**63 - 1], "i8"))]


@pytest.mark.parametrize("seeds", [*(range(*ends) for ends in RANGES), *ARRAYS, [3, np.int64(4), True]], ids=str)
def test_seeds_may_come_in_any_container(seeds):
    """Ranges, arrays of any integer type, lists and iterators give the keys of their members, as int64."""
    for keys in (seed_keys(seeds), seed_keys(iter(seeds))):
        assert keys.dtype == np.int64
        assert keys.tolist() == [seed_key(int(seed)) for seed in seeds]


@pytest.mark.parametrize("seed", [1.0, "7", None, math.nan])
def test_what_is_no_whole_number_is_no_seed(seed):
    """A float, even a whole one, is refused in one line that names it."""
    with pytest.raises(InvalidInputError, match="allowed: a whole number"):
        seed_keys([seed])


@pytest.mark.parametrize("bound", [1, 6, 2**31 + 1, 2**32 - 1, 2**32])
def test_uniform_below_deals_out_evenly(bound):
    """Products whose lower half lies in the leftover 2**32 mod bound are refused; each result keeps as many."""
    for key, workload, stream, item, event in addresses_anywhere(200, seed=6).tolist():
        low, block = 0, stream - 2**16
        while low < 2**32 % bound or block < 0:
            block += 2**16
            first = definition(32, [event, item, block, workload], [key % 2**32, key % 2**64 >> 32], 10)[0]
            high, low = divmod(first * bound, 2**32)
        assert philox.uniform_below(bound, key, workload, stream, item, event) == high


def test_gamma_stays_at_its_address(monkeypatch):
    """Each attempt takes another block of the same stream, never the block of another stream."""
    names, asked = plain(philox.gamma).__globals__, []
    draw = names["uniform_pair"]
    monkeypatch.setitem(names, "uniform_pair", lambda *address: asked.append(address) or draw(*address))
    for event in range(2000):
        plain(philox.gamma)(1.0, 3, 1, 2, 0, event)
    assert len(set(asked)) == len(asked) > 2000
    assert {(stream % 2**16, stream >= 2**16) for _, _, stream, _, _ in asked} == {(2, True)}


def test_quantiles_are_those_of_outside_formulas():
    """Within two units in the last place: log1p, the standard library's normal; a geometric number exactly."""
    fractions = [*np.random.default_rng(8).random(5000).tolist(), *(2.0**-n for n in range(1, 54)), 1 - 2.0**-53]
    for u in fractions:
        for found, expected in ((philox.normal(u), NormalDist().inv_cdf(u)), (philox.exponential(u), -math.log1p(-u))):
            assert abs(found - expected) <= 2 * math.ulp(expected)
    for u in fractions[:500]:
        failures = philox.geometric(u, 0.25)
        assert Fraction(3, 4) ** (failures + 1) < 1 - Fraction(u) <= Fraction(3, 4) ** failures
    assert philox.normal(0.0) == philox.normal(2.0**-54)


def test_the_coefficients_of_the_normal_quantile_have_the_published_sums():
    """Wichura printed, per approximation, the sum of the coefficients' digits read as d.ddd…"""
    for part, total in (
        ("CENTRE", 55.8831928806149014),
        ("SHOULDER", 49.332065033016102),
        ("TAIL", 47.525833175492897),
    ):
        values = [*getattr(philox, f"_{part}_ABOVE"), *getattr(philox, f"_{part}_BELOW")[:-1]]
        assert math.fsum(float(f"{value:.17e}".split("e")[0]) for value in values) == pytest.approx(total, abs=1e-13)


@pytest.mark.parametrize("mean", [0.3, 1.0, 7.99, 15.99, 16.0, 17.3, 99.5, 1e4])
def test_poisson_starts_from_the_right_mass(mean):
    """The mass of the mode agrees with 40 decimal digits to what rounding its exponent allows."""
    getcontext().prec = 40
    mode, exact = int(mean), Decimal(mean)
    expected = exact**mode * (-exact).exp() / math.factorial(mode)
    error = abs(Decimal(plain(philox._poisson_mode_mass)(mode, mean)) / expected - 1)
    assert float(error) < 4e-16 * (1 + mode)


@pytest.mark.parametrize("weights", [[5], [1, 2, 3], [0, 0, 1e-300, 0, 1e300, 0], [0.1] * 10, list(range(3000))])
def test_weighted_index_follows_exact_thresholds(weights):
    """Thresholds are the exact shares; the guided search finds what a full search finds, at every edge."""
    thresholds, guide = philox.weight_table(weights)
    shares, total = np.cumsum([Fraction(w) for w in weights]), sum(map(Fraction, weights))
    assert thresholds.tolist() == [math.floor(share / total * 2**62) for share in shares]
    edges = np.concatenate([thresholds - 1, thresholds, [0, 2**62 - 1], BITS(addresses_anywhere(500))])
    bits = edges[(edges >= 0) & (edges < 2**62)]
    for function in (philox.weighted_index, plain(philox.weighted_index)):
        found = [function(number, thresholds, guide) for number in bits.tolist()]
        assert found == np.searchsorted(thresholds, bits, side="right").tolist()
        assert all(weights[index] > 0 for index in found)


def test_tables_refuse_bad_weights():
    """All mistakes are named at once."""
    for call, words in [
        (lambda: philox.weight_table([1, -1, math.nan]), "weight 1 is -1.0.*\nweight 2 is nan"),
        (lambda: philox.weight_table([math.inf]), "weight 0 is inf"),
        (lambda: philox.weight_table([0, 0]), "no weight is above 0"),
        (lambda: philox.zipf_table(0, math.nan), "num_items is 0.*\nexponent is nan"),
        (lambda: philox.zipf_table(3, -0.5), "exponent is -0.5"),
    ]:
        with pytest.raises(InvalidInputError, match=words):
            call()
