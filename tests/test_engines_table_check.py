"""Tests of vecdecay.engines.table_check: a person's policy is refused with the arguments that show what is wrong."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from vecdecay.engines.registry import play_block
from vecdecay.engines.table_check import check_table, table_problems
from vecdecay.errors import InvalidInputError
from vecdecay.items import DEFAULT_ATTRIBUTES, Attributes
from vecdecay.policies import POLICIES, Ebbinghaus, TablePolicy
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.session import NOISE, RECALL, REGISTER, Session

SESSION = Session(30, (NOISE,), ((1, REGISTER, 0), (4, RECALL, 0), (9, RECALL, 0)))


def made(curve: Callable[[int, int], Any], threshold: Any = 0.2) -> TablePolicy:
    """Return a policy called Own with this score."""

    @dataclass(frozen=True)
    class Own(TablePolicy):
        eviction_threshold: float = 0.2

        def retention(self, age: int, recall_count: int) -> Any:
            return curve(age, recall_count)

        def threshold(self) -> Any:
            return threshold

    return Own()


def problems_of(policy: TablePolicy, max_recalls: int = 2) -> list[str]:
    """Return the lines of the refusal, each of which must be one line that ends with what is allowed."""
    problems = table_problems(policy, max_recalls)
    for problem in problems:
        assert problem.isprintable()
        assert "; allowed: " in problem
    return problems


def test_sound_policies_pass() -> None:
    """Every table policy of the package, and curves of any shape that do not rise: steep, flat, stepped, endless."""
    for kind in POLICIES:
        if issubclass(kind, TablePolicy):
            for item in (Attributes(), Attributes(1.0, "strategy"), Attributes(0.0, "failure")):
                assert table_problems(kind(), 5, item) == []
    curves: list[Callable[[int, int], Any]] = [
        lambda age, _count: 0.5**age,
        lambda _age, _count: 1,
        lambda _age, _count: 0,
        lambda age, _count: 1.0 / (1.0 + age),
        lambda age, count: max(0.0, 1.0 - age / (1000.0 * count)),
        lambda age, _count: 1.0 if age < 10**6 else 0.0,
        lambda age, count: math.exp(-age / (8.0 * 2.0**count)),
    ]
    for curve in curves:
        assert problems_of(made(curve)) == []


@pytest.mark.parametrize(
    ("curve", "wanted"),
    [
        (lambda _age, _count: math.nan, "Own.retention(age=1, recall_count=1) is nan"),
        (lambda _age, _count: 1.5, "Own.retention(age=1, recall_count=1) is 1.5"),
        (lambda _age, _count: -0.1, "Own.retention(age=1, recall_count=1) is -0.1"),
        (lambda _age, _count: None, "Own.retention(age=1, recall_count=1) raised TypeError"),
        (lambda _age, _count: True, "Own.retention(age=1, recall_count=1) is True"),
        (
            lambda age, _count: 1.0 if age < 7 else 1 / (age - 7),
            "Own.retention(age=7, recall_count=1) raised ZeroDivisionError",
        ),
        (lambda age, _count: math.nan if age > 40 else 1.0, "Own.retention(age=41, recall_count=1) is nan"),
        (lambda age, _count: [1.0, 0.5][age], "raised IndexError: list index out of range"),
        (lambda _age, count: 0.5 if count < 3 else 3.0, "Own.retention(age=1, recall_count=3) is 3.0"),
    ],
)
def test_a_score_that_is_none(curve: Callable[[int, int], Any], wanted: str) -> None:
    """NaN, outside [0, 1], no number, or an exception: told with the age and count that show it."""
    assert wanted in " | ".join(problems_of(made(curve)))


@pytest.mark.parametrize(
    "curve",
    [
        lambda age, _count: 0.1 if age % 2 else 0.9,
        lambda age, _count: min(1.0, age / 1000.0),
        lambda age, _count: 0.5**age if age < 50 else 0.3,
        lambda age, _count: 1.0 - age / 500.0 if age < 300 else (0.9 if age < 500 else 0.0),
        lambda age, _count: 0.9 if age != 33 else 0.1,
    ],
)
def test_a_score_that_rises(curve: Callable[[int, int], Any]) -> None:
    """Two ages are named at which the later score is the higher one, and they really show it."""
    problem = problems_of(made(curve))[0]
    before = int(problem.split("age=")[1].split(",")[0])
    after = int(problem.split("at age ")[1].split(" ")[0])
    assert before < after
    assert curve(before, 1) < curve(after, 1)
    assert problem.endswith("; allowed: a score that is non-increasing in age")


def test_a_decision_that_is_taken_back() -> None:
    """A policy that overrides evicts may not keep at a later age what it evicts at an earlier one."""

    @dataclass(frozen=True)
    class Own(TablePolicy):
        def retention(self, age: int, recall_count: int) -> float:
            return 0.5

        def evicts(self, age: int, recall_count: int) -> bool:
            return 5 <= age < 9

    (problem, *_) = problems_of(Own())
    assert problem == (
        "Own.evicts(age=5, recall_count=1) is True and at age 9 it is False; allowed: once evicted, at every later age"
    )


def test_a_threshold_that_is_none() -> None:
    """Missing where a score decides, or no number from 0 to 1."""
    assert problems_of(made(lambda _age, _count: 0.5, None)) == [
        "Own has no threshold; allowed: a field eviction_threshold, a number from 0 to 1"
    ]
    for threshold in (math.nan, 1.5, -1, "0.2", True):
        (problem,) = problems_of(made(lambda _age, _count: 0.5, threshold))
        assert problem.startswith("Own.eviction_threshold is ")


@pytest.mark.parametrize("engine", ["auto", "horizon", "lockstep", "reference"])
def test_every_engine_refuses(engine: str) -> None:
    """Before anything is played, the reference included."""
    with pytest.raises(InvalidInputError, match=r"^Own\.retention\(age=1, recall_count=1\) is 7\.0; allowed: "):
        play_block(block_of([SESSION]), made(lambda _age, _count: 7.0), engine)


def test_the_items_of_a_block_are_looked_at() -> None:
    """A policy that goes wrong for one category is refused where that category occurs, and names it."""

    @dataclass(frozen=True)
    class Own(TablePolicy):
        eviction_threshold: float = 0.2
        reads = ("category",)

        def retention(self, age: int, recall_count: int, item: Attributes) -> float:
            return 2.0 if item.category == "strategy" else 0.5**age

    sound = Session(9, (NOISE,), ((1, REGISTER, 0),), (Attributes(0.7, "failure"),))
    check_table(Own(), block_of([sound]))
    wrong = Session(9, (NOISE,), ((1, REGISTER, 0),), (Attributes(0.7, "strategy"),))
    with pytest.raises(InvalidInputError, match=r"recall_count=1, item=Attributes\(.*category='strategy'.*\) is 2\.0;"):
        check_table(Own(), block_of([sound, wrong]))


def test_attributes_that_are_read_are_found_out() -> None:
    """A class that uses its item without naming what it reads has tables for all attributes; too few are refused."""

    @dataclass(frozen=True)
    class Unstated(TablePolicy):
        eviction_threshold: float = 0.2

        def retention(self, age: int, recall_count: int, item: Attributes) -> float:
            return 0.5 ** (age / (1.0 + 20.0 * item.importance))

    @dataclass(frozen=True)
    class Derived(Ebbinghaus):
        def retention(self, age: int, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
            return 1.0 if item.category == "strategy" else super().retention(age, recall_count)

        def evicts(self, age: int, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> bool:
            return self.retention(age, recall_count, item) < self.eviction_threshold

    @dataclass(frozen=True)
    class TooFew(Unstated):
        reads = ("category",)

    assert Unstated.reads == Derived.reads == ("importance", "category")
    assert Ebbinghaus.reads == ()
    items = (Attributes(0.1), Attributes(0.9), Attributes(0.5, "strategy"), Attributes(0.5))
    events = tuple((1, REGISTER, item) for item in range(4)) + tuple((15, RECALL, item) for item in range(4))
    block = block_of([Session(30, (NOISE,) * 4, events, items)])
    for policy, missed in ((Unstated(), 1), (Derived(), 3)):
        for engine in ("auto", "horizon", "lockstep", "reference"):
            assert play_block(block, policy, engine).misses.tolist() == [missed], (policy, engine)
    with pytest.raises(InvalidInputError) as caught:
        play_block(block, TooFew())
    (line, *_) = caught.value.problems
    assert line == "TooFew reads item.importance; allowed: only what it names, reads = ('importance', 'category')"


def test_at_most_three_lines() -> None:
    """A policy that is wrong for every recall count is refused in three lines, not in a thousand."""
    assert len(problems_of(made(lambda _age, _count: 2.0), max_recalls=1000)) == 3


def test_looking_is_cheap() -> None:
    """Some hundred questions per recall count: far less than it takes to play ten thousand sessions."""
    asked = 0

    def curve(age: int, count: int) -> float:
        nonlocal asked
        asked += 1
        return math.exp(-age / (8.0 * 3.0**count))

    assert problems_of(made(curve), max_recalls=6) == []
    assert asked < 7 * 400

    def growing(age: int, count: int) -> float:
        nonlocal asked
        asked += 1
        return math.exp(-age / (8.0 * count))

    asked = 0
    assert problems_of(made(growing), max_recalls=2000) == []
    assert asked < 17 * 400 + 2000 * 50
