"""What the checks of a person's policies have in common: a call that may fail, an answer that must be a score."""

import math
import numbers
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from vecdecay.errors import InvalidInputError, VecdecayError, in_one_line
from vecdecay.items import DEFAULT_ATTRIBUTES, Attributes
from vecdecay.parameters import brief
from vecdecay.policies import POLICIES
from vecdecay.policies.base import Policy, TablePolicy

ALLOWED_SCORE = "allowed: a number from 0 to 1"


class RefusalError(Exception):
    """Why a policy is not played, in one line."""


def is_score(value: object) -> bool:
    """Tell whether a value is a number from 0 to 1; a NaN fails every comparison."""
    return not isinstance(value, bool) and isinstance(value, numbers.Real) and bool(0 <= value <= 1)  # type: ignore[operator]


def is_number(value: object) -> bool:
    """Tell whether a value is a number that a float can hold, and no NaN."""
    try:
        return isinstance(value, numbers.Real) and not math.isnan(value)
    except OverflowError:
        return False


def asked(call: str, function: Callable[..., Any], *arguments: Any, hint: str = "") -> Any:
    """Return what a person's function returns; ``call`` is the question as it would be typed.

    Raises:
        RefusalError: the function raised.
    """
    try:
        return function(*arguments)
    except (RefusalError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise RefusalError(f"{call} raised {in_one_line(error)}{hint}") from error


def priority_of(policy: TablePolicy, age: int, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
    """Return what a policy ranks an item of a full memory by.

    Raises:
        InvalidInputError: it is no number.
    """
    answer = policy.priority(age, recall_count, item)
    if not is_number(answer):
        call = f"{type(policy).__name__}.priority(age={age}, recall_count={recall_count})"
        raise InvalidInputError([f"{call} is {brief(answer)}; allowed: a number"])
    return float(answer)


@contextmanager
def guarded(policy: Policy) -> Iterator[None]:
    """Make one line of whatever a person's policy raises while it is asked or played, compiled or not.

    Raises:
        InvalidInputError: the policy raised.
    """
    try:
        yield
    except (VecdecayError, MemoryError, KeyboardInterrupt):
        raise
    except BaseException as error:
        if type(policy) in POLICIES:
            raise
        problem = f"{type(policy).__name__} raised {in_one_line(error)} while it was played; allowed: no error"
        raise InvalidInputError([problem]) from error


def score_of(call: str, answer: Any) -> float:
    """Return an answer that must be a score.

    Raises:
        RefusalError: it is none.
    """
    if not is_score(answer):
        raise RefusalError(f"{call} is {brief(answer)}; {ALLOWED_SCORE}")
    return float(answer)
