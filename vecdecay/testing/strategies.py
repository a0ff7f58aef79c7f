"""What Hypothesis draws for the tests of a policy: sessions as data, published sessions, and the policies themselves.

Drawn sessions shrink towards short ones with few, early touches. A random gap between two touches rarely falls where a
policy changes its mind: give the ages at which yours does, and gaps fall on and around them.
"""

import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from vecdecay.errors import InvalidInputError
from vecdecay.items import CATEGORIES, DEFAULT_ATTRIBUTES, FOUNDATIONAL, NOISE, Attributes
from vecdecay.parameters import Parameter
from vecdecay.policies import POLICIES
from vecdecay.policies.base import Policy
from vecdecay.sessions.events import FORGET, NO_TURN, RECALL, REGISTER
from vecdecay.sessions.published import PublishedSessions
from vecdecay.sessions.session import PlayedEvent, Session
from vecdecay.testing.drawing import hypothesis

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

_ATTRIBUTES = tuple(
    Attributes(importance, category, pinned)
    for pinned in (False, False, False, True)
    for category in CATEGORIES
    for importance in (0.5, 0.0, 1.0, 0.8)
)
_MOST_ITEMS = 4
_FEWEST_TOUCHES, _MOST_TOUCHES = 12, 24
_HEADER = 4 + 3 * _MOST_ITEMS + 8
"""Bytes before those of the touches: number of items, their kinds, most turns, turns after the last event; attributes,
size and last turn of each item; the seed."""

_FACTORS = (1.0, 0.5, 0.8, 0.95, 1.05, 1.25, 2.0)


def sessions(ages: Sequence[int] = (), max_length: int = 40, described: bool = True) -> "SearchStrategy[Session]":
    """Draw a session of up to ``max_length`` turns with up to four items of either kind, most with 8 to 16 events.

    Several touches may fall in one turn, in any order of play; items may be recalled before they are registered, or
    again after they were evicted, be registered anew, or never occur. ``ages`` (turns) are those at which a policy
    changes its mind. ``described`` says whether items have attributes (a quarter are pinned), sizes, in part a last
    turn, and a seed, and whether there are requests to forget.

    >>> from hypothesis import find
    >>> find(sessions(), lambda session: session.events != ()).events
    ((1, 0, 0),)
    """
    st = hypothesis().strategies
    gaps = tuple(dict.fromkeys((1, *(age + off for age in ages for off in (0, -1, 1) if age + off >= 0), 0, 2, 3)))[:16]
    tails = (0, *gaps, 12, 20)

    # One draw of bytes for all: many draws take several times as long, and where Hypothesis copies one draw into the
    # place of another, bytes of a wrong length become zeros. A touch of 0 is none: few touches are the smallest.
    content = st.binary(min_size=_HEADER + _FEWEST_TOUCHES, max_size=_HEADER + _MOST_TOUCHES)

    def session(draw: "DrawFn") -> Session:
        drawn = draw(content)
        num_items, kinds, most, tail, *numbers = drawn[:_HEADER]
        longest = max_length if most % 3 else 1 + most % max_length
        item_kinds = tuple(NOISE if kinds >> item & 1 else FOUNDATIONAL for item in range(1 + num_items % _MOST_ITEMS))
        events = _events(drawn[_HEADER:], longest, len(item_kinds), gaps, forgets=described)
        length = min((events[-1][0] if events else 1) + tails[tail % len(tails)], longest)
        if not described:
            return Session(length, item_kinds, events)
        attributes = tuple(_ATTRIBUTES[number % len(_ATTRIBUTES)] for number in numbers[: len(item_kinds)])
        tokens = tuple(1 + number % 9 for number in numbers[_MOST_ITEMS : _MOST_ITEMS + len(item_kinds)])
        last = numbers[2 * _MOST_ITEMS : 2 * _MOST_ITEMS + len(item_kinds)]
        expires = tuple(NO_TURN if number % 4 < 3 else 1 + number % (length + 1) for number in last)
        return Session(
            length,
            item_kinds,
            events,
            () if attributes == (DEFAULT_ATTRIBUTES,) * len(item_kinds) else attributes,
            () if tokens == (1,) * len(item_kinds) else tokens,
            int.from_bytes(numbers[-8:]) >> 1,
            expires if any(expires) else (),
        )

    strategy: SearchStrategy[Session] = st.composite(session)()
    return strategy


def _events(touches: bytes, longest: int, items: int, gaps: Sequence[int], forgets: bool) -> tuple[PlayedEvent, ...]:
    """Return events in the order of play; each byte says which item, how long after its last touch, and what."""
    reached: dict[int, int] = {}
    events: list[PlayedEvent] = []
    for touch in (byte - 1 for byte in touches if byte > 0):
        item, unusual, choice = (touch & 3) % items, touch >> 2 & 3, touch >> 4
        known = item in reached
        kind = RECALL if known is not (unusual == 3) else REGISTER
        if forgets and known and unusual == 2 and choice % 3 == 0:
            kind = FORGET
        turn = reached[item] + gaps[choice % len(gaps)] if known else 1 + choice % min(4, longest)
        if turn <= longest:
            reached[item] = turn
            events.append((turn, kind, item))
    return tuple(sorted(events, key=lambda event: event[0]))


def published_sessions() -> "SearchStrategy[Session]":
    """Draw a session of the published workload: few facts and little noise, any seed, often a short session."""
    st = hypothesis().strategies

    def built(length: int, facts: int, recalls: int, noise: int, seed: int) -> Session:
        workload = PublishedSessions(
            session_length=length, num_foundational=facts, recalls_per_foundational=recalls, noise_per_turn=noise
        )
        return workload.session(seed)

    strategy: SearchStrategy[Session] = st.builds(
        built,
        length=st.sampled_from((5, 13, 30, 60, 150)),
        facts=st.integers(1, 3),
        recalls=st.integers(0, 6),
        noise=st.integers(0, 2),
        seed=st.integers(0, 2**64 - 1),
    )
    return strategy


def policies(kinds: Sequence[type[Policy]] = POLICIES) -> "SearchStrategy[Policy]":
    """Draw a policy of one of the classes, its parameters at or around their defaults and within their ranges."""
    st = hypothesis().strategies

    def drawn(draw: "DrawFn") -> Policy:
        kind: type[Policy] = draw(st.sampled_from(list(kinds)))
        policy = kind()
        for one in kind.parameters():
            value = draw(_values(one))
            with contextlib.suppress(InvalidInputError):  # in its range, but not together with the others
                policy = kind.build({**policy.values(), one.name: value})
        return policy

    strategy: SearchStrategy[Policy] = st.composite(drawn)()
    return strategy


def _values(one: Parameter) -> "SearchStrategy[Any]":
    st = hypothesis().strategies
    if one.kind == "flag":
        return st.sampled_from((one.default, not one.default))  # type: ignore[no-any-return]
    if one.kind == "choice":
        return st.sampled_from((one.default, *one.choices))  # type: ignore[no-any-return]
    if one.kind == "integer":
        near = (one.default, *(one.default + off for off in (1, 2, 3, 7, -1)))
    elif one.kind == "number":
        near = tuple(one.default * factor for factor in _FACTORS)
    elif one.kind == "numbers":
        near = tuple(tuple(entry * factor for entry in one.default) for factor in (1.0, 0.98, 1.02))
    else:
        near = (one.default,)
    return st.sampled_from([value for value in near if is_allowed(one, value)])  # type: ignore[no-any-return]


def is_allowed(one: Parameter, value: Any) -> bool:
    """Tell whether the value is in the range of the parameter."""
    try:
        one.clean(value)
    except (ValueError, TypeError):
        return False
    return True
