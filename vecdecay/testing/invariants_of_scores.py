"""Invariants about what a policy scores. Each looks at a fixed grid of touches, ages and items, and draws nothing."""

import itertools
import math
import numbers

from vecdecay.engines.asking import is_score
from vecdecay.items import DEFAULT_ATTRIBUTES
from vecdecay.parameters import brief
from vecdecay.policies.base import Policy, TablePolicy
from vecdecay.policies.stateful import HistoryPolicy, StatefulPolicy, functions_of, item_facts
from vecdecay.testing.invariant import HOLDS, Answer, Invariant
from vecdecay.testing.probing import Probe, ages, grid, has_score, histories, is_due, items, score, threshold_of

MANY = 1_000_000
NO_SCORE = Answer(silent="it has no score")
_GAPS = (0, 1, 2, 3, 5, 8, 13, 30, 100)
_LATER = (1, 2, 3, 5, 8, 13, 40, 100)


@Invariant
def retention_is_from_0_to_1(policy: Policy, examples: int) -> Answer:
    """Every score is a number from 0 to 1.

    Catches scores above 1 after a boost that is not capped, negative ones of a linear decay, and NaN, which is below no
    threshold and so keeps an item for ever.
    """
    del examples
    if not has_score(policy):
        return NO_SCORE
    for probe in grid(policy):
        found = score(policy, probe)
        if not is_score(found):
            return Answer(f"the score is {brief(found)} {probe.text(policy)}{_remedy(found)}")
    return HOLDS


def _remedy(found: object) -> str:
    """Return how a formula whose scores go above 1 can be played: divided by its maximum it decides the same."""
    if isinstance(found, bool) or not isinstance(found, numbers.Real) or not 1.0 < float(found) < math.inf:
        return ""
    return "; remedy: divide the score and the threshold by the highest score, which leaves every decision as it is"


@Invariant
def never_rises_with_age(policy: Policy, examples: int) -> Answer:
    """An item that nothing touches never scores higher later.

    Catches a wrong sign, bonuses that set in at some age, and rounding noise in a formula of differences: an item that
    was due comes back by itself, and then what is evicted hangs on when the pass runs.
    """
    del examples
    if not has_score(policy):
        return NO_SCORE
    before: Probe | None = None
    last = math.inf
    for probe in grid(policy):
        found = score(policy, probe)
        same = before is not None and before.touches == probe.touches and before.item == probe.item
        if same and before is not None and found > last:
            return Answer(f"the score rises from {last!r} at age {before.age} to {found!r} {probe.text(policy)}")
        before, last = probe, found
    return HOLDS


@Invariant
def a_recall_never_shortens_life(policy: Policy, examples: int) -> Answer:
    """With one recall more, an item never scores lower, neither at once nor later; at no threshold does it go sooner.

    Catches a strength in the exponent the wrong way round, as published code of MemoryBank has it (exp(-days / 5 ×
    strength)): what is used most is lost first. An item that is due already is not asked about.
    """
    del examples
    if not has_score(policy):
        return NO_SCORE
    for item in items(policy):
        for touches in histories(policy, item):
            problem = _shortened(policy, touches, Probe(touches, 0, item))
            if problem:
                return Answer(problem)
    return HOLDS


def _shortened(policy: Policy, touches: tuple[int, ...], start: Probe) -> str:
    if isinstance(policy, TablePolicy):
        pairs = [(start._replace(age=age), start._replace(age=age, touches=(1, *touches))) for age in ages(policy)]
    else:
        gaps = [gap for gap in _GAPS if not is_due(policy, start._replace(age=gap))]
        pairs = [
            (start._replace(age=gap + later), Probe((*touches, touches[-1] + gap), later, start.item))
            for gap in gaps
            for later in _LATER
        ]
    for without, recalled in pairs:
        low, high = score(policy, recalled), score(policy, without)
        if low < high:
            return f"the score is {low!r} {recalled.text(policy)}, and {high!r} without the last recall"
    return ""


@Invariant
def exactly_1_at_age_0(policy: Policy, examples: int) -> Answer:
    """At the touch itself the score is 1.0 to the bit, whatever the item and however often it was used.

    Catches a factor that forgets its own maximum, and an age that counts from 1 by mistake. The person's own method is
    asked; no engine asks at an age below 0.
    """
    del examples
    if not has_score(policy):
        return NO_SCORE
    for item in items(policy):
        for touches in histories(policy, item):
            probe = Probe(touches, 0, item)
            found = score(policy, probe)
            if found != 1.0:
                return Answer(f"the score is {brief(found)} at age 0, {probe.text(policy)}")
    return HOLDS


@Invariant
def finite_after_a_million_recalls(policy: Policy, examples: int) -> Answer:
    """After 10^6 recalls, one in each turn or all in one, a score is still a number from 0 to 1.

    Catches stabilities that are multiplied up beyond the largest float, where Python raises OverflowError or inf / inf
    makes a NaN, some four hundred recalls after everything looked well.
    """
    del examples
    if isinstance(policy, TablePolicy):
        for item, age in itertools.product(items(policy), (1, 30, 10_000)):
            value = policy.retention(age, MANY + 1, item)
            if not is_score(value):
                return Answer(f"the score is {brief(value)} {Probe((1,), age, item).text(policy, MANY + 1)}")
        return HOLDS
    if not isinstance(policy, StatefulPolicy):
        return NO_SCORE
    for spacing in (0, 1):
        value = _score_after_many(policy, spacing)
        if not is_score(value):
            where = "one in each turn" if spacing else "all in one turn"
            return Answer(f"the score is {brief(value)} thirty turns after {MANY:,} recalls, {where}")
    return HOLDS


def _score_after_many(policy: StatefulPolicy, spacing: int) -> float:
    functions, parameters, threshold = functions_of(type(policy)), policy.constants(), policy.threshold()
    turn = 1
    if isinstance(policy, HistoryPolicy):
        touches = range(1, MANY + 2) if spacing else (1,) * (MANY + 1)
        return float(functions.retention(parameters, touches, 0, MANY + 1, touches[-1] + 30))
    state = functions.on_register(parameters, turn, item_facts(DEFAULT_ATTRIBUTES))
    for _ in range(MANY):
        before = state
        if spacing:
            if functions.retention(parameters, state, turn) < threshold:
                break  # the item is gone, and nothing can recall it
            turn += 1
            state = state if functions.on_turn is None else functions.on_turn(parameters, state, turn)
        state = functions.on_recall(parameters, state, turn)
        if state == before:  # in the same turn, more of the same recalls change nothing either
            break
    for _ in range(30):
        turn += 1
        state = state if functions.on_turn is None else functions.on_turn(parameters, state, turn)
    return float(functions.retention(parameters, state, turn))


@Invariant
def evicted_is_below_the_threshold(policy: Policy, examples: int) -> Answer:
    """What is due is exactly what the reported score puts below the threshold; at equality an item stays.

    Catches a score on the dashboard that is computed by another formula than the one that evicts, and a comparison that
    also drops what is right at the threshold.
    """
    del examples
    threshold = threshold_of(policy)
    if threshold is None:
        return Answer(silent="it does not decide by a score")
    for probe in grid(policy):
        if probe.age > 0:
            found, due = score(policy, probe), is_due(policy, probe)
            if due != (found < threshold):
                fate = "evicted" if due else "kept"
                return Answer(
                    f"the item is {fate} with a score of {found!r}, threshold {threshold!r}, {probe.text(policy)}"
                )
    return HOLDS
