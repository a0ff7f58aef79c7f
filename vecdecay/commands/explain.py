"""``vecdecay explain WORD``: every word that a screen prints, from its own record or from the glossary."""

import inspect
import re
import typing
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, cast

from vecdecay.commands.docstrings import docstring_lines
from vecdecay.commands.explain_policy import clock_text, life_lines, reaction_facts
from vecdecay.commands.screen import command_lines, pairs, paragraph, show, show_json
from vecdecay.errors import InvalidInputError
from vecdecay.glossary import hint, meanings
from vecdecay.numerals import count, plain
from vecdecay.own_file import names_a_file
from vecdecay.parameters import Described, Parameter, brief, parameters_of
from vecdecay.policies import POLICIES
from vecdecay.policies.base import Policy
from vecdecay.policies.capacity import CapacityParameters
from vecdecay.quantities import (
    ALL_METRICS,
    CELL_COLUMNS,
    CHECKPOINT_COLUMNS,
    HISTOGRAM_COLUMNS,
    ITEM_COLUMNS,
    MISS_COLUMNS,
    RELATION_COLUMNS,
    SESSION_COLUMNS,
    SUMMARY_SUFFIXES,
    TOKEN_COLUMNS,
    TURN_COLUMNS,
    Metric,
    Quantity,
)
from vecdecay.sessions import WORKLOADS
from vecdecay.sessions.importers import IMPORTERS
from vecdecay.store.columns import ASKED_COLUMNS
from vecdecay.sweepfile.kinds import find_policy

COLUMNS_OF_TABLES = {
    "cells": CELL_COLUMNS,
    "histograms": HISTOGRAM_COLUMNS,
    "sessions": SESSION_COLUMNS
    + TOKEN_COLUMNS
    + RELATION_COLUMNS
    + sum(ASKED_COLUMNS.values(), ())
    + CHECKPOINT_COLUMNS,
    "items": ITEM_COLUMNS,
    "turns": TURN_COLUMNS,
    "misses": MISS_COLUMNS,
}
_CHECKPOINT = re.compile(r"_at_(\d+)(?=_|$)")
_INTERVALS = {
    "rate": "95 % score interval from the spread of the sessions; not empty at 0 or 1; the unit is the session",
    "mean": "95 % by Student's t; the unit is the session",
}

Entry = tuple[str, list[tuple[str, str]], list[str]]
"""A title, facts with their names, and further lines."""


def explain_command(name: str, options: Mapping[str, Mapping[str, str]], as_json: bool) -> None:
    """Print everything that is known under the name; ``options`` are those of each command, with what they are for."""
    entries = [entry for explainer in _EXPLAINERS for entry in explainer(name)] + list(_options(name, options))
    if not entries:
        raise InvalidInputError(
            [f"{brief(name)} is unknown; allowed: a name of vecdecay list, a column, an option or a parameter"
             f"{hint(name[:100], _known_names())}"]
        )  # fmt: skip
    if as_json:
        shown = [{"title": title, **_grouped(facts), "text": lines} for title, facts, lines in entries]
        show_json(shown)
        return
    for number, (title, facts, lines) in enumerate(entries):
        show(*([""] if number else []), *paragraph(title), *([""] if facts else []), *pairs(facts), *lines)


def _grouped(facts: Iterable[tuple[str, str]]) -> dict[str, Any]:
    found: dict[str, list[str]] = {}
    for name, text in facts:
        found.setdefault(name, []).append(text)
    return {name: texts[0] if len(texts) == 1 else texts for name, texts in found.items()}


def _policies(name: str) -> Iterator[Entry]:
    kinds = [find_policy(name)[0]] if names_a_file(name) else [one for one in POLICIES if one.name == name]
    for policy in kinds:
        with_defaults = policy()
        facts = [("formula", policy.formula), ("source", policy.source), ("clock", clock_text(with_defaults))]
        facts += reaction_facts(with_defaults)
        yield (
            f"policy {policy.name}: {policy.summary}",
            [fact for fact in facts if fact[1]],
            [*docstring_lines(policy.__doc__), *_parameter_lines(policy), *life_lines(with_defaults)],
        )


def _workloads(name: str) -> Iterator[Entry]:
    for workload in WORKLOADS:
        if workload.name == name:
            lines = [*docstring_lines(workload.__doc__), *_parameter_lines(workload)]
            yield f"workload {name}: {workload.summary}", [("source", workload.source)], lines


def _importers(name: str) -> Iterator[Entry]:
    if name in IMPORTERS:
        one = IMPORTERS[name]
        text = inspect.cleandoc(inspect.getmodule(one.read).__doc__ or "")
        source = [part.removeprefix("Source: ") for part in text.split("\n\n") if part.startswith("Source: ")]
        facts = [("source", " ".join(part.split())) for part in source]
        facts += [("option", f"--{option.replace('_', '-')}, see vecdecay import --help") for option in one.options]
        example = command_lines(f"vecdecay import {name} SOURCE -o trace.parquet")
        yield f"importer {name}: {one.summary}", facts, [*docstring_lines(text), "", *example]


def _parameter_lines(described: type[Described]) -> list[str]:
    parameters = described.parameters()
    lines = ["", *([] if parameters else ["It has no parameters."])]
    if parameters:
        lines += ["Parameters:", "", *pairs((one.name, _parameter_text(one)) for one in parameters)]
    shared = parameters_of(cast(Any, described), shared=True)
    if shared:
        lines += ["", "Shared by all of its kind:", "", *pairs((one.name, _parameter_text(one)) for one in shared)]
    if not issubclass(described, CapacityParameters):
        return lines
    named = "capacity_items or capacity_tokens, evict_at"
    return [*lines, "", *paragraph(f"In a full memory ({named}) goes first: {described.victim}.")]


def _parameter_text(one: Parameter) -> str:
    unit = f" {one.unit}" if one.unit else ""
    parts = (one.meaning, one.allowed(), f"default {plain(one.default)}{unit}")
    return "; ".join(part for part in parts if part)  # a person's own field may have no meaning


def _parameters(name: str) -> Iterator[Entry]:
    for kind, classes in (("policy", POLICIES), ("workload", WORKLOADS)):
        for described in classes:
            for one in described.parameters():
                if name in (one.name, f"{described.name}.{one.name}"):
                    facts = [("meaning", one.meaning), ("allowed", one.allowed()), ("default", plain(one.default))]
                    facts += [("unit", one.unit)] if one.unit else []
                    yield f"parameter {one.name} of the {kind} {described.name}", facts, []
    for one in parameters_of(cast(Any, CapacityParameters), shared=True):
        if one.name == name:
            facts = [("meaning", one.meaning), ("allowed", one.allowed()), ("default", plain(one.default))]
            yield f"parameter {one.name} of every policy that has no rule of its own for it", facts, []


def _metrics(name: str) -> Iterator[Entry]:
    for metric in ALL_METRICS:
        if metric.name == name.replace(" ", "_"):
            yield f"metric {metric.name}", _metric_facts(metric), []


def _metric_facts(metric: Metric) -> list[tuple[str, str]]:
    better = "neither high nor low is better" if metric.better == "neither" else f"{metric.better} is better"
    return [
        ("meaning", metric.meaning),
        ("formula", metric.formula),
        ("unit", f"{metric.unit} per session; {better}"),
        ("interval", _INTERVALS[metric.interval]),
        ("columns", ", ".join(f"{metric.name}_{suffix}" for suffix, _ in SUMMARY_SUFFIXES) + " in cells.parquet"),
    ]


def _columns(name: str) -> Iterator[Entry]:
    wanted, turn = _without_turn(name)
    for table, quantities in COLUMNS_OF_TABLES.items():
        for one in quantities:
            if wanted == one.name:
                facts = [
                    ("meaning", one.meaning.replace("{turn}", turn)),
                    ("type", one.dtype + (", may be null" if one.nullable else "")),
                    ("dimensions", ", ".join(one.dimensions)),
                ]
                yield f"column {name} of {table}", facts + ([("unit", one.unit)] if one.unit else []), []


def _summary_columns(name: str) -> Iterator[Entry]:
    wanted, turn = _without_turn(name)
    summarised: tuple[Metric | Quantity, ...] = (*ALL_METRICS, CHECKPOINT_COLUMNS[1])
    for one in summarised:
        for suffix, words in SUMMARY_SUFFIXES:
            if wanted == f"{one.name}_{suffix}":
                counts = suffix == "sessions"
                facts = [
                    ("meaning", f"{words}: {one.meaning}".replace("{turn}", turn)),
                    ("type", "int64" if counts else "float64, may be null"),
                    ("unit", "sessions" if counts else one.unit),
                ]
                yield f"column {name} of cells", facts, []


def _without_turn(name: str) -> tuple[str, str]:
    """Return a column's name with ``{turn}`` for the turn of a checkpoint, and that turn."""
    found = _CHECKPOINT.search(name)
    return _CHECKPOINT.sub("_at_{turn}", name), found[1] if found else "T"


def _sweeps(name: str) -> Iterator[Entry]:
    from vecdecay.run.plan import make_plan
    from vecdecay.sweepfile.files import find_sweep, known_sweeps
    from vecdecay.sweepfile.spec import load_sweep

    if name not in dict(known_sweeps()):
        return
    spec = load_sweep(find_sweep(name))
    plan = make_plan(spec)
    facts = [
        ("seeds", f"{len(spec.seeds):,}"),
        ("workload", f"{spec.workload_kind} ({_changed(spec.workload)})"),
        *(("policy", f"{entry.label} ({_changed(entry.policy)})") for entry in spec.policies),
        *(("axis", f"{axis.parameter}: {count(len(axis.values), 'value')}") for axis in spec.axes),
        ("plays", f"{count(plan.num_cells, 'cell')}, {count(plan.num_sessions, 'session')}"),
        ("keeps", f"detail {spec.detail}"),
    ]
    note = ["", *paragraph(" ".join(spec.note.split()))] if spec.note else []
    yield f"sweep {name}: {spec.title}" if spec.title else f"sweep {name}", facts, [*note, "", f"vecdecay run {name}"]


class SweepKey(NamedTuple):
    """A key of a sweep file, from the models that check one; ``place`` is the table that holds it."""

    place: str
    name: str
    meaning: str
    allowed: str
    default: Any

    def default_text(self) -> str:
        """Return the default in words, nothing where there is none."""
        return f"default {plain(self.default)}" if self.default not in (None, "", [], {}) else ""

    def text(self) -> str:
        """Return all that is known of the key, on one line."""
        return "; ".join(filter(None, (self.meaning, self.allowed, self.default_text())))


def sweep_keys() -> Iterator[SweepKey]:
    """Yield every key, table by table: those of the file, those of its tables, those of the forms of an axis."""
    from vecdecay.sweepfile.tables import SweepFile, allowed_text, model_inside

    waiting: list[tuple[str, type[Any]]] = [("the file", SweepFile)]
    for place, model in waiting:
        for own_name, field in model.model_fields.items():
            key, inner = field.alias or own_name, model_inside(field.annotation)
            several = typing.get_origin(field.annotation) is list
            if inner is not None:
                waiting.append((f"[[{key}]]" if several else f"[{key}]" if model is SweepFile else key, inner))
            meaning, allowed = str(field.description), allowed_text(field)
            default = None if field.is_required() else field.default
            yield SweepKey(place, key, meaning, "" if inner or allowed in meaning else allowed, default)


def _keys(name: str) -> Iterator[Entry]:
    for key in sweep_keys():
        if key.name == name.lower():
            facts = [("meaning", key.meaning), ("allowed", key.allowed)]
            facts.append(("default", key.default_text().removeprefix("default ")))
            yield f"key {key.name} of {key.place}", [fact for fact in facts if fact[1]], []


def _changed(described: Described) -> str:
    """Return the parameters that are not at their defaults."""
    values = described.values()
    changed = [
        f"{one.name} {plain(values[one.name])}" for one in described.parameters() if values[one.name] != one.default
    ]
    return ", ".join(changed) or "defaults"


def _options(name: str, options: Mapping[str, Mapping[str, str]]) -> Iterator[Entry]:
    wanted = name.removeprefix("--").lower()
    for command, texts in options.items():
        if command == wanted:
            yield f"command vecdecay {command}", [("see", f"vecdecay {command} --help")], []
        for option, text in texts.items():
            if option.removeprefix("--").lower() == wanted:
                yield f"{option} of vecdecay {command}", [("meaning", text)], []


def _terms(name: str) -> Iterator[Entry]:
    for term, meaning in meanings(name):
        yield term, [("meaning", meaning)], []


_EXPLAINERS = (
    _terms, _policies, _workloads, _importers, _metrics,
    _parameters, _columns, _summary_columns, _sweeps, _keys,
)  # fmt: skip


def _known_names() -> list[str]:
    from vecdecay.sweepfile.files import known_sweeps

    described: tuple[type[Policy] | Any, ...] = (*POLICIES, *WORKLOADS)
    known = [*(one.name for one in described), *IMPORTERS]
    known += [parameter.name for one in described for parameter in one.parameters()]
    known += [one.name for one in parameters_of(cast(Any, CapacityParameters), shared=True)]
    known += [metric.name for metric in ALL_METRICS]
    known += [quantity.name for quantities in COLUMNS_OF_TABLES.values() for quantity in quantities]
    return known + [sweep for sweep, _ in known_sweeps()]
