"""Executing a plan: parts in their order, a few at a time, whatever plays them; what fails ends it."""

import threading
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any

import pytest
from sweep_runs import Here, small_sweep

from vecdecay.run import execute as module
from vecdecay.run.execute import execute
from vecdecay.run.parts import Part, Unit
from vecdecay.run.plan import make_plan

PLAN = make_plan(small_sweep())
PARTS = [Part(number, (Unit((0,), number, number + 1),)) for number in range(30)]


class Numbers:
    """A sink that keeps the numbers of the parts, in the order in which they were entered."""

    def __init__(self) -> None:
        """Begin with no part."""
        self.entered: list[int] = []

    def write(self, _plan: Any, part: Part, _played: Any) -> int:
        """Return the number."""
        return part.number

    def enter(self, receipt: int) -> None:
        """Keep it."""
        self.entered.append(receipt)


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Play nothing, and return the list of parts that began."""
    numbers: list[int] = []
    monkeypatch.setattr(module, "play_part", lambda _plan, part, _stop: numbers.append(part.number))
    return numbers


@pytest.mark.parametrize("ahead", [1, 3, 100])
def test_parts_are_entered_in_their_order(ahead: int, begun: list[int]) -> None:
    """In this thread and in several."""
    for executor in (Here(), ThreadPoolExecutor(3)):
        begun.clear()
        sink = Numbers()
        with executor:
            execute(PLAN, PARTS, sink, executor, ahead)
        assert sink.entered == list(range(30))
        assert sorted(begun) == list(range(30))


def test_few_parts_are_in_flight(begun: list[int]) -> None:
    """Parts are taken from the plan as others are entered, so that an endless plan takes no memory."""
    taken = 0

    def endless() -> Any:
        nonlocal taken
        while True:
            taken += 1
            yield PARTS[0]

    class Enough(Numbers):
        def enter(self, receipt: int) -> None:
            super().enter(receipt)
            assert taken - len(self.entered) <= 8
            if len(self.entered) == 50:
                raise StopAsyncIteration

    with ThreadPoolExecutor(2) as pool, pytest.raises(StopAsyncIteration):
        execute(PLAN, endless(), Enough(), pool, 8)
    assert len(begun) <= taken <= 58


@pytest.mark.parametrize("executor", [Here, lambda: ThreadPoolExecutor(2)], ids=["here", "threads"])
def test_a_part_that_fails_ends_it(executor: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts before it are entered, none after it; those in flight are asked to stop."""
    asked: list[bool] = []
    go = threading.Event()

    def play(_plan: Any, part: Part, stop: Any) -> None:
        if part.number == 5:
            raise ZeroDivisionError("five")
        if part.number > 5:
            go.wait(10)
            asked.append(stop.is_set)

    class Releasing(Numbers):
        def enter(self, receipt: int) -> None:
            super().enter(receipt)

    monkeypatch.setattr(module, "play_part", play)
    monkeypatch.setattr(module, "_PATIENCE_SECONDS", 0.0)
    sink = Releasing()
    with executor() as pool:
        with pytest.raises(ZeroDivisionError, match="five"):
            execute(PLAN, PARTS, sink, pool, 8 if isinstance(pool, ThreadPoolExecutor) else 1)
        go.set()
    assert sink.entered == list(range(5))
    assert asked == [True] * len(asked)


def test_what_runs_beside_ends_it_too(begun: list[int]) -> None:
    """A check that fails while parts are played, or after the last, is raised."""

    class Slow(Executor):
        def submit(self, *arguments: Any, **options: Any) -> Future[Any]:
            return Future()  # never done

    failed: Future[Any] = Future()
    failed.set_exception(ArithmeticError("they differ"))
    for executor in (Slow(), Here()):
        with pytest.raises(ArithmeticError):
            execute(PLAN, PARTS, Numbers(), executor, 4, [failed])
    late: Future[Any] = Future()
    threading.Timer(0.05, late.set_exception, [ArithmeticError("they differ")]).start()
    with pytest.raises(ArithmeticError):
        execute(PLAN, (), Numbers(), Here(), 4, [late])
