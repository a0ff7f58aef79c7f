"""The tables of a sweep file as pydantic models: which keys there are, of which type; parameters are checked after."""

import re
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeGuard, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from vecdecay.sessions.session import MAX_SESSION_LENGTH
from vecdecay.sweepfile.axes import MOST_CELLS
from vecdecay.sweepfile.model import SCHEMA_VERSION
from vecdecay.sweepfile.problems import Findings, KeyPath, shown, suggestion
from vecdecay.sweepfile.seeds import SEEDS_ALLOWED

MOST_POLICIES = 100
MOST_AXES = 20
MOST_POINTS = 10_000
LARGEST_STEP = 2**53


@dataclass(frozen=True)
class Allowed:
    """What a key may hold, in words, for the lines that report a mistake."""

    text: str


class _Table(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False, frozen=True)


NAME_ALLOWED = "letters, digits, _ - and . only, at most 100, first a letter, digit or _"
LABEL_ALLOWED = "letters, digits, _ and - only, at most 100, not workload"
_LINE_ALLOWED = "text on one line, at most {} characters"

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$"), Allowed(NAME_ALLOWED)]
_LABEL = re.compile(r"^[A-Za-z0-9_-]{1,100}$")
Label = Annotated[str, StringConstraints(pattern=_LABEL.pattern), Allowed(LABEL_ALLOWED)]
Line = StringConstraints(pattern=r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029]*$", max_length=200)
Lines = StringConstraints(max_length=2000)
Float = Annotated[float, Allowed("a finite number")]
Step = Annotated[int, Field(ge=-LARGEST_STEP, le=LARGEST_STEP), Allowed("an integer from -2**53 to 2**53")]
Count = Annotated[int, Field(ge=1, le=MOST_CELLS), Allowed(f"an integer from 1 to {MOST_CELLS:,}")]
Turn = Annotated[int, Field(ge=1, le=MAX_SESSION_LENGTH)]


class SweepTable(_Table):
    """What is swept how, and how much of it is kept and shown."""

    name: Name = Field(description="name of the sweep, and of its output folder")
    title: Annotated[str, Line, Allowed(_LINE_ALLOWED.format(200))] = Field("", description="shown above the table")
    note: Annotated[str, Lines, Allowed("text of at most 2000 characters")] = Field("", description="shown below it")
    seeds: Annotated[Any, Allowed(SEEDS_ALLOWED)] = Field(description=f"the sessions to play: {SEEDS_ALLOWED}")
    detail: Annotated[Literal["cells", "sessions", "items", "turns"], Allowed("cells, sessions, items or turns")] = (
        Field("cells", description="how much is kept: a row per cell, and per session, item or turn")
    )
    engine: Annotated[
        Literal["auto", "horizon", "lockstep", "reference"], Allowed("auto, horizon, lockstep or reference")
    ] = Field("auto", description="which engine plays; all give the same result, to the bit")
    checkpoints: Annotated[
        list[Turn], Field(max_length=1000), Allowed(f"a list of turns from 1 to {MAX_SESSION_LENGTH}")
    ] = Field([], description="turns at which the foundational recall rate is kept too")
    metrics: Annotated[list[str], Field(max_length=100), Allowed("a list of names of metrics")] = Field(
        [], description="metrics of the printed table; the usual ones where none is named"
    )
    combine: Annotated[Literal["grid", "zip", "points", "random"], Allowed("grid, zip, points or random")] = Field(
        "grid", description="how the axes combine"
    )
    random_points: Annotated[
        Annotated[int, Field(ge=1, le=MOST_CELLS)] | None, Allowed(f"an integer from 1 to {MOST_CELLS:,}")
    ] = Field(None, description='points drawn with combine = "random"')
    random_seed: Annotated[int | None, Allowed("an integer")] = Field(
        None, description='seed of the points with combine = "random"; 0 where none is given'
    )


Sha256 = Annotated[
    Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")] | None, Allowed("64 hexadecimal digits")
]
_SHA256 = "digest of the code that the kind names; written into the copy of a sweep that is run"


class WorkloadTable(_Table):
    """A workload: its kind, and any of the parameters of that kind."""

    model_config = ConfigDict(extra="allow")
    kind: Annotated[str, Allowed("the name of a workload")] = Field(description="which workload; see vecdecay list")
    file_sha256: Sha256 = Field(None, description=_SHA256)


class PolicyTable(_Table):
    """A policy: its kind, a label, and any of the parameters of that kind."""

    model_config = ConfigDict(extra="allow")
    kind: Annotated[str, Allowed("the name of a policy")] = Field(description="which policy; see vecdecay list")
    label: Annotated[Label | None, Allowed(LABEL_ALLOWED)] = Field(
        None, description="how axes and results call this policy; its kind where none is given"
    )
    file_sha256: Sha256 = Field(None, description=_SHA256)


class Spacing(_Table):
    """Floats from one end to the other, both included."""

    first: Float = Field(alias="from", description="the first value")
    last: Float = Field(alias="to", description="the last value")
    count: Count = Field(description="how many values")


class IntegerSteps(_Table):
    """Integers from one end up to and including the other."""

    first: Step = Field(alias="from", description="the first value")
    last: Step = Field(alias="to", description="the largest value")
    step: Annotated[int, Field(ge=1, le=LARGEST_STEP), Allowed("an integer from 1 to 2**53")] = Field(
        1, description="the distance between values"
    )


class AxisTable(_Table):
    """A parameter that takes several values, given in exactly one of four forms."""

    parameter: Annotated[str, Allowed("LABEL.parameter of a policy, or workload.parameter")] = Field(
        description="LABEL.parameter of a policy, or workload.parameter"
    )
    values: Annotated[list[Any] | None, Allowed("a list of values")] = Field(None, description="the values themselves")
    linspace: Annotated[Spacing | None, Allowed("{ from = number, to = number, count = integer }")] = Field(
        None, description="floats at equal distances"
    )
    logspace: Annotated[Spacing | None, Allowed("{ from = number, to = number, count = integer }")] = Field(
        None, description="floats at equal ratios"
    )
    steps: Annotated[IntegerSteps | None, Allowed("{ from = integer, to = integer, step = integer }")] = Field(
        None, alias="range", description="integers at equal distances, the last included"
    )


class SweepFile(_Table):
    """A sweep file of vecdecay: policies × parameters × seeded sessions."""

    version: Annotated[int, Field(ge=SCHEMA_VERSION, le=SCHEMA_VERSION), Allowed(str(SCHEMA_VERSION))] = Field(
        alias="schema", description="version of this format"
    )
    sweep: Annotated[SweepTable, Allowed("a table")]
    workload: Annotated[WorkloadTable, Allowed("a table")]
    policy: Annotated[
        list[PolicyTable],
        Field(min_length=1, max_length=MOST_POLICIES),
        Allowed(f"1 to {MOST_POLICIES} tables [[policy]]"),
    ]
    axis: Annotated[list[AxisTable], Field(max_length=MOST_AXES), Allowed(f"at most {MOST_AXES} tables [[axis]]")] = (
        Field([])
    )
    point: Annotated[
        list[dict[str, Any]], Field(max_length=MOST_POINTS), Allowed(f"at most {MOST_POINTS} tables [[point]]")
    ] = Field([], description='with combine = "points": a value for every parameter that differs')


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
    inner = _model_inside(annotation)
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
        findings.add(path, f"unknown key{suggestion(path[-1], known) or '; allowed: ' + ', '.join(known)}")
        return
    allowed = next((one.text for one in field.metadata if isinstance(one, Allowed)), "") if field else ""
    if error["type"] == "missing":
        findings.add(path, f"missing; allowed: {allowed}")
        return
    if error["type"] in ("too_long", "too_short") and isinstance(error["input"], list):
        findings.add(path, f"has {len(error['input']):,} entries; allowed: {allowed}")
        return
    words = typing.get_args(field.annotation) if field else ()
    hint = suggestion(error["input"], [word for word in words if isinstance(word, str)])
    findings.add(path, f"is {shown(error['input'])}; allowed: {allowed}{hint}")


def _field_at(path: KeyPath) -> tuple[type[BaseModel], FieldInfo | None]:
    """Return the field that a path leads to, None where there is no such key, and the model that would hold it."""
    model: type[BaseModel] = SweepFile
    field: FieldInfo | None = None
    for step in path:
        if isinstance(step, int):
            continue
        if field is not None:
            inner = _model_inside(field.annotation)
            if inner is None:
                break
            model = inner
        field = next((one for name, one in model.model_fields.items() if (one.alias or name) == step), None)
        if field is None:
            break
    return model, field


def _model_inside(annotation: Any) -> type[BaseModel] | None:
    """Return the model that a field holds, alone, in a list or as an alternative to nothing."""
    if typing.get_origin(annotation) is None:
        return annotation if isinstance(annotation, type) and issubclass(annotation, BaseModel) else None
    return next((model for model in map(_model_inside, typing.get_args(annotation)) if model), None)
