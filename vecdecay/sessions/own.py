"""A workload of one's own: a function from a seed to events, or a frozen dataclass with a method ``events(seed)``.

What either returns is read by :func:`vecdecay.sessions.session.session_of`: events, plain tuples (turn, kind, item), or
a finished ``Session``. Every field, or keyword argument, with a default is a parameter that a sweep can vary. The same
seed must give the same events.
"""

import dataclasses
import inspect
from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import Any, cast

from vecdecay.adapted import Adapted, asked, field_problems, with_values_of
from vecdecay.errors import InvalidInputError
from vecdecay.parameters import brief, parameters_of
from vecdecay.sessions.block import SessionBlock
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.draws import seed_key
from vecdecay.sessions.mersenne import Seeds
from vecdecay.sessions.session import Session, session_of
from vecdecay.sessions.workload import Sizes, Workload

_LIKE_THIS = "allowed: a function from a seed to events, or a frozen dataclass with a method events(seed)"
_PROBED_SEEDS = range(8)
_ROOM = 2  # a session is taken to be at most so many times as large as the largest of those


class OwnWorkload(Adapted, Workload):
    """Base of the classes made by this module: asks an instance of the class, or the function, that a person wrote.

    ``sizes`` are estimates: twice the largest of the first eight seeds. Blocks are as large as their sessions are,
    whatever the estimate.
    """

    def __reduce__(self) -> tuple[Callable[[Any, dict[str, Any]], Workload], tuple[Any, dict[str, Any]]]:
        return _rebuilt, (self.own_class, dict(self._values))

    def session(self, seed: int) -> Session:
        """Return the session of one seed, checked.

        Raises:
            InvalidInputError: what the person's code raises, or what is wrong with its events, with the seed.
        """
        where = f"{self.name}.events(seed={brief(seed)})"
        made = asked(where, lambda: self._own.events(seed))
        if isinstance(made, Session):
            return made
        events = asked(where, lambda: list(made))
        try:
            return session_of(events, seed_key=seed_key(seed))
        except InvalidInputError as error:
            raise InvalidInputError(f"{where}: {line}" for line in error.problems) from None

    def block(self, seeds: Seeds) -> SessionBlock:
        """Return the sessions of many seeds."""
        return block_of([self.session(int(seed)) for seed in seeds])

    @cached_property
    def _probed(self) -> tuple[Session, ...]:
        return tuple(map(self.session, _PROBED_SEEDS))

    @property
    def has_token_sizes(self) -> bool:
        """Tell whether the items of some probed session have sizes."""
        return any(session.tokens for session in self._probed)

    @property
    def has_relations(self) -> bool:
        """Tell whether items of some probed session supersede, or are derived from, others."""
        return any(session.supersedes or session.sources for session in self._probed)

    def sizes(self) -> Sizes:
        """Return estimates for one session."""
        items = _ROOM * max(1, *(len(session.item_kinds) for session in self._probed))
        touches = _ROOM * max(1, *(len(session.events) for session in self._probed))
        turns = max(session.session_length for session in self._probed)
        return Sizes(items=items, listed_items=items, touches=touches, turns=turns, draws=0)


def _rebuilt(own: Any, values: dict[str, Any]) -> Workload:
    return own_workload_class(own)(**values)


def own_workload(given: object) -> Workload:
    """Return something that a person offers as a workload as one that can be played: itself, where it is one.

    Raises:
        InvalidInputError: one line per reason why it cannot be played.

    >>> def pulse(seed, every=5):
    ...     return [(1, "register", "rule")] + [(turn, "recall", "rule") for turn in range(1 + every, 30, every)]
    >>> own_workload(pulse).session(0).session_length
    26
    """
    if isinstance(given, Workload):
        return given
    kind = own_workload_class(cast(Any, given if isinstance(given, type) or inspect.isroutine(given) else type(given)))
    if isinstance(given, type) or inspect.isroutine(given):
        return kind()
    return cast(Workload, with_values_of(kind, given))


@lru_cache(maxsize=1024)
def own_workload_class(own: Any) -> type[Workload]:
    """Return a class of workloads for a class or a function that a person wrote.

    Raises:
        InvalidInputError: one line per reason why it cannot be played.
    """
    if isinstance(own, type) and issubclass(own, Workload):
        return own
    made = own if isinstance(own, type) else _class_of_function(own)
    problems = _class_problems(made)
    if problems:
        raise InvalidInputError(problems)
    lines = inspect.cleandoc(own.__doc__ or "").splitlines()
    namespace = {
        "__doc__": own.__doc__,
        "__module__": own.__module__,
        "own_class": made,
        "name": own.__name__,
        "summary": lines[0].rstrip(".") if lines else "a workload of your own",
        "source": "your own",
    }
    return cast(type[Workload], type(own.__name__, (OwnWorkload,), namespace))


def _class_of_function(function: Any) -> type:
    """Return a frozen dataclass whose fields are the function's keyword arguments."""
    if not inspect.isroutine(function):
        raise InvalidInputError([f"{brief(function)} is no workload; {_LIKE_THIS}"])
    arguments = list(inspect.signature(function).parameters.values())
    name = function.__name__
    if not arguments:
        raise InvalidInputError([f"{name} takes no seed; {_LIKE_THIS}"])
    others = arguments[1:]
    missing = [one.name for one in others if one.default is one.empty]
    if missing:
        raise InvalidInputError(f"{name}: the argument {one} has no default; allowed: a plain value" for one in missing)
    fields = [(one.name, type(one.default), dataclasses.field(default=one.default)) for one in others]

    def events(self: Any, seed: int) -> Any:
        return function(seed, **{one.name: getattr(self, one.name) for one in others})

    return dataclasses.make_dataclass(name, fields, frozen=True, namespace={"events": events})


def _class_problems(own: type) -> list[str]:
    name = own.__name__
    if not dataclasses.is_dataclass(own) or not inspect.isroutine(getattr(own, "events", None)):
        return [f"{name} is no workload; {_LIKE_THIS}"]
    problems = field_problems(own)
    if not problems:
        try:
            parameters_of(cast(Any, own))
        except Exception as error:
            problems.append(f"{name}: {error}; allowed: float, int, bool or tuple[float, ...]")
    return problems
