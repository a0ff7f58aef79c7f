"""All invariants held against one policy, and what came of it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from vecdecay.parameters import did_you_mean
from vecdecay.policies.base import Policy
from vecdecay.policies.own import own_policy
from vecdecay.testing.design_notes import DesignNote, design_notes
from vecdecay.testing.drawing import hypothesis
from vecdecay.testing.invariant import DEFAULT_EXAMPLES, Answer
from vecdecay.testing.invariants import INVARIANTS

HELD = "holds"
SILENT = "does not apply"
DECLARED = "broken, as declared"
BROKEN = "BROKEN"
STALE = "HOLDS, but is declared to be broken"
UNASKED = "not asked"

_ERROR = re.compile(r"(?<=raised )\w+: [^;]*|(?<=cannot be played: )[^;]*")


@dataclass(frozen=True)
class InvariantResult:
    """What came of one invariant: HELD, SILENT, DECLARED, BROKEN, STALE or UNASKED, and the example or the reason."""

    invariant: str
    verdict: str
    text: str = ""

    @property
    def is_violation(self) -> bool:
        """Tell whether something is wrong: an invariant is broken, or a declaration that it is broken is not true."""
        return self.verdict in (BROKEN, STALE)


@dataclass(frozen=True)
class CheckReport:
    """What came of every invariant, in the order of INVARIANTS, and the design notes, which break nothing."""

    policy: Policy
    results: tuple[InvariantResult, ...]
    notes: tuple[DesignNote, ...] = ()

    @property
    def violations(self) -> tuple[InvariantResult, ...]:
        """Return the results of what is wrong."""
        return tuple(one for one in self.results if one.is_violation)

    @property
    def sound(self) -> bool:
        """Tell whether every invariant holds, or is broken as the policy declares."""
        return not self.violations

    def __str__(self) -> str:
        lines = [f"{one.invariant}: {one.verdict}{f': {one.text}' if one.text else ''}" for one in self.violations]
        return "\n".join(lines) or f"{self.policy.name}: nothing is wrong"


def check_policy(policy: object, examples: int = DEFAULT_EXAMPLES) -> CheckReport:
    """Hold all invariants against a policy, and return what came of each, with the smallest example where it is broken.

    An invariant that the policy names in its ``breaks()`` must be broken; where it holds, the declaration is stale.
    Invariants about sessions draw ``examples`` of them, the same each time.

    Raises:
        InvalidInputError: ``policy`` is nothing that can be played; one line per reason.
        NoHypothesisError: the extra ``test`` is not installed.

    >>> from vecdecay.policies import MemoryBankAsPublished
    >>> report = check_policy(MemoryBankAsPublished(), examples=10)
    >>> report.sound, [one.invariant for one in report.results if one.verdict == "broken, as declared"]
    (True, ['a_recall_never_shortens_life'])
    """
    hypothesis()
    played = own_policy(policy)
    declared = played.breaks()
    results = [
        _result(name, invariant.answer(played, examples), name in declared) for name, invariant in INVARIANTS.items()
    ]
    results += [
        InvariantResult(name, STALE, f"there is no such invariant{did_you_mean(name, INVARIANTS)}")
        for name in declared
        if name not in INVARIANTS
    ]
    return CheckReport(played, tuple(_each_error_once(results)), design_notes(played))


def _each_error_once(results: list[InvariantResult]) -> Iterator[InvariantResult]:
    """Yield the results, all but the first that end in the same error of the policy as not asked."""
    first: dict[str, str] = {}
    for one in results:
        error = _ERROR.search(one.text)
        if one.verdict == BROKEN and error and first.setdefault(error[0], one.invariant) != one.invariant:
            yield InvariantResult(one.invariant, UNASKED, f"the same error as in {first[error[0]]}")
        else:
            yield one


def _result(name: str, answer: Answer, declared: bool) -> InvariantResult:
    if answer.broken:
        return InvariantResult(name, DECLARED if declared else BROKEN, answer.broken)
    if declared:
        return InvariantResult(name, STALE, answer.silent)
    return InvariantResult(name, SILENT, answer.silent) if answer.silent else InvariantResult(name, HELD)
