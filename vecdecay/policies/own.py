"""A policy of one's own: an ordinary frozen dataclass with a score and a threshold becomes one that can be played.

Such a class needs one plain Python method ``retention(age, recall_count)``, or ``(age, recall_count, item)``, and a
threshold as an attribute ``eviction_threshold`` or ``threshold``. Nothing is compiled: the program asks the method
while it builds the table of horizons, and the table is played. Every field with a default is a parameter, so a sweep
can vary it. A class may be derived from TablePolicy, which gives access to the rules: period, cooldown, grace, unit.
"""

import dataclasses
import inspect
import math
import numbers
import typing
from functools import lru_cache
from typing import Any, ClassVar, cast

from vecdecay.adapted import Adapted, asked, field_problems, with_values_of
from vecdecay.errors import InvalidInputError, in_one_line
from vecdecay.items import DEFAULT_ATTRIBUTES, Attributes
from vecdecay.parameters import Parameter, brief, parameters_of
from vecdecay.policies.base import ALL_ATTRIBUTES, Policy, TablePolicy, takes_item
from vecdecay.policies.capacity import IN_PASS, CapacityParameters

_SHARED = tuple(one.name for one in parameters_of(CapacityParameters, shared=True))
_THRESHOLDS = ("eviction_threshold", "threshold")
_HOOKS = ("evicts", "priority", "rules", "horizon_guess", "stability", "threshold")
_LIKE_THIS = "allowed: a frozen dataclass with retention(age, recall_count) and eviction_threshold"


def own_policy(given: object) -> Policy:
    """Return the policy that plays an object of a person's class: the object itself if it is a policy already.

    Raises:
        InvalidInputError: one line per reason why it cannot be played.

    >>> @dataclasses.dataclass(frozen=True)
    ... class Gentle:
    ...     half_life: float = 10.0
    ...     eviction_threshold: float = 0.2
    ...
    ...     def retention(self, age, recall_count):
    ...         return 0.5 ** (age / (self.half_life * recall_count))
    >>> policy = own_policy(Gentle(half_life=20.0))
    >>> policy.name, policy.values(), policy.retention(20, recall_count=1)
    ('Gentle', {'half_life': 20.0, 'eviction_threshold': 0.2}, 0.5)
    """
    if isinstance(given, type):
        raise InvalidInputError([f"{given.__name__} is a class; allowed: one of its instances, {given.__name__}()"])
    kind = own_policy_class(cast(Any, type(given)))
    if isinstance(given, kind):
        return given
    return cast(Policy, with_values_of(kind, given))


def with_capacity(policy: object, *, items: float = math.inf, tokens: float = math.inf, when: str = IN_PASS) -> Policy:
    """Return a policy, one of a person's own too, with a capacity; see :class:`CapacityParameters`.

    Raises:
        InvalidInputError: one line per mistake.

    >>> from vecdecay.policies.recency_window import RecencyWindow
    >>> with_capacity(RecencyWindow(window_size=30), items=50)
    RecencyWindow(window_size=30.0, grace_turns=0, capacity_items=50.0)
    """
    played = own_policy(policy)
    capacity = {"capacity_items": items, "capacity_tokens": tokens, "evict_at": when}
    return type(played).build({**played.values(), **capacity})


@lru_cache(maxsize=1024)
def own_policy_class(own: Any) -> type[Policy]:
    """Return a class of policies for a class that a person wrote: itself, where it is one already.

    Raises:
        InvalidInputError: one line per reason why its instances cannot be played.
    """
    if not isinstance(own, type):
        raise InvalidInputError([f"{getattr(own, '__name__', brief(own))} is no class; {_LIKE_THIS}"])
    if issubclass(own, Policy) and (own.__module__.partition(".")[0] == "vecdecay" or issubclass(own, OwnTablePolicy)):
        return own
    problems = _class_problems(own)
    if problems:
        raise InvalidInputError(problems)
    if issubclass(own, Policy) and not _hidden(own):
        return own
    return _adapted(own)


def _class_problems(own: type) -> list[str]:
    name = own.__name__
    if getattr(own, "__dataclass_params__", None) in (None, cast(Any, CapacityParameters).__dataclass_params__):
        return [f"{name} is no dataclass; {_LIKE_THIS}"]
    problems = field_problems(own)
    if hasattr(own, "on_register") and not issubclass(own, Policy):
        problems.append(f"{name} has on_register and is no StatefulPolicy; allowed: class {name}(StatefulPolicy)")
    elif not inspect.isroutine(getattr(own, "retention", None)) or inspect.isabstract(own):
        problems.append(f"{name} has no method retention; {_LIKE_THIS}")
    elif not issubclass(own, Policy) and not any(hasattr(own, attribute) for attribute in _THRESHOLDS):
        problems.append(f"{name} has no threshold; allowed: an attribute eviction_threshold, a number from 0 to 1")
    taken = [field.name for field in dataclasses.fields(cast(Any, own)) if field.name in _SHARED]
    if taken and not issubclass(own, Policy):
        problems.append(f"{name}.{taken[0]} is a parameter that every policy has; allowed: another field name")
    overridden = [hook for hook in _HOOKS if hook in vars(own) and hook not in _hidden(own)]
    if _hidden(own) and overridden:
        problems.append(
            f"{name}.{_hidden(own)[0]} is a field and {name} has a method {overridden[0]}; allowed: another field name"
        )
    return problems or _type_problems(own)


def _hidden(own: type) -> list[str]:
    """Return the fields of a TablePolicy that have the name of one of its methods or attributes."""
    if not issubclass(own, TablePolicy):
        return []
    names = [field.name for field in dataclasses.fields(cast(Any, own)) if field.name not in _SHARED]
    return [name for name in names if hasattr(TablePolicy, name)]


def _type_problems(own: type) -> list[str]:
    """Return one line per field that cannot be a parameter."""
    try:
        hints = typing.get_type_hints(own)
    except Exception as error:
        return [f"{own.__name__}: the types of its fields cannot be read: {in_one_line(error)}"]
    problems = []
    for field in dataclasses.fields(cast(Any, own)):
        hint = hints[field.name]
        with_choices = any("choices" in limits for limits in field.metadata.values() if isinstance(limits, dict))
        if hint not in (bool, int, float) and typing.get_origin(hint) is not tuple and not with_choices:
            shown = getattr(hint, "__name__", hint)
            problems.append(
                f"{own.__name__}.{field.name} is of the type {shown}; allowed: float, int, bool or tuple[float, ...]"
            )
    return problems


class OwnTablePolicy(Adapted, TablePolicy):
    """Base of the classes made by this module: asks an instance of the class that a person wrote."""

    asks_with_item: ClassVar[bool]
    victim: ClassVar[str] = "the item of the lowest priority: that of its method priority, or else its retention"

    @classmethod
    def parameters(cls) -> tuple[Parameter, ...]:
        """Return the fields of the person's class as parameters, the threshold with the limits of a score."""
        return tuple(_limited(one) for one in super().parameters())

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        if problems := self.capacity_problems():
            raise InvalidInputError(problems)
        self._threshold = self._checked_threshold()

    def _checked_threshold(self) -> float:
        attribute = next(one for one in _THRESHOLDS if hasattr(self.own_class, one))
        name = f"{self.own_class.__name__}.{attribute}"
        threshold = asked(name, lambda: getattr(self._own, attribute))
        if isinstance(threshold, bool) or not isinstance(threshold, numbers.Real) or not 0 <= float(threshold) <= 1:
            raise InvalidInputError([f"{name} is {brief(threshold)}; allowed: a number from 0 to 1"])
        return float(threshold)

    def retention(self, age: int, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return the score that the person's method gives."""
        if self.asks_with_item:
            return cast(float, self._own.retention(age, recall_count, item))
        return cast(float, self._own.retention(age, recall_count))

    def priority(self, age: int, recall_count: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return what the person's method ``priority`` gives, where there is one, else the score."""
        own = getattr(self.own_class, "priority", None)
        if not inspect.isroutine(own):
            return self.retention(age, recall_count, item)
        arguments = (age, recall_count, item) if takes_item(inspect.unwrap(cast(Any, own)), 2) else (age, recall_count)
        return cast(float, own(self._own, *arguments))

    def threshold(self) -> float:
        """Return the threshold, whichever of its two names it has."""
        return self._threshold


def _limited(one: Parameter) -> Parameter:
    limits = (one.at_least, one.above, one.at_most, one.below)
    if one.name not in _THRESHOLDS or one.kind not in ("number", "integer") or any(end is not None for end in limits):
        return one
    return dataclasses.replace(one, at_least=0, at_most=1)


def _adapted(own: type) -> type[Policy]:
    asks_with_item = takes_item(inspect.unwrap(cast(Any, own).retention), 2)
    texts = {
        name: vars(own)[name] for name in ("name", "summary", "formula", "source") if type(vars(own).get(name)) is str
    }
    reads = vars(own).get("reads", ALL_ATTRIBUTES if asks_with_item else ())
    namespace = {
        "__doc__": own.__doc__,
        "__module__": own.__module__,
        "own_class": own,
        "asks_with_item": asks_with_item,
        "reads": reads if isinstance(reads, tuple) else (),
    }
    return type(own.__name__, (OwnTablePolicy,), namespace | texts)
