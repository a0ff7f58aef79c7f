"""Asks a person's stateful policy before it is played, and refuses it with the arguments that show what is wrong.

Asked are items with several histories, short and long, at ages up to some thousand turns; first the plain functions,
then the compiled ones with the very same arguments. A touch that comes when the item is gone already is left out, as an
engine would. The policies that come with the program are tested, and not asked.
"""

import math
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numba.core.errors import NumbaError

from vecdecay.engines.asking import RefusalError, asked, is_number, score_of
from vecdecay.engines.exact_compiler import NOT_COMPILED
from vecdecay.engines.kernels.python_kernel import LARGEST_INTEGER
from vecdecay.engines.stateful_compiler import compiled
from vecdecay.errors import InvalidInputError, in_one_line
from vecdecay.items import DEFAULT_ATTRIBUTES, Attributes
from vecdecay.parameters import brief
from vecdecay.policies import POLICIES
from vecdecay.policies.base import Policy
from vecdecay.policies.stateful import HistoryPolicy, StatefulPolicy, functions_of, item_facts, reads_grades
from vecdecay.sessions.block import SessionBlock
from vecdecay.sessions.events import GRADES

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

_AS_IT_IS = 'engine = "reference" plays it as it is'

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
    try:
        name = type(policy).__name__
        score_of(f"{name}.eviction_threshold", asked(f"{name}.threshold()", policy.threshold))
        _check_constants(f"{name}.constants()", asked(f"{name}.constants()", policy.constants))
        questions = _Questions(policy)
        for history in _HISTORIES:
            _ask(questions, history, item)
        if compile_too:
            _compare_compiled(questions)
    except RefusalError as refusal:
        return [str(refusal)]
    return []


def _check_constants(call: str, value: Any) -> None:
    """Refuse numbers that mean something else in plain Python than compiled: NumPy's, and integers beyond 64 bits."""
    if isinstance(value, tuple):
        for name, one in zip(getattr(value, "_fields", range(len(value))), value, strict=True):
            _check_constants(f"{call}.{name}" if isinstance(name, str) else f"{call}[{name}]", one)
    elif type(value) not in (int, float, bool, str):
        raise RefusalError(f"{call} is {brief(value)}; allowed: plain numbers and tuples of them, such as float(x)")
    elif type(value) is int and abs(value) > LARGEST_INTEGER:
        raise RefusalError(f"{call} is {brief(value)}; allowed: integers up to 2**52, or a float")


class _Questions:
    """A policy's plain functions; every answer is looked at before it is used, and kept."""

    def __init__(self, policy: StatefulPolicy) -> None:
        self.kind = type(policy)
        self.threshold = policy.threshold()
        self.parameters = policy.constants()
        self.functions = functions_of(self.kind)
        self.calls: list[Call] = []
        self.state_length: int | None = None

    def text(self, name: str, arguments: Sequence[Any]) -> str:
        """Return a call as it would be typed, its first argument left out."""
        names = self.kind.arguments.get(name, ("parameters", "state", "turn"))[1:]
        shown = ", ".join(f"{word}={brief(value)}" for word, value in zip(names, arguments, strict=False))
        return f"{self.kind.__name__}.{name}({shown})"

    def ask(self, name: str, *arguments: Any) -> Any:
        """Return what a function returns."""
        answer = asked(self.text(name, arguments), getattr(self.functions, name), self.parameters, *arguments)
        self.calls.append((name, arguments, answer))
        return answer

    def state(self, name: str, *arguments: Any) -> Any:
        """Return the state that a function returns."""
        state = self.ask(name, *arguments)
        if not isinstance(state, tuple) or not state or not all(map(is_number, state)):
            raise RefusalError(f"{self.text(name, arguments)} is {brief(state)}; allowed: a tuple of numbers")
        self.state_length = self.state_length or len(state)
        if len(state) != self.state_length:
            expected = f"allowed: {self.state_length}, as many as other functions return"
            raise RefusalError(f"{self.text(name, arguments)} has {len(state)} numbers; {expected}")
        return state

    def score(self, *arguments: Any) -> float:
        """Return the score of a state, or of a history."""
        return score_of(self.text("retention", arguments), self.ask("retention", *arguments))


def _ask(questions: _Questions, history: tuple[int, ...], item: Attributes) -> None:
    touches, state = history[:1], questions.state("on_register", history[0], item_facts(item))
    for touch in (*history[1:], None):
        alive, moved = _ask_until(questions, touches, state, touch)
        if touch is not None and alive:
            touches, state = (*touches, touch), questions.state("on_recall", moved, touch)
            for grade in GRADES if reads_grades(questions.kind) else ():
                questions.state("on_recall", moved, touch, grade)


def _ask_until(questions: _Questions, touches: tuple[int, ...], state: Any, touch: int | None) -> tuple[bool, Any]:
    """Ask for scores after the last touch; return whether the item meets the next one, and its state then."""
    last: tuple[Any, ...] | None = None
    alive, by_turn = True, questions.functions.on_turn is not None
    for turn, moved in _moved_on(questions, state, touches[-1], math.inf if touch is None else touch - touches[-1]):
        subject = (touches, 0, len(touches)) if issubclass(questions.kind, HistoryPolicy) else (moved,)
        arguments = (*subject, turn)
        score = questions.score(*arguments)
        if last is not None and score > last[-1] and not by_turn:
            raise RefusalError(
                f"{questions.text('retention', last[:-1])} is {last[-1]!r} and in turn {turn} it is {score!r}; "
                "allowed: a score that is non-increasing between two touches, or a policy with on_turn"
            )
        last = (*arguments, score)
        if questions.functions.evicts is not None:
            questions.ask("evicts", moved, turn, 0.5)
        alive = alive and (score >= questions.threshold or turn == touch)
    return alive, moved


def _moved_on(questions: _Questions, state: Any, clock: int, most: float) -> Iterator[tuple[int, Any]]:
    """Yield (turn, state) at ages up to ``most``; states that change by themselves are moved on turn by turn."""
    if questions.functions.on_turn is None:
        ages = [age for age in _AGES if age < most - 1]
        ages += [int(most - 1), int(most)] if 1 <= most < math.inf else [0] if most == 0 else []
        yield from ((clock + age, state) for age in ages)
        return
    yield clock, state
    for turn in range(clock + 1, clock + int(min(most, _AGES_BY_TURN[-1])) + 1):
        state = questions.state("on_turn", state, turn)
        yield turn, state


def _compare_compiled(questions: _Questions) -> None:
    functions = compiled(questions.kind).functions
    for name, arguments, plainly in questions.calls:
        if issubclass(questions.kind, HistoryPolicy) and name == "retention":
            given = (np.array(arguments[0], dtype=np.int32), *arguments[1:])
        else:
            given = arguments
        try:
            answer = getattr(functions, name)(questions.parameters, *given)
        except NumbaError as error:
            reason = _reason(str(error))
            call = f"{questions.kind.__name__}.{name}"
            raise RefusalError(f"{call} cannot be compiled: {reason}; {_AS_IT_IS}") from error
        except Exception as error:
            raise RefusalError(
                f"{questions.text(name, arguments)} raised {in_one_line(error)} when compiled"
            ) from error
        if answer != plainly:
            both = f"is {brief(plainly)} in Python and {brief(answer)} compiled"
            raise RefusalError(f"{questions.text(name, arguments)} {both}; {_AS_IT_IS}")


def _reason(message: str) -> str:
    """Return the line of a compiler's message that says what is wrong."""
    lines = [re.sub(r"\x1b\[[0-9;]*m", "", line).strip() for line in message.splitlines()]
    refused = [line for line in lines if NOT_COMPILED in line]
    telling = [line for line in lines if line and not line.startswith(("Failed in nopython", "- ", "File "))]
    return (refused or [line[:200] for line in telling or lines] or ["no reason given"])[0]
