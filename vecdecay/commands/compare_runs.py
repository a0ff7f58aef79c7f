"""``vecdecay compare RUN_A RUN_B``: what differs between two run folders, and in what came of them."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from vecdecay.analysis.difference import Difference, signed
from vecdecay.commands.screen import Cell, pairs, paragraph, show, show_json, table
from vecdecay.errors import InvalidInputError, VecdecayError
from vecdecay.numerals import NOTHING, count, short
from vecdecay.run.compare_runs import RunComparison, compare_runs
from vecdecay.run.open_run import Run, open_run

_MOST_ROWS = 40
_HEADER = ["metric", "first", "second", "difference\n(95 %)"]


def compare_runs_command(first: str, others: Sequence[str], options: Sequence[str], as_json: bool) -> None:
    """Print what differs between two runs."""
    problems = [f"{name}: says nothing of two runs, which are compared as they were played" for name in options]
    if len(others) != 1:
        given = f"{count(len(others), 'more argument')} given" if others else "only one run is given"
        problems.append(f"{given}; allowed: the folders of two runs")
    runs: list[Run] = []
    for folder in (first, *others[:1]):
        try:
            runs.append(open_run(folder))
        except InvalidInputError as error:
            problems += error.problems
        except (VecdecayError, OSError) as error:
            problems.append(str(error))
    if problems:
        raise InvalidInputError(problems)
    found = compare_runs(*runs)
    if as_json:
        data: dict[str, Any] = {"first": first, "second": others[0], "unpaired": found.unpaired}
        data |= {name: getattr(found, name).to_pylist() for name in ("parameters", "one_sided", "metrics")}
        show_json(data)
        return
    show(*_lines(found, first, others[0]))


def _lines(found: RunComparison, first: str, second: str) -> list[str]:
    lines = [*pairs([("first", first), ("second", second)], ""), ""]
    parameters = found.parameters.to_pylist()
    told = [(one["parameter"], f"{one['first'] or NOTHING} / {one['second'] or NOTHING}") for one in parameters]
    lines += paragraph("settings that differ, first / second:" if told else "all settings are the same")
    lines += [*pairs(told), ""]
    lines += _cells(found)
    return lines + _differences(found) if found.num_cells else lines


def _differences(found: RunComparison) -> list[str]:
    """Return how many means differ, and a table per cell."""
    rows = [one for one in found.metrics.to_pylist() if one["first"] != one["second"]]
    surely = sum(one["differs"] is True for one in rows)
    many = f"{_many(len(rows), 'mean')} of {found.metrics.num_rows:,} differ{'s' if len(rows) < 2 else ''}"
    covers = f", {surely:,} by an interval that does not cover 0" if rows else ""
    how = f"; sessions are not paired: {found.unpaired}" if found.unpaired else "; sessions are paired by their seeds"
    lines = paragraph(f"{many}{covers}{how}", "- ")
    for cell, group in groupby(rows[:_MOST_ROWS], lambda one: f"{one['policy']} {one['values']}".strip()):
        lines += ["", *paragraph(cell), *table(_HEADER, [_row(one) for one in group])]
    if rows:
        lines += ["", *paragraph(_caption(found))]
    if len(rows) > _MOST_ROWS:
        lines += paragraph(f"{_many(len(rows) - _MOST_ROWS, 'more row')}: --json prints all")
    return lines


def _many(number: int, noun: str) -> str:
    return count(number, noun) if number else f"no {noun}"


def _cells(found: RunComparison) -> list[str]:
    lines = paragraph(f"{_many(found.num_cells, 'cell')} in both runs", "- ")
    for name in ("first", "second"):
        own = [one for one in found.one_sided.to_pylist() if one["only_in"] == name]
        if own:
            named = "; ".join(f"{one['policy']} {one['values']}".strip() for one in own[:4])
            more = f"; and {len(own) - 4:,} more" if len(own) > 4 else ""
            lines += paragraph(f"{count(len(own), 'cell')} in the {name} only: {named}{more}", "- ")
    return lines


def _caption(found: RunComparison) -> str:
    text = "first, second: means of all sessions of a run; difference: second minus first"
    if found.unpaired:
        return f"{text}; its interval holds however the sessions of the two runs go together, and is wide for that"
    return f"{text}, over the sessions that both runs have"


def _row(one: dict[str, Any]) -> list[Cell]:
    first, second = (short(one[name]) for name in ("first", "second"))
    if one["difference"] is None:
        difference: Cell = NOTHING
    else:
        difference = Difference(one["difference"], one["low"], one["high"], one["sessions"]).text()
        if one["low"] is None and not one["paired"]:
            difference = signed(one["difference"])
    return [one["metric"], first, second, difference]
