"""Examples are the same each time and shrunk; without Hypothesis one line names the extra."""

import sys

import pytest
from hypothesis import strategies as st

from vecdecay.errors import InvalidInputError
from vecdecay.testing.drawing import NoHypothesisError, hypothesis, smallest_problem


def test_the_smallest_problem_is_shown() -> None:
    """Shrunk to the boundary, with what is wrong and where."""
    found = smallest_problem(st.integers(0, 10_000), lambda n: "too large" if n > 41 else "", 200, lambda n: f"n={n}")
    assert found == "too large; n=42"
    assert smallest_problem(st.integers(0, 10), lambda _: "", 50, str) == ""


def test_raising_and_refusals_are_problems() -> None:
    """The words of the exception are kept."""

    def divides(n: int) -> str:
        return str(1 // (n - 3))[:0]

    def refuses(n: int) -> str:
        raise InvalidInputError(["this", "and that"])

    assert smallest_problem(st.integers(0, 9), divides, 100, str).startswith("raised ZeroDivisionError: ")
    assert smallest_problem(st.integers(0, 9), refuses, 100, str) == "cannot be played: this; 0"


def test_an_answer_that_changes_is_told() -> None:
    """A policy with a memory may not show its fault a second time; something is told all the same."""
    asked: list[int] = []

    def once(n: int) -> str:
        asked.append(n)
        return "odd" if len(asked) == 5 else ""

    found = smallest_problem(st.integers(0, 9), once, 50, str)
    assert found.startswith("odd; ")
    assert found.endswith("; asked again, the answer was another one")


def test_each_call_draws_the_same() -> None:
    """No seed of the surroundings reaches what is drawn."""
    drawn: list[list[int]] = []
    for _ in range(2):
        drawn.append([])
        smallest_problem(st.integers(), lambda n: drawn[-1].append(n) or "", 50, str)
    assert drawn[0] == drawn[1]
    assert len(set(drawn[0])) > 20


def test_without_hypothesis_one_line_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package itself can be used without it."""
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    with pytest.raises(NoHypothesisError, match=r"^vecdecay\.testing needs Hypothesis: pip install '"):
        hypothesis()
