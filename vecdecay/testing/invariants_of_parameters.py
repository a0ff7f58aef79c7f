"""Invariants about the parameters of a policy: that they do what their names say, and that they do anything at all."""

import functools
import itertools
import math
import random
from collections.abc import Iterator
from typing import Any

from vecdecay.engines.reference import engine_for, run
from vecdecay.errors import InvalidInputError
from vecdecay.items import FOUNDATIONAL, Attributes
from vecdecay.parameters import Parameter, brief
from vecdecay.policies.base import Policy
from vecdecay.policies.cache import NO_LIMIT, CachePolicy
from vecdecay.policies.system import SystemPolicy
from vecdecay.sessions.session import RECALL, REGISTER, PlayedEvent, Session
from vecdecay.testing.invariant import HOLDS, Answer, Invariant
from vecdecay.testing.probing import ITEMS, Probe, grid, has_score, histories, is_due, items, score, threshold_of
from vecdecay.testing.strategies import is_allowed

_FACTORS = (0.5, 2.0, 0.9, 1.1, 10.0, 0.1, 1000.0)
_NUMBERS = (1.0, 0.5, 0.0, 2.0, 7.0, 24.0, -1.0)
_MOST_RUNGS = 5
_AGES = (0, 1, 2, 5, 12, 40, 100)
_GAPS = (0, 1, 3, 9, 25)
_SESSION_LENGTH = 160
_BUDGETS = (3, 8, 16)
_ROOM = (1 / 7, 1 / 32, 1 / 1000, 1 / 16_000)
_COMPETING = 29


@Invariant
def nested_in_the_threshold(policy: Policy, examples: int) -> Answer:
    """What is due at a threshold is due at every higher one too, all else being equal.

    Catches a threshold that is compared the wrong way round, and one that sneaks into the score itself. It concerns
    every parameter whose name ends in ``threshold``.
    """
    del examples
    names = [one for one in policy.parameters() if one.kind == "number" and one.name.endswith("threshold")]
    if threshold_of(policy) is None or not names:
        return Answer(silent="no parameter of it is a threshold")
    for one in names:
        values = sorted({policy.values()[one.name], *_other_values(one, policy.values()[one.name])[:_MOST_RUNGS]})
        ladder = [found for value in values if (found := _with(policy, {one.name: value})) is not None]
        for low, high in itertools.pairwise(ladder):
            for probe in grid(policy):
                if is_due(low, probe) and not is_due(high, probe):
                    lower, higher = low.values()[one.name], high.values()[one.name]
                    return Answer(f"due with {one.name}={lower!r} and not with {higher!r}, {probe.text(policy)}")
    return HOLDS


@Invariant
def every_parameter_changes_some_outcome(policy: Policy, examples: int) -> Answer:
    """For every parameter there is another value with which some score or some eviction is another one.

    Catches parameters that are read from a file and then never looked at, and caps that sit where nothing can reach
    them: a person who tunes an inert parameter tunes nothing. Where a parameter does nothing, it is tried again under
    each other choice and flag of the policy.
    """
    del examples
    if not policy.parameters():
        return Answer(silent="it has no parameters")
    inert = [one.name for one in policy.parameters() if not any(_matters(base, one) for base in _bases(policy, one))]
    if not inert:
        return HOLDS
    is_one = len(inert) == 1
    tried = _other_values(next(one for one in policy.parameters() if one.name == inert[0]), policy.values()[inert[0]])
    example = f"; {inert[0]} was tried with {', '.join(map(brief, tried[:6]))}" if tried else ""
    return Answer(f"{', '.join(inert)} {'is' if is_one else 'are'} inert: no value changes anything{example}")


def _bases(policy: Policy, but: Parameter) -> Iterator[Policy]:
    """Yield the policy, its variants in another choice or flag, and in less room, where it competes for any."""
    yield policy
    if isinstance(policy, CachePolicy) and policy.limit() == NO_LIMIT:
        yield from (type(policy)(capacity_items=items) for items in _BUDGETS)
    if isinstance(policy, SystemPolicy):
        yield from filter(None, (_with(policy, _in_less_room(policy, share)) for share in _ROOM))
    for one in policy.parameters():
        if one.kind in ("choice", "flag") and one.name != but.name:
            for value in _other_values(one, policy.values()[one.name]):
                variant = _with(policy, {one.name: value})
                if variant is not None:
                    yield variant


def _in_less_room(policy: Policy, share: float) -> dict[str, Any]:
    """Return all sizes of a policy, in items or tokens, times a share."""
    sizes = {one.name: policy.values()[one.name] for one in policy.parameters() if one.unit in ("items", "tokens")}
    return {name: max(1, int(size * share)) for name, size in sizes.items() if 1 <= size < math.inf}


def _matters(policy: Policy, one: Parameter) -> bool:
    others = [_with(policy, {one.name: value}) for value in _other_values(one, policy.values()[one.name])]
    variants = [variant for variant in others if variant is not None]
    # Scores are quick to ask; sessions also show what only the rules of a policy say.
    return any(_scores(variant) != _scores(policy) for variant in variants) or any(
        _fates(variant) != _fates(policy) for variant in variants
    )


def _with(policy: Policy, change: dict[str, Any]) -> Policy | None:
    """Return the policy with another value, None where that does not go with the other parameters."""
    try:
        return type(policy).build({**policy.values(), **change})
    except InvalidInputError:
        return None


def _other_values(one: Parameter, value: Any) -> list[Any]:
    """Return values of the parameter to try, all of them in its range and none of them ``value``."""
    tried: list[Any]
    if one.kind == "flag":
        tried = [not value]
    elif one.kind == "choice":
        tried = list(one.choices)
    elif one.kind == "integer":
        tried = [value + 1, value - 1, 2 * value, value // 2, value + 7, value + 30, 0, 1]
    elif one.kind == "number":
        tried = [*(value * factor for factor in _FACTORS), *_NUMBERS]
    elif one.kind == "numbers":
        tried = [
            tuple(entry * factor if place == changed else entry for place, entry in enumerate(value))
            for changed in range(len(value))
            for factor in (0.9, 1.1)
        ]
    else:
        tried = []
    return [other for other in dict.fromkeys(tried) if other != value and is_allowed(one, other)]


@functools.lru_cache(maxsize=64)
def _scores(policy: Policy) -> list[float]:
    """Return scores and decisions on a small grid; none of a policy that has no scores."""
    if not has_score(policy):
        return []
    probes = [
        Probe(touches, age, item) for item in items(policy) for touches in histories(policy, item)[:9] for age in _AGES
    ]
    return [float(score(policy, probe)) + 2.0 * is_due(policy, probe) for probe in probes]


@functools.lru_cache(maxsize=64)
def _fates(policy: Policy) -> list[object]:
    """Return what becomes of the items of a session in which all kinds of items are used in several ways, or compete.

    Where they compete, what comes back is part of it. A system decides by what its items are, too.
    """
    competes = policy.competes()
    sessions = [_mixed_session()] if not competes or isinstance(policy, SystemPolicy) else []
    sessions += [_competing_session()] if competes else []
    return [
        (trace.evicted_turn, trace.hits)
        for session in sessions
        for trace in run(engine_for(policy, session), session, competes).items
    ]


@functools.cache
def _competing_session() -> Session:
    """Return a session in which items are asked for again and again, some more often than others, in no clear order."""
    rng = random.Random(0)
    items = [min(rng.randrange(_COMPETING), rng.randrange(_COMPETING)) for _ in range(_SESSION_LENGTH)]
    events = tuple((turn, RECALL, item) for turn, item in enumerate(items, 1))
    return Session(_SESSION_LENGTH, (FOUNDATIONAL,) * _COMPETING, events)


@functools.cache
def _mixed_session() -> Session:
    """Return a session of items with every number of recalls and every gap, and attributes of all kinds."""
    events: list[PlayedEvent] = []
    attributes: list[Attributes] = []
    for gap in _GAPS:
        for recalls in range(5):
            for item in ITEMS if gap == 3 and recalls < 3 else ITEMS[:1]:
                first = 1 + len(attributes) % 3
                events.append((first, REGISTER, len(attributes)))
                events += [(first + gap * (use + 1), RECALL, len(attributes)) for use in range(recalls)]
                attributes.append(item)
    events.sort(key=lambda event: event[0])
    return Session(_SESSION_LENGTH, (FOUNDATIONAL,) * len(attributes), tuple(events), tuple(attributes))
