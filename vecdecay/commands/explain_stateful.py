"""What ``vecdecay explain`` tells of a stateful policy in figures: how long an item lives, by when its recalls came.

The states come from the scalar reference engine, which is asked turn by turn. Beyond SCANNED turns the policy's own
``score`` is asked at ages that double and are then halved, for between two touches a score must not rise; a policy with
``on_turn`` is left at SCANNED.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from vecdecay.commands.policy_facts import MOST_RECALLS
from vecdecay.commands.screen import NOTHING, pairs, paragraph, table
from vecdecay.engines.horizon import IMMORTAL
from vecdecay.engines.reference_stateful import StatefulPolicyEngine
from vecdecay.errors import InvalidInputError
from vecdecay.items import CATEGORIES, DEFAULT_ATTRIBUTES, FOUNDATIONAL, Attributes
from vecdecay.parameters import brief
from vecdecay.policies.base import Policy
from vecdecay.policies.own import in_one_line
from vecdecay.policies.stateful import HazardPolicy, StatefulPolicy, functions_of
from vecdecay.sessions.session import MAX_SESSION_LENGTH, Session

SCANNED = 10_000
"""Turns after its last use in which an item is looked at one by one."""

AT_ONCE, EVERY_TURN, LAST_MOMENT = "at once", "every turn", "at the last moment"

_RHYTHMS = {
    AT_ONCE: "in the turn of the registration",
    EVERY_TURN: "one in each turn after the registration",
    LAST_MOMENT: "each in the very turn in which the item would go",
}
_IMPORTANCES = (0.0, 0.5, 1.0)
_HALF = 0.5
_NEARLY_ALL = 0.05
_FIRST_TURN = 1


class Ages(NamedTuple):
    """Whole turns since the last use, None for never: retention is at most one half, the item goes.

    Of a policy that drops at random: half of the items are gone, and 95 % of them are.
    """

    half: int | None
    gone: int | None
    nearly_all_gone: int | None = None


Lives = dict[str, list[Ages | None]]
"""For each rhythm the ages after 0 … 6 recalls; None where the item cannot be there at that recall."""


class _Measure(NamedTuple):
    """A field of Ages, a sentence above a table of it, and a heading above a column of it."""

    field: str
    sentence: str
    heading: str


_MEASURES = (
    _Measure("gone", "How many turns an item outlives its last use: it is evicted at that age", "evicted\nat age"),
    _Measure(
        "half",
        "Half-life: the first whole age in turns at which its retention is at most 0.5",
        "retention at\nmost 0.5 from age",
    ),
)
_MEASURES_AT_RANDOM = (
    _Measure("gone", "Age in turns at which half of the items are gone", "half are gone\nat age"),
    _Measure("nearly_all_gone", "Age in turns at which 95 % of the items are gone", "95 % are gone\nat age"),
    _Measure(
        "half",
        "Half-life: the first whole age in turns at which the chance to stay in one pass is at most 0.5",
        "chance to stay\nat most 0.5 from age",
    ),
)


def life_lines(policy: Policy) -> list[str]:
    """Return the tables of lives and half-lives after 0 … 6 recalls, and the assumptions under which they hold.

    Raises:
        InvalidInputError: a function of the policy raises, or a score is no number from 0 to 1.
    """
    if not isinstance(policy, StatefulPolicy):
        return ["", *paragraph("No life of one item can be told: the policy decides over all items together.")]
    try:
        lives = {rhythm: _lives(policy, rhythm) for rhythm in _rhythms(policy)}
        by_attributes = _lives_by_attributes(policy)
    except InvalidInputError:
        raise
    except Exception as error:  # a law of a person's own may do anything
        raise InvalidInputError([f"{type(policy).__name__} cannot be played: {in_one_line(error)}"]) from error
    title = "Lives with the defaults, counted in turns from the last use of an item."
    assumptions = _assumptions(policy, lives, bool(by_attributes))
    lines = ["", title, *_tables(policy, lives), "", *assumptions, *by_attributes]
    return [*lines, *_dash_explained(policy)] if any(NOTHING in line for line in lines) else lines


def stateful_clock_text(policy: StatefulPolicy) -> str:
    """Return in words what the policy counts in, and how that relates to turns.

    >>> from vecdecay.policies import ActR, Fsrs6, MemoryDecayCore
    >>> stateful_clock_text(ActR()), stateful_clock_text(Fsrs6(turns_per_day=40.0))
    ('counts in turns', 'counts in days; a day is 40 turns (turns_per_day)')
    >>> stateful_clock_text(MemoryDecayCore())
    'counts in ticks; a tick is 1 turn (ticks_per_turn)'
    """
    unit = policy.time_unit
    if unit == "turn":
        return "counts in turns"
    turns = policy.turns_per_unit()
    known = [name for name in (f"turns_per_{unit}", f"{unit}s_per_turn") if name in policy.values()]
    named = f" ({known[0]})" if known else ""
    return f"counts in {unit}s; a {unit} is {turns:g} {'turn' if turns == 1 else 'turns'}{named}"


def ages_after(policy: StatefulPolicy, touches: Sequence[int], item: Attributes = DEFAULT_ATTRIBUTES) -> Ages:
    """Return when an item goes that was registered in the first of these turns, recalled in the others and not evicted.

    >>> from vecdecay.policies import Fsrs6
    >>> ages_after(Fsrs6(), [1, 4, 12, 32])
    Ages(half=9303, gone=957, nearly_all_gone=None)
    """
    if isinstance(policy, HazardPolicy):
        return _ages_at_random(policy, touches, item)
    threshold, found = policy.threshold(), dict[str, int]()
    for age, score in enumerate(_scores(policy, touches, item)):
        if score <= _HALF:
            found.setdefault("half", age)
        if score < threshold:
            found.setdefault("gone", age)
        if len(found) == 2:
            return Ages(found["half"], found["gone"])
    if functions_of(type(policy)).on_turn is not None:
        return Ages(found.get("half"), found.get("gone"))

    def score_at(age: int) -> float:
        return _checked(policy, policy.score(touches, touches[-1] + age, item))

    half = found["half"] if "half" in found else _first_later(lambda age: score_at(age) <= _HALF)
    gone = found["gone"] if "gone" in found else _first_later(lambda age: score_at(age) < threshold)
    return Ages(half, gone)


def _ages_at_random(policy: HazardPolicy, touches: Sequence[int], item: Attributes) -> Ages:
    """Multiply the chances to stay of all passes, from that of the last use on."""
    left, period, found = 1.0, policy.period_turns(), dict[str, int]()
    for age, chance in enumerate(_scores(policy, touches, item)):
        if (touches[-1] + age) % period == 0:
            left *= chance
        for name, holds in (
            ("half", chance <= _HALF),
            ("gone", left <= _HALF),
            ("nearly_all_gone", left <= _NEARLY_ALL),
        ):
            if holds:
                found.setdefault(name, age)
        if len(found) == 3:
            break
    return Ages(found.get("half"), found.get("gone"), found.get("nearly_all_gone"))


def _scores(policy: StatefulPolicy, touches: Sequence[int], item: Attributes) -> Iterator[float]:
    """Yield the scores at ages 0, 1, … SCANNED."""
    session = Session(MAX_SESSION_LENGTH, (FOUNDATIONAL,), (), attributes=(item,))
    engine = StatefulPolicyEngine(policy, session)
    engine.register(0, touches[0])
    for turn in touches[1:]:
        engine.recall(0, turn)
    for age in range(SCANNED + 1):
        yield _checked(policy, engine.retention(0, touches[-1] + age))


def _checked(policy: StatefulPolicy, score: float) -> float:
    # A NaN fails every comparison.
    if not 0.0 <= score <= 1.0:
        raise InvalidInputError(
            [f"{type(policy).__name__}.retention gives {brief(score)}; allowed: a number from 0 to 1"]
        )
    return score


def _first_later(holds: Callable[[int], bool]) -> int | None:
    """Return the first age beyond SCANNED at which something holds that holds ever after, None if there is none."""
    low, high = SCANNED, 2 * SCANNED
    while not holds(high):
        if high >= IMMORTAL:
            return None
        low, high = high, min(2 * high, IMMORTAL)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _rhythms(policy: StatefulPolicy) -> tuple[str, ...]:
    """Return the rhythms; what goes at random has no last moment."""
    return (AT_ONCE, EVERY_TURN) if isinstance(policy, HazardPolicy) else (AT_ONCE, EVERY_TURN, LAST_MOMENT)


def _lives(policy: StatefulPolicy, rhythm: str) -> list[Ages | None]:
    touches = [_FIRST_TURN]
    found: list[Ages | None] = [ages_after(policy, touches)]
    for _ in range(MOST_RECALLS):
        last = found[-1]
        later = None if last is None else _next_touch(policy, rhythm, touches[-1], last.gone)
        if later is None:
            found.append(None)
        else:
            touches.append(later)
            found.append(ages_after(policy, touches))
    return found


def _next_touch(policy: StatefulPolicy, rhythm: str, last: int, life: int | None) -> int | None:
    """Return the turn of the next recall, None where there is none: the item went before it, or never goes."""
    if rhythm == AT_ONCE:
        return last
    if life == 0 and not isinstance(policy, HazardPolicy):
        return None
    if rhythm == EVERY_TURN:
        return last + 1
    return None if life is None else last + life


def _tables(policy: StatefulPolicy, lives: Lives) -> list[str]:
    """Return a table for each measure, or one for all where it makes no difference when the recalls came."""
    measures = _MEASURES_AT_RANDOM if isinstance(policy, HazardPolicy) else _MEASURES
    if _alike(lives):
        columns = {one.heading: _column(lives[AT_ONCE], one.field) for one in measures}
        return ["", *_indented(_by_recalls(columns))]
    lines: list[str] = []
    for one in measures:
        columns = {rhythm: _column(ages, one.field) for rhythm, ages in lives.items()}
        lines += ["", *paragraph(f"{one.sentence}."), "", *_indented(_by_recalls(columns))]
    return lines


def _alike(lives: Lives) -> bool:
    """Tell whether all rhythms give the same; that what never goes has no last moment is no difference."""
    usual = lives[AT_ONCE]
    for every in lives.values():
        known = [ages for ages in every if ages is not None]
        if known != usual[: len(known)] or (len(known) < len(usual) and known[-1].gone is not None):
            return False
    return True


def _column(every: Sequence[Ages | None], field: str) -> list[str]:
    return ["" if ages is None else _text(getattr(ages, field)) for ages in every]


def _by_recalls(columns: dict[str, list[str]]) -> list[str]:
    cells = zip(*columns.values(), strict=True)
    return table(["recalls", *columns], [[str(recalls), *row] for recalls, row in enumerate(cells)])


def _assumptions(policy: StatefulPolicy, lives: Lives, read: bool) -> list[str]:
    """Return under which assumptions the tables hold; ``read`` tells that attributes make a difference."""
    if _alike(lives):
        lines = paragraph(f"The same whether the recalls come {' or '.join(lives)}.")
    else:
        lines = [*paragraph("It depends on when the recalls came:"), *pairs((one, _RHYTHMS[one]) for one in lives)]
    if not policy.turn_invariant:
        lines += paragraph(f"The item was registered in turn {_FIRST_TURN}; another turn may give other lives.")
    if isinstance(policy, HazardPolicy):
        lines += paragraph("Items go at random: these are chances, for items that are there at their last use.")
    if read:
        usual = DEFAULT_ATTRIBUTES
        lines += paragraph(f"The item has the usual attributes: importance {usual.importance}, {usual.category}.")
    if not _alike(lives) and any(None in ages for ages in lives.values()):
        lines += paragraph("No entry: it cannot be recalled so often at such times, for it went before or never goes.")
    return lines


def _dash_explained(policy: StatefulPolicy) -> list[str]:
    by_turn = functions_of(type(policy)).on_turn is not None or isinstance(policy, HazardPolicy)
    return ["", f"A dash stands for {f'not within {SCANNED:,} turns' if by_turn else 'never'}."]


def _lives_by_attributes(policy: StatefulPolicy) -> list[str]:
    """Return a table of lives by importance and category, nothing where these make no difference up to two recalls."""
    for touches, words in (
        ([1], "never recalled"),
        ([1, 2], "recalled once, in the next turn"),
        ([1, 2, 3], "recalled twice, in every turn"),
    ):
        lives = {
            category: tuple(ages_after(policy, touches, Attributes(one, category)) for one in _IMPORTANCES)
            for category in CATEGORIES
        }
        if len({ages for row in lives.values() for ages in row}) > 1:
            what = "age at which half are gone" if isinstance(policy, HazardPolicy) else "turns it lives"
            title = f"By the attributes of an item that was {words}: {what}."
            return ["", *paragraph(title), "", *_indented(_attributes_table(lives))]
    return []


def _attributes_table(lives: dict[str, tuple[Ages, ...]]) -> list[str]:
    """Return one row for all categories that live alike."""
    alike: dict[tuple[Ages, ...], list[str]] = {}
    for category, row in lives.items():
        alike.setdefault(row, []).append(category)
    rows = [
        ["any" if len(alike) == 1 else ", ".join(categories), *(_text(ages.gone) for ages in row)]
        for row, categories in alike.items()
    ]
    return table(["category", *(f"importance\n{importance:g}" for importance in _IMPORTANCES)], rows)


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"  {line}".rstrip() for line in lines]


def _text(age: int | None) -> str:
    return NOTHING if age is None else str(age)
