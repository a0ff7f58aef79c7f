"""Asks a person's table policy before it is played, and refuses it with the arguments that show what is wrong.

A table of horizons stands for a policy only if its score is non-increasing in age. The program cannot ask at every age,
so it asks at all small ages, around the horizon, and at ages spread over the rest and beyond. The policies that come
with the program are tested, and not asked: a sweep builds a million tables.
"""

import math
from functools import lru_cache
from typing import Any

from vecdecay.engines.asking import ALLOWED_SCORE, RefusalError, asked, is_score, score_of
from vecdecay.engines.horizon import IMMORTAL, horizon_by
from vecdecay.engines.lookup import relevant
from vecdecay.errors import InvalidInputError
from vecdecay.items import DEFAULT_ATTRIBUTES, Attributes
from vecdecay.parameters import brief
from vecdecay.policies import POLICIES
from vecdecay.policies.base import ALL_ATTRIBUTES, Policy, TablePolicy
from vecdecay.sessions.block import SessionBlock

_SMALL_AGES = 64
_SPREAD = 1.3
"""Ratio of neighbouring ages where they are spread: some eighty of them reach the longest session."""

_ASKED_CLOSELY = 16
"""Recall counts at which all those ages are asked for; for higher counts only the horizon and a few others."""

_MOST_PROBLEMS = 3


def check_table(policy: Policy, block: SessionBlock) -> None:
    """Refuse a table policy that cannot be played on a block as it is; do nothing for any other policy.

    Raises:
        InvalidInputError: a score or the threshold is no number from 0 to 1, a method raises or reads an attribute that
            its class does not name, an item that was to be evicted is not at a later age, or the score rises with age.
    """
    if not isinstance(policy, TablePolicy) or type(policy) in POLICIES:
        return
    met = (*block.attributes, *(cohort.attributes for cohort in block.cohorts))
    for attributes in dict.fromkeys(relevant(policy, one) for one in met):
        _check(policy, block.max_recalls, attributes)


@lru_cache(maxsize=4096)
def _check(policy: TablePolicy, max_recalls: int, item: Attributes) -> None:
    problems = table_problems(policy, max_recalls, item)
    if problems:
        raise InvalidInputError(problems)


def table_problems(policy: TablePolicy, max_recalls: int, item: Attributes = DEFAULT_ATTRIBUTES) -> list[str]:
    """Return one line per reason not to play the policy on items with up to ``max_recalls`` recalls; at most three."""
    name = type(policy).__name__
    try:
        threshold = asked(f"{name}.threshold()", policy.threshold, hint=f"; {ALLOWED_SCORE}")
    except RefusalError as refusal:
        return [str(refusal)]
    if threshold is None and type(policy).evicts is TablePolicy.evicts:
        return [f"{name} has no threshold; allowed: a field eviction_threshold, a number from 0 to 1"]
    if threshold is not None and not is_score(threshold):
        return [f"{name}.eviction_threshold is {brief(threshold)}; {ALLOWED_SCORE}"]
    problems: list[str] = []
    for recall_count in range(1, max_recalls + 2):
        try:
            _ask(_Questions(policy, recall_count, item), closely=recall_count <= _ASKED_CLOSELY)
        except RefusalError as refusal:
            problems.append(str(refusal))
            if len(problems) == _MOST_PROBLEMS:
                break
    return problems


class _Watched(Attributes):
    """An item that refuses to tell an attribute which the policy's class does not name."""

    policy: TablePolicy

    def __getattribute__(self, name: str) -> Any:
        """Return an attribute that may be read."""
        if name in ALL_ATTRIBUTES:
            kind = type(super().__getattribute__("policy"))
            if name not in kind.reads:
                needed = tuple(one for one in ALL_ATTRIBUTES if one in (*kind.reads, name))
                raise RefusalError(f"{kind.__name__} reads item.{name}; allowed: only what it names, reads = {needed}")
        return super().__getattribute__(name)


class _Questions:
    """A policy as it is for one recall count and one item; every answer is checked before it is used."""

    def __init__(self, policy: TablePolicy, recall_count: int, item: Attributes) -> None:
        self.policy = policy
        self.recall_count = recall_count
        self.item = _Watched(*item)
        self.item.policy = policy

    def call(self, method: str, age: int) -> str:
        """Return the question as it would be typed."""
        item = f", item={Attributes(*self.item)}" if self.policy.reads else ""
        return f"{type(self.policy).__name__}.{method}(age={age}, recall_count={self.recall_count}{item})"

    def evicts(self, age: int) -> bool:
        """Return the policy's decision at an age."""
        # evicts asks for the score: name the method that a person has written.
        method = "retention" if type(self.policy).evicts is TablePolicy.evicts else "evicts"
        return bool(self._asked(method, lambda *asked: bool(self.policy.evicts(*asked)), age))

    def score(self, age: int) -> float:
        """Return the policy's score at an age."""
        return score_of(self.call("retention", age), self._asked("retention", self.policy.retention, age))

    def guess(self) -> float:
        """Return where the policy says that the search for its horizon should start."""
        call = f"{type(self.policy).__name__}.horizon_guess({self.recall_count})"
        return float(asked(call, self.policy.horizon_guess, self.recall_count, self.item, hint="; allowed: a number"))

    def _asked(self, method: str, function: Any, age: int) -> Any:
        arguments = (age, self.recall_count, self.item)
        return asked(self.call(method, age), function, *arguments, hint=f"; {ALLOWED_SCORE}")


def _ask(questions: _Questions, closely: bool) -> None:
    horizon = horizon_by(questions.evicts, questions.guess())
    before: tuple[int, float] | None = None
    evicted_at: int | None = None
    for age in _ages(horizon, closely):
        score, evicts = questions.score(age), questions.evicts(age)
        if before is not None and score > before[1]:
            raise RefusalError(
                f"{questions.call('retention', before[0])} is {before[1]!r} and at age {age} it is {score!r}; "
                "allowed: a score that is non-increasing in age"
            )
        if evicted_at is not None and not evicts:
            raise RefusalError(
                f"{questions.call('evicts', evicted_at)} is True and at age {age} it is False; "
                "allowed: once evicted, at every later age"
            )
        before = (age, score)
        evicted_at = age if evicts and evicted_at is None else evicted_at


def _ages(horizon: int, closely: bool) -> list[int]:
    """Return the ages to ask at, ascending: up to ten times the horizon, or to the longest session if there is none."""
    last = min(max(10 * horizon, 2 * _SMALL_AGES) if horizon < IMMORTAL else IMMORTAL - 1, IMMORTAL - 1)
    ages = {horizon + off for off in (-2, -1, 0, 1, 2)} | {last}
    if closely:
        steps = math.ceil(math.log(IMMORTAL / _SMALL_AGES, _SPREAD))
        ages |= {*range(1, _SMALL_AGES + 1), *(math.ceil(_SMALL_AGES * _SPREAD**step) for step in range(steps))}
    else:
        ages |= {1, horizon // 2, 2 * horizon}
    return sorted(age for age in ages if 1 <= age <= last)
