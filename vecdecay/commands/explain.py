"""``vecdecay explain NAME``: what a policy, workload, metric, column, parameter or sweep is, from its own record."""

import inspect
import re
from collections.abc import Iterable

from vecdecay.commands.explain_stateful import life_lines, stateful_clock_text
from vecdecay.commands.numerals import count, plain
from vecdecay.commands.policy_facts import MOST_RECALLS, example_lines, horizon_lines, survival_lines
from vecdecay.commands.screen import pairs, paragraph, show
from vecdecay.engines.stateful_check import stateful_problems
from vecdecay.engines.table_check import table_problems
from vecdecay.errors import InvalidInputError
from vecdecay.own_file import names_a_file
from vecdecay.parameters import Described, Parameter, brief, did_you_mean
from vecdecay.policies import POLICIES
from vecdecay.policies.base import Policy, TablePolicy
from vecdecay.policies.curves import clock_text
from vecdecay.policies.stateful import StatefulPolicy
from vecdecay.quantities import (
    CELL_COLUMNS,
    CHECKPOINT_COLUMNS,
    HISTOGRAM_COLUMNS,
    ITEM_COLUMNS,
    METRICS,
    SESSION_COLUMNS,
    SUMMARY_SUFFIXES,
    TOKEN_COLUMNS,
    TURN_COLUMNS,
    Metric,
    Quantity,
)
from vecdecay.sessions import WORKLOADS
from vecdecay.sessions.workload import Workload
from vecdecay.sweepfile.kinds import policy_class

_TABLES = {
    "cells": CELL_COLUMNS,
    "histograms": HISTOGRAM_COLUMNS,
    "sessions": SESSION_COLUMNS + TOKEN_COLUMNS + CHECKPOINT_COLUMNS,
    "items": ITEM_COLUMNS,
    "turns": TURN_COLUMNS,
}
_CHECKPOINT = re.compile(r"_at_\d+(?=_|$)")


def explain_command(name: str) -> None:
    """Print everything that is known under the name; InvalidInputError where that is nothing."""
    explainers = (_policies, _workloads, _metrics, _parameters, _columns, _summary_columns, _sweeps)
    texts = [text for explainer in explainers for text in explainer(name)]
    if not texts:
        raise InvalidInputError(
            [f"{brief(name)} is unknown; allowed: a name of vecdecay list, a column or a parameter{_hint(name)}"]
        )
    for number, text in enumerate(texts):
        show(*([""] if number else []), *text)


def _policies(name: str) -> Iterable[list[str]]:
    kinds = [policy_class(name)] if names_a_file(name) else [one for one in POLICIES if one.name == name]
    return map(_policy, kinds)


def _refuse_unsound(policy: Policy) -> None:
    """Refuse a policy of a person's own that could not be played; nothing is compiled for it."""
    problems: list[str] = []
    if type(policy) not in POLICIES and isinstance(policy, TablePolicy):
        problems = table_problems(policy, MOST_RECALLS)
    elif type(policy) not in POLICIES and isinstance(policy, StatefulPolicy):
        problems = stateful_problems(policy, compile_too=False)
    if problems:
        raise InvalidInputError(problems)


def _policy(policy: type[Policy]) -> list[str]:
    lines = [*paragraph(f"policy {policy.name}: {policy.summary}"), ""]
    lines += paragraph(policy.formula, "  formula  ") + paragraph(policy.source, "  source   ")
    with_defaults = policy()
    if isinstance(with_defaults, TablePolicy):
        lines += paragraph(clock_text(with_defaults), "  clock    ")
    elif isinstance(with_defaults, StatefulPolicy):
        lines += paragraph(stateful_clock_text(with_defaults), "  clock    ")
    lines += [*_description(policy), *_parameter_lines(policy)]
    _refuse_unsound(with_defaults)
    if isinstance(with_defaults, TablePolicy):
        lines += [*horizon_lines(with_defaults), *survival_lines(with_defaults)]
        return [*lines, "", "Example with the defaults:", "", *example_lines(with_defaults)]
    return [*lines, *life_lines(with_defaults)]


def _workloads(name: str) -> Iterable[list[str]]:
    return (_workload(workload) for workload in WORKLOADS if workload.name == name)


def _workload(workload: type[Workload]) -> list[str]:
    lines = [*paragraph(f"workload {workload.name}: {workload.summary}"), ""]
    return [*lines, *paragraph(workload.source, "  source  "), *_description(workload), *_parameter_lines(workload)]


def _description(described: type[Described]) -> list[str]:
    """Return the paragraphs of the class's docstring, without its examples, and the source, which has its own line."""
    text = inspect.cleandoc(described.__doc__ or "").replace("``", "")
    lines: list[str] = []
    for part in text.split("\n\n"):
        if not part.startswith((">>>", "Source:")):
            lines += ["", *paragraph(" ".join(part.split()))]
    return lines


def _parameter_lines(described: type[Described]) -> list[str]:
    parameters = described.parameters()
    if not parameters:
        return ["", "It has no parameters."]
    lines = ["", "Parameters:", ""]
    return lines + pairs((one.name, _parameter_text(one)) for one in parameters)


def _parameter_text(one: Parameter) -> str:
    unit = f" {one.unit}" if one.unit else ""
    parts = (one.meaning, one.allowed(), f"default {plain(one.default)}{unit}")
    return "; ".join(part for part in parts if part)  # a person's own field has no meaning that is told


def _parameters(name: str) -> Iterable[list[str]]:
    for kind, classes in (("policy", POLICIES), ("workload", WORKLOADS)):
        for described in classes:
            for one in described.parameters():
                if name in (one.name, f"{described.name}.{one.name}"):
                    title = f"parameter {one.name} of the {kind} {described.name}"
                    facts = [("meaning", one.meaning), ("allowed", one.allowed()), ("default", plain(one.default))]
                    yield [title, "", *pairs(facts + ([("unit", one.unit)] if one.unit else []))]


def _metrics(name: str) -> Iterable[list[str]]:
    return (_metric(metric) for metric in METRICS if metric.name == name)


def _metric(metric: Metric) -> list[str]:
    intervals = {
        "rate": "95 % by Wilson's score; the unit is the session, and at 0 or 1 the interval is not empty",
        "mean": "95 % by Student's t; the unit is the session",
    }
    better = "neither high nor low is better" if metric.better == "neither" else f"{metric.better} is better"
    facts = [
        ("meaning", metric.meaning),
        ("formula", metric.formula),
        ("unit", f"{metric.unit} per session; {better}"),
        ("interval", intervals[metric.interval]),
        ("columns", ", ".join(f"{metric.name}_{suffix}" for suffix, _ in SUMMARY_SUFFIXES) + " in cells.parquet"),
    ]
    return [f"metric {metric.name}", "", *pairs(facts)]


def _columns(name: str) -> Iterable[list[str]]:
    wanted = _CHECKPOINT.sub("_at_{turn}", name)
    for table_name, quantities in _TABLES.items():
        for quantity in quantities:
            if wanted == quantity.name:
                yield _column(quantity, table_name, name)


def _column(quantity: Quantity, table_name: str, name: str) -> list[str]:
    facts = [
        ("meaning", quantity.meaning.replace("{turn}", _turn_in(name))),
        ("type", quantity.dtype + (", may be null" if quantity.nullable else "")),
        ("dimensions", ", ".join(quantity.dimensions)),
    ]
    return [f"column {name} of {table_name}", "", *pairs(facts + ([("unit", quantity.unit)] if quantity.unit else []))]


def _turn_in(name: str) -> str:
    """Return the turn of a checkpoint's column."""
    found = _CHECKPOINT.search(name)
    return found[0].removeprefix("_at_") if found else "T"


def _summary_columns(name: str) -> Iterable[list[str]]:
    rate = CHECKPOINT_COLUMNS[1]
    metrics = [(metric.name, metric.meaning, metric.unit) for metric in METRICS]
    metrics.append((rate.name, rate.meaning, rate.unit))
    turn = _turn_in(name)
    wanted = _CHECKPOINT.sub("_at_{turn}", name)
    for metric_name, meaning, unit in metrics:
        for suffix, words in SUMMARY_SUFFIXES:
            if wanted == f"{metric_name}_{suffix}":
                kind = ("int64", "sessions") if suffix == "sessions" else ("float64, may be null", unit)
                facts = [
                    ("meaning", f"{words}: {meaning}".replace("{turn}", turn)),
                    ("type", kind[0]),
                    ("unit", kind[1]),
                ]
                yield [f"column {name} of cells", "", *pairs(facts)]


def _sweeps(name: str) -> Iterable[list[str]]:
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
    title = f"sweep {name}: {spec.title}" if spec.title else f"sweep {name}"
    note = ["", *paragraph(" ".join(spec.note.split()))] if spec.note else []
    yield [*paragraph(title), "", *pairs(facts), *note, "", f"vecdecay run {name}"]


def _changed(described: Described) -> str:
    """Return the parameters that are not at their defaults."""
    values = described.values()
    changed = [
        f"{one.name} {plain(values[one.name])}" for one in described.parameters() if values[one.name] != one.default
    ]
    return ", ".join(changed) or "defaults"


def _hint(name: str) -> str:
    from vecdecay.sweepfile.files import known_sweeps

    known = [described.name for described in (*POLICIES, *WORKLOADS)]
    known += [one.name for described in (*POLICIES, *WORKLOADS) for one in described.parameters()]
    known += [metric.name for metric in METRICS]
    known += [quantity.name for quantities in _TABLES.values() for quantity in quantities]
    known += [sweep for sweep, _ in known_sweeps()]
    return did_you_mean(name[:100], known)
