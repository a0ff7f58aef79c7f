"""Workloads of one's own: a function or a class plays like the program's, and what is wrong is one line."""

import pickle
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

import vecdecay as vd
from vecdecay.errors import InvalidInputError
from vecdecay.sessions.events import Event, forget, recall, register
from vecdecay.sessions.own import own_workload, own_workload_class
from vecdecay.sessions.session import FOUNDATIONAL, Session


@dataclass(frozen=True)
class Notes:
    """Notes that are looked up now and then.

    And more words.
    """

    every: int = 4
    turns: int = 40

    def events(self, seed: int) -> Iterator[Event]:
        """Return the events of a seed."""
        yield register(1, "rule", tokens=5)
        yield register(1, "secret")
        for turn in range(2 + seed % 3, self.turns, self.every):
            yield recall(turn, "rule")
        yield forget(self.turns, "secret")


def pulse(seed: int, every: int = 5, gap: float = 1.0) -> list[tuple[Any, ...]]:
    """A pulse."""
    del gap
    return [(1, "register", "rule"), *((turn, 1, "rule") for turn in range(1 + every + seed, 40, every))]


def test_a_class_is_a_workload() -> None:
    """Its fields are parameters; its first line describes it; its sessions play in every engine alike."""
    workload = own_workload(Notes(every=6))
    assert (workload.name, workload.summary) == ("Notes", "Notes that are looked up now and then")
    assert workload.values() == {"every": 6, "turns": 40}
    assert workload.block([0, 5]).sessions() == [workload.session(0), workload.session(5)]
    assert workload.has_token_sizes
    assert pickle.loads(pickle.dumps(workload)) == workload != own_workload(Notes())


def test_a_function_is_a_workload() -> None:
    """Its keyword arguments are parameters."""
    workload = own_workload(pulse)
    assert [one.name for one in workload.parameters()] == ["every", "gap"]
    assert own_workload_class(pulse)(every=7).session(1).events[:2] == ((1, 0, 0), (9, 1, 0))
    assert workload.session(0).item_kinds == (FOUNDATIONAL,)


def test_a_finished_session_is_taken_as_it_is() -> None:
    """A person may build the session."""

    def made(seed: int) -> Session:
        return Session(9 + seed, (FOUNDATIONAL,), ((1, 0, 0),))

    assert own_workload(made).session(4).session_length == 13


def test_an_own_workload_plays() -> None:
    """The reference and the default engine agree on it."""
    results = [
        vd.simulate(own_workload(Notes), vd.Ebbinghaus(), range(9), "items", one) for one in ("auto", "reference")
    ]
    assert results[0].items == results[1].items


def broken(seed: int) -> Any:
    """Raise."""
    raise ValueError(f"no {seed}")


def unordered(seed: int) -> Any:
    """Give an event in turn 0."""
    return [(0, "register", seed)]


def seedless() -> list[Any]:
    """Take nothing."""
    return []


def defaultless(seed: int, other: int) -> list[Any]:
    """Take more than a seed."""
    return [seed, other]


def uncountable(seed: int) -> Any:
    """Return no events."""
    return 5 + seed


@dataclass
class Changing:
    """Not frozen."""

    def events(self, seed: int) -> list[Event]:
        """Return nothing."""
        return []


@dataclass(frozen=True)
class Listed:
    """A field that is no plain value."""

    several: list[int] = field(default_factory=list)

    def events(self, seed: int) -> list[Event]:
        """Return nothing."""
        return []


@pytest.mark.parametrize(
    ("own", "wanted"),
    [
        (broken, "broken.events(seed=0) raised ValueError: no 0"),
        (unordered, "unordered.events(seed=0): session_length is 0; allowed: 1 to 2147483647"),
        (Changing, "Changing can be changed while it is played; allowed: @dataclass(frozen=True)"),
        (Listed, "Listed.several has no default; allowed: a plain value for every field"),
        (seedless, "seedless takes no seed; "),
        (defaultless, "defaultless: the argument other has no default; allowed: a plain value"),
        (5, "int is no workload; "),
        (uncountable, "uncountable.events(seed=0) raised TypeError: 'int' object is not iterable"),
    ],
)
def test_what_is_wrong_is_one_line(own: Any, wanted: str) -> None:
    """Each mistake names the class or function, and what is allowed."""
    with pytest.raises(InvalidInputError) as caught:
        own_workload(own).session(0)
    assert caught.value.problems[0].startswith(wanted)
