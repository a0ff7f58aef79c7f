"""``vecdecay sensitivity SOURCE``: which parameters matter, for the hit rate and for what is held."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from vecdecay.commands.arguments import parquet_problems
from vecdecay.commands.screen import Cell, bullets, paragraph, show, show_json, table
from vecdecay.commands.sources import typed_source
from vecdecay.commands.typed import typed_policy
from vecdecay.errors import InvalidInputError, each_of
from vecdecay.numerals import count, plain, ranged, short
from vecdecay.parameters import brief
from vecdecay.run.knobs import Knob
from vecdecay.run.sensitivity import Sensitivity, sensitivity
from vecdecay.store.parquet import write_parquet

_MEASURES = {"hit_rate": "hit rate", "mean_working_set": "items held per turn"}
_MAIN = {"morris": "effect", "sobol": "total"}
_MATTERS = 0.05
_HEADERS = {
    "morris": ["parameter", "from", "to", "effect (95 %)", "spread"],
    "sobol": ["parameter", "from", "to", "alone (95 %)", "total (95 %)"],
}
_CAPTIONS = {
    "morris": (
        "effect: mean change over the range, up or down, from steps through two thirds of it; spread: standard "
        "deviation of the changes, large where they hang on other parameters or on where the step begins"
    ),
    "sobol": (
        "alone: share of the variance that is the parameter's own; total: with all that it has a part in; what total "
        "has more than alone is owed to parameters together"
    ),
}


def sensitivity_command(
    source: str,
    policy: str,
    method: str,
    vary: Sequence[str],
    samples: int | None,
    seeds: str | None,
    threads: int | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Print what matters, and write all indices where a file is named."""
    typed, played, ranges = each_of(
        lambda: typed_source(source, seeds),
        lambda: typed_policy(policy),
        lambda: _ranges(vary),
        problems=parquet_problems(output),
    )
    found = sensitivity(
        typed.source, played, vary=ranges, method=method, samples=samples, seeds=typed.seeds, threads=threads
    )
    if output is not None:
        write_parquet(output, found.table)
    if as_json:
        show_json(_as_data(typed.name, found))
    else:
        show(*_lines(typed.name, found), *(["", f"all indices are in {output}"] if output is not None else []))


def _ranges(texts: Sequence[str]) -> dict[str, tuple[float, float]] | None:
    """Return the ranges of texts such as ``eviction_threshold=0.1:0.5``, None where there are none.

    >>> _ranges(["window_size=5:50"])
    {'window_size': (5.0, 50.0)}
    """
    found: dict[str, tuple[float, float]] = {}
    problems = []
    for text in texts:
        name, _, ends = text.partition("=")
        try:
            low, high = map(float, ends.split(":"))
        except ValueError:
            problems.append(f"--vary is {brief(text)}; allowed: a parameter and its range, such as window_size=5:50")
            continue
        if name.strip() in found:
            problems.append(f"--vary names {name.strip()} again; allowed: each once")
        found[name.strip()] = low, high
    if problems:
        raise InvalidInputError(problems)
    return found or None


def _lines(name: str, found: Sensitivity) -> list[str]:
    rows = found.table.to_pylist()
    number = count(found.table.num_rows // len(_MEASURES), "parameter")
    sessions = count(found.sessions, "session")
    lines = paragraph(
        f"{name}, {sessions} at each of {found.points:,} points; {found.policy}, {found.method}: {number}"
    )
    lines += ["", *bullets(answers(found))]
    for measure, title in _MEASURES.items():
        own = sorted(
            (one for one in rows if one["measure"] == measure), key=lambda one: -(one[_MAIN[found.method]] or 0.0)
        )
        lines += ["", title, *table(_HEADERS[found.method], [_row(one, found.method) for one in own])]
    fixed = f"; not varied: {', '.join(found.fixed)}" if found.fixed else ""
    return [*lines, "", *paragraph(f"{_CAPTIONS[found.method]}; intervals by bootstrap{fixed}")]


def answers(found: Sensitivity) -> Iterator[str]:
    """Yield what matters, a sentence each: per measure, per pair that acts together, per pair that is one knob."""
    main = _MAIN[found.method]
    for measure, title in _MEASURES.items():
        own = [one for one in found.table.to_pylist() if one["measure"] == measure]
        moved = sorted((one for one in own if one[main]), key=lambda one: -one[main])
        if not moved:
            yield f"{title}: nothing in these ranges moves it"
            continue
        listed = [one["parameter"] for one in moved if one[main] >= _MATTERS * moved[0][main]]
        still = [one["parameter"] for one in own if not one[main]]
        least = f"; {', '.join(still)} {'does' if len(still) == 1 else 'do'} not move it" if still else ""
        then = f", then {', '.join(listed[1:])}" if listed[1:] else ""
        yield f"{title}: {listed[0]} moves it most{then}{least}"
    for one in found.pairs.to_pylist():
        if one["together_low"] is not None and one["together_low"] > 0 and one["together"] > _MATTERS:
            share = f"{one['together']:.0%} of the variance of the {_MEASURES[one['measure']]}"
            yield f"{one['first']} and {one['second']} act together: {share} is owed to both at once"
    yield from map(_knob, found.knobs)


def _knob(one: Knob) -> str:
    both = [" and ".join(f"{value:.4g}" for value in values) for values in (one.values, one.other_values)]
    only = f", only {one.formula} counts" if one.formula else ""
    return (
        f"{one.first} and {one.second} are one knob: {both[0]} give every item the life that {both[1]} give{only}; "
        "so a strong interaction of the two says nothing, and one of them can stay as it is"
    )


def _row(one: dict[str, Any], method: str) -> list[Cell]:
    head: list[Cell] = [one["parameter"], plain(one["from"]), plain(one["to"])]
    if method == "morris":
        return [*head, _estimate(one, "effect"), short(one["spread"])]
    return [*head, _estimate(one, "alone"), _estimate(one, "total")]


def _estimate(one: dict[str, Any], name: str) -> Cell:
    return ranged(one[name], one[f"{name}_low"], one[f"{name}_high"])


def _as_data(name: str, found: Sensitivity) -> dict[str, Any]:
    return {
        "source": name,
        "sessions": found.sessions,
        "policy": found.policy,
        "method": found.method,
        "points": found.points,
        "indices": found.table.to_pylist(),
        "pairs": found.pairs.to_pylist(),
        "knobs": [one._asdict() for one in found.knobs],
        "fixed": list(found.fixed),
    }
