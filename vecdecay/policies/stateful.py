"""Policies whose items have a state, so that the effect of a recall may depend on when it happens.

A *stateful policy* is three scalar functions over a small tuple of numbers, the state of an item:

* ``on_register(parameters, turn)``, ``(parameters, turn, item)`` or ``(parameters, turn, item, grade)`` returns the
  state of a fresh item;
* ``on_recall(parameters, state, turn)`` or ``(parameters, state, turn, grade)`` returns the state after a recall;
* ``retention(parameters, state, turn)`` returns the score in [0, 1]; an item is evicted when it is strictly below the
  threshold. Between two touches it must be non-increasing, unless the policy has ``on_turn``.

``grade`` is that of the touch (``sessions.events.GRADES``), 0 where it has none.

``parameters`` has the policy's fields as attributes, so the functions are written as ordinary methods with ``self`` in
that place, or as static methods. They use numbers, tuples, ``math``, and plain functions and constants of their own
modules. The program compiles them; the scalar reference runs the same functions as plain Python. What is compiled gives
the same bits: operators and functions for which that is not so, or not known, are refused by name.

Three more are optional: ``on_turn(parameters, state, turn)`` returns the state of a present item in the next turn,
before that turn's events; ``stability(parameters, state)`` returns the stability in turns, which reports show;
``priority``, with the arguments of ``retention``, ranks the items of a full memory: without it the score does.
"""

import inspect
import numbers
from collections import namedtuple
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, NamedTuple

from vecdecay.errors import InvalidInputError
from vecdecay.items import DEFAULT_ATTRIBUTES, Attributes, category_number
from vecdecay.policies.base import Policy
from vecdecay.policies.capacity import CapacityParameters
from vecdecay.policies.rules import Rules

Function = Callable[..., Any]
State = Any
"""A tuple of numbers, of the same length and types wherever it comes from."""


class ItemFacts(NamedTuple):
    """What a stateful policy may know of an item beside its touches; ``category`` is a ``category_number``."""

    importance: float
    category: int


def item_facts(attributes: Attributes) -> ItemFacts:
    """Return the attributes as numbers, as scalar functions take them.

    >>> item_facts(DEFAULT_ATTRIBUTES)
    ItemFacts(importance=0.5, category=0)
    """
    return ItemFacts(float(attributes.importance), category_number(attributes.category))


@dataclass(frozen=True)
class Functions:
    """The scalar functions of a class, as plain Python; those that it does not have are None."""

    on_register: Function
    on_recall: Function
    retention: Function
    on_turn: Function | None
    stability: Function | None
    priority: Function | None
    evicts: Function | None


class StatefulPolicy(CapacityParameters, Policy):
    """A policy that decides by a state of each item, which its touches change; see ``vecdecay help own-policy``.

    ``turn_invariant`` says that an item's life depends on differences between turns only, not on the turns themselves,
    so that one item stands for all noise items of a cohort.
    """

    turn_invariant: ClassVar[bool] = False

    arguments: ClassVar[dict[str, tuple[str, ...]]] = {
        "on_register": ("parameters", "turn", "item"),
        "on_recall": ("parameters", "state", "turn"),
        "retention": ("parameters", "state", "turn"),
    }
    """What the functions that a policy must have are called with; ``on_register`` may leave ``item`` out."""

    def constants(self) -> Any:
        """Return what the scalar functions get as ``parameters``: a named tuple of the policy's fields.

        A policy may override it to compute once, in plain Python, what is the same for all items.
        """
        return _constants_type(type(self))(**self.own_values())

    def threshold(self) -> float:
        """Return the score below which an item is evicted: the field ``eviction_threshold`` unless overridden."""
        value = getattr(self, "eviction_threshold", None)
        if not isinstance(value, numbers.Real):
            raise InvalidInputError(
                [f"{type(self).__name__} has neither a field eviction_threshold (a number) nor a method threshold"]
            )
        return float(value)

    def score(self, touches: Sequence[int], turn: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return the score in ``turn`` of an item registered in the first of ``touches`` and recalled in the others.

        It is not evicted in between. ``touches`` are turns, ascending, none after ``turn``.
        """
        functions, parameters = functions_of(type(self)), self.constants()
        return float(functions.retention(parameters, self._state(touches, turn, item), turn))

    def _state(self, touches: Sequence[int], turn: int, item: Attributes) -> State:
        functions, parameters = functions_of(type(self)), self.constants()
        clock, *recalls = touches
        state = functions.on_register(parameters, clock, item_facts(item))
        for touch in (*recalls, None):
            until = turn if touch is None else touch
            while functions.on_turn is not None and clock < until:
                clock += 1
                state = functions.on_turn(parameters, state, clock)
            if touch is not None:
                state = functions.on_recall(parameters, state, touch)
        return state

    def life(self, touches: Sequence[int], limit: int, item: Attributes = DEFAULT_ATTRIBUTES) -> int | None:
        """Return how many turns an item outlives the last of its touches, None where that is ``limit`` or more.

        It asks turn by turn, as the scalar reference does.
        """
        functions, parameters, threshold = functions_of(type(self)), self.constants(), self.threshold()
        last = touches[-1]
        state = self._state(touches, last, item)
        for age in range(limit):
            if age > 0 and functions.on_turn is not None:
                state = functions.on_turn(parameters, state, last + age)
            if functions.retention(parameters, state, last + age) < threshold:
                return age
        return None


class HistoryPolicy(StatefulPolicy):
    """A stateful policy that looks at all the touches of an item since its registration instead of a state.

    Its one scalar function is ``retention(parameters, touches, first, last, turn)``: the turns of the touches are
    ``touches[first] … touches[last - 1]``, ascending. It must be non-increasing in ``turn``. There is no ``on_turn``.
    """

    arguments: ClassVar[dict[str, tuple[str, ...]]] = {
        **StatefulPolicy.arguments,
        "retention": ("parameters", "touches", "first", "last", "turn"),
    }

    @staticmethod
    def on_register(parameters: Any, turn: int, item: Any) -> State:
        """Return a placeholder: the touches themselves are the state."""
        return (0.0,)

    @staticmethod
    def on_recall(parameters: Any, state: State, turn: int) -> State:
        """Return the state as it is."""
        return state

    def score(self, touches: Sequence[int], turn: int, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
        """Return the score in ``turn`` of an item that was touched in these turns, ascending, none after ``turn``."""
        del item
        return float(functions_of(type(self)).retention(self.constants(), touches, 0, len(touches), turn))

    def life(self, touches: Sequence[int], limit: int, item: Attributes = DEFAULT_ATTRIBUTES) -> int | None:
        """Return how many turns an item outlives the last of its touches, None where that is ``limit`` or more."""
        ages = (age for age in range(limit) if self.score(touches, touches[-1] + age, item) < self.threshold())
        return next(ages, None)


class HazardPolicy(StatefulPolicy):
    """A stateful policy that drops items at random: each pass draws a number in [0, 1) for every item.

    The number is a function of (seed, item, turn) and of nothing else. ``evicts(parameters, state, turn, draw)``
    decides; ``retention`` is the probability to stay. The pass runs in turns that are multiples of ``period_turns()``.
    """

    arguments: ClassVar[dict[str, tuple[str, ...]]] = {
        **StatefulPolicy.arguments,
        "evicts": ("parameters", "state", "turn", "draw"),
    }

    def period_turns(self) -> int:
        """Return how many turns there are from one pass to the next."""
        return 1

    def rules(self) -> Rules:
        """Look in turns that are multiples of ``period_turns()``."""
        return Rules(period_turns=self.period_turns())

    def threshold(self) -> float:
        """Return 0.0: no score decides."""
        return 0.0

    def life(self, touches: Sequence[int], limit: int, item: Attributes = DEFAULT_ATTRIBUTES) -> int | None:
        """Return None: how long an item lives is random."""
        del touches, limit, item
        return None


@cache
def _constants_type(kind: type[StatefulPolicy]) -> Any:
    return namedtuple(f"{kind.__name__}Parameters", [one.name for one in kind.parameters()])


@cache
def functions_of(kind: type[StatefulPolicy]) -> Functions:
    """Return the scalar functions of a class of policies.

    Raises:
        InvalidInputError: one line per function that is missing or has other arguments.
    """
    found: dict[str, Function] = {}
    problems = []
    optional = {"on_turn": ("parameters", "state", "turn"), "stability": ("parameters", "state")}
    optional["priority"] = kind.arguments["retention"]
    for name, wanted in {**kind.arguments, **optional}.items():
        member = inspect.getattr_static(kind, name, None)
        function = member.__func__ if isinstance(member, staticmethod) else member
        if not inspect.isfunction(function):
            if name in kind.arguments:
                problems.append(f"{kind.__name__} has no {name}({', '.join(wanted)})")
            continue
        taken = len(inspect.signature(function).parameters)
        if taken not in (len(wanted), *_MORE_OR_LESS.get(name, ())):
            problems.append(f"{kind.__name__}.{name} takes {taken} arguments; allowed: ({', '.join(wanted)})")
        if name == "on_turn" and issubclass(kind, HistoryPolicy):
            problems.append(f"{kind.__name__} has on_turn; allowed: none, its score comes from the touches alone")
        found[name] = _with_grade(function, name, taken) if name in _MORE_OR_LESS else function
    if problems:
        raise InvalidInputError(problems)
    return Functions(*(found.get(name) for name in Functions.__dataclass_fields__))  # type: ignore[arg-type]


_MORE_OR_LESS = {"on_register": (2, 4), "on_recall": (4,)}
"""How many arguments functions may have that need not take the item or the grade."""


def reads_grades(kind: type[StatefulPolicy]) -> bool:
    """Tell whether a function of the class takes the grade of a touch."""
    members = (inspect.getattr_static(kind, name, None) for name in _MORE_OR_LESS)
    plain = (one.__func__ if isinstance(one, staticmethod) else one for one in members)
    return any(inspect.isfunction(one) and len(inspect.signature(one).parameters) == 4 for one in plain)


def _with_grade(function: Function, name: str, taken: int) -> Function:
    """Return the function with all arguments that it may have, the grade as the last."""
    if name == "on_recall":

        def on_recall(parameters: Any, state: Any, turn: int, grade: int = 0) -> State:  # noqa: ARG001
            return function(parameters, state, turn)

        def on_graded_recall(parameters: Any, state: Any, turn: int, grade: int = 0) -> State:
            return function(parameters, state, turn, grade)

        return on_recall if taken == len(StatefulPolicy.arguments[name]) else on_graded_recall

    def on_register(parameters: Any, turn: int, item: Any, grade: int = 0) -> State:  # noqa: ARG001
        return function(parameters, turn)

    def on_item(parameters: Any, turn: int, item: Any, grade: int = 0) -> State:  # noqa: ARG001
        return function(parameters, turn, item)

    def on_graded_item(parameters: Any, turn: int, item: Any, grade: int = 0) -> State:
        return function(parameters, turn, item, grade)

    return {2: on_register, 3: on_item, 4: on_graded_item}[taken]
