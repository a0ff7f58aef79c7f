"""Scalar functions of table policies for the lockstep kernel: the two published ones by their formulas, any by a table.

States: ``ebbinghaus`` (stability, last touch, recall count); ``window`` (last touch,); ``table`` (place in the table,
unit from which the age counts).
"""

# ruff: noqa: ARG001  # all functions of one role have the same arguments, and none needs all of them
import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vecdecay.compile import kernel
from vecdecay.engines.kernels.fields import NEVER
from vecdecay.engines.kernels.rules import first_turn, next_pass


class EbbinghausParameters(NamedTuple):
    """What the formulas of ``Ebbinghaus`` need beside the threshold."""

    baseline_stability: float
    reinforcement_gain: float
    max_stability: float


class TableParameters(NamedTuple):
    """``horizon`` (row, recall), flat, ``width`` entries a row; whether a recall starts the age anew."""

    horizon: NDArray[np.int64]
    width: int
    refreshes: bool


@kernel
def row_of(importance: NDArray[np.float64], category: NDArray[np.int64], row: int) -> int:
    """Return the number of the combination of attributes."""
    return row


@kernel
def ebbinghaus_register(parameters: Any, turn: int, facts: int, grade: int) -> tuple[float, int, int]:
    """Return the state of a fresh item."""
    return parameters.baseline_stability, turn, 1


@kernel
def ebbinghaus_recall(parameters: Any, state: Any, turn: int, grade: int = 0) -> tuple[float, int, int]:
    """Multiply the stability by 1 + gain × ln(1 + recall_count), the count raised first."""
    count = state[2] + 1
    factor = 1.0 + parameters.reinforcement_gain * math.log(1.0 + count)
    return min(state[0] * factor, parameters.max_stability), turn, count


@kernel
def ebbinghaus_refresh(parameters: Any, state: Any, turn: int) -> tuple[float, int, int]:
    """Start the age anew."""
    return state[0], turn, state[2]


@kernel
def ebbinghaus_stability(parameters: Any, state: Any) -> float:
    """Return the stability in turns."""
    return state[0]  # type: ignore[no-any-return]


@kernel
def _scores_below(age: int, stability: float, threshold: float) -> bool:
    return math.exp(-age / stability) < threshold


@kernel
def ebbinghaus_passes(
    parameters: Any, threshold: float, state: Any, touches: Any, first: int, last: int, since: int, earliest: int,
    until: int, rules: Any, key: int, number: int,
) -> tuple[int, Any]:  # fmt: skip
    """Ask the real predicate around the closed form; see ``passes``."""
    stability, touched = state[0], state[1]
    limit = until - touched
    if threshold == -np.inf or limit < 1 or not _scores_below(limit, stability, threshold):
        return NEVER, state
    guess = 1.0 - stability * math.log(threshold)
    age = max(1, np.int64(guess)) if guess < limit else limit
    while age > 1 and _scores_below(age - 1, stability, threshold):
        age -= 1
    while not _scores_below(age, stability, threshold):
        age += 1
    turn = max(touched + age, earliest)
    return (turn if turn <= until else NEVER), state


@kernel
def window_register(parameters: Any, turn: int, facts: int, grade: int) -> tuple[int]:
    """Return the state of a fresh item."""
    return (turn,)


@kernel
def window_recall(parameters: Any, state: Any, turn: int, grade: int = 0) -> tuple[int]:
    """Start the age anew."""
    return (turn,)


@kernel
def window_passes(
    parameters: Any, threshold: float, state: Any, touches: Any, first: int, last: int, since: int, earliest: int,
    until: int, rules: Any, key: int, number: int,
) -> tuple[int, Any]:  # fmt: skip
    """Find the first age above the window, which stands in place of a threshold; see ``passes``."""
    limit = until - state[0]
    if threshold == -np.inf or not limit > threshold:
        return NEVER, state
    age = np.int64(math.floor(threshold)) + 1
    while age > 1 and age - 1 > threshold:
        age -= 1
    while not age > threshold:
        age += 1
    turn = max(state[0] + age, earliest)
    return (turn if turn <= until else NEVER), state


@kernel
def table_register(parameters: Any, turn: int, facts: int, grade: int) -> tuple[int, int]:
    """Return the state of a fresh item, whose row is ``facts``."""
    return facts * parameters.width, turn


@kernel
def table_recall(parameters: Any, state: Any, turn: int, grade: int = 0) -> tuple[int, int]:
    """Go on by one entry of the row."""
    return state[0] + 1, turn if parameters.refreshes else state[1]


@kernel
def table_refresh(parameters: Any, state: Any, turn: int) -> tuple[int, int]:
    """Start the age anew, where a recall does so."""
    return state[0], turn if parameters.refreshes else state[1]


@kernel
def table_passes(
    parameters: Any, threshold: float, state: Any, touches: Any, first: int, last: int, since: int, earliest: int,
    until: int, rules: Any, key: int, number: int,
) -> tuple[int, Any]:  # fmt: skip
    """Look the life up; see ``passes``. A pinned item has a row of its own."""
    life = parameters.horizon[np.uint64(state[0])]
    turn = next_pass(max(first_turn(state[1] + life, rules[3]), since, earliest), rules[0])
    return (turn if turn <= until else NEVER), state
