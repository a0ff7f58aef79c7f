"""``why``: the life of one item under a policy, the recalls that failed, and what would have saved them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from vecdecay.engines.asking import guarded
from vecdecay.engines.life import EVICTED, MISSED, Life, life_of
from vecdecay.engines.registry import check_policy, play_block
from vecdecay.errors import InvalidInputError
from vecdecay.items import Attributes
from vecdecay.parameters import Parameter, brief, did_you_mean
from vecdecay.policies.base import Policy
from vecdecay.policies.cache import CachePolicy
from vecdecay.policies.keep_all import KeepAll
from vecdecay.run.along import free_parameter, usual_values, with_value
from vecdecay.run.curve import curve
from vecdecay.run.simulate import checked_arguments
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.events import REGISTER
from vecdecay.sessions.session import FOUNDATIONAL, Session
from vecdecay.sessions.source import GivenSessions, Recorded, Source
from vecdecay.sessions.trace import Trace

_HALVINGS, _DOUBLINGS = 40, 12
MOST_OBJECTS = 3_000_000
"""Events, items and turns of a session that is played in plain Python."""


@dataclass(frozen=True)
class Failed:
    """A recall that did not find the item; ``evicted_turn`` None and ``reason`` "" where nothing had evicted it."""

    turn: int
    evicted_turn: int | None
    reason: str

    @property
    def turns_late(self) -> int | None:
        """Return the turns from the eviction to the recall."""
        return None if self.evicted_turn is None else self.turn - self.evicted_turn


@dataclass(frozen=True)
class Saving:
    """With values of ``parameter`` from ``least`` to ``most``, all else equal, only ``failed`` recalls fail.

    ``exact`` says that the very next value outside fails more; else it was found by playing values. Where only one end
    decides, the other is that of what the parameter may be.
    """

    parameter: str
    least: float
    most: float
    failed: int
    exact: bool


@dataclass(frozen=True)
class Why:
    """What became of an item, and why; see :func:`why`.

    ``unavoidable`` of the failed recalls fail under every policy: the item was not registered yet, forgotten on request
    or expired. ``savings`` holds what fewer would have failed with, parameter by parameter, the fewest first.
    """

    source: str
    session: Any
    item: Any
    kind: str
    attributes: Attributes
    session_length: int
    policy: Policy
    life: Life
    failed: tuple[Failed, ...]
    unavoidable: int
    savings: tuple[Saving, ...]


def why(source: Any, policy: Any, session: Any, item: Any) -> Why:
    """Return the life of one item under a policy: its touches, its scores, the pass that removed it, and what saves it.

    Args:
        source: as in :func:`simulate`.
        policy: one policy.
        session: a seed; of a trace, what the log calls the session.
        item: the number of the item in its session; of a trace, what the log calls it.

    Raises:
        InvalidInputError: there is no such session or item, or it is too large for the scalar reference.

    >>> from vecdecay.policies import RecencyWindow
    >>> from vecdecay.sessions import PublishedSessions
    >>> found = why(PublishedSessions(), RecencyWindow(), session=1, item=0)
    >>> found.life.marks[-1], found.savings
    ((55, 'evicted'), ())
    """
    spec, _ = checked_arguments(source, policy, None if isinstance(source, Recorded) else [0], "cells", "auto", None, 1)
    if len(spec.policies) > 1:
        raise InvalidInputError([f"policy is a list of {len(spec.policies)}; allowed: one policy"])
    return explained(spec.workload, spec.policies[0].policy, session, item)


def explained(source: Source, policy: Policy, session: Any, item: Any) -> Why:
    """Return what :func:`why` does, of a source and a policy that are checked."""
    number = _session_number(source, session)
    played = source.session(number)
    place = _item_number(source, number, item, played)
    size = len(played.events) + len(played.item_kinds) + played.session_length
    if size > MOST_OBJECTS:
        raise InvalidInputError([f"the session has {size:,} events, items and turns; allowed here: {MOST_OBJECTS:,}"])
    with guarded(policy):
        check_policy(policy, block_of([played]))
        life = life_of(played, place, policy, source.relearns)
    failed = tuple(_failed(life))
    unavoidable = sum(what == MISSED for _, what in life_of(played, place, KeepAll(), source.relearns).marks)
    savings = _savings(played, place, policy, source.relearns, len(failed), unavoidable)
    return Why(
        source.name,
        session,
        item,
        "foundational" if played.item_kinds[place] == FOUNDATIONAL else "noise",
        played.attributes_of(place),
        played.session_length,
        policy,
        life,
        failed,
        unavoidable,
        tuple(savings),
    )


def _failed(life: Life) -> Iterator[Failed]:
    gone: tuple[int | None, str] = None, ""
    for one in life.moments:
        if one.what == EVICTED:
            gone = one.turn, one.reason
        elif one.what == MISSED:
            yield Failed(one.turn, *gone)


def _session_number(source: Source, session: Any) -> int:
    if isinstance(source, Trace):
        return _place(session, source.session_names(), "session")
    text = str(session)
    if isinstance(session, float | bool) or not text.removeprefix("-").isdecimal():
        raise InvalidInputError([f"session is {brief(session)}; allowed: an integer, the seed of the session"])
    number = int(text)
    if isinstance(source, Recorded) and not 0 <= number < source.num_sessions:
        raise InvalidInputError([f"session is {number}; allowed: 0 to {source.num_sessions - 1}"])
    return number


def _item_number(source: Source, number: int, item: Any, session: Session) -> int:
    names = source.item_names(number) if isinstance(source, Trace) else list(range(len(session.item_kinds)))
    return _place(item, names, "item")


def _place(name: Any, names: Sequence[Any], what: str) -> int:
    """Return the place of a name, which may be typed: "7" is the item 7 where the log has integers."""
    for same in (lambda one: type(one) is type(name) and one == name, lambda one: str(one) == str(name)):
        found = [place for place, one in enumerate(names) if same(one)]
        if found:
            return found[0]
    texts = [str(one) for one in names]
    shown = f"{texts[0]} to {texts[-1]}" if texts and isinstance(names[0], int) else ", ".join(texts[:5])
    shown += ", …" if texts and not isinstance(names[0], int) and len(texts) > 5 else ""
    hint = "" if texts and isinstance(names[0], int) else did_you_mean(str(name), texts)
    raise InvalidInputError([f"{what} is {brief(name)}; allowed: {shown or f'none, there is no {what}'}{hint}"])


def _savings(session: Session, item: int, policy: Policy, relearn: bool, failed: int, unavoidable: int) -> list[Saving]:
    """Return the ranges of values that save something, parameter by parameter."""
    if failed == unavoidable:
        return []
    alone = GivenSessions([_alone(session, item, relearn)])
    found: list[Saving] = []
    free = "capacity_tokens" if isinstance(policy, CachePolicy) and policy.counts_tokens() else free_parameter(policy)
    for one in policy.parameters():
        if one.kind not in ("number", "integer"):
            continue
        try:
            table = curve(alone, policy, one.name, threads=1).table
        except InvalidInputError:
            if one.name == free:
                found += _by_playing(session, item, policy, one, relearn, failed)
            continue
        steps = list(zip(*(table[name].to_pylist() for name in ("from", "to", "misses")), strict=True))
        # Where a miss registers the item, one pass tells what saves all that can be, for then no miss is left to do so.
        always = unavoidable if relearn else 0
        found += [one for one in _by_steps(one.name, steps, failed, always) if not relearn or one.failed == always]
    return found


def _alone(session: Session, item: int, relearn: bool) -> Session:
    """Return the session of one item alone; what misses even under ``keep_all`` registers it where misses do."""
    kept = [place for place, event in enumerate(session.events) if event[2] == item]
    marks = iter(life_of(session, item, KeepAll(), relearn).marks)
    events = []
    for place in kept:
        turn, kind, _ = session.events[place]
        missed = next(marks)[1] == MISSED
        if missed and relearn:
            next(marks)  # the registration that follows
        events.append((turn, REGISTER if missed and relearn else kind, 0))
    return replace(
        session,
        item_kinds=session.item_kinds[item : item + 1],
        events=tuple(events),
        attributes=session.attributes[item : item + 1],
        tokens=session.tokens[item : item + 1],
        expires_turns=session.expires_turns[item : item + 1],
        grades=tuple(session.grades[place] for place in kept) if session.grades else (),
    )


def _by_steps(name: str, steps: Sequence[tuple[float, float, int]], failed: int, always: int) -> list[Saving]:
    """Return the ranges of values with fewer failures than there were, the fewest first."""
    found = []
    for count in sorted({misses for *_, misses in steps if misses + always < failed}):
        inside = [(start, stop) for start, stop, misses in steps if misses <= count]
        found.append(Saving(name, inside[0][0], inside[-1][1], count + always, exact=True))
    return found


def _by_playing(
    session: Session, item: int, policy: Policy, one: Parameter, relearn: bool, failed: int
) -> list[Saving]:
    """Return the values up to the nearest that saves most, by playing the usual ones and then halving."""
    block, now, whole = (
        block_of([session]),
        float(policy.values()[one.name]),
        one.kind == "integer" or one.at_least == 1,
    )

    def misses(value: float) -> int:
        outcome = play_block(block, with_value(policy, one.name, value), want_items=True, relearn=relearn)
        assert outcome.items is not None
        return int(outcome.items.misses[item])

    counts: dict[float, int] = {}
    for value in (*usual_values(policy, one.name), *(now * 2.0**power for power in range(1, _DOUBLINGS))):
        with suppress(InvalidInputError):  # beyond what the parameter may be
            counts[value] = misses(value)
    fewest = min(counts.values())
    if fewest >= failed:
        return []
    good = min((value for value, count in counts.items() if count == fewest), key=lambda value: abs(value - now))
    last = _halved(lambda value: misses(value) <= fewest, good, now, whole)
    ends = sorted((last, max(counts) if good > now else min(counts)))
    return [Saving(one.name, ends[0], ends[1], fewest, exact=False)]


def _halved(holds: Callable[[float], bool], good: float, bad: float, whole: bool) -> float:
    """Return the value nearest to ``bad`` that was seen to hold; integers end beside one that does not."""
    for _ in range(_HALVINGS):
        middle = (good + bad) / 2
        middle = float(int(middle)) if whole else middle
        if middle in (good, bad) or abs(good - bad) <= 1e-4 * abs(bad):
            break
        good, bad = (middle, bad) if holds(middle) else (good, middle)
    return good
