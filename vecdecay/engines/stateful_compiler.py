"""From a stateful policy's plain functions to the kernel that plays it."""

import inspect
import threading
import types
from dataclasses import dataclass
from typing import Any

from vecdecay.compile import kernel, kernel_uncached
from vecdecay.engines.kernels import stateful_kernel
from vecdecay.policies.stateful import Function, Functions, HazardPolicy, HistoryPolicy, StatefulPolicy, functions_of

_OWN_POLICIES = "vecdecay.policies."

_lock = threading.Lock()
_kernels: dict[type[StatefulPolicy], "CompiledPolicy"] = {}


@dataclass(frozen=True)
class CompiledPolicy:
    """The kernel of a class of policies, and its scalar functions as they are compiled into it."""

    play: Function
    functions: Functions


def compiled(kind: type[StatefulPolicy]) -> CompiledPolicy:
    """Return the kernel of a class of policies; its machine code is made, or read from disk, at the first call.

    The kernels of this package's own policies are kept on disk; those of others would never be found again.
    """
    with _lock:
        if kind not in _kernels:
            _kernels[kind] = _compiled(kind)
        return _kernels[kind]


def _compiled(kind: type[StatefulPolicy]) -> CompiledPolicy:
    plain = functions_of(kind)
    made = _Copies()
    functions = {name: made.compiled(getattr(plain, name)) for name in Functions.__dataclass_fields__}
    names: dict[str, Any] = {name: function for name, function in functions.items() if function is not None}
    names.setdefault("on_turn", kernel_uncached(stateful_kernel.state_as_it_is))
    names.setdefault("stability", kernel_uncached(stateful_kernel.no_stability))
    for name, template in (("passes", _passes(kind, plain)), ("play_item", stateful_kernel.play_item)):
        names[name] = kernel_uncached(_copy(template, vars(stateful_kernel) | names))
    play = _copy(stateful_kernel.play_stateful, vars(stateful_kernel) | names)
    play.__qualname__ = play.__name__ = f"play_{kind.__module__.rpartition('.')[2]}_{kind.__qualname__}"
    keep = kernel if kind.__module__.startswith(_OWN_POLICIES) else kernel_uncached
    return CompiledPolicy(keep(play), Functions(**functions))  # type: ignore[arg-type]  # as complete as the plain ones


def _passes(kind: type[StatefulPolicy], plain: Functions) -> Function:
    if issubclass(kind, HazardPolicy):
        by_turn = stateful_kernel.passes_by_chance_and_turn
        return stateful_kernel.passes_by_chance if plain.on_turn is None else by_turn
    if issubclass(kind, HistoryPolicy):
        return stateful_kernel.passes_over_history
    return stateful_kernel.passes_between if plain.on_turn is None else stateful_kernel.passes_by_turn


def _copy(function: Any, names: dict[str, Any]) -> types.FunctionType:
    """Return the function with other globals."""
    parts = function.__name__, function.__defaults__, function.__closure__
    copied = types.FunctionType(function.__code__, names, *parts)
    copied.__kwdefaults__ = function.__kwdefaults__
    copied.__qualname__, copied.__module__ = function.__qualname__, function.__module__
    return copied


class _Copies:
    """Compiled copies of plain functions, with the plain functions that they call compiled too."""

    def __init__(self) -> None:
        self._known: dict[Any, Function] = {}

    def compiled(self, function: Function | None) -> Function | None:
        """Return the function compiled, None for None."""
        if function is None:
            return None
        if function not in self._known:
            self._known[function] = function  # a function that calls itself is left to the compiler
            names = dict(function.__globals__)
            for name in _names_in(function.__code__):
                called = names.get(name)
                if inspect.isfunction(called):
                    names[name] = self.compiled(called)
            closed = tuple(types.CellType(self._cell(cell)) for cell in function.__closure__ or ())
            made = types.FunctionType(function.__code__, names, function.__name__, function.__defaults__, closed)
            made.__qualname__, made.__module__ = function.__qualname__, function.__module__
            self._known[function] = kernel_uncached(made)
        return self._known[function]

    def _cell(self, cell: types.CellType) -> Any:
        value = cell.cell_contents
        return self.compiled(value) if inspect.isfunction(value) else value


def _names_in(code: types.CodeType) -> set[str]:
    inner = [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
    return set(code.co_names).union(*map(_names_in, inner))
