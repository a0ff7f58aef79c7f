"""Random draws that have an address instead of a history: Philox-4x32-10, and the distributions built on it.

A draw is a pure function of (seed, workload, stream, item, event). Nothing is stored between draws, so no
draw depends on how many others were made, on order, block size, threads or the number of items. The address
fills the generator's words:

===============  =========================================================================
key, 64 bits     the seed, see :func:`vecdecay.sessions.draws.seed_key`
counter word 0   event, 0 … 2**32 − 1 (a turn, or the running number of a draw)
counter word 1   item, 0 … 2**32 − 1 (0 for draws that belong to the whole session)
counter word 2   stream, 0 … 2**16 − 1 (what it is for); the upper half counts further blocks
counter word 3   workload, 0 … 2**32 − 1 (which kind of session)
===============  =========================================================================

Philox is a bijection of the counter for every key: two addresses of one seed never share a block. A number
outside its range is cut to its lowest bits and would meet another address, so callers stay inside.

Source: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw (2011), "Parallel random numbers: as easy as 1, 2,
3", SC11, doi 10.1145/2063384.2063405. This variant has 32-bit words, because loops over draws then become
vector code: 1.4 ns per block of four (AVX-512). The variant with 64-bit words, twice the bits, takes 9.3 ns.

**One source, two ways to run it.** Every kernel below is ordinary Python; :func:`vecdecay.sessions.draws.plain`
gives the form that runs uncompiled. Python's integers are unbounded and compiled ones wrap at 64 bits, so products
are masked to the bits on which both agree; the masks are free (measured against unsigned, wrapping arithmetic).
Floats meet only ``+ − × ÷``, square root, ``exp`` and ``log``, which agree with CPython to the bit.

**Kernels of other files may call these.** Numba's disk cache does not notice a change in another file, but
the cache folder carries a digest of every source that imports ``vecdecay.compile``: this and its callers.
"""

import math

import numba
import numpy as np
from numpy.typing import NDArray

from vecdecay.compile import KernelFunction, kernel

WORD_LIMIT = 2**32
STREAM_LIMIT = 2**16
BITS_LIMIT = 2**62

_ROUNDS = 10
_MASK = 0xFFFFFFFF
_TWO_TO_MINUS_53, _TWO_TO_MINUS_54, _TWO_TO_MINUS_60 = 2.0**-53, 2.0**-54, 2.0**-60

# Wichura's rational approximations of the normal quantile, highest power first: centre, shoulder, far tail.
_CENTRE_ABOVE = (
    2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457,
    13731.693765509461125, 1971.5909503065514427, 133.14166789178437745, 3.387132872796366608,
)  # fmt: skip
_CENTRE_BELOW = (
    5226.495278852854561, 28729.085735721942674, 39307.89580009271061, 21213.794301586595867,
    5394.1960214247511077, 687.1870074920579083, 42.313330701600911252, 1.0,
)  # fmt: skip
_SHOULDER_ABOVE = (
    7.7454501427834140764e-4, 0.0227238449892691845833, 0.24178072517745061177, 1.27045825245236838258,
    3.64784832476320460504, 5.7694972214606914055, 4.6303378461565452959, 1.42343711074968357734,
)  # fmt: skip
_SHOULDER_BELOW = (
    1.05075007164441684324e-9, 5.475938084995344946e-4, 0.0151986665636164571966, 0.14810397642748007459,
    0.68976733498510000455, 1.6763848301838038494, 2.05319162663775882187, 1.0,
)  # fmt: skip
_TAIL_ABOVE = (
    2.01033439929228813265e-7, 2.71155556874348757815e-5, 0.0012426609473880784386, 0.026532189526576123093,
    0.29656057182850489123, 1.7848265399172913358, 5.4637849111641143699, 6.6579046435011037772,
)  # fmt: skip
_TAIL_BELOW = (
    2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5, 7.868691311456132591e-4,
    0.0148753612908506148525, 0.13692988092273580531, 0.59983220655588793769, 1.0,
)  # fmt: skip


def _inlined(function: KernelFunction) -> KernelFunction:
    """Compile ``function`` so that it dissolves into the loop that calls it.

    Without this LLVM leaves ten unrolled rounds as a call: 12 to 15 ns per block, and no vector code. Its
    machine code lives in its callers', so there is none to keep on disk.
    """
    inlined: KernelFunction = numba.njit(nogil=True, forceinline=True)(function)  # type: ignore[assignment]  # it calls alike
    return inlined


@_inlined
def philox4x32(
    word_0: int, word_1: int, word_2: int, word_3: int, key_0: int, key_1: int, rounds: int
) -> tuple[int, int, int, int]:
    """Return the block of four 32-bit words at counter ``word_0`` … ``word_3`` (Salmon et al. 2011).

    All arguments but ``rounds`` are words, 0 … 2**32 − 1. A compiled product may wrap to a negative number;
    its halves still hold the right bits.
    """
    for _ in range(rounds):
        first = word_0 * 0xD2511F53
        second = word_2 * 0xCD9E8D57
        word_0 = ((second >> 32) & _MASK) ^ word_1 ^ key_0
        word_1 = second & _MASK
        word_2 = ((first >> 32) & _MASK) ^ word_3 ^ key_1
        word_3 = first & _MASK
        key_0 = (key_0 + 0x9E3779B9) & _MASK
        key_1 = (key_1 + 0xBB67AE85) & _MASK
    return word_0, word_1, word_2, word_3


@_inlined
def random_words(key: int, workload: int, stream: int, item: int, event: int) -> tuple[int, int, int, int]:
    """Return the four independent words, each 0 … 2**32 − 1, of one address (ranges: top of the module)."""
    # int() turns NumPy's scalars, which warn when they wrap, into Python's; compiled it is nothing.
    low, high = int(key) & _MASK, (int(key) >> 32) & _MASK
    return philox4x32(
        int(event) & _MASK, int(item) & _MASK, int(stream) & _MASK, int(workload) & _MASK, low, high, _ROUNDS
    )


@_inlined
def random_bits(key: int, workload: int, stream: int, item: int, event: int) -> int:
    """Return 62 random bits, 0 … 2**62 − 1: compiled integers are signed, and a sum of two must fit."""
    high, low, _, _ = random_words(key, workload, stream, item, event)
    return (high << 30) | (low >> 2)


@_inlined
def _fraction(high: int, low: int) -> float:
    """Return the number in [0, 1) with the 53 bits: upper 27 of ``high``, upper 26 of ``low``."""
    return ((high >> 5) * 67108864 + (low >> 6)) * _TWO_TO_MINUS_53


@_inlined
def uniform(key: int, workload: int, stream: int, item: int, event: int) -> float:
    """Return a number in [0, 1), a multiple of 2**−53, each equally likely."""
    first, second, _, _ = random_words(key, workload, stream, item, event)
    return _fraction(first, second)


@_inlined
def uniform_pair(key: int, workload: int, stream: int, item: int, event: int) -> tuple[float, float]:
    """Return two independent numbers in [0, 1) for the price of one; the first is :func:`uniform`'s."""
    first, second, third, fourth = random_words(key, workload, stream, item, event)
    return _fraction(first, second), _fraction(third, fourth)


@_inlined
def uniform_below(bound: int, key: int, workload: int, stream: int, item: int, event: int) -> int:
    """Return a whole number 0 … ``bound`` − 1, each exactly equally likely; ``bound`` from 1 to 2**32.

    It is the upper half of word × bound; where the lower half falls into the uneven leftover, the address's
    next block is asked. Source: D. Lemire (2019), "Fast random integer generation in an interval".
    """
    bound = int(bound)
    block = 0
    while True:
        word, _, _, _ = random_words(key, workload, stream + block, item, event)
        product = word * bound
        low = product & _MASK
        if low >= bound or low >= WORD_LIMIT % bound:
            return (product >> 32) & _MASK
        block += STREAM_LIMIT


@kernel
def exponential(fraction: float) -> float:
    """Return the exponential quantile of ``fraction`` in [0, 1), mean 1: 0 … 36.7.

    Times a mean it is a waiting time; ``exp(exponential(u) / a)`` is a Pareto variable of tail exponent a.
    """
    return -math.log(1.0 - fraction)


@kernel
def _poisson_mode_mass(mode: int, mean: float) -> float:
    """Return mean**mode · exp(−mean) / mode!, from 16 on by Stirling's series; its next term is 1e-16."""
    if mode < 16:
        mass = math.exp(-mean)
        for factor in range(1, mode + 1):
            mass = mass * mean / factor
        return mass
    inverse = 1.0 / mode
    square = inverse * inverse
    series = 1.0 / 1680.0 - square / 1188.0
    series = 1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square * series))
    exponent = mode * math.log(mean / mode) - (mean - mode) - series * inverse
    return math.exp(exponent) / math.sqrt(2.0 * math.pi * mode)


@kernel
def poisson(fraction: float, mean: float) -> int:
    """Return a Poisson number by inversion of ``fraction`` in [0, 1); ``mean`` from 0 to 1e9.

    Outcomes are tried from the likeliest outward, above and below in turn, until their masses have used the
    fraction up: about sqrt(mean) steps, one address for any mean. The result does not rise with the fraction.
    """
    mode = int(mean)
    above = below = mode
    mass_above = mass_below = _poisson_mode_mass(mode, mean)
    left = fraction - mass_above
    if left < 0.0:
        return mode
    while mass_above > _TWO_TO_MINUS_60 or mass_below > _TWO_TO_MINUS_60:
        above += 1
        mass_above = mass_above * mean / above
        left -= mass_above
        if left < 0.0:
            return above
        # At 0 the mass becomes 0 and stays so; the mode then stands in for what rounding has left over.
        mass_below = mass_below * below / mean
        below -= 1
        left -= mass_below
        if left < 0.0:
            return below
    return mode


@_inlined
def _polynomial(x: float, coefficients: tuple[float, ...]) -> float:
    """Return the polynomial's value at ``x``, highest power first (Horner)."""
    value = 0.0
    for coefficient in coefficients:
        value = value * x + coefficient
    return value


@kernel
def normal(fraction: float) -> float:
    """Return the standard normal quantile of ``fraction`` in [0, 1), −8.3 … 8.2; 0 counts as 2**−54.

    Inversion rather than Box-Muller: one number per address, and it rises with the fraction. Source: M. J.
    Wichura (1988), algorithm AS 241 (PPND16), Applied Statistics 37, 477-484; relative accuracy 1e-16.
    """
    fraction = max(fraction, _TWO_TO_MINUS_54)
    centred = fraction - 0.5
    if abs(centred) <= 0.425:
        r = 0.180625 - centred * centred
        return _polynomial(r, _CENTRE_ABOVE) * centred / _polynomial(r, _CENTRE_BELOW)
    r = math.sqrt(-math.log(fraction if centred < 0.0 else 1.0 - fraction))
    if r <= 5.0:
        size = _polynomial(r - 1.6, _SHOULDER_ABOVE) / _polynomial(r - 1.6, _SHOULDER_BELOW)
    else:
        size = _polynomial(r - 5.0, _TAIL_ABOVE) / _polynomial(r - 5.0, _TAIL_BELOW)
    return -size if centred < 0.0 else size


@kernel
def gamma(shape: float, key: int, workload: int, stream: int, item: int, event: int) -> float:
    """Return a gamma variable of scale 1 and of ``shape``, 0.1 or above; it may use several blocks.

    Two of them, a and b, of two streams give a beta variable, a / (a + b). Below shape 1 one of shape + 1 is
    shrunk. Source: G. Marsaglia, W. W. Tsang (2000), "A simple method for generating gamma variables".
    """
    scale = 1.0
    if shape < 1.0:
        scale = math.exp(-exponential(uniform(key, workload, stream, item, event)) / shape)
        shape = shape + 1.0
    centre = shape - 1.0 / 3.0
    width = 1.0 / math.sqrt(9.0 * centre)
    block = 0
    while True:
        block += STREAM_LIMIT
        fraction, test = uniform_pair(key, workload, stream + block, item, event)
        deviate = normal(fraction)
        root = 1.0 + width * deviate
        if root > 0.0:
            cube = root * root * root
            if -exponential(test) < 0.5 * deviate * deviate + centre * (1.0 - cube + math.log(cube)):
                return scale * centre * cube


@kernel
def weighted_index(bits: int, thresholds: NDArray[np.int64], guide: NDArray[np.int64]) -> int:
    """Return the index that ``bits`` of :func:`random_bits` choose: the first whose threshold exceeds them.

    Integers only, so the choice is the same on any machine once the table is; two steps on average.
    """
    index = int(guide[((bits >> 30) * len(guide)) >> 32])
    while bits >= thresholds[index]:
        index += 1
    return index
