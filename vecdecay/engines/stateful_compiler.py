"""From a stateful policy's plain functions to the kernel that plays it."""

import inspect
import sys
import threading
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np

from vecdecay.compile import cache_folder, kernel, lean_kernel
from vecdecay.engines.exact_compiler import ExactCompiler
from vecdecay.engines.kernels import capacity_kernel, clock_kernel, passes
from vecdecay.engines.templates import capacity_player, is_inner, item_player, lockstep_player
from vecdecay.items import DEFAULT_ATTRIBUTES
from vecdecay.policies.stateful import (
    Function,
    Functions,
    HazardPolicy,
    HistoryPolicy,
    StatefulPolicy,
    functions_of,
    item_facts,
)

_LIBRARIES = {*sys.stdlib_module_names, "numpy"} - {"__main__"}

_ON_CLOCK: dict[str, Function] = {"clock": clock_kernel.reading, "rules_of": clock_kernel.rules_on_clock}

_lock = threading.Lock()
_kernels: dict[type[StatefulPolicy], "CompiledPolicy"] = {}


@dataclass(frozen=True)
class CompiledPolicy:
    """The kernels of a class of policies, and its scalar functions as they are compiled into them.

    ``play`` is the item-major kernel; ``state_types`` are the types of a state's components, as arrays hold them.
    """

    play: Function
    make_lockstep: Callable[[bool], Function]
    make_capacity: Callable[[], Function]
    functions: Functions
    state_types: tuple[Any, ...]

    @cached_property
    def lockstep(self) -> Function:
        """The turn-major kernel, made where something asks for it."""
        return self.make_lockstep(False)

    @cached_property
    def on_clock(self) -> Function:
        """The turn-major kernel for sessions that have another clock than the turn."""
        return self.make_lockstep(True)

    @cached_property
    def capacity(self) -> Function:
        """The kernel for memories with a capacity."""
        return self.make_capacity()


def compiled(kind: type[StatefulPolicy]) -> CompiledPolicy:
    """Return the kernels of a class of policies; their machine code is made, or read from disk, at the first call.

    It is kept in a folder whose name is a digest of all that the policy's functions reach.
    """
    with _lock:
        if kind not in _kernels:
            _kernels[kind] = _compiled(kind)
        return _kernels[kind]


def _compiled(kind: type[StatefulPolicy]) -> CompiledPolicy:
    plain = functions_of(kind)
    finds = _passes(kind, plain)
    fields = [one.name for one in kind.parameters()]
    made = _Copies(_digest([*vars(plain).values(), finds, kind.constants, fields]))
    functions = {name: made.compiled(function) for name, function in vars(plain).items()}
    names = {name: function for name, function in functions.items() if function is not None}
    state_types = _state_types(kind, plain)

    def named(more: dict[str, Function]) -> dict[str, Function]:
        every = names | more
        return every | {"passes": made.template(finds, every)}

    return CompiledPolicy(
        item_player(named({}), made.template),
        lambda timed: lockstep_player(named(_ON_CLOCK if timed else {}), state_types, made.template),
        lambda: capacity_player(named(_ranked(kind, names)), state_types, made.template),
        Functions(**functions),  # type: ignore[arg-type]  # as complete as the plain ones
        state_types,
    )


def _passes(kind: type[StatefulPolicy], plain: Functions) -> Function:
    if issubclass(kind, HazardPolicy):
        return passes.passes_by_chance if plain.on_turn is None else passes.passes_by_chance_and_turn
    if issubclass(kind, HistoryPolicy):
        return passes.passes_over_history
    return passes.passes_between if plain.on_turn is None else passes.passes_by_turn


def _ranked(kind: type[StatefulPolicy], names: dict[str, Function]) -> dict[str, Function]:
    """Return what ranks the items of a full memory: the policy's priority, or its score, of a state or of touches."""
    by_history = issubclass(kind, HistoryPolicy)
    ranking = capacity_kernel.ranking_by_history if by_history else capacity_kernel.ranking_by_state
    return {"priority": names.get("priority", names["retention"]), "ranking": ranking}


def _state_types(kind: type[StatefulPolicy], plain: Functions) -> tuple[Any, ...]:
    """Return the type of each component of a state: that in which both a fresh state and one after a recall fit."""
    parameters = kind().constants()
    fresh = plain.on_register(parameters, 1, item_facts(DEFAULT_ATTRIBUTES))
    used = plain.on_recall(parameters, fresh, 2)
    return tuple(np.result_type(*map(_type_of, pair)) for pair in zip(fresh, used, strict=True))


def _type_of(number: Any) -> Any:
    if isinstance(number, bool | np.bool_):
        return np.bool_
    return np.int64 if isinstance(number, int | np.integer) else np.float64


class _Copies:
    """Compiled copies of plain functions, with the plain functions that they call compiled too.

    The digest is part of their names: machine code from disk and new machine code meet in one process under these.
    """

    def __init__(self, digest: str) -> None:
        self._digest = digest
        self._known: dict[Any, Function] = {}

    def compiled(self, function: Function | None) -> Function | None:
        """Return the function compiled as CPython would run it, None for None."""
        if function is None:
            return None
        if function not in self._known:
            self._known[function] = function  # met again, it calls itself, which is refused
            used = _names_in(function.__code__)
            names = {name: self._value(value, used) for name, value in function.__globals__.items() if name in used}
            cells = [self._value(cell.cell_contents, used) for cell in function.__closure__ or ()]
            made = self._copy(function, names, tuple(map(types.CellType, cells)))
            self._known[function] = kernel(made, cache_folder() / self._digest, pipeline_class=ExactCompiler)
        return self._known[function]

    def _value(self, value: Any, used: set[str]) -> Any:
        """Return what a name of a function stands for, with functions compiled, those of a module too."""
        if _is_own(value):
            return self.compiled(value)
        if isinstance(value, types.ModuleType):
            module = types.ModuleType(value.__name__)
            vars(module).update({one: self._value(getattr(value, one), set()) for one in used if hasattr(value, one)})
            return module
        return value

    def template(self, function: Any, names: dict[str, Any]) -> Function:
        """Return a template of the kernels compiled with a policy's functions in it."""
        copied: Function = self._copy(function, function.__globals__ | names, None)
        return lean_kernel(copied, cache_folder() / self._digest, forceinline=is_inner(function))

    def _copy(self, function: Any, names: dict[str, Any], closed: tuple[types.CellType, ...] | None) -> Any:
        # Machine code read from disk imports the module that a function names: a file's may have another name now.
        names["__name__"] = __name__
        copied = types.FunctionType(function.__code__, names, function.__name__, function.__defaults__, closed)
        copied.__kwdefaults__ = function.__kwdefaults__
        copied.__qualname__, copied.__module__ = f"{function.__qualname__}_{self._digest}", __name__
        return copied


def _is_own(value: Any) -> bool:
    """Tell whether a value is a plain function, and none of the libraries, which are not compiled."""
    top = str(getattr(value, "__module__", "")).partition(".")[0]
    return inspect.isfunction(value) and top not in _LIBRARIES


def _names_in(code: types.CodeType) -> set[str]:
    inner = [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
    return set(code.co_names).union(*map(_names_in, inner))


def _digest(reached: list[Any]) -> str:
    """Return 16 hex digits that change with all that functions reach: code, constants, and what names stand for."""
    return sha256("\n".join(_content(reached, set())).encode()).hexdigest()[:16]


def _content(value: Any, met: set[Any]) -> Iterator[str]:
    """Yield what decides how a value takes part in compiled code, each function once.

    A value of another type than those named here is never part of it, so its type is enough.
    """
    value = getattr(value, "py_func", value)  # compiled by the person who wrote it
    if isinstance(value, types.CodeType):
        yield repr((value.co_code, value.co_names, value.co_varnames, value.co_argcount, value.co_exceptiontable))
        yield from _content(value.co_consts, met)
    elif _is_own(value) and value not in met:
        met.add(value)
        yield from _content((value.__code__, value.__defaults__, value.__kwdefaults__), met)
        yield from _content([cell.cell_contents for cell in value.__closure__ or ()], met)
        names = _names_in(value.__code__)
        used = {name: value.__globals__[name] for name in names & set(value.__globals__)}
        for name, module in list(used.items()):
            if isinstance(module, types.ModuleType):
                used |= {f"{name}.{one}": getattr(module, one) for one in names if hasattr(module, one)}
        yield from _content(used, met)
    elif isinstance(value, dict):
        for name in sorted(value):
            yield name
            yield from _content(value[name], met)
    elif type(value) in (list, tuple):
        for one in value:
            yield from _content(one, met)
        yield f"{len(value)} values"
    elif isinstance(value, int | float | str | bytes):
        yield f"{type(value).__name__} {value!r}"
    else:
        yield f"{type(value).__name__} {getattr(value, '__name__', '')} {getattr(value, '_fields', '')}"
