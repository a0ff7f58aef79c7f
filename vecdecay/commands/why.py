"""``vecdecay why SOURCE``: the life of one item under some policies, the recalls that failed, and what saves them."""

import dataclasses
from collections.abc import Iterator, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from vecdecay.commands.screen import Cell, bullets, paragraph, show, show_json, table
from vecdecay.commands.show import USUAL_POLICIES
from vecdecay.commands.sources import typed_source
from vecdecay.commands.typed import text_of_policy, typed_policy
from vecdecay.engines.life import EVICTED, FORGOTTEN, MISSED, RECALLED, REGISTERED, Life, Moment
from vecdecay.errors import InvalidInputError, each_of
from vecdecay.numerals import NOTHING, count, plain, short
from vecdecay.parameters import printable
from vecdecay.policies.base import Policy
from vecdecay.run.open_run import open_run
from vecdecay.run.why import Saving, Why, explained
from vecdecay.sessions.source import Source

_MOST_ROWS = 24
_HEADER = ["turn", "what happened", "age", "retention", "stability"]
_WHAT = {MISSED: "recall failed", FORGOTTEN: "forgotten", REGISTERED: "registered", RECALLED: "recalled"}
_CAPTION = (
    "age: turns since the last touch; retention: the lowest before any pass since the row above, that of the eviction "
    "included; stability in turns, after what happened"
)


def why_command(source: str, session: str, item: str, policies: Sequence[str], cell: int | None, as_json: bool) -> None:
    """Print the life of one item under each policy."""
    named = (partial(typed_policy, one) for one in policies)
    (played, own), *chosen = each_of(partial(_source, source, cell), *named)
    found = [explained(played, policy, session, item) for policy in chosen or own]
    if as_json:
        show_json([_data(source, one) for one in found])
        return
    for place, one in enumerate(found):
        show(*([""] if place else _opening(source, one)), *_lines(one))
    show("", *paragraph(_CAPTION))


def _source(text: str, cell: int | None) -> tuple[Source, list[Policy]]:
    """Return a source and the policies that it names: of a run those of a cell, or of all cells of the first point."""
    if not Path(text).is_dir():
        if cell is not None:
            raise InvalidInputError([f"--cell: {printable(text)} is no folder of a run, which alone has cells"])
        typed = typed_source(text)
        return typed.source, list(typed.policies) or [typed_policy(one) for one in USUAL_POLICIES]
    plan = open_run(text).plan
    if cell is not None and not 0 <= cell < plan.num_cells:
        raise InvalidInputError([f"--cell is {cell}; allowed: 0 to {plan.num_cells - 1}"])
    cells = [plan.cell(number) for number in (range(plan.num_policies) if cell is None else [cell])]
    return cells[0].workload, [one.policy for one in cells]


def _opening(source: str, one: Why) -> list[str]:
    about = [one.kind, f"category {one.attributes.category}", f"importance {plain(one.attributes.importance)}"]
    about += ["pinned"] if one.attributes.pinned else []
    place = f"{printable(source)}, session {printable(str(one.session))}, item {printable(str(one.item))}"
    return [*paragraph(f"{place}: {', '.join(about)}; the session has {count(one.session_length, 'turn')}"), ""]


def _lines(one: Why) -> list[str]:
    lines = paragraph(text_of_policy(one.policy))
    rows = list(_rows(one))
    if not rows:
        return [*lines, *paragraph("nothing ever happens to it")]
    lines += table(_HEADER, rows[:_MOST_ROWS])
    if len(rows) > _MOST_ROWS:
        lines += paragraph(f"… {count(len(rows) - _MOST_ROWS, 'more row')}; --json has all")
    return [*lines, "", *bullets(_sentences(one))]


def _rows(one: Why) -> Iterator[list[Cell]]:
    """Yield a row per event, recalls that follow each other and hit, or miss, in one."""
    for alike in _alike(one.life.moments):
        first, last = alike[0], alike[-1]
        turn = _range(first.turn, last.turn)
        what = f"evicted ({first.reason})" if first.what == EVICTED else _WHAT[first.what]
        what += f" {len(alike)} times" if len(alike) > 1 else ""
        yield [turn, what, *_ages(one.life, first, last), short(last.stability, 2)]


def _range(least: int, most: int) -> str:
    return f"{least:,}" if least == most else f"{least:,}–{most:,}"


def _alike(moments: Sequence[Moment]) -> Iterator[list[Moment]]:
    several: list[Moment] = []
    for one in moments:
        if several and not (one.what == several[-1].what and one.what in (RECALLED, MISSED)):
            yield several
            several = []
        several.append(one)
    if several:
        yield several


def _ages(life: Life, first: Moment, last: Moment) -> tuple[str, str]:
    """Return the longest age of touches that follow each other, and the lowest score since the one before.

    What misses touches nothing: its age goes on from the last touch, and there is no score.
    """
    before = [one.turn for one in life.moments if one.what in (REGISTERED, RECALLED) and one.turn < first.turn]
    if first.what == REGISTERED or not before:
        return NOTHING, NOTHING
    if first.what == MISSED:
        return _range(first.turn - before[-1], last.turn - before[-1]), NOTHING
    met = [before[-1], *sorted({one.turn for one in life.moments if first.turn <= one.turn <= last.turn})]
    end = last.turn if last.what == EVICTED else last.turn - 1
    scores = [score for turn, score in zip(life.turns, life.before, strict=False) if before[-1] <= turn <= end]
    longest = max(there - here for here, there in pairwise(met))
    return f"{longest:,}", f"{min(scores):.4f}" if scores else NOTHING


def _sentences(one: Why) -> Iterator[str]:
    failed = len(one.failed)
    if failed == 0:
        yield "every recall found it" if any(what == RECALLED for _, what in one.life.marks) else "nothing recalls it"
        return
    times = f"of {count(failed + sum(what == RECALLED for _, what in one.life.marks), 'recall')}"
    late = [each.turns_late for each in one.failed if each.turns_late is not None]
    yield f"{failed:,} {times} failed" + (f", {_range(min(late), max(late))} turns too late" if late else "")
    if one.unavoidable:
        yield f"{one.unavoidable:,} of these fail under every policy: the item was not registered, forgotten or expired"
    for saving in one.savings:
        yield _saved(saving, one.policy, failed)
    if failed > one.unavoidable and not one.savings:
        yield "no value of a threshold, a window or a capacity alone would have saved one, as far as this can tell"


def _saved(saving: Saving, policy: Policy, failed: int) -> str:
    """Return in words which values of a parameter save recalls."""
    now = policy.values()[saving.parameter]
    to = (
        f"up to {_inside(saving.most, ROUND_FLOOR)}"
        if saving.most < now
        else f"from {_inside(saving.least, ROUND_CEILING)}"
    )
    whole = "all of them hit" if saving.failed == 0 else f"{count(failed - saving.failed, 'more hits', 'more hit')}"
    found = "" if saving.exact else " (found by playing values)"
    return f"{whole} with {saving.parameter} {to}, all else equal; it is {plain(now)}{found}"


def _inside(value: float, rounding: str) -> str:
    """Return six digits of an end of a range, rounded into it.

    >>> _inside(0.03421811831, ROUND_FLOOR), _inside(39.0, ROUND_CEILING)
    ('0.0342181', '39')
    """
    return f"{Context(prec=6, rounding=rounding).create_decimal_from_float(value).normalize():f}"


def _data(source: str, one: Why) -> dict[str, Any]:
    life: dict[str, Any] = {"moments": [each._asdict() for each in one.life.moments]}
    life |= {"turns": one.life.turns, "retention_before": one.life.before}
    return {
        "source": source,
        **{name: getattr(one, name) for name in ("session", "item", "kind", "session_length", "unavoidable")},
        **one.attributes._asdict(),
        "policy": one.policy.name,
        "parameters": one.policy.values(),
        "life": life,
        "failed": [{**dataclasses.asdict(each), "turns_late": each.turns_late} for each in one.failed],
        "savings": [dataclasses.asdict(each) for each in one.savings],
    }
