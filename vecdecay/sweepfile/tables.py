"""The tables of a sweep file as pydantic models: which keys there are, of which type; parameters are checked after."""

import re
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeGuard, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from vecdecay.parameters import brief, did_you_mean
from vecdecay.sessions.session import MAX_SESSION_LENGTH
from vecdecay.sweepfile.axes import MOST_CELLS
from vecdecay.sweepfile.model import SCHEMA_VERSION
from vecdecay.sweepfile.problems import Findings, KeyPath
from vecdecay.sweepfile.seeds import SEEDS_ALLOWED

MOST_POLICIES = 100
MOST_AXES = 20
MOST_POINTS = 10_000
LARGEST_STEP = 2**53


@dataclass(frozen=True)
class Allowed:
    """What a key may hold, in words, for the lines that report a mistake."""

    text: str


def key(description: str, allowed: str, default: Any = ..., alias: str | None = None) -> Any:
    """Return the field of a key: what it means, what it may hold in words, and its default where it may be left out."""
    field = Field(default, description=description, alias=alias)
    field.metadata.append(Allowed(allowed))
    return field


def allowed_text(field: FieldInfo) -> str:
    """Return in words what a key may hold."""
    return next((one.text for one in field.metadata if isinstance(one, Allowed)), "")


class _Table(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False, frozen=True)


NAME_ALLOWED = "letters, digits, _ - and . only, at most 100, first a letter, digit or _"
LABEL_ALLOWED = "letters, digits, _ and - only, at most 100, not workload or trace"
_LABEL = re.compile(r"^[A-Za-z0-9_-]{1,100}$")

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$")]
Label = Annotated[str, StringConstraints(pattern=_LABEL.pattern)]
Line = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029]*$", max_length=200)]
Lines = Annotated[str, StringConstraints(max_length=2000)]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Step = Annotated[int, Field(ge=-LARGEST_STEP, le=LARGEST_STEP)]
Count = Annotated[int, Field(ge=1, le=MOST_CELLS)]
Turn = Annotated[int, Field(ge=1, le=MAX_SESSION_LENGTH)]
_COUNT = f"an integer from 1 to {MOST_CELLS:,}"
_STEP = "an integer from -2**53 to 2**53"
_SPACING = "{ from = number, to = number, count = integer }"


class SweepTable(_Table):
    """What is swept how, and how much of it is kept and shown."""

    name: Name = key("name of the sweep, and of its output folder", NAME_ALLOWED)
    title: Line = key("shown above the table", "text on one line, at most 200 characters", "")
    note: Lines = key("shown below it", "text of at most 2000 characters", "")
    seeds: Any = key(
        f"the sessions to play: {SEEDS_ALLOWED}; of a trace, their numbers from 0, and all where none are given",
        SEEDS_ALLOWED,
        None,
    )
    detail: Literal["cells", "sessions", "items", "turns", "misses"] = key(
        "how much is kept: a row per cell, and per session, item, turn or recall that missed",
        "cells, sessions, items, turns or misses",
        "cells",
    )
    engine: Literal["auto", "horizon", "stateful", "lockstep", "cache", "capacity", "reference"] = key(
        "which engine plays; all give the same result, to the bit",
        "auto, horizon, stateful, lockstep, cache, capacity or reference",
        "auto",
    )
    checkpoints: Annotated[list[Turn], Field(max_length=1000)] = key(
        "turns at which the foundational recall rate is kept too", f"a list of turns from 1 to {MAX_SESSION_LENGTH}", []
    )
    metrics: Annotated[list[str], Field(max_length=100)] = key(
        "metrics of the printed table; the usual ones where none is named", "a list of names of metrics", []
    )
    combine: Literal["grid", "zip", "points", "random"] = key(
        "how the axes combine: every combination (grid), value by value (zip), listed points, or random points",
        "grid, zip, points or random",
        "grid",
    )
    random_points: Count | None = key('points drawn with combine = "random"', _COUNT, None)
    random_seed: int | None = key(
        'seed of the points with combine = "random"; 0 where none is given', "an integer", None
    )


class _KindTable(_Table):
    model_config = ConfigDict(extra="allow")
    file_sha256: Sha256 | None = key(
        "digest of the code that the kind names; written into the copy of a sweep that is run",
        "64 hexadecimal digits",
        None,
    )


class WorkloadTable(_KindTable):
    """A workload: its kind, and any of the parameters of that kind."""

    kind: str = key("which workload; see vecdecay list, or FILE.py:NAME", "the name of a workload")


class TraceTable(_Table):
    """Recorded sessions in the place of a workload: a log, and how it is read; see ``vecdecay.Trace.read``."""

    path: Annotated[str, StringConstraints(min_length=1, max_length=4096)] = key(
        "the log: Parquet, CSV, JSON Lines or Arrow IPC; a relative path starts at this file", "the path of a log"
    )
    file_sha256: Sha256 | None = key(
        "digest of the log; written into the copy of a sweep that is run", "64 hexadecimal digits", None
    )
    columns: dict[str, str] = key(
        "which column is what, where names do not tell", 'a table such as { item = "file_path" }', {}
    )
    time_unit: str | None = key("unit of plain numbers in the column time", "s, ms or us", None)
    turn: str | None = key(
        "what makes a turn; as the columns say (auto) where it is left out",
        "such as 1h, 1d, event, message or auto",
        None,
    )
    on_miss: str = key("what a recall that misses does", "nothing or relearn", "nothing")
    duplicates: str = key("the same event of an item again in a turn", "each or once", "each")
    registered_again: str = key(
        "a registration of an item that is registered", "reset, ignore, reinforce or error", "reset"
    )
    longest_silence: int | None = key("turns to which longer silences are cut", "an integer from 1", None)
    elapsed: str = key("which clock policies in days or hours read", "recorded or turns", "recorded")
    skip_bad_rows: bool = key("leave out rows that cannot be read, and count them", "true or false", False)


class PolicyTable(_KindTable):
    """A policy: its kind, a label, and any of the parameters of that kind."""

    kind: str = key("which policy; see vecdecay list, or FILE.py:NAME", "the name of a policy")
    label: Label | None = key(
        "how axes and results call this policy; its kind where none is given", LABEL_ALLOWED, None
    )


class Spacing(_Table):
    """Floats from one end to the other, both included."""

    first: float = key("the first value", "a finite number", alias="from")
    last: float = key("the last value", "a finite number", alias="to")
    count: Count = key("how many values", _COUNT)


class IntegerSteps(_Table):
    """Integers from one end up to and including the other."""

    first: Step = key("the first value", _STEP, alias="from")
    last: Step = key("the largest value", _STEP, alias="to")
    step: Annotated[int, Field(ge=1, le=LARGEST_STEP)] = key(
        "the distance between values", "an integer from 1 to 2**53", 1
    )


class AxisTable(_Table):
    """A parameter that takes several values, given in exactly one of four forms."""

    parameter: str = key(
        "LABEL.parameter of a policy, workload.parameter, or trace.rule",
        "LABEL.parameter of a policy, workload.parameter, or trace.rule",
    )
    values: list[Any] | None = key("the values themselves", "a list of values", None)
    linspace: Spacing | None = key("floats at equal distances", _SPACING, None)
    logspace: Spacing | None = key("floats at equal ratios", _SPACING, None)
    steps: IntegerSteps | None = key(
        "integers at equal distances, the last included",
        "{ from = integer, to = integer, step = integer }",
        None,
        alias="range",
    )


class SweepFile(_Table):
    """A sweep file of vecdecay: policies × parameters × seeded sessions."""

    version: Annotated[int, Field(ge=SCHEMA_VERSION, le=SCHEMA_VERSION)] = key(
        "version of this format", str(SCHEMA_VERSION), alias="schema"
    )
    sweep: SweepTable = key("what is swept how", "a table")
    workload: WorkloadTable | None = key("where the sessions come from", "a table, or [trace]", None)
    trace: TraceTable | None = key("a log that the sessions come from instead", "a table", None)
    policy: Annotated[list[PolicyTable], Field(min_length=1, max_length=MOST_POLICIES)] = key(
        "the policies, all played on the same sessions", f"1 to {MOST_POLICIES} tables [[policy]]"
    )
    axis: Annotated[list[AxisTable], Field(max_length=MOST_AXES)] = key(
        "the parameters that take several values", f"at most {MOST_AXES} tables [[axis]]", []
    )
    point: Annotated[list[dict[str, Any]], Field(max_length=MOST_POINTS)] = key(
        'with combine = "points": a value for every parameter that differs',
        f"at most {MOST_POINTS} tables [[point]]",
        [],
    )


Model = TypeVar("Model", bound=BaseModel)


def is_label(value: Any) -> TypeGuard[str]:
    """Tell whether a value has the form of a label."""
    return isinstance(value, str) and _LABEL.fullmatch(value) is not None


def read_tables(raw: Mapping[str, Any], findings: Findings) -> SweepFile:
    """Return the tables of a sweep file; every key that is unknown, missing or of a wrong type becomes a finding.

    Such a key is None then, whatever the type of its field, as is a faulty entry of a list. So the checks that follow
    see all that is sound, and every mistake is named at once.
    """
    try:
        return SweepFile.model_validate(raw)
    except ValidationError as error:
        for one in error.errors(include_url=False, include_context=False):
            _report(one, findings)
    return _sound(SweepFile, raw, (), findings)


def _sound(model: type[Model], raw: Any, path: KeyPath, findings: Findings) -> Model:
    values = dict(raw) if isinstance(raw, dict) else {}  # parameters, where there may be any, among them
    for name, field in model.model_fields.items():
        key = field.alias or name
        if isinstance(raw, dict) and key not in raw and not field.is_required():
            values[key] = field.default
        else:
            values[key] = _sound_value(field.annotation, values.get(key), (*path, key), findings)
    return model.model_construct(**values)


def _sound_value(annotation: Any, value: Any, path: KeyPath, findings: Findings) -> Any:
    inner = model_inside(annotation)
    is_list = typing.get_origin(annotation) is list
    if inner is not None and not is_list:
        return _sound(inner, value, path, findings)
    if inner is not None:
        several = enumerate(value if isinstance(value, list) else [])
        return [_sound(inner, one, (*path, place), findings) for place, one in several]
    if is_list and isinstance(value, list):
        return [None if findings.concern((*path, place)) else one for place, one in enumerate(value)]
    return None if findings.concern(path) else value


def _report(error: ErrorDetails, findings: Findings) -> None:
    path: KeyPath = error["loc"]
    model, field = _field_at(path)
    if error["type"] == "extra_forbidden":
        known = [one.alias or name for name, one in model.model_fields.items()]
        findings.add(path, f"unknown key{did_you_mean(path[-1], known) or '; allowed: ' + ', '.join(known)}")
        return
    allowed = allowed_text(field) if field else ""
    if error["type"] == "missing":
        findings.add(path, f"missing; allowed: {allowed}")
        return
    if error["type"] in ("too_long", "too_short") and isinstance(error["input"], list):
        findings.add(path, f"has {len(error['input']):,} entries; allowed: {allowed}")
        return
    words = typing.get_args(field.annotation) if field else ()
    hint = did_you_mean(error["input"], [word for word in words if isinstance(word, str)])
    findings.add(path, f"is {brief(error['input'])}; allowed: {allowed}{hint}")


def _field_at(path: KeyPath) -> tuple[type[BaseModel], FieldInfo | None]:
    """Return the field that a path leads to, None where there is no such key, and the model that would hold it."""
    model: type[BaseModel] = SweepFile
    field: FieldInfo | None = None
    for step in path:
        if isinstance(step, int):
            continue
        if field is not None:
            inner = model_inside(field.annotation)
            if inner is None:
                break
            model = inner
        field = next((one for name, one in model.model_fields.items() if (one.alias or name) == step), None)
        if field is None:
            break
    return model, field


def model_inside(annotation: Any) -> type[BaseModel] | None:
    """Return the model that a field holds, alone, in a list or as an alternative to nothing."""
    if typing.get_origin(annotation) is None:
        return annotation if isinstance(annotation, type) and issubclass(annotation, BaseModel) else None
    return next((model for model in map(model_inside, typing.get_args(annotation)) if model), None)
