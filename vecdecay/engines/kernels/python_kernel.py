"""Arithmetic that is CPython's when compiled: powers, functions of ``math``, integers that do not wrap.

A compiler may replace a call of ``pow`` or ``exp`` by another computation (``pow(x, 0.5)`` by a square root,
``pow(2.0, x)`` by ``exp2(x)``), whose last bit may differ. So the functions of the C library are called here under
names of their own, which the compiler does not know: the very machine code that CPython calls runs on the same
arguments. Special cases, and the errors raised for them, follow CPython's ``float.__pow__`` and ``mathmodule.c``.

Integers of Python have any size. Compiled ones have 64 bits: a result beyond ``LARGEST_INTEGER`` is an OverflowError,
never another number; below it, every integer is exact as a float too.
"""

import math
import operator
from collections.abc import Callable
from typing import Any

from numba.core import types
from numba.extending import intrinsic, overload

from vecdecay.compile import c_function, kernel_uncached

Function = Callable[..., Any]

LARGEST_INTEGER = 2**52
"""Half of the range in which floats hold every integer, so that bit operations stay in that range as well."""

_TOO_LARGE = "an integer beyond 2**52 in a compiled function; write it as a float"
_DOMAIN = "math domain error"


_pow = c_function("pow", 2)
_atan2 = c_function("atan2", 2)
_fmod = c_function("fmod", 2)


def _is_whole(kind: Any) -> bool:
    return isinstance(kind, types.Integer | types.Boolean | types.BooleanLiteral)


def _checked(function: Function, with_overflow: str) -> Any:
    """Return an operator of which a result that is an integer beyond LARGEST_INTEGER is an error."""

    @intrinsic
    def checked(typingctx: Any, left: Any, right: Any) -> Any:
        signature = typingctx.resolve_function_type(function, (left, right), {})

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            if not _is_whole(signature.return_type):
                return context.get_function(function, signature)(builder, arguments)
            whole = [
                context.cast(builder, one, kind, types.int64)
                for one, kind in zip(arguments, signature.args, strict=True)
            ]
            both = getattr(builder, with_overflow)(*whole)
            result, wrapped = builder.extract_value(both, 0), builder.extract_value(both, 1)
            large = builder.icmp_unsigned(
                ">", builder.add(result, result.type(LARGEST_INTEGER)), result.type(2 * LARGEST_INTEGER)
            )
            with builder.if_then(builder.or_(wrapped, large), likely=False):
                context.call_conv.return_user_exc(builder, OverflowError, (_TOO_LARGE,))
            return result

        if signature is not None and _is_whole(signature.return_type):
            signature = types.int64(*signature.args)
        return signature, generate

    return checked


add = _checked(operator.add, "sadd_with_overflow")
subtract = _checked(operator.sub, "ssub_with_overflow")
multiply = _checked(operator.mul, "smul_with_overflow")


@kernel_uncached
def float_power(base: float, exponent: float) -> float:
    """Return ``base ** exponent`` of two floats."""
    if exponent == 0.0 or base == 1.0:
        return 1.0
    if math.isnan(base) or math.isnan(exponent):
        return math.nan
    finite = math.isfinite(base) and math.isfinite(exponent)
    if base == 0.0 and exponent < 0.0 and finite:
        raise ZeroDivisionError("0.0 cannot be raised to a negative power")
    if finite and base < 0.0 and exponent != math.floor(exponent):
        raise ValueError("a negative number to a fractional power is complex in Python")
    result: float = _pow(abs(base), exponent)
    if finite and math.isinf(result):
        raise OverflowError("(34, 'Numerical result out of range')")
    negative = math.copysign(1.0, base) < 0.0 and _fmod(abs(exponent), 2.0) == 1.0
    return -result if negative else result


@kernel_uncached
def integer_power(base: int, exponent: int) -> int:
    """Return ``base ** exponent`` of two integers, the exponent not negative."""
    if exponent < 0:
        raise ValueError("an integer to a negative integer power in a compiled function; write one of them as a float")
    result, factor = 1, base
    while exponent > 0:
        if exponent & 1:
            result = multiply(result, factor)
        exponent >>= 1
        if exponent > 0:
            factor = multiply(factor, factor)
    return result


def _whole_power(base: Any, exponent: Any) -> Any:
    return integer_power(int(base), int(exponent))


def _float_power(base: Any, exponent: Any) -> Any:
    return float_power(1.0 * base, 1.0 * exponent)


def power(base: Any, exponent: Any) -> Any:
    """Stand for ``base ** exponent`` in compiled functions."""
    raise NotImplementedError((base, exponent))


@overload(power, prefer_literal=True, strict=False)
def _power(base: Any, exponent: Any) -> Function | None:
    if not all(_is_whole(one) or isinstance(one, types.Float) for one in (base, exponent)):
        return None
    literal = exponent.literal_value if isinstance(exponent, types.IntegerLiteral) else 0
    if _is_whole(base) and _is_whole(exponent) and literal >= 0:
        return _whole_power
    return _float_power


@kernel_uncached
def _math_pow(base: Any, exponent: Any) -> float:
    base, exponent = 1.0 * base, 1.0 * exponent
    result: float = _pow(base, exponent)
    if math.isfinite(base) and math.isfinite(exponent):
        if math.isnan(result) or (math.isinf(result) and base == 0.0):
            raise ValueError(_DOMAIN)
        if math.isinf(result):
            raise OverflowError("math range error")
    return result


@kernel_uncached
def _math_fmod(value: Any, divisor: Any) -> float:
    value, divisor = 1.0 * value, 1.0 * divisor
    result: float = _fmod(value, divisor)
    if math.isnan(result) and not math.isnan(value) and not math.isnan(divisor):
        raise ValueError(_DOMAIN)
    return result


@kernel_uncached
def _math_atan2(y: Any, x: Any) -> float:
    return _atan2(1.0 * y, 1.0 * x)  # type: ignore[no-any-return]


def _named(name: str, function: Function) -> Function:
    """Compile a function under a name of its own: kernels kept on disk refer to others by name."""
    function.__name__ = function.__qualname__ = name
    return kernel_uncached(function)


def _of_one_number(name: str, overflows: bool) -> Function:
    """Return a function of ``math`` that is one of the C library, with the errors of ``mathmodule.c``."""
    in_c = c_function(name, 1)

    def function(number: Any) -> float:
        value = 1.0 * number
        result: float = in_c(value)
        if math.isnan(result) and not math.isnan(value):
            raise ValueError(_DOMAIN)
        if math.isinf(result) and math.isfinite(value):
            if overflows:
                raise OverflowError("math range error")
            raise ValueError(_DOMAIN)
        return result

    return _named(f"math_{name}", function)


def _whole(rounding: Function) -> Function:
    """Return a function that makes an integer of a number, which must be a finite one that is not too large."""

    def function(number: Any) -> int:
        value = 1.0 * number
        if not abs(value) <= LARGEST_INTEGER:
            raise OverflowError(_TOO_LARGE)
        return rounding(value)  # type: ignore[no-any-return]

    return _named(f"whole_{rounding.__name__}", function)


@kernel_uncached
def _as_float(number: Any) -> float:
    return 1.0 * number  # type: ignore[no-any-return]  # Numba's float does not take a truth value


_OVERFLOWING = ("exp", "exp2", "expm1", "cosh", "sinh")
_OTHERS = (
    "log2", "log10", "log1p", "sqrt", "cbrt", "sin", "cos", "tan", "asin", "acos", "atan", "tanh", "asinh", "acosh",
    "atanh", "erf", "erfc",
)  # fmt: skip
_log = _of_one_number("log", overflows=False)


def _natural_log(number: Any, base: Any = None) -> Any:  # noqa: ARG001
    return _log(number)


def _log_to_a_base(number: Any, base: Any = None) -> Any:
    return _log(number) / _log(base)


def _math_log(number: Any, base: Any = None) -> float:
    """Stand for ``math.log`` in compiled functions."""
    raise NotImplementedError((number, base))


@overload(_math_log, strict=False)
def _log_of(number: Any, base: Any = None) -> Function:  # noqa: ARG001
    return _natural_log if base is None or isinstance(base, types.Omitted | types.NoneType) else _log_to_a_base


FUNCTIONS: dict[Any, Function] = {
    **{getattr(math, name): _of_one_number(name, overflows=True) for name in _OVERFLOWING},
    **{getattr(math, name): _of_one_number(name, overflows=False) for name in _OTHERS},
    math.log: _math_log,
    math.pow: _math_pow,
    math.fmod: _math_fmod,
    math.atan2: _math_atan2,
    pow: power,
    int: _whole(int),
    round: _whole(round),
    math.floor: _whole(math.floor),
    math.ceil: _whole(math.ceil),
    math.trunc: _whole(math.trunc),
    **{function: function for function in (math.fabs, math.copysign, math.isnan, math.isinf, math.isfinite)},
    **{function: function for function in (abs, bool, len, max, min, range)},
    float: _as_float,
}
"""The functions that a policy may call when it is compiled, and what is compiled in their place."""

OPERATORS: dict[Any, Function] = {
    operator.add: add,
    operator.iadd: add,
    operator.sub: subtract,
    operator.isub: subtract,
    operator.mul: multiply,
    operator.imul: multiply,
    operator.pow: power,
    operator.ipow: power,
}
"""The operators in whose place something else is compiled."""

OPERATORS_AS_THEY_ARE = {
    operator.truediv, operator.itruediv, operator.floordiv, operator.ifloordiv, operator.mod, operator.imod,
    operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne, operator.is_, operator.is_not,
    operator.and_, operator.iand, operator.or_, operator.ior, operator.xor, operator.ixor,
    operator.neg, operator.pos, operator.not_,
}  # fmt: skip
"""The operators that the compiler's own code computes as CPython does."""
