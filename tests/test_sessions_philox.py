"""Philox against its published answers, compiled code against plain Python, and the distributions against their laws."""

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
LARGE = 1_000_000 if JIT else 1_000
SAMPLE = 50_000 if JIT else 2_000
SIZES = [SMALL, pytest.param(LARGE, marks=pytest.mark.thorough)]
LEAST_P = 1e-6

# Random123, tests/kat_vectors, every vector of the two four-word variants: counter, key, expected.
KNOWN_ANSWERS = """
4x32 7 00000000 00000000 00000000 00000000 00000000 00000000 5f6fb709 0d893f64 4f121f81 4f730a48
4x32 7 ffffffff ffffffff ffffffff ffffffff ffffffff ffffffff 5207ddc2 45165e59 4d8ee751 8c52f662
4x32 7 243f6a88 85a308d3 13198a2e 03707344 a4093822 299f31d0 4dfccaba 190a87f0 c47362ba b6b5242a
4x32 10 00000000 00000000 00000000 00000000 00000000 00000000 6627e8d5 e169c58d bc57ac4c 9b00dbd8
4x32 10 ffffffff ffffffff ffffffff ffffffff ffffffff ffffffff 408f276d 41c83b0e a20bc7c6 6d5451fd
4x32 10 243f6a88 85a308d3 13198a2e 03707344 a4093822 299f31d0 d16cfe09 94fdcceb 5001e420 24126ea1
4x64 7 0000000000000000 0000000000000000 0000000000000000 0000000000000000 0000000000000000 \
0000000000000000 5dc8ee6268ec62cd 139bc570b6c125a0 84d6deb4fb65f49e aff7583376d378c2
4x64 7 ffffffffffffffff ffffffffffffffff ffffffffffffffff ffffffffffffffff ffffffffffffffff \
ffffffffffffffff 071dd84367903154 48e2bbdc722b37d1 6afa9890bb89f76c 9194c8d8ada56ac7
4x64 7 243f6a8885a308d3 13198a2e03707344 a4093822299f31d0 082efa98ec4e6c89 452821e638d01377 \
be5466cf34e90c6c 513a366704edf755 f05d9924c07044d3 bef2cb9cbea74c6c 8db948de4caa1f8a
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
    """Philox-4x``size``: per round two products, whose halves trade places, mixed with the other words and the key."""
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
def second_uniform(key, workload, stream, item, event):
    """Return the second number of a pair: what a caller's own kernel looks like."""
    return philox.uniform_pair(key, workload, stream, item, event)[1]


def over_addresses(function):
    """Return a function of (addresses, *parameters) that is one compiled loop over ``function``."""

    @numba.njit
    def loop(addresses, out, *parameters):
        for j in range(out.size):
            i = 5 * j
            key, workload, stream = addresses[i], addresses[i + 1], addresses[i + 2]
            out[j] = function(*parameters, key, workload, stream, addresses[i + 3], addresses[i + 4])

    def run(addresses, *parameters):
        example = function(*parameters, *addresses[0].tolist())
        out = np.empty(len(addresses), dtype=type(example))
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


@numba.njit
def write_words(addresses, out):
    """Write the words of all addresses into ``out``; both are flat."""
    for j in range(addresses.size // 5):
        i, o = 5 * j, 4 * j
        key, workload, stream = addresses[i], addresses[i + 1], addresses[i + 2]
        words = philox.random_words(key, workload, stream, addresses[i + 3], addresses[i + 4])
        out[o], out[o + 1], out[o + 2], out[o + 3] = words


def words_of(addresses):
    """Return the words of each address, int64 (draw, 4)."""
    out = np.empty(4 * len(addresses), dtype=np.int64)
    write_words(addresses.ravel(), out)
    return out.reshape(-1, 4)


UNIFORMS = over_addresses(uniform)
BITS = over_addresses(philox.random_bits)
SECONDS = over_addresses(second_uniform)
BELOW = over_addresses(philox.uniform_below)
GAMMAS = over_addresses(philox.gamma)
EXPONENTIALS = over_fractions(philox.exponential)
GEOMETRICS = over_fractions(philox.geometric)
POISSONS = over_fractions(philox.poisson)
NORMALS = over_fractions(philox.normal)


def addresses_anywhere(count, seed=1):
    """Return addresses from all over the allowed ranges, the corners among them."""
    draw = np.random.default_rng(seed)
    columns = [draw.integers(-limit if limit == 2**63 else 0, limit, count) for limit in LIMITS]
    addresses = np.stack(columns, axis=1)
    addresses[:2] = [[-(2**63), 0, 0, 0, 0], [limit - 1 for limit in LIMITS]]
    return addresses


def addresses_along(axis, count, base=(0, 0, 0, 0, 0)):
    """Return ``count`` neighbouring addresses from ``base`` on that differ in one coordinate only."""
    addresses = np.tile(np.array(base, dtype=np.int64), (count, 1))
    addresses[:, AXES.index(axis)] += np.arange(count)
    return addresses


def test_the_counter_holds_the_address_and_the_key_the_seed():
    """The kernel is the definition at (event, item, stream, workload) under the seed's two halves."""
    addresses = addresses_anywhere(SMALL // 2)
    for (key, workload, stream, item, event), words in zip(
        addresses.tolist(), words_of(addresses).tolist(), strict=True
    ):
        halves = [key % 2**32, key % 2**64 >> 32]
        assert words == definition(32, [event, item, stream, workload], halves, 10)


@pytest.mark.parametrize("count", SIZES)
def test_compiled_words_and_numbers_equal_plain_ones(count):
    """What is built on bits is the same compiled and plain, in every bit and with Python's own types."""
    addresses = addresses_anywhere(count, seed=2)
    rows = addresses.tolist()
    words = plain(philox.random_words)
    assert words_of(addresses).tolist() == [list(words(*row)) for row in rows]
    for run, function in ((BITS, philox.random_bits), (UNIFORMS, uniform), (SECONDS, second_uniform)):
        twin = plain(function)
        expected = [twin(*row) for row in rows]
        assert {type(value) for value in expected} <= {int, float}
        assert run(addresses).tolist() == expected
    for run, function, parameters in (
        (BELOW, philox.uniform_below, (1, 6, 2**31 + 1, 2**32 - 1, 2**32)),
        (GAMMAS, philox.gamma, (0.1, 0.5, 1.0, 7.5)),
    ):
        for first, parameter in enumerate(parameters):
            part = addresses[first :: len(parameters)]
            assert run(part, parameter).tolist() == [plain(function)(parameter, *row) for row in part.tolist()]


FORMULAS = [
    (philox.exponential, EXPONENTIALS, [()]),
    (philox.geometric, GEOMETRICS, [(1e-9,), (0.001,), (0.3,), (0.97,), (1.0,)]),
    (philox.normal, NORMALS, [()]),
    (philox.poisson, POISSONS, [(3.0,)] * 6 + [(0.0,), (0.2,), (9.99,), (15.99,), (16.0,), (40.0,)]),
]


@pytest.mark.parametrize(("function", "run", "cases"), FORMULAS, ids=lambda value: getattr(value, "__name__", ""))
def test_compiled_formulas_equal_plain_ones_on_a_million_fractions(function, run, cases):
    """No last bit differs between the compiled formula and CPython's: 10**6 fractions, both ends among them."""
    fractions = np.random.default_rng(3).random(LARGE)
    fractions[:3] = [0.0, 2.0**-53, 1.0 - 2.0**-53]
    tails = LARGE // 10
    fractions[tails : 2 * tails] *= 1e-9
    fractions[2 * tails : 3 * tails] = 1.0 - fractions[2 * tails : 3 * tails] * 1e-9
    for first, parameters in enumerate(cases):
        part = fractions[first :: len(cases)]
        assert run(part, *parameters).tolist() == [plain(function)(u, *parameters) for u in part.tolist()]


def test_plain_functions_reach_no_compiled_code():
    """Every function that a plain one can name is plain, in this file's kernels as in the module's."""
    for function in (philox.gamma, philox.uniform_below, second_uniform):
        names = plain(function).__globals__
        assert not [name for name, value in names.items() if hasattr(value, "py_func")]
    assert plain(math.floor) is math.floor


def test_numpy_scalars_with_the_jit_off_give_the_same_draws_without_a_warning():
    """NUMBA_DISABLE_JIT=1 plays the same arithmetic on whatever comes out of an array."""
    addresses = addresses_anywhere(40, seed=4)
    program = """
import sys, warnings, numpy as np
from vecdecay.sessions.philox import *
from vecdecay.sessions.philox import poisson, gamma
warnings.simplefilter("error")
for row in np.array(eval(sys.stdin.read()), dtype=np.int64):
    print(random_bits(*row), uniform_below(np.int64(2**32 - 1), *row), poisson(np.float64(uniform(*row)), 20.0),
          repr(float(gamma(np.float64(0.5), *row))))
"""
    out = subprocess.run(
        [sys.executable, "-c", program],
        input=repr(addresses.tolist()),
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    columns = (
        BITS(addresses).tolist(),
        BELOW(addresses, 2**32 - 1).tolist(),
        POISSONS(UNIFORMS(addresses), 20.0).tolist(),
        GAMMAS(addresses, 0.5).tolist(),
    )
    assert [line.split() for line in out.splitlines()] == [list(map(repr, row)) for row in zip(*columns, strict=True)]


@pytest.mark.parametrize("axis", AXES)
def test_neighbouring_addresses_are_distinct_and_order_does_not_matter(axis):
    """Neighbours differ in their words, and a draw is the same alone, in part, and backwards."""
    addresses = addresses_along(axis, SAMPLE, (-300, 1, 2, 3, 4))
    bits = BITS(addresses)
    assert len(np.unique(bits)) == SAMPLE
    assert (BITS(addresses[::-1].copy())[::-1] == bits).all()
    assert (BITS(addresses[7::11].copy()) == bits[7::11]).all()


def test_distinct_seeds_have_distinct_keys():
    """Also 7 and −7, both ends of 64 bits, and numbers far beyond; vectors of seeds agree with single ones."""
    edges = [
        sign * (2**power + step) for power in (0, 31, 32, 63, 64, 65, 20_000) for step in (-1, 0, 1) for sign in (1, -1)
    ]
    seeds = sorted({*edges, *range(-500, 500)})
    keys = seed_keys(seeds)
    assert keys.tolist() == [seed_key(seed) for seed in seeds]
    assert len(set(keys.tolist())) == len(seeds)
    assert all(seed_key(seed) == seed for seed in seeds if -(2**63) <= seed < 2**63)
    # The SHA-256 of nine bytes, 00 00 00 00 00 00 00 80 00, by an outside program (sha256sum).
    assert seed_key(2**63) % 2**64 == 0xB7E16632B656FF8D


@pytest.mark.parametrize(
    "seeds",
    [
        range(0),
        range(-3, 9, 4),
        range(9, -3, -4),
        range(2**63 - 2, 2**63 + 2),
        range(-(2**63), 2**63, 2**62),
        range(0, 2**70, 2**69),
        np.array([1, 2**32 - 1], dtype=np.uint32),
        np.array([1, 2**64 - 1], dtype=np.uint64),
        np.array([-5, 2**63 - 1]),
        (seed for seed in (3, np.int64(4), True)),
    ],
    ids=str,
)
def test_seeds_may_come_in_any_container(seeds):
    """Ranges, arrays of any integer type and iterators give the keys of their members, as int64."""
    members = list(seeds) if not isinstance(seeds, np.ndarray) else seeds.tolist()
    keys = seed_keys(seeds if hasattr(seeds, "__len__") else iter(members))
    assert keys.dtype == np.int64
    assert keys.tolist() == [seed_key(int(member)) for member in members]


@pytest.mark.parametrize("seed", [1.0, "7", None, math.nan])
def test_what_is_no_whole_number_is_no_seed(seed):
    """A float, even a whole one, is refused in one line that names it."""
    with pytest.raises(InvalidInputError, match="allowed: a whole number"):
        seed_keys([seed])


@pytest.mark.parametrize("bound", [1, 6, 2**31 + 1, 2**32 - 1, 2**32])
def test_uniform_below_deals_out_evenly(bound):
    """Words whose lower product half lies in the leftover 2**32 mod bound are refused; each result keeps as many."""
    for key, workload, stream, item, event in addresses_anywhere(200, seed=6).tolist():
        halves, block = [key % 2**32, key % 2**64 >> 32], stream
        while (
            product := bound * definition(32, [event, item, block, workload], halves, 10)[0]
        ) % 2**32 < 2**32 % bound:
            block += 2**16
        assert philox.uniform_below(bound, key, workload, stream, item, event) == product >> 32


def test_normal_is_the_standard_librarys_quantile():
    """Within two units in the last place, over all three approximations (an outside program: not exact)."""
    fractions = [
        *np.random.default_rng(8).random(5000),
        *(2.0**-power for power in range(1, 54)),
        1 - 2.0**-53,
    ]
    for u in fractions:
        expected = NormalDist().inv_cdf(u)
        assert abs(philox.normal(u) - expected) <= 2 * math.ulp(expected)
    assert philox.normal(0.0) == philox.normal(2.0**-54)


@pytest.mark.parametrize("mean", [0.3, 1.0, 7.99, 15.99, 16.0, 17.3, 99.5, 1e4])
def test_poisson_starts_from_the_right_mass(mean):
    """The mass of the mode agrees with 40 decimal digits to what rounding its exponent allows."""
    getcontext().prec = 40
    mode, exact = int(mean), Decimal(mean)
    expected = exact**mode * (-exact).exp() / math.factorial(mode)
    error = abs(Decimal(plain(philox._poisson_mode_mass)(mode, mean)) / expected - 1)
    assert error < Decimal(4e-16) * (1 + mode)


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


def chi_square_p(observed, expected):
    """Two-sided p-value of Pearson's statistic, by Wilson and Hilferty's cube root; cells below 10 are pooled."""
    rare = expected < 10
    cells = [np.append(counts[~rare], counts[rare].sum()) for counts in (observed, expected)]
    cells = [counts[cells[1] > 0] for counts in cells]
    freedom = len(cells[0]) - 1
    ratio = float(((cells[0] - cells[1]) ** 2 / cells[1]).sum()) / freedom
    spread = 2 / (9 * freedom)
    return math.erfc(abs(ratio ** (1 / 3) - 1 + spread) / math.sqrt(2 * spread))


def even_p(numbers, cells):
    """p-value that whole numbers are spread evenly over 0 … cells − 1."""
    return chi_square_p(np.bincount(numbers, minlength=cells), np.full(cells, len(numbers) / cells))


def kolmogorov_p(fractions):
    """p-value that fractions are uniform (Kolmogorov's series with Stephens' correction)."""
    n, values = len(fractions), np.sort(fractions)
    distance = max((np.arange(1, n + 1) / n - values).max(), (values - np.arange(n) / n).max())
    x = (math.sqrt(n) + 0.12 + 0.11 / math.sqrt(n)) * distance
    return min(1.0, 2 * sum((-1) ** (j - 1) * math.exp(-2 * (j * x) ** 2) for j in range(1, 101)))


def pair_p(first, second):
    """p-value that two columns of fractions are independent and uniform: 16 × 16 cells."""
    return even_p((first * 16).astype(int) * 16 + (second * 16).astype(int), 256)


def test_the_p_values_are_right_and_see_faults():
    """Known quantiles; and a stuck bit, a short period, a dependence are far below the limit."""
    even = np.full(101, 1000.0)
    for statistic, p in ((124.342, 0.05 * 2), (149.449, 0.001 * 2)):
        observed = even + math.sqrt(statistic * 1000 / 2) * (np.arange(101) < 2) * [1, -1, *[0] * 99]
        assert chi_square_p(observed, even) == pytest.approx(p, rel=0.05)
    assert kolmogorov_p((np.arange(10_000) + 0.5) / 10_000 * (1 - 0.01358)) == pytest.approx(0.05, rel=0.1)
    u = np.random.default_rng(1).random(SAMPLE)
    assert min(pair_p(u[1:], u[:-1]), kolmogorov_p(u), even_p((u * 256).astype(int), 256)) > 1e-3
    assert max(pair_p(u, u), kolmogorov_p(u * 0.9), even_p((u * 256).astype(int) | 1, 256)) < LEAST_P


BASES = [(0, 0, 0, 0, 0), (-1, 7, 1, 0, 1), (2**62, 2**31, 9, 2**31, 2**31), (-(2**62), 3, 2, 10**9, 150)]


@pytest.mark.parametrize("base", BASES, ids=str)
@pytest.mark.parametrize("axis", AXES)
def test_draws_are_uniform_and_independent_along_an_axis(axis, base):
    """Counting up any coordinate: each byte end of each word, both uniforms, and neighbouring draws."""
    addresses = addresses_along(axis, SAMPLE, base)
    words, u, v = words_of(addresses), UNIFORMS(addresses), SECONDS(addresses)
    ends = [even_p(words[:, i] >> shift & 255, 256) for i in range(4) for shift in (0, 24)]
    assert min(*ends, kolmogorov_p(u), kolmogorov_p(v), pair_p(u, v), pair_p(u[1:], u[:-1])) > LEAST_P


@pytest.mark.parametrize("other", AXES)
@pytest.mark.parametrize("axis", AXES)
def test_streams_are_independent_of_their_neighbours(axis, other):
    """Draws along one coordinate, and the same draws one step, or a power of two, away in another."""
    addresses = addresses_along(axis, SAMPLE, BASES[1])
    for step in (1, 2, 2**12):
        away = addresses.copy()
        away[:, AXES.index(other)] += step
        assert pair_p(UNIFORMS(addresses), UNIFORMS(away)) > LEAST_P


def fractions_of(stream):
    """Return a sample of uniform fractions of one stream."""
    return UNIFORMS(addresses_along("event", SAMPLE, (20, 5, stream, 0, 0)))


@pytest.mark.parametrize("stream", range(3))
def test_continuous_distributions_follow_their_laws(stream):
    """Kolmogorov's test of the distribution function at each sample, which has a closed form."""
    addresses = addresses_along("item", SAMPLE, (21, 5, stream, 0, 0))
    g = {shape: GAMMAS(addresses, shape) for shape in (0.5, 1.0, 1.5, 2.0, 7.0)}
    other = GAMMAS(addresses + [0, 0, 100, 0, 0], 3.0)
    erf, exp = np.vectorize(math.erf), np.exp
    assert kolmogorov_p(1 - exp(-EXPONENTIALS(fractions_of(stream)))) > LEAST_P
    assert kolmogorov_p(0.5 + 0.5 * erf(NORMALS(fractions_of(stream)) / math.sqrt(2))) > LEAST_P
    assert kolmogorov_p(erf(np.sqrt(g[0.5]))) > LEAST_P
    assert kolmogorov_p(1 - exp(-g[1.0])) > LEAST_P
    assert kolmogorov_p(erf(np.sqrt(g[1.5])) - 2 * np.sqrt(g[1.5] / math.pi) * exp(-g[1.5])) > LEAST_P
    assert kolmogorov_p(1 - exp(-g[2.0]) * (1 + g[2.0])) > LEAST_P
    assert kolmogorov_p(1 - exp(-g[7.0]) * sum(g[7.0] ** k / math.factorial(k) for k in range(7))) > LEAST_P
    assert kolmogorov_p(1 - (1 - g[1.0] / (g[1.0] + other)) ** 3) > LEAST_P  # beta(1, 3)


def geometric_mass(k, p):
    """Return the probability of k failures before the first success."""
    return p * (1 - p) ** k


def poisson_mass(k, mean):
    """Return the probability of k events."""
    return math.exp(k * math.log(mean) - mean - math.lgamma(k + 1))


DISCRETE = [(GEOMETRICS, geometric_mass, p) for p in (0.01, 0.3, 0.9)]
DISCRETE += [(POISSONS, poisson_mass, mean) for mean in (0.2, 3.0, 15.9, 16.0, 40.5, 1000.0, 30_000.0)]


@pytest.mark.parametrize(("run", "mass", "parameter"), DISCRETE)
def test_discrete_distributions_follow_their_laws(run, mass, parameter):
    """Pearson's test of the counts of every outcome, the rare ones pooled."""
    sample = run(fractions_of(3), parameter)
    expected = np.array([mass(k, parameter) for k in range(max(sample) + 1)])
    counts = np.append(np.bincount(sample), 0)
    assert chi_square_p(counts, np.append(expected, 1 - expected.sum()) * SAMPLE) > LEAST_P


@pytest.mark.parametrize("exponent", [0.0, 0.8, 1.0, 2.5])
def test_choices_follow_their_weights(exponent):
    """Zipf's law over 1,000 items, and an even choice below a bound."""
    bits = BITS(addresses_along("event", SAMPLE, (9, 5, 7, 0, 0)))
    thresholds, guide = philox.zipf_table(1000, exponent)
    sample = [philox.weighted_index(number, thresholds, guide) for number in bits.tolist()]
    weights = np.arange(1, 1001) ** -exponent
    assert chi_square_p(np.bincount(sample, minlength=1000), weights / weights.sum() * SAMPLE) > LEAST_P
    for bound in (2, 6, 999):
        below = BELOW(addresses_along("seed", SAMPLE, (int(exponent * 10**6), 5, 8, 0, 0)), bound)
        assert even_p(below, bound) > LEAST_P
