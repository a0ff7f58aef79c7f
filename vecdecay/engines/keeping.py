"""For which values of one parameter a table policy keeps an item: one number per recall count and age.

A score decides against a threshold, or an age against a window; so the score, or the age, is the last value that keeps
the item. That is a guess as far as the program knows: the policy's own predicate is asked there and one step beside it.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vecdecay.engines.lookup import Growing, relevant
from vecdecay.engines.table_check import table_problems
from vecdecay.errors import InvalidInputError
from vecdecay.items import Attributes
from vecdecay.parameters import Parameter, did_you_mean
from vecdecay.policies import POLICIES
from vecdecay.policies.base import Policy, TablePolicy

ALWAYS, NEVER = math.inf, -math.inf
_FAR = float(2**62)  # beyond every age and every score

INSTEAD = "name the values to play, such as values=[…] or --values 1,2,3"


class Keeping:
    """What keeps an item, as a level: it stays in a pass if ``level_of(value)`` is at most ``level(age, …)``.

    Levels rise with a threshold and fall with a window, so that a lower level always keeps more.
    """

    def __init__(self, policy: Policy, name: str) -> None:
        """Take a policy and the name of its parameter.

        Raises:
            InvalidInputError: the policy has no such number, or one number per age does not decide it.
        """
        self.name = name
        self.parameter = parameter_named(policy, name)
        kind = type(policy).__name__
        if not isinstance(policy, TablePolicy):
            raise InvalidInputError([f"{kind}: the state of an item decides, not its age and recall count; {INSTEAD}"])
        if policy.competes():
            raise InvalidInputError([f"{kind} has a capacity, so items decide over each other; {INSTEAD}"])
        self.policy: TablePolicy = policy
        self.low, self.high = _ends(self.parameter)
        if self.at(self.low).rules() != self.at(self.high).rules():
            raise InvalidInputError([f"{kind}.{name} changes when passes run or what a touch does; {INSTEAD}"])
        self.falls = self.at(self.low).threshold() == self.at(self.high).threshold()
        self._levels: dict[tuple[Attributes, int], Growing] = {}

    def at(self, value: float) -> TablePolicy:
        """Return the policy with another value of the parameter."""
        kind, values = type(self.policy), {**self.policy.values(), self.name: value}
        if kind not in POLICIES:
            return kind(**values)
        made = object.__new__(kind)  # a check at construction would take most of the time
        made.__dict__.update(values)
        return made

    def level_of(self, value: float) -> float:
        """Return the level of a value of the parameter."""
        return -value if self.falls else value

    def beside(self, value: float, towards: float) -> float:
        """Return the next value that the parameter may have."""
        if self.parameter.kind == "integer":
            return value + (1 if towards > value else -1)
        return math.nextafter(value, towards)

    def levels(self, item: Attributes, recall_count: int, longest_age: int) -> NDArray[np.float64]:
        """Return the level after a pass at the ages 0 … ``longest_age`` of an item of so many uses; shape (age + 1,).

        Raises:
            InvalidInputError: at some age, neither the score nor the age is where the policy's decision changes.
        """
        table = Growing(lambda age: self._level(age, recall_count, item), np.float64)
        return self._levels.setdefault((item, recall_count), table).up_to(longest_age)

    def _level(self, age: int, recall_count: int, item: Attributes) -> float:
        def evicts(value: float) -> bool:
            return self.at(value).evicts(age, recall_count, item)

        least, most = (self.high, self.low) if self.falls else (self.low, self.high)
        if evicts(least):
            return NEVER
        if not evicts(most):
            return ALWAYS
        guess = float(age) if self.falls else self.policy.retention(age, recall_count, item)
        if evicts(guess) or not evicts(self.beside(guess, most)):
            kind = type(self.policy).__name__
            raise InvalidInputError(
                [f"{kind}.{self.name}: at age {age} neither the score nor the age says which values evict; {INSTEAD}"]
            )
        return self.level_of(guess)


class Levels:
    """The levels of some combinations of attributes, as ranks among all that occur.

    ``ranks`` (row, place), flat, ``start`` (recall + 1) the place of age 0 after so many recalls; ``value`` (rank) the
    levels, ascending. ``falling`` tells whether no rank rises with age.
    """

    def __init__(self, keeping: Keeping, rows: Sequence[Attributes], longest: NDArray[np.int64]) -> None:
        self.start = np.zeros(len(longest) + 1, dtype=np.int64)
        np.cumsum(longest + 1, out=self.start[1:])
        level = np.empty((len(rows), int(self.start[-1])))
        for row, item in enumerate(rows):
            for recalls, age in enumerate(longest.tolist()):
                place = self.start[recalls]
                level[row, place : place + age + 1] = (
                    np.full(age + 1, ALWAYS) if item.pinned else keeping.levels(item, recalls + 1, age)
                )
        self.value = np.unique(level[np.isfinite(level)])
        ranks = np.searchsorted(self.value, level)
        self.ranks = np.where(level == NEVER, -1, ranks).astype(np.int32).ravel()
        rises = np.diff(self.ranks.reshape(len(rows), -1), axis=1) > 0
        begins = self.start[1:-1] - 1
        rises[:, begins[(begins >= 0) & (begins < rises.shape[1])]] = False
        self.falling = not rises.any()


def rows_of_attributes(policy: TablePolicy, attributes: Sequence[Attributes]) -> tuple[list[Attributes], list[int]]:
    """Return the combinations that the policy tells apart, and the place of each given one among them."""
    rows: dict[Attributes, int] = {}
    places = [rows.setdefault(relevant(policy, one), len(rows)) for one in attributes]
    return list(rows), places


def parameter_named(policy: Policy, name: str) -> Parameter:
    """Return the parameter of a policy by its name.

    Raises:
        InvalidInputError: it has none of that name, or it is no number.
    """
    numbers = {one.name: one for one in policy.parameters() if one.kind in ("number", "integer")}
    if name not in numbers:
        allowed = ", ".join(numbers) or "none; it has no number"
        raise InvalidInputError(
            [f"parameter {name!r} of {policy.name} is no number of it; allowed: {allowed}{did_you_mean(name, numbers)}"]
        )
    return numbers[name]


def refuse_unsound(policy: TablePolicy, max_recalls: int, rows: Sequence[Attributes]) -> None:
    """Refuse a person's own policy whose scores are none; those of the program are tested.

    Raises:
        InvalidInputError: one line per mistake.
    """
    if type(policy) not in POLICIES:
        problems = [line for item in rows for line in table_problems(policy, max_recalls, item)]
        if problems:
            raise InvalidInputError(problems)


def _ends(one: Parameter) -> tuple[float, float]:
    """Return the lowest and the highest value that a parameter may have."""

    def beside(value: float, by: int) -> float:
        return value + by if one.kind == "integer" else math.nextafter(value, by * math.inf)

    low, high = -_FAR, _FAR
    if one.at_least is not None:
        low = one.at_least
    if one.above is not None:
        low = beside(one.above, 1)
    if one.at_most is not None:
        high = one.at_most
    if one.below is not None:
        high = beside(one.below, -1)
    return (int(low), int(high)) if one.kind == "integer" else (float(low), float(high))
