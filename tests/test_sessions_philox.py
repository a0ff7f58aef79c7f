"""Philox against its published answers, compiled against plain, and the distributions against their distributions."""

import math
import random
from decimal import Decimal, getcontext
from fractions import Fraction
from statistics import NormalDist

import numba
import numpy as np
import pytest
from significance import LEAST_P, chi_square_p, even_p, kolmogorov_p, mass_p

from vecdecay.sessions import draws, philox
from vecdecay.sessions.draws import plain
from vecdecay.sessions.philox import random_words, uniform, uniform_pair

JIT = not numba.config.DISABLE_JIT
SMALL = 20_000 if JIT else 200
LARGE = 1_000_000 if JIT else 2_000
SAMPLE = 50_000 if JIT else 4_000

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


# What callers' own kernels look like: they name the functions that they import.
word = numba.njit(lambda which, *address: random_words(*address)[which])
second_uniform = numba.njit(lambda *address: uniform_pair(*address)[1])


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
POISSON = over_fractions(philox.poisson)


def addresses_anywhere(count, seed=1):
    """Return addresses from all over the allowed ranges, the corners among them."""
    draw = np.random.default_rng(seed)
    addresses = np.stack([draw.integers(-(2**63) * (i < 1), LIMITS[i], count) for i in range(5)], axis=1)
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
    words = np.transpose([WORD(addresses, i) for i in range(4)])
    columns = [addresses, words, BITS(addresses), UNIFORM(addresses), SECOND(addresses)]
    rows = zip(*(column.tolist() for column in columns), strict=True)
    for (key, workload, stream, item, event), words, bits, first, second in rows:
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
    ("function", "cases"),
    [
        (philox.exponential, [()]),
        (philox.normal, [()]),
        (philox.poisson, [(3.0,)] * 6 + [(0.0,), (0.2,), (9.99,), (15.99,), (16.0,), (40.0,)]),
    ],
)
def test_compiled_formulas_equal_plain_ones_on_a_million_fractions(function, cases):
    """No last bit differs between the compiled formula and CPython's; both ends and both tails are among them."""
    fractions = np.random.default_rng(3).random(LARGE)
    tails = slice(0, LARGE // 3, 2), slice(1, LARGE // 3, 2)
    fractions[tails[0]] *= 1e-9
    fractions[tails[1]] = 1.0 - fractions[tails[1]] * 1e-9
    fractions[:3] = [0.0, 2.0**-53, 1.0 - 2.0**-53]
    run = over_fractions(function)
    for first, parameters in enumerate(cases):
        part = fractions[first :: len(cases)]
        assert run(part, *parameters).tolist() == [plain(function)(u, *parameters) for u in part.tolist()]


def test_plain_functions_reach_no_compiled_code():
    """Every function that a plain one can name is plain, in a caller's file as in the module."""
    for function in (philox.gamma, philox.uniform_below, word, second_uniform):
        names = plain(function).__globals__
        assert not [name for name, value in names.items() if hasattr(value, "py_func")]
    assert plain(math.floor) is math.floor


@pytest.mark.parametrize("axis", AXES)
def test_neighbouring_addresses_are_distinct_and_order_does_not_matter(axis):
    """Neighbours differ in their words, and a draw is the same alone, in part, and backwards."""
    addresses = addresses_along(axis, (-300, 1, 2, 3, 4))
    bits = BITS(addresses)
    assert len(np.unique(bits)) == SAMPLE
    assert (BITS(addresses[::-1])[::-1] == bits).all()
    assert (BITS(addresses[7::11]) == bits[7::11]).all()


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
    """Within two units in the last place: log1p, and the standard library's normal."""
    fractions = [*np.random.default_rng(8).random(5000).tolist(), *(2.0**-n for n in range(1, 54)), 1 - 2.0**-53]
    for u in fractions:
        for found, expected in ((philox.normal(u), NormalDist().inv_cdf(u)), (philox.exponential(u), -math.log1p(-u))):
            assert abs(found - expected) <= 2 * math.ulp(expected)
    assert philox.normal(0.0) == philox.normal(2.0**-54)


@pytest.mark.parametrize("mean", [0.3, 1.0, 7.99, 15.99, 16.0, 17.3, 99.5, 1e4])
def test_poisson_starts_from_the_right_mass(mean):
    """The mass of the mode agrees with 40 decimal digits to what rounding its exponent allows."""
    getcontext().prec = 40
    mode, exact = int(mean), Decimal(mean)
    expected = exact**mode * (-exact).exp() / math.factorial(mode)
    assert abs(Decimal(plain(philox._poisson_mode_mass)(mode, mean)) / expected - 1) < Decimal("4e-16") * (1 + mode)


@pytest.mark.parametrize("weights", [[5], [1, 2, 3], [0, 0, 1e-300, 0, 1e300, 0], [0.1] * 10, list(range(3000))])
def test_weighted_index_follows_exact_thresholds(weights):
    """Thresholds are the exact shares; the guided search finds what a full search finds, at every edge."""
    thresholds, guide = draws.weight_table(weights)
    shares, total = np.cumsum([Fraction(w) for w in weights]), sum(map(Fraction, weights))
    assert thresholds.tolist() == [math.floor(share / total * 2**62) for share in shares]
    edges = np.concatenate([thresholds - 1, thresholds, [0, 2**62 - 1], BITS(addresses_anywhere(500))])
    bits = edges[(edges >= 0) & (edges < 2**62)]
    for function in (philox.weighted_index, plain(philox.weighted_index)):
        found = [function(number, thresholds, guide) for number in bits.tolist()]
        assert found == np.searchsorted(thresholds, bits, side="right").tolist()
        assert all(weights[index] > 0 for index in found)


def pair_p(first, second):
    """Return the p-value that two columns of fractions are independent and uniform: 16 × 16 cells."""
    return even_p((first * 16).astype(int) * 16 + (second * 16).astype(int), 256)


def test_the_p_values_are_right_and_see_faults():
    """Tabled quantiles; and a stuck bit, a dependence and a wrong scale fall far below the limit."""
    for statistic, p in ((124.342, 0.05), (149.449, 0.001)):  # 100 degrees of freedom, one-sided
        observed = np.array([1000 + math.sqrt(statistic * 500), 1000 - math.sqrt(statistic * 500), *[1000] * 99])
        assert chi_square_p(observed, np.full(101, 1000.0)) == pytest.approx(2 * p, rel=0.05)
    assert kolmogorov_p((np.arange(10**4) + 0.5) / 10**4 * (1 - 0.01358)) == pytest.approx(0.05, rel=0.1)
    u = np.random.default_rng(1).random(SAMPLE)
    assert min(pair_p(u[1:], u[:-1]), kolmogorov_p(u), even_p((u * 256).astype(int), 256)) > 1e-3
    assert max(pair_p(u, u), kolmogorov_p(u * 0.9), even_p((u * 256).astype(int) | 1, 256)) < LEAST_P


BASES = [(0, 0, 0, 0, 0), (-1, 7, 1, 0, 1), (2**62, 2**31, 9, 2**31, 2**31), (-(2**62), 3, 2, 10**9, 150)]


@pytest.mark.parametrize("base", BASES, ids=str)
@pytest.mark.parametrize("axis", AXES)
def test_draws_are_uniform_and_independent_along_an_axis(axis, base):
    """Counting up any coordinate: both ends of each word, both uniforms, the pair, and neighbouring draws."""
    a = addresses_along(axis, base)
    u, v, ends = UNIFORM(a), SECOND(a), [WORD(a, i) >> shift & 255 for i in range(4) for shift in (0, 24)]
    pairs = pair_p(u, v), pair_p(u[1:], u[:-1])
    assert min(kolmogorov_p(u), kolmogorov_p(v), *pairs, *(even_p(end, 256) for end in ends)) > LEAST_P


@pytest.mark.parametrize("other", AXES)
@pytest.mark.parametrize("axis", AXES)
def test_streams_are_independent_of_their_neighbours(axis, other):
    """Draws along one coordinate, and the same draws a power of two away in another."""
    here = addresses_along(axis, BASES[1])
    for step in (1, 2, 2**12):
        away = here + step * (np.array(AXES) == other)
        assert pair_p(UNIFORM(here), UNIFORM(away)) > LEAST_P


def test_gamma_and_beta_variables_follow_their_distributions():
    """Kolmogorov's test where the distribution function has a closed form; beta from two streams."""
    a = addresses_along("item", (21, 5, 0, 0, 0), LARGE)
    half, one, more, seven = (GAMMA(a, shape) for shape in (0.5, 1.0, 1.5, 7.0))
    other = GAMMA(a + np.array([0, 0, 1, 0, 0]), 3.0)
    error = np.vectorize(math.erf)
    assert kolmogorov_p(error(np.sqrt(half))) > LEAST_P
    assert kolmogorov_p(1 - np.exp(-one)) > LEAST_P
    assert kolmogorov_p(error(np.sqrt(more)) - 2 * np.sqrt(more / math.pi) * np.exp(-more)) > LEAST_P
    assert kolmogorov_p(1 - np.exp(-seven) * sum(seven**k / math.factorial(k) for k in range(7))) > LEAST_P
    assert kolmogorov_p(1 - (1 - one / (one + other)) ** 3) > LEAST_P


@pytest.mark.parametrize("mean", [0.2, 3.0, 15.9, 16.0, 40.5, 1000.0, 30_000.0])
def test_numbers_of_events_follow_their_distributions(mean):
    """Pearson's test of the counts of every outcome of a Poisson number, the rare ones pooled."""
    sample = POISSON(UNIFORM(addresses_along("event", (20, 5, 3, 0, 0))), mean)
    assert mass_p(sample, lambda k: math.exp(k * math.log(mean) - mean - math.lgamma(k + 1))) > LEAST_P


@pytest.mark.parametrize("exponent", [0.0, 0.8, 1.0, 2.5])
def test_choices_follow_their_weights(exponent):
    """Zipf weights over 1,000 items."""
    table = draws.weight_table([math.exp(-exponent * math.log(rank)) for rank in range(1, 1001)])
    bits = BITS(addresses_along("event", (9, 5, 7, 0, 0))).tolist()
    counts = np.bincount([philox.weighted_index(number, *table) for number in bits], minlength=1000)
    weights = np.arange(1, 1001) ** -exponent
    assert chi_square_p(counts, weights / weights.sum() * SAMPLE) > LEAST_P
