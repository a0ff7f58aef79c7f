"""How long an item lives under a policy: when its retention has halved, and when it is evicted.

Where a policy's score does not rise between two touches, the age is searched by doubling and halving. A policy with
``on_turn`` and one that drops items at random are asked turn by turn, up to SCANNED turns, in the scalar reference.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from vecdecay.engines.horizon import IMMORTAL, horizon_by, horizon_of
from vecdecay.engines.reference_stateful import StatefulPolicyEngine
from vecdecay.errors import InvalidInputError
from vecdecay.items import DEFAULT_ATTRIBUTES, FOUNDATIONAL, Attributes
from vecdecay.parameters import brief
from vecdecay.policies.base import TablePolicy
from vecdecay.policies.stateful import HazardPolicy, StatefulPolicy, functions_of
from vecdecay.sessions.session import MAX_SESSION_LENGTH, Session

SCANNED = 10_000
MOST_RECALLS = 6
FIRST_TURN = 1
AT_ONCE, EVERY_TURN, LAST_MOMENT = "at once", "every turn", "at the last moment"

_MOMENT = sys.float_info.min  # the shortest time after a touch
_BISECTIONS = 60
_JUMP = 0.01
_HALF_LEFT, _FEW_LEFT = 0.5, 0.05

Known = TablePolicy | StatefulPolicy


class Ages(NamedTuple):
    """Ages since the last touch, in the unit in which the policy counts ages; None for never.

    ``half``: retention is half of what it is right after the touch. ``gone``: the item is evicted. Of a policy that
    drops items at random: half of the items are gone, and 95 % of them are.
    """

    half: float | None
    gone: int | None


def ages_after(policy: Known, touches: Sequence[int], item: Attributes = DEFAULT_ATTRIBUTES) -> Ages:
    """Return when an item goes that was registered in the first of these turns, recalled in the others and not evicted.

    Raises:
        InvalidInputError: a score is no number from 0 to 1.

    >>> from vecdecay.policies import Ebbinghaus, Fsrs6
    >>> ages_after(Ebbinghaus(), [1]), ages_after(Fsrs6(), [1, 4, 12, 32])
    (Ages(half=5.545177444479562, gone=13), Ages(half=9303, gone=957))
    """
    if isinstance(policy, HazardPolicy):
        return _ages_at_random(policy, touches, item)
    if isinstance(policy, StatefulPolicy) and functions_of(type(policy)).on_turn is not None:
        return _ages_turn_by_turn(policy, touches, item)

    def score(age: float) -> float:
        return score_at(policy, touches, age, item)

    if isinstance(policy, TablePolicy):
        return Ages(_halved(score), _finite(horizon_of(policy, len(touches), item)))
    half, threshold = score(0) / 2, policy.threshold()
    return Ages(_first(lambda age: score(age) <= half), _first(lambda age: score(age) < threshold))


def score_at(policy: Known, touches: Sequence[int], age: float, item: Attributes = DEFAULT_ATTRIBUTES) -> float:
    """Return the retention of an item so long after the last of its touches; a stateful policy takes whole turns."""
    if isinstance(policy, TablePolicy):
        return policy.retention(age, len(touches), item)  # type: ignore[arg-type]  # a formula takes fractions too
    return _checked(policy, policy.score(touches, touches[-1] + int(age), item))


def rhythms(policy: Known) -> tuple[str, ...]:
    """Return when recalls may come so that it makes a difference; what goes at random has no last moment."""
    if isinstance(policy, TablePolicy):
        return (AT_ONCE,)
    return (AT_ONCE, EVERY_TURN) if isinstance(policy, HazardPolicy) else (AT_ONCE, EVERY_TURN, LAST_MOMENT)


def lives(policy: Known, rhythm: str) -> list[Ages | None]:
    """Return the ages after 0 … 6 recalls, None where the item cannot be there at that recall."""
    touches = [FIRST_TURN]
    found: list[Ages | None] = [ages_after(policy, touches)]
    for _ in range(MOST_RECALLS):
        last = found[-1]
        later = None if last is None else _next_touch(policy, rhythm, touches[-1], last.gone)
        if later is not None:
            touches.append(later)
        found.append(None if later is None else ages_after(policy, touches))
    return found


def _next_touch(policy: Known, rhythm: str, last: int, life: int | None) -> int | None:
    """Return the turn of the next recall, None where there is none: the item went before it, or never goes."""
    if rhythm == AT_ONCE:
        return last
    if life == 0 and not isinstance(policy, HazardPolicy):
        return None
    if rhythm == EVERY_TURN:
        return last + 1
    return None if life is None else last + life


def _finite(age: int) -> int | None:
    return None if age >= IMMORTAL else age


def _first(holds: Callable[[int], bool]) -> int | None:
    """Return the first age at which something holds that holds ever after, None if there is none."""
    return 0 if holds(0) else _finite(horizon_by(holds, 1.0))


def _halved(score: Callable[[float], float]) -> float | None:
    """Return the age at which the score has halved; None where it never does or jumps past it, as in a window."""
    try:
        half = score(_MOMENT) / 2
        below = float(horizon_by(lambda age: score(age) <= half, 1.0))
        if below >= IMMORTAL:
            return None
        above = below - 1.0
        for _ in range(_BISECTIONS):
            middle = (above + below) / 2
            above, below = (middle, below) if score(middle) > half else (above, middle)
        return below if score(above) - score(below) < _JUMP else None
    except Exception:  # a formula of a person's own may take whole ages only
        return None


def _ages_turn_by_turn(policy: StatefulPolicy, touches: Sequence[int], item: Attributes) -> Ages:
    found: dict[str, int] = {}
    half = -1.0
    for age, score in enumerate(scores(policy, touches, item)):
        half = score / 2 if age == 0 else half
        if score <= half:
            found.setdefault("half", age)
        if score < policy.threshold():
            found.setdefault("gone", age)
        if len(found) == 2:
            break
    return Ages(found.get("half"), found.get("gone"))


def _ages_at_random(policy: HazardPolicy, touches: Sequence[int], item: Attributes) -> Ages:
    """Multiply the chances to stay of all passes, from that of the last use on."""
    left, half, period = 1.0, None, policy.period_turns()
    for age, chance in enumerate(scores(policy, touches, item)):
        if (touches[-1] + age) % period == 0:
            left *= chance
        half = age if half is None and left <= _HALF_LEFT else half
        if left <= _FEW_LEFT:
            return Ages(half, age)
    return Ages(half, None)


def scores(policy: StatefulPolicy, touches: Sequence[int], item: Attributes = DEFAULT_ATTRIBUTES) -> Iterator[float]:
    """Yield the scores at ages 0, 1, … SCANNED, the state moved on turn by turn."""
    engine = StatefulPolicyEngine(policy, Session(MAX_SESSION_LENGTH, (FOUNDATIONAL,), (), attributes=(item,)))
    engine.register(0, touches[0])
    for turn in touches[1:]:
        engine.recall(0, turn)
    for age in range(SCANNED + 1):
        yield _checked(policy, engine.retention(0, touches[-1] + age))


def _checked(policy: Any, score: float) -> float:
    # A NaN fails every comparison.
    if not 0.0 <= score <= 1.0:
        raise InvalidInputError(
            [f"{type(policy).__name__}.retention gives {brief(score)}; allowed: a number from 0 to 1"]
        )
    return score
