"""Invariants about the engines: all of them, and compiled and plain functions, give the same for a policy."""

import math
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any

import numpy as np

from vecdecay.engines.outcome import first_difference
from vecdecay.engines.reference import run
from vecdecay.engines.reference_stateful import StatefulPolicyEngine
from vecdecay.engines.registry import REGISTRY, play_block
from vecdecay.engines.stateful_compiler import compiled
from vecdecay.parameters import brief
from vecdecay.policies.base import Policy
from vecdecay.policies.stateful import Functions, HistoryPolicy, StatefulPolicy, functions_of
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.session import Session
from vecdecay.testing.invariant import Answer, Invariant
from vecdecay.testing.invariants_of_passes import drawn_sessions

_NUDGES = (1, -3, 1 << 20, -(1 << 24), 1 << 33)
"""By how many units in the last place the floats of a state are changed: other numbers, of the same size."""


@Invariant
def vectorised_equals_reference(policy: Policy, examples: int) -> Answer:
    """Every engine that can play the policy gives what the scalar reference gives, item by item, with ``==``.

    Catches methods that mean something else when they are compiled, a table that does not stand for the policy, and
    anything else that makes the quick answer another one than the plain answer.
    """
    engines = [one.name for one in REGISTRY.values() if one.is_compiled and one.can_play(policy)]

    def problem(session: Session) -> str:
        block = block_of([session, replace(session, session_length=session.session_length + 7)])
        plain = play_block(block, policy, "reference", want_items=True, want_turns=True)
        for engine in engines:
            found = first_difference(plain, play_block(block, policy, engine, want_items=True, want_turns=True))
            if found:
                return f"{found} (engine {engine})"
        return ""

    return drawn_sessions(policy, examples, problem)


@Invariant
def compiled_equals_plain(policy: Policy, examples: int) -> Answer:
    """Each scalar function of a stateful policy returns, compiled, what it returns in Python, with ``==``.

    Asked with the arguments that drawn sessions lead to, and with states of which the floats are changed by some last
    places. Catches formulas that a compiler rounds in another way, and rounds seldom enough for outcomes to agree.
    """
    if not isinstance(policy, StatefulPolicy):
        return Answer(silent="its methods are not compiled")
    plain, fast = functions_of(type(policy)), compiled(type(policy)).functions
    parameters = policy.constants()

    def problem(session: Session) -> str:
        for name, arguments in _calls(policy, session):
            function, twin = getattr(plain, name), getattr(fast, name)
            for given in (arguments, *_nudged(arguments)):
                try:
                    expected = function(parameters, *given)
                except (ArithmeticError, ValueError):
                    continue  # no state that a session leads to
                got = twin(parameters, *_as_the_kernel_has_them(given))
                if got != expected:
                    return f"{name}({', '.join(map(brief, given))}) is {expected!r}, and {got!r} compiled"
        return ""

    return drawn_sessions(policy, examples, problem)


def _calls(policy: StatefulPolicy, session: Session) -> list[tuple[str, tuple[Any, ...]]]:
    """Return the different calls that the scalar reference makes in a session, ``parameters`` left out."""
    calls: dict[tuple[str, tuple[Any, ...]], None] = {}

    def recorded(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(parameters: Any, *arguments: Any) -> Any:
            # The touches of a history are a list that grows.
            calls[name, tuple(tuple(one) if isinstance(one, list) else one for one in arguments)] = None
            return function(parameters, *arguments)

        return call

    engine = StatefulPolicyEngine(policy, session)
    every = {field.name: getattr(engine.functions, field.name) for field in fields(Functions)}
    engine.functions = Functions(**{name: one and recorded(name, one) for name, one in every.items()})
    run(engine, session)
    return list(calls)


def _nudged(arguments: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Yield the arguments with the floats of the state in them changed by some last places."""
    state = arguments[0]
    if isinstance(state, tuple) and any(isinstance(one, float) and math.isfinite(one) for one in state):
        for places in _NUDGES:
            moved = [one + places * math.ulp(one) if isinstance(one, float) else one for one in state]
            yield (type(state)._make(moved) if hasattr(state, "_make") else tuple(moved), *arguments[1:])


def _as_the_kernel_has_them(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the arguments with an array in the place of the touches of a history."""
    is_history = len(arguments) == len(HistoryPolicy.arguments["retention"]) - 1
    return (np.array(arguments[0], dtype=np.int32), *arguments[1:]) if is_history else arguments
