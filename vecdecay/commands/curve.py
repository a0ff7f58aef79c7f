"""``vecdecay curve SOURCE POLICY``: what every value of one parameter comes to; the answer first, then the figures."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from vecdecay.commands.arguments import parquet_problems
from vecdecay.commands.pictures import sparkline
from vecdecay.commands.screen import Cell, bullets, paragraph, show, show_json, table, width
from vecdecay.commands.sources import typed_source
from vecdecay.commands.typed import typed_policy
from vecdecay.errors import InvalidInputError, each_of
from vecdecay.numerals import NOTHING, count
from vecdecay.parameters import brief
from vecdecay.policies.base import Policy
from vecdecay.policies.ebbinghaus import Ebbinghaus
from vecdecay.run.along import FREE_PARAMETERS
from vecdecay.run.curve import Curve, curve
from vecdecay.store.parquet import write_parquet

_MOST_ROWS = 12
_METRICS = {
    "hit_rate": "hit rate",
    "foundational_recall_rate": "survival of foundational items at the end",
}
_HEADER = ["hit\nrate", "survival\nat the end", "mean\nworking set", "misses per\nsession"]


def curve_command(
    source: str,
    policy: str,
    parameter: str | None,
    values: str | None,
    seeds: str | None,
    threads: int | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Print the curve, and write all of it where a file is named."""
    typed, played, numbers = each_of(
        lambda: typed_source(source, seeds),
        lambda: typed_policy(policy),
        lambda: _numbers(values),
        problems=parquet_problems(output),
    )
    found = curve(typed.source, played, parameter or _free(played), seeds=typed.seeds, values=numbers, threads=threads)
    if output is not None:
        write_parquet(output, found.table)
    if as_json:
        about = {"source": typed.name, "policy": played.name, "parameter": found.parameter, "sessions": found.sessions}
        about |= {"every_value": found.every_value, "includes_to": found.includes_to}
        show_json({**about, "steps": found.table.to_pylist()})
        return
    show(*_lines(found, typed.name), *([f"all {found.table.num_rows:,} rows in {output}"] if output else []))


def _numbers(text: str | None) -> list[float] | None:
    if text is None:
        return None
    try:
        return [float(one) for one in text.split(",")]
    except ValueError:
        raise InvalidInputError([f"--values is {brief(text)}; allowed: numbers with commas, such as 5,15,50"]) from None


def _free(policy: Policy) -> str:
    """Return the parameter that sets how much the policy holds."""
    known = policy.values()
    name = next((one for one in FREE_PARAMETERS if one in known), None)
    if name is None:
        raise InvalidInputError([f"{policy.name} has no usual parameter for a curve; name one with --parameter"])
    return name


def _lines(found: Curve, source: str) -> Iterator[str]:
    rows = found.table.to_pylist()
    how = "every value in one pass" if found.every_value else "the values given, each played"
    yield from paragraph(
        f"{source}, {count(found.sessions, 'session')}; {found.policy.name}.{found.parameter}, {how}: "
        f"{count(len(rows), 'step' if found.every_value else 'value')}"
    )
    yield ""
    yield from bullets(sentences(found))
    yield ""
    for name in ("hit_rate", "mean_working_set"):
        drawn = np.array([np.nan if row[name] is None else row[name] for row in rows], dtype=np.float64)
        scale = 1.0 if name == "hit_rate" else max(1e-300, float(np.nanmax(drawn, initial=0.0)))
        label = f"{name.replace('_', ' '):<17}"
        yield label + sparkline(drawn / scale, min(60, width() - len(label)))
    yield ""
    yield from table([found.parameter, *_HEADER], [_row(found, row) for row in _chosen(rows)])
    if found.every_value:
        yield ""
        side = "up to and including" if found.includes_to else "from"
        left_out = len(rows) - min(len(rows), _MOST_ROWS)
        more = f"; {left_out:,} steps between these are not shown, --output writes all" if left_out else ""
        yield from paragraph(f"a row holds for the values {side} that which stands in it, as far as the next{more}")


def sentences(found: Curve) -> Iterator[str]:
    """Yield where the hit rate and the survival are highest, and where they are lowest."""
    rows = found.table.to_pylist()
    for name, words in _METRICS.items():
        known = [row for row in rows if row[name] is not None]
        if not known:
            yield f"no session recalls anything, so there is no {words}"
            continue
        highest, lowest = (pick(row[name] for row in known) for pick in (max, min))
        if highest == lowest:
            yield f"the {words} is {highest:.3f} for every value"
            continue
        yield (
            f"the {words} is {_share(highest)} for {_where(found, rows, name, highest)}, "
            f"{_share(lowest)} for {_where(found, rows, name, lowest)}"
        )
    if isinstance(found.policy, Ebbinghaus) and found.parameter == "eviction_threshold":
        yield (
            "threshold and baseline stability are one knob here: an item without recalls outlives its last touch by "
            "stability × ln(1 / threshold) turns"
        )


def _share(value: float) -> str:
    """Return a share that is 1.000 or 0.000 only where it is exactly that.

    >>> _share(0.99999), _share(1.0), _share(0.00001)
    ('0.999', '1.000', '0.001')
    """
    return f"{value:.3f}" if value in (0.0, 1.0) else f"{min(max(value, 0.001), 0.999):.3f}"


def _where(found: Curve, rows: Sequence[dict[str, Any]], name: str, value: float) -> str:
    """Return for which values of the parameter a metric has a value, in words."""
    places = [place for place, row in enumerate(rows) if row[name] == value]
    first, last = places[0], places[-1]
    if not found.every_value:
        return ", ".join(f"{rows[place]['from']:.6g}" for place in places[:6])
    gaps = last - first + 1 > len(places)
    low, high = rows[first]["from"], rows[last]["to"]
    ends = ("above" if found.includes_to else "from", "up to" if found.includes_to else "below")
    if first == 0:
        text = f"values {ends[1]} {high:.6g}"
    elif last == len(rows) - 1:
        text = f"values {ends[0]} {low:.6g}"
    else:
        text = f"values {ends[0]} {low:.6g} {ends[1]} {high:.6g}"
    return f"some {text}" if gaps else text


def _chosen(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the first row, the last, and those between that are evenly apart in what is held."""
    if len(rows) <= _MOST_ROWS:
        return list(rows)
    held = np.array([row["mean_working_set"] for row in rows])
    wanted = np.linspace(held[0], held[-1], _MOST_ROWS)
    places = {0, len(rows) - 1, *(int(np.abs(held - one).argmin()) for one in wanted)}
    return [rows[place] for place in sorted(places)]


def _row(found: Curve, row: dict[str, Any]) -> list[Cell]:
    value = f"{row['to'] if found.includes_to else row['from']:.6g}"
    ends = found.table["to" if found.includes_to else "from"]
    if found.every_value and found.includes_to and row["to"] == ends[-1].as_py():
        value = f"> {row['from']:.6g}"
    elif found.every_value and not found.includes_to and row["from"] == ends[0].as_py():
        value = f"< {row['to']:.6g}"
    rate = NOTHING if row["hit_rate"] is None else _share(row["hit_rate"])
    misses = row["misses"] / found.sessions
    survival = _share(row["foundational_recall_rate"])
    return [value, rate, survival, f"{row['mean_working_set']:.2f}", f"{misses:.2f}"]
