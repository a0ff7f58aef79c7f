"""Looks at a table policy of one's own before it is played, and refuses it with the arguments that show why.

A table of horizons stands for a policy only if the score never rises with age. The program cannot ask at every age, so
it asks at all small ages, around the horizon, and at ages spread over the rest and beyond. The policies that come with
the program are tested, and not asked: a sweep builds a million tables.
"""

import math
import numbers
from collections.abc import Iterator
from functools import lru_cache

from vecdecay.engines.horizon import IMMORTAL, horizon_by
from vecdecay.engines.lookup import relevant
from vecdecay.errors import InvalidInputError
from vecdecay.items import DEFAULT_ATTRIBUTES, Attributes
from vecdecay.parameters import brief
from vecdecay.policies import POLICIES
from vecdecay.policies.base import Policy, TablePolicy
from vecdecay.sessions.block import SessionBlock

_SMALL_AGES = 64
_SPREAD = 1.3
"""Ratio of neighbouring ages where they are spread: some eighty of them reach the longest session."""

_CLOSELY_LOOKED_AT = 16
"""Recall counts at which all those ages are asked for; for higher counts only the horizon and a few others."""

_ALLOWED = "allowed: a number from 0 to 1"


def check_table(policy: Policy, block: SessionBlock) -> None:
    """Refuse a table policy that cannot be played on a block as it is; do nothing for any other policy.

    Raises:
        InvalidInputError: a score or the threshold is no number from 0 to 1, a method raises, an item that was to be
            evicted is not at a later age, or the score rises with age.
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
    problem = _threshold_problem(policy)
    if problem is not None:
        return [problem]
    problems = []
    for recall_count in range(1, max_recalls + 2):
        try:
            _look_at(_Questions(policy, recall_count, item), closely=recall_count <= _CLOSELY_LOOKED_AT)
        except _RefusalError as refusal:
            problems.append(str(refusal))
            if len(problems) == 3:
                break
    return problems


def _threshold_problem(policy: TablePolicy) -> str | None:
    name = type(policy).__name__
    threshold = policy.threshold()
    if threshold is None:
        if type(policy).evicts is TablePolicy.evicts:
            return f"{name} has no threshold; allowed: a field eviction_threshold, a number from 0 to 1"
        return None
    if not _is_score(threshold):
        return f"{name}.eviction_threshold is {brief(threshold)}; {_ALLOWED}"
    return None


def _is_score(value: object) -> bool:
    # A NaN fails every comparison.
    return not isinstance(value, bool) and isinstance(value, numbers.Real) and 0 <= float(value) <= 1


class _RefusalError(Exception):
    """Why the policy is not played, in one line."""


class _Questions:
    """A policy as it is for one recall count and one item; every answer is looked at before it is used."""

    def __init__(self, policy: TablePolicy, recall_count: int, item: Attributes) -> None:
        self.policy = policy
        self.recall_count = recall_count
        self.item = item

    def call(self, method: str, age: int) -> str:
        """Return the question as it would be typed."""
        item = f", item={self.item}" if self.policy.reads else ""
        return f"{type(self.policy).__name__}.{method}(age={age}, recall_count={self.recall_count}{item})"

    def evicts(self, age: int) -> bool:
        """Return the policy's decision at an age."""
        try:
            return bool(self.policy.evicts(age, self.recall_count, self.item))
        except Exception as error:
            raise self._raised("evicts", age, error) from error

    def score(self, age: int) -> float:
        """Return the policy's score at an age."""
        try:
            score = self.policy.retention(age, self.recall_count, self.item)
        except Exception as error:
            raise self._raised("retention", age, error) from error
        if not _is_score(score):
            raise _RefusalError(f"{self.call('retention', age)} is {brief(score)}; {_ALLOWED}")
        return float(score)

    def _raised(self, method: str, age: int, error: Exception) -> _RefusalError:
        # evicts asks for the score: name the method that a person has written.
        asked = method if type(self.policy).evicts is not TablePolicy.evicts else "retention"
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        return _RefusalError(f"{self.call(asked, age)} raised {reason[:200]}; {_ALLOWED}")


def _look_at(questions: _Questions, closely: bool) -> None:
    guess = questions.policy.horizon_guess(questions.recall_count, questions.item)
    horizon = horizon_by(questions.evicts, guess)
    before: tuple[int, float] | None = None
    evicted_at: int | None = None
    for age in _ages(horizon, closely):
        score, evicts = questions.score(age), questions.evicts(age)
        if before is not None and score > before[1]:
            raise _RefusalError(
                f"{questions.call('retention', before[0])} is {before[1]!r} and at age {age} it is {score!r}; "
                "allowed: a score that never rises with age"
            )
        if evicted_at is not None and not evicts:
            raise _RefusalError(
                f"{questions.call('evicts', evicted_at)} is True and at age {age} it is False; "
                "allowed: once evicted, at every later age"
            )
        before = (age, score)
        evicted_at = age if evicts and evicted_at is None else evicted_at


def _ages(horizon: int, closely: bool) -> list[int]:
    """Return the ages to ask at, rising: up to ten times the horizon, or to the longest session where there is none."""
    last = min(max(10 * horizon, 2 * _SMALL_AGES) if horizon < IMMORTAL else IMMORTAL - 1, IMMORTAL - 1)
    around = {horizon + off for off in (-2, -1, 0, 1, 2)} | {last}
    if closely:
        around |= set(range(1, _SMALL_AGES + 1)) | set(_spread(_SMALL_AGES, last))
    else:
        around |= {1, horizon // 2, 2 * horizon}
    return sorted(age for age in around if 1 <= age <= last)


def _spread(first: int, last: int) -> Iterator[int]:
    age = float(first)
    while age < last:
        yield math.ceil(age)
        age *= _SPREAD
