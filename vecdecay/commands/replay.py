"""``vecdecay replay TRACE``: from a log to a screen: what is in it, then the policies side by side."""

import dataclasses
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from vecdecay.analysis.cell import MetricSummary
from vecdecay.commands.screen import Cell, pairs, paragraph, show, show_json, table
from vecdecay.commands.typed import typed_policy
from vecdecay.errors import InvalidInputError, each_of
from vecdecay.numerals import count, ranged, short
from vecdecay.parameters import brief, printable
from vecdecay.run.bounds import bounds
from vecdecay.run.lost import Lost, lost_most
from vecdecay.run.simulate import SimulationResult, simulate
from vecdecay.sessions.sample import trace_path
from vecdecay.sessions.trace import Trace
from vecdecay.threads import available_processors

USUAL_POLICIES = ("ebbinghaus", "recency_window", "keep_all")

_SHOWN = {
    "hit_rate": "hit rate\n(95 %)",
    "misses": "misses per\nsession",
    "mean_working_set": "working\nset",
    "footprint_reduction": "footprint\nreduction",
}
_TOKENS = {"mean_working_set_tokens": "tokens\nheld"}
_SUMMED = ("recalls", "misses", "working_set_sum")
_CAPTION = (
    "hit rate: share of the recalls that found their item, averaged over the sessions that recall something; working "
    "set: items after the pass of a turn, on average, as the tokens held; share of the best: hits, of the most that "
    "any policy could have with so many items held, even if it knew the future"
)
_LONGEST_NAME = 24


def mapping_of(texts: Sequence[str]) -> dict[str, str]:
    """Return which column is what, of texts such as ``item=file_path``.

    Raises:
        InvalidInputError: one line per text that is none, or that maps again.

    >>> mapping_of(["item=file_path"])
    {'item': 'file_path'}
    """
    found: dict[str, str] = {}
    problems = []
    for text in texts:
        role, equals, column = (part.strip() for part in text.partition("="))
        if not (role and equals and column):
            problems.append(f"--map is {brief(text)}; allowed: what it is and its column, such as item=file_path")
        elif role in found:
            problems.append(f"--map names {role} again; allowed: each once")
        found[role] = column
    if problems:
        raise InvalidInputError(problems)
    return found


def replay_command(
    path: Path,
    policies: Sequence[str],
    mapping: Sequence[str],
    rules: Mapping[str, Any],
    output: Path | None,
    as_json: bool,
) -> None:
    """Print what is in a trace and what each policy makes of it; ``rules`` are the other arguments of ``Trace.read``.

    Raises InvalidInputError, a line per mistake, for a log that cannot be read and for policies that are none.
    """
    result = played_trace(path, policies, mapping, rules, "sessions" if output is None else "misses")
    trace = result.plan.spec.workload
    assert isinstance(trace, Trace)
    lost = lost_most(result.plan.spec, trace, available_processors())
    if as_json:
        show_json(_as_data(trace, result, lost))
    else:
        show(str(path), *(line for text in trace.summarise().lines() for line in paragraph(text, "  ", "    ")), "")
        show(*_side_by_side(result), "", *paragraph(_CAPTION))
        show("", *paragraph("misses of what a policy had evicted itself, and where it has most of them:"))
        show(*pairs((one.policy, _where_lost(one)) for one in lost))
    if output is not None:
        named = {name: getattr(result, name) for name in ("sessions", "misses")}
        tables = {"cells": result.cells, **{name: trace.with_names(one) for name, one in named.items()}}
        SimulationResult(result.plan, result.results, tables).write(output)


def played_trace(
    path: Path,
    policies: Sequence[str],
    mapping: Sequence[str],
    rules: Mapping[str, Any],
    detail: str = "sessions",
) -> SimulationResult:
    """Read a log and play policies on it, as typed; the usual ones if there is none.

    Raises InvalidInputError as :func:`replay_command` does.
    """
    *played, trace = each_of(
        *(partial(typed_policy, one) for one in policies or USUAL_POLICIES),
        lambda: Trace.read(trace_path(path), columns=mapping_of(mapping), **rules),
    )
    return simulate(trace, played, detail=detail)


def _side_by_side(result: SimulationResult) -> list[str]:
    shown = _SHOWN | (_TOKENS if result.plan.spec.workload.has_token_sizes else {})
    if len(shown) > len(_SHOWN):
        del shown["footprint_reduction"]  # all do not fit on a usual screen
    rows: list[list[Cell]] = [
        [one.label, *(_cell(name, one.summaries[name]) for name in shown), short(share)]
        for one, share in zip(result.results, shares_of_best(result), strict=True)
    ]
    return table(["policy", *shown.values(), "share of\nthe best"], rows)


def shares_of_best(result: SimulationResult) -> list[float | None]:
    """Return the hits of each policy as a share of the most that any could have with so many items held."""
    spec = result.plan.spec
    best = bounds(spec.workload, seeds=spec.seeds)
    sessions: Any = result.sessions
    sums = sessions.group_by("cell", use_threads=False).aggregate([(name, "sum") for name in _SUMMED])
    totals = {row["cell"]: [int(row[f"{name}_sum"]) for name in _SUMMED] for row in sums.to_pylist()}
    return [best.share(totals[one.cell][0] - totals[one.cell][1], totals[one.cell][2]) for one in result.results]


def _cell(name: str, one: MetricSummary) -> Cell:
    if name == "hit_rate":
        return ranged(one.summary.mean, one.low, one.high)
    return short(one.summary.mean, 2 if name in ("misses", "mean_working_set", *_TOKENS) else 3)


def _where_lost(one: Lost) -> str:
    """Return in words what a policy lost most, and where.

    >>> _where_lost(Lost("lru", 9, 4, 12, (("a.py", 3), ("b.py", 1)), (("monday", 4),), ()))
    '4 of 9 misses, half of them at most 12 turns too late; items: a.py 3, b.py 1; sessions: monday 4'
    """
    if one.caused == 0:
        return f"none of {count(one.misses, 'miss', 'misses')}"
    late = f"half of them at most {count(one.median_late or 0, 'turn')} too late"
    parts = {"items": one.items, "sessions": one.sessions, "categories": one.categories}
    where = [
        f"{what}: {', '.join(f'{_short(name)} {number:,}' for name, number in found)}"
        for what, found in parts.items()
        if found
    ]
    return "; ".join([f"{one.caused:,} of {count(one.misses, 'miss', 'misses')}, {late}", *where])


def _short(name: Any) -> str:
    """Return a name of the log, of a long one its end."""
    text = printable(str(name))
    return text if len(text) <= _LONGEST_NAME else f"…{text[1 - _LONGEST_NAME :]}"


def _as_data(trace: Trace, result: SimulationResult, lost: Sequence[Lost]) -> dict[str, Any]:
    return {
        "trace": trace.where,
        "summary": dataclasses.asdict(trace.summarise()),
        "policies": [
            {
                "policy": one.label,
                "share_of_best": share,
                **{
                    name: {"mean": summary.summary.mean, "low": summary.low, "high": summary.high}
                    for name, summary in ((name, one.summaries[name]) for name in (*_SHOWN, *_TOKENS))
                },
                "lost_most": {key: value for key, value in dataclasses.asdict(what).items() if key != "policy"},
            }
            for one, what, share in zip(result.results, lost, shares_of_best(result), strict=True)
        ],
    }
