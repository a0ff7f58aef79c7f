"""``vecdecay compare SOURCE POLICY …``: policies at equal cost, the answer first, then the figures."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from vecdecay.commands.compare_runs import compare_runs_command
from vecdecay.commands.pictures import bars
from vecdecay.commands.replay import USUAL_POLICIES
from vecdecay.commands.screen import Cell, bullets, paragraph, show, show_json, table
from vecdecay.commands.sources import TypedSource, typed_source
from vecdecay.commands.typed import typed_policy
from vecdecay.errors import each_of
from vecdecay.numerals import NOTHING, count, ranged, short
from vecdecay.policies.base import Policy
from vecdecay.run.compare import HIT_RATE, Comparison, compare

_HEADER = ["policy", "set to", "hit rate\n(95 %)", "mean\nworking set", "share of\nthe best"]
_CAPTION = (
    "two values are neighbouring settings, mixed so that the target is met; hit rate: hits per recall, all sessions "
    "together; share of the best: hits, of the most that any policy could have with so much held, even if it knew the "
    "future"
)


def asked_for(source: str, policies: Sequence[str], seeds: str | None) -> tuple[TypedSource, list[Policy]]:
    """Return what was typed; the policies of a sweep, or the usual ones, where none are.

    Raises:
        InvalidInputError: one line per mistake in any of it.
    """
    typed, *given = each_of(partial(typed_source, source, seeds), *(partial(typed_policy, one) for one in policies))
    return typed, given or list(typed.policies) or [typed_policy(one) for one in USUAL_POLICIES]


def compare_command(
    source: str,
    policies: Sequence[str],
    at: str | None,
    at_hit_rate: float | None,
    seeds: str | None,
    threads: int | None,
    as_json: bool,
) -> None:
    """Print how the policies differ at the target; or how two runs differ, where the source is a folder."""
    if Path(source).is_dir():
        options = {"--at": at, "--at-hit-rate": at_hit_rate, "--seeds": seeds, "--threads": threads}
        compare_runs_command(source, policies, [name for name, value in options.items() if value is not None], as_json)
        return
    typed, played = asked_for(source, policies, seeds)
    found = compare(typed.source, played, at=at, at_hit_rate=at_hit_rate, seeds=typed.seeds, threads=threads)
    if as_json:
        data: dict[str, Any] = {"source": typed.name, "sessions": found.sessions, "target": str(found.target)}
        data |= {"policies": found.table.to_pylist(), "differences": found.differences.to_pylist()}
        show_json(data)
        return
    show(*paragraph(f"{typed.name}, {count(found.sessions, 'session')}; each policy set to {found.target}"), "")
    rows = found.table.to_pylist()
    drawn = ("mean_size", "items held") if found.target.of == HIT_RATE else ("hit_rate", "hit rate")
    show(
        *bullets(answers(found)),
        "",
        *table(_HEADER, [_row(one) for one in rows]),
        "",
        *_bars(rows, *drawn),
        "",
        *paragraph(f"{_settings(rows)}{_CAPTION}"),
    )


def answers(found: Comparison) -> list[str]:
    """Return what the differences say, a sentence per pair, and what cannot be compared."""
    at_rate = found.target.of == HIT_RATE
    pairs = found.differences.to_pylist()
    rows = {row["policy"]: row for row in found.table.to_pylist()}
    lines = [_difference(one, found, at_rate) for one in pairs]
    for name, row in rows.items():
        if not row["reached"]:
            has = f"a hit rate of {row['hit_rate']:.3f}" if at_rate else f"{row['mean_size']:.2f} {found.target.size}"
            lines.append(f"{name} cannot be set to {found.target}: {has} is as near as it comes; it is not compared")
    return lines


def _difference(one: dict[str, Any], found: Comparison, at_rate: bool) -> str:
    digits, verb = (2, "hold") if at_rate else (3, "hit")
    first, second, value, low, high = (one[name] for name in ("first", "second", "difference", "low", "high"))
    if low is None:
        return f"{first} and {second}: one session says nothing about a difference ({value:+.{digits}f})"
    if not one["differs"]:
        interval = f"{low:+.{digits}f} to {high:+.{digits}f}"
        return f"{first} and {second}: no difference that these sessions show ({interval})"
    if value < 0:
        first, second, value, low, high = second, first, -value, -high, -low
    what = f" {found.target.size}" if at_rate else " of the recalls"
    return f"{first} {verb}s {value:.{digits}f}{what} more than {second} ({low:.{digits}f} to {high:.{digits}f})"


def _row(one: dict[str, Any]) -> list[Cell]:
    rate = ranged(one["hit_rate"], one["hit_rate_low"], one["hit_rate_high"])
    return [one["policy"], setting_of(one), rate, short(one["mean_size"], 2), short(one["share_of_best"])]


def setting_of(one: dict[str, Any]) -> str:
    """Return the setting of a policy; where it is mixed of two, both and the share of the second."""
    if one["parameter"] is None:
        return NOTHING
    if one["low"] == one["high"]:
        return f"{one['low']:.12g}"
    return f"{one['low']:.12g} / {one['high']:.12g} ({one['share_of_high']:.0%})"


def _bars(rows: Sequence[dict[str, Any]], column: str, title: str) -> list[str]:
    """Return a bar per policy: of its hit rate, or of what it holds as a share of the most."""
    values = {one["policy"]: one[column] for one in rows}
    most = max((value for value in values.values() if value is not None), default=0.0) or 1.0
    return [f"{title}:", *bars(values, 1.0 if column == "hit_rate" else most)]


def _settings(rows: Sequence[dict[str, Any]]) -> str:
    named = ", ".join(f"{one['policy']} by {one['parameter']}" for one in rows if one["parameter"] is not None)
    return f"set: {named}; " if named else ""
