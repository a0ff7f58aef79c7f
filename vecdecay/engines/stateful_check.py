"""Looks at a stateful policy of one's own before it is played, and refuses it with the arguments that show why.

What is asked: items with several histories, short and long, at ages up to some thousand turns; first the plain
functions, then the compiled ones on the very same arguments. That proves nothing, but finds the usual faults. The
policies that come with the program are tested, and not asked.
"""

import math
import numbers
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numba.core.errors import NumbaError

from vecdecay.engines.exact_compiler import NOT_COMPILED
from vecdecay.engines.stateful_compiler import compiled
from vecdecay.errors import InvalidInputError
from vecdecay.items import DEFAULT_ATTRIBUTES, Attributes
from vecdecay.parameters import brief
from vecdecay.policies import POLICIES
from vecdecay.policies.base import Policy
from vecdecay.policies.stateful import Functions, HistoryPolicy, StatefulPolicy, functions_of, item_facts
from vecdecay.sessions.block import SessionBlock

_HISTORIES: tuple[tuple[int, ...], ...] = (
    (1,),
    (1, 1, 1),
    (1, 2, 3, 4, 5, 6),
    (1, 4, 9, 21, 46),
    (7, 7, 30, 31, 500),
    (1000, 1040),
)
_AGES = (*range(65), 80, 100, 150, 250, 500, 1000, 2500, 5000, 10_000)
_AGES_BY_TURN = tuple(age for age in _AGES if age <= 250)
_ALLOWED = "allowed: a number from 0 to 1"

Call = tuple[str, tuple[Any, ...], Any]
"""A function's name, the arguments after ``parameters``, and what it returned."""


def check_stateful(policy: Policy, block: SessionBlock, compile_too: bool = True) -> None:
    """Refuse a stateful policy that cannot be played as it is; do nothing for any other policy.

    What cannot be compiled can still be played by the scalar reference, without ``compile_too``.

    Raises:
        InvalidInputError: a function is missing, raises, cannot be compiled or means something else compiled; a score
            or the threshold is no number from 0 to 1; a score rises between touches; states differ in length.
    """
    if not isinstance(policy, StatefulPolicy) or type(policy) in POLICIES:
        return
    met = (*block.attributes, *(cohort.attributes for cohort in block.cohorts))
    for attributes in dict.fromkeys(one._replace(pinned=False) for one in met):
        _check(policy, attributes, compile_too)


@lru_cache(maxsize=1024)
def _check(policy: StatefulPolicy, item: Attributes, compile_too: bool) -> None:
    problems = stateful_problems(policy, item, compile_too)
    if problems:
        raise InvalidInputError(problems)


def stateful_problems(
    policy: StatefulPolicy, item: Attributes = DEFAULT_ATTRIBUTES, compile_too: bool = True
) -> list[str]:
    """Return the first reason not to play the policy on such items, in one line; an empty list if there is none."""
    plain = functions_of(type(policy))
    threshold = policy.threshold()
    if not _is_score(threshold):
        return [f"{type(policy).__name__}.eviction_threshold is {brief(threshold)}; {_ALLOWED}"]
    questions = _Questions(policy, plain)
    try:
        for history in _HISTORIES:
            _look_at(questions, history, item)
        if compile_too:
            _compare_compiled(questions)
    except _RefusalError as refusal:
        return [str(refusal)]
    return []


def _is_score(value: object) -> bool:
    # A NaN fails every comparison.
    return isinstance(value, int | float | np.number) and not isinstance(value, bool) and bool(0 <= value <= 1)


class _RefusalError(Exception):
    """Why the policy is not played, in one line."""


class _Questions:
    """A policy's plain functions; every answer is looked at before it is used, and kept."""

    def __init__(self, policy: StatefulPolicy, functions: Functions) -> None:
        self.kind = type(policy)
        self.parameters = policy.constants()
        self.threshold = policy.threshold()
        self.functions = functions
        self.calls: list[Call] = []
        self.state_length: int | None = None

    def text(self, name: str, arguments: Sequence[Any]) -> str:
        """Return a call as it would be typed, its first argument left out."""
        names = self.kind.arguments.get(name, ("parameters", "state", "turn"))[1:]
        shown = ", ".join(f"{word}={brief(value)}" for word, value in zip(names, arguments, strict=False))
        return f"{self.kind.__name__}.{name}({shown})"

    def ask(self, name: str, *arguments: Any) -> Any:
        """Return what a function returns."""
        try:
            answer = getattr(self.functions, name)(self.parameters, *arguments)
        except Exception as error:
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            raise _RefusalError(f"{self.text(name, arguments)} raised {reason[:200]}") from error
        self.calls.append((name, arguments, answer))
        return answer

    def state(self, name: str, *arguments: Any) -> Any:
        """Return the state that a function returns."""
        state = self.ask(name, *arguments)
        numeric = isinstance(state, tuple) and all(isinstance(one, numbers.Real) for one in state)
        if not numeric or len(state) == 0 or any(math.isnan(one) for one in state):
            raise _RefusalError(f"{self.text(name, arguments)} is {brief(state)}; allowed: a tuple of numbers")
        self.state_length = self.state_length or len(state)
        if len(state) != self.state_length:
            expected = f"allowed: {self.state_length}, as many as other functions return"
            raise _RefusalError(f"{self.text(name, arguments)} has {len(state)} numbers; {expected}")
        return state

    def score(self, *arguments: Any) -> float:
        """Return the score of a state, or of a history."""
        score = self.ask("retention", *arguments)
        if not _is_score(score):
            raise _RefusalError(f"{self.text('retention', arguments)} is {brief(score)}; {_ALLOWED}")
        return float(score)


def _look_at(questions: _Questions, history: tuple[int, ...], item: Attributes) -> None:
    clock = history[0]
    state = questions.state("on_register", clock, item_facts(item))
    for used, touch in enumerate((*history[1:], None), start=1):
        last: tuple[Any, ...] | None = None
        most = math.inf if touch is None else touch - clock
        for turn, state_then in _moved_on(questions, state, clock, most):
            subject = (history, 0, used) if issubclass(questions.kind, HistoryPolicy) else (state_then,)
            arguments = (*subject, turn)
            score = questions.score(*arguments)
            if last is not None and score > last[-1] and questions.functions.on_turn is None:
                raise _RefusalError(
                    f"{questions.text('retention', last[:-1])} is {last[-1]!r} and in turn {turn} it is {score!r}; "
                    "allowed: a score that never rises between two touches, or a policy with on_turn"
                )
            last = (*arguments, score)
            if touch is not None and turn < touch and score < questions.threshold:
                return  # the item is gone before its next touch
            if questions.functions.evicts is not None:
                questions.ask("evicts", state_then, turn, 0.5)
            if touch is not None and turn == touch:
                state = state_then
        if touch is not None:
            state = questions.state("on_recall", state, touch)
            clock = touch


def _moved_on(questions: _Questions, state: Any, clock: int, most: float) -> Iterator[tuple[int, Any]]:
    """Yield (turn, state) at ages up to ``most``; states that change by themselves are moved on turn by turn."""
    if questions.functions.on_turn is None:
        ages = [age for age in _AGES if age < most] + ([int(most)] if most < math.inf else [])
        yield from ((clock + age, state) for age in ages)
        return
    yield clock, state
    for turn in range(clock + 1, clock + int(min(most, _AGES_BY_TURN[-1])) + 1):
        state = questions.state("on_turn", state, turn)
        yield turn, state


def _compare_compiled(questions: _Questions) -> None:
    functions = compiled(questions.kind).functions
    for name, arguments, plainly in questions.calls:
        given = tuple(_as_the_kernel_has_it(one, questions.kind) for one in arguments)
        try:
            answer = getattr(functions, name)(questions.parameters, *given)
        except NumbaError as error:
            reason = _reason(str(error))
            raise _RefusalError(f"{questions.kind.__name__}.{name} cannot be compiled: {reason}") from error
        except Exception as error:
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            raise _RefusalError(f"{questions.text(name, arguments)} raised {reason[:200]} when compiled") from error
        if answer != plainly:
            raise _RefusalError(
                f"{questions.text(name, arguments)} is {brief(plainly)} in Python and {brief(answer)} compiled; "
                'remedy: engine="reference", which plays the plain function'
            )


def _as_the_kernel_has_it(argument: Any, kind: type[StatefulPolicy]) -> Any:
    is_history = issubclass(kind, HistoryPolicy) and isinstance(argument, tuple) and argument in _HISTORIES
    return np.array(argument, dtype=np.int32) if is_history else argument


def _reason(message: str) -> str:
    """Return the line of a compiler's message that says what is wrong."""
    lines = [re.sub(r"\x1b\[[0-9;]*m", "", line).strip() for line in message.splitlines()]
    refused = [line for line in lines if NOT_COMPILED in line]
    telling = [line for line in lines if line and not line.startswith(("Failed in nopython", "- ", "File "))]
    return (refused or [line[:200] for line in telling or lines] or ["no reason given"])[0]
