"""Design notes: what no invariant forbids, and a person who ships a policy should know, each with its numbers.

They look at fixed touches, ages and items, and draw nothing. Every one stands for a fault that was found in published
policies; a policy may mean it so, and nothing is broken.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from vecdecay.engines.horizon import IMMORTAL, horizon_by, horizon_of
from vecdecay.items import CATEGORIES, DEFAULT_ATTRIBUTES, Attributes
from vecdecay.numerals import count
from vecdecay.policies.base import Policy, TablePolicy
from vecdecay.policies.own import own_policy
from vecdecay.policies.rules import counts
from vecdecay.policies.stateful import HazardPolicy, StatefulPolicy, functions_of, item_facts
from vecdecay.testing.probing import Probe, has_score, is_due, score, threshold_of

Touches = tuple[int, ...]

_IMPORTANCES = tuple(tenth / 10 for tenth in range(11))
_MOST_RECALLS = 5
_GAPS = (1, 5, 24)
_SPREAD = (1, 2, 4, 8, 16, 32)
_CRAMMED = (1, 2, 2, 2, 2, 2)
_SELDOM = 7
_MOST_TURNS = 5_000
"""How far a policy is asked that moves each state on turn by turn."""
_LATE = IMMORTAL - 1


class DesignNote(NamedTuple):
    """A trait of a policy's design: its name, and what is so in numbers."""

    note: str
    text: str


def design_notes(policy: object) -> tuple[DesignNote, ...]:
    """Return the traits of a policy that are no broken invariants and may still surprise; none of a cache policy.

    Raises:
        InvalidInputError: ``policy`` is nothing that can be played; one line per reason.

    >>> from vecdecay.policies import ImportancePrune
    >>> print(design_notes(ImportancePrune())[0].text)
    an item of importance 0.8 or more is never evicted; one of 0.7 goes 111 turns after its registration
    """
    played = own_policy(policy)
    found = ((name, _told(note, played)) for name, note in _NOTES.items() if _asks(name, played))
    return tuple(DesignNote(name, text) for name, text in found if text)


def _asks(name: str, policy: Policy) -> bool:
    """Tell whether the note says anything of the policy's kind: how long an item lives may be random."""
    return has_score(policy) and (name in _OF_SCORES or not isinstance(policy, HazardPolicy))


def _told(note: Callable[[Policy], str], policy: Policy) -> str:
    """Return what a note says; nothing where a method of the policy raises, which the invariants tell."""
    try:
        return note(policy)
    except KeyboardInterrupt:
        raise
    except BaseException:
        return ""


def life(policy: Policy, touches: Touches, item: Attributes = DEFAULT_ATTRIBUTES) -> int | None:
    """Return how many turns an item outlives the last of its touches, None where it never goes.

    A table policy counts in what its own rules count: turns, or active days.
    """
    if isinstance(policy, TablePolicy):
        counted, last = 1, touches[0]
        for turn in touches[1:]:
            if counts(turn, last, policy.rules().cooldown_turns):
                counted, last = counted + 1, turn
        since = 0 if policy.rules().touch_refreshes else touches[-1] - touches[0]
        found = horizon_of(policy, counted, item)
        return None if found >= IMMORTAL else found - since
    assert isinstance(policy, StatefulPolicy)
    if functions_of(type(policy)).on_turn is not None:
        return _life_by_turn(policy, touches, item, 1)
    found = horizon_by(lambda age: is_due(policy, Probe(touches, age, item)), 100.0)
    return None if found >= IMMORTAL else found


def _life_by_turn(policy: StatefulPolicy, touches: Touches, item: Attributes, passes: int) -> int | None:
    """Return the same with so many calls of ``on_turn`` in a turn; None where the score no longer changes."""
    functions, parameters, turn, same = functions_of(type(policy)), policy.constants(), touches[0], 0
    state = functions.on_register(parameters, turn, item_facts(item))
    assert functions.on_turn is not None
    recalls, before = list(touches[1:]), 2.0
    while turn <= touches[-1] + _MOST_TURNS:
        while recalls and recalls[0] == turn:
            state = functions.on_recall(parameters, state, recalls.pop(0))
        found = functions.retention(parameters, state, turn)
        if not recalls and found < policy.threshold():
            return turn - touches[-1]
        same = same + 1 if found == before else 0
        if not recalls and same == _MOST_TURNS // 2:
            return None
        before, turn = found, turn + 1
        for _ in range(passes):
            state = functions.on_turn(parameters, state, turn)
    return _MOST_TURNS


def _attributes(policy: Policy) -> Iterator[tuple[str, tuple[Attributes, ...]]]:
    """Yield each category with its items by importance; one item where the policy knows nothing of it."""
    reads = policy.reads if isinstance(policy, TablePolicy) else ("importance", "category")
    for category in CATEGORIES if "category" in reads else CATEGORIES[:1]:
        importances = _IMPORTANCES if "importance" in reads else (DEFAULT_ATTRIBUTES.importance,)
        yield category, tuple(Attributes(importance, category) for importance in importances)


def _recalled(policy: Policy, item: Attributes = DEFAULT_ATTRIBUTES) -> Iterator[Touches]:
    """Yield touches turn by turn, from a registration alone, as long as the item is there to be recalled."""
    touches: Touches = (1,)
    for _ in range(_MOST_RECALLS + 1):
        yield touches
        lived = life(policy, touches, item)
        if lived is not None and lived < 1:
            return
        touches = (*touches, touches[-1] + 1)


def _after(touches: Touches) -> str:
    return f" after {count(len(touches) - 1, 'recall')}" if len(touches) > 1 else ""


def _turns(lived: int | None) -> str:
    return "for ever" if lived is None else count(lived, "turn")


def _some_items_never_go(policy: Policy) -> str:
    """A floor above the threshold: whatever the importance, the score never falls below it."""
    categories = list(_attributes(policy))
    for touches in _recalled(policy):
        immortal = [name for name, items in categories if life(policy, touches, items[0]) is None]
        if immortal:
            which = "an item" if len(immortal) == len(categories) else f"an item of category {', '.join(immortal)}"
            return f"{which}{_after(touches)} is never evicted{_floor(policy, touches, immortal[0])}"
    return ""


def _floor(policy: Policy, touches: Touches, category: str) -> str:
    threshold = threshold_of(policy)
    if threshold is None or threshold <= 0.0:
        return ""
    by_turn = isinstance(policy, StatefulPolicy) and functions_of(type(policy)).on_turn is not None
    lowest = next(items[0] for name, items in _attributes(policy) if name == category)
    stays = score(policy, Probe(touches, _MOST_TURNS if by_turn else _LATE, lowest))
    return f": its score stays at {stays:.6g}, the threshold is {threshold:.6g}"


def _important_items_never_go(policy: Policy) -> str:
    """An exemption: from some importance on nothing is evicted, so that a store of important items only grows."""
    for touches in _recalled(policy):
        asked = [(name, items, [life(policy, touches, item) for item in items]) for name, items in _attributes(policy)]
        places = {lives.index(None) if None in lives else 0 for _, _, lives in asked}
        for category, items, lives in asked:
            place = lives.index(None) if None in lives else 0
            if place == 0:
                continue
            least = _least(partial(_is_immortal, policy, touches), items[place - 1], items[place])
            which = f" of category {category}" if len(places) > 1 else ""
            goes = f"{_turns(lives[place - 1])} after its {'last recall' if touches[1:] else 'registration'}"
            return (
                f"an item{which} of importance {least:.6g} or more{_after(touches)} is never evicted; one of "
                f"{items[place - 1].importance:g} goes {goes}"
            )
    return ""


def _is_immortal(policy: Policy, touches: Touches, item: Attributes) -> bool:
    return life(policy, touches, item) is None


def _least(holds: Callable[[Attributes], bool], low: Attributes, high: Attributes) -> float:
    """Return the least importance between two at which something holds, as it does at the higher."""
    without, enough = low.importance, high.importance
    while enough - without > 1e-9:
        middle = (without + enough) / 2
        if holds(high._replace(importance=middle)):
            enough = middle
        else:
            without = middle
    return enough


def _recalls_change_nothing(policy: Policy) -> str:
    """A recall that neither refreshes nor strengthens: with it and without it the item goes in the same turn."""
    for touches in _recalled(policy):
        lived = life(policy, touches)
        if lived is None or lived < 1:
            continue
        gone = touches[-1] + lived
        gaps = [gap for gap in _GAPS if gap <= lived]
        later = [(gap, life(policy, (*touches, touches[-1] + gap))) for gap in gaps]
        if all(found is not None and touches[-1] + gap + found == gone for gap, found in later):
            turns = " or ".join(str(touches[-1] + gap) for gap in gaps)
            return f"recall {len(touches)} changes nothing: in turn {turns} or not at all, the item goes in turn {gone}"
    return ""


def _crammed_recalls_count_in_full(policy: Policy) -> str:
    """Five recalls within a turn, as a loop makes them, are worth five uses on five days."""
    once, crammed = life(policy, _CRAMMED[:2]), life(policy, _CRAMMED)
    spread = life(policy, _SPREAD[: len(_CRAMMED)]) if _can_be(policy, _SPREAD[: len(_CRAMMED)]) else crammed
    if crammed is None or once is None or spread is None or not once < crammed or crammed < spread:
        return ""
    return (
        f"{len(_CRAMMED) - 1} recalls in one turn keep an item {_turns(crammed)}, one recall {_turns(once)}: "
        "a loop that asks again counts as much as use on several days"
    )


def _can_be(policy: Policy, touches: Touches) -> bool:
    lives = ((life(policy, touches[:place]), touches[place] - touches[place - 1]) for place in range(1, len(touches)))
    return all(lived is None or lived >= gap for lived, gap in lives)


def _each_pass_decays(policy: Policy) -> str:
    """The pass itself wears items down, or draws anew: how often it runs decides how long they live."""
    if isinstance(policy, HazardPolicy):
        every, seldom = (_mean_life(policy, spacing) for spacing in (1, _SELDOM))
        return (
            f"each pass draws anew: an item lives {every:.1f} turns on average with a pass in every turn, "
            f"{seldom:.1f} with one in every {_SELDOM}"
        )
    if not isinstance(policy, StatefulPolicy) or functions_of(type(policy)).on_turn is None:
        return ""
    once, twice = (_life_by_turn(policy, (1,), DEFAULT_ATTRIBUTES, passes) for passes in (1, 2))
    if once == twice:
        return ""
    return (
        f"on_turn decays at each call, whatever the turn: an item lives {_turns(once)}, {_turns(twice)} where it is "
        "called twice a turn"
    )


def _mean_life(policy: Policy, spacing: int) -> float:
    """Return the mean turns that an item outlives its registration, with a pass in every ``spacing``-th turn."""
    mean, kept = 0.0, 1.0
    for age in range(spacing, _MOST_TURNS, spacing):
        stays = score(policy, Probe((1,), age))
        mean, kept = mean + kept * (1.0 - stays) * age, kept * stays
    return mean


def _starts_below_1(policy: Policy) -> str:
    """A fresh item has less than the full score, so that a threshold may lie above where it starts."""
    for category, items in _attributes(policy):
        starts = [_start(policy, item) for item in items]
        if min(starts) >= 1.0:
            continue
        which = f" of category {category}" if category != CATEGORIES[0] else ""
        threshold = threshold_of(policy)
        shown = f"from {starts[0]:.3g} to {starts[-1]:.3g} by importance" if len(items) > 1 else f"at {starts[0]:.3g}"
        gone = ""
        if threshold is not None and starts[0] < threshold <= starts[-1]:
            least = _least(partial(_starts_at, policy, threshold), items[0], items[-1])
            gone = f"; that of one of an importance below {least:.3g} is below the threshold at once"
        return f"the score of a fresh item{which} starts {shown}{gone}"
    return ""


def _starts_at(policy: Policy, threshold: float, item: Attributes) -> bool:
    return _start(policy, item) >= threshold


def _start(policy: Policy, item: Attributes) -> float:
    """Return the first score that a pass may ask for; where no pass asks at age 0, drawn back from ages 1 and 2."""
    if not isinstance(policy, TablePolicy) or not policy.rules().inclusive:
        return float(score(policy, Probe((1,), 0, item)))
    first, second = (float(score(policy, Probe((1,), age, item))) for age in (1, 2))
    return 0.0 if first <= 0.0 else min(1.0, round(first * first / max(second, 1e-300), 5))


_NOTES: dict[str, Callable[[Policy], str]] = {
    "some_items_never_go": _some_items_never_go,
    "important_items_never_go": _important_items_never_go,
    "recalls_change_nothing": _recalls_change_nothing,
    "crammed_recalls_count_in_full": _crammed_recalls_count_in_full,
    "each_pass_decays": _each_pass_decays,
    "starts_below_1": _starts_below_1,
}

_OF_SCORES = ("each_pass_decays", "starts_below_1")

DESIGN_NOTES = tuple(_NOTES)
"""The names of the notes, in the order of a report."""
