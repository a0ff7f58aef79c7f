"""What policies and workloads made for a class that a person wrote have in common."""

import dataclasses
from collections.abc import Callable
from typing import Any, ClassVar, TypeVar, cast

from vecdecay.errors import InvalidInputError, in_one_line
from vecdecay.parameters import Described, Parameter, brief, did_you_mean, parameters_of

Answer = TypeVar("Answer")


class Adapted(Described):
    """Base of classes that ask an instance of the class that a person wrote, a frozen dataclass.

    Its parameters are the fields of that class. They are no attributes here, so a field may have any name.
    """

    own_class: ClassVar[type]

    def __init__(self, **values: Any) -> None:
        problems = []
        cleaned: dict[str, Any] = {}
        name = self.own_class.__name__
        own = parameters_of(cast(Any, self.own_class))
        for one in (*own, *parameters_of(cast(Any, type(self)), shared=True)):
            value = values.pop(one.name, one.default)
            try:
                cleaned[one.name] = one.clean(value)
                if one.shared:
                    object.__setattr__(self, one.name, cleaned.pop(one.name))
            except (ValueError, TypeError):
                problems.append(f"{name}.{one.name} is {brief(value)}; allowed: {one.allowed()}")
        problems += [f"{name} has no parameter {brief(one)}{did_you_mean(one, cleaned)}" for one in values]
        if problems:
            raise InvalidInputError(problems)
        self._values = tuple(cleaned.items())
        self._own = asked(f"{name} made with {brief(cleaned)}", lambda: cast(Any, self.own_class)(**cleaned))

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.every_value() == self.every_value()

    def __hash__(self) -> int:
        return hash((type(self), self._values))

    def __repr__(self) -> str:
        own = self.own_values()
        shared = [f"{name}={value!r}" for name, value in self.values().items() if name not in own]
        return f"{self._own!r}{' with ' * bool(shared)}{', '.join(shared)}"

    @classmethod
    def parameters(cls) -> tuple[Parameter, ...]:
        """Return the fields of the person's class as parameters."""
        return parameters_of(cast(Any, cls.own_class))

    def own_values(self) -> dict[str, Any]:
        """Return its own parameters and their values, in the order of the fields."""
        return dict(self._values)


def asked(what: str, call: Callable[[], Answer]) -> Answer:
    """Return what a person's code returns.

    Raises:
        InvalidInputError: it raised; one line.
    """
    try:
        return call()
    except (InvalidInputError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise InvalidInputError([f"{what} raised {in_one_line(error)}"]) from error


def with_values_of(kind: Any, given: object) -> Any:
    """Return an object of an adapted class with the values of an object of the person's class."""
    return kind(**{field.name: getattr(given, field.name) for field in dataclasses.fields(cast(Any, given))})


def field_problems(own: type) -> list[str]:
    """Return one line per reason why a dataclass is no description by parameters: it can change, or lacks a default."""
    changes = not cast(Any, own).__dataclass_params__.frozen
    problems = [f"{own.__name__} can be changed while it is played; allowed: @dataclass(frozen=True)"] * changes
    return problems + [
        f"{own.__name__}.{field.name} has no default; allowed: a plain value for every field"
        for field in dataclasses.fields(cast(Any, own))
        if field.default is dataclasses.MISSING
    ]
