"""Around the kernels of random draws: keys for seeds, tables for weights, the plain twin of a kernel."""

import hashlib
import math
import operator
import types
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from vecdecay.errors import InvalidInputError
from vecdecay.sessions.philox import BITS_LIMIT

Function = TypeVar("Function", bound=Callable[..., Any])


def _fits_int64(number: int) -> bool:
    return -(2**63) <= number < 2**63


def seed_key(seed: int) -> int:
    """Return the generator's key, −2**63 to 2**63 − 1, for ``seed``, which may be any whole number.

    In that range the key is the seed itself: distinct seeds, 7 and −7 too, have distinct keys. Beyond, it is
    the first 64 bits of the SHA-256 of the seed's bit_length // 8 + 1 bytes (two's complement, little-endian),
    which are another seed's key with probability 2**−64.

    Raises:
        InvalidInputError: ``seed`` is not a whole number.

    >>> seed_key(-7), seed_key(2**63) != seed_key(-(2**63))
    (-7, True)
    """
    try:
        number = operator.index(seed)
    except TypeError:
        raise InvalidInputError([f"seed is {seed!r}; allowed: a whole number"]) from None
    if _fits_int64(number):
        return number
    content = number.to_bytes(number.bit_length() // 8 + 1, "little", signed=True)
    return int.from_bytes(hashlib.sha256(content).digest()[:8], "big", signed=True)


def seed_keys(seeds: Iterable[int] | NDArray[Any]) -> NDArray[np.int64]:
    """Return :func:`seed_key` of each of ``seeds``, shape (session,), int64.

    Raises:
        InvalidInputError: a seed is not a whole number.

    >>> seed_keys(range(3, 9, 2))
    array([3, 5, 7])
    """
    if isinstance(seeds, range) and seeds and all(map(_fits_int64, (seeds[0], seeds[-1], seeds.step))):
        return np.int64(seeds[0]) + np.int64(seeds.step) * np.arange(len(seeds), dtype=np.int64)
    if isinstance(seeds, np.ndarray) and seeds.dtype.kind in "iu" and np.can_cast(seeds.dtype, np.int64):
        return seeds.astype(np.int64)
    return np.array([seed_key(seed) for seed in seeds], dtype=np.int64)


_plain_globals: dict[str, dict[str, Any]] = {}


def plain(function: Function) -> Function:
    """Return the ordinary Python behind a kernel, in which every kernel it calls is ordinary Python too.

    The same source runs uncompiled, so a scalar reference owes nothing to the compiler. With the JIT off it
    is ``function`` itself. Replaced are kernels that ``function`` knows by an imported name, not ``module.name``.

    >>> from vecdecay.sessions.philox import random_words
    >>> plain(random_words)(seed_key(7), 1, 0, 0, 0) == random_words(seed_key(7), 1, 0, 0, 0)
    True
    """
    source: types.FunctionType | None = getattr(function, "py_func", None)
    if source is None:
        return function
    module = source.__globals__["__name__"]
    if module not in _plain_globals:
        names = _plain_globals[module] = dict(source.__globals__)
        names.update({name: plain(value) for name, value in names.items() if hasattr(value, "py_func")})
    parts = source.__name__, source.__defaults__, source.__closure__
    return cast(Function, types.FunctionType(source.__code__, _plain_globals[module], *parts))


def weight_table(weights: Sequence[float]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return (thresholds, guide) for ``philox.weighted_index``, both int64 with one value per weight.

    ``thresholds[i]`` is the share of 2**62 of the weights up to i, exact but rounded down once;
    ``guide`` says where a search starts (H.-C. Chen, Y. Asau 1974). An index of weight 0 is never drawn.

    Raises:
        InvalidInputError: no weight is above 0, or one is negative, infinite or NaN.
    """
    values = [float(weight) for weight in weights]
    refused = [i for i, value in enumerate(values) if not 0.0 <= value < math.inf]
    problems = [f"weight {i} is {values[i]}; allowed: finite, 0 or above" for i in refused]
    if problems or not any(values):
        raise InvalidInputError(problems or ["no weight is above 0; expected: at least one"])
    parts = [math.frexp(value) for value in values]
    lowest = min(exponent for _, exponent in parts)
    whole = [int(mantissa * 2.0**53) << (exponent - lowest) for mantissa, exponent in parts]
    total = sum(whole)
    shares = [part * BITS_LIMIT // total for part in accumulate(whole)]
    thresholds = np.array(shares, dtype=np.int64)
    # The smallest number of 62 bits that looks up entry g: (upper 32 bits × length) >> 32 reaches g there.
    first = -(-(np.arange(len(values), dtype=np.int64) << 32) // len(values)) << 30
    return thresholds, np.searchsorted(thresholds, first, side="right").astype(np.int64)
