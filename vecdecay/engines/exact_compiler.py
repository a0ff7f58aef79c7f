"""The compiler for a policy's own functions: they compute what CPython computes, or are refused by name.

Each function is compiled by Numba with one more step, in which calls and operators are replaced by those of
``python_kernel``; a call or an operator that is not listed there ends the compilation with a line that names it.
"""

from types import ModuleType
from typing import Any

from numba.core import ir
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.dispatcher import Dispatcher
from numba.core.errors import UnsupportedError
from numba.core.ir_utils import build_definitions
from numba.core.untyped_passes import IRProcessing

from vecdecay.engines.kernels.python_kernel import FUNCTIONS, OPERATORS, OPERATORS_AS_THEY_ARE

NOT_COMPILED = " is not compiled; "

_REMEDIES = {
    "hypot": "write math.sqrt(x * x + y * y)",
    "sum": "add up in a loop",
    "inside": "write a loop, or a function of the file",
    "numpy": "use math or a tuple",
}
"""What to write instead, by a part of what is refused."""


def refusal(what: str) -> str:
    """Return the line for something that is not compiled, with what to write instead.

    >>> refusal("math.hypot")
    'math.hypot is not compiled; write math.sqrt(x * x + y * y)'
    """
    names = ", ".join(sorted({one.__name__ for one in FUNCTIONS}))
    hint = next((remedy for part, remedy in _REMEDIES.items() if part in what), f"allowed: + - * / // % **, {names}")
    return f"{what}{NOT_COMPILED}{hint}"


class ExactCompiler(CompilerBase):
    """Numba's compiler with the replacement before anything is inferred or simplified; a ``pipeline_class``."""

    def define_pipelines(self) -> list[Any]:
        """Return the passes."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(_AsCPython, IRProcessing)
        passes.finalize()
        return [passes]


@register_pass(mutates_CFG=False, analysis_only=False)
class _AsCPython(FunctionPass):
    """Replaces the calls and operators that the compiler would compute in its own way, and refuses unknown ones."""

    _name = "vecdecay_as_cpython"

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Go through all statements of a function."""
        for block in state.func_ir.blocks.values():
            before: list[Any] = []
            for statement in block.body:
                if isinstance(statement, ir.Assign):
                    statement.value = _replaced(state.func_ir, statement, block.scope, before)
                before.append(statement)
            block.body = before
        state.func_ir._definitions = build_definitions(state.func_ir.blocks)
        return True


def _replaced(func_ir: Any, statement: Any, scope: Any, before: list[Any]) -> Any:
    """Return what a statement assigns; a function that it needs is put into ``before``."""
    value, loc = statement.value, statement.loc
    if isinstance(value, ir.Global | ir.FreeVar):
        return _known(value.name, value.value, loc)
    if not isinstance(value, ir.Expr):
        return value
    if value.op == "getattr":
        module = getattr(func_ir.get_definition(value.value), "value", None)
        if isinstance(module, ModuleType):
            name = f"{module.__name__}.{value.attr}"
            return _known(name, getattr(module, value.attr, None), loc)
    if value.op == "make_function":
        raise UnsupportedError(refusal("a function or comprehension inside a function"), loc)
    if value.op in ("binop", "inplace_binop", "unary") and value.fn not in OPERATORS_AS_THEY_ARE:
        if value.fn not in OPERATORS:
            raise UnsupportedError(refusal(f"the operator {value.fn.__name__}"), loc)
        function = scope.redefine("$vecdecay_operator", loc)
        before.append(ir.Assign(ir.Global(value.fn.__name__, OPERATORS[value.fn], loc), function, loc))
        return ir.Expr.call(function, [value.lhs, value.rhs], (), loc)
    return value


def _known(name: str, value: Any, loc: Any) -> Any:
    """Return what stands for a name of a module, or for an attribute of one."""
    if isinstance(value, type) and issubclass(value, tuple | BaseException) and value is not tuple:
        return ir.Global(name, value, loc)
    if isinstance(value, ModuleType | Dispatcher) or _is_plain(value):
        return ir.Global(name, value, loc)
    try:
        return ir.Global(name, FUNCTIONS[value], loc)
    except (KeyError, TypeError):
        raise UnsupportedError(refusal(name), loc) from None


def _is_plain(value: Any) -> bool:
    """Tell whether a constant is one of which the compiler knows no other kind of arithmetic."""
    if type(value) is tuple or hasattr(value, "_fields"):
        return all(map(_is_plain, value))
    return type(value) in (int, float, bool, str, type(None))
