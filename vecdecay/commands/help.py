"""``vecdecay help TOPIC``: reference pages, made from the records that the program itself works with."""

import inspect
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from types import ModuleType
from typing import Any

import vecdecay
from vecdecay import items
from vecdecay.commands import examples, starters
from vecdecay.commands.docstrings import call_text, docstring_lines, first_sentence, plain_words
from vecdecay.commands.explain import COLUMNS_OF_TABLES, sweep_keys
from vecdecay.commands.screen import pairs, paragraph, show, width_of
from vecdecay.errors import InvalidInputError
from vecdecay.glossary import GLOSSARY
from vecdecay.numerals import count
from vecdecay.parameters import brief, did_you_mean
from vecdecay.policies import StatefulPolicy, own, stateful
from vecdecay.policies.base import Policy, TablePolicy
from vecdecay.policies.rules import Rules
from vecdecay.quantities import ALL_METRICS, SUMMARY_SUFFIXES
from vecdecay.sessions import events
from vecdecay.sessions import own as own_workloads
from vecdecay.sessions.importers import IMPORTERS
from vecdecay.sessions.trace_columns import COLUMNS, MEANINGS
from vecdecay.sessions.workload import Workload

_TABLE_MEANINGS = {
    "cells": "one row per policy and point of the sweep, in cells.parquet",
    "histograms": "how many sessions had each value, in histograms/",
    "sessions": "one row per cell and session, in sessions/; kept from detail sessions on",
    "items": "one row per cell, session and item, in items/; kept from detail items on",
    "turns": "one row per cell, session and turn, in turns/; kept with detail turns",
    "misses": "one row per cell, session and recall that missed, in misses/; kept with detail misses",
}


def help_command(topic: str | None) -> None:
    """Print the page of a topic, or what topics there are."""
    if topic is None:
        show("Reference pages: vecdecay help TOPIC", "", *pairs((name, text) for name, (text, _) in PAGES.items()), "")
        show(*paragraph("vecdecay --help lists the commands, vecdecay COMMAND --help the options of one of them."))
        return
    name = topic.lower().replace("_", "-")
    if name not in PAGES:
        hint = did_you_mean(name, PAGES) or "; of a command: vecdecay COMMAND --help"
        raise InvalidInputError([f"there is no page {brief(topic)}; allowed: {', '.join(PAGES)}{hint}"])
    show(*page(name))


def page(name: str) -> list[str]:
    """Return the lines of a page."""
    meaning, lines = PAGES[name]
    return [*_section(f"{name}: {meaning}")[1:], *lines()]


def _sweepfile() -> Iterator[str]:
    yield from _text(
        "A sweep is a TOML file: where sessions come from, which policies are played on them, and which parameters "
        "take several values. vecdecay new sweep NAME writes one, vecdecay schema prints the JSON Schema for editors, "
        "and vecdecay explain KEY explains one key."
    )
    yield from _code("study.toml", starters.named(starters.SWEEP, "study"))
    yield from _code("On the command line", examples.CONSOLE["sweepfile"])
    yield from _section("Keys")
    for place, keys in groupby(sweep_keys(), key=lambda key: key.place):
        yield from ("", place, "", *pairs((key.name, key.text()) for key in keys))
    yield from _text(
        "Policies and workloads have their parameters as further keys: vecdecay explain NAME lists them.",
    )
    yield from _section("Pieces")
    yield from _text(
        "Each stands in place of the tables of the same name in the sweep above, and adds its keys to [sweep].",
    )
    for piece in examples.PIECES:
        yield from _code(f"{piece.meaning} {count(piece.points, 'point')}.", piece.text)


def _own_policy() -> Iterator[str]:
    yield from _section("A score by age and use")
    yield from docstring_lines(own.__doc__)
    yield from _code("gentle.py", starters.named(starters.POLICY, "gentle"))
    yield from _code("On the command line", examples.CONSOLE["own-policy"])
    yield from _text("In a sweep file it is", 'kind = "gentle.py:Gentle"')
    yield from _section("A state")
    yield from docstring_lines(stateful.__doc__)
    yield from _code("A stateful policy", examples.STATEFUL)
    yield from _code("Either is played by", examples.PYTHON["own-policy"])
    yield from _section("Tests")
    yield from _code("test_gentle.py, for pytest; it needs the extra test", examples.TESTING)
    yield from _section("Base classes and rules")
    yield from _text("A class derived from one of these may change more than the score.")
    for base in (TablePolicy, StatefulPolicy):
        yield from _class(base)
    yield from ("", "Rules, which a method rules() may return")
    yield from docstring_lines(Rules.__doc__, "  ")


def _own_workload() -> Iterator[str]:
    yield from docstring_lines(own_workloads.__doc__)
    yield from _code("pulse.py", starters.named(starters.WORKLOAD, "pulse"))
    yield from _code("On the command line", examples.CONSOLE["own-workload"])
    yield from _text("In a sweep file it is", 'kind = "pulse.py:pulse"')
    yield from _code("From Python, with a class that does the same", examples.PYTHON["own-workload"])
    for function in (events.register, events.recall, events.forget):
        yield from ("", *paragraph(call_text(function, f"events.{function.__name__}"), "", "    "))
        yield from docstring_lines(function.__doc__, "  ")
    yield from _section("What is known of an item")
    for described in (events.Registration, items.Attributes):
        yield from ("", described.__name__, *docstring_lines(described.__doc__, "  "))


def _traces() -> Iterator[str]:
    yield from _text(
        "A log, or trace, is a table with a row per event: Parquet, CSV, JSON Lines, Arrow, or anything that streams "
        "Arrow. It needs session, item, and turn or time. Columns are found by their own names and by the usual ones."
    )
    yield from (*_section("Columns"), "")
    yield from pairs((name, f"{MEANINGS[name]}; also found as {', '.join(more)}") for name, more in COLUMNS.items())
    yield from _section("Rules")
    yield from _text(
        "Options of vecdecay replay, keys of [trace] in a sweep file, arguments of vd.Trace.read. "
        "In a sweep, rules may be axes: --set trace.on_miss=nothing,relearn."
    )
    yield ""
    yield from pairs(
        (key.name, key.text()) for key in sweep_keys() if key.place == "[trace]" and key.name != "file_sha256"
    )
    yield from _code("On the command line", examples.CONSOLE["traces"])
    yield from _code("From Python", examples.PYTHON["traces"])
    yield from _section("Formats")
    yield from _text("vecdecay import FORMAT SOURCE -o trace.parquet reads:")
    yield ""
    yield from pairs((name, one.summary) for name, one in IMPORTERS.items())


def _results() -> Iterator[str]:
    yield from _text(
        "A run is a folder: its tables as Parquet, the sweep as sweep.toml, the files of your own policies and "
        "workloads, manifest.json with a digest of each file, and provenance.json with versions and times. Missing "
        "values are null, never NaN."
    )
    yield from _code("On the command line", examples.CONSOLE["results"])
    yield from _code("From Python", examples.PYTHON["results"])
    for name, quantities in COLUMNS_OF_TABLES.items():
        yield from _section(f"{name}: {_TABLE_MEANINGS[name]}")
        yield ""
        yield from pairs((one.name, _column_text(one)) for one in quantities)
        if name == "cells":
            yield from _text("Then the parameters of policy and workload, and of each metric these:")
            yield from ("", *pairs((f"METRIC_{suffix}", words) for suffix, words in SUMMARY_SUFFIXES))
    yield from (*_section("Metrics"), "")
    yield from pairs((one.name, f"{one.meaning}; {one.formula}; {one.unit} per session") for one in ALL_METRICS)


def _column_text(one: Any) -> str:
    dtype = f"{one.dtype}, may be null" if one.nullable else one.dtype
    meaning = one.meaning.replace("{turn}", "T")
    return "; ".join(filter(None, (meaning, dtype, one.unit)))


def _python() -> Iterator[str]:
    yield from _text("import vecdecay as vd; names are loaded on first use. The extras sql, report and test add to it.")
    yield from _code("An example", examples.PYTHON["python"])
    yield from _section("Functions")
    for name, function in _public():
        if not inspect.isfunction(function):
            continue
        yield from ("", *paragraph(call_text(function, f"vd.{name}"), "", "    "))
        yield from docstring_lines(function.__doc__, "  ")
    yield from _first_sentences("Policies", lambda one: _is_a(one, Policy))
    yield from _first_sentences("Workloads", lambda one: _is_a(one, Workload))
    yield from _first_sentences("Errors", lambda one: _is_a(one, Exception))
    others = (Policy, Workload, Exception)
    yield from _first_sentences("Other classes", lambda one: inspect.isclass(one) and not _is_a(one, *others))
    yield from _first_sentences("Modules", lambda one: isinstance(one, ModuleType))


def _is_a(one: Any, *bases: type) -> bool:
    return inspect.isclass(one) and issubclass(one, bases)


def _first_sentences(heading: str, wanted: Callable[[Any], bool]) -> Iterator[str]:
    yield from (*_section(heading), "")
    yield from pairs((f"vd.{name}", first_sentence(one.__doc__)) for name, one in _public() if wanted(one))


def _public() -> Iterator[tuple[str, Any]]:
    return ((name, getattr(vecdecay, name)) for name in vecdecay.__all__ if not name.startswith("_"))


def _class(described: type) -> Iterator[str]:
    yield from ("", described.__name__)
    yield from docstring_lines(described.__doc__, "  ")
    own_methods = {
        name: one for name, one in vars(described).items() if inspect.isfunction(one) and not name.startswith("_")
    }
    yield ""
    for name, one in own_methods.items():
        yield from paragraph(call_text(one, name).replace("(self, ", "(").replace("(self)", "()"), "  ", "      ")
        yield from paragraph(first_sentence(one.__doc__), "      ")


def _section(text: str) -> list[str]:
    lines = paragraph(text)
    return ["", *lines, "─" * width_of(lines)]


def _text(*texts: str) -> Iterator[str]:
    for text in texts:
        yield from ("", *paragraph(plain_words(text)))


def _code(meaning: str, text: str) -> Iterator[str]:
    """Yield a meaning, and a text as it is, from the first column on, so that it can be copied."""
    yield from ("", *paragraph(meaning), "", *text.rstrip("\n").split("\n"))


def _machines() -> Iterator[str]:
    yield from _text(
        "A run is cut into parts of about a second. They may be played in processes (--on processes), on the workers "
        "of a Dask cluster (--on dask://HOST:PORT, extra dask), or share by share on machines that know nothing of "
        "each other (--shard K/N), with a folder per share and vecdecay merge at the end. The bytes are the same."
    )
    yield from _code("In shares", examples.CONSOLE["machines"])
    yield from _text(
        "A scheduler is busy for some milliseconds with each task, so that it can keep as many workers busy as it "
        "sends tasks off while one part is played. vecdecay run SWEEP --dry-run --on dask://HOST:PORT times that "
        "there and says how many. Shares need no scheduler, and any number of machines may play them.",
        "A part whose worker ends is played again. A cell that ends three workers, alone in play, is set aside and "
        "named. After a scheduler has gone, or an array job was cut off, the same command resumes its run.",
    )
    yield from _code("shares.sbatch, for Slurm", examples.SLURM)
    yield from _code("shares.yaml, for Kubernetes", examples.KUBERNETES)
    yield from _text("In both, all shares write below one folder, and vecdecay merge is run once they have ended.")


PAGES: dict[str, tuple[str, Callable[[], Iterable[str]]]] = {
    "sweepfile": ("every key of a sweep file, with examples", _sweepfile),
    "glossary": (
        "the words of screens, columns and pages",
        lambda: pairs(sorted(GLOSSARY.items(), key=lambda one: one[0].casefold()), ""),
    ),
    "own-policy": ("a policy of your own, and tests for it", _own_policy),
    "own-workload": ("sessions of your own making", _own_workload),
    "traces": ("logs of your own agent", _traces),
    "results": ("the tables of a run, column by column", _results),
    "machines": ("other processes and other machines", _machines),
    "python": ("the names of the package", _python),
}
"""Topic → what it is about, and what makes its lines."""
