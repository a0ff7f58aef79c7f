"""What ``vecdecay explain`` shows of the lives of items under a policy, whatever its kind."""

from collections.abc import Callable, Sequence

from vecdecay.commands.screen import pairs, paragraph, table
from vecdecay.engines.lives import (
    AT_ONCE,
    EVERY_TURN,
    FIRST_TURN,
    LAST_MOMENT,
    MOST_RECALLS,
    SCANNED,
    Ages,
    Known,
    ages_after,
    lives,
    rhythms,
    score_at,
)
from vecdecay.engines.reference import engine_for
from vecdecay.engines.stateful_check import stateful_problems
from vecdecay.engines.table_check import table_problems
from vecdecay.errors import InvalidInputError, in_one_line
from vecdecay.items import CATEGORIES, DEFAULT_ATTRIBUTES, Attributes
from vecdecay.numerals import NOTHING, plain
from vecdecay.policies import POLICIES
from vecdecay.policies.base import Policy, TablePolicy
from vecdecay.policies.stateful import HazardPolicy, StatefulPolicy, functions_of
from vecdecay.policies.system import SystemPolicy

_RHYTHMS = {
    AT_ONCE: "in the turn of the registration",
    EVERY_TURN: "one in each turn after the registration",
    LAST_MOMENT: "each in the very turn in which the item would go",
}
_UNITS = (1, 7, 30, 90)
_IMPORTANCES = (0.0, 0.5, 1.0)
_INDENT = "  "


def life_lines(policy: Policy) -> list[str]:
    """Return the tables of lives after 0 … 6 recalls, what they assume, and an example, for a policy of any kind.

    Raises:
        InvalidInputError: the policy cannot be played: a function raises, or a score is no number from 0 to 1.
    """
    _refuse_unsound(policy)
    if not isinstance(policy, Known):
        return ["", *paragraph("No life of one item can be stated: the policy decides over all items together.")]
    try:
        read = _by_attributes(policy)
        lines = [*_lives(policy, bool(read)), *_survival(policy), *read, *_example(policy)]
    except (InvalidInputError, KeyboardInterrupt):
        raise
    except BaseException as error:  # a person's own function may do anything
        raise InvalidInputError([f"{type(policy).__name__} cannot be played: {in_one_line(error)}"]) from error
    if any(NOTHING in line.split() for line in lines):
        by_turn = isinstance(policy, StatefulPolicy) and functions_of(type(policy)).on_turn is not None
        scanned = by_turn or isinstance(policy, HazardPolicy)
        lines += ["", f"{NOTHING} stands for {f'not within {SCANNED:,} turns' if scanned else 'never'}."]
    return lines


_REACTIONS = {
    "ignore": "a newer version changes nothing: the older one is found as before",
    "hide": "a newer version hides the older one",
    "delete": "a newer version removes the older one",
    "by_event_time": "of two versions the one that was true earlier is hidden; equal or unknown times hide none",
    "only_item": "a request to forget removes its item and leaves what was derived from it",
    "cascade": "a request to forget removes its item and all that was derived from it",
}


def reaction_facts(policy: Policy) -> list[tuple[str, str]]:
    """Return what the policy does at newer versions and requests to forget, and the parameters that change it."""
    superseded, forgets = policy.reactions()
    return [
        ("newer versions", f"{_REACTIONS.get(superseded, superseded)} (on_superseded)"),
        ("requests", f"{_REACTIONS.get(forgets, forgets)} (on_forget)"),
    ]


def clock_text(policy: Policy) -> str:
    """Return in words what the policy counts in, and how that relates to turns; nothing where it has no clock.

    >>> from vecdecay.policies import ActR, ImportancePrune, MemoryDecayCore
    >>> clock_text(ActR()), clock_text(ImportancePrune(turns_per_day=48.0))
    ('counts in turns', 'counts in hours; an hour is 2 turns (turns_per_day), or what a log records')
    >>> clock_text(MemoryDecayCore())
    'counts in ticks; a tick is 1 turn (ticks_per_turn)'
    """
    if not isinstance(policy, Known | SystemPolicy):
        return ""
    unit = policy.time_unit
    if unit == "turn":
        return "counts in turns"
    names = (f"turns_per_{unit}", f"{unit}s_per_turn", "turns_per_day")
    named = next((f" ({name})" for name in names if name in policy.values()), "")
    article = "an" if unit == "hour" else "a"
    recorded = ", or what a log records" if policy.in_seconds() is not None else ""
    active = f"; only {unit}s with a registration or recall count" if policy.rules().active else ""
    turns = policy.turns_per_unit()
    return f"counts in {unit}s; {article} {unit} is {turns:g} turn{'s' * (turns != 1)}{named}{recorded}{active}"


def _refuse_unsound(policy: Policy) -> None:
    """Refuse a policy of a person's own that could not be played; nothing is compiled for it."""
    problems: list[str] = []
    if type(policy) not in POLICIES and isinstance(policy, TablePolicy):
        problems = table_problems(policy, MOST_RECALLS)
    elif type(policy) not in POLICIES and isinstance(policy, StatefulPolicy):
        problems = stateful_problems(policy, compile_too=False)
    if problems:
        raise InvalidInputError(problems)


def _lives(policy: Known, reads_attributes: bool) -> list[str]:
    found = {rhythm: lives(policy, rhythm) for rhythm in rhythms(policy)}
    alike, random = _alike(found), isinstance(policy, HazardPolicy)
    half = ("half are gone\nat age", "turns") if random else ("half-life", f"{policy.time_unit}s")
    gone = ("95 % are gone\nat age" if random else "evicted\nat age", f"{_age_unit(policy)}s")
    columns: list[tuple[str, str, Callable[[Ages], str]]] = [
        (*half, lambda ages: _number(ages.half, 1.0 if random else _ages_per_unit(policy))),
        (*gone, lambda ages: _number(ages.gone)),
    ]
    lines = ["", *paragraph(f"Lives with the default parameters. {_counted_from(policy)}")]
    if alike:
        usual = found[AT_ONCE]
        shown = {f"{name}\n({unit})": [_text(ages, text) for ages in usual] for name, unit, text in columns}
        lines += ["", *_by_recalls(_stabilities(policy) | shown)]
    for name, unit, text in [] if alike else columns:
        title = f"{' '.join(name.split()).capitalize()}, in {unit}, by when the recalls came:"
        by_rhythm = {rhythm: [_text(ages, text) for ages in every] for rhythm, every in found.items()}
        lines += ["", *paragraph(title), "", *_by_recalls(by_rhythm)]
    assumed = _assumptions(policy, found, alike)
    if reads_attributes:
        item = DEFAULT_ATTRIBUTES
        assumed += paragraph(f"Assumed: importance {item.importance}, category {item.category}.")
    return [*lines, *([""] if assumed else []), *assumed]


def _assumptions(policy: Known, found: dict[str, list[Ages | None]], alike: bool) -> list[str]:
    lines = []
    if not alike:
        lines += [*pairs((one, _RHYTHMS[one]) for one in found)]
    elif len(found) > 1:
        lines += paragraph(f"The same whether the recalls come {' or '.join(found)}.")
    if isinstance(policy, StatefulPolicy) and not policy.turn_invariant:
        lines += paragraph(f"The item was registered in turn {FIRST_TURN}; another turn may give other lives.")
    if isinstance(policy, HazardPolicy):
        lines += paragraph("Items go at random: these are probabilities, for items that are there at their last use.")
    if not alike and any(None in every for every in found.values()):
        lines += paragraph("No entry: it cannot be recalled so often at such times, for it went before or never goes.")
    return lines


def _counted_from(policy: Known) -> str:
    if isinstance(policy, TablePolicy) and not policy.rules().touch_refreshes:
        return "Ages count from the registration: recalls do not refresh an item."
    return "Ages count from the last use of an item."


def _stabilities(policy: Known) -> dict[str, list[str]]:
    """Return a column of stabilities where the policy has any."""
    if not isinstance(policy, TablePolicy):
        return {}
    values = [policy.stability(recalls + 1) for recalls in range(MOST_RECALLS + 1)]
    return {} if None in values else {"stability\n(turns)": [f"{value:.2f}" for value in values]}


def _alike(found: dict[str, list[Ages | None]]) -> bool:
    """Tell whether all rhythms give the same; that what never goes has no last moment is no difference."""
    usual = found[AT_ONCE]
    for every in found.values():
        known = [ages for ages in every if ages is not None]
        if known != usual[: len(known)] or (len(known) < len(usual) and known[-1].gone is not None):
            return False
    return True


def _by_recalls(columns: dict[str, list[str]]) -> list[str]:
    cells = zip(*columns.values(), strict=True)
    return table(["recalls", *columns], [[str(recalls), *row] for recalls, row in enumerate(cells)], _INDENT)


def _survival(policy: Known) -> list[str]:
    """Return the table of retention after 1, 7, 30 and 90 of the policy's own units; nothing of what goes at random."""
    ages = [units * _ages_per_unit(policy) for units in _UNITS]
    if isinstance(policy, HazardPolicy) or (isinstance(policy, StatefulPolicy) and any(age % 1 for age in ages)):
        return []
    rows = []
    for recalls in range(MOST_RECALLS + 1):
        touches = [FIRST_TURN] * (recalls + 1)
        gone = ages_after(policy, touches).gone
        scores = [
            _score(score_at(policy, touches, int(age) if age % 1 == 0 else age), gone is None or int(age) < gone)
            for age in ages
        ]
        rows.append([str(recalls), *scores])
    unit = policy.time_unit
    header = ["recalls", *(f"{units}\n{unit}{'s' * (units > 1)}" for units in _UNITS)]
    recalled = "" if isinstance(policy, TablePolicy) else ", of an item recalled at once"
    title = f"Retention after so long without a touch{recalled}; in brackets where it is due for eviction:"
    return ["", *paragraph(title), "", *table(header, rows, _INDENT)]


def _by_attributes(policy: Known) -> list[str]:
    """Return a table of lives by importance and category; nothing where these make no difference up to two recalls."""
    random = isinstance(policy, HazardPolicy)
    for touches, words in (
        ([1], "never recalled"),
        ([1, 2], "recalled once, in the next turn"),
        ([1, 2, 3], "recalled twice, in every turn"),
    ):
        alike: dict[tuple[float | None, ...], list[str]] = {}
        for category in CATEGORIES:
            ages = [ages_after(policy, touches, Attributes(importance, category)) for importance in _IMPORTANCES]
            alike.setdefault(tuple(one.half if random else one.gone for one in ages), []).append(category)
        if len(alike) == 1 and len(set(next(iter(alike)))) == 1:
            continue
        rows = [
            ["any" if len(alike) == 1 else ", ".join(categories), *map(_number, row)]
            for row, categories in alike.items()
        ]
        what = "half are gone" if random else "it is evicted"
        title = f"By the attributes of an item that was {words}: age at which {what}, in {_age_unit(policy)}s:"
        header = ["category", *(f"importance\n{importance:g}" for importance in _IMPORTANCES)]
        return ["", *paragraph(title), "", *table(header, rows, _INDENT)]
    return []


def _example(policy: Known) -> list[str]:
    """Return the life of one item, as the scalar reference plays it; nothing of what goes at random."""
    if isinstance(policy, HazardPolicy):
        return []
    gone = _evicted_turn(policy, ())
    if gone is None:
        text = f"An item registered in turn {FIRST_TURN} is there in turn {SCANNED:,} and before."
        return ["", *paragraph(f"Example: {text}")]
    end = _evicted_turn(policy, (gone,))
    later = f"after turn {SCANNED:,}, or never," if end is None else f"by the pass of turn {end}"
    rescued = (
        f"A recall in that very turn rescues it, for recalls come before the pass; then it is evicted {later} if it is "
        "not recalled again."
    )
    text = f"An item registered in turn {FIRST_TURN} and never recalled is evicted by the pass of turn {gone}. "
    text += "A recall in that very turn changes nothing." if end == gone else rescued
    return ["", *paragraph(f"Example: {text}")]


def _evicted_turn(policy: Known, recalls: Sequence[int]) -> int | None:
    engine = engine_for(policy)
    engine.register(0, FIRST_TURN)
    for turn in range(FIRST_TURN, SCANNED + 1):
        if turn in recalls:
            engine.recall(0, turn)
        if engine.step(turn):
            return turn
    return None


def _age_unit(policy: Known) -> str:
    """Return the unit of the ages that a policy is asked at: turns, or whole units that it counts itself."""
    whole_units = isinstance(policy, TablePolicy) and policy.rules().unit_turns != 1
    return policy.time_unit if whole_units else "turn"


def _ages_per_unit(policy: Known) -> float:
    """Return by how much an item ages in one of the policy's time units, as its functions count ages."""
    unit_turns = policy.rules().unit_turns if isinstance(policy, TablePolicy) else 1
    return policy.turns_per_unit() / unit_turns


def _text(ages: Ages | None, text: Callable[[Ages], str]) -> str:
    return "" if ages is None else text(ages)


def _number(age: float | None, per_unit: float = 1.0) -> str:
    if age is None:
        return NOTHING
    return plain(age // per_unit) if age % per_unit == 0 else f"{age / per_unit:.2f}"


def _score(score: float, kept: bool) -> str:
    """Return three digits, and never those of 0 or 1 for what is neither; in brackets what is not kept."""
    text = f"{score:.3f}"
    if 0.0 < score < 0.0005:
        text = "<0.001"
    elif 0.9995 <= score < 1.0:
        text = ">0.999"
    return text if kept else f"({text})"
