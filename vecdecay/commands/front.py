"""``vecdecay front SOURCE``: which policy leads where, from the cheapest setting to the one that hits all."""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from vecdecay.commands.compare import asked_for
from vecdecay.commands.screen import Cell, bullets, paragraph, show, show_json, table
from vecdecay.numerals import NOTHING, count, plain, short
from vecdecay.run.front import Front, front
from vecdecay.store.parquet import write_parquet

MOST_NAMED = 6

_CAPTION = (
    "each row is a stretch of neighbouring settings that none dominates, cheapest first; share of the best: hits, of "
    "the most that any policy could have with so much held, even if it knew the future"
)


def front_command(
    source: str,
    policies: Sequence[str],
    size: str,
    seeds: str | None,
    threads: int | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Print which policies are on the front and where, and write all settings."""
    typed, given = asked_for(source, policies, seeds)
    chosen = given if policies or typed.policies else None
    found = front(typed.source, chosen, size=size, seeds=typed.seeds, threads=threads)
    if output is not None:
        write_parquet(output, found.table)
    rows = found.efficient.to_pylist()
    if as_json:
        show_json({"source": typed.name, "sessions": found.sessions, "front": rows})
        return
    settings = count(found.table.num_rows, "setting")
    opening = f"{typed.name}, {count(found.sessions, 'session')}; {settings}, {len(rows)} on the front"
    show(*paragraph(opening), "")
    show(*bullets(answers(found, rows)))
    header = ["policy", "set to", "hit rate", f"{size} held", "share of\nthe best"]
    stretches = [list(group) for _, group in groupby(rows, key=lambda row: row["policy"])]
    show("", *table(header, [_row(one) for one in stretches]), "", *paragraph(_CAPTION))
    if output is not None:
        show("", f"all settings are in {output}")


def answers(found: Front, rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return a sentence on each policy of the front, most settings first, and one on those that are not on it."""
    on_it: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        on_it.setdefault(row["policy"], []).append(row)
    lines = []
    for name, own in sorted(on_it.items(), key=lambda each: -len(each[1])):
        first, last = (short(own[place]["hit_rate"]) for place in (0, -1))
        rates = f"hit rates from {first} to {last}" if len(own) > 1 else f"hit rate {first}"
        lines.append(f"{name} is on the front with {count(len(own), 'setting')}, {rates}")
    never = [name for name in dict.fromkeys(found.table["policy"].to_pylist()) if name not in on_it]
    if never:
        more = f" and {len(never) - MOST_NAMED} more" if len(never) > MOST_NAMED else ""
        lines.append(f"another policy is always as good or better than {', '.join(never[:MOST_NAMED])}{more}")
    return lines


def _row(stretch: Sequence[dict[str, Any]]) -> list[Cell]:
    first, last = stretch[0], stretch[-1]

    def span(texts: Sequence[str]) -> str:
        return texts[0] if texts[0] == texts[1] else f"{texts[0]} to {texts[1]}"

    ends = (first, last)
    rates, shares = ([short(one[name]) for one in ends] for name in ("hit_rate", "share_of_best"))
    values = [NOTHING if one["value"] is None else plain(one["value"]) for one in ends]
    sizes = [f"{one['mean_size']:.2f}" for one in ends]
    return [first["policy"], span(values), span(rates), span(sizes), span(shares)]
