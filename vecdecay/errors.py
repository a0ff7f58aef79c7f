"""The errors that a user can meet. Each says in one line what was wrong, where, and what was expected."""

from collections.abc import Callable, Iterable
from typing import Any


class VecdecayError(Exception):
    """Base of every error that this package raises on purpose."""


class InvalidInputError(VecdecayError, ValueError):
    """Something given by the user is outside its range.

    ``problems`` holds one line per mistake; all mistakes of one call are reported together.

    >>> raise InvalidInputError(["a is -1; allowed: above 0", "b is 7; allowed: 1 or 2"])
    Traceback (most recent call last):
    vecdecay.errors.InvalidInputError: a is -1; allowed: above 0
    b is 7; allowed: 1 or 2
    """

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems: tuple[str, ...] = tuple(problems)
        super().__init__("\n".join(self.problems))


def each_of(*calls: Callable[[], Any], problems: Iterable[str] = ()) -> list[Any]:
    """Return what each call returns.

    Raises:
        InvalidInputError: the ``problems``, and those of every call that raises it.
    """
    found, lines = [], list(problems)
    for call in calls:
        try:
            found.append(call())
        except InvalidInputError as error:
            lines += error.problems
    if lines:
        raise InvalidInputError(lines)
    return found


def in_one_line(error: BaseException) -> str:
    """Return an exception's class and text on one line of bounded length; mistakes are parted by semicolons.

    The text is a person's code too, and may itself raise.

    >>> in_one_line(InvalidInputError(["a is -1", "b is 7"]))
    'InvalidInputError: a is -1; b is 7'
    """
    try:
        text = "; ".join(error.problems) if isinstance(error, InvalidInputError) else str(error)
    except KeyboardInterrupt:
        raise
    except BaseException as another:
        text = f"its text raised {type(another).__name__}"
    return " ".join(f"{type(error).__name__}: {text}".split())[:500]


class OutputError(VecdecayError, OSError):
    """Results could not be written, or what is in the output folder forbids it."""
