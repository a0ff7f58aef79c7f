"""From an axis as it is written to the parameter that it names and the values that it gives, each one checked."""

import sys
from collections.abc import Mapping
from typing import Any

from vecdecay.parameters import Described, Parameter, brief, did_you_mean
from vecdecay.sweepfile.axes import MOST_CELLS, AxisValues, IntegerRange, Linspace, Listed, Logspace
from vecdecay.sweepfile.problems import Findings, KeyPath
from vecdecay.sweepfile.tables import AxisTable, IntegerSteps

FORMS = ("values", "linspace", "logspace", "range")


class Targets:
    """What an axis, a point or ``--set`` can name: the parameters of the policies, by label, and of the workload.

    ``classes`` holds None where the kind itself is a mistake. ``incomplete`` says that some policy could not be read so
    far as to have a label: then an unknown label is no mistake of its own.
    """

    def __init__(self, classes: Mapping[str, type[Described] | None]) -> None:
        self.incomplete = False
        self.classes = dict(classes)

    def find(self, name: str | None, path: KeyPath, findings: Findings) -> Parameter | None:
        """Return the parameter that ``LABEL.parameter`` names, None where there is none; then a finding says why."""
        if name is None:
            return None  # which is a finding already
        label, _, own_name = name.rpartition(".")
        described = self.classes.get(label)
        if described is not None:
            found = next((one for one in described.every_parameter() if one.name == own_name), None)
            if found is not None:
                return found
        elif label in self.classes or self.incomplete:
            return None
        known = [f"{label}.{one.name}" for label, kind in self.classes.items() if kind for one in kind.parameters()]
        hint = did_you_mean(name, known) or f"; allowed: {', '.join(known[:12])}{', …' if len(known) > 12 else ''}"
        findings.add(path, f"{brief(name)} is no parameter of this sweep{hint}")
        return None


def clean_value(parameter: Parameter, value: Any, path: KeyPath, findings: Findings) -> Any:
    """Return the value in the parameter's type, None (with a finding) where it is not allowed.

    A zero loses its sign, so that two cells are equal exactly where their values print alike.
    """
    try:
        cleaned = parameter.clean(value)
    except (ValueError, TypeError, OverflowError):
        hint = did_you_mean(value, parameter.choices)
        findings.add(path, f"is {brief(value)}; allowed: {parameter.allowed()}{hint}")
        return None
    return _unsigned_zero(cleaned)


def _unsigned_zero(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_unsigned_zero, value))
    return value + 0.0 if isinstance(value, float) else value


def read_axis_values(
    table: AxisTable, parameter: Parameter, path: KeyPath, findings: Findings, once: bool
) -> AxisValues | None:
    """Return the values of an axis, None where it has a mistake; ``once`` forbids repeated values."""
    given = [form for form in FORMS if getattr(table, "steps" if form == "range" else form) is not None]
    if len(given) != 1:
        findings.add(path, f"has {' and '.join(given) or 'no values'}; allowed: exactly one of {', '.join(FORMS)}")
        return None
    path = (*path, given[0])
    if table.values is not None:
        return _read_list(table.values, parameter, path, findings, once)
    what, other = ("integers", "") if table.steps else ("floats", " or range")
    if parameter.kind != "number" and not (table.steps and parameter.kind == "integer"):
        allowed = f"{parameter.allowed()}, as values{other}"
        findings.add(path, f"gives {what}; allowed for {parameter.name}: {allowed}")
        return None
    rule = table.steps or table.linspace or table.logspace
    assert rule is not None
    # Limits are intervals: with both ends inside, so is everything between.
    first = clean_value(parameter, rule.first, (*path, "from"), findings)
    last = clean_value(parameter, rule.last, (*path, "to"), findings)
    if first is None or last is None:
        return None
    if isinstance(rule, IntegerSteps):
        values, problem = _read_range(rule)
    else:
        values, problem = _read_spacing(Linspace if table.linspace else Logspace, first, last, rule.count)
    if problem:
        findings.add(path, problem)
    return values


def _read_list(
    raw: list[Any], parameter: Parameter, path: KeyPath, findings: Findings, once: bool
) -> AxisValues | None:
    if not raw:
        findings.add(path, "is empty; allowed: at least one value")
        return None
    cleaned = []
    seen = set()
    for place, value in enumerate(raw):
        one = clean_value(parameter, value, (*path, place), findings)
        if one is not None and once and one in seen:
            findings.add((*path, place), f"is {brief(value)} again; allowed: each value once")
            one = None
        seen.add(one)
        cleaned.append(one)
        if findings.full:
            return None
    return None if None in seen else Listed(tuple(cleaned))


def _read_range(steps: IntegerSteps) -> tuple[AxisValues | None, str]:
    """Return the values, or what is wrong with them."""
    if steps.first > steps.last:
        return None, f"runs from {steps.first} down to {steps.last}; allowed: the smaller integer first"
    count = (steps.last - steps.first) // steps.step + 1
    if count > MOST_CELLS:
        return None, f"has {count:,} values; allowed: at most {MOST_CELLS:,}"
    return IntegerRange(steps.first, steps.last, steps.step), ""


def _read_spacing(
    form: type[Linspace] | type[Logspace], first: float, last: float, count: int
) -> tuple[AxisValues | None, str]:
    """Return the values, or what is wrong with them."""
    smallest = sys.float_info.min
    if form is Logspace and min(first, last) < smallest:
        return None, f"runs from {first} to {last}; allowed: both ends at least {smallest}"
    values = form(first, last, count)
    if not values.distinct() or (count == 1 and first != last):
        allowed = "allowed: values that differ from each other, with both ends among them"
        return None, f"puts {count:,} values between {first} and {last}; {allowed}"
    return values, ""
