"""Workloads of which a miss may register its item anew, as a real agent does that reads a file again."""

import copy
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, cast

from vecdecay.errors import InvalidInputError
from vecdecay.parameters import Parameter, brief
from vecdecay.sessions.own import own_workload
from vecdecay.sessions.session import Session
from vecdecay.sessions.source import GivenSessions, Source
from vecdecay.sessions.workload import Workload

ON_MISS = Parameter(
    name="on_miss",
    kind="choice",
    default="nothing",
    meaning="what a recall that misses does: nothing, or relearn, which registers its item anew in the same turn",
    choices=("nothing", "relearn"),
)
"""The parameter that every workload has where a sweep, or a text, names it."""


@lru_cache(maxsize=1024)
def with_on_miss(kind: type[Workload]) -> type[Workload]:
    """Return a class of the same workload with one more parameter, ``on_miss``; the sessions are the same.

    It is a class of its own so that everything else about a workload, and the bytes of its runs, stay as they are.
    """
    base = cast(Any, kind)

    class Relearning(base):  # type: ignore[misc, valid-type]  # of a class that is known at run time
        knows_on_miss = True

        def __init__(self, *values: Any, on_miss: Any = ON_MISS.default, **named: Any) -> None:
            problems = self._unknown(named)
            try:
                object.__setattr__(self, "on_miss", ON_MISS.clean(on_miss))
            except (ValueError, TypeError):
                problems.append(f"{kind.__name__}.on_miss is {brief(on_miss)}; allowed: {ON_MISS.allowed()}")
                object.__setattr__(self, "on_miss", ON_MISS.default)
            known = {
                name: value for name, value in named.items() if name in {one.name for one in self.every_parameter()}
            }
            try:
                super().__init__(*values, **known)
            except InvalidInputError as error:
                problems += error.problems
            if problems:
                raise InvalidInputError(problems)

        @property
        def relearns(self) -> bool:
            return cast(Any, self).on_miss == "relearn"  # type: ignore[no-any-return]

        @classmethod
        def parameters(cls) -> tuple[Parameter, ...]:
            return (*super().parameters(), ON_MISS)

        def own_values(self) -> dict[str, Any]:
            return {**super().own_values(), "on_miss": cast(Any, self).on_miss}

        def __eq__(self, other: object) -> bool:
            return type(other) is type(self) and cast(Any, other).values() == self.values()

        def __hash__(self) -> int:
            return hash((super().__hash__(), cast(Any, self).on_miss))

        def __reduce__(self) -> Any:
            plain = {name: value for name, value in self.values().items() if name != "on_miss"}
            return _again, (kind.build(plain), cast(Any, self).on_miss)

        def __repr__(self) -> str:
            return f"relearning({super().__repr__()})" if self.relearns else str(super().__repr__())

    for name in ("__name__", "__qualname__", "__doc__", "__module__"):
        setattr(Relearning, name, getattr(kind, name))
    return cast(type[Workload], Relearning)


def _again(workload: Workload, on_miss: str) -> Workload:
    return with_on_miss(type(workload)).build({**workload.values(), "on_miss": on_miss})


def relearning(source: Source | Sequence[Session] | object) -> Source:
    """Return the same sessions, of which a recall that misses registers its item anew, in the same turn.

    Args:
        source: a workload, one of your own, a ``Trace``, or a list of ``Session``.

    Raises:
        InvalidInputError: it is none of these.

    >>> from vecdecay.sessions import SteadyUse
    >>> relearning(SteadyUse()).values()["on_miss"]
    'relearn'
    """
    from vecdecay.sessions.trace import Trace  # which most runs do without

    if isinstance(source, Trace):
        return source.varied({"on_miss": "relearn"})
    if isinstance(source, list | tuple):
        source = GivenSessions(source)
    if isinstance(source, GivenSessions):
        given = copy.copy(source)
        given.relearns = True
        return given
    workload = own_workload(source)
    if getattr(workload, "knows_on_miss", False):
        return type(workload).build({**workload.values(), "on_miss": "relearn"})
    if ON_MISS.name in workload.values():
        raise InvalidInputError([f"{workload.name} has a parameter on_miss of its own; rename it"])
    return _again(workload, "relearn")
