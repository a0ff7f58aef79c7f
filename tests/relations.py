"""Drawn sessions in which items supersede each other and are derived from each other, and policies with reactions."""

from typing import TypeVar

from hypothesis import strategies as st

from vecdecay.policies.base import Policy
from vecdecay.sessions.session import FORGET, FOUNDATIONAL, NOISE, RECALL, REGISTER, Session

_Policy = TypeVar("_Policy", bound=Policy)
_KINDS = (REGISTER, REGISTER, RECALL, RECALL, RECALL, FORGET)
_HEADER = 3 + 6 * 5


@st.composite
def related_sessions(draw: st.DrawFn) -> Session:
    """Draw a session of up to 40 turns with two to six items, most of which supersede, or were derived from, others.

    Items expire, are pinned, have sizes and event times; relations may run in circles.
    """
    drawn = draw(st.binary(min_size=_HEADER + 24, max_size=_HEADER + 60))
    num_items, length, seed, *numbers = drawn[:_HEADER]
    items, length = 2 + num_items % 5, 3 + length % 38
    each = [numbers[5 * item : 5 * item + 5] for item in range(items)]
    touches = zip(drawn[_HEADER::2], drawn[_HEADER + 1 :: 2], strict=False)
    events = [(1 + turn % length, _KINDS[what % 6], what // 6 % items) for turn, what in touches]
    others = [[one for one in range(items) if one != item] for item in range(items)]
    expires = tuple(0 if one[3] % 3 else 1 + one[3] % length for one in each)
    return Session(
        length,
        tuple(FOUNDATIONAL if one[0] % 2 else NOISE for one in each),
        tuple(sorted(events, key=lambda event: event[0])),
        tokens=tuple(1 + one[1] % 5 for one in each),
        seed_key=seed,
        expires_turns=expires if any(expires) else (),
        supersedes=tuple([-1, *other][one[0] % items] for one, other in zip(each, others, strict=True)),
        sources=tuple(
            tuple(number for number in other if one[2] >> number & 1 and one[4] % 2)
            for one, other in zip(each, others, strict=True)
        ),
        valid_turns=tuple((0, 1, 2, 3, 3, 7)[one[4] % 6] for one in each),
    )


def reacting(policy: _Policy, on_superseded: str = "ignore", on_forget: str = "only_item") -> _Policy:
    """Return the policy with other reactions."""
    reactions = {"on_superseded": on_superseded, "on_forget": on_forget}
    return type(policy).build({**policy.values(), **reactions})
