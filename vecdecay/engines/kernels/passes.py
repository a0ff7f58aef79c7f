"""When an item goes: the first pass that evicts it, found without asking in every turn. Templates.

Each function answers for the passes from turn ``since``, the item's latest touch, to turn ``until``, the one before its
next touch; none before ``earliest``, where the grace ends. It returns that turn, ``NEVER`` if there is none, and the
item's state then. ``rules`` are (period, cooldown, grace, unit, inclusive) of ``policies.rules.Rules``; a threshold of
-inf spares an item. The scalar reference asks in every pass, and gets the same.

``stateful_compiler`` puts a policy's own functions in place of ``on_turn``, ``retention`` and ``evicts``. A kernel that
took them as arguments could not be kept on disk.
"""

# ruff: noqa: ARG001  # all templates of one role have the same arguments, and none needs all of them
from collections.abc import Callable
from typing import Any

import numpy as np

from vecdecay.engines.kernels.fields import NEVER
from vecdecay.engines.kernels.rules import clock, next_pass
from vecdecay.sessions.philox import uniform

# The address of a hazard policy's draws: no workload uses the word 0.
POLICY_WORKLOAD = 0
HAZARD_STREAM = 1


def not_put_in(*arguments: Any) -> Any:
    """Stand where a copy has a policy's function; a template is never played itself."""
    raise NotImplementedError(f"a template was called with {arguments}")


Function = Callable[..., Any]
on_turn: Function = not_put_in
retention: Function = not_put_in
evicts: Function = not_put_in


def passes_between(
    parameters: Any, threshold: float, state: Any, touches: Any, first: int, last: int, since: int, earliest: int,
    until: int, rules: Any, key: int, number: int,
) -> tuple[int, Any]:  # fmt: skip
    """Ask a score that does not rise between touches: the last pass answers for all, halving finds the first."""
    period, _, _, unit, inclusive = rules
    low = next_pass(max(since, earliest), period) // period - 1
    high = until // period
    if threshold == -np.inf or high <= low:
        return NEVER, state
    if not retention(parameters, state, clock(high * period, unit) + inclusive) < threshold:
        return NEVER, state
    while high - low > 1:
        middle = (low + high) // 2
        if retention(parameters, state, clock(middle * period, unit) + inclusive) < threshold:
            high = middle
        else:
            low = middle
    return high * period, state


def passes_over_history(
    parameters: Any, threshold: float, state: Any, touches: Any, first: int, last: int, since: int, earliest: int,
    until: int, rules: Any, key: int, number: int,
) -> tuple[int, Any]:  # fmt: skip
    """Do as ``passes_between`` where the score is one of ``touches[first:last]``."""
    period, _, _, unit, inclusive = rules
    low = next_pass(max(since, earliest), period) // period - 1
    high = until // period
    if threshold == -np.inf or high <= low:
        return NEVER, state
    if not retention(parameters, touches, first, last, clock(high * period, unit) + inclusive) < threshold:
        return NEVER, state
    while high - low > 1:
        middle = (low + high) // 2
        if retention(parameters, touches, first, last, clock(middle * period, unit) + inclusive) < threshold:
            high = middle
        else:
            low = middle
    return high * period, state


def passes_by_turn(
    parameters: Any, threshold: float, state: Any, touches: Any, first: int, last: int, since: int, earliest: int,
    until: int, rules: Any, key: int, number: int,
) -> tuple[int, Any]:  # fmt: skip
    """Ask in every pass where the state changes from turn to turn; it is that of turn ``since`` at first."""
    period, _, _, unit, inclusive = rules
    for turn in range(since, until + 1):
        if turn > since:
            state = on_turn(parameters, state, clock(turn, unit))
        if turn < earliest or turn % period != 0:
            continue
        if retention(parameters, state, clock(turn, unit) + inclusive) < threshold:
            return turn, state
    return NEVER, state


def passes_by_chance(
    parameters: Any, threshold: float, state: Any, touches: Any, first: int, last: int, since: int, earliest: int,
    until: int, rules: Any, key: int, number: int,
) -> tuple[int, Any]:  # fmt: skip
    """Draw in every pass."""
    period, _, _, unit, inclusive = rules
    if threshold == -np.inf:
        return NEVER, state
    for turn in range(next_pass(max(since, earliest), period), until + 1, period):
        draw = uniform(key, POLICY_WORKLOAD, HAZARD_STREAM, number, turn)
        if evicts(parameters, state, clock(turn, unit) + inclusive, draw):
            return turn, state
    return NEVER, state


def passes_by_chance_and_turn(
    parameters: Any, threshold: float, state: Any, touches: Any, first: int, last: int, since: int, earliest: int,
    until: int, rules: Any, key: int, number: int,
) -> tuple[int, Any]:  # fmt: skip
    """Draw in every pass where the state changes from turn to turn; it is that of turn ``since`` at first."""
    period, _, _, unit, inclusive = rules
    for turn in range(since, until + 1):
        if turn > since:
            state = on_turn(parameters, state, clock(turn, unit))
        if threshold == -np.inf or turn < earliest or turn % period != 0:
            continue
        draw = uniform(key, POLICY_WORKLOAD, HAZARD_STREAM, number, turn)
        if evicts(parameters, state, clock(turn, unit) + inclusive, draw):
            return turn, state
    return NEVER, state
