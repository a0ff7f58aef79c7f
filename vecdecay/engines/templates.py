"""Copies of the kernels' templates with a policy's scalar functions in them; see ``kernels.passes``."""

import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from numpy.typing import DTypeLike

from vecdecay.compile import lean_kernel
from vecdecay.engines.kernels import capacity_kernel, lockstep_kernel, stateful_kernel

Function = Callable[..., Any]

_DEFAULTS: dict[str, Function] = {
    "on_turn": stateful_kernel.state_as_it_is,
    "on_refresh": stateful_kernel.state_as_it_is,
    "stability": stateful_kernel.no_stability,
    "facts_of": stateful_kernel.item_facts_of,
    "rules_of": lockstep_kernel.rules_of_the_block,
}


Template = Callable[[Any, dict[str, Any]], Function]
"""Compiles a copy of a template in which some names stand for other functions."""


def is_inner(template: Any) -> bool:
    """Tell whether a template is called by another one: inlined, as it must be, a call costs no copies of arrays.

    Without, a session under two policies took 4.3 instead of 2.9 µs in the lockstep kernel.
    """
    outer = stateful_kernel.play_stateful, lockstep_kernel.play_lockstep, capacity_kernel.play_capacity
    return template not in outer


def item_player(functions: Mapping[str, Function], template: Template) -> Function:
    """Return the item-major kernel of a policy; ``functions`` are compiled, by their names in the templates."""
    names = _with_defaults(functions, template)
    names["play_item"] = template(stateful_kernel.play_item, names)
    return template(stateful_kernel.play_stateful, names)


def lockstep_player(
    functions: Mapping[str, Function], state_types: Sequence[DTypeLike], template: Template
) -> Function:
    """Return the turn-major kernel of a policy; ``state_types`` are those of a state's components."""
    names = _with_defaults(functions, template) | _state_access(len(state_types), template)
    names["play_touch"] = template(lockstep_kernel.play_touch, names)
    return template(lockstep_kernel.play_lockstep, names)


def capacity_player(
    functions: Mapping[str, Function], state_types: Sequence[DTypeLike], template: Template
) -> Function:
    """Return the kernel of a policy with a capacity; ``ranking`` is among ``functions``, or a template of one."""
    names = _with_defaults(functions, template) | _state_access(len(state_types), template)
    for one in (capacity_kernel.ahead, functions["ranking"], *_PARTS):
        names[one.__name__] = template(one, names)
        if one is functions["ranking"]:
            names["ranking"] = names[one.__name__]
    return template(capacity_kernel.play_capacity, names)


_PARTS: tuple[Function, ...] = (
    capacity_kernel.drop,
    capacity_kernel.next_to_go,
    capacity_kernel.goes_by_itself,
    capacity_kernel.play_event,
    capacity_kernel.begin_session,
)


def kept_template(name: str) -> Template:
    """Return what compiles templates for functions of this package, and keeps the machine code under ``name``."""

    def template(function: Any, names: dict[str, Any]) -> Function:
        copied = types.FunctionType(function.__code__, {**function.__globals__, **names}, function.__name__)
        copied.__qualname__, copied.__module__ = f"{function.__qualname__}_{name}", function.__module__
        return lean_kernel(copied, forceinline=is_inner(function))

    return template


def _with_defaults(functions: Mapping[str, Function], template: Template) -> dict[str, Any]:
    missing = {name: template(one, {}) for name, one in _DEFAULTS.items() if name not in functions}
    names = {**missing, **functions}
    return names | {"leaves_before": template(stateful_kernel.leaves_before, names)}


def _state_access(components: int, template: Template) -> dict[str, Any]:
    """Return functions that read and write a state of so many components; numbers keep the types that they have."""
    reads = "".join(f"states[{place}][item], " for place in range(components))
    writes = "".join(f"    states[{place}][item] = state[{place}]\n" for place in range(components))
    made: dict[str, Any] = {}
    exec(f"def load(states, item):\n    return ({reads})\ndef store(states, item, state):\n{writes}", made)
    return {name: template(made[name], {}) for name in ("load", "store")}
