"""Tests of vecdecay.errors: what a user can catch, and how an error reads."""

import pytest

from vecdecay.errors import InvalidInputError, OutputError, VecdecayError


def test_every_mistake_is_kept_and_shown() -> None:
    """One error carries all mistakes of a call, one line each, in order; any iterable will do."""
    error = InvalidInputError(line for line in ("a is 1; allowed: 2", "b is 3; allowed: 4"))
    assert error.problems == ("a is 1; allowed: 2", "b is 3; allowed: 4")
    assert str(error) == "a is 1; allowed: 2\nb is 3; allowed: 4"


@pytest.mark.parametrize(("error", "base"), [(InvalidInputError, ValueError), (OutputError, OSError)])
def test_errors_are_caught_by_the_usual_names(error: type, base: type) -> None:
    """A user who knows only Python's own exceptions, or only ours, catches them."""
    assert issubclass(error, VecdecayError)
    assert issubclass(error, base)
