"""Tests of vecdecay.engines.kernels.python_kernel: each operator and function that a policy may use is CPython's.

Every one is compared on values drawn from all over its domain, to the bit, 100 million each in the thorough run; and on
all pairs of special values, where the errors must be the same too. The 104 thorough tests take one to two hours of one
processor; an eighth of them: ``pytest -n 0 -m thorough --shard 1/8 tests/test_engines_kernels_python_kernel.py``.
"""

import functools
import itertools
import math
import operator
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest
from comparing import COMPILED
from numpy.typing import NDArray

from vecdecay.engines.exact_compiler import ExactCompiler
from vecdecay.engines.kernels.python_kernel import FUNCTIONS, LARGEST_INTEGER, OPERATORS, OPERATORS_AS_THEY_ARE

pytestmark = pytest.mark.skipif(not COMPILED, reason="nothing is compiled without the JIT")

NUMBERS = [pytest.param(100_000, id="some"), pytest.param(10**8, id="many", marks=pytest.mark.thorough)]
CHUNK = 1_000_000

Domain = tuple[float, float]

IDIOMS: dict[str, tuple[Callable[..., Any], Domain]] = {
    "x ** 2": (lambda x: x**2, (-1e6, 1e6)),
    "x ** 3": (lambda x: x**3, (-1e6, 1e6)),
    "x ** 0.5": (lambda x: x**0.5, (0.0, 1e6)),
    "x ** 0.25": (lambda x: x**0.25, (0.0, 1e6)),
    "x ** -0.5": (lambda x: x**-0.5, (1e-6, 1e6)),
    "x ** -1.0": (lambda x: x**-1.0, (1e-6, 1e6)),
    "x ** -1": (lambda x: x**-1, (1e-6, 1e6)),
    "(1 / x) ** 3": (lambda x: (1.0 / x) ** 3, (1e-6, 1e6)),
    "0.5 ** x": (lambda x: 0.5**x, (-1023.0, 1074.0)),
    "0.5 ** (x / h)": (lambda x: 0.5 ** (x / 7.3), (0.0, 7000.0)),
    "2.0 ** (-x / h)": (lambda x: 2.0 ** (-x / 7.3), (0.0, 7000.0)),
    "2 ** x": (lambda x: 2**x, (-1074.0, 1023.0)),
    "10.0 ** x": (lambda x: 10.0**x, (-323.0, 308.0)),
    "math.e ** x": (lambda x: math.e**x, (-745.0, 709.0)),
    "pow(0.5, x)": (lambda x: pow(0.5, x), (-1023.0, 1074.0)),
    "math.pow(0.5, x)": (lambda x: math.pow(0.5, x), (-1023.0, 1074.0)),
    "math.pow(x, 0.5)": (lambda x: math.pow(x, 0.5), (0.0, 1e6)),
    "math.log(x, 2)": (lambda x: math.log(x, 2), (1e-300, 1e6)),
    "math.sqrt(x * x + 2)": (lambda x: math.sqrt(x * x + 2.0), (-1e6, 1e6)),
    "math.exp(math.log(x))": (lambda x: math.exp(math.log(x)), (1e-300, 1e6)),
    "x * x - 3": (lambda x: x * x - 3, (-1e6, 1e6)),
    "int(x) ** 2": (lambda x: int(x) ** 2, (-1e6, 1e6)),
    "int(x) ** -1": (lambda x: int(x) ** -1, (1.0, 1e6)),
    "int(x) ** 0.5": (lambda x: int(x) ** 0.5, (0.0, 1e6)),
    "1.3 ** int(x)": (lambda x: 1.3 ** int(x), (-1000.0, 1000.0)),
    "3 ** int(x)": (lambda x: 3 ** int(x), (0.0, 32.0)),
}
"""Idioms of half-lives and powers, with the literals that a compiler likes to simplify, and where they are asked."""

OF_ONE: dict[Callable[..., Any], tuple[Callable[..., Any], Domain]] = {
    math.exp: (lambda x: math.exp(x), (-745.0, 709.0)),
    math.exp2: (lambda x: math.exp2(x), (-1074.0, 1023.0)),
    math.expm1: (lambda x: math.expm1(x), (-40.0, 709.0)),
    math.cosh: (lambda x: math.cosh(x), (-710.0, 710.0)),
    math.sinh: (lambda x: math.sinh(x), (-710.0, 710.0)),
    math.log: (lambda x: math.log(x), (1e-300, 1e3)),
    math.log2: (lambda x: math.log2(x), (1e-300, 1e3)),
    math.log10: (lambda x: math.log10(x), (1e-300, 1e3)),
    math.log1p: (lambda x: math.log1p(x), (-0.999, 1e3)),
    math.sqrt: (lambda x: math.sqrt(x), (0.0, 1e6)),
    math.cbrt: (lambda x: math.cbrt(x), (-1e6, 1e6)),
    math.sin: (lambda x: math.sin(x), (-1e4, 1e4)),
    math.cos: (lambda x: math.cos(x), (-1e4, 1e4)),
    math.tan: (lambda x: math.tan(x), (-1e4, 1e4)),
    math.asin: (lambda x: math.asin(x), (-1.0, 1.0)),
    math.acos: (lambda x: math.acos(x), (-1.0, 1.0)),
    math.atan: (lambda x: math.atan(x), (-1e3, 1e3)),
    math.tanh: (lambda x: math.tanh(x), (-20.0, 20.0)),
    math.asinh: (lambda x: math.asinh(x), (-1e3, 1e3)),
    math.acosh: (lambda x: math.acosh(x), (1.0, 1e3)),
    math.atanh: (lambda x: math.atanh(x), (-0.999, 0.999)),
    math.erf: (lambda x: math.erf(x), (-6.0, 6.0)),
    math.erfc: (lambda x: math.erfc(x), (-6.0, 27.0)),
    math.fabs: (lambda x: math.fabs(x), (-1e6, 1e6)),
    math.floor: (lambda x: math.floor(x), (-1e6, 1e6)),
    math.ceil: (lambda x: math.ceil(x), (-1e6, 1e6)),
    math.trunc: (lambda x: math.trunc(x), (-1e6, 1e6)),
    math.isnan: (lambda x: math.isnan(x), (-1.0, 1.0)),
    math.isinf: (lambda x: math.isinf(x), (-1.0, 1.0)),
    math.isfinite: (lambda x: math.isfinite(x), (-1.0, 1.0)),
    abs: (lambda x: abs(x), (-1e6, 1e6)),
    bool: (lambda x: bool(x), (-1.0, 1.0)),
    float: (lambda x: float(x), (-1e6, 1e6)),
    int: (lambda x: int(x), (-1e6, 1e6)),
    round: (lambda x: round(x), (-1e6, 1e6)),
    operator.neg: (lambda x: -x, (-1e6, 1e6)),
    operator.pos: (lambda x: +x, (-1e6, 1e6)),
    operator.not_: (lambda x: not x, (-1.0, 1.0)),
}
"""The functions and operators of one number, and where none of them raises."""

OF_TWO: dict[Callable[..., Any], Callable[..., Any]] = {
    operator.add: lambda x, y: x + y,
    operator.sub: lambda x, y: x - y,
    operator.mul: lambda x, y: x * y,
    operator.truediv: lambda x, y: x / y,
    operator.floordiv: lambda x, y: x // y,
    operator.mod: lambda x, y: x % y,
    operator.pow: lambda x, y: abs(x) ** y,
    operator.lt: lambda x, y: x < y,
    operator.le: lambda x, y: x <= y,
    operator.gt: lambda x, y: x > y,
    operator.ge: lambda x, y: x >= y,
    operator.eq: lambda x, y: x == y,
    operator.ne: lambda x, y: x != y,
    pow: lambda x, y: pow(abs(x), y),
    max: lambda x, y: max(x, y),
    min: lambda x, y: min(x, y),
    math.pow: lambda x, y: math.pow(abs(x), y),
    math.fmod: lambda x, y: math.fmod(x, y),
    math.atan2: lambda x, y: math.atan2(x, y),
    math.copysign: lambda x, y: math.copysign(x, y),
}
"""The functions and operators of two numbers."""

OF_TWO_INTEGERS: dict[Callable[..., Any], Callable[..., Any]] = {
    **{one: OF_TWO[one] for one in OF_TWO if one not in (operator.pow, pow, math.pow)},
    operator.and_: lambda x, y: x & y,
    operator.or_: lambda x, y: x | y,
    operator.xor: lambda x, y: x ^ y,
}

SPECIAL = (
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.0, -3.0, 2.5, -2.5, 1e-300, 1e300, -1e300, 5e-324, 1e16, -1e16,
    math.inf, -math.inf, math.nan, 709.9, 1024.0, -1075.0, math.nextafter(1.0, 0.0), math.nextafter(1.0, 2.0),
    4503599627370495.5,
)  # fmt: skip


@functools.cache
def compiled(function: Callable[..., Any]) -> Any:
    """Return a function compiled as a policy's functions are."""
    return numba.njit(pipeline_class=ExactCompiler)(function)


def drawn(numbers: np.random.Generator, domain: Domain) -> NDArray[np.float64]:
    """Return floats of a domain: half anywhere in it, a quarter close to 0, a quarter whole or beside a whole one."""
    low, high = domain
    anywhere = numbers.uniform(low, high, CHUNK // 2)
    small = numbers.uniform(-1.0, 1.0, CHUNK // 4) * np.float_power(10.0, numbers.uniform(-300.0, 2.0, CHUNK // 4))
    whole = np.rint(numbers.uniform(low, high, CHUNK // 4)) * numbers.choice(
        [1.0, 1.0 + 2.0**-52, 1.0 - 2.0**-53], CHUNK // 4
    )
    # In any order: the default run takes the first of them only.
    return numbers.permutation(np.clip(np.concatenate([anywhere, small, whole]), low, high))


def expect_equal(function: Callable[..., Any], draw: Callable[[], list[NDArray[Any]]], number: int) -> None:
    """Fail unless the function gives the very same, compiled and plain, on so many arguments."""
    fast = compiled(function)

    @numba.njit(nogil=True)
    def of_one(results, x):  # type: ignore[no-untyped-def]
        for place in range(len(results)):
            results[place] = fast(x[place])

    @numba.njit(nogil=True)
    def of_two(results, x, y):  # type: ignore[no-untyped-def]
        for place in range(len(results)):
            results[place] = fast(x[place], y[place])

    for done in range(0, number, CHUNK):
        arguments = [one[: number - done] for one in draw()]
        plain = np.array(list(map(function, *[one.tolist() for one in arguments])))
        if number < CHUNK:  # a loop of its own is worth compiling for many only
            results = np.array(list(map(fast, *[one.tolist() for one in arguments])))
        else:
            results = np.empty(len(plain), plain.dtype)
            (of_one if len(arguments) == 1 else of_two)(results, *arguments)
        assert results.dtype == plain.dtype
        bits = np.uint8 if plain.dtype == bool else np.int64
        different = np.flatnonzero(results.view(bits) != plain.view(bits))
        if len(different):
            at = different[0]
            raise AssertionError(
                f"{len(different)} differ: {[one[at] for one in arguments]}: {plain[at]} {results[at]}"
            )


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("idiom", IDIOMS)
def test_idioms_of_powers(idiom: str, number: int) -> None:
    """Literal exponents and bases behave as at run time."""
    function, domain = IDIOMS[idiom]
    numbers = np.random.default_rng(len(idiom))
    expect_equal(function, lambda: [drawn(numbers, domain)], number)


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("name", OF_ONE, ids=lambda one: one.__name__)
def test_functions_of_one_number(name: Callable[..., Any], number: int) -> None:
    """The same double, integer or truth value all over the domain."""
    function, domain = OF_ONE[name]
    numbers = np.random.default_rng(len(name.__name__))
    expect_equal(function, lambda: [drawn(numbers, domain)], number)


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("name", OF_TWO, ids=lambda one: f"{one.__module__}.{one.__name__}")
def test_functions_of_two_numbers(name: Callable[..., Any], number: int) -> None:
    """The same for every pair; the second is never 0, and small enough that no power overflows."""
    numbers = np.random.default_rng(len(name.__name__))

    def draw() -> list[NDArray[Any]]:
        x, y = drawn(numbers, (-1e4, 1e4)), drawn(numbers, (-50.0, 50.0))
        x[np.abs(x) < 1e-4] = 0.75
        y[np.abs(y) < 1e-200] = 2.5
        return [x, y]

    expect_equal(OF_TWO[name], draw, number)


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("name", OF_TWO_INTEGERS, ids=lambda one: f"{one.__module__}.{one.__name__}")
def test_functions_of_two_integers(name: Callable[..., Any], number: int) -> None:
    """The same for integers of all sizes whose product is not too large."""
    numbers = np.random.default_rng(len(name.__name__))

    def draw() -> list[NDArray[Any]]:
        x, y = numbers.integers(-(2**30), 2**30, CHUNK), numbers.integers(-(2**21), 2**21, CHUNK)
        x >>= numbers.integers(0, 30, CHUNK)
        y >>= numbers.integers(0, 21, CHUNK)
        y[y == 0] = 3
        return [x, y]

    expect_equal(OF_TWO_INTEGERS[name], draw, number)


def test_every_function_and_operator_is_compared() -> None:
    """What a policy may use is listed above; ``len`` and ``range`` are no arithmetic, ``is`` compares no numbers."""
    inplace = {
        one for one in (*OPERATORS, *OPERATORS_AS_THEY_ARE) if one.__name__.startswith("i") and one.__name__ != "is_"
    }
    asked = {*OF_ONE, *OF_TWO, *OF_TWO_INTEGERS, len, range, operator.is_, operator.is_not, *inplace}
    assert {*FUNCTIONS, *OPERATORS, *OPERATORS_AS_THEY_ARE} == asked


def answer(function: Callable[..., Any], arguments: tuple[Any, ...]) -> str:
    """Return what a function returns, or the class of what it raises."""
    try:
        result = function(*arguments)
    except (ValueError, ArithmeticError) as error:
        return type(error).__name__
    if isinstance(result, complex):
        return "ValueError"  # refused: a policy has no complex numbers
    return "OverflowError" if type(result) is int and abs(result) > LARGEST_INTEGER else repr(result)


@pytest.mark.parametrize(
    "name",
    [*OF_ONE, *(one for one in OF_TWO if one not in (operator.pow, pow, math.pow))],
    ids=lambda one: one.__name__,
)
def test_special_values_and_errors(name: Callable[..., Any]) -> None:
    """Zeros of both signs, infinities, NaN, the largest and smallest: the same value or an error of the same class."""
    function = OF_ONE[name][0] if name in OF_ONE else OF_TWO[name]
    fast = compiled(function)
    repeat = 1 if name in OF_ONE else 2
    for arguments in itertools.product((*SPECIAL, 0, 1, -3, 7, True, False), repeat=repeat):
        expected = answer(function, arguments)
        got = answer(fast, arguments)
        if name in (math.floor, math.ceil, math.trunc, int, round) and expected == "ValueError":
            expected = "OverflowError"  # of NaN
        if name in (max, min) and expected != got:
            # an integer or a truth value among floats is a float when compiled
            assert float(eval(expected)) == float(eval(got))
        else:
            assert got == expected, f"{name.__name__}{arguments}"


@pytest.mark.parametrize("function", [lambda x, y: x**y, lambda x, y: pow(x, y), lambda x, y: math.pow(x, y)])
def test_special_powers_and_errors(function: Callable[..., Any]) -> None:
    """Powers of all pairs of special values: those of the C standard, and the errors of CPython."""
    fast = compiled(function)
    for base, exponent in itertools.product(SPECIAL, repeat=2):
        expected = answer(function, (base, exponent))
        if -math.inf < base < 0.0 and math.isfinite(exponent) and not exponent.is_integer():
            expected = "ValueError"  # complex in Python, where even that may overflow
        assert answer(fast, (base, exponent)) == expected, (base, exponent)


def test_integers_do_not_wrap() -> None:
    """What does not fit is an error, one below it is exact."""
    largest = LARGEST_INTEGER
    cases: list[tuple[Callable[..., Any], tuple[int, ...]]] = [
        (lambda x, y: x + y, (largest, 1)),
        (lambda x, y: x - y, (-largest, 1)),
        (lambda x, y: x * y, (2**40, 2**40)),
        (lambda x, y: x * y, (2**32, -(2**32))),
        (lambda x, y: x**3 + y, (2**20, 0)),
        (lambda x, y: x**y, (10, 40)),
    ]
    for function, arguments in cases:
        with pytest.raises(OverflowError, match="beyond 2\\*\\*52"):
            compiled(function)(*arguments)
    assert compiled(lambda x, y: x + y)(largest - 1, 1) == largest
    assert compiled(lambda x, y: x**y)(7, 18) == 7**18
    with pytest.raises(ValueError, match="negative integer power"):
        compiled(lambda x, y: x**y)(7, -1)
